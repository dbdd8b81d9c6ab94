"""The options that a person may set on a managed store: one allow-list, for the service and for the agent.

The service checks a target when it is saved and a plan when it is made. The agent checks again before a server sees
them: whatever is not in `store_kinds.json`, in exactly that spelling, never reaches a command line.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict

VERSION_OPTION = "server_version"
"""Not the server's own: which of several that a host holds."""
CATALOG = "store_kinds.json"


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IntegerRange(_Data):
    minimum: int
    maximum: int


class StoreOption(_Data):
    """An option that may be overridden: one of `values`, a whole number in `integer`, or a text like `pattern`."""

    name: str
    title: str
    meaning: str
    values: list[str] | None = None
    integer: IntegerRange | None = None
    pattern: str | None = None

    def accepts(self, value: str) -> bool:
        if self.values is not None:
            return value in self.values
        if self.integer is not None:
            is_number = re.fullmatch(r"[0-9]{1,15}", value) is not None
            return is_number and self.integer.minimum <= int(value) <= self.integer.maximum
        return re.fullmatch(self.pattern or "", value) is not None

    @property
    def expectation(self) -> str:
        if self.values is not None:
            return f"one of {', '.join(self.values)}"
        if self.integer is not None:
            return f"a whole number from {self.integer.minimum} to {self.integer.maximum}"
        return f"a text like {self.pattern}"


def catalog_text() -> str:
    """The file with every kind of store, its protocols, profiles and options."""
    return resources.files(__package__).joinpath(CATALOG).read_text(encoding="utf-8")


@cache
def store_options() -> Mapping[str, Mapping[str, StoreOption]]:
    """Every option a person may set, by kind of store and name."""
    return MappingProxyType(
        {
            kind["kind"]: MappingProxyType(
                {option["name"]: StoreOption.model_validate(option) for option in kind["options"]}
            )
            for kind in json.loads(catalog_text())
        }
    )
