//! The plan: target, dataset, operations, load and phases. Units stand last in every name.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::event_loop::EventLoop;
pub use crate::load::*;
pub use crate::operation::{Operation, OperationKind};
pub use crate::protocol::StoreProtocol;
use crate::trace::Recorded;
pub use crate::workload::*;

/// The version of the plan that this engine reads.
pub const PLAN_SCHEMA_VERSION: u32 = 1;
/// The largest value a dataset may hold.
pub const MAX_VALUE_BYTES: u64 = 64 * 1024 * 1024;

/// A part of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    Prefill,
    Warmup,
    Measure,
}

impl PhaseName {
    /// The name in plans and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Warmup => "warmup",
            Self::Measure => "measure",
        }
    }
}

/// A host name or IP address (v4 or v6) and a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpAddress {
    pub host: String,
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
}

/// A Unix socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnixAddress {
    pub path: String,
}

/// Where the target listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Address {
    Tcp(TcpAddress),
    Unix(UnixAddress),
}

/// TLS by rustls; `ca_pem` empty means the system's trust store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    pub server_name: String,
    #[serde(default)]
    pub ca_pem: Option<String>,
    #[serde(default = "yes")]
    pub verify_certificate: bool,
}

fn yes() -> bool {
    true
}

/// Which of the target's databases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Database {
    Number(u32),
    Name(String),
}

/// The store under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineTarget {
    pub protocol: StoreProtocol,
    pub address: Address,
    #[serde(default)]
    pub username: Option<String>,
    #[serde(default)]
    pub password: Option<String>,
    /// A number on Redis, a name elsewhere.
    #[serde(default)]
    pub database: Option<Database>,
    /// Table, collection or Memlink table; `loadstone` when left out.
    #[serde(default)]
    pub table: Option<String>,
    /// Where reads go when it is not `address`: a replica, or Memlink's read port.
    #[serde(default)]
    pub read_address: Option<Address>,
    #[serde(default)]
    pub tls: Option<Tls>,
}

/// Keys are `key_prefix` + zero-padded decimal index, `key_size_bytes` long in all, unless a template or a distribution
/// of lengths says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    #[schemars(range(min = 1, max = 10000000000u64))]
    pub key_count: u64,
    #[serde(default = "default_key_prefix")]
    #[schemars(length(max = 64), regex(pattern = "^[!-~]*$"))]
    pub key_prefix: String,
    #[serde(default = "default_key_size_bytes")]
    #[schemars(range(min = 1, max = 250))]
    pub key_size_bytes: u16,
    /// In place of prefix and size: text around `{index}`, or around `{index:8}` for eight digits, zeros in front.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub key_template: Option<String>,
    /// Lengths of keys in bytes, drawn per key, in place of `key_size_bytes`: the index has zeros in front of it.
    #[serde(default)]
    pub key_sizes: Option<ValueSize>,
    pub value_size: ValueSize,
    /// Entries that a prefill writes for each key, where operations work on lists.
    #[serde(default = "default_list_length")]
    #[schemars(range(min = 1, max = 1000000000))]
    pub list_length: u64,
    /// Share of the reads that ask for a key which was ever written.
    #[serde(default = "default_hit_ratio")]
    #[schemars(range(min = 0, max = 1))]
    pub hit_ratio: f64,
    /// Share of each value's bytes that are all the same.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub compressible_share: f64,
}

fn default_hit_ratio() -> f64 {
    1.0
}

fn default_list_length() -> u64 {
    1
}

pub(crate) fn default_key_prefix() -> String {
    "k".to_owned()
}

pub(crate) fn default_key_size_bytes() -> u16 {
    16
}

/// When a warmup has become steady: the coefficient of variation of the last `window_s` whole seconds is at most
/// `variation_max`, and the straight line fitted to them (least squares) moves by no more than the same share of their
/// mean from the first to the last of them. Looked at is the throughput in a closed loop, in an open loop (where the
/// throughput is given) the mean service time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteadyRule {
    #[serde(default = "default_variation_max")]
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub variation_max: f64,
    #[serde(default = "default_window_s")]
    #[schemars(range(min = 3, max = 600))]
    pub window_s: u32,
    /// The warmup ends then, steady or not.
    #[serde(default = "default_max_seconds")]
    #[schemars(range(max = 130000), extend("exclusiveMinimum" = 0))]
    pub max_seconds: f64,
}

