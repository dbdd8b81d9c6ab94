//! Which acknowledged writes a store still has after it was killed, and that every other outcome is told apart.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::time::Duration;

use loadstone_spec::events::FailureCode;
use serde_json::{Value, json};
use support::journals::{Journalled, assert_all_kept, count};
use support::{Store, finish, plan, run, start_fed};
use tempfile::TempDir;

const SET: &str = "set";
const KEYS: u64 = 5000;

fn only_sets(port: u16) -> Value {
    let mut plan = plan("redis", port);
    plan["operations"] = json!([{"kind": SET, "weight": 1}]);
    plan
}

/// Writes to a Redis until it is killed, starts it again over the same files, and looks for the writes.
fn kill_while_writing(arguments: &[&str]) -> Value {
    let directory = TempDir::new().unwrap();
    let place = ["--dir", directory.path().to_str().unwrap()];
    let mut store = Store::redis(&[&place[..], arguments].concat()).ready();
    let mut journalled = Journalled::new(only_sets(store.port));
    journalled.plan["dataset"]["key_count"] = json!(KEYS);
    journalled.plan["access"] = json!({"kind": "zipf", "exponent": 0.9});
    journalled.plan["load"] = json!({"kind": "closed", "connections": 8, "pipeline": 4});
    journalled.plan["threads"] = json!(2);
    journalled.plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"seconds": 60}}]);
    journalled.plan["timeout_ms"] = json!(1000);
    let child = start_fed(&journalled.plan);
    let prefilled = format!(":{KEYS}\r\n");
    support::await_true("every key is there", || store.say(b"DBSIZE\r\n") == prefilled.as_bytes());
    std::thread::sleep(Duration::from_millis(700));
    store.stop();
    let said = finish(child);
    assert_eq!((said.code(), said.failure().code), (3, FailureCode::TargetLost));
    let answered: u64 = said.summary().phases.iter().map(|totals| totals.answered).sum();
    assert!(answered > KEYS, "{answered}");
    let again = Store::redis(&[&place[..], arguments].concat()).ready();
    support::await_true("the store has read its files", || again.say(b"PING\r\n").starts_with(b"+PONG"));
    journalled.plan["target"]["address"]["port"] = json!(again.port);
    let found = journalled.audit();
    assert_eq!(count(&found, "acknowledged"), answered, "{found}");
    assert_eq!((count(&found, "keys"), count(&found, "errors")), (KEYS, 0), "{found}");
    found
}

#[test]
fn a_store_without_persistence_loses_every_acknowledged_write() {
    let found = kill_while_writing(&[]);
    assert_eq!(count(&found, "lost"), KEYS, "{found}");
    let whole_ns = count(&found, "last_acknowledged_at_unix_ns") - count(&found, "begun_at_unix_ns");
    // Some keys were written in the prefill alone.
    assert!((100_000_000..=whole_ns).contains(&count(&found, "lost_window_ns")), "{found}");
}

#[test]
fn a_store_that_syncs_before_it_answers_loses_none() {
    let found = kill_while_writing(&["--appendonly", "yes", "--appendfsync", "always"]);
    assert_eq!((count(&found, "lost"), count(&found, "torn")), (0, 0), "{found}");
    assert!(count(&found, "kept") > KEYS / 2, "{found}");
    assert_eq!(found["lost_window_ns"], Value::Null);
}

#[test]
fn missing_old_torn_and_later_values_are_told_apart() {
    let store = Store::redis(&[]).ready();
    let mut journalled = Journalled::new(only_sets(store.port));
    journalled.plan["access"] = json!({"kind": "sequential"});
    journalled.plan["phases"] = json!([{"name": "prefill"}]);
    assert_eq!(run(&journalled.plan).code(), 0);
    let value_of = |key: &str| {
        let answer = store.say(format!("GET {key}\r\n").as_bytes());
        answer[b"$100\r\n".len()..][..100].to_vec()
    };
    let prefilled = value_of("k000000000000007");
    journalled.plan["phases"] = json!([{"name": "measure", "stop": {"operations": 1000}}]);
    assert_eq!(run(&journalled.plan).code(), 0);
    let (written, foreign) = (value_of("k000000000000008"), value_of("k000000000000003"));
    let put = |key: &str, value: &[u8]| {
        let mut text = format!("*3\r\n$3\r\nSET\r\n$16\r\n{key}\r\n${}\r\n", value.len()).into_bytes();
        text.extend_from_slice(&[value, b"\r\n"].concat());
        assert_eq!(store.say(&text), b"+OK\r\n");
    };
    assert_eq!(count(&journalled.audit(), "kept"), 1000);
    put("k000000000000007", &prefilled);
    put("k000000000000008", &[&written[..60], &foreign[60..]].concat());
    put("k000000000000009", &written[..99]);
    put("k000000000000010", b"short");
    assert_eq!(store.say(b"DEL k000000000000011\r\n"), b":1\r\n");
    // A second journal over 20 of the keys: to the first one theirs are later writes.
    let mut later = Journalled::new(journalled.plan.clone());
    later.plan["phases"] = json!([{"name": "measure", "stop": {"operations": 5}}]);
    assert_eq!(run(&later.plan).code(), 0);
    let found = journalled.audit();
    let counts = ["kept", "newer", "lost", "torn"].map(|name| count(&found, name));
    assert_eq!(counts, [1000 - 5 - 5, 5, 2, 3], "{found}");
    assert_eq!(count(&later.audit(), "kept"), 5);
}

#[test]
fn every_protocol_of_memcached_and_redis_reads_its_writes_back() {
    let set = json!({"kind": "set", "weight": 2});
    let multi_set = json!({"kind": "multi_set", "weight": 1, "keys_per_request": 5});
    let insert = json!({"kind": "insert", "weight": 1});
    for protocol in ["memcached", "memcached_meta", "memcached_binary", "redis", "redis_resp3"] {
        let is_redis = protocol.starts_with("redis");
        let store = if is_redis { Store::redis(&[]) } else { Store::memcached(&[]) }.ready();
        assert_all_kept(plan(protocol, store.port), &[set.clone(), multi_set.clone(), insert.clone()]);
    }
}

#[test]
fn what_cannot_be_journalled_or_audited_is_refused_with_its_place() {
    let store = Store::redis(&[]).ready();
    let mut plan = only_sets(store.port);
    plan["journal"] = json!("/no/such/folder/journal");
    let said = run(&plan);
    assert_eq!((said.code(), said.failure().path.as_deref()), (2, Some("$.journal")));
    plan["operations"] = json!([{"kind": "incr", "weight": 1}]);
    assert_eq!(run(&plan).failure().path.as_deref(), Some("$.operations[0].kind"));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "no journal").unwrap();
    let plan_file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(plan_file.path(), only_sets(store.port).to_string()).unwrap();
    let paths = [plan_file.path(), file.path()].map(|path| path.to_str().unwrap());
    let output =
        support::engine().args(["audit", "--plan", paths[0], "--journal", paths[1]]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = support::Said::new(output);
    assert_eq!(said.failure().path.as_deref(), Some("$.journal"));
}
