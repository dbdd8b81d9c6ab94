//! A run: threads, phases in their order, a report each second, the end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use loadstone_spec::events::{
    EVENT_SCHEMA_VERSION, Event, Failure, FailureCode, Hello, PhaseChange, PhaseState, PhaseTotals, Summary,
    Warning,
};
use loadstone_spec::hash_plan;
use loadstone_spec::plan::{EnginePhase, EnginePlan, PhaseName};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::advice::advise_on_unanswered;
use crate::any_driver::AnyDriver;
use crate::assignment::Assignment;
use crate::clock::Clock;
use crate::journal::JournalFile;
use crate::lag::LagProbe;
use crate::pinning::claim_cpus;
use crate::reach::name_address;
use crate::report::{PhaseAccount, SATURATED_BUSY_SHARE};
use crate::samples::Samples;
use crate::scout::{fail, prepare};
use crate::steadiness::SteadyTest;
use crate::sys::lower_priority;
use crate::threads::Threads;
use crate::totals::{Message, ThreadTotals};
use crate::transport::Dial;
use crate::waits::choose_ring;

/// Threads get their assignment this long before it begins, so that they begin together.
const HEAD_START_NS: u64 = 2_000_000;
/// How often signals and lost targets are looked for.
const WATCH: Duration = Duration::from_millis(20);
/// The target is lost when no connection has been up for this long.
const LOST_AFTER: Duration = Duration::from_secs(5);

/// Ends a run early; may be turned from any thread.
#[derive(Debug, Clone, Default)]
pub struct StopSwitch(Arc<AtomicBool>);

impl StopSwitch {
    /// Asks the run to stop.
    pub fn turn(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_turned(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is to be run, and under which name.
pub struct Run<'a> {
    pub plan: &'a EnginePlan,
    pub engine: &'a str,
    pub engine_version: &'a str,
    /// What a person should know about the plan before it runs.
    pub advice: Vec<Warning>,
}

/// How a run ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was measured, also when the run failed on the way.
    pub summary: Option<Summary>,
    pub failure: Option<Failure>,
}

/// Carries out a plan. Events go to `emit` as they come, the summary and the failure among them.
pub fn run(
    run: Run<'_>,
    driver: AnyDriver,
    dial: Arc<dyn Dial>,
    stop: &StopSwitch,
    emit: &mut dyn FnMut(&Event),
) -> Outcome {
    let plan = run.plan;
    emit(&Event::Hello(Hello {
        schema_version: EVENT_SCHEMA_VERSION,
        engine: run.engine.to_owned(),
        engine_version: run.engine_version.to_owned(),
        plan_hash: hash_plan(plan),
        pid: std::process::id(),
        threads: plan.threads,
        cpus: plan.cpus.clone(),
    }));
    run.advice.into_iter().for_each(|warning| emit(&Event::Warning(warning)));
    let (uses_ring, fallback) = choose_ring(plan, dial.is_bare());
    fallback.into_iter().for_each(|warning| emit(&Event::Warning(warning)));
    let outcome = match start_threads(plan, driver, dial, stop, uses_ring) {
        Err(failure) => Outcome { summary: None, failure: Some(failure) },
        Ok(None) => Outcome { summary: Some(summarise(plan, true, Vec::new())), failure: None },
        Ok(Some((threads, clock))) => {
            Session { plan, threads, clock, stop, emit, seq: 0, stopped: false }.carry_out()
        }
    };
    if let Some(summary) = &outcome.summary {
        emit(&Event::Summary(summary.clone()));
    }
    if let Some(failure) = &outcome.failure {
        emit(&Event::Error(failure.clone()));
    }
    outcome
}

fn summarise(plan: &EnginePlan, stopped: bool, phases: Vec<PhaseTotals>) -> Summary {
    Summary { plan_hash: hash_plan(plan), stopped, phases }
}

/// Nothing when the run was stopped before the target's address was found.
fn start_threads(
    plan: &EnginePlan,
    driver: AnyDriver,
    dial: Arc<dyn Dial>,
    stop: &StopSwitch,
    uses_ring: bool,
) -> Result<Option<(Threads, Clock)>, Failure> {
    claim_cpus(&plan.cpus).map_err(|fault| Failure {
        code: FailureCode::CpusUnavailable,
        message: fault.message,
        path: Some(fault.path),
    })?;
    let clock = Clock::new();
    let Some(mut shared) = prepare(plan, driver, dial, stop, &clock)? else { return Ok(None) };
    shared.uses_ring = uses_ring;
    shared.journal = begin_journal(plan)?;
    raise_descriptor_limit();
    let threads = Threads::start(plan, Arc::new(shared))
        .map_err(|error| fail(FailureCode::EngineInternal, format!("cannot start load threads: {error}")))?;
    lower_priority();
    Ok(Some((threads, clock)))
}

fn begin_journal(plan: &EnginePlan) -> Result<Option<Arc<JournalFile>>, Failure> {
    let Some(path) = &plan.journal else { return Ok(None) };
    JournalFile::create(Path::new(path)).map(|file| Some(Arc::new(file))).map_err(|error| Failure {
        code: FailureCode::BadPlan,
        message: format!("{path} cannot be written: {error}"),
        path: Some("$.journal".to_owned()),
    })
}

/// Ten thousand connections need as many descriptors; where the limit stays low, connecting says so.
fn raise_descriptor_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

struct Session<'a> {
    plan: &'a EnginePlan,
    threads: Threads,
    clock: Clock,
    stop: &'a StopSwitch,
    emit: &'a mut dyn FnMut(&Event),
    seq: u64,
    stopped: bool,
}

