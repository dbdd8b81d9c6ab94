//! What crosses the engine's process boundary: the plan it reads, the events it writes.
//!
//! The JSON Schemas checked in under `workers/contracts/golden` are generated from these types.

pub mod events;
mod operation;
pub mod plan;
mod protocol;
mod read;
pub mod schema;
mod validate;
mod validate_journal;
mod validate_operations;
mod validate_workload;
mod workload;

pub use read::{PlanFault, hash_plan, read_document, read_plan};
