"""Whatever a person types as a target's options is refused with a code, never with a fault of the service."""

from typing import Any

import pytest
from loadstone_local.attack.options import EVERYWHERE, HOSTILE_OPTIONS
from loadstone_testing.callers import Caller
from loadstone_testing.factories import plan_definition


@pytest.mark.parametrize("kind", HOSTILE_OPTIONS)
def test_a_hostile_option_is_refused_with_the_plan(client: Caller, kind: str) -> None:
    kinds = {one["kind"]: one for one in client.get("/api/v1/store-kinds").json()["items"]}
    profile = kinds[kind]["profiles"][0]["name"]
    let_in: list[Any] = []
    for options in (*HOSTILE_OPTIONS[kind], *EVERYWHERE):
        target = {"kind": kind, "profile": profile, "options": options}
        answer = client.post("/api/v1/runs", json={"plan": plan_definition(targets=[target], axes=[])})
        if answer.status_code != 422:
            let_in.append((options, answer.status_code))
    assert let_in == []
