//! `run`: a plan, a driver for its protocol, a dial for its transport, and somewhere to say what happened.

use std::io::{IsTerminal, stderr};

use loadstone_load::{Outcome, Run, StopSwitch};
use loadstone_spec::PlanFault;
use loadstone_spec::events::{Event, Exit, Failure, FailureCode};
use loadstone_spec::plan::EnginePlan;
use loadstone_spec::trace::open_trace;

use crate::args::{self, ENGINE, VERSION};
use crate::compose::compose;
use crate::hlog::HistogramLog;
use crate::output::Output;
use crate::{bad_plan, input, lifeline};

/// Carries out the plan and says how it ended.
pub fn run(run: &args::Run) -> Exit {
    let stop = StopSwitch::default();
    let mut output = match (run.json, run.flags.target.is_some()) {
        (true, _) => Output::json(),
        (false, true) => Output::table(stderr().is_terminal()),
        (false, false) => Output::events(),
    };
    let is_fed = run.plan.is_none() && run.flags.target.is_none();
    if is_fed && !lifeline::die_with_parent() {
        return Exit::Stopped;
    }
    let outcome = match prepare(run, &stop) {
        Ok((plan, log)) => carry_out(&plan, &stop, &mut output, log),
        Err(failure) => {
            output.take(&Event::Error(failure.clone()));
            Outcome { summary: None, failure: Some(failure) }
        }
    };
    output.finish(&outcome);
    exit_of(&outcome, &output)
}

fn exit_of(outcome: &Outcome, output: &Output) -> Exit {
    match (&outcome.failure, &outcome.summary) {
        (Some(failure), _) => failure.code.exit(),
        (None, _) if output.is_broken() => Exit::Internal,
        (None, Some(summary)) if summary.stopped => Exit::Stopped,
        _ => Exit::Ok,
    }
}

fn prepare(run: &args::Run, stop: &StopSwitch) -> Result<(EnginePlan, Option<HistogramLog>), Failure> {
    let internal = |what: &str, error: String| Failure {
        code: FailureCode::EngineInternal,
        message: format!("{what}: {error}"),
        path: None,
    };
    lifeline::watch_signals(stop.clone()).map_err(|errno| internal("signals", errno.to_string()))?;
    let mut plan = find_plan(run).map_err(bad_plan)?;
    open_trace(&mut plan).map_err(bad_plan)?;
    if run.die_with_stdin && input::stdin_is_a_pipe() {
        lifeline::watch_stdin(stop.clone());
    }
    let log = run.hlog.as_deref().map(HistogramLog::create).transpose();
    Ok((plan, log.map_err(|error| internal("--hlog", error.to_string()))?))
}

fn find_plan(run: &args::Run) -> Result<EnginePlan, PlanFault> {
    if let Some(target) = &run.flags.target {
        return compose(target, &run.flags);
    }
    let text = match &run.plan {
        None if run.die_with_stdin => input::read_first_document()?,
        file => input::read_text(file.as_deref())?,
    };
    loadstone_spec::read_plan(&text)
}

fn carry_out(
    plan: &EnginePlan,
    stop: &StopSwitch,
    output: &mut Output,
    mut log: Option<HistogramLog>,
) -> Outcome {
    let mut emit = |event: &Event| {
        output.take(event);
        if let Some(log) = &mut log {
            log.take(event);
        }
        // Nobody reads any more: measuring on would be load for nothing.
        if output.is_broken() {
            stop.turn();
        }
    };
    let dial = match loadstone_drivers::choose_dial(plan).map_err(bad_plan) {
        Ok(dial) => dial,
        Err(failure) => {
            emit(&Event::Error(failure.clone()));
            return Outcome { summary: None, failure: Some(failure) };
        }
    };
    let advice = loadstone_drivers::advise(plan);
    let run = Run { plan, engine: ENGINE, engine_version: VERSION, advice };
    loadstone_load::run(run, loadstone_drivers::choose_driver(plan), dial, stop, &mut emit)
}
