"""From trials to a point."""

import csv
import io
import random
import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from loadstone.results.merging import add_trial, merge_point
from loadstone.results.schemas import Point, PointOperation
from loadstone.results.table import points_table
from loadstone.stats import histogram
from loadstone.tables import to_csv


def _blob(values: list[int]) -> tuple[bytes, dict[str, Any]]:
    built = histogram.empty()
    for value in values:
        built.record_value(value)
    return histogram.unpack(built.encode().decode()), dict(histogram.quantiles(built))


def _row(trial: int, operation: str, values: list[int], throughput_per_s: float, errors: int = 0) -> Any:
    blob, quantiles = _blob(values)
    return SimpleNamespace(
        trial_id=uuid.UUID(int=trial),
        operation=operation,
        elapsed_ns=1_000_000_000,
        count=len(values),
        error_count=errors,
        errors={"timeout": errors} if errors else {},
        throughput_per_s=throughput_per_s,
        response_time_ns=quantiles,
        service_time_ns=quantiles,
        response_histogram=blob,
        service_histogram=blob,
        unanswered={},
        response_unanswered=None,
        service_unanswered=None,
        delays={},
    )


def test_percentiles_come_from_the_merge_and_bands_from_the_trials() -> None:
    draw = random.Random(3)
    values = [[int(draw.lognormvariate(10, 1)) + 1 for _ in range(1_000)] for _ in range(3)]
    rows = [_row(trial, "get", part, 100.0 + trial) for trial, part in enumerate(values)]
    get, total = merge_point(rows)
    assert total == {**get, "operation": "all"}
    _, expected = _blob([value for part in values for value in part])
    assert {name: get["response_time_ns"][name] for name in expected} == expected
    assert get["throughput_per_s"] == pytest.approx(101.0)
    assert get["band"]["throughput_per_s"] == {"low": 100.0, "high": 102.0}
    p99s = [row.response_time_ns["p99"] for row in rows]
    assert get["band"]["response_time_ns"]["p99"] == {"low": min(p99s), "high": max(p99s)}
    assert (get["trials_counted"], get["count"]) == (3, 3_000)


def test_the_total_adds_operations_within_a_trial_and_averages_over_trials() -> None:
    rows = [
        _row(1, "get", [1_000] * 90, 900.0),
        _row(1, "set", [5_000] * 10, 100.0, errors=2),
        _row(2, "get", [1_000] * 90, 1_800.0),
        _row(2, "set", [5_000] * 10, 200.0, errors=1),
    ]
    get, set_, total = merge_point(rows)
    assert (get["operation"], set_["operation"], total["operation"]) == ("get", "set", "all")
    assert total["throughput_per_s"] == pytest.approx(1_500.0)
    assert total["band"]["throughput_per_s"] == {"low": 1_000.0, "high": 2_000.0}
    assert (total["trials_counted"], total["count"], total["error_count"]) == (2, 200, 3)
    assert total["errors"] == {"timeout": 3}
    assert total["response_time_ns"]["p50"] == pytest.approx(1_000, rel=1e-3)
    assert total["response_time_ns"]["p95"] == pytest.approx(5_000, rel=1e-3)


def test_two_agents_of_one_trial_are_one_trial() -> None:
    rows = [_row(1, "get", [1_000] * 10, 500.0), _row(1, "get", [2_000] * 10, 700.0)]
    get, _ = merge_point(rows)
    assert get["trials_counted"] == 1
    assert get["throughput_per_s"] == 1_200.0


