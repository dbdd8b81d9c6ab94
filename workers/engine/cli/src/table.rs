//! The table at the end.

use std::fmt::Write;

use loadstone_load::SATURATED_BUSY_SHARE;
use loadstone_spec::events::{Bound, OperationNumbers, PhaseTotals, Quantiles, Summary, UnansweredCounts};

use crate::output::measured;

/// The measured phase in lines of text.
pub fn show_table(summary: &Summary) -> String {
    let Some(totals) = measured(summary) else { return "nothing was measured".to_owned() };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_table(&mut text, totals, summary.stopped);
    text
}

fn write_table(text: &mut String, totals: &PhaseTotals, stopped: bool) -> std::fmt::Result {
    let elapsed_s = totals.elapsed_ns as f64 / 1e9;
    let early = if stopped { ", stopped early" } else { "" };
    writeln!(text, "{} {elapsed_s:.1} s{early}", totals.phase.name())?;
    writeln!(
        text,
        "sent {} = answered {} + failed {} + in flight {}; offered {} = sent + never sent {}; late {:.2} %",
        totals.sent,
        totals.answered,
        totals.failed,
        totals.in_flight,
        totals.offered,
        totals.never_sent,
        totals.late_share * 100.0
    )?;
    writeln!(text, "{}\n", describe_engine(totals))?;
    let columns = ["operation", "time", "op/s", "errors", "p50", "p90", "p95", "p99", "p99.9", "max"];
    write_row(text, columns.map(str::to_owned))?;
    for numbers in &totals.operations {
        let rate = format!("{:.0}", numbers.count as f64 / elapsed_s.max(1e-9));
        let errors = numbers.errors.values().sum::<u64>().to_string();
        let name = name_operation(numbers);
        write_row(text, row(name, "response", rate, errors, &numbers.response_time_ns))?;
        write_row(
            text,
            row(String::new(), "service", String::new(), String::new(), &numbers.service_time_ns),
        )?;
        if !numbers.unanswered.is_empty() {
            writeln!(text, "{:<10} no answer: {}", "", list_causes(&numbers.unanswered))?;
        }
    }
    text.truncate(text.trim_end().len());
    Ok(())
}

/// `timed out 3, never sent 1037`.
fn list_causes(counts: &UnansweredCounts) -> String {
    let named = counts.iter().map(|(cause, count)| format!("{} {count}", cause.name().replace('_', " ")));
    named.collect::<Vec<_>>().join(", ")
}

fn name_operation(numbers: &OperationNumbers) -> String {
    numbers.operation.name().to_owned()
}

fn describe_engine(totals: &PhaseTotals) -> String {
    let operations = (totals.answered + totals.failed).max(1) as f64;
    let cost_us = totals.engine_cpu_ns as f64 / 1e3 / operations;
    let busy = totals.engine_busy_share * 100.0;
    let verdict = match totals.saturated {
        false => "not the limit",
        true if totals.engine_busy_share < SATURATED_BUSY_SHARE => "SATURATED: its cores came too late",
        true => "SATURATED: the engine was the limit",
    };
    format!("engine: {cost_us:.2} us of CPU per operation, busy {busy:.0} %, {verdict}")
}

fn row(name: String, kind: &str, rate: String, errors: String, quantiles: &Quantiles) -> [String; 10] {
    let show = |name: &str, value: Option<u64>| {
        value.map_or("-".to_owned(), |ns| show_bounded(ns, quantiles.bounds.get(name)))
    };
    let [p50, p90, p95, p99, p999, max] = [
        show("p50", quantiles.p50),
        show("p90", quantiles.p90),
        show("p95", quantiles.p95),
        show("p99", quantiles.p99),
        show("p999", quantiles.p999),
        show("max", quantiles.max),
    ];
    [name, kind.to_owned(), rate, errors, p50, p90, p95, p99, p999, max]
}

/// A quantile as it may be printed: its value, `>= 970 ms` or `900 ms to 1.20 s`.
pub fn show_bounded(ns: u64, bound: Option<&Bound>) -> String {
    match bound {
        None => show_duration(ns),
        Some(Bound { to_ns: Some(to_ns), .. }) => {
            format!("{} to {}", show_duration(ns), show_duration(*to_ns))
        }
        Some(_) => format!(">= {}", show_duration(ns)),
    }
}

fn write_row(text: &mut String, cells: [String; 10]) -> std::fmt::Result {
    let [name, kind, rest @ ..] = cells;
    write!(text, "{name:<10} {kind:<9}")?;
    rest.iter().try_for_each(|cell| write!(text, " {cell:>9}"))?;
    writeln!(text)
}

/// A time with a unit that fits, three digits.
pub fn show_duration(ns: u64) -> String {
    let value = ns as f64;
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", three_digits(value / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(value / 1e6)),
        _ => format!("{} s", three_digits(value / 1e9)),
    }
}

fn three_digits(value: f64) -> String {
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use loadstone_spec::events::BoundKind;

    use super::*;

    #[test]
    fn a_quantile_that_unanswered_requests_touch_is_printed_as_a_range() {
        let bound = |kind, to_ns| Some(Bound { kind, to_ns });
        let (least, between) =
            (bound(BoundKind::AtLeast, None), bound(BoundKind::Between, Some(1_200_000_000)));
        let shown = [None, least, between].map(|bound| show_bounded(970_000_000, bound.as_ref()));
        assert_eq!(shown, ["970 ms", ">= 970 ms", "970 ms to 1.20 s"]);
    }

    #[test]
    fn durations_keep_three_digits_and_name_their_unit() {
        let shown = [950, 1_234, 45_678, 999_000, 1_500_000, 2_000_000_000].map(show_duration);
        assert_eq!(shown, ["950 ns", "1.23 us", "45.7 us", "999 us", "1.50 ms", "2.00 s"]);
    }
}
