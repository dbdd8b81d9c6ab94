//! `loadstone-engine`: the program around the load engine.

mod args;
mod audit;
mod bench;
mod compose;
mod execute;
mod hdr;
mod hlog;
mod input;
mod lifeline;
mod output;
mod presets;
mod shapes;
mod table;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use loadstone_spec::events::{Event, Exit, Failure, FailureCode};
use loadstone_spec::plan::{OperationKind, PLAN_SCHEMA_VERSION, StoreProtocol};
use loadstone_spec::trace::open_trace;
use loadstone_spec::{PlanFault, schema};
use serde_json::{Value, json};

use crate::args::{Arguments, Command, SchemaOf};

fn main() -> ExitCode {
    let exit = match Arguments::parse().command {
        Command::Run(run) => execute::run(&run),
        Command::Describe => show(&describe()),
        Command::Audit(audit) => audit::run(&audit),
        Command::Bench(bench) => bench::run_bench(&bench),
        Command::Validate(validate) => check(&validate),
        Command::Hdr(hdr) => show_histograms(&hdr),
        Command::Schema { of: SchemaOf::Plan } => show(&schema::plan_schema()),
        Command::Schema { of: SchemaOf::Events } => show(&schema::events_schema()),
    };
    ExitCode::from(exit as u8)
}

fn show(document: &Value) -> Exit {
    say(&format!("{document:#}"))
}

/// A reader that has gone away is the only way for this to fail.
fn say(text: &str) -> Exit {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => Exit::Ok,
        Err(_) => Exit::Internal,
    }
}

fn describe() -> Value {
    let protocols: Vec<Value> = StoreProtocol::ALL
        .iter()
        .map(|&protocol| {
            let operations = protocol.operations().iter().map(|kind| kind.name());
            json!({"protocol": protocol.name(), "operations": operations.collect::<Vec<_>>(), "tls": true})
        })
        .collect();
    json!({
        "engine": args::ENGINE,
        "engine_version": args::VERSION,
        "plan_schema_version": PLAN_SCHEMA_VERSION,
        "event_schema_version": loadstone_spec::events::EVENT_SCHEMA_VERSION,
        "protocols": protocols,
        "operations": OperationKind::ALL.map(OperationKind::name),
        "loads": ["closed", "open"],
        "arrivals": ["constant", "poisson", "bursty", "recorded"],
        "rates": ["constant", "ramp", "sinus"],
        "access": ["uniform", "zipf", "latest", "hot_set", "gaussian", "sequential", "permutation"],
        "value_sizes": ["fixed", "uniform", "normal", "log_normal", "histogram", "facebook"],
        "cpus": std::thread::available_parallelism().map_or(1, usize::from),
    })
}

fn check(validate: &args::Validate) -> Exit {
    let plan = input::read_text(validate.plan.as_deref()).and_then(|text| loadstone_spec::read_plan(&text));
    match plan.and_then(|mut plan| open_trace(&mut plan).map(|()| plan)) {
        Ok(plan) => show(&json!({"valid": true, "plan_hash": loadstone_spec::hash_plan(&plan)})),
        Err(fault) => {
            show_event(&Event::Error(bad_plan(fault)));
            Exit::BadPlan
        }
    }
}

fn show_histograms(hdr: &args::Hdr) -> Exit {
    let mut merged = hdr::Merged::default();
    for path in &hdr.files {
        if let Err(message) = merged.take_file(path) {
            let _ = writeln!(std::io::stderr(), "error: {}: {message}", path.display());
            return Exit::BadPlan;
        }
    }
    if hdr.json { show(&merged.to_json()) } else { say(&merged.to_table()) }
}

fn bad_plan(fault: PlanFault) -> Failure {
    Failure { code: FailureCode::BadPlan, message: fault.message, path: Some(fault.path) }
}

fn show_event(event: &Event) {
    // The exit code says the same to whoever no longer reads.
    let _ = serde_json::to_string(event).map(|line| writeln!(std::io::stdout(), "{line}"));
}
