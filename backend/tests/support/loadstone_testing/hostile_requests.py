"""Requests for every route of the document that name another team's objects wherever an id can stand."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from loadstone.openapi import openapi_text

DOCUMENT: Final[dict[str, Any]] = json.loads(openapi_text())
ID_NAMES = re.compile(r"(^|_)ids?$")
DEPTH_MAX = 6
EVENT_STREAM = "/api/v1/runs/{run_id}/events"
"""Of one's own run it does not end by itself."""


@dataclass(frozen=True)
class HostileRequest:
    route: str
    method: str
    path: str
    body: Any


def hostile_requests(
    theirs: dict[str, str], own: dict[str, str], known_bodies: dict[str, list[str]]
) -> Iterator[HostileRequest]:
    """With `theirs` in the address and everywhere else, then with `own` in the address and `theirs` in the rest.

    What deletes comes last, since it may take the caller's own rights away.
    """
    routes = [(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods]
    routes.sort(key=lambda route: (route[0] == "delete", "/session" in route[1] or "/me" in route[1]))
    for method, path in routes:
        operation = DOCUMENT["paths"][path][method]
        route = f"{method.upper()} {path}"
        bodies = list(_bodies(operation, theirs, known_bodies.get(route, [])))
        for ids in (theirs, own):
            is_own = ids is own
            if is_own and (method == "delete" or path == EVENT_STREAM):
                continue
            # A share's own token, else every address below it is refused by the token alone.
            filled = {**ids, "token": own["share_token" if "/shared/" in path else "invitation_token"]}
            address = re.sub(r"{(\w+)}", lambda name, filled=filled: filled.get(name[1], "csv"), path)  # type: ignore[misc]
            for body in bodies:
                yield HostileRequest(route, method.upper(), address + _query(operation, theirs), body)


def _query(operation: dict[str, Any], ids: dict[str, str]) -> str:
    """Every parameter that takes an id."""
    found = []
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        if parameter["in"] == "query" and (ID_NAMES.search(name) or parameter.get("required")):
            found.append(f"{name}={value_for(name, ids)}")
    return "?" + "&".join(found) if found else ""


def value_for(name: str, ids: dict[str, str]) -> str:
    singular = name.removesuffix("s")
    return ids.get(name) or ids.get(singular) or ids["run_id"]


def _bodies(operation: dict[str, Any], ids: dict[str, str], known: list[str]) -> Iterator[Any]:
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        yield None
        return
    for text in known:
        yield json.loads(re.sub(r"<(\w+)>", lambda name: ids[name[1]], text))
    yield example(content["application/json"].get("schema", {}), "", ids)


def example(schema: dict[str, Any], name: str, ids: dict[str, str], depth: int = 0) -> Any:
    """Well-formed as far as a schema tells, with the ids of others wherever one may stand."""
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("oneOf", "anyOf", "allOf"):
        if choice in schema:
            options = [one for one in schema[choice] if one.get("type") != "null"]
            return example(options[0], name, ids, depth) if options else None
    return _plain_example(schema, name, ids, depth)


def _plain_example(schema: dict[str, Any], name: str, ids: dict[str, str], depth: int) -> Any:
    match schema.get("type"):
        case "object":
            return _object_example(schema, ids, depth)
        case "array":
            return [example(schema.get("items", {}), name, ids, depth + 1)] if depth < DEPTH_MAX else []
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    if schema.get("format") == "uuid" or ID_NAMES.search(name):
        return value_for(name, ids)
    if schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    return "x" * max(1, schema.get("minLength", 1))


def _object_example(schema: dict[str, Any], ids: dict[str, str], depth: int) -> dict[str, Any]:
    needed = set(schema.get("required", []))
    properties = schema.get("properties", {})
    wanted = {name for name in properties if name in needed or (ID_NAMES.search(name) and depth < DEPTH_MAX)}
    return {name: example(properties[name], name, ids, depth + 1) for name in sorted(wanted)}
