"""Kinds of stores, their profiles and options: data, read from `store_kinds.json` of the contracts."""

from collections.abc import Mapping
from functools import cache

from loadstone_contracts.agent_calls import TargetKind
from loadstone_contracts.engine_plan import OperationKind, StoreProtocol
from loadstone_contracts.store_options import VERSION_OPTION, StoreOption, catalog_text
from pydantic import BaseModel, ConfigDict, TypeAdapter

PLUGIN_PROTOCOLS = ("memcached", "memcached_binary")
"""Of MySQL: what its plugin speaks, at a port of its own."""


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Equivalence(_Data):
    """What makes unlike stores comparable, or says why they are not: a short sentence each."""

    durability: str
    consistency: str
    batching: str
    connection_cost: str


class StoreProfile(_Data):
    """A named set of server options."""

    name: str
    title: str
    meaning: str
    options: dict[str, str]
    equivalence: Equivalence


class SpokenProtocol(_Data):
    """One way to talk to a store, and what can be asked for in it."""

    protocol: StoreProtocol
    title: str
    meaning: str
    operations: list[OperationKind]
    external_only: bool = False
    """An agent starts no such store: the target runs elsewhere."""


class StoreKind(_Data):
    kind: TargetKind
    title: str
    protocols: list[SpokenProtocol]
    """The first is spoken where nothing else is said."""
    profiles: list[StoreProfile]
    options: list[StoreOption]

    def profile(self, name: str) -> StoreProfile | None:
        return next((profile for profile in self.profiles if profile.name == name), None)

    def spoken(self, protocol: str | None) -> SpokenProtocol | None:
        """The first protocol for None; None for one that this kind does not speak."""
        if protocol is None:
            return self.protocols[0]
        return next((one for one in self.protocols if one.protocol == protocol), None)

    def option(self, name: str) -> StoreOption | None:
        return next((option for option in self.options if option.name == name), None)


class StoreKinds(_Data):
    items: list[StoreKind]


@cache
def store_kinds() -> Mapping[str, StoreKind]:
    kinds = TypeAdapter(list[StoreKind]).validate_json(catalog_text())
    return {kind.kind: kind for kind in kinds}


def effective_options(kind: str, profile: str, overrides: Mapping[str, str]) -> dict[str, str]:
    """The profile's options with the overrides over them. Kind and profile are known ones."""
    known = store_kinds()[kind].profile(profile)
    assert known is not None
    return {**known.options, **overrides}


def named_version(kind: str, profile: str | None, overrides: Mapping[str, str]) -> str | None:
    """Which version of the server profile and options ask for; None when any will do."""
    known = store_kinds()[kind].profile(profile) if profile else None
    return {**(known.options if known else {}), **overrides}.get(VERSION_OPTION)


def external_only_fault(kind: StoreKind, protocol: str | None) -> str | None:
    """Why an agent cannot start a store that is spoken to like this; None when it can."""
    spoken = kind.spoken(protocol)
    if spoken is None or not spoken.external_only:
        return None
    return f"{kind.title} is not started as a cluster here: save a target that runs elsewhere for {protocol}."


def protocol_fault(kind: StoreKind, protocol: str | None) -> str:
    """Why the choice is refused, in words."""
    known = ", ".join(one.protocol for one in kind.protocols)
    return f"{kind.title} does not speak {protocol}. It speaks: {known}."


def find_option_faults(kind: StoreKind, options: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """`(option, code, message)` of every option that is unknown or has a value it cannot have."""
    faults = []
    for name, value in options.items():
        option = kind.option(name)
        if option is None:
            known = ", ".join(option.name for option in kind.options)
            faults.append((name, "unknown_option", f"{kind.title} has no option {name!r} here. Known: {known}."))
        elif not option.accepts(value):
            faults.append((name, "value_out_of_range", f"{option.title}: {value!r} is not {option.expectation}."))
    return faults
