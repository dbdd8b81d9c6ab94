"""A history for series: runs of one point each, as they stand once they have ended, taken in by the real analysis."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from loadstone.db import unit_of_work
from loadstone.models import Environment, Point, Run, Series, StoreConfiguration, Trial, TrialMetric
from loadstone.principal import Principal
from loadstone.runs import service as runs
from loadstone.trends import analysis
from sqlalchemy import insert, select

from loadstone_testing.run_factories import resolved_plan
from loadstone_testing.simulated_agent import INVENTORY

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class History:
    """One series, a run a day."""

    principal: Principal
    agent_id: uuid.UUID | None = None
    version: str = "1.6.18"
    settings: dict[str, Any] = field(default_factory=lambda: {"maxbytes": "67108864"})
    inventory: dict[str, Any] = field(default_factory=lambda: INVENTORY.model_dump(mode="json"))
    connections: int = 4
    days: int = 0
    """How many runs there are."""

    def add(self, *throughputs: float, trials: int = 3, spread: float = 0.002) -> Run:
        """A run for each value, analysed as control does it; returns the last one."""
        for throughput in throughputs:
            run = self._measure(throughput, trials, spread)
            with unit_of_work() as unit:
                assert analysis.analyse_run(unit, run.id)
        return run

    def _measure(self, throughput: float, trials: int, spread: float) -> Run:
        plan = resolved_plan(("memcached",), axes=[], trials_per_point=trials, name="nightly")
        plan = plan.model_copy(update={"load": plan.load.model_copy(update={"connections": self.connections})})
        at = START + timedelta(days=self.days)
        self.days += 1
        with unit_of_work() as unit:
            run = runs.create_run(unit, self.principal, plan, name=f"nightly {self.days}")
            run.status, run.finished_at, run.agent_id = "succeeded", at + timedelta(minutes=5), self.agent_id
            run.status_counts = {**run.status_counts, "queued": 0, "succeeded": trials}
            point = unit.session.scalars(select(Point).where(Point.run_id == run.id)).one()
            point.series_id = self._series(unit.session, point)
            facts = {
                "environment_id": self._environment(unit.session),
                "store_configuration_id": self._store(unit.session),
            }
            for trial in unit.session.scalars(select(Trial).where(Trial.run_id == run.id).order_by(Trial.ordinal)):
                trial.status, trial.trust, trial.is_counted, trial.attempt = "succeeded", "pass", True, 1
                trial.started_at, trial.finished_at = at, at + timedelta(minutes=1)
                trial.engine_version = "0.1.0"
                trial.environment_id, trial.store_configuration_id = facts.values()
                place = trial.ordinal - (trials - 1) / 2
                self._metrics(unit.session, trial, throughput * (1 + spread * place))
        return run

    def _metrics(self, session: Any, trial: Trial, throughput: float) -> None:
        values = {
            "throughput_per_s": throughput,
            "response_time_p50_ns": 4e9 / throughput,
            "response_time_p99_ns": 12e9 / throughput,
            "error_share": 0.0,
        }
        rows = [
            {"point_id": trial.point_id, "trial_id": trial.id, "operation": operation, "metric": name, "value": value}
            for operation in ("all", "get")
            for name, value in values.items()
        ]
        session.execute(insert(TrialMetric), rows)

    def _series(self, session: Any, point: Point) -> uuid.UUID:
        statement = select(Series).where(Series.team_id == point.team_id, Series.identity_hash == point.identity_hash)
        found = session.scalars(statement).one_or_none()
        if found is None:
            found = Series(
                team_id=point.team_id,
                identity_hash=point.identity_hash,
                identity=point.identity,
                agent_class=self.inventory["agent_class"],
            )
            session.add(found)
            session.flush()
        return found.id

    def _environment(self, session: Any) -> uuid.UUID:
        return _kept(session, Environment, self.principal.team_id, repr(self.inventory), inventory=self.inventory)

    def _store(self, session: Any) -> uuid.UUID:
        fingerprint = f"{self.version} {self.settings!r}"
        facts = {"kind": "memcached", "version": self.version, "settings": self.settings}
        return _kept(session, StoreConfiguration, self.principal.team_id, fingerprint, **facts)


def _kept(session: Any, model: Any, team_id: uuid.UUID, fingerprint: str, **columns: Any) -> uuid.UUID:
    found = session.scalars(
        select(model).where(model.team_id == team_id, model.fingerprint == fingerprint)
    ).one_or_none()
    if found is None:
        found = model(team_id=team_id, fingerprint=fingerprint, **columns)
        session.add(found)
        session.flush()
    return found.id


def steady(count: int, level: float = 100_000.0, swing: float = 0.01) -> Sequence[float]:
    """Values without any shift: a fixed pattern that looks like noise, the same in every run."""
    pattern = (0.3, -0.8, 0.6, -0.1, 0.9, -0.5, -0.9, 0.2, 0.7, -0.4, 0.1, -0.6, 0.5, -0.2, 0.8, -0.7, 0.4, -0.3)
    return [level * (1 + swing * pattern[index * 7 % len(pattern)]) for index in range(count)]