impl Session<'_> {
    fn carry_out(mut self) -> Outcome {
        if let Err(failure) = self.await_connections() {
            return Outcome { summary: None, failure: Some(failure) };
        }
        let mut phases = Vec::new();
        let mut failure = None;
        for phase in &self.plan.phases {
            if self.stopped || failure.is_some() {
                break;
            }
            match self.carry_out_phase(phase) {
                Ok((totals, lost)) => {
                    phases.extend(totals);
                    failure = lost;
                }
                Err(message) => failure = Some(fail(FailureCode::EngineInternal, message)),
            }
        }
        Outcome { summary: Some(summarise(self.plan, self.stopped, phases)), failure }
    }

    fn await_connections(&mut self) -> Result<(), Failure> {
        let mut ready = 0;
        while ready < self.threads.len() {
            if self.stop.is_turned() {
                self.stopped = true;
                return Ok(());
            }
            match self.threads.listen(WATCH) {
                Ok(Some((_, Message::Ready))) => ready += 1,
                Ok(Some((_, Message::Failed { is_refused, message }))) => {
                    let code =
                        if is_refused { FailureCode::TargetRefused } else { FailureCode::TargetUnreachable };
                    return Err(fail(
                        code,
                        format!("{}: {message}", name_address(&self.plan.target.address)),
                    ));
                }
                Ok(_) => {}
                Err(message) => return Err(fail(FailureCode::EngineInternal, message)),
            }
        }
        Ok(())
    }

    /// Carries out one phase. The failure beside its totals is that of a target that went away.
    fn carry_out_phase(
        &mut self,
        phase: &EnginePhase,
    ) -> Result<(Option<PhaseTotals>, Option<Failure>), String> {
        let start_ns = self.choose_start(phase.name);
        let plan = self.plan;
        let assignments =
            (0..plan.threads).map(|thread| Assignment { start_ns, ..Assignment::new(plan, phase, thread) });
        let Assignment { operations, duration_ns, .. } = Assignment::new(plan, phase, 0);
        self.threads.cut_short(false);
        self.threads.assign(assignments);
        if !self.await_start(start_ns) {
            self.stopped = true;
            return Ok((None, None));
        }
        let started_at_unix_ns = self.clock.unix_ns(start_ns);
        let cpu_before_ns = read_cpu_ns();
        self.announce(phase.name, PhaseState::Started, started_at_unix_ns);
        let ends_ns = duration_ns.map(|duration_ns| start_ns + duration_ns);
        self.threads.lag.iter_mut().for_each(|lag| lag.begin_phase(ends_ns));
        self.threads.hiccups.take();
        let mut samples =
            Samples::new(plan, phase.name, operations.clone(), started_at_unix_ns, self.threads.len());
        let rule = phase.stop.as_ref().and_then(|rule| rule.steady.as_ref());
        let mut steady = rule.map(|rule| SteadyTest::new(plan, rule));
        let (threads, lost) = self.gather(&mut samples, steady.as_mut())?;
        let engine_cpu_ns = read_cpu_ns() - cpu_before_ns;
        let elapsed_ns = threads.iter().map(|thread| thread.elapsed_ns).max().unwrap_or(0);
        if let Some(sample) = samples.last(elapsed_ns) {
            self.emit_sample(sample);
        }
        self.announce(phase.name, PhaseState::Finished, started_at_unix_ns + elapsed_ns);
        let host = self.threads.hiccups.take();
        let account = PhaseAccount {
            duration_ns,
            host: &host,
            phase: phase.name,
            operations: &operations,
            started_at_unix_ns,
            engine_cpu_ns,
            threads: &threads,
            records: &samples.total,
            steadiness: steady.map(|test| test.found()),
        };
        let mut totals = account.totals();
        totals.replica_lag = self.threads.lag.as_mut().map(LagProbe::of_phase);
        self.warn_of(&totals);
        Ok((Some(totals), lost.or_else(|| self.find_journal_failure())))
    }

    /// Now, or the time that a group of agents has agreed on for the first phase after prefill.
    fn choose_start(&mut self, phase: PhaseName) -> u64 {
        let soon_ns = self.clock.now_ns() + HEAD_START_NS;
        let first = self.plan.phases.iter().map(|phase| phase.name).find(|&name| name != PhaseName::Prefill);
        let Some(agreed) = self.plan.start_at_unix_ns.filter(|_| first == Some(phase)) else {
            return soon_ns;
        };
        let agreed_ns = self.clock.at_unix_ns(agreed);
        if agreed_ns < soon_ns {
            self.warn(
                "start_time_passed",
                "The agreed start had passed when the engine was ready: it began at once.",
            );
        }
        agreed_ns.max(soon_ns)
    }

    fn await_start(&mut self, start_ns: u64) -> bool {
        loop {
            if self.stop.is_turned() {
                self.threads.halt();
                return false;
            }
            let left = Duration::from_nanos(start_ns.saturating_sub(self.clock.now_ns()));
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(WATCH));
        }
    }

    /// Listens until every thread has finished the phase.
    fn gather(
        &mut self,
        samples: &mut Samples<'_>,
        mut steady: Option<&mut SteadyTest>,
    ) -> Result<(Vec<ThreadTotals>, Option<Failure>), String> {
        let mut finished = Vec::new();
        let mut lost = None;
        let mut last_up = Instant::now();
        while finished.len() < self.threads.len() {
            match self.threads.listen(WATCH)? {
                Some((thread, Message::Second { index, records, in_flight })) => {
                    samples.add(thread, index, records.as_ref(), in_flight);
                    if let Some(records) = records {
                        self.threads.give_back(thread, records);
                    }
                }
                Some((thread, Message::Finished(totals))) => {
                    samples.add_last(thread, &totals.records, totals.in_flight);
                    finished.push(*totals);
                }
                _ => {}
            }
            while let Some(sample) = samples.next_complete() {
                if steady.as_mut().is_some_and(|test| test.take(&sample, samples.service_sum_ns)) {
                    self.threads.cut_short(true);
                }
                self.emit_sample(sample);
            }
            if self.stop.is_turned() {
                self.stopped = true;
                self.threads.halt();
            }
            if self.threads.is_any_link_up() {
                last_up = Instant::now();
            } else if lost.is_none() && last_up.elapsed() > self.lost_after() {
                self.threads.halt();
                let name = name_address(&self.plan.target.address);
                lost = Some(fail(FailureCode::TargetLost, format!("{name}: every connection was lost")));
            }
        }
        Ok((finished, lost))
    }

    fn find_journal_failure(&self) -> Option<Failure> {
        let has_failed = self.threads.journal.as_ref().is_some_and(|journal| journal.has_failed());
        let message = "the journal could not be written: it lacks writes that were acknowledged";
        has_failed.then(|| fail(FailureCode::EngineInternal, message))
    }

    fn lost_after(&self) -> Duration {
        Duration::from_millis(self.plan.timeout_ms).clamp(Duration::from_secs(1), LOST_AFTER)
    }

    fn announce(&mut self, phase: PhaseName, state: PhaseState, at_unix_ns: u64) {
        (self.emit)(&Event::Phase(PhaseChange { phase, state, at_unix_ns }));
    }

    fn emit_sample(&mut self, mut sample: loadstone_spec::events::Sample) {
        sample.seq = self.seq;
        sample.replica_lag = self.threads.lag.as_mut().and_then(LagProbe::take_second);
        self.seq += 1;
        (self.emit)(&Event::Sample(sample));
    }

    fn warn(&mut self, code: &str, message: &str) {
        (self.emit)(&Event::Warning(Warning { code: code.to_owned(), message: message.to_owned() }));
    }

    fn warn_of(&mut self, totals: &PhaseTotals) {
        let unwritten = self.plan.prefill_count().saturating_sub(totals.answered);
        if totals.phase == PhaseName::Prefill && unwritten > 0 {
            let what = if self.plan.is_of_lists() { "entries" } else { "keys" };
            let message = format!("{unwritten} {what} were not written: reads of them will miss.");
            self.warn("prefill_incomplete", &message);
        }
        for (code, message) in advise_on_unanswered(self.plan, totals) {
            self.warn(code, &message);
        }
        if totals.steadiness.is_some_and(|found| !found.is_steady) {
            let message = "The warmup ended by its time and not because it was steady.";
            self.warn("not_steady", message);
        }
        if totals.phase == PhaseName::Measure && totals.saturated {
            self.warn("engine_saturated", slack_advice(totals));
        }
    }
}

/// What to do about an engine that was the limit: it had too much to do, or it was not woken in time.
fn slack_advice(totals: &PhaseTotals) -> &'static str {
    if totals.engine_busy_share >= SATURATED_BUSY_SHARE {
        "The engine had no slack: give it more threads or cores, or ask for less load."
    } else {
        "Requests left late although the engine had time: the host woke it late. Give it cores of its own."
    }
}

/// User and system time of all threads so far.
pub(crate) fn read_cpu_ns() -> u64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return 0 };
    (usage.user_time() + usage.system_time()).num_nanoseconds().max(0) as u64
}
