//! What a journal of acknowledged writes asks of the rest of the plan.

use crate::PlanFault;
use crate::plan::EnginePlan;
use crate::validate::broken;

/// The head of a value names the write that it is of.
const MIN_VALUE_BYTES: u64 = 8;

/// The first rule that a plan with a journal breaks.
pub(crate) fn find_journal_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let path = plan.journal.as_ref()?;
    let is_short = plan.dataset.value_size.bounds().0 < MIN_VALUE_BYTES;
    broken(path.is_empty() || path.contains('\0'), "journal", "is no path of a file")
        .or_else(|| {
            let message = "a journal needs values of at least 8 bytes: their head names the write";
            broken(is_short, "dataset.value_size", message)
        })
        .or_else(|| {
            let message = "a journal tells writes apart by their values, of which a trace says the size";
            broken(plan.trace.is_some(), "journal", message)
        })
        .or_else(|| (0..plan.operations.len()).find_map(|index| find_write_fault(plan, index)))
}

fn find_write_fault(plan: &EnginePlan, index: usize) -> Option<PlanFault> {
    let operation = &plan.operations[index];
    let is_told_apart = operation.kind.sets_values() || operation.kind.is_read();
    let message = "a journal takes reads of single values and writes that set them: set, multi_set, insert, sql_replace, delete_insert";
    broken(!is_told_apart || operation.kind.is_of_lists(), &format!("operations[{index}].kind"), message)
        .or_else(|| {
            let message = "a value that expires cannot be told from one that was lost";
            broken(operation.expire_s > 0, &format!("operations[{index}].expire_s"), message)
        })
}
