"""What differs between two points of one series. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from loadstone.trends.schemas import NeighbourDifference

Kind = Literal["store_version", "configuration", "environment", "engine"]


def differences(kind: Kind, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[NeighbourDifference]:
    """By path, a nested object's parts joined by dots."""
    old, new = dict(_flat(before)), dict(_flat(after))
    for path in sorted(old.keys() | new.keys()):
        if old.get(path) != new.get(path):
            yield NeighbourDifference(kind=kind, path=path, before=old.get(path), after=new.get(path))


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        if isinstance(part, Mapping):
            yield from _flat(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part
