"""After each run: its points into their series, a look at the last 200 runs of each, and alerts of what is found."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from loadstone.db import UnitOfWork
from loadstone.models import Alert, ChangePoint, Series
from loadstone.stats.change_points import detector
from loadstone.stats.change_points.tracking import SAME_WITHIN, KnownStep, classify, is_mode_switch, match
from loadstone.stats.metrics import METRICS
from loadstone.stats.multiplicity import adjust
from loadstone.trends import confirmation, ingest
from loadstone.trends.alert_changes import add_event, announce, change_state
from loadstone.trends.repository import alerts as repository
from loadstone.trends.repository import ingest as ingest_repository
from loadstone.trends.states import OPEN, AlertState

SWEEP_RUNS = 20
WATCHED = ("throughput_per_s", "response_time_p50_ns", "response_time_p99_ns")
"""Over all operations. Every metric more is one more chance of a false alarm."""
OPERATION = "all"
FALSE_DISCOVERY_RATE = 0.1
"""Of the alerts of the whole installation, nominally."""
LOOKS_WHILE_NEW = 9
"""Sweeps in which one shift stays new, so each takes its part of the rate (batches: T. Zrnic et al., "The power of
batching in multiple hypothesis testing", 2020)."""
SWEEP = timedelta(days=1)


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
    """Looks at every watched metric. `is_revised`: older values changed, so finds may fall."""
    for metric in WATCHED:
        _Look(unit, series, metric, run_id).judge(is_revised)


Known = tuple[ChangePoint, Alert]


@dataclass
class _Look:
    """One look at one metric of a series. `own` are its change points that stand, `alerts` those of all metrics."""

    unit: UnitOfWork
    series: Series
    metric: str
    run_id: uuid.UUID | None

    def judge(self, is_revised: bool) -> None:
        arguments = (self.unit.session, self.series.id, self.metric, OPERATION)
        self.rows = repository.newest_values(*arguments, None, detector.WINDOW_MAX)
        stored = repository.standing_changes(self.unit.session, self.series.id)
        self.alerts = [alert for _, alert in stored]
        self.own = [pair for pair in stored if pair[0].metric == self.metric and self._is_within(pair[0].at)]
        self.look = detector.find_steps([row.value for row in self.rows])
        steps = self.look.steps
        self.known = [match(step, [self._known_step(pair) for pair in self.own]) for step in steps]
        if is_revised:
            self._withdraw()
        explained = self._explained() if steps else []
        for place, step in enumerate(steps):
            found = self.known[place]
            if found is None:
                previous = self.known[place - 1] if place else None
                before = self._known_step(self.own[previous]) if previous is not None else None
                self._take_new(place, classify(steps, place, explained, len(self.rows), before))
            elif self._is_released(self.own[found][0], place, explained):
                self._release(self.own[found][0], step)
            else:
                self._place_better(*self.own[found], step)

    def _is_within(self, at: datetime) -> bool:
        return bool(self.rows) and at >= self.rows[0].at

    def _index(self, at: datetime) -> int:
        return int(sum(row.at < at for row in self.rows))

    def _known_step(self, pair: Known) -> KnownStep:
        return KnownStep(self._index(pair[0].at), pair[0].change, kind=pair[0].inputs.get("kind", "alarm"))

    def _explained(self) -> list[int]:
        """Indexes of the steps that a person explained."""
        alerts = repository.explained_alerts(self.unit.session, {alert.id for _, alert in self.own})
        return [self._index(change.at) for change, alert in self.own if alert.id in alerts]

    def _columns(self, step: detector.Step, kind: str) -> dict[str, Any]:
        row = self.rows[step.index]
        place = [one.index for one in self.look.steps].index(step.index)
        return {
            "point_id": row.point_id,
            "at": row.at,
            "before": step.before,
            "after": step.after,
            "change": step.change,
            "direction": detector.direction(step.change, METRICS[self.metric].better),
            "p_value": step.p_value,
            "algorithm_version": detector.ALGORITHM_VERSION,
            "inputs": {
                "points": [str(one.point_id) for one in self.rows],
                "values": [one.value for one in self.rows],
                "index": step.index,
                # The level before begins here.
                "from": self.look.steps[place - 1].index if place else 0,
                "kind": kind,
                **self.look.inputs(detector.DEFAULT_SENSITIVITY),
            },
        }

    def _place_better(self, change: ChangePoint, alert: Alert, step: detector.Step) -> None:
        """More values tell the place and the size better, until somebody has acted on what was found."""
        if alert.state != AlertState.SUSPECTED or alert.confirmation_run_id:
            return
        columns = self._columns(step, change.inputs.get("kind", "alarm"))
        if alert.point_id == change.point_id:
            alert.point_id, alert.at = columns["point_id"], columns["at"]
        for name, value in columns.items():
            setattr(change, name, value)
        self.unit.session.flush()

    def _take_new(self, place: int, kind: str) -> None:
        step = self.look.steps[place]
        previous = self.known[place - 1] if place else None
        if kind == "alarm":
            if self._stands_out(step):
                self._pass_on(step)
        elif previous is not None:
            # Of what was never passed on, neither the way back nor a switch is news.
            self._add_to(self.own[previous][1], step, kind)

    def _stands_out(self, step: detector.Step) -> bool:
        """Among everything that the installation found in this sweep: Benjamini and Hochberg over all its series."""
        at = self.rows[-1].at
        count, p_values = repository.sweep_p_values(self.unit.session, at - SWEEP, at + SWEEP, self.series.id)
        tested = max(count * len(WATCHED), len(p_values) + 1)
        padded = np.ones(tested)
        padded[: len(p_values) + 1] = [step.p_value, *p_values]
        return bool(adjust(padded)[0] <= FALSE_DISCOVERY_RATE / LOOKS_WHILE_NEW)

    def _pass_on(self, step: detector.Step) -> None:
        columns = self._columns(step, "alarm")
        near = (one for one in self.alerts if one.direction == columns["direction"] and self._is_near(step, one.at))
        alert = next(near, None)
        is_new = alert is None
        if alert is None:
            alert = self._raise_alert(columns)
        text = self._add_change(alert, columns, "found", f"from here on (p = {step.p_value:.2g})")
        if is_new:
            announce(self.unit, alert, "alert_suspected", self.series.title, text)

    def _raise_alert(self, columns: dict[str, Any]) -> Alert:
        alert = Alert(
            team_id=self.series.team_id,
            series_id=self.series.id,
            **{name: columns[name] for name in ("point_id", "at", "direction")},
            state=AlertState.SUSPECTED,
        )
        self.unit.session.add(alert)
        self.unit.session.flush()
        return alert

    def _add_change(self, alert: Alert, columns: dict[str, Any], event: str, words: str) -> str:
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
        text = f"{METRICS[self.metric].title}: {columns['change']:+.1%} {words}."
        add_event(self.unit, alert, event, None, text=text, detail={"change_point_id": str(change.id)})
        return text

    def _add_to(self, alert: Alert, step: detector.Step, kind: str) -> None:
        """A return closes the alert, and opens it again if it leads back to the shift that the alert is about; a switch
        between two known modes is an entry in its history only."""
        if kind == "mode":
            self._add_change(alert, self._columns(step, kind), "switched", "again, between two known levels")
            return
        columns = self._columns(step, kind)
        text = self._add_change(alert, columns, "returned", "back to the level before")
        if columns["direction"] == alert.direction and alert.state == AlertState.FIXED:
            change_state(self.unit, alert, AlertState.SUSPECTED, None, text=text)
        elif columns["direction"] != alert.direction and alert.state in OPEN and alert.confirmation_run_id is None:
            change_state(self.unit, alert, AlertState.FIXED, None, text=text)

    def _is_released(self, change: ChangePoint, place: int, explained: Sequence[int]) -> bool:
        """Has a switch between modes lasted too long to be one?"""
        is_last = place == len(self.look.steps) - 1
        is_mode = change.inputs.get("kind") == "mode"
        return is_mode and is_last and not is_mode_switch(self.look.steps, place, explained, len(self.rows))

    def _release(self, change: ChangePoint, step: detector.Step) -> None:
        columns = self._columns(step, "alarm")
        alert = self._raise_alert(columns)
        for name, value in columns.items():
            setattr(change, name, value)
        change.alert_id = alert.id
        self.unit.session.flush()
        text = f"{METRICS[self.metric].title}: {step.change:+.1%}, and longer than any earlier visit to this level."
        add_event(self.unit, alert, "found", None, text=text, detail={"change_point_id": str(change.id)})
        announce(self.unit, alert, "alert_suspected", self.series.title, text)

    def _is_near(self, step: detector.Step, at: datetime) -> bool:
        return self._is_within(at) and abs(self._index(at) - step.index) <= SAME_WITHIN

    def _withdraw(self) -> None:
        """Withdraw what the values no longer show, as long as nobody has acted on it."""
        for place, (change, alert) in enumerate(self.own):
            if place not in self.known and alert.state == AlertState.SUSPECTED and alert.confirmation_run_id is None:
                change.withdrawn_at = datetime.now(UTC)
                self.unit.session.flush()
                self._drop_alert(alert)

    def _drop_alert(self, alert: Alert) -> None:
        left = repository.changes_of_alerts(self.unit.session, [alert.id])[alert.id]
        text = f"{METRICS[self.metric].title}: the values that count now do not show it."
        add_event(self.unit, alert, "withdrawn", None, text=text)
        if all(change.withdrawn_at for change in left):
            change_state(self.unit, alert, AlertState.FALSE, None)
