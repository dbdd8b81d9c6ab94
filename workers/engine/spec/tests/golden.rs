//! The golden files that cargo and pytest both read.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use std::path::{Path, PathBuf};

use loadstone_spec::events::Event;
use loadstone_spec::{read_plan, schema};
use serde_json::Value;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/golden")
}

fn files(prefix: &str, suffix: &str) -> Vec<PathBuf> {
    let matches = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(prefix) && name.ends_with(suffix) && !name.ends_with(".schema.json")
    };
    let found: Vec<PathBuf> =
        std::fs::read_dir(golden()).unwrap().map(|entry| entry.unwrap().path()).filter(matches).collect();
    assert!(!found.is_empty(), "no golden file {prefix}*{suffix}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn golden_plans_can_be_run_and_survive_a_round_trip() {
    for path in files("plan-", ".json") {
        let plan = read_plan(&read(&path)).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        let again = read_plan(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(plan, again, "{}", path.display());
    }
}

#[test]
fn bad_plans_are_refused_with_the_path_of_the_fault() {
    for path in files("bad-plan-", ".json") {
        let case: Value = serde_json::from_str(&read(&path)).unwrap();
        let fault = read_plan(&case["plan"].to_string()).unwrap_err();
        assert_eq!(fault.path, case["expected_path"].as_str().unwrap(), "{}: {fault}", path.display());
    }
}

#[test]
fn golden_events_are_those_of_this_contract() {
    for path in files("events-", ".ndjson") {
        for line in read(&path).lines() {
            let event: Event = serde_json::from_str(line).unwrap();
            let value: Value = serde_json::from_str(line).unwrap();
            assert_eq!(serde_json::to_value(&event).unwrap(), value);
        }
    }
}

/// `UPDATE_GOLDEN=1 cargo test` writes what has changed on purpose.
fn assert_checked_in(name: &str, document: &Value) {
    let path = golden().join(name);
    let text = format!("{document:#}\n");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let hint = "the schema has changed: write it with UPDATE_GOLDEN=1 cargo test -p loadstone-spec";
    assert!(path.exists() && read(&path) == text, "{name}: {hint}");
}

#[test]
fn the_schemas_checked_in_are_those_of_the_types() {
    assert_checked_in("plan.schema.json", &schema::plan_schema());
    assert_checked_in("events.schema.json", &schema::events_schema());
}

#[test]
fn custom_commands_are_accepted_and_refused_as_by_the_service() {
    let golden_plan = files("plan-closed-", "memcached.json").remove(0);
    let mut plan: Value = serde_json::from_str(&read(&golden_plan)).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&read(&golden().join("custom_commands.json"))).unwrap();
    for case in cases {
        plan["target"] =
            serde_json::json!({"protocol": case["protocol"], "address": plan["target"]["address"]});
        plan["operations"] = serde_json::json!([{"kind": "custom", "weight": 1, "command": case["command"]}]);
        let fault = read_plan(&plan.to_string()).err();
        let is_refused = fault.as_ref().is_some_and(|fault| fault.path == "$.operations[0].command");
        assert_eq!(is_refused, !case["accepted"].as_bool().unwrap(), "{case} {fault:?}");
        assert!(is_refused || fault.is_none(), "{case} {fault:?}");
    }
}

#[test]
fn the_list_of_custom_commands_is_the_services() {
    let service = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contracts/loadstone_contracts/custom_commands.json");
    assert_eq!(include_str!("../src/custom_commands.json"), read(&service));
}
