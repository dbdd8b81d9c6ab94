//! What a load thread notes down, and how it passes to the reports.

use loadstone_spec::events::{ErrorClass, UnansweredCause};
use loadstone_spec::plan::EnginePlan;

use crate::flights::Flight;
use crate::times::Times;
use crate::unanswered::Unanswered;

/// Half of what an engine may take beside its connections.
const MOST_TOUCHED_BYTES: usize = 32 << 20;

/// Counts and times of one operation over some span.
#[derive(Debug, Clone)]
pub(crate) struct OperationRecord {
    pub count: u64,
    pub late: u64,
    pub hits: u64,
    pub misses: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub errors: [u64; ErrorClass::ALL.len()],
    /// Requests that were sent again.
    pub retries: u64,
    pub service_sum_ns: u64,
    pub response: Times,
    pub service: Times,
    /// Made with the first request that has no answer.
    pub unanswered: Option<Box<Unanswered>>,
}

impl OperationRecord {
    pub(crate) fn new() -> Self {
        Self {
            count: 0,
            late: 0,
            hits: 0,
            misses: 0,
            bytes_sent: 0,
            bytes_received: 0,
            errors: [0; ErrorClass::ALL.len()],
            retries: 0,
            service_sum_ns: 0,
            response: Times::new(),
            service: Times::new(),
            unanswered: None,
        }
    }

    #[inline]
    pub(crate) fn answer(&mut self, response_ns: u64, service_ns: u64) {
        self.count += 1;
        self.service_sum_ns += service_ns;
        self.response.record(response_ns);
        self.service.record(service_ns);
    }

    #[inline]
    pub(crate) fn fail(&mut self, class: ErrorClass) {
        self.errors[class as usize] += 1;
    }

    /// Notes a request that was sent and has no answer by now.
    #[cold]
    pub(crate) fn leave(&mut self, cause: UnansweredCause, flight: &Flight, now_ns: u64) {
        let unanswered = self.unanswered.get_or_insert_with(|| Box::new(Unanswered::new()));
        let waited_ns = now_ns.saturating_sub(flight.intended_ns);
        unanswered.note(cause, 1, waited_ns, Some(now_ns.saturating_sub(flight.sent_ns)));
    }

    pub(crate) fn failed(&self) -> u64 {
        self.errors.iter().sum()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.late += other.late;
        self.retries += other.retries;
        self.hits += other.hits;
        self.misses += other.misses;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.service_sum_ns += other.service_sum_ns;
        self.errors.iter_mut().zip(other.errors).for_each(|(mine, theirs)| *mine += theirs);
        self.response.add(&other.response);
        self.service.add(&other.service);
        if let Some(theirs) = &other.unanswered {
            self.unanswered.get_or_insert_with(|| Box::new(Unanswered::new())).add(theirs);
        }
    }

    /// Empties the record and keeps its memory.
    fn clear(&mut self) {
        self.response.clear();
        self.service.clear();
        for counter in [
            &mut self.count,
            &mut self.late,
            &mut self.retries,
            &mut self.hits,
            &mut self.misses,
            &mut self.bytes_sent,
            &mut self.bytes_received,
            &mut self.service_sum_ns,
        ] {
            *counter = 0;
        }
        self.errors.fill(0);
        self.unanswered = None;
    }
}

/// The records of all operations of a phase, as they pass from a load thread to the reports and back.
pub(crate) type RecordSet = Vec<OperationRecord>;

/// What record sets hold from the beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Sets pass between phases, so they all have room for the longest list of operations.
    pub operations: usize,
    /// Times up to this one have memory before they are measured.
    touched_ns: Option<u64>,
}

impl Room {
    /// Memory that is flat in the length of a run: times of all operations, up to the time-out, in each thread's two
    /// sets and the two of the reports. A run of so many operations and threads that this would be much takes it as
    /// it needs it.
    pub(crate) fn of(plan: &EnginePlan) -> Self {
        let operations = plan.operations.len();
        let longest_ns = plan.timeout_ms.saturating_mul(1_000_000);
        let sets = 2 * plan.threads as usize + 2;
        let bytes = sets * operations * 2 * Times::bytes_up_to(longest_ns);
        Self { operations, touched_ns: (bytes <= MOST_TOUCHED_BYTES).then_some(longest_ns) }
    }

    pub(crate) fn new_set(self) -> RecordSet {
        let mut set: RecordSet = (0..self.operations).map(|_| OperationRecord::new()).collect();
        if let Some(longest_ns) = self.touched_ns {
            let times = set.iter_mut().flat_map(|record| [&mut record.response, &mut record.service]);
            times.for_each(|times| times.touch(longest_ns));
        }
        set
    }
}

pub(crate) fn add_set(sum: &mut RecordSet, set: &RecordSet) {
    sum.iter_mut().zip(set).for_each(|(mine, theirs)| mine.add(theirs));
}

pub(crate) fn clear_set(set: &mut RecordSet) {
    set.iter_mut().for_each(OperationRecord::clear);
}
