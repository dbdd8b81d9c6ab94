"""The stores that the service offers, held against what the engine and this agent can do."""

import json
import subprocess
from typing import Any

import pytest
from loadstone_agent.stores import KINDS
from loadstone_contracts.store_options import catalog_text

OFFERED: list[dict[str, Any]] = json.loads(catalog_text())


def test_the_agent_starts_exactly_the_kinds_that_are_offered() -> None:
    assert {kind["kind"] for kind in OFFERED} == set(KINDS)


@pytest.mark.parametrize("offered", OFFERED, ids=lambda kind: str(kind["kind"]))
def test_protocols_are_offered_in_the_agents_order(offered: dict[str, Any]) -> None:
    kind = KINDS[offered["kind"]]
    anywhere = [spoken["protocol"] for spoken in offered["protocols"] if not spoken.get("external_only")]
    elsewhere = [spoken["protocol"] for spoken in offered["protocols"] if spoken.get("external_only")]
    assert (tuple(anywhere), tuple(elsewhere)) == (kind.protocols, kind.external_protocols)


@pytest.mark.parametrize("offered", OFFERED, ids=lambda kind: str(kind["kind"]))
def test_every_profile_says_what_makes_it_comparable(offered: dict[str, Any]) -> None:
    for profile in offered["profiles"]:
        told = profile["equivalence"]
        assert set(told) == {"durability", "consistency", "batching", "connection_cost"}
        assert all(told.values()), profile["name"]


def test_every_operation_offered_is_one_that_the_engine_has_in_that_protocol(engine_binary: str) -> None:
    described = json.loads(subprocess.run([engine_binary, "describe"], capture_output=True, check=True).stdout)
    known = {entry["protocol"]: set(entry["operations"]) for entry in described["protocols"]}
    for kind in OFFERED:
        for spoken in kind["protocols"]:
            unknown = set(spoken["operations"]) - known[spoken["protocol"]]
            assert unknown == set(), f"{kind['kind']} over {spoken['protocol']}"


@pytest.mark.parametrize("offered", OFFERED, ids=lambda kind: str(kind["kind"]))
def test_every_profile_is_made_of_options_that_the_agent_takes(offered: dict[str, Any]) -> None:
    kind = KINDS[offered["kind"]]
    here = {offer.version for offer in kind.offers()}
    for profile in offered["profiles"]:
        # Servers of which several versions can be installed name theirs.
        if profile["options"].get("server_version") in {None, *here}:
            assert kind.arguments([1] * kind.listeners, profile["options"], 4)
