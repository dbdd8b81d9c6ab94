//! What one thread has to do in one phase.

use std::ops::Range;

use loadstone_spec::plan::{EngineLoad, EnginePhase, EnginePlan, PhaseName};

use crate::access::KeyDraw;
use crate::arrivals::Schedule;
use crate::driver::Shape;
use crate::journal::unix_now_ns;
use crate::rng::Rng;

/// A prefill keeps this many writes under way per connection, so that it does not wait for round trips.
const PREFILL_PIPELINE: u32 = 16;
/// memcached 1.6.18 with TLS now and then keeps the last replies of a pipeline to itself for ever: it waits for its
/// socket while the requests lie in its TLS library. Memlink answers one request at a time.
const PREFILL_PIPELINE_ALONE: u32 = 1;
/// Where nearly all requests are for a few keys, a request may name one twice rather than look for others for ever.
const MOST_REDRAWS: u32 = 1000;
/// A second and all of its fractions.
const SECOND_NS: f64 = 1e9;

/// The keys and operations to send, in their order.
#[derive(Debug, Clone)]
pub(crate) enum Feed {
    /// Every key of a range once, or every entry of every key.
    Sequence(Sequence),
    Mix(Box<Mix>),
}

/// A range of keys, and those of them that came back because their connection was lost.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    /// Entries by their number over all keys: the first of every key, then the second of every key ...
    range: Range<u64>,
    key_count: u64,
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
    newest: Newest,
    /// Tells apart what is put into lists, over all threads and over runs.
    serial: u64,
    serial_step: u64,
    /// The serial is never behind the time, so that it says which of two writes was made later.
    tells_time: bool,
    /// The share of `0..2^64` of reads that may hit; others ask for keys from `absent_from` on.
    hit_share: u64,
    absent_from: u64,
}

/// The keys that a thread has brought into being. Threads take turns behind the keys of the dataset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newest {
    key_count: u64,
    first: u64,
    next: u64,
    step: u64,
    /// Keys have no digits for more; from there on it begins anew.
    limit: u64,
}

impl Newest {
    fn new(plan: &EnginePlan, thread: u32) -> Self {
        let dataset = &plan.dataset;
        let digits = usize::from(dataset.key_size_bytes) - dataset.key_prefix.len();
        let limit = 10u64.checked_pow(digits as u32).unwrap_or(u64::MAX);
        let first = dataset.key_count + u64::from(thread);
        Self { key_count: dataset.key_count, first, next: first, step: u64::from(plan.threads), limit }
    }

    fn take(&mut self) -> u64 {
        if self.next >= self.limit {
            self.next = self.first;
        }
        let key = self.next;
        self.next += self.step;
        key
    }

    /// One behind the newest key that is surely there.
    #[inline]
    fn end(&self) -> u64 {
        (self.next + 1).saturating_sub(self.step).max(self.key_count)
    }
}

impl Mix {
    fn new(plan: &EnginePlan, rng: Rng, thread: u32) -> Self {
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
        let step = u64::from(plan.threads);
        let now_ns = unix_now_ns();
        Self {
            rng,
            keys: KeyDraw::new(plan, thread),
            ends,
            newest: Newest::new(plan, thread),
            serial: now_ns - now_ns % step + u64::from(thread),
            serial_step: step,
            tells_time: plan.journal.is_some(),
            hit_share: (plan.dataset.hit_ratio * 2f64.powi(64)) as u64,
            absent_from: 8 * plan.dataset.key_count,
        }
    }

    fn next_serial(&mut self) -> u64 {
        self.serial += self.serial_step;
        if self.tells_time {
            let behind = unix_now_ns().saturating_sub(self.serial);
            self.serial += behind - behind % self.serial_step;
        }
        self.serial
    }

    /// A key that is not yet among those of the request: SELECT ... IN answers a key that is named twice once, and
    /// PostgreSQL changes no row twice in one statement.
    #[inline]
    fn next_key_beside(&mut self, makes_new_keys: bool, others: &[u64]) -> u64 {
        let mut key = self.next_key(makes_new_keys);
        for _ in 0..MOST_REDRAWS {
            if !others.contains(&key) {
                break;
            }
            key = self.next_key(makes_new_keys);
        }
        key
    }

