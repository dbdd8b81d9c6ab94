//! Connections that wait long for an answer: which, for how long, and what an answer ends.

use loadstone_spec::events::HungConnections;

use crate::driver::Driver;
use crate::flights::Flight;
use crate::link::Link;
use crate::phase::PhaseState;
use crate::record::RecordSet;
use crate::times::new_histogram;
use crate::totals::ThreadTotals;

const MILLISECOND_NS: u64 = 1_000_000;
const SHORTEST_HANG_NS: u64 = 100 * MILLISECOND_NS;
const LONGEST_HANG_NS: u64 = 1000 * MILLISECOND_NS;
/// A tenth of the phase is long ...
const PHASE_SHARE: u64 = 10;
/// ... unless the store is that slow anyway.
const MEDIANS: u64 = 10;

/// From where on a wait counts as hanging.
pub(crate) fn hang_ns(duration_ns: Option<u64>) -> u64 {
    duration_ns.map_or(LONGEST_HANG_NS, |ns| (ns / PHASE_SHARE).clamp(SHORTEST_HANG_NS, LONGEST_HANG_NS))
}

impl PhaseState {
    /// Looks at an answer that is the first of its connection, or that took long.
    #[cold]
    pub(crate) fn note_silence<D: Driver>(&self, link: &mut Link<D>, flight: &Flight, now_ns: u64) {
        link.has_answered = true;
        link.back_off_ns = 0;
        let since_ns = link.silent_since_ns.take().unwrap_or(flight.sent_ns);
        link.longest_silence_ns = link.longest_silence_ns.max(now_ns.saturating_sub(since_ns));
    }

    /// The end of the phase for a connection: what it still waits for counts until now.
    pub(crate) fn end_silence<D: Driver>(&self, link: &mut Link<D>, now_ns: u64) {
        let asked_ns = link.flights.front().map(|flight| flight.sent_ns);
        let until_ns = if asked_ns.is_some() { now_ns } else { self.ceased_ns };
        if let Some(since_ns) = link.silent_since_ns.take().or(asked_ns) {
            link.longest_silence_ns = link.longest_silence_ns.max(until_ns.saturating_sub(since_ns));
        }
    }
}

/// The connections that hung, if the store is not as slow all the time.
pub(crate) fn count_hung(
    threads: &[ThreadTotals],
    records: &RecordSet,
    duration_ns: Option<u64>,
) -> Option<HungConnections> {
    let connections = threads.iter().map(|thread| thread.hung).sum();
    let longest_ns = threads.iter().map(|thread| thread.longest_silence_ns).max().unwrap_or(0);
    let mut answered = new_histogram();
    for record in records {
        // All histograms share their bounds, the only thing that addition could refuse.
        let _ = answered.add(record.service.to_histogram());
    }
    let is_usual = !answered.is_empty() && longest_ns < MEDIANS * answered.value_at_quantile(0.5);
    (connections > 0 && !is_usual).then(|| HungConnections {
        connections,
        longest_ns,
        threshold_ns: hang_ns(duration_ns),
    })
}
