//! Requests without an answer: how long each has waited at least, and what is then known of a quantile.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use loadstone_spec::events::{Bound, BoundKind, Quantiles, UnansweredCause, UnansweredCounts};

use crate::flights::Flight;
use crate::phase::PhaseState;
use crate::times::Times;

/// More arrivals that were never sent than this are noted in groups, each at the shortest wait of the group.
const MOST_NOTED: u64 = 1 << 20;
/// Beyond so many, arrivals without a closed form count as due at the very end: computing each would take seconds.
const MOST_COMPUTED: u64 = 10_000_000;

const QUANTILES: [(&str, f64); 6] =
    [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("max", 1.0)];

/// Lower bounds of the times of one operation's requests that have no answer.
#[derive(Debug, Clone)]
pub(crate) struct Unanswered {
    pub causes: [u64; UnansweredCause::ALL.len()],
    pub response: Times,
    pub service: Times,
    /// How long all of them together were under way.
    pub service_sum_ns: u64,
}

impl Unanswered {
    pub(crate) fn new() -> Self {
        let causes = [0; UnansweredCause::ALL.len()];
        Self { causes, response: Times::new(), service: Times::new(), service_sum_ns: 0 }
    }

    pub(crate) fn note(
        &mut self,
        cause: UnansweredCause,
        count: u64,
        waited_ns: u64,
        sent_ago_ns: Option<u64>,
    ) {
        self.causes[cause as usize] += count;
        self.response.record_n(waited_ns, count);
        if let Some(sent_ago_ns) = sent_ago_ns {
            self.service.record_n(sent_ago_ns, count);
            self.service_sum_ns += sent_ago_ns * count;
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.causes.iter_mut().zip(other.causes).for_each(|(mine, theirs)| *mine += theirs);
        self.response.add(&other.response);
        self.service.add(&other.service);
        self.service_sum_ns += other.service_sum_ns;
    }

    pub(crate) fn counts(&self) -> UnansweredCounts {
        let all = UnansweredCause::ALL.into_iter().map(|cause| (cause, self.causes[cause as usize]));
        all.filter(|&(_, count)| count > 0).collect()
    }
}

/// Quantiles by nearest rank over both histograms. Of N requests the one of rank r = ceil(qN) took at least the r-th of all
/// values, bounds among them, and at most the r-th answer where there are so many (Turnbull 1976, Manski 2003).
pub fn bounded_quantiles(answered: &Histogram<u64>, unanswered: &Histogram<u64>) -> Quantiles {
    let mut found = Quantiles::default();
    for (name, quantile) in QUANTILES {
        let (value, bound) = bounded_quantile(answered, unanswered, quantile);
        let place = match name {
            "p50" => &mut found.p50,
            "p90" => &mut found.p90,
            "p95" => &mut found.p95,
            "p99" => &mut found.p99,
            "p999" => &mut found.p999,
            _ => &mut found.max,
        };
        *place = value;
        found.bounds.extend(bound.map(|bound| (name.to_owned(), bound)));
    }
    found
}

/// One quantile: its value, or the least that it can be with what is known of its upper end.
pub fn bounded_quantile(
    answered: &Histogram<u64>,
    unanswered: &Histogram<u64>,
    quantile: f64,
) -> (Option<u64>, Option<Bound>) {
    if unanswered.is_empty() {
        let exact = if quantile >= 1.0 { answered.max() } else { answered.value_at_quantile(quantile) };
        return ((!answered.is_empty()).then_some(exact), None);
    }
    let total = answered.len() + unanswered.len();
    let rank = ((quantile * total as f64).ceil() as u64).clamp(1, total);
    let lower = value_of_rank(&[answered, unanswered], rank);
    let upper = (rank <= answered.len()).then(|| value_of_rank(&[answered], rank));
    match upper {
        Some(upper) if answered.equivalent(lower, upper) => (Some(answered.highest_equivalent(upper)), None),
        Some(upper) => {
            let to_ns = Some(answered.highest_equivalent(upper));
            (Some(answered.lowest_equivalent(lower)), Some(Bound { kind: BoundKind::Between, to_ns }))
        }
        None => {
            (Some(answered.lowest_equivalent(lower)), Some(Bound { kind: BoundKind::AtLeast, to_ns: None }))
        }
    }
}

/// The value at a rank of several histograms of the same classes, put together.
fn value_of_rank(histograms: &[&Histogram<u64>], rank: u64) -> u64 {
    let mut counts = BTreeMap::new();
    for histogram in histograms {
        for step in histogram.iter_recorded() {
            *counts.entry(step.value_iterated_to()).or_insert(0) += step.count_since_last_iteration();
        }
    }
    let mut seen = 0;
    for (value, count) in counts {
        seen += count;
        if seen >= rank {
            return value;
        }
    }
    0
}

impl PhaseState {
    /// Notes a request that is still waiting at the end.
    pub(crate) fn note_waiting(&mut self, flight: &Flight, now_ns: u64) {
        self.records[usize::from(flight.operation)].leave(UnansweredCause::InFlight, flight, now_ns);
    }

    /// Notes what was due and could not be sent until sending ceased.
    pub(crate) fn note_never_sent(&mut self) {
        let left = self.offered().saturating_sub(self.sent);
        self.never_sent = left;
        let group = left.div_ceil(MOST_NOTED).max(1);
        let (mut noted, ceased_ns) = (0, self.ceased_ns);
        while noted < left {
            let count = group.min(left - noted);
            let Some(arrivals) = &mut self.work.arrivals else { return };
            let due_ns = if noted < MOST_COMPUTED || arrivals.is_even() {
                arrivals.take_last_of(count)
            } else {
                ceased_ns
            };
            let index = if self.records.len() > 1 { self.draw().0 } else { 0 };
            let unanswered =
                self.records[index].unanswered.get_or_insert_with(|| Box::new(Unanswered::new()));
            unanswered.note(UnansweredCause::NeverSent, count, ceased_ns.saturating_sub(due_ns), None);
            noted += count;
        }
    }
}

#[cfg(test)]
#[path = "unanswered_tests.rs"]
mod tests;
