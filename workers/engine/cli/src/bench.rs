//! `bench`: what the engine's own loop costs on a target, beside a bare loop that only makes the system calls. One JSON
//! line a figure; the exit code does not depend on limits.

use loadstone_drivers::{choose_dial, choose_driver};
use loadstone_load::clock::Clock;
use loadstone_load::{BareRun, Run, StopSwitch, run, run_bare};
use loadstone_spec::PlanFault;
use loadstone_spec::events::{Event, Exit, Failure, FailureCode};
use loadstone_spec::plan::{EnginePlan, PhaseName, StopRule};
use serde_json::json;

use crate::args::{self, BenchLoop, ENGINE, VERSION};
use crate::compose::compose;
use crate::{bad_plan, lifeline, say, show_event};

/// What the engine may cost over the bare loop of the same kind.
const MOST_OVER_BARE: f64 = 1.10;
/// What each thread of several must reach of what one reaches alone.
const LEAST_SCALING: f64 = 0.9;
const MOST_TIMESTAMP_NS: f64 = 30.0;
/// So few in a row that most batches end before another process gets the core.
const TIMESTAMPS: u32 = 20_000;
const TIMESTAMP_BATCHES: usize = 101;

/// Runs the loops in turn, in changing order, and prints medians and their ratios.
pub fn run_bench(arguments: &args::Bench) -> Exit {
    match measure(arguments) {
        Ok(()) => Exit::Ok,
        Err(failure) => {
            let exit = failure.code.exit();
            show_event(&Event::Error(failure));
            exit
        }
    }
}

fn measure(arguments: &args::Bench) -> Result<(), Failure> {
    let stop = StopSwitch::default();
    lifeline::watch_signals(stop.clone()).map_err(|errno| internal(&format!("signals: {errno}")))?;
    let target = arguments.flags.target.as_deref().ok_or_else(|| {
        bad_plan(PlanFault { path: "--target".to_owned(), message: "a bench needs a target".to_owned() })
    })?;
    let mut plan = compose(target, &arguments.flags).map_err(bad_plan)?;
    let requests = arguments.flags.operations.unwrap_or(200_000);
    if !arguments.flags.no_prefill {
        prefill(&plan, &stop)?;
    }
    plan.phases.retain(|phase| phase.name == PhaseName::Measure);
    for phase in &mut plan.phases {
        phase.stop = Some(StopRule { seconds: None, operations: Some(requests), steady: None });
    }
    let loops = if arguments.only.is_empty() { BenchLoop::ALL.to_vec() } else { arguments.only.clone() };
    let mut costs: Vec<(BenchLoop, Vec<f64>)> = loops.iter().map(|&kind| (kind, Vec::new())).collect();
    for round in 0..arguments.repeats {
        let count = costs.len();
        for at in 0..count {
            let (kind, own) = &mut costs[if round % 2 == 0 { at } else { count - 1 - at }];
            let spent = spend(&plan, *kind, requests, &stop)?;
            own.push(spent.cpu_ns as f64 / 1000.0 / spent.operations.max(1) as f64);
        }
    }
    report(&plan, &costs);
    if arguments.loops_alone {
        return Ok(());
    }
    if plan.threads > 1 {
        report_scaling(&plan, arguments.repeats, &stop)?;
    }
    report_timestamps();
    Ok(())
}

fn prefill(plan: &EnginePlan, stop: &StopSwitch) -> Result<(), Failure> {
    let mut filling = plan.clone();
    filling.phases.retain(|phase| phase.name == PhaseName::Prefill);
    spend_on_engine(&filling, stop).map(drop)
}

fn spend(plan: &EnginePlan, kind: BenchLoop, requests: u64, stop: &StopSwitch) -> Result<BareRun, Failure> {
    let mut plan = plan.clone();
    plan.event_loop = kind.event_loop();
    if !kind.is_bare() {
        return spend_on_engine(&plan, stop);
    }
    let dial = choose_dial(&plan).map_err(bad_plan)?;
    run_bare(&plan, choose_driver(&plan), dial, requests, stop)?.ok_or_else(stopped)
}

