"""A column that is added to what was measured must be in the bundle too, or be left out here by name."""

from typing import Any

import pytest
from loadstone.bundles import format as records
from loadstone.models import OperationResult, Point, PointOperation, Sample, TelemetryEvent, TelemetrySecond, Trial

# Made anew where the bundle goes.
ELSEWHERE = {"team_id", "run_id"}
CASES: list[tuple[Any, Any, set[str], set[str]]] = [
    (records.PointRecord, Point, {"identity_hash", "series_id"}, set()),
    (records.TrialRecord, Trial, set(), {"decisions"}),
    (records.PointOperationRecord, PointOperation, set(), set()),
    (records.ResultRecord, OperationResult, set(), set()),
    (records.SampleRecord, Sample, set(), set()),
    # Numbers are named, so that a bundle needs no layouts.
    (records.TelemetryRecord, TelemetrySecond, {"layout_id", "counters"}, {"store"}),
    (records.TelemetryEventRecord, TelemetryEvent, set(), set()),
]


@pytest.mark.parametrize(("record", "table", "left_out", "added"), CASES, ids=[case[1].__name__ for case in CASES])
def test_a_bundle_holds_every_column(record: Any, table: Any, left_out: set[str], added: set[str]) -> None:
    columns = {column.key for column in table.__mapper__.columns}
    assert set(record.model_fields) - added == columns - left_out - ELSEWHERE
