//! What a person should know about requests without an answer.

use loadstone_spec::events::{PhaseTotals, UnansweredCounts};
use loadstone_spec::plan::{EngineLoad, EnginePlan, PhaseName};

/// Warnings of the measured phase, as code and message.
pub(crate) fn advise_on_unanswered(plan: &EnginePlan, totals: &PhaseTotals) -> Vec<(&'static str, String)> {
    if totals.phase != PhaseName::Measure {
        return Vec::new();
    }
    let mut advice = Vec::new();
    if let Some(hung) = totals.hung {
        let (count, longest_s) = (hung.connections, hung.longest_ns as f64 / 1e9);
        let of = plan.load.connections();
        let noun = if of == 1 { "connection" } else { "connections" };
        let mut message = format!("{count} of {of} {noun} hung: no answer for up to {longest_s:.2} s.");
        if matches!(plan.load, EngineLoad::Closed(_)) {
            message.push_str(
                " A closed loop sends nothing over them meanwhile, so percentiles hold one wait for each: use a rate.",
            );
        }
        advice.push(("connections_hung", message));
    }
    let counts = sum_causes(totals);
    if !counts.is_empty() {
        let named: Vec<String> =
            counts.iter().map(|(cause, count)| format!("{} {count}", words(cause.name()))).collect();
        let message = format!(
            "Requests without an answer: {}. They count as lower bounds; percentiles that they touch are printed as >=.",
            named.join(", ")
        );
        advice.push(("requests_unanswered", message));
    }
    advice
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Over all operations.
fn sum_causes(totals: &PhaseTotals) -> UnansweredCounts {
    let mut sum = UnansweredCounts::new();
    for (&cause, &count) in totals.operations.iter().flat_map(|numbers| &numbers.unanswered) {
        *sum.entry(cause).or_insert(0) += count;
    }
    sum
}