@pytest.mark.parametrize("operations", [("get",), ("get", "set")])
def test_a_point_grown_trial_by_trial_is_the_point_merged_at_once(operations: tuple[str, ...]) -> None:
    draw = random.Random(5)
    trials = [
        [
            _row(trial, name, [int(draw.lognormvariate(10, 1)) + 1 for _ in range(300)], 100.0 * trial, errors=trial)
            for name in operations
        ]
        for trial in (1, 2, 3)
    ]
    grown: list[dict[str, Any]] = []
    for rows in trials:
        found = add_trial([SimpleNamespace(**row) for row in grown], rows)
        assert found is not None
        grown = found
    at_once = merge_point([row for rows in trials for row in rows])
    for one, other in zip(grown, at_once, strict=True):
        assert one["throughput_per_s"] == pytest.approx(other["throughput_per_s"])
        kept = [name for name in one if name not in ("throughput_per_s", "response_histogram", "service_histogram")]
        assert {name: one[name] for name in kept} == {name: other[name] for name in kept}


def test_what_was_stored_without_histograms_is_merged_anew() -> None:
    stored = [SimpleNamespace(**row) for row in merge_point([_row(1, "get", [1_000], 1.0)])]
    stored[0].response_histogram = None
    assert add_trial(stored, [_row(2, "get", [1_000], 1.0)]) is None


def test_without_a_counted_trial_there_is_nothing() -> None:
    assert merge_point([]) == []


def test_an_operation_that_was_never_answered_has_no_percentiles() -> None:
    get, _ = merge_point([_row(1, "get", [], 0.0, errors=7)])
    assert get["response_time_ns"]["p99"] is None
    assert get["band"]["response_time_ns"]["p99"] == {"low": None, "high": None}


def test_the_table_has_one_line_an_operation_and_no_formulas() -> None:
    merged = merge_point([_row(1, "get", [1_000] * 4, 4.0), _row(1, "set", [1_000] * 4, 4.0, errors=2)])
    unknown = {"low": None, "high": None}
    later = ("elapsed_s", "time_per_operation_ns", "throughput_per_connection_per_s")
    shown = [
        PointOperation.model_validate(
            {**row, "errors": row["error_count"], "errors_by_class": row["errors"], **dict.fromkeys(later)}
            | {"band": {**row["band"], **dict.fromkeys(later, unknown)}}
        )
        for row in merged
    ]
    point = Point(
        id=uuid.UUID(int=1),
        ordinal=0,
        parameters={"target": "=cmd()", "connections": 4},
        series_id=None,
        trials=[],
        operations=shown[:2],
        total=shown[2],
        metrics={},
    )
    lines = list(csv.DictReader(io.StringIO(to_csv(points_table([point])))))
    assert [line["operation"] for line in lines] == ["get", "set", "all"]
    assert lines[0]["target"] == "'=cmd()"
    assert lines[0]["connections"] == "4"
    assert float(lines[2]["throughput_per_s"]) == 8.0
    assert [float(line["error_share"]) for line in lines] == [0, pytest.approx(2 / 6), 0.2]
    assert [line["errors_by_class"] for line in lines] == ["", "timeout=2", "timeout=2"]


def test_what_never_came_back_makes_lower_bounds_of_the_merge_and_ends_no_band() -> None:
    whole, frozen = _row(1, "get", [1_000] * 1_500, 1_500.0), _row(2, "get", [1_000] * 1_000, 1_000.0)
    frozen.unanswered = {"timed_out": 400, "never_sent": 100}
    frozen.response_unanswered, _ = _blob([900_000_000] * 500)
    get, total = merge_point([whole, frozen])
    assert total["unanswered"] == {"timed_out": 400, "never_sent": 100}
    times = get["response_time_ns"]
    assert "p50" not in times["bounds"]
    assert times["bounds"]["p99"] == {"kind": "at_least", "to_ns": None}
    assert times["p99"] == pytest.approx(9e8, rel=1e-3)
    assert "bounds" not in get["service_time_ns"]
    frozen_alone = merge_point([frozen])[0]
    assert frozen_alone["band"]["response_time_ns"]["p50"]["high"] is not None
    assert add_trial([SimpleNamespace(**row) for row in merge_point([whole])], [frozen]) == [get, total]
