//! What one thread has to do in one phase.

use std::ops::Range;

use loadstone_spec::plan::{EngineLoad, EnginePhase, EnginePlan, OperationKind, PhaseName};

use crate::access::KeyDraw;
use crate::arrivals::Schedule;
use crate::rng::Rng;

/// A prefill keeps this many writes under way per connection, so that it does not wait for round trips.
const PREFILL_PIPELINE: u32 = 16;
/// memcached 1.6.18 with TLS now and then keeps the last replies of a pipeline to itself for ever: it waits for its
/// socket while the requests lie in its TLS library.
const PREFILL_PIPELINE_WITH_TLS: u32 = 1;
/// A second and all of its fractions.
const SECOND_NS: f64 = 1e9;

/// One operation of the phase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PhaseOperation {
    pub kind: OperationKind,
    pub keys_per_request: usize,
}

/// The keys and operations to send, in their order.
#[derive(Debug, Clone)]
pub(crate) enum Feed {
    /// Every key of a range once.
    Sequence(Sequence),
    Mix(Mix),
}

/// A range of keys, and those of them that came back because their connection was lost.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    range: Range<u64>,
    returned: Vec<u64>,
    /// How many may still come back: a store that closes at every write must not be written to for ever.
    patience: u64,
}

/// Operations by weight, keys by the access distribution, all from one stream.
#[derive(Debug, Clone)]
pub(crate) struct Mix {
    rng: Rng,
    keys: KeyDraw,
    /// Upper ends of the operations' shares of `0..2^64`; the last one is the end of the range.
    ends: Vec<u64>,
}

impl Mix {
    fn new(plan: &EnginePlan, rng: Rng) -> Self {
        let total: f64 = plan.operations.iter().map(|operation| operation.weight).sum();
        let mut ends: Vec<u64> = plan
            .operations
            .iter()
            .scan(0.0, |sum, operation| {
                *sum += operation.weight / total;
                Some((*sum * 2f64.powi(64)) as u64)
            })
            .collect();
        if let Some(last) = ends.last_mut() {
            *last = u64::MAX;
        }
        Self { rng, keys: KeyDraw::new(&plan.access, plan.dataset.key_count), ends }
    }

    #[inline]
    fn next_operation(&mut self) -> usize {
        if self.ends.len() == 1 {
            return 0;
        }
        let drawn = self.rng.next_u64();
        self.ends.iter().position(|&end| drawn <= end).unwrap_or(0)
    }
}

impl Feed {
    /// Which operation comes next.
    #[inline]
    pub(crate) fn next_operation(&mut self) -> usize {
        match self {
            Self::Sequence(_) => 0,
            Self::Mix(mix) => mix.next_operation(),
        }
    }

    /// The next key. A sequence that has ended stays at its end: the budget ends the phase with it.
    #[inline]
    pub(crate) fn next_key(&mut self) -> u64 {
        match self {
            Self::Sequence(Sequence { range, returned, .. }) => {
                returned.pop().or_else(|| range.next()).unwrap_or(range.end)
            }
            Self::Mix(mix) => mix.keys.next(&mut mix.rng),
        }
    }

    /// Offers a key that was lost with its connection. True when it comes again: of a sequence every key matters,
    /// of a mix the loss is what was to be measured.
    pub(crate) fn take_back(&mut self, key: u64) -> bool {
        let Self::Sequence(Sequence { returned, patience, .. }) = self else { return false };
        let is_taken = *patience > 0;
        if is_taken {
            *patience -= 1;
            returned.push(key);
        }
        is_taken
    }

    pub(crate) fn has_returned_keys(&self) -> bool {
        matches!(self, Self::Sequence(sequence) if !sequence.returned.is_empty())
    }
}

/// One thread's share of a phase.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub operations: Vec<PhaseOperation>,
    pub feed: Feed,
    /// None in a closed loop.
    pub arrivals: Option<Schedule>,
    pub pipeline: usize,
    /// None when operations end the phase.
    pub duration_ns: Option<u64>,
    pub budget: u64,
    pub start_ns: u64,
    /// Record sets pass between phases, so they all have room for the longest list of operations.
    pub record_width: usize,
}

impl Assignment {
    /// Cuts a phase for one thread. The cut depends on nothing but the plan, so a seed repeats it.
    pub(crate) fn new(plan: &EnginePlan, phase: &EnginePhase, thread: u32) -> Self {
        if phase.name == PhaseName::Prefill {
            return Self::prefill(plan, thread);
        }
        let purpose = phase.name as u64 * 2;
        let stream = |offset| Rng::for_stream(plan.seed, thread.into(), purpose + offset);
        let arrivals = match &plan.load {
            EngineLoad::Closed(_) => None,
            EngineLoad::Open(open) => {
                Some(Schedule::new(open.arrivals, open.rate_per_s, thread, plan.threads, stream(1)))
            }
        };
        let stop = phase.stop.as_ref();
        let operations = stop.and_then(|rule| rule.operations);
        let share = |total: u64| range_of(total, thread, plan.threads);
        Self {
            operations: plan
                .operations
                .iter()
                .map(|operation| PhaseOperation {
                    kind: operation.kind,
                    keys_per_request: usize::from(operation.keys_per_request),
                })
                .collect(),
            feed: Feed::Mix(Mix::new(plan, stream(0))),
            arrivals,
            pipeline: plan.load.pipeline() as usize,
            duration_ns: stop.and_then(|rule| rule.seconds).map(|seconds| (seconds * SECOND_NS) as u64),
            budget: operations.map_or(u64::MAX, |total| share(total).end - share(total).start),
            start_ns: 0,
            record_width: plan.operations.len(),
        }
    }

    fn prefill(plan: &EnginePlan, thread: u32) -> Self {
        let keys = range_of(plan.dataset.key_count, thread, plan.threads);
        Self {
            operations: vec![PhaseOperation { kind: OperationKind::Set, keys_per_request: 1 }],
            budget: keys.end - keys.start,
            feed: Feed::Sequence(Sequence {
                patience: keys.end - keys.start,
                returned: Vec::new(),
                range: keys,
            }),
            arrivals: None,
            pipeline: plan.load.pipeline().max(prefill_pipeline(plan)) as usize,
            duration_ns: None,
            start_ns: 0,
            record_width: plan.operations.len(),
        }
    }
}

/// Most requests that any phase of the plan keeps under way on one connection.
pub(crate) fn deepest_pipeline(plan: &EnginePlan) -> usize {
    let has_prefill = plan.phases.iter().any(|phase| phase.name == PhaseName::Prefill);
    let prefill = if has_prefill { prefill_pipeline(plan) } else { 1 };
    plan.load.pipeline().max(prefill) as usize
}

fn prefill_pipeline(plan: &EnginePlan) -> u32 {
    if plan.target.tls.is_some() { PREFILL_PIPELINE_WITH_TLS } else { PREFILL_PIPELINE }
}

fn range_of(total: u64, thread: u32, threads: u32) -> Range<u64> {
    let cut = |index: u32| (u128::from(total) * u128::from(index) / u128::from(threads)) as u64;
    cut(thread)..cut(thread + 1)
}
