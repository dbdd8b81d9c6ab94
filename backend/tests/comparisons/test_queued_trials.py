"""More trials: one interleaved run of the sides."""

from typing import Any

from loadstone.models import Run
from loadstone_testing.callers import Caller

from .conftest import Measure


def queue(caller: Caller, base: dict[str, Any], contender: dict[str, Any], **more: Any) -> Any:
    body = {"definition": {"base": base, "contenders": [contender]}, **more}
    return caller.post("/api/v1/comparisons/queue-trials", json=body)


def side(run: Run, target: str | None = None) -> dict[str, Any]:
    return {"run_id": str(run.id), **({"target": target} if target else {})}


def test_targets_of_two_sessions_take_turns_at_the_settings_they_share(client: Caller, measure: Measure) -> None:
    def of(kind: str, *connections: int) -> Run:
        axes = [{"parameter": "connections", "values": list(connections)}]
        return measure(lambda trial: 1_000 + trial.ordinal, kinds=(kind,), axes=axes)

    answer = queue(client, side(of("memcached", 1, 2, 4)), side(of("redis", 2, 4, 8)), trials_per_point=6)
    assert answer.status_code == 201, answer.text
    plan = answer.json()["definition"]
    assert plan["order"] == "interleaved"
    assert [target["name"] for target in plan["targets"]] == ["memcached", "redis"]
    assert plan["axes"] == [{"parameter": "connections", "values": [2, 4]}]
    assert plan["trials_per_point"] == 6


def test_without_a_number_the_open_cells_say_how_many(client: Caller, measure: Measure) -> None:
    run = measure(lambda trial: 10_000 + 400 * (trial.ordinal % 3), order="interleaved", axes=[], trials_per_point=3)
    answer = queue(client, side(run, "memcached"), side(run, "redis"))
    assert 3 < answer.json()["definition"]["trials_per_point"] <= 50


def test_sides_with_other_work_or_one_target_are_refused(client: Caller, measure: Measure) -> None:
    def of(kind: str, **plan: Any) -> Run:
        return measure(lambda trial: 1_000 + trial.ordinal, kinds=(kind,), axes=[], **plan)

    memcached = of("memcached")
    slower = of("redis", load={"kind": "closed", "connections": 9, "pipeline": 1})
    refused = queue(client, side(memcached), side(slower))
    assert (refused.status_code, refused.json()["code"]) == (409, "sides_not_alike")
    assert queue(client, side(memcached), side(of("memcached"))).json()["code"] == "sides_are_one_target"


def test_viewers_queue_nothing(viewer: Caller, client: Caller, interleaved: Run) -> None:
    assert queue(viewer, side(interleaved, "memcached"), side(interleaved, "redis")).status_code == 403
