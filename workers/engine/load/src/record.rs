//! What a load thread notes down, and how it passes to the reports.

use loadstone_spec::events::ErrorClass;

use crate::times::Times;

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
    }
}

/// The records of all operations of a phase, as they pass from a load thread to the reports and back.
pub(crate) type RecordSet = Vec<OperationRecord>;

pub(crate) fn new_set(operations: usize) -> RecordSet {
    (0..operations).map(|_| OperationRecord::new()).collect()
}

pub(crate) fn add_set(sum: &mut RecordSet, set: &RecordSet) {
    sum.iter_mut().zip(set).for_each(|(mine, theirs)| mine.add(theirs));
}

pub(crate) fn clear_set(set: &mut RecordSet) {
    set.iter_mut().for_each(OperationRecord::clear);
}
