//! The program by itself: every kind of target by flags, and the summary as one document.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use loadstone_bench::dialect::Dialect;
use loadstone_bench::programmed::{Program, start};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use support::{Store, await_true, engine};

fn run_json(command: &mut Command) -> (Value, i32) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {said}{}", String::from_utf8_lossy(&output.stdout)));
    (document, output.status.code().unwrap())
}

/// What whoever scripts the program relies on.
fn assert_summary(summary: &Value, operation: &str, answered: u64) {
    assert_eq!((&summary["sent"], &summary["answered"]), (&json!(answered), &json!(answered)), "{summary}");
    assert_eq!((&summary["failed"], &summary["in_flight"]), (&json!(0), &json!(0)), "{summary}");
    assert!(summary["elapsed_s"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(summary["engine_cpu_s"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(summary["saturated"].is_boolean(), "{summary}");
    let numbers = &summary["operations"][operation];
    assert_eq!((&numbers["count"], &numbers["errors"]), (&json!(answered), &json!({})), "{summary}");
    for times in ["response_time_ns", "service_time_ns"] {
        let names = ["p50", "p90", "p95", "p99", "p999", "max"];
        assert_eq!(numbers[times].as_object().unwrap().len(), names.len(), "{summary}");
        let all: Vec<u64> = names.iter().map(|name| numbers[times][name].as_u64().unwrap()).collect();
        assert!(all[0] > 0 && all.is_sorted(), "{times}: {all:?}");
    }
}

#[test]
fn every_kind_of_target_is_asked_by_flags() {
    for dialect in Dialect::ALL {
        let program = Program {
            dialect,
            service: Duration::from_micros(100),
            stall: Duration::ZERO,
            period: Duration::from_secs(1),
            spins: false,
            freeze: None,
        };
        let server = start(program).unwrap();
        let address = format!("127.0.0.1:{}", server.port);
        let target = format!("{}://{address}", dialect.name());
        let mut command = engine();
        command.args(["run", "--json", "--no-prefill", "--connections", "3", "--operations", "60"]);
        command.args(["--target", &target]);
        let operation = if dialect.name().starts_with("memlink") {
            command.args(["--mix", "range_first:20=1", "--read-from", &address]);
            "range_first"
        } else {
            "get"
        };
        let (summary, code) = run_json(&mut command);
        assert_eq!(code, 0, "{dialect:?}: {summary}");
        assert_summary(&summary, operation, 60);
    }
}

#[test]
fn bursts_of_flags_are_an_open_loop_of_the_same_rate() {
    let store = Store::redis(&[]).ready();
    let mut command = engine();
    command.args(["run", "--json", "--target", &format!("redis://127.0.0.1:{}", store.port)]);
    command.args(["--rate", "1000", "--burst", "50", "--seconds", "1", "--keys", "100"]);
    let (summary, code) = run_json(&mut command);
    assert_eq!((code, &summary["offered"]), (0, &json!(1000)));
    assert_summary(&summary, "get", 1000);
}

#[test]
fn the_lag_of_a_replica_is_measured_by_a_flag() {
    let store = Store::redis(&[]).ready();
    let replica = Store::redis(&["--replicaof", "127.0.0.1", &store.port.to_string()]).ready();
    await_true("the replica follows", || {
        String::from_utf8_lossy(&replica.say(b"INFO replication\r\n")).contains("master_link_status:up")
    });
    let mut command = engine();
    command.args(["run", "--json", "--target", &format!("redis://127.0.0.1:{}", store.port)]);
    command.args(["--read-from", &format!("127.0.0.1:{}", replica.port), "--replica-lag", "50"]);
    command.args(["--rate", "200", "--seconds", "1", "--keys", "100", "--mix", "get=1,set=1"]);
    let (summary, code) = run_json(&mut command);
    assert_eq!(code, 0, "{summary}");
    let lag = &summary["replica_lag"];
    assert!(lag["count"].as_u64().unwrap() > 5 && lag["lag_ns"]["p50"].as_u64().unwrap() > 0, "{lag}");
}

/// The document that a run prints when it is interrupted `after` its start.
fn interrupted(arguments: &[&str], after: Duration) -> Value {
    let mut child = engine()
        .args(["run", "--json"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&summary["stopped"], summary["plan_hash"].is_string()), (&json!(true), true), "{summary}");
    summary
}

#[test]
fn an_interrupt_reports_what_was_measured_as_one_document() {
    let store = Store::memcached(&[]).ready();
    let target = format!("memcached://127.0.0.1:{}", store.port);
    let arguments = ["--target", &target, "--rate", "500", "--seconds", "60", "--keys", "100"];
    let summary = interrupted(&arguments, Duration::from_secs(2));
    let of = |name: &str| summary[name].as_u64().unwrap();
    assert!(of("sent") > 100 && of("sent") < 1500, "{summary}");
    assert_eq!(of("sent"), of("answered") + of("failed") + of("in_flight"));
}

#[test]
fn an_interrupt_before_the_first_connection_says_that_nothing_was_sent() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("memcached://127.0.0.1:{}", silent.local_addr().unwrap().port());
    let summary = interrupted(&["--target", &target, "--seconds", "60"], Duration::from_secs(1));
    for name in ["sent", "answered", "failed", "in_flight"] {
        assert_eq!(summary[name], json!(0), "{summary}");
    }
    assert_eq!((&summary["phase"], &summary["operations"]), (&Value::Null, &json!({})), "{summary}");
}

#[test]
fn a_trace_of_what_has_more_than_one_key_or_value_is_refused_by_its_place() {
    let directory = tempfile::TempDir::new().unwrap();
    for operation in ["multi_get", "range_first", "list_insert_head"] {
        let path = directory.path().join(format!("{operation}.csv"));
        std::fs::write(&path, format!("time,operation,key,size\n0.0,{operation},a,10\n")).unwrap();
        let mut command = engine();
        command.args(["run", "--json", "--target", "redis://127.0.0.1:1", "--trace", path.to_str().unwrap()]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        let expected = "error bad_plan at $.operations[0].kind: a line of a trace has one key and one value";
        assert_eq!(said.trim_end(), expected);
    }
}
