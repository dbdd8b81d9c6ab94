//! What the events say of requests that have no answer, and of what the engine and its host added to the times.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnansweredCause {
    /// No answer within the plan's `timeout_ms`.
    TimedOut,
    /// The connection ended first.
    ConnectionLost,
    /// Still waiting when the phase and the wait for its last answers were over.
    InFlight,
    /// Due, but no connection could take it (open loop).
    NeverSent,
}

impl UnansweredCause {
    /// Every cause, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::TimedOut, Self::ConnectionLost, Self::InFlight, Self::NeverSent];

    /// Its name in the events.
    pub fn name(self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::ConnectionLost => "connection_lost",
            Self::InFlight => "in_flight",
            Self::NeverSent => "never_sent",
        }
    }
}

/// How many requests have no answer, by cause. Causes without a request are left out.
pub type UnansweredCounts = BTreeMap<UnansweredCause, u64>;

/// What is known of a quantile that is not one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundKind {
    /// The value is the least that it can be.
    AtLeast,
    /// It lies between the value and `to_ns`.
    Between,
}

/// The upper end of a quantile that requests without an answer touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    pub kind: BoundKind,
    /// Null where there is none.
    #[schemars(required)]
    pub to_ns: Option<u64>,
}

/// Connections that waited long for an answer: a tenth of the phase, at least 0.1 s and at most 1 s, and ten times the median.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HungConnections {
    pub connections: u64,
    /// The longest time from a request until the next answer on its connection, or until the end.
    pub longest_ns: u64,
    /// From where on a wait counts.
    pub threshold_ns: u64,
}

/// Pauses of the load threads and of their host in one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pauses {
    /// Time of all load threads together in which a pause would have been noticed.
    pub watched_ns: u64,
    /// Lengths of the pauses between two steps of a load thread that do not wait, and of late wake-ups.
    pub load_histogram: String,
    /// How often the host was probed.
    pub probes: u64,
    /// How much longer than asked for the probes slept: what a request at any time would have met. The engine's own work on
    /// the cores and the usual time of a wake-up are taken off.
    pub host_histogram: String,
}

/// What the engine and its host may have added to the times of one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distortion {
    /// From when a request could have left (its intended start, or when a connection was free) until it left. Absent where
    /// requests leave as soon as others are answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness_histogram: Option<String>,
    pub pauses: Pauses,
    /// Processor time spent on waiting awake for a request's time.
    pub awake_ns: u64,
}