    #[inline]
    fn next_key(&mut self, makes_new_keys: bool) -> u64 {
        if makes_new_keys { self.newest.take() } else { self.keys.next(&mut self.rng, self.newest.end()) }
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

    /// Fills in the keys of a request and returns what tells it apart from others of the same key. A sequence that
    /// has ended stays at its end: the budget ends the phase with it.
    #[inline]
    pub(crate) fn next_keys(&mut self, shape: &Shape, keys: &mut Vec<u64>) -> u64 {
        keys.clear();
        match self {
            Self::Sequence(Sequence { range, key_count, returned, .. }) => {
                let entry = returned.pop().or_else(|| range.next()).unwrap_or(range.end);
                keys.push(entry % *key_count);
                entry / *key_count
            }
            Self::Mix(mix) => {
                let makes_new_keys = shape.kind.makes_new_keys();
                let may_miss = mix.hit_share < u64::MAX && shape.kind.is_read();
                for _ in 0..shape.keys_per_request {
                    let key = mix.next_key_beside(makes_new_keys, keys);
                    let misses = may_miss && mix.rng.next_u64() > mix.hit_share;
                    keys.push(if misses { mix.absent_from + key } else { key });
                }
                mix.next_serial()
            }
        }
    }

    /// Offers what was lost with its connection. True when it comes again: of a sequence everything matters, of a mix
    /// the loss is what was to be measured.
    pub(crate) fn take_back(&mut self, key: u64, word: u64) -> bool {
        let Self::Sequence(Sequence { returned, patience, key_count, .. }) = self else { return false };
        let is_taken = *patience > 0;
        if is_taken {
            *patience -= 1;
            returned.push(word * *key_count + key);
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
    pub operations: Vec<Shape>,
    pub feed: Feed,
    /// None in a closed loop.
    pub arrivals: Option<Schedule>,
    pub pipeline: usize,
    pub think_ns: u64,
    /// Requests that a connection lives for.
    pub per_connection: u32,
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
            operations: Shape::all_of(plan)[..plan.operations.len()].to_vec(),
            feed: Feed::Mix(Box::new(Mix::new(plan, stream(0), thread))),
            arrivals,
            pipeline: plan.load.pipeline() as usize,
            think_ns: plan.load.think_time_us() * 1000,
            per_connection: plan.load.requests_per_connection().unwrap_or(u32::MAX),
            duration_ns: stop.and_then(|rule| rule.seconds).map(|seconds| (seconds * SECOND_NS) as u64),
            budget: operations.map_or(u64::MAX, |total| share(total).end - share(total).start),
            start_ns: 0,
            record_width: plan.operations.len(),
        }
    }

    fn prefill(plan: &EnginePlan, thread: u32) -> Self {
        let range = range_of(plan.prefill_count(), thread, plan.threads);
        let count = range.end - range.start;
        Self {
            operations: Shape::all_of(plan)[plan.operations.len()..].to_vec(),
            budget: count,
            feed: Feed::Sequence(Sequence {
                key_count: plan.dataset.key_count,
                patience: count,
                returned: Vec::new(),
                range,
            }),
            arrivals: None,
            pipeline: plan.load.pipeline().max(prefill_pipeline(plan)) as usize,
            think_ns: 0,
            per_connection: u32::MAX,
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

pub(crate) fn prefill_pipeline(plan: &EnginePlan) -> u32 {
    let is_alone = plan.target.tls.is_some() || plan.target.protocol.is_memlink();
    if is_alone { PREFILL_PIPELINE_ALONE } else { PREFILL_PIPELINE }
}

fn range_of(total: u64, thread: u32, threads: u32) -> Range<u64> {
    let cut = |index: u32| (u128::from(total) * u128::from(index) / u128::from(threads)) as u64;
    cut(thread)..cut(thread + 1)
}
