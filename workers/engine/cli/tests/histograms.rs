//! `hdr` says of files what the run said of itself.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use support::{Said, Store, engine, plan};

fn hdr(arguments: &[&str], files: &[&Path]) -> Output {
    engine().arg("hdr").args(arguments).args(files).output().unwrap()
}

fn hdr_json(files: &[&Path]) -> Value {
    let output = hdr(&["--json"], files);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn logs_and_events_give_the_percentiles_of_the_summary_and_are_merged() {
    let store = Store::memcached(&[]).ready();
    let directory = tempfile::TempDir::new().unwrap();
    let [plan_file, log, events] =
        ["plan.json", "run.hlog", "events.ndjson"].map(|name| directory.path().join(name));
    let mut plan = plan("memcached", store.port);
    plan["phases"][1]["stop"] = json!({"seconds": 1.2});
    std::fs::write(&plan_file, plan.to_string()).unwrap();
    let output = engine().arg("run").arg("--plan").arg(&plan_file).arg("--hlog").arg(&log).output().unwrap();
    std::fs::write(&events, &output.stdout).unwrap();
    let said = Said::new(output);
    let get = &said.measured().operations[0];
    let from_log = hdr_json(&[&log]);
    assert_eq!(from_log, hdr_json(&[&events]));
    let response = &from_log["get.response"];
    assert_eq!(response["count"], get.count);
    for (name, value) in [("p50", get.response_time_ns.p50), ("p999", get.response_time_ns.p999)] {
        assert_eq!(response[name].as_u64(), value, "{name}");
    }
    assert_eq!(from_log["get.service"]["p99"].as_u64(), get.service_time_ns.p99);
    let both = hdr_json(&[&log, &events]);
    assert_eq!(both["get.response"]["count"], 2 * get.count);
    assert_eq!(both["get.response"]["p99"], response["p99"]);
    let table = String::from_utf8(hdr(&[], &[&log]).stdout).unwrap();
    assert!(table.lines().nth(1).unwrap().starts_with("get.response"), "{table}");
}

#[test]
fn a_file_without_histograms_is_refused_by_name() {
    let directory = tempfile::TempDir::new().unwrap();
    let file = directory.path().join("notes.txt");
    for text in ["", "{\"event\": 1}", "Tag=x,0.0,1.0,0.1,notbase64!\n", "no log at all\n"] {
        std::fs::write(&file, text).unwrap();
        let output = hdr(&[], &[&file]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("notes.txt"), "{text}");
    }
}
