"""After each run: its points into their series, a look at every series' newest segment, and alerts of what is found."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from loadstone.db import UnitOfWork
from loadstone.models import Alert, ChangePoint, Series
from loadstone.stats import change_points as detector
from loadstone.stats.metrics import METRICS
from loadstone.trends import confirmation, ingest
from loadstone.trends.alert_changes import add_event, announce, change_state
from loadstone.trends.repository import alerts as repository
from loadstone.trends.repository import ingest as ingest_repository
from loadstone.trends.states import AlertState

SWEEP_RUNS = 20
WATCHED = ("throughput_per_s", "response_time_p50_ns", "response_time_p99_ns")
"""Over all operations. Every metric more is one more chance of a false alarm."""
OPERATION = "all"
SAME_PLACE = 5
"""Sessions: two finds this near are one shift, seen in another metric or placed a little better."""
SETTLED_AFTER = detector.BEFORE_MIN + int(detector.TAILS[0])
"""Values after a shift that make a segment of their own."""


def unanalysed_runs(unit: UnitOfWork) -> list[uuid.UUID]:
    """Runs that have ended and that nobody has taken into their series yet, a handful."""
    return list(ingest_repository.unanalysed_runs(unit.session, SWEEP_RUNS))


def analyse_run(unit: UnitOfWork, run_id: uuid.UUID) -> bool:
    """Takes the run's points into their series and judges those; false when there was nothing to do.

    A run that was analysed before, and then a trial of it was decided on, is judged as revised.
    """
    run = ingest_repository.try_lock_unanalysed(unit.session, run_id)
    if run is None:
        return False
    is_revised = ingest_repository.was_taken(unit.session, run.id)
    for series in ingest.take_points(unit, run):
        judge_series(unit, series, run.id, is_revised=is_revised)
    confirmation.conclude(unit, run)
    ingest_repository.mark_analysed(unit.session, run.id)
    return True


def judge_series(unit: UnitOfWork, series: Series, run_id: uuid.UUID | None, *, is_revised: bool = False) -> None:
    """Looks at the newest segment of every watched metric. `is_revised`: older values changed, so finds may fall."""
    for metric in WATCHED:
        _Look(unit, series, metric, run_id).judge(is_revised)


@dataclass
class _Look:
    unit: UnitOfWork
    series: Series
    metric: str
    run_id: uuid.UUID | None

    def judge(self, is_revised: bool) -> None:
        stored = repository.standing_changes(self.unit.session, self.series.id)
        own = [(change, alert) for change, alert in stored if change.metric == self.metric]
        rows = self._segment(own)
        found = detector.newest_change([row.value for row in rows])
        if is_revised:
            self._withdraw(own, rows, found)
        if found is None:
            return
        known = next((pair for pair in own if _is_near(rows, found.index, pair[0].at)), None)
        if known is not None:
            self._place_better(*known, rows, found)
            return
        self._pass_on(rows, found, [alert for _, alert in stored])

    def _segment(self, own: Sequence[tuple[ChangePoint, Alert]]) -> list[Any]:
        """From the last shift that has a segment of its own behind it. What was no shift bounds nothing."""
        arguments = (self.unit.session, self.series.id, self.metric, OPERATION)
        for change, alert in reversed(own):
            if alert.state != AlertState.FALSE:
                rows = repository.newest_values(*arguments, change.at, detector.WINDOW_MAX)
                if len(rows) >= SETTLED_AFTER:
                    return rows
        return repository.newest_values(*arguments, None, detector.WINDOW_MAX)

    def _columns(self, rows: list[Any], found: detector.Change) -> dict[str, Any]:
        better = METRICS[self.metric].better
        return {
            "point_id": rows[found.index].point_id,
            "at": rows[found.index].at,
            "before": found.before,
            "after": found.after,
            "change": found.change,
            "direction": detector.direction(found.change, better),
            "p_value": found.p_value,
            "algorithm_version": detector.ALGORITHM_VERSION,
            "inputs": {
                "points": [str(row.point_id) for row in rows],
                "values": [row.value for row in rows],
                "index": found.index,
                **found.inputs(detector.DEFAULT_SENSITIVITY),
            },
        }

    def _place_better(self, change: ChangePoint, alert: Alert, rows: list[Any], found: detector.Change) -> None:
        """More values tell the place and the size better, until somebody has acted on what was found."""
        columns = self._columns(rows, found)
        if alert.state != AlertState.SUSPECTED or alert.confirmation_run_id or columns["direction"] != change.direction:
            return
        if alert.point_id == change.point_id:
            alert.point_id, alert.at = columns["point_id"], columns["at"]
        for name, value in columns.items():
            setattr(change, name, value)
        self.unit.session.flush()

    def _pass_on(self, rows: list[Any], found: detector.Change, alerts: list[Alert]) -> None:
        columns = self._columns(rows, found)
        alert = next(
            (one for one in alerts if one.direction == columns["direction"] and _is_near(rows, found.index, one.at)),
            None,
        )
        is_new = alert is None
        if alert is None:
            alert = Alert(
                team_id=self.series.team_id,
                series_id=self.series.id,
                **{name: columns[name] for name in ("point_id", "at", "direction")},
                state=AlertState.SUSPECTED,
            )
            self.unit.session.add(alert)
            self.unit.session.flush()
        change = ChangePoint(
            team_id=self.series.team_id,
            series_id=self.series.id,
            metric=self.metric,
            operation=OPERATION,
            alert_id=alert.id,
            found_in_run_id=self.run_id,
            **columns,
        )
        self.unit.session.add(change)
        self.unit.session.flush()
        text = f"{METRICS[self.metric].title}: {found.change:+.1%} from here on (p = {found.p_value:.3f})."
        add_event(self.unit, alert, "found", None, text=text, detail={"change_point_id": str(change.id)})
        if is_new:
            announce(self.unit, alert, "alert_suspected", self.series.title, text)

    def _withdraw(
        self, own: Sequence[tuple[ChangePoint, Alert]], rows: list[Any], found: detector.Change | None
    ) -> None:
        """Of the open segment: what the values no longer show, as long as nobody has acted on it."""
        for change, alert in own:
            is_within = bool(rows) and rows[0].at < change.at
            if not is_within or (found is not None and _is_near(rows, found.index, change.at)):
                continue
            if alert.state == AlertState.SUSPECTED and alert.confirmation_run_id is None:
                change.withdrawn_at = datetime.now(UTC)
                self.unit.session.flush()
                self._drop_alert(alert)

    def _drop_alert(self, alert: Alert) -> None:
        left = repository.changes_of_alerts(self.unit.session, [alert.id])[alert.id]
        text = f"{METRICS[self.metric].title}: the values that count now do not show it."
        add_event(self.unit, alert, "withdrawn", None, text=text)
        if all(change.withdrawn_at for change in left):
            change_state(self.unit, alert, AlertState.FALSE, None)


def _is_near(rows: Sequence[Any], index: int, at: datetime) -> bool:
    """Is the instant at most `SAME_PLACE` sessions from the row?"""
    place = sum(row.at < at for row in rows)
    return abs(place - index) <= SAME_PLACE and bool(rows) and at >= rows[0].at
