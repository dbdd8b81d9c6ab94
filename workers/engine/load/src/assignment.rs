//! What one thread has to do in one phase.

use std::ops::Range;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::{
    Arrivals, EngineLoad, EnginePhase, EnginePlan, OpenLoad, PhaseName, Retries, StopRule,
};

use crate::arrivals::{Schedule, Share};
use crate::driver::Shape;
use crate::feed::{Feed, Mix, Replay, Sequence};
use crate::record::Room;
use crate::rng::Rng;
use crate::steps::{Churn, Steps};

/// A prefill keeps this many writes under way per connection, so that it does not wait for round trips.
const PREFILL_PIPELINE: u32 = 16;
/// memcached 1.6.18 with TLS now and then keeps the last replies of a pipeline to itself for ever: it waits for its
/// socket while the requests lie in its TLS library. Memlink answers one request at a time.
const PREFILL_PIPELINE_ALONE: u32 = 1;
/// A write of a prefill that lost a deadlock to another goes out again, or reads of its key would miss. Nothing is
/// measured meanwhile. What is refused for good, by a store that is full, is not asked for ever.
const PREFILL_ATTEMPTS: u8 = 3;
/// A second and all of its fractions.
const SECOND_NS: f64 = 1e9;

/// One thread's share of a phase.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub operations: Vec<Shape>,
    pub feed: Feed,
    /// None in a closed loop.
    pub arrivals: Option<Schedule>,
    pub pipeline: usize,
    pub think_ns: u64,
    /// Replies may wait for others before they are read.
    pub gathers: bool,
    /// Requests that a connection lives for.
    pub per_connection: u32,
    /// How many connections are in force.
    pub steps: Steps,
    pub churn: Option<Churn>,
    pub retries: Option<Retries>,
    /// None when operations end the phase.
    pub duration_ns: Option<u64>,
    pub budget: u64,
    pub start_ns: u64,
    pub room: Room,
}

impl Assignment {
    /// Cuts a phase for one thread. The cut depends on nothing but the plan, so a seed repeats it.
    pub(crate) fn new(plan: &EnginePlan, phase: &EnginePhase, thread: u32) -> Self {
        if phase.name == PhaseName::Prefill {
            return Self::prefill(plan, thread);
        }
        let share = Share { thread, threads: plan.threads };
        let purpose = phase.name as u64 * 2;
        let stream = |offset| Rng::for_stream(plan.seed, thread.into(), purpose + offset);
        let arrivals = match &plan.load {
            EngineLoad::Closed(_) => None,
            EngineLoad::Open(open) => {
                Some(schedule(plan, open, share, phase.name == PhaseName::Warmup, stream(1)))
            }
        };
        let feed = match &plan.recorded {
            Some(trace) => Feed::Replay(Replay::new(trace.clone(), share)),
            None => Feed::Mix(Box::new(Mix::new(plan, stream(0), thread))),
        };
        Self {
            operations: Shape::all_of(plan)[..plan.operations.len()].to_vec(),
            feed,
            arrivals,
            pipeline: plan.load.pipeline() as usize,
            think_ns: plan.load.think_time_us() * 1000,
            gathers: plan.load.gathers_replies(),
            per_connection: plan.load.requests_per_connection().unwrap_or(u32::MAX),
            steps: Steps::new(plan, phase.name, share),
            churn: plan.load.churn_per_s().map(|churn_per_s| Churn::new(churn_per_s, share)),
            retries: plan.load.retries().cloned(),
            duration_ns: phase.stop.as_ref().and_then(longest_s).map(|seconds| (seconds * SECOND_NS) as u64),
            budget: budget(plan, phase, share),
            start_ns: 0,
            room: Room::of(plan),
        }
    }

    fn prefill(plan: &EnginePlan, thread: u32) -> Self {
        let range = range_of(plan.prefill_count(), thread, plan.threads);
        let count = range.end - range.start;
        Self {
            operations: Shape::all_of(plan)[plan.operations.len()..=plan.operations.len()].to_vec(),
            budget: count,
            feed: Feed::Sequence(Sequence::new(plan, range)),
            arrivals: None,
            pipeline: plan.load.pipeline().max(prefill_pipeline(plan)) as usize,
            think_ns: 0,
            gathers: true,
            per_connection: u32::MAX,
            steps: Steps::all(),
            churn: None,
            retries: Some(Retries { attempts: PREFILL_ATTEMPTS, on: vec![ErrorClass::Refused] }),
            duration_ns: None,
            start_ns: 0,
            room: Room::of(plan),
        }
    }
}

fn schedule(plan: &EnginePlan, open: &OpenLoad, share: Share, is_warmup: bool, rng: Rng) -> Schedule {
    match (&plan.recorded, open.arrivals) {
        (Some(trace), Arrivals::Recorded) => {
            Schedule::recorded(trace.clone(), share, open.speed.unwrap_or(1.0))
        }
        _ => Schedule::new(open, share, is_warmup, rng),
    }
}

/// A warmup that becomes steady is ended from outside, or by the time it is given for that.
fn longest_s(rule: &StopRule) -> Option<f64> {
    rule.seconds.or(rule.steady.as_ref().map(|steady| steady.max_seconds))
}

/// How many operations a thread may send: its share of those that end the phase, or of the trace.
fn budget(plan: &EnginePlan, phase: &EnginePhase, share: Share) -> u64 {
    let cut = |total: u64| {
        let range = range_of(total, share.thread, share.threads);
        range.end - range.start
    };
    let operations = phase.stop.as_ref().and_then(|rule| rule.operations);
    let recorded = plan.recorded.as_ref().map(|trace| trace.len());
    // Lines of a trace are dealt out one by one, so that all threads are at the same time of it.
    let dealt = |total: u64| {
        let (threads, thread) = (u64::from(share.threads), u64::from(share.thread));
        total / threads + u64::from(thread < total % threads)
    };
    match (operations, recorded) {
        (None, None) => u64::MAX,
        (Some(total), None) => cut(total),
        (None, Some(lines)) => dealt(lines),
        (Some(total), Some(lines)) => dealt(total.min(lines)),
    }
}

/// Most requests that any phase of the plan keeps under way on one connection.
pub(crate) fn deepest_pipeline(plan: &EnginePlan) -> usize {
    let has_prefill = plan.phases.iter().any(|phase| phase.name == PhaseName::Prefill);
    let prefill = if has_prefill { prefill_pipeline(plan) } else { 1 };
    plan.load.pipeline().max(prefill) as usize
}

pub(crate) fn prefill_pipeline(plan: &EnginePlan) -> u32 {
    let is_alone = plan.target.tls.is_some() || plan.target.protocol.is_memlink();
    if is_alone { PREFILL_PIPELINE_ALONE } else { PREFILL_PIPELINE }
}

fn range_of(total: u64, thread: u32, threads: u32) -> Range<u64> {
    let cut = |index: u32| (u128::from(total) * u128::from(index) / u128::from(threads)) as u64;
    cut(thread)..cut(thread + 1)
}
