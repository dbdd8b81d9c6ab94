//! What crosses the engine's process boundary: the plan it reads, the events it writes.
//!
//! The JSON Schemas checked in under `workers/contracts/golden` are generated from these types.

mod custom;
mod custom_sql;
mod event_loop;
pub mod events;
pub mod keys;
mod load;
mod operation;
pub mod plan;
mod protocol;
mod read;
pub mod schema;
pub mod trace;
mod unanswered;
mod validate;
mod validate_journal;
mod validate_keys;
mod validate_lag;
mod validate_load;
mod validate_operations;
mod validate_trace;
mod validate_workload;
mod workload;

pub use read::{PlanFault, hash_plan, read_document, read_plan};
