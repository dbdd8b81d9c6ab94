//! How hard the target is driven: connections, rates, and how both change with time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::ErrorClass;

/// So many connections for so long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionStep {
    #[schemars(range(min = 1, max = 100000))]
    pub connections: u32,
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
}

/// What failed is sent again, as the same operation: it counts once, its response time from the first intended start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retries {
    /// How often an operation is sent again at most.
    #[schemars(range(min = 1, max = 100))]
    pub attempts: u8,
    /// After which faults: `timeout`, `connection_lost`, `refused`.
    #[schemars(length(min = 1))]
    pub on: Vec<ErrorClass>,
}

/// `connections` each keep `pipeline` requests under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClosedLoad {
    #[schemars(range(min = 1, max = 100000))]
    pub connections: u32,
    #[serde(default = "default_pipeline")]
    #[schemars(range(min = 1, max = 1000))]
    pub pipeline: u32,
    /// How long a connection pauses between a reply and its next request.
    #[serde(default)]
    #[schemars(range(max = 3600000000u64))]
    pub think_time_us: u64,
    /// After so many requests a connection is closed and opened anew; its opening is part of the response time.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub requests_per_connection: Option<u32>,
    /// So many connections a second, over all, are closed and opened anew, each in its turn.
    #[serde(default)]
    #[schemars(range(max = 100000), extend("exclusiveMinimum" = 0))]
    pub churn_per_s: Option<f64>,
    /// Connections in force one after the other in the measured phase, at most `connections`; the last number stays.
    /// A prefill uses all, a warmup as many as the first step.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub connection_steps: Vec<ConnectionStep>,
    #[serde(default)]
    pub retries: Option<Retries>,
    /// Let the replies of a pipeline gather before they are read: fewer wake-ups of the engine, but a reply counts as
    /// late as the last one that it was gathered with.
    #[serde(default)]
    pub gather_replies: bool,
}

/// The same rate for a while; 0 is a pause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantRate {
    #[schemars(range(min = 0, max = 100000000))]
    pub rate_per_s: f64,
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
}

/// From one rate to another in a straight line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RampRate {
    #[schemars(range(min = 0, max = 100000000))]
    pub from_per_s: f64,
    #[schemars(range(min = 0, max = 100000000))]
    pub to_per_s: f64,
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
}

/// `base_per_s + amplitude_per_s * sin(2 pi t / period_s)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinusRate {
    #[schemars(range(max = 100000000), extend("exclusiveMinimum" = 0))]
    pub base_per_s: f64,
    /// At most `base_per_s`.
    #[schemars(range(max = 100000000), extend("exclusiveMinimum" = 0))]
    pub amplitude_per_s: f64,
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub period_s: f64,
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub seconds: f64,
}

/// A piece of a rate over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RateSegment {
    Constant(ConstantRate),
    Ramp(RampRate),
    Sinus(SinusRate),
}

/// The rate as a function of the time since the measured phase began: segments one after the other, then the last
/// rate for ever, or all segments again. A warmup stays at the rate of the beginning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateProfile {
    #[schemars(length(min = 1, max = 1000))]
    pub segments: Vec<RateSegment>,
    #[serde(default)]
    pub repeats: bool,
}

/// Arrivals follow a schedule; `pipeline` bounds what one connection has in flight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenLoad {
    #[schemars(range(min = 1, max = 100000))]
    pub connections: u32,
    #[serde(default = "default_pipeline")]
    #[schemars(range(min = 1, max = 1000))]
    pub pipeline: u32,
    /// Exactly one of this and `rate`, none of them with recorded arrivals.
    #[serde(default)]
    #[schemars(range(max = 100000000), extend("exclusiveMinimum" = 0))]
    pub rate_per_s: Option<f64>,
    #[serde(default)]
    pub rate: Option<RateProfile>,
    #[serde(default)]
    pub arrivals: Arrivals,
    /// How many arrivals come at once where they are bursty: bursts are `burst_size / rate` apart.
    #[serde(default)]
    #[schemars(range(min = 2, max = 1000000))]
    pub burst_size: Option<u32>,
    /// How many times faster than recorded, where arrivals are.
    #[serde(default)]
    #[schemars(range(max = 1000000), extend("exclusiveMinimum" = 0))]
    pub speed: Option<f64>,
    /// After so many requests a connection is closed and opened anew; its opening is part of the response time.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub requests_per_connection: Option<u32>,
    /// So many connections a second, over all, are closed and opened anew, each in its turn.
    #[serde(default)]
    #[schemars(range(max = 100000), extend("exclusiveMinimum" = 0))]
    pub churn_per_s: Option<f64>,
    #[serde(default)]
    pub retries: Option<Retries>,
}

fn default_pipeline() -> u32 {
    1
}

/// How arrivals of an open loop are spaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    #[default]
    Constant,
    Poisson,
    /// `burst_size` at once.
    Bursty,
    /// As the plan's trace has them.
    Recorded,
}

/// How hard the target is driven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EngineLoad {
    Closed(ClosedLoad),
    Open(OpenLoad),
}

impl EngineLoad {
    /// Connections over all threads; the most where their number changes.
    pub fn connections(&self) -> u32 {
        match self {
            Self::Closed(load) => load.connections,
            Self::Open(load) => load.connections,
        }
    }

    /// How the number of connections changes; empty when it does not.
    pub fn connection_steps(&self) -> &[ConnectionStep] {
        match self {
            Self::Closed(load) => &load.connection_steps,
            Self::Open(_) => &[],
        }
    }

    /// How many requests one connection lives for.
    pub fn requests_per_connection(&self) -> Option<u32> {
        match self {
            Self::Closed(load) => load.requests_per_connection,
            Self::Open(load) => load.requests_per_connection,
        }
    }

    /// How many connections are opened anew each second.
    pub fn churn_per_s(&self) -> Option<f64> {
        match self {
            Self::Closed(load) => load.churn_per_s,
            Self::Open(load) => load.churn_per_s,
        }
    }

    /// What is sent again.
    pub fn retries(&self) -> Option<&Retries> {
        match self {
            Self::Closed(load) => load.retries.as_ref(),
            Self::Open(load) => load.retries.as_ref(),
        }
    }

    /// How long a connection pauses before its next request.
    pub fn think_time_us(&self) -> u64 {
        match self {
            Self::Closed(load) => load.think_time_us,
            Self::Open(_) => 0,
        }
    }

    /// Whether replies may wait for others before they are read.
    pub fn gathers_replies(&self) -> bool {
        matches!(self, Self::Closed(load) if load.gather_replies)
    }

    /// Most requests one connection may have under way.
    pub fn pipeline(&self) -> u32 {
        match self {
            Self::Closed(load) => load.pipeline,
            Self::Open(load) => load.pipeline,
        }
    }
}
