"""A plan as a file: YAML or JSON, with the line on which each field stands."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from loadstone_cli.errors import CommandFailed, Exit, refused

MAX_BYTES = 1024 * 1024
"""A thousand times what a plan needs; a bigger file is not one."""
SUFFIXES = {".yaml", ".yml", ".json"}


@dataclass(frozen=True)
class PlanFile:
    """`lines` are by path, as in `axes[0].values[2]`; the first line is 1."""

    name: str
    definition: dict[str, Any]
    lines: dict[str, int]

    def place(self, path: str) -> str:
        """`plan.yaml:12`, of the field or of the nearest one around it."""
        inner = path
        while inner and inner not in self.lines:
            inner = inner[: max(inner.rfind("."), inner.rfind("["), 0)]
        return f"{self.name}:{self.lines.get(inner, 1)}"


class _StrictLoader(yaml.SafeLoader):  # type: ignore[misc] # PyYAML has no types
    """Refuses what would silently lose a value, and what a small file can grow into."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("anchors and aliases are not allowed in a plan")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            if name in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the field {name!r} stands there twice", key.start_mark
                )
            seen.add(name)
        return super().construct_mapping(node, deep)


# A date is not a JSON value; as text it gets the api's own answer.
_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def looks_like_file(text: str) -> bool:
    return text == "-" or Path(text).suffix in SUFFIXES or Path(text).is_file()


def read_plan(name: str, changes: list[str] | None = None) -> PlanFile:
    """From a path or `-` for stdin; `changes` are `field=value`. Errors: `CommandFailed`."""
    plan = parse_plan("stdin" if name == "-" else name, _read(name))
    for change in changes or []:
        _apply_change(plan.definition, change)
    return plan


def _read(name: str) -> str:
    try:
        source = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115 - closed below
        with source:
            content = source.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise refused("plan_too_large", f"{name} is larger than {MAX_BYTES // 1024} KiB: that is no plan.")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise CommandFailed(Exit.NOT_FOUND, "no_such_file", f"There is no file {name}.") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise refused("plan_unreadable", f"{name} cannot be read: {fault}.") from None


def parse_plan(name: str, text: str) -> PlanFile:
    """Errors: `CommandFailed` naming the line."""
    try:
        loader = _StrictLoader(text)
        try:
            root = loader.get_single_node()
            definition = loader.construct_document(root) if root is not None else None
        finally:
            loader.dispose()
        json.dumps(definition, allow_nan=False)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as fault:
        raise refused("plan_unreadable", _syntax_fault(name, fault)) from None
    if not isinstance(definition, dict):
        raise refused("plan_unreadable", f"{name} holds no plan: its top must be fields, such as `name: my plan`.")
    return PlanFile(name, definition, dict(_lines_of(root, "")))


def _syntax_fault(name: str, fault: Exception) -> str:
    mark = getattr(fault, "problem_mark", None)
    place = f"{name}:{mark.line + 1}" if mark else name
    return f"{place}: {getattr(fault, 'problem', None) or fault}."


def _lines_of(node: Any, path: str) -> list[tuple[str, int]]:
    found = [(path, node.start_mark.line + 1)]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = f"{path}.{key.value}" if path else str(key.value)
            found += [(inner, key.start_mark.line + 1), *_lines_of(value, inner)[1:]]
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            found += _lines_of(value, f"{path}[{index}]")
    return found


def _apply_change(definition: dict[str, Any], change: str) -> None:
    """`stop.seconds=5`: fields of fields, no list items."""
    path, found, text = change.partition("=")
    *outer, last = path.split(".")
    if not found or not last:
        raise refused("bad_change", f"--set {change}: write it as field=value, such as trials_per_point=5.")
    place = definition
    for name in outer:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise refused("bad_change", f"--set {change}: {name} is not a group of fields.")
    try:
        place[last] = yaml.safe_load(text)
    except yaml.YAMLError:
        raise refused("bad_change", f"--set {change}: the value cannot be read.") from None
