//! The JSON Schemas of plan and events.

use serde_json::Value;

use crate::events::Event;
use crate::plan::EnginePlan;

/// The JSON Schema of a plan.
pub fn plan_schema() -> Value {
    schemars::schema_for!(EnginePlan).to_value()
}

/// The JSON Schema of one line of events.
pub fn events_schema() -> Value {
    schemars::schema_for!(Event).to_value()
}
