//! Events from records: quantiles, encoded histograms, totals, the verdict on the engine itself.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use loadstone_spec::events::{
    Distortion, ErrorClass, OperationNumbers, Pauses, PhaseTotals, Quantiles, Steadiness,
};
use loadstone_spec::plan::PhaseName;

use crate::driver::Shape;
use crate::hiccups::HostPauses;
use crate::record::{OperationRecord, RecordSet};
use crate::silence::count_hung;
use crate::times::{Times, new_histogram};
pub use crate::totals::LATE_AFTER_NS;
use crate::totals::ThreadTotals;
use crate::unanswered::{Unanswered, bounded_quantiles};

/// A load thread that slept less than this share of the time had no slack left.
pub const SATURATED_BUSY_SHARE: f64 = 0.95;
/// More arrivals than this share late by the loop's own doing: the loop could not keep the schedule.
const SATURATED_LATE_SHARE: f64 = 0.01;

/// What all records of a set say, for an event.
pub(crate) fn number_operations(operations: &[Shape], records: &RecordSet) -> Vec<OperationNumbers> {
    operations.iter().zip(records).map(|(operation, record)| number_operation(operation, record)).collect()
}

fn number_operation(operation: &Shape, record: &OperationRecord) -> OperationNumbers {
    let errors: BTreeMap<ErrorClass, u64> = ErrorClass::ALL
        .into_iter()
        .map(|class| (class, record.errors[class as usize]))
        .filter(|&(_, count)| count > 0)
        .collect();
    let (response, service) = (record.response.to_histogram(), record.service.to_histogram());
    let unanswered = record.unanswered.as_deref();
    let bounds = |times: fn(&Unanswered) -> &Times| {
        unanswered.map_or_else(new_histogram, |all| times(all).to_histogram())
    };
    let (late_response, late_service) = (bounds(|all| &all.response), bounds(|all| &all.service));
    OperationNumbers {
        operation: operation.kind,
        count: record.count,
        late: record.late,
        errors,
        retries: record.retries,
        hits: record.hits,
        misses: record.misses,
        bytes_sent: record.bytes_sent,
        bytes_received: record.bytes_received,
        response_time_ns: bounded_quantiles(&response, &late_response),
        service_time_ns: bounded_quantiles(&service, &late_service),
        response_histogram: encode(&response),
        service_histogram: encode(&service),
        unanswered: unanswered.map(Unanswered::counts).unwrap_or_default(),
        response_unanswered_histogram: encode_some(&late_response),
        service_unanswered_histogram: encode_some(&late_service),
    }
}

pub(crate) fn quantiles(histogram: &Histogram<u64>) -> Quantiles {
    bounded_quantiles(histogram, &new_histogram())
}

/// Nothing where the histogram is empty.
fn encode_some(histogram: &Histogram<u64>) -> String {
    if histogram.is_empty() { String::new() } else { encode(histogram) }
}

/// V2 + deflate + base64, as the public HdrHistogram tools read it.
pub(crate) fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and counts are far below the format's limit.
    let _ = V2DeflateSerializer::new().serialize(histogram, &mut bytes);
    STANDARD.encode(bytes)
}

/// A phase as its threads have accounted for it.
pub(crate) struct PhaseAccount<'a> {
    pub phase: PhaseName,
    pub operations: &'a [Shape],
    pub started_at_unix_ns: u64,
    pub engine_cpu_ns: u64,
    pub threads: &'a [ThreadTotals],
    pub records: &'a RecordSet,
    pub steadiness: Option<Steadiness>,
    /// When time was to end the phase.
    pub duration_ns: Option<u64>,
    pub host: &'a HostPauses,
}

impl PhaseAccount<'_> {
    pub(crate) fn elapsed_ns(&self) -> u64 {
        self.threads.iter().map(|thread| thread.elapsed_ns).max().unwrap_or(0)
    }

    fn sum(&self, field: impl Fn(&ThreadTotals) -> u64) -> u64 {
        self.threads.iter().map(field).sum()
    }

    /// The totals of the phase.
    ///
    /// `saturated`: the busiest load thread was on a core, or waiting for one, 95 % of the time, so a quicker
    /// client would have sent more; or, in an open loop, more than 1 % of the arrivals left late although a
    /// connection was free. Time on a core comes from the scheduler and not from the loop: in a closed loop
    /// epoll mostly finds something ready, and only sleep proves that there was nothing to do.
    pub(crate) fn totals(&self) -> PhaseTotals {
        let sent = self.sum(|thread| thread.sent);
        let share = |count: u64| if sent == 0 { 0.0 } else { count as f64 / sent as f64 };
        let late_by_loop = share(self.sum(|thread| thread.late_by_loop));
        let busy = self.threads.iter().map(|thread| thread.busy_ns as f64 / thread.active_ns.max(1) as f64);
        let engine_busy_share = busy.fold(0.0, f64::max).min(1.0);
        PhaseTotals {
            phase: self.phase,
            started_at_unix_ns: self.started_at_unix_ns,
            elapsed_ns: self.elapsed_ns(),
            sent,
            answered: self.records.iter().map(|record| record.count).sum(),
            failed: self.records.iter().map(OperationRecord::failed).sum(),
            in_flight: self.sum(|thread| thread.in_flight),
            offered: self.sum(|thread| thread.offered),
            never_sent: self.sum(|thread| thread.never_sent),
            late_share: share(self.records.iter().map(|record| record.late).sum()),
            engine_cpu_ns: self.engine_cpu_ns,
            engine_busy_share,
            littles_law_residual: self.littles_law_residual(),
            saturated: engine_busy_share >= SATURATED_BUSY_SHARE || late_by_loop > SATURATED_LATE_SHARE,
            connections_renewed: self.sum(|thread| thread.connections_renewed),
            steadiness: self.steadiness,
            hung: count_hung(self.threads, self.records, self.duration_ns),
            distortion: Some(self.distortion()),
            replica_lag: None,
            operations: number_operations(self.operations, self.records),
        }
    }

    /// What engine and host may have added to the times.
    fn distortion(&self) -> Distortion {
        let merge = |times: fn(&ThreadTotals) -> Option<&Times>| {
            let mut histogram = new_histogram();
            for times in self.threads.iter().filter_map(times) {
                // All histograms share their bounds, the only thing that addition could refuse.
                let _ = histogram.add(times.to_histogram());
            }
            encode(&histogram)
        };
        let is_timed = self.threads.iter().any(|thread| thread.lateness.is_some());
        Distortion {
            lateness_histogram: is_timed.then(|| merge(|thread| thread.lateness.as_deref())),
            pauses: Pauses {
                watched_ns: self.sum(|thread| thread.active_ns),
                load_histogram: merge(|thread| thread.pauses.as_deref()),
                probes: self.host.probes,
                host_histogram: encode(&self.host.pauses.to_histogram()),
            },
            awake_ns: self.sum(|thread| thread.awake_ns),
        }
    }

    /// Mean in flight is observed by the loop, throughput x mean service time is the sum of service times over
    /// the span, waits without an answer among them. They part where time under way was never recorded: failures, and the
    /// client's own work between reading and sending.
    fn littles_law_residual(&self) -> f64 {
        let observed: f64 = self.threads.iter().map(|thread| thread.in_flight_integral).sum();
        let under_way = |record: &OperationRecord| {
            record.service_sum_ns
                + record.unanswered.as_ref().map_or(0, |unanswered| unanswered.service_sum_ns)
        };
        let recorded: f64 = self.records.iter().map(|record| under_way(record) as f64).sum();
        if observed > 0.0 { (observed - recorded) / observed } else { 0.0 }
    }
}
