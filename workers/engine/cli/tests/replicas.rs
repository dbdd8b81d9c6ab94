//! Writes to one endpoint, reads from another: how far the replica is behind.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use serde_json::{Value, json};
use support::{Store, await_true, plan, run};

fn replica_of(store: &Store) -> Store {
    let port = store.port.to_string();
    let replica = Store::redis(&["--replicaof", "127.0.0.1", &port]).ready();
    await_true("the replica follows", || {
        String::from_utf8_lossy(&replica.say(b"INFO replication\r\n")).contains("master_link_status:up")
    });
    replica
}

fn lagging(store: &Store, read_port: u16) -> Value {
    let mut plan = plan("redis", store.port);
    plan["target"]["read_address"] = json!({"kind": "tcp", "host": "127.0.0.1", "port": read_port});
    plan["operations"] = json!([{"kind": "get", "weight": 9}, {"kind": "set", "weight": 1}]);
    plan["load"] = json!({"kind": "open", "connections": 4, "rate_per_s": 200});
    plan["replica_lag"] = json!({"probes_per_s": 50});
    plan["verify"] = json!(false);
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"seconds": 3}}]);
    plan
}

#[test]
fn the_lag_of_a_replica_is_measured_every_second_and_leaves_no_keys() {
    let store = Store::redis(&[]).ready();
    let replica = replica_of(&store);
    let said = run(&lagging(&store, replica.port));
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered), (600, 600));
    let lag = measured.replica_lag.as_ref().unwrap();
    assert!((20..=151).contains(&lag.count) && lag.timed_out == 0, "{lag:?}");
    assert!(lag.lag_ns.p50.unwrap() < 200_000_000, "{lag:?}");
    let seconds = said.samples().into_iter().filter(|sample| sample.phase == measured.phase);
    let counts: Vec<u64> = seconds.map(|sample| sample.replica_lag.as_ref().unwrap().count).collect();
    assert_eq!(counts.iter().sum::<u64>(), lag.count, "{counts:?}");
    assert_eq!(String::from_utf8_lossy(&store.say(b"DBSIZE\r\n")), ":1000\r\n");
}

#[test]
fn a_replica_that_hears_nothing_any_more_times_out() {
    let store = Store::redis(&[]).ready();
    let stranger = Store::redis(&[]).ready();
    let mut plan = lagging(&store, stranger.port);
    plan["timeout_ms"] = json!(200);
    let said = run(&plan);
    let lag = said.measured().replica_lag.clone().unwrap();
    assert!(lag.count == 0 && lag.timed_out >= 5, "{lag:?}");
}
