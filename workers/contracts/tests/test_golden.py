"""The golden files, read by the models here and by cargo's tests of the engine."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from loadstone_contracts.engine_events import (
    ErrorEvent,
    HelloEvent,
    OperationNumbers,
    SampleEvent,
    SummaryEvent,
    parse_event,
)
from loadstone_contracts.engine_plan import EnginePlan
from pydantic import ValidationError

GOLDEN = Path(__file__).parents[1] / "golden"
PLANS = sorted(path for path in GOLDEN.glob("plan-*.json"))
BAD_PLANS = sorted(GOLDEN.glob("bad-plan-*.json"))
EVENTS = sorted(GOLDEN.glob("events-*.ndjson"))


def test_there_are_golden_files_of_every_kind() -> None:
    assert len(PLANS) >= 4
    assert BAD_PLANS
    assert EVENTS


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_a_golden_plan_parses_and_survives_a_round_trip(path: Path) -> None:
    plan = EnginePlan.model_validate_json(path.read_bytes())
    assert EnginePlan.model_validate_json(plan.model_dump_json()) == plan
    assert_says_all_of(json.loads(plan.model_dump_json()), json.loads(path.read_text()))


def assert_says_all_of(dumped: Any, written: Any) -> None:
    """What is written stands in the dump; defaults may stand beside it."""
    if isinstance(written, dict):
        for name, value in written.items():
            assert_says_all_of(dumped[name], value)
    elif isinstance(written, list):
        assert len(dumped) == len(written)
        for inner, value in zip(dumped, written, strict=True):
            assert_says_all_of(inner, value)
    else:
        assert dumped == written


@pytest.mark.parametrize("path", BAD_PLANS, ids=lambda path: path.stem)
def test_a_bad_plan_is_refused_here_too(path: Path) -> None:
    case = json.loads(path.read_text())
    assert case["expected_path"].startswith("$.")
    with pytest.raises(ValidationError):
        EnginePlan.model_validate(case["plan"])


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.stem)
def test_golden_events_come_in_the_order_of_the_contract(path: Path) -> None:
    events = [parse_event(line) for line in path.read_bytes().splitlines()]
    assert isinstance(events[0], HelloEvent)
    assert isinstance(events[-1], SummaryEvent | ErrorEvent)
    samples = [event for event in events if isinstance(event, SampleEvent)]
    assert [sample.seq for sample in samples] == list(range(len(samples)))


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.stem)
def test_histograms_decode_and_agree_with_the_numbers_beside_them(path: Path) -> None:
    summary = parse_event(path.read_bytes().splitlines()[-1])
    assert isinstance(summary, SummaryEvent)
    for totals in summary.phases:
        assert totals.sent == totals.answered + totals.failed + totals.in_flight
        for numbers in totals.operations:
            assert_histograms_agree(numbers)


def assert_histograms_agree(numbers: OperationNumbers) -> None:
    for encoded, quantiles in (
        (numbers.response_histogram, numbers.response_time_ns),
        (numbers.service_histogram, numbers.service_time_ns),
    ):
        histogram = HdrHistogram.decode(encoded.encode())
        assert histogram.get_total_count() == numbers.count
        assert quantiles.p99 is not None
        assert math.isclose(histogram.get_value_at_percentile(99), quantiles.p99, rel_tol=0.002)


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.stem)
def test_the_seconds_add_up_to_the_phase(path: Path) -> None:
    events = [parse_event(line) for line in path.read_bytes().splitlines()]
    summary = events[-1]
    assert isinstance(summary, SummaryEvent)
    for totals in summary.phases:
        seconds = [event for event in events if isinstance(event, SampleEvent) and event.phase == totals.phase]
        merged = HdrHistogram.decode(seconds[0].operations[0].response_histogram.encode())
        for second in seconds[1:]:
            merged.decode_and_add(second.operations[0].response_histogram.encode())
        whole = HdrHistogram.decode(totals.operations[0].response_histogram.encode())
        assert merged.get_total_count() == whole.get_total_count() == totals.answered
        assert merged.get_max_value() == whole.get_max_value()


@pytest.mark.parametrize("name", ["plan", "events"])
def test_the_schemas_are_checked_in(name: str) -> None:
    schema = json.loads((GOLDEN / f"{name}.schema.json").read_text())
    assert schema["$schema"].startswith("https://json-schema.org/")
