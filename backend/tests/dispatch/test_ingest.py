"""Samples as agents send them after an outage, and as a broken agent would."""

import base64
import json
import random
import zlib
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from loadstone.db import unit_of_work
from loadstone.models import OperationResult, PointOperation, Run, Sample, TrialMetric
from loadstone.stats import histogram
from loadstone_testing.callers import Caller
from loadstone_testing.run_factories import first_trial
from loadstone_testing.simulated_agent import (
    SimulatedAgent,
    finish_body,
    measured,
    sample,
    summary,
    totals,
)
from loadstone_testing.simulated_telemetry import second
from sqlalchemy import func, select, update


def stored() -> int:
    with unit_of_work() as unit:
        return unit.session.scalar(select(func.count()).select_from(Sample)) or 0


def test_a_second_that_stands_twice_in_one_message_is_stored_once(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    assert agent.send(held, sample(0), sample(1), sample(0)).status_code == 200
    assert stored() == 2


def test_only_what_is_missing_of_a_message_is_added(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    held = agent.claim(first_trial(client, run))
    agent.send(held, sample(0), sample(3))
    agent.send(held, *(sample(seq) for seq in range(6)))
    assert stored() == 6
    shown = client.get(f"/api/v1/trials/{held.trial_id}/samples").json()["items"]
    assert [second["seq"] for second in shown] == list(range(6))


def test_a_number_that_fits_no_column_is_refused_and_nothing_of_it_stays(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    held = agent.claim(first_trial(client, run))
    huge = sample(1).model_copy(update={"elapsed_ns": 2**80})
    response = agent.send(held, sample(0), huge)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_input")
    assert stored() == 0
    assert agent.send(held, sample(0)).status_code == 200


def packed(payload: bytes) -> str:
    squeezed = zlib.compress(payload)
    head = histogram.V2_COMPRESSED_COOKIE | 0x10
    return base64.b64encode(head.to_bytes(4, "big") + len(squeezed).to_bytes(4, "big") + squeezed).decode()


def header(length: int, digits: int = 3, highest: int = histogram.HIGHEST_NS) -> bytes:
    numbers = ((0x1C849303 | 0x10, 4), (length, 4), (0, 4), (digits, 4), (1, 8), (highest, 8))
    return b"".join(number.to_bytes(size, "big") for number, size in numbers) + b"\x3f\xf0" + bytes(6)


WHOLE = measured("get", 1_000, draw=random.Random(1))
BAD_HISTOGRAMS = {
    "no histogram": base64.b64encode(b"nothing of the kind").decode(),
    "cut off": base64.b64encode(base64.b64decode(WHOLE.response_histogram)[:-6]).decode(),
    "other bytes": packed(b"\xff" * 500),
    "a bomb": packed(header(2**30) + bytes(64 * 1024 * 1024)),
    "reserves all memory": packed(header(1, digits=5, highest=2**62) + b"\x02"),
    "more than there were": measured("get", 9_000, draw=random.Random(1)).response_histogram,
}
WAITED = {"unanswered": {"in_flight": 1_000}}
BAD_NUMBERS: list[dict[str, Any]] = [
    {"count": -1},
    {"count": 2**53 + 1},
    {"late": -1},
    {"hits": -5},
    {"bytes_sent": 2**63},
    {"errors": {"timeout": -1}},
    {"response_time_ns": {**WHOLE.response_time_ns.model_dump(), "p99": -1}},
    *({"response_histogram": text} for text in BAD_HISTOGRAMS.values()),
    *({"service_histogram": text} for text in BAD_HISTOGRAMS.values()),
    *({"response_unanswered_histogram": text, **WAITED} for text in BAD_HISTOGRAMS.values()),
    *({"service_unanswered_histogram": text, **WAITED} for text in BAD_HISTOGRAMS.values()),
    {"response_unanswered_histogram": WHOLE.response_histogram},
    {"unanswered": {"in_flight": -1}},
    {"unanswered": {"in_flight": 2**53 + 1}},
    {"unanswered": {"on_holiday": 1}},
    {"response_time_ns": {**WHOLE.response_time_ns.model_dump(), "bounds": {"p99": {"kind": "at_most", "to_ns": 1}}}},
    {"response_time_ns": {**WHOLE.response_time_ns.model_dump(), "bounds": {"p98": {"kind": "at_least", "to_ns": 1}}}},
    {"response_time_ns": {**WHOLE.response_time_ns.model_dump(), "bounds": {"p99": {"kind": "between", "to_ns": -1}}}},
]
PAUSES = {"watched_ns": 10**9, "load_histogram": "", "probes": 10, "host_histogram": ""}
BAD_TOTALS: list[dict[str, Any]] = [
    {"never_sent": -1},
    {"hung": {"connections": -1, "longest_ns": 1, "threshold_ns": 1}},
    {"hung": {"connections": 1, "longest_ns": 10**30, "threshold_ns": 1}},
    {"distortion": {"pauses": PAUSES | {"watched_ns": -1}, "awake_ns": 0}},
    {"distortion": {"pauses": PAUSES | {"probes": 2**53 + 1}, "awake_ns": 0}},
    *(
        {"distortion": {"pauses": PAUSES | {"load_histogram": text}, "awake_ns": 0}}
        for name, text in BAD_HISTOGRAMS.items()
        if name != "more than there were"
    ),
    {"distortion": {"pauses": PAUSES | {"host_histogram": WHOLE.response_histogram}, "awake_ns": 0}},
    {"distortion": {"pauses": PAUSES, "lateness_histogram": BAD_HISTOGRAMS["more than there were"], "awake_ns": 0}},
]
BAD_SECONDS: list[dict[str, Any]] = [
    {"seq": -1},
    {"seq": 2**31},
    {"at_unix_ns": -1},
    {"at_unix_ns": 10**30},
    {"elapsed_ns": -1},
    {"duration_ns": -1},
    {"in_flight": -1},
    {"offered_per_s": -1.0},
    {"phase": "lunch"},
    {"operations": [{**WHOLE.model_dump()}] * 101},
]


@pytest.mark.parametrize("change", BAD_NUMBERS + BAD_SECONDS, ids=lambda change: json.dumps(change)[:60])
def test_a_second_that_cannot_be_is_refused_whole(
    client: Caller, agent: SimulatedAgent, run: Run, change: dict[str, Any]
) -> None:
    held = agent.claim(first_trial(client, run))
    good, bad = sample(0).model_dump(), sample(1).model_dump()
    bad["operations"] = [WHOLE.model_dump() | (change if change in BAD_NUMBERS else {})]
    bad |= change if change in BAD_SECONDS else {}
    body = json.dumps({"fence": held.fence, "samples": [good, bad]})
    answer = agent.call(f"leases/{held.lease_id}/samples", body)
    assert (answer.status_code, answer.json()["code"]) in ((422, "invalid_input"), (422, "unusable_histogram"))
    assert stored() == 0


@pytest.mark.parametrize("change", BAD_NUMBERS, ids=lambda change: json.dumps(change)[:60])
def test_totals_that_cannot_be_are_refused(
    client: Caller, agent: SimulatedAgent, run: Run, change: dict[str, Any]
) -> None:
    held = agent.claim(first_trial(client, run))
    body = finish_body(held, summary=summary(held, totals(1, 1_000))).model_dump()
    body["summary"]["phases"][0]["operations"][0] = WHOLE.model_dump() | change
    answer = agent.call(f"leases/{held.lease_id}/finish", json.dumps(body))
    assert (answer.status_code, answer.json()["code"]) in ((422, "invalid_input"), (422, "unusable_histogram"))
    assert agent.try_finish(held).status_code == 200, "what it can say goes on"


@pytest.mark.parametrize("change", BAD_TOTALS, ids=lambda change: json.dumps(change)[:60])
def test_a_phase_that_cannot_be_is_refused(
    client: Caller, agent: SimulatedAgent, run: Run, change: dict[str, Any]
) -> None:
    held = agent.claim(first_trial(client, run))
    body = finish_body(held, summary=summary(held, totals(1, 1_000))).model_dump()
    body["summary"]["phases"][0] |= change
    answer = agent.call(f"leases/{held.lease_id}/finish", json.dumps(body))
    assert (answer.status_code, answer.json()["code"]) in ((422, "invalid_input"), (422, "unusable_histogram"))


def test_a_coarse_histogram_of_unanswered_requests_is_read_beside_a_fine_one(
    client: Caller, agent: SimulatedAgent, run: Run
) -> None:
    coarse = HdrHistogram(1, histogram.HIGHEST_NS, 2)
    for _ in range(500):
        coarse.record_value(10**9)
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    body = finish_body(held, summary=summary(held, totals(1, 1_000))).model_dump()
    body["summary"]["phases"][0]["operations"][0] |= {
        "unanswered": {"timed_out": 500},
        "response_unanswered_histogram": coarse.encode().decode(),
        "service_unanswered_histogram": coarse.encode().decode(),
    }
    assert agent.call(f"leases/{held.lease_id}/finish", json.dumps(body)).status_code == 200
    with unit_of_work() as unit:
        rows = unit.session.scalars(select(OperationResult).where(OperationResult.unanswered != {})).all()
        assert [row.response_time_ns["bounds"]["p99"] for row in rows] == [{"kind": "at_least", "to_ns": None}]
        assert rows[0].response_time_ns["p99"] == pytest.approx(1e9, rel=0.01)
        bounded = set(unit.session.scalars(select(TrialMetric.metric).where(TrialMetric.is_lower_bound)))
    # The median is exact; too few requests say nothing of p99.9.
    assert {"response_time_p90_ns", "response_time_p99_ns", "service_time_max_ns"} <= bounded
    assert not bounded & {"response_time_p50_ns", "service_time_p50_ns", "response_time_p999_ns", "throughput_per_s"}


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1e999", "1e999"])
def test_numbers_that_are_none_are_refused_wherever_an_agent_writes_them(
    client: Caller, agent: SimulatedAgent, run: Run, value: str
) -> None:
    held = agent.claim(first_trial(client, run))
    bodies = {
        "finish": finish_body(held, engine_elapsed_s=0.125).model_dump_json(),
        "telemetry": json.dumps(
            {"fence": held.fence, "records": [second(0).model_dump() | {"store_cpu_cores": 0.125}]}
        ),
        "samples": json.dumps({"fence": held.fence, "samples": [sample(0).model_dump() | {"offered_per_s": 0.125}]}),
    }
    for call, body in bodies.items():
        assert "0.125" in body
        answer = agent.call(f"leases/{held.lease_id}/{call}", body.replace("0.125", value))
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input"), call


def test_rows_from_before_they_were_checked_stop_no_reader(client: Caller, agent: SimulatedAgent, run: Run) -> None:
    trial_id = first_trial(client, run)
    held = agent.claim(trial_id)
    agent.renew(held)
    assert agent.send(held, *(sample(seq) for seq in range(3))).status_code == 200
    agent.finish(held, sample_count=3)
    bad = base64.b64decode(BAD_HISTOGRAMS["cut off"])
    with unit_of_work() as unit:
        unit.session.execute(update(Sample).where(Sample.seq == 1).values(response_histogram=bad, count=-5))
        unit.session.execute(update(Sample).where(Sample.seq == 2).values(service_histogram=b"nonsense"))
        bounds = {"response_unanswered": bad, "service_unanswered": b"nonsense"}
        unit.session.execute(update(Sample).where(Sample.seq == 0).values(**bounds))
    for kind in ("response", "service"):
        shown = client.get(f"/api/v1/trials/{trial_id}/heatmap?kind={kind}")
        assert (shown.status_code, shown.json()["unreadable"]) == (200, 2)
        assert sum(sum(column["counts"]) for column in shown.json()["columns"]) == 2_000
    assert client.get(f"/api/v1/trials/{trial_id}/samples").status_code == 200


@pytest.mark.parametrize("column", ["response_histogram", "response_unanswered"])
def test_an_unreadable_histogram_stops_no_point_and_states_no_quantile(
    client: Caller, agent: SimulatedAgent, run: Run, column: str
) -> None:
    """Without the requests that have no answer, the quantiles of the others would be taken for everyone's."""
    trial_id = first_trial(client, run)
    agent.execute(trial_id)
    point_id = client.get(f"/api/v1/trials/{trial_id}").json()["point_id"]
    with unit_of_work() as unit:
        unit.session.execute(update(OperationResult).values({column: b"nonsense"}))
        unit.session.execute(update(PointOperation).values({column: b"nonsense"}))
    shown = client.get(f"/api/v1/points/{point_id}/spectrum?operation=get")
    assert (shown.status_code, shown.json()["unreadable"], shown.json()["items"]) == (200, 1, [])
    body = {"kind": "exclude", "reason": "to see"}
    assert client.post(f"/api/v1/trials/{trial_id}/decisions", json=body).status_code == 201
    assert client.post(f"/api/v1/trials/{trial_id}/decisions", json=body | {"kind": "include"}).status_code == 201
    assert client.get(f"/api/v1/points/{point_id}/spectrum?operation=get").json()["items"] == []
