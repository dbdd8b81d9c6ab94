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
