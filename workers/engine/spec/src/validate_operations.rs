//! What a mix of operations must not ask for.

use crate::PlanFault;
use crate::custom::find_custom_fault;
use crate::plan::{EnginePlan, Operation, OperationKind, StoreProtocol};
use crate::validate::{broken, in_range, positive};

/// The first rule that the operations break, by themselves or together with the protocol.
pub(crate) fn find_operations_fault(plan: &EnginePlan) -> Option<PlanFault> {
    broken(plan.operations.is_empty(), "operations", "is empty")
        .or_else(|| (0..plan.operations.len()).find_map(|index| find_operation_fault(plan, index)))
        .or_else(|| find_mixture_fault(plan))
}

fn find_operation_fault(plan: &EnginePlan, index: usize) -> Option<PlanFault> {
    let operation = &plan.operations[index];
    let path = |field: &str| format!("operations[{index}].{field}");
    let twice = plan.operations[..index].iter().any(|earlier| earlier.kind == operation.kind);
    let protocol = plan.target.protocol;
    positive(&path("weight"), operation.weight, 1e12)
        .or_else(|| {
            let is_offered = protocol.operations().contains(&operation.kind);
            let message = format!("{} has no {}", protocol.name(), operation.kind.name());
            broken(!is_offered, &path("kind"), &message)
        })
        .or_else(|| find_number_fault(protocol, operation, &path))
        .or_else(|| broken(twice, &path("kind"), "stands twice in the mix"))
        .or_else(|| find_condition_fault(plan, operation, &path))
        .or_else(|| find_command_fault(protocol, operation, &path))
}

fn find_number_fault(
    protocol: StoreProtocol,
    operation: &Operation,
    path: &impl Fn(&str) -> String,
) -> Option<PlanFault> {
    let kind = operation.kind;
    let keys = u64::from(operation.keys_per_request);
    let takes_several = matches!(kind, OperationKind::MultiGet | OperationKind::MultiSet)
        || protocol.is_sql() && kind.fits_transactions();
    let expires = kind.takes_expiry() && (protocol.is_memcached() || protocol.is_redis());
    let needless_expiry = operation.expire_s > 0 && !expires;
    let needless_from = operation.from_entry > 0 && kind != OperationKind::Range;
    in_range(&path("keys_per_request"), keys, 1, 1000)
        .or_else(|| {
            let message = "only multi_get and multi_set take several keys at once, and SQL writes a transaction of several";
            broken(!takes_several && keys > 1, &path("keys_per_request"), message)
        })
        .or_else(|| in_range(&path("entries"), operation.entries.into(), 1, 1_000_000))
        .or_else(|| {
            let least = operation.entries_min?;
            let message = "only a scan asks for a number of keys that is drawn for each";
            in_range(&path("entries_min"), least.into(), 1, operation.entries.into())
                .or_else(|| broken(kind != OperationKind::Scan, &path("entries_min"), message))
        })
        .or_else(|| in_range(&path("from_entry"), operation.from_entry.into(), 0, 1_000_000_000))
        .or_else(|| broken(needless_from, &path("from_entry"), "only range begins somewhere"))
        .or_else(|| in_range(&path("expire_s"), operation.expire_s.into(), 0, 2_592_000))
        .or_else(|| broken(needless_expiry, &path("expire_s"), "nothing that can expire is written by it here"))
}

/// What an operation asks of the rest of the plan.
fn find_condition_fault(
    plan: &EnginePlan,
    operation: &Operation,
    path: &impl Fn(&str) -> String,
) -> Option<PlanFault> {
    let is_redis = plan.target.protocol.is_redis();
    match operation.kind {
        OperationKind::CompareAndSet if is_redis && plan.load.pipeline() > 1 => {
            let message =
                "WATCH holds for a whole connection: compare_and_set on Redis needs a pipeline of 1";
            Some(PlanFault::at("load.pipeline", message))
        }
        OperationKind::MultiSet if is_redis && operation.expire_s > 0 => {
            Some(PlanFault::at(&path("expire_s"), "MSET cannot make keys expire"))
        }
        OperationKind::Touch if operation.expire_s == 0 => {
            Some(PlanFault::at(&path("expire_s"), "touch sets a time to live: say how many seconds"))
        }
        OperationKind::Append if plan.verify => {
            Some(PlanFault::at("verify", "append changes values, so they cannot be verified"))
        }
        OperationKind::Incr => {
            find_counter_fault(plan, "incr needs one more byte in the key, which tells counters apart")
        }
        OperationKind::Insert => {
            find_counter_fault(plan, "insert needs one more byte in the key, for keys behind the others")
        }
        _ => None,
    }
}

/// Counters have a letter before their digits, keys behind the others have more digits.
fn find_counter_fault(plan: &EnginePlan, message: &str) -> Option<PlanFault> {
    let dataset = &plan.dataset;
    broken(!dataset.has_digits(dataset.index_digits() + 1), dataset.key_length_path(), message)
}

fn find_command_fault(
    protocol: StoreProtocol,
    operation: &Operation,
    path: &impl Fn(&str) -> String,
) -> Option<PlanFault> {
    match (&operation.command, operation.kind) {
        (Some(_), OperationKind::Custom) if operation.command.as_deref() == Some("") => {
            Some(PlanFault::at(&path("command"), "is empty"))
        }
        (Some(command), OperationKind::Custom) => {
            find_custom_fault(protocol, command).map(|fault| PlanFault::at(&path("command"), fault))
        }
        (None, OperationKind::Custom) => Some(PlanFault::at(&path("command"), "says nothing to send")),
        (Some(_), kind) if kind != OperationKind::Custom => {
            Some(PlanFault::at(&path("command"), "only custom has a command"))
        }
        _ => None,
    }
}

/// A key holds either one value or a list.
fn find_mixture_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let is_single = |kind: OperationKind| !kind.is_of_lists() && kind != OperationKind::Custom;
    let first_single = plan.operations.iter().position(|operation| is_single(operation.kind));
    let index = first_single.filter(|_| plan.is_of_lists())?;
    let message = "works on single values, and another operation of the mix on lists of the same keys";
    Some(PlanFault::at(&format!("operations[{index}].kind"), message))
}
