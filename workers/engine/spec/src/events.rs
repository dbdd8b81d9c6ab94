//! What the engine writes on stdout, one JSON object a line.
//!
//! Histograms are HdrHistogram V2 compressed (deflate), base64, values in nanoseconds, 3 significant
//! digits, 1 ns to 10 h.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{OperationKind, PhaseName};
pub use crate::unanswered::{
    Bound, BoundKind, Distortion, HungConnections, Pauses, UnansweredCause, UnansweredCounts,
};

/// The version of the events that this engine writes.
pub const EVENT_SCHEMA_VERSION: u32 = 1;

/// How the engine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Ok = 0,
    /// A fault of the engine itself, or of its output stream.
    Internal = 1,
    BadPlan = 2,
    TargetUnreachable = 3,
    Stopped = 4,
    TargetRefused = 5,
}

/// Why an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// No answer within the plan's `timeout_ms`.
    Timeout,
    /// Reset or closed by the target; operations in flight count as failed.
    ConnectionLost,
    /// The target answered with an error (out of memory, read-only, ...).
    Refused,
    /// An answer that is not of this protocol.
    Protocol,
    /// Verify found other bytes than were written.
    WrongValue,
}

impl ErrorClass {
    /// Every class, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Timeout, Self::ConnectionLost, Self::Refused, Self::Protocol, Self::WrongValue];
}

/// In nanoseconds, over answered and unanswered requests. All null when there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantiles {
    #[schemars(required)]
    pub p50: Option<u64>,
    #[schemars(required)]
    pub p90: Option<u64>,
    #[schemars(required)]
    pub p95: Option<u64>,
    #[schemars(required)]
    pub p99: Option<u64>,
    #[schemars(required)]
    pub p999: Option<u64>,
    #[schemars(required)]
    pub max: Option<u64>,
    /// By the name of a quantile that unanswered requests touch. Its value above is then the least that it can be; one that
    /// is not here is exact.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bounds: BTreeMap<String, Bound>,
}

/// One operation within one span of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationNumbers {
    pub operation: OperationKind,
    /// Answered operations; errors are apart.
    pub count: u64,
    /// Sent after the intended start because the engine or the connection was busy (open loop).
    pub late: u64,
    pub errors: BTreeMap<ErrorClass, u64>,
    /// How often operations were sent again after a fault; none of these counts as an operation or an error.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u64,
    pub hits: u64,
    pub misses: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub response_time_ns: Quantiles,
    pub service_time_ns: Quantiles,
    pub response_histogram: String,
    pub service_histogram: String,
    /// How many have no answer, by cause. Those timed out or lost are among `errors`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unanswered: UnansweredCounts,
    /// How long each of them has waited at least since its intended start; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub response_unanswered_histogram: String,
    /// The same since it was sent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub service_unanswered_histogram: String,
}

/// The first event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    pub engine: String,
    pub engine_version: String,
    /// SHA-256, hexadecimal, of the plan with defaults filled in and without its password.
    pub plan_hash: String,
    pub pid: u32,
    pub threads: u32,
    pub cpus: Vec<u32>,
}

/// Whether a phase begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseState {
    Started,
    Finished,
}

/// A phase begins or ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseChange {
    pub phase: PhaseName,
    pub state: PhaseState,
    pub at_unix_ns: u64,
}

/// One second of a phase; the last one of a phase may be shorter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Counts up from 0 over the whole engine process, no gap.
    pub seq: u64,
    pub phase: PhaseName,
    /// The end of the second.
    pub at_unix_ns: u64,
    /// Since the phase started.
    pub elapsed_ns: u64,
    pub duration_ns: u64,
    pub in_flight: u64,
    /// Connections in force in the middle of the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Mean rate that the schedule offered in the second (open loop).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_per_s: Option<f64>,
    /// Where the plan asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_lag: Option<LagNumbers>,
    pub operations: Vec<OperationNumbers>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Something a person should know about the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    pub code: String,
    pub message: String,
}

/// How far a replica was behind: from the acknowledgement of a write until a read there has returned it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LagNumbers {
    /// Markers that were found.
    pub count: u64,
    /// Markers that were not found within the plan's `timeout_ms`.
    pub timed_out: u64,
    /// Probes that could not be made.
    pub failed: u64,
    pub lag_ns: Quantiles,
    pub lag_histogram: String,
}

/// How a warmup that ends when it is steady came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steadiness {
    /// False when time ran out first.
    pub is_steady: bool,
    pub after_s: f64,
    /// Coefficient of variation of the last window; null when there was no whole window.
    #[schemars(required)]
    pub variation: Option<f64>,
    /// How far the line fitted to the last window moves within it, as a share of its mean, with its sign.
    #[schemars(required)]
    pub drift: Option<f64>,
}

/// A whole phase. Conservation holds: sent = answered + failed + in_flight, and offered = sent + never_sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseTotals {
    pub phase: PhaseName,
    pub started_at_unix_ns: u64,
    /// Until sending ceased, or until the last answer where a number of operations ends the phase.
    pub elapsed_ns: u64,
    pub sent: u64,
    pub answered: u64,
    pub failed: u64,
    pub in_flight: u64,
    /// Arrivals that were due (open loop); equals `sent` in a closed loop.
    pub offered: u64,
    /// Of those due, how many could not leave (open loop).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub never_sent: u64,
    pub late_share: f64,
    /// User and system time of all the engine's threads during the phase.
    pub engine_cpu_ns: u64,
    /// Of the busiest load thread: time not spent waiting for events, 0 to 1.
    pub engine_busy_share: f64,
    /// (mean in flight - throughput x mean service time) / mean in flight.
    pub littles_law_residual: f64,
    /// The engine, not the target, was the bottleneck.
    pub saturated: bool,
    /// Connections that were closed and opened anew because the plan says so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub connections_renewed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steadiness: Option<Steadiness>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hung: Option<HungConnections>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distortion: Option<Distortion>,
    /// Where the plan asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_lag: Option<LagNumbers>,
    pub operations: Vec<OperationNumbers>,
}

/// The end of a run that measured something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub plan_hash: String,
    /// True when a signal or the end of stdin ended the run before its stop rule.
    pub stopped: bool,
    pub phases: Vec<PhaseTotals>,
}

/// Stable codes of what ends a run badly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    BadPlan,
    TargetUnreachable,
    TargetRefused,
    TargetLost,
    CpusUnavailable,
    EngineInternal,
}

impl FailureCode {
    /// The exit code that goes with it.
    pub fn exit(self) -> Exit {
        match self {
            Self::BadPlan | Self::CpusUnavailable => Exit::BadPlan,
            Self::TargetUnreachable | Self::TargetLost => Exit::TargetUnreachable,
            Self::TargetRefused => Exit::TargetRefused,
            Self::EngineInternal => Exit::Internal,
        }
    }
}

/// The last event of a run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub code: FailureCode,
    pub message: String,
    /// JSON path of the fault, for `bad_plan` and `cpus_unavailable`.
    #[serde(default)]
    pub path: Option<String>,
}

/// One line of stdout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Hello(Hello),
    Phase(PhaseChange),
    Sample(Sample),
    Warning(Warning),
    Summary(Summary),
    Error(Failure),
}
