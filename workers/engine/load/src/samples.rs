//! One sample a second, made of what all threads noted down in it.

use std::collections::BTreeMap;

use loadstone_spec::events::Sample;
use loadstone_spec::plan::{EnginePlan, PhaseName};

use crate::driver::Shape;
use crate::record::{RecordSet, Room, add_set, clear_set};
use crate::report::number_operations;
use crate::setting::Setting;

const SECOND_NS: u64 = 1_000_000_000;

/// Gathers the seconds of one phase.
pub(crate) struct Samples<'a> {
    phase: PhaseName,
    setting: Setting<'a>,
    operations: Vec<Shape>,
    started_at_unix_ns: u64,
    /// The last second each thread has reported; all of them once it has finished.
    reported: Vec<u64>,
    waiting: BTreeMap<u64, Second>,
    room: Room,
    /// Empty sets for seconds to come.
    spares: Vec<RecordSet>,
    emitted: u64,
    /// Everything of the phase so far.
    pub total: RecordSet,
    /// What all answers of the second that was told last took together.
    pub service_sum_ns: u64,
}

struct Second {
    records: RecordSet,
    in_flight: u64,
}

impl<'a> Samples<'a> {
    pub(crate) fn new(
        plan: &'a EnginePlan,
        phase: PhaseName,
        operations: Vec<Shape>,
        started_at_unix_ns: u64,
        threads: usize,
    ) -> Self {
        let room = Room::of(plan);
        let (total, spares) = (room.new_set(), vec![room.new_set()]);
        let reported = vec![0; threads];
        let setting = Setting::new(plan, phase);
        let waiting = BTreeMap::new();
        let (emitted, service_sum_ns) = (0, 0);
        Self {
            phase,
            setting,
            operations,
            started_at_unix_ns,
            reported,
            waiting,
            room,
            spares,
            emitted,
            total,
            service_sum_ns,
        }
    }

    /// Takes one thread's second in.
    pub(crate) fn add(&mut self, thread: usize, index: u64, records: Option<&RecordSet>, in_flight: u64) {
        self.reported[thread] = index;
        let second = self.waiting.entry(index).or_insert_with(|| {
            let records = self.spares.pop().unwrap_or_else(|| self.room.new_set());
            Second { records, in_flight: 0 }
        });
        second.in_flight += in_flight;
        if let Some(records) = records {
            add_set(&mut second.records, records);
        }
    }

    /// A thread has finished: nothing of it is to be waited for any more. Its last records go into the sample
    /// that ends the phase.
    pub(crate) fn add_last(&mut self, thread: usize, records: &RecordSet, in_flight: u64) {
        self.add(thread, u64::MAX, Some(records), in_flight);
    }

    /// The next second that all threads have reported.
    pub(crate) fn next_complete(&mut self) -> Option<Sample> {
        let complete = self.reported.iter().min().copied().unwrap_or(0);
        let (&index, _) = self.waiting.first_key_value()?;
        if index > complete || index == u64::MAX {
            return None;
        }
        let elapsed_ns = index * SECOND_NS;
        self.take(index, elapsed_ns)
    }

    /// What is left when all threads have finished.
    pub(crate) fn last(&mut self, elapsed_ns: u64) -> Option<Sample> {
        self.take(u64::MAX, elapsed_ns.max(self.emitted + 1))
    }

    fn take(&mut self, index: u64, elapsed_ns: u64) -> Option<Sample> {
        let Second { mut records, in_flight } = self.waiting.remove(&index)?;
        add_set(&mut self.total, &records);
        self.service_sum_ns = records.iter().map(|record| record.service_sum_ns).sum();
        let operations = number_operations(&self.operations, &records);
        clear_set(&mut records);
        self.spares.push(records);
        let duration_ns = elapsed_ns - self.emitted;
        self.emitted = elapsed_ns;
        Some(Sample {
            seq: 0,
            phase: self.phase,
            at_unix_ns: self.started_at_unix_ns + elapsed_ns,
            elapsed_ns,
            duration_ns,
            in_flight,
            connections: Some(self.setting.connections(elapsed_ns, duration_ns)),
            offered_per_s: self.setting.offered_per_s(elapsed_ns, duration_ns),
            replica_lag: None,
            operations,
        })
    }
}
