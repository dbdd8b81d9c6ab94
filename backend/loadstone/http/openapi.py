"""The OpenAPI document, completed with what FastAPI does not say by itself."""

from typing import Any

from fastapi import FastAPI
from pydantic.json_schema import models_json_schema

from loadstone.http.middleware import ORIGIN_REFUSED, SAFE_METHODS
from loadstone.http.problems import Problem, documented

SECURITY_SCHEMES = {
    "session": {"type": "apiKey", "in": "cookie", "name": "loadstone_session"},
    "token": {"type": "http", "scheme": "bearer", "description": "An API token, `lst_...`"},
    "agent": {"type": "http", "scheme": "bearer", "description": "An agent's token, `lsa_...`"},
}


def describe_api(app: FastAPI) -> None:
    """Makes `app.openapi()` hold the Problem schema that every route's errors refer to."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(generate())
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    _, definitions = models_json_schema([(Problem, "serialization")], ref_template="#/components/schemas/{model}")
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {}) | definitions["$defs"]
    components["schemas"] = dict(sorted(schemas.items()))
    components["securitySchemes"] = SECURITY_SCHEMES
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method.upper() not in SAFE_METHODS:
                _document_origin_check(operation["responses"])
            if "401" in operation["responses"]:
                schemes = ["agent"] if path.startswith("/agent/") else ["token", "session"]
                operation["security"] = [{scheme: []} for scheme in schemes]
    return document


def _document_origin_check(responses: dict[str, Any]) -> None:
    """Any change may be refused for where it comes from, before its route is asked (`OriginCheck`)."""
    known = responses.setdefault("403", documented([]))
    known["description"] = " or ".join([part for part in (known["description"], f"`{ORIGIN_REFUSED}`") if part])