fn default_variation_max() -> f64 {
    0.05
}

fn default_window_s() -> u32 {
    10
}

fn default_max_seconds() -> f64 {
    300.0
}

/// Exactly one of them is set. A prefill has none: it ends when every key is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub seconds: Option<f64>,
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub operations: Option<u64>,
    /// Of a warmup alone.
    #[serde(default)]
    pub steady: Option<SteadyRule>,
}

/// One phase of the trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnginePhase {
    pub name: PhaseName,
    #[serde(default)]
    pub stop: Option<StopRule>,
}

/// How many keys beside those of the dataset markers take turns in.
pub const LAG_MARKERS: u64 = 1000;

/// The lag of the replica at `read_address` is measured: a marker is written, and looked for there until it is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplicaLag {
    #[serde(default = "default_probes_per_s")]
    #[schemars(range(max = 1000), extend("exclusiveMinimum" = 0))]
    pub probes_per_s: f64,
}

fn default_probes_per_s() -> f64 {
    10.0
}

/// What is sent was recorded: a file of lines `time,operation,key,size`, the time in seconds, the size of the value in
/// bytes or nothing. Its keys are sent as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    #[schemars(length(min = 1))]
    pub file: String,
}

/// What the engine reads on stdin: one JSON document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnginePlan {
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    #[serde(default)]
    pub label: String,
    pub target: EngineTarget,
    pub dataset: Dataset,
    #[schemars(length(min = 1))]
    pub operations: Vec<Operation>,
    #[serde(default)]
    pub access: Access,
    /// In place of a mix and an access distribution: what was recorded, in its order.
    #[serde(default)]
    pub trace: Option<Trace>,
    pub load: EngineLoad,
    #[serde(default = "default_threads")]
    #[schemars(range(min = 1, max = 256))]
    pub threads: u32,
    #[schemars(length(min = 1))]
    pub phases: Vec<EnginePhase>,
    #[schemars(range(min = 0, max = 9223372036854775807u64))]
    pub seed: u64,
    #[serde(default)]
    pub cpus: Vec<u32>,
    #[serde(default)]
    pub verify: bool,
    #[serde(default = "default_timeout_ms")]
    #[schemars(range(min = 1, max = 3600000))]
    pub timeout_ms: u64,
    /// When the first phase after prefill begins (a group of agents starts together).
    #[serde(default)]
    pub start_at_unix_ns: Option<u64>,
    /// A file that notes every acknowledged write, so that `audit` can look for them after a crash of the target. Every
    /// write then has a value of its own.
    #[serde(default)]
    pub journal: Option<String>,
    #[serde(default)]
    pub event_loop: EventLoop,
    /// Measures how far the replica at `read_address` is behind.
    #[serde(default)]
    pub replica_lag: Option<ReplicaLag>,
    /// The trace, once its file has been read.
    #[serde(skip)]
    pub recorded: Option<Arc<Recorded>>,
}

impl EnginePlan {
    /// Whether keys hold lists.
    pub fn is_of_lists(&self) -> bool {
        self.operations.iter().any(|operation| operation.kind.is_of_lists())
    }

    /// What a prefill sends for every key, or for every entry of every list.
    pub fn prefill_operation(&self) -> Operation {
        let kind = if self.is_of_lists() { OperationKind::ListInsertTail } else { OperationKind::Set };
        Operation::of_kind(kind)
    }

    /// The indexes of the markers: behind all keys that are there, and those that are asked for in vain.
    pub fn lag_markers(&self) -> std::ops::Range<u64> {
        let start = 16 * self.dataset.key_count;
        start..start + LAG_MARKERS
    }

    /// How many operations a prefill takes.
    pub fn prefill_count(&self) -> u64 {
        if let Some(recorded) = &self.recorded {
            return recorded.key_count();
        }
        self.dataset.key_count * if self.is_of_lists() { self.dataset.list_length } else { 1 }
    }
}

fn default_threads() -> u32 {
    1
}

fn default_timeout_ms() -> u64 {
    5000
}
