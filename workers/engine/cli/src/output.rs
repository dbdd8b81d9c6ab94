//! What the program says while it runs and at the end: events, a table, or a summary as JSON.

use std::io::{Write, stderr, stdout};

use loadstone_load::Outcome;
use loadstone_spec::events::{Event, PhaseTotals, Sample, Summary};
use loadstone_spec::plan::PhaseName;
use serde_json::{Map, Value, json};

use crate::table::{show_bounded, show_table};

enum Form {
    Events,
    Json,
    Table { has_progress: bool },
}

/// Where events go.
pub struct Output {
    form: Form,
    is_broken: bool,
}

impl Output {
    /// One JSON object a line on stdout, each at once.
    pub fn events() -> Self {
        Self { form: Form::Events, is_broken: false }
    }

    /// One JSON document at the end.
    pub fn json() -> Self {
        Self { form: Form::Json, is_broken: false }
    }

    /// A table at the end; on a terminal a line of progress until then.
    pub fn table(has_progress: bool) -> Self {
        Self { form: Form::Table { has_progress }, is_broken: false }
    }

    /// Whether stdout takes nothing any more.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Takes one event.
    pub fn take(&mut self, event: &Event) {
        match (&self.form, event) {
            (Form::Events, _) => {
                let line = serde_json::to_string(event).unwrap_or_default();
                self.say(&line);
            }
            (_, Event::Warning(warning)) => {
                complain(&format!("warning {}: {}", warning.code, warning.message));
            }
            (_, Event::Error(failure)) => {
                let place = failure.path.as_deref().map(|path| format!(" at {path}")).unwrap_or_default();
                let code = json!(failure.code);
                complain(&format!("error {}{place}: {}", code.as_str().unwrap_or(""), failure.message));
            }
            (Form::Table { has_progress: true }, Event::Sample(sample)) => show_progress(sample),
            _ => {}
        }
    }

    /// Says what is said at the end.
    pub fn finish(&mut self, outcome: &Outcome) {
        let Some(summary) = &outcome.summary else { return };
        match self.form {
            Form::Events => {}
            Form::Json => self.say(&format!("{:#}", summary_json(summary))),
            Form::Table { has_progress } => {
                if has_progress {
                    complain("");
                }
                self.say(&show_table(summary));
            }
        }
    }

    fn say(&mut self, text: &str) {
        let mut stdout = stdout().lock();
        self.is_broken |= writeln!(stdout, "{text}").and_then(|()| stdout.flush()).is_err();
    }
}

/// Without a stderr there is nobody to complain to.
fn complain(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

fn show_progress(sample: &Sample) {
    let count: u64 = sample.operations.iter().map(|numbers| numbers.count).sum();
    let errors: u64 = sample.operations.iter().flat_map(|numbers| numbers.errors.values()).sum();
    let rate = count as f64 * 1e9 / sample.duration_ns as f64;
    let slowest =
        sample.operations.iter().map(|numbers| &numbers.response_time_ns).max_by_key(|times| times.p99);
    let phase = sample.phase.name();
    let elapsed_s = sample.elapsed_ns as f64 / 1e9;
    let p99 = slowest.and_then(|times| times.p99.map(|ns| show_bounded(ns, times.bounds.get("p99"))));
    let p99 = p99.unwrap_or("-".to_owned());
    let line = format!("\r{phase} {elapsed_s:.0} s  {rate:.0} op/s  p99 {p99}  errors {errors}    ");
    let _ = write!(stderr(), "{line}").and_then(|()| stderr().flush());
}

/// The phase a person asked for: the last one, which is `measure` unless the plan ends before it.
pub fn measured(summary: &Summary) -> Option<&PhaseTotals> {
    summary.phases.iter().find(|totals| totals.phase == PhaseName::Measure).or(summary.phases.last())
}

fn summary_json(summary: &Summary) -> Value {
    let Some(totals) = measured(summary) else { return nothing_json(summary) };
    let operations: Map<String, Value> = totals
        .operations
        .iter()
        .map(|numbers| {
            let entry = json!({
                "count": numbers.count,
                "errors": numbers.errors,
                "retries": numbers.retries,
                "late": numbers.late,
                "hits": numbers.hits,
                "misses": numbers.misses,
                "bytes_sent": numbers.bytes_sent,
                "bytes_received": numbers.bytes_received,
                "response_time_ns": numbers.response_time_ns,
                "service_time_ns": numbers.service_time_ns,
                "unanswered": numbers.unanswered,
            });
            (numbers.operation.name().to_owned(), entry)
        })
        .collect();
    json!({
        "phase": totals.phase,
        "elapsed_s": totals.elapsed_ns as f64 / 1e9,
        "sent": totals.sent,
        "answered": totals.answered,
        "failed": totals.failed,
        "in_flight": totals.in_flight,
        "offered": totals.offered,
        "never_sent": totals.never_sent,
        "hung": totals.hung,
        "awake_s": totals.distortion.as_ref().map(|found| found.awake_ns as f64 / 1e9),
        "late_share": totals.late_share,
        "engine_cpu_s": totals.engine_cpu_ns as f64 / 1e9,
        "engine_busy_share": totals.engine_busy_share,
        "littles_law_residual": totals.littles_law_residual,
        "saturated": totals.saturated,
        "replica_lag": totals.replica_lag.as_ref().map(|lag| {
            json!({"count": lag.count, "timed_out": lag.timed_out, "failed": lag.failed, "lag_ns": lag.lag_ns})
        }),
        "connections_renewed": totals.connections_renewed,
        "warmup_steadiness": summary.phases.iter().find_map(|phase| phase.steadiness),
        "stopped": summary.stopped,
        "plan_hash": summary.plan_hash,
        "operations": operations,
    })
}

/// Stopped before its first connection: that nothing was sent is said under the names that a whole run has.
fn nothing_json(summary: &Summary) -> Value {
    json!({
        "phase": null,
        "elapsed_s": 0.0,
        "sent": 0,
        "answered": 0,
        "failed": 0,
        "in_flight": 0,
        "stopped": summary.stopped,
        "plan_hash": summary.plan_hash,
        "operations": {},
    })
}
