//! `audit`: reads the acknowledged writes of a journal back and counts what has become of them.

use loadstone_drivers::{choose_dial, choose_driver};
use loadstone_load::StopSwitch;
use loadstone_load::audit::{Verdicts, audit, plan_of_audit};
use loadstone_load::journal::Ledger;
use loadstone_spec::PlanFault;
use loadstone_spec::events::{Event, Exit, Failure, FailureCode};
use serde_json::{Value, json};

use crate::{args, bad_plan, input, lifeline, show, show_event};

/// Reads back and prints one JSON document.
pub fn run(arguments: &args::Audit) -> Exit {
    match read_back(arguments) {
        Ok(Some(document)) => show(&document),
        Ok(None) => Exit::Stopped,
        Err(failure) => {
            let exit = failure.code.exit();
            show_event(&Event::Error(failure));
            exit
        }
    }
}

fn read_back(arguments: &args::Audit) -> Result<Option<Value>, Failure> {
    let stop = StopSwitch::default();
    lifeline::watch_signals(stop.clone()).map_err(|errno| Failure {
        code: FailureCode::EngineInternal,
        message: format!("signals: {errno}"),
        path: None,
    })?;
    let text = input::read_text(arguments.plan.as_deref()).map_err(bad_plan)?;
    let plan = plan_of_audit(loadstone_spec::read_plan(&text).map_err(bad_plan)?);
    let ledger = Ledger::read(&arguments.journal).map_err(|error| {
        bad_plan(PlanFault::at("journal", format!("{}: {error}", arguments.journal.display())))
    })?;
    let dial = choose_dial(&plan).map_err(bad_plan)?;
    let verdicts = audit(&plan, &ledger, choose_driver(&plan), dial, &stop)?;
    Ok(verdicts.map(|verdicts| to_json(&ledger, &verdicts)))
}

fn to_json(ledger: &Ledger, verdicts: &Verdicts) -> Value {
    let acknowledged = || ledger.entries().iter().filter(|entry| entry.is_acknowledged);
    let last_acknowledged_at = acknowledged().map(|entry| entry.settled_at_unix_ns).max();
    let window = verdicts.first_lost_at_unix_ns.zip(last_acknowledged_at).map(|(first, last)| last - first);
    json!({
        "acknowledged": acknowledged().count(),
        "unanswered": ledger.entries().len() - acknowledged().count(),
        "keys": verdicts.kept + verdicts.newer + verdicts.lost + verdicts.torn + verdicts.errors,
        "kept": verdicts.kept,
        "newer": verdicts.newer,
        "lost": verdicts.lost,
        "torn": verdicts.torn,
        "errors": verdicts.errors,
        "begun_at_unix_ns": ledger.begun_at_unix_ns(),
        "last_acknowledged_at_unix_ns": last_acknowledged_at,
        "first_lost_at_unix_ns": verdicts.first_lost_at_unix_ns,
        "last_lost_at_unix_ns": verdicts.last_lost_at_unix_ns,
        "lost_window_ns": window,
    })
}
