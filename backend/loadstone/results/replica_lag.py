"""How far a replica was behind, as metrics of the trial as a whole. Pure."""

from collections.abc import Sequence

from loadstone_contracts.engine_events import LagNumbers

from loadstone.models import OperationResult
from loadstone.stats.metrics import LAG_QUANTILES, lag_metric


def lag_metrics(measured: Sequence[OperationResult]) -> dict[str, float]:
    """None of a trial that did not ask for it; of a group of agents the slowest one's, for each has its own markers."""
    by_agent = {row.agent_id: row.totals.get("replica_lag") for row in measured}
    seen = [LagNumbers.model_validate(told) for told in by_agent.values() if told is not None]
    probes = sum(one.count + one.timed_out for one in seen)
    if probes == 0:
        return {}
    lost = {"replica_lag_lost_share": sum(one.timed_out for one in seen) / probes}
    found = [one.lag_ns for one in seen if one.count > 0]
    worst = {lag_metric(name): float(max(getattr(one, name) for one in found)) for name in LAG_QUANTILES if found}
    return worst | lost
