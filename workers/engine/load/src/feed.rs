//! What is asked for next: operations and keys, in their order.

use std::ops::Range;
use std::sync::Arc;

use loadstone_spec::plan::EnginePlan;
use loadstone_spec::trace::Recorded;

use crate::access::KeyDraw;
use crate::arrivals::Share;
use crate::driver::Shape;
use crate::journal::unix_now_ns;
use crate::rng::Rng;

/// Where nearly all requests are for a few keys, a request may name one twice rather than look for others for ever.
const MOST_REDRAWS: u32 = 1000;

/// The keys and operations to send, in their order.
#[derive(Debug, Clone)]
pub(crate) enum Feed {
    /// Every key of a range once, or every entry of every key.
    Sequence(Sequence),
    Mix(Box<Mix>),
    Replay(Replay),
}

/// Every so-manieth line of a trace.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    trace: Arc<Recorded>,
    next: u64,
    step: u64,
}

impl Replay {
    pub(crate) fn new(trace: Arc<Recorded>, share: Share) -> Self {
        Self { trace, next: share.thread.into(), step: share.threads.into() }
    }

    /// A trace that has ended stays at its last line: the budget ends the phase with it.
    fn next(&mut self, keys: &mut Vec<u64>) -> (usize, u64) {
        let (index, key) = self.trace.request(self.next.min(self.trace.len() - 1)).unwrap_or((0, 0));
        keys.push(key);
        self.next += self.step;
        (index, self.next)
    }
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
    /// The keys are those of a trace.
    items: Option<Arc<Recorded>>,
}

impl Sequence {
    pub(crate) fn new(plan: &EnginePlan, range: Range<u64>) -> Self {
        let items = plan.recorded.clone();
        let key_count = items.as_ref().map_or(plan.dataset.key_count, |items| items.key_count());
        Self { patience: range.end - range.start, key_count, returned: Vec::new(), range, items }
    }

    fn next(&mut self, keys: &mut Vec<u64>) -> u64 {
        let entry = self.returned.pop().or_else(|| self.range.next()).unwrap_or(self.range.end);
        let key = entry % self.key_count;
        keys.push(self.items.as_ref().map_or(key, |items| items.first_item(key)));
        entry / self.key_count
    }
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
        let limit = dataset.key_shape().map_or(u64::MAX, |shape| shape.limit());
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
    pub(crate) fn new(plan: &EnginePlan, rng: Rng, thread: u32) -> Self {
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

    #[inline]
    fn next(&mut self, operations: &[Shape], keys: &mut Vec<u64>) -> (usize, u64) {
        let index = self.next_operation();
        let shape = &operations[index];
        self.push_key(shape, keys);
        if shape.keys_per_request > 1 {
            self.push_further_keys(shape, keys);
        }
        (index, if shape.draws_entries() { self.next_entries(shape) } else { self.next_serial() })
    }

    /// How many keys a scan asks for.
    fn next_entries(&mut self, shape: &Shape) -> u64 {
        let least = u64::from(shape.entries_min);
        least + self.rng.below(u64::from(shape.entries) - least + 1)
    }

    #[inline]
    fn next_serial(&mut self) -> u64 {
        self.serial += self.serial_step;
        if self.tells_time {
            self.catch_up_with_time();
        }
        self.serial
    }

    fn catch_up_with_time(&mut self) {
        let behind = unix_now_ns().saturating_sub(self.serial);
        self.serial += behind - behind % self.serial_step;
    }

    /// A key that is not yet among those of the request: SELECT ... IN answers a key that is named twice once, and
    /// PostgreSQL changes no row twice in one statement.
    #[inline]
    fn next_key_beside(&mut self, makes_new_keys: bool, others: &[u64]) -> u64 {
        let mut key = self.next_key(makes_new_keys);
        let mut redraws = 0;
        while others.contains(&key) && redraws < MOST_REDRAWS {
            key = self.next_key(makes_new_keys);
            redraws += 1;
        }
        key
    }

    #[inline]
    fn next_key(&mut self, makes_new_keys: bool) -> u64 {
        if makes_new_keys { self.newest.take() } else { self.keys.next(&mut self.rng, || self.newest.end()) }
    }

    /// The next key of a request, or one that was never written where the plan wants reads to miss.
    #[inline]
    fn push_key(&mut self, shape: &Shape, keys: &mut Vec<u64>) {
        let key = self.next_key_beside(shape.kind.makes_new_keys(), keys);
        let may_miss = self.hit_share < u64::MAX && shape.kind.is_read();
        let misses = may_miss && self.rng.next_u64() > self.hit_share;
        keys.push(if misses { self.absent_from + key } else { key });
    }

    /// The keys of a request behind its first one. Apart, so that requests for one key are drawn without a loop.
    #[inline(never)]
    fn push_further_keys(&mut self, shape: &Shape, keys: &mut Vec<u64>) {
        for _ in 1..shape.keys_per_request {
            self.push_key(shape, keys);
        }
    }

    #[inline]
    fn next_operation(&mut self) -> usize {
        if self.ends.len() == 1 {
            return 0;
        }
        self.draw_operation()
    }

    fn draw_operation(&mut self) -> usize {
        let drawn = self.rng.next_u64();
        self.ends.iter().position(|&end| drawn <= end).unwrap_or(0)
    }
}

impl Feed {
    /// Draws an operation and fills in its keys. Returns its index and what tells it apart from others of the same key. A
    /// sequence that has ended stays at its end: the budget ends the phase with it.
    #[inline]
    pub(crate) fn next(&mut self, operations: &[Shape], keys: &mut Vec<u64>) -> (usize, u64) {
        keys.clear();
        match self {
            Self::Mix(mix) => mix.next(operations, keys),
            Self::Sequence(sequence) => (0, sequence.next(keys)),
            Self::Replay(replay) => replay.next(keys),
        }
    }

    /// Offers what was lost with its connection. True when it comes again: of a sequence everything matters, of a mix
    /// the loss is what was to be measured.
    pub(crate) fn take_back(&mut self, key: u64, word: u64) -> bool {
        let Self::Sequence(Sequence { returned, patience, key_count, items, .. }) = self else {
            return false;
        };
        let is_taken = *patience > 0;
        if is_taken {
            *patience -= 1;
            let key = items.as_ref().map_or(key, |items| items.number_of(key));
            returned.push(word * *key_count + key);
        }
        is_taken
    }

    pub(crate) fn has_returned_keys(&self) -> bool {
        matches!(self, Self::Sequence(sequence) if !sequence.returned.is_empty())
    }
}
