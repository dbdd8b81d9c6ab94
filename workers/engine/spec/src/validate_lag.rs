//! What measuring the lag of a replica asks of the rest of the plan.

use crate::PlanFault;
use crate::plan::{EnginePlan, LAG_MARKERS, OperationKind as Kind, StoreProtocol};
use crate::validate::{broken, positive};

/// The first rule that a plan which measures the replica's lag breaks.
pub(crate) fn find_lag_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let lag = plan.replica_lag.as_ref()?;
    let protocol = plan.target.protocol;
    let has_all =
        [Kind::Get, Kind::Set, Kind::Delete].iter().all(|kind| protocol.operations().contains(kind));
    let has_room = plan.dataset.key_shape().is_some_and(|shape| shape.limit() >= plan.lag_markers().end);
    positive("replica_lag.probes_per_s", lag.probes_per_s, 1000.0)
        .or_else(|| {
            let is_alone = plan.target.read_address.is_none() || protocol == StoreProtocol::RedisCluster;
            broken(is_alone, "target.read_address", "says no replica whose lag could be measured")
        })
        .or_else(|| {
            let message = format!("{} cannot get, set and delete a marker", protocol.name());
            broken(!has_all, "replica_lag", &message)
        })
        .or_else(|| {
            let message = format!("{LAG_MARKERS} markers beside the keys need more digits in the key");
            broken(!has_room, plan.dataset.key_length_path(), &message)
        })
        .or_else(|| {
            let is_other = plan.trace.is_some() || plan.journal.is_some();
            broken(is_other, "replica_lag", "a trace or a journal leaves no keys for markers")
        })
}