fn spend_on_engine(plan: &EnginePlan, stop: &StopSwitch) -> Result<BareRun, Failure> {
    let dial = choose_dial(plan).map_err(bad_plan)?;
    let run_of = Run { plan, engine: ENGINE, engine_version: VERSION, advice: Vec::new() };
    let outcome = run(run_of, choose_driver(plan), dial, stop, &mut |_| {});
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    let totals = outcome.summary.and_then(|summary| summary.phases.into_iter().next()).ok_or_else(stopped)?;
    let keys = plan.operations.first().map_or(1, |operation| operation.keys_per_request);
    Ok(BareRun {
        operations: totals.answered * u64::from(keys),
        cpu_ns: totals.engine_cpu_ns,
        elapsed_ns: totals.elapsed_ns,
    })
}

fn stopped() -> Failure {
    internal("stopped before the end")
}

fn internal(message: &str) -> Failure {
    Failure { code: FailureCode::EngineInternal, message: message.to_owned(), path: None }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

fn report(plan: &EnginePlan, costs: &[(BenchLoop, Vec<f64>)]) {
    let load = &plan.load;
    let work = format!(
        "{} {}, {} connections, pipeline {}",
        plan.target.protocol.name(),
        plan.operations.first().map_or("", |operation| operation.kind.name()),
        load.connections(),
        load.pipeline()
    );
    for (kind, own) in costs {
        let method = format!("median CPU of the process per key over runs in turn; {work}");
        show(&format!("engine.bench.cpu_us.{}", kind.name()), median(own), "us", None, &method, own.len());
    }
    for (kind, own) in costs.iter().filter(|(kind, _)| !kind.is_bare()) {
        let bare = costs.iter().find(|(bare, _)| bare.is_bare() && bare.event_loop() == kind.event_loop());
        let Some((bare, theirs)) = bare else { continue };
        let ratios: Vec<f64> = own.iter().zip(theirs).map(|(own, theirs)| own / theirs).collect();
        let name = format!("engine.bench.cpu_ratio.{}_to_{}", kind.name(), bare.name());
        let method = format!("median over rounds of the CPU per key; {work}");
        show(&name, median(&ratios), "ratio", Some(MOST_OVER_BARE), &method, ratios.len());
    }
}

/// What threads that share nothing lose to each other: operations for each second of CPU with all threads over those with
/// one, on the same target. Below 1 they would wait for each other's memory.
fn report_scaling(plan: &EnginePlan, repeats: usize, stop: &StopSwitch) -> Result<(), Failure> {
    let mut ratios = Vec::new();
    for round in 0..repeats {
        let mut costs = [0.0, 0.0];
        for at in [round % 2, 1 - round % 2] {
            let threads = if at == 0 { 1 } else { plan.threads };
            let spent = spend_on_engine(&EnginePlan { threads, ..plan.clone() }, stop)?;
            costs[at] = spent.cpu_ns as f64 / spent.operations.max(1) as f64;
        }
        ratios.push(costs[0] / costs[1]);
    }
    let value = median(&ratios);
    let figure = json!({
        "name": "engine.bench.threads_scaling", "threads": plan.threads, "value": rounded(value), "unit": "ratio",
        "limit": LEAST_SCALING, "holds": value >= LEAST_SCALING, "n": ratios.len(),
        "method": "median over rounds in turn of operations per CPU second, all threads / one thread",
    });
    let _ = say(&figure.to_string());
    Ok(())
}

/// What one reading of the engine's clock costs.
fn report_timestamps() {
    let clock = Clock::new();
    let all: Vec<f64> = (0..TIMESTAMP_BATCHES).map(|_| clock.measure_reading_ns(TIMESTAMPS)).collect();
    let each_ns = median(&all);
    let method = "median over batches of the mean time of one reading in a loop";
    show("engine.bench.timestamp_ns", each_ns, "ns", Some(MOST_TIMESTAMP_NS), method, all.len());
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn show(name: &str, value: f64, unit: &str, limit: Option<f64>, method: &str, n: usize) {
    let holds = limit.map(|limit| value <= limit);
    let figure = json!({
        "name": name, "value": rounded(value), "unit": unit, "limit": limit, "holds": holds, "method": method, "n": n,
    });
    let _ = say(&figure.to_string());
}
