"""What store and host did: stored once, thinned without losing what matters, and the metrics that come of it."""

import time
from typing import Any

from loadstone.db import unit_of_work
from loadstone.models import Run, RunEvent, TelemetryLayout, TelemetrySecond, TrialMetric
from loadstone_contracts.agent_calls import Assignment
from loadstone_contracts.telemetry import TelemetryEvent
from loadstone_contracts.telemetry import TelemetrySecond as Second
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial
from loadstone_testing.simulated_agent import SECOND_NS, SimulatedAgent, sample, summary, totals
from loadstone_testing.simulated_telemetry import event, host, second
from sqlalchemy import func, select

MEBIBYTE = 1024 * 1024


def stored() -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(TelemetrySecond)) or 0


def shown(client: Caller, held: Assignment, **query: Any) -> dict[str, Any]:
    response = client.get(f"/api/v1/trials/{held.trial_id}/telemetry", params=query)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def test_what_is_sent_twice_is_stored_once(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    assert agent.tell(held, second(0), second(1), event(0)).status_code == 200
    assert agent.tell(held, second(1), second(2), second(2), event(0)).status_code == 200
    body = shown(client, held)
    assert [item["seq"] for item in body["items"]] == [0, 1, 2]
    assert [mark["title"] for mark in body["events"]] == ["BGSAVE began"]
    assert stored() == 3


def test_every_number_comes_back_as_it_was_sent(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.tell(held, second(0), event(0, detail="The fork took 3 ms.", duration_s=1.5))
    body = shown(client, held)
    (item,) = body["items"]
    assert item["store"] == {"gets_per_s": 1000.0, "evictions_per_s": 0.0, "connections": 5.0}
    assert item["host"] == host().model_dump()
    assert (item["store_memory_bytes"], item["store_disk_bytes"]) == (64 * MEBIBYTE, 4096)
    assert {one["name"]: (one["title"], one["unit"]) for one in body["names"]} == {
        "gets_per_s": ("Gets", "per_s"),
        "evictions_per_s": ("Evictions", "per_s"),
        "connections": ("Connections", "count"),
    }
    assert (body["events"][0]["detail"], body["events"][0]["duration_s"]) == ("The fork took 3 ms.", 1.5)


def test_what_could_not_be_read_is_null_and_not_zero(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.tell(held, second(0, store={}, store_memory_bytes=None, store_disk_bytes=None, host=None, phase=None))
    (item,) = shown(client, held)["items"]
    assert (item["store"], item["store_memory_bytes"], item["host"], item["phase"]) == ({}, None, None, None)


def test_the_time_axis_is_the_one_of_the_samples(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    began_ns = time.time_ns()
    first = sample(0).model_copy(update={"at_unix_ns": began_ns + SECOND_NS})
    agent.send(held, first)
    agent.tell(held, second(0, at_unix_ns=began_ns + 2 * SECOND_NS), event(0, at_unix_ns=began_ns + SECOND_NS // 2))
    body = shown(client, held)
    assert abs(body["items"][0]["elapsed_s"] - 2.0) < 0.01
    assert abs(body["events"][0]["elapsed_s"] - 0.5) < 0.01


def test_seconds_with_the_same_counters_share_one_layout(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.tell(held, *(second(seq) for seq in range(5)), second(5, store={"connections": 1.0}))
    with unit_of_work() as unit:
        layouts = list(unit.session.scalars(select(TelemetryLayout.names)))
    assert sorted(map(len, layouts)) == [1, 3]


def test_a_stall_of_one_second_stays_visible_in_a_long_trial(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    odd = second(777, store={"gets_per_s": 0.0, "evictions_per_s": 0.0, "connections": 5.0})
    full = second(555, store_memory_bytes=900 * MEBIBYTE)
    seconds = [{777: odd, 555: full}.get(seq, second(seq)) for seq in range(1200)]
    for start in range(0, 1200, 100):
        assert agent.tell(held, *seconds[start : start + 100]).status_code == 200
    body = shown(client, held, max_points=100)
    assert body["downsampled"]
    assert len(body["items"]) <= 100
    assert min(item["store"]["gets_per_s"] for item in body["items"]) == 0.0
    assert max(item["store_memory_bytes"] for item in body["items"]) == 900 * MEBIBYTE


def test_a_stale_attempt_can_tell_nothing(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    stale = held.model_copy(update={"fence": held.fence - 1})
    response = agent.tell(stale, second(0))
    assert (response.status_code, response.json()["code"]) == (409, "lease_lost")
    assert stored() == 0


def test_a_counter_of_a_newer_agent_is_shown_under_its_own_name(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    agent.tell(held, second(0, store={"novel_bytes_per_s": 1.0}))
    assert shown(client, held)["names"] == [
        {"name": "novel_bytes_per_s", "title": "novel_bytes_per_s", "unit": "bytes_per_s"}
    ]


def test_listeners_hear_what_is_new_and_only_that(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.tell(held, second(0), event(0))
    agent.tell(held, second(0), event(0))
    with unit_of_work() as unit:
        told = [one.payload for one in unit.session.scalars(telemetry_events(run))]
    assert len(told) == 1
    assert [item["seq"] for item in told[0]["items"]] == [0]
    assert told[0]["trial_id"] == held.trial_id
    assert told[0]["events"][0]["kind"] == "save_began"


def telemetry_events(run: Run) -> Any:
    return select(RunEvent).where(RunEvent.run_id == run.id, RunEvent.kind == "telemetry")


def _measured(client: Caller, agent: SimulatedAgent, run: Run, *records: Second | TelemetryEvent) -> dict[str, Any]:
    """The trial, measured to its end, as the api shows it."""
    held = agent.claim(first_trial(client, run))
    agent.renew(held)
    agent.send(held, sample(0), sample(1))
    agent.tell(held, *records)
    agent.finish(held, summary=summary(held, totals(2, 2_000)), sample_count=2)
    trial: dict[str, Any] = client.get(f"/api/v1/trials/{held.trial_id}").json()
    return trial


def _metrics(trial: dict[str, Any]) -> dict[str, float]:
    with unit_of_work() as unit:
        rows = unit.session.scalars(
            select(TrialMetric).where(TrialMetric.trial_id == trial["id"], TrialMetric.operation == "all")
        )
        return {row.metric: row.value for row in rows}


def test_memory_and_disk_become_metrics_of_the_trial(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial = _measured(
        client,
        agent,
        run,
        second(0, phase="prefill", store_memory_bytes=10 * MEBIBYTE),
        second(1, phase="prefill", ends_phase=True, store_memory_bytes=20 * MEBIBYTE, store_disk_bytes=1000),
        second(2, store_memory_bytes=30 * MEBIBYTE, store_children_memory_bytes=5 * MEBIBYTE),
        second(3, store_memory_bytes=32 * MEBIBYTE, store_children_memory_bytes=None, store_disk_bytes=3000),
        second(4, store_memory_bytes=25 * MEBIBYTE, store_disk_bytes=None, phase=None),
    )
    metrics = _metrics(trial)
    assert metrics["memory_after_prefill_bytes"] == 20 * MEBIBYTE
    assert metrics["memory_peak_bytes"] == 35 * MEBIBYTE
    assert metrics["disk_after_bytes"] == 3000


def test_what_was_not_seen_is_no_metric(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial = _measured(client, agent, run, second(0, store_memory_bytes=None, store_disk_bytes=None))
    assert not {"memory_after_prefill_bytes", "memory_peak_bytes", "disk_after_bytes"} & set(_metrics(trial))
    assert "throughput_per_s" in _metrics(trial)


def _reasons(trial: dict[str, Any]) -> dict[str, str]:
    return {reason["code"]: reason["evidence"]["severity"] for reason in trial["trust_reasons"]}


def test_evictions_while_it_was_measured_are_a_warning(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    evicting = {"gets_per_s": 1.0, "evictions_per_s": 40.0, "connections": 5.0}
    trial = _measured(client, agent, run, second(0), second(1, store=evicting, duration_ns=SECOND_NS // 2))
    assert _reasons(trial) == {"evictions": "warn"}
    assert trial["trust_reasons"][0]["evidence"]["evicted"] == 20


def test_evictions_of_the_prefill_are_none(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    evicting = {"gets_per_s": 1.0, "evictions_per_s": 40.0, "connections": 5.0}
    assert _reasons(_measured(client, agent, run, second(0, store=evicting, phase="prefill"))) == {}


def test_a_store_that_was_restarted_makes_its_trial_void(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial = _measured(client, agent, run, second(0), event(0, "out_of_memory"), event(1, "store_restarted"))
    assert _reasons(trial) == {"store_restarted": "void", "out_of_memory": "warn"}
    assert not trial["is_counted"]


def test_store_and_host_leave_as_a_table_with_stable_names(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = first_trial(client, run)
    agent.execute(trial_id)
    shown = client.get(f"/api/v1/trials/{trial_id}/telemetry").json()
    rows = client.get(f"/api/v1/trials/{trial_id}/telemetry.json").json()["items"]
    assert [row["seq"] for row in rows] == [item["seq"] for item in shown["items"]]
    for row, item in zip(rows, shown["items"], strict=True):
        assert {name: row[f"store.{name}"] for name in item["store"]} == item["store"]
        assert {name: row[f"host.{name}"] for name in item["host"]} == item["host"]
        assert row["store_memory_bytes"] == item["store_memory_bytes"]
    header = client.get(f"/api/v1/trials/{trial_id}/telemetry.csv").text.splitlines()[0]
    assert header.startswith("agent_id,seq,phase,at,elapsed_s,duration_s,store_memory_bytes,")
    events = client.get(f"/api/v1/trials/{trial_id}/telemetry-events.json").json()["items"]
    assert [(one["kind"], one["title"]) for one in events] == [(one["kind"], one["title"]) for one in shown["events"]]
    assert events
