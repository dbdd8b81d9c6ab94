//! What a plan with a trace must keep to.

use crate::PlanFault;
use crate::plan::{Access, Arrivals, EngineLoad, EnginePlan, Operation, OperationKind as Kind};
use crate::validate::broken;

/// The first rule that the trace breaks together with the rest of the plan.
pub(crate) fn find_trace_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let is_recorded = matches!(&plan.load, EngineLoad::Open(open) if open.arrivals == Arrivals::Recorded);
    let Some(trace) = &plan.trace else {
        return broken(is_recorded, "load.arrivals", "recorded arrivals need a trace");
    };
    let is_other = |operation: &Operation| !is_of_one_key(operation.kind) || operation.keys_per_request > 1;
    let other = plan.operations.iter().position(is_other);
    broken(trace.file.is_empty(), "trace.file", "is empty")
        .or_else(|| {
            let message = "a line of a trace has one key and one value";
            other.map(|at| PlanFault::at(&format!("operations[{at}].kind"), message))
        })
        .or_else(|| {
            let is_said = plan.access != Access::default();
            broken(is_said, "access", "the trace says which keys are asked for")
        })
        .or_else(|| {
            let is_said = plan.dataset.hit_ratio < 1.0;
            broken(is_said, "dataset.hit_ratio", "the trace says which keys are asked for")
        })
        .or_else(|| {
            let message = "values of one key have several sizes in a trace, so they are not verified";
            broken(plan.verify, "verify", message)
        })
}

fn is_of_one_key(kind: Kind) -> bool {
    let makes_its_own = matches!(kind, Kind::Insert | Kind::Incr | Kind::Scan | Kind::Custom);
    !kind.is_of_lists() && !makes_its_own && !matches!(kind, Kind::MultiGet | Kind::MultiSet)
}
