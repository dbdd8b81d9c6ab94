//! Recorded traces against a real store, keys of their own looks, and flags that say so.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::path::PathBuf;

use loadstone_spec::plan::OperationKind as Kind;
use serde_json::{Value, json};
use support::{Store, engine, numbers, plan, run};

/// 1,000 lines in 2 s: a set of 50 keys in their turn, then gets of them.
fn trace(directory: &tempfile::TempDir) -> PathBuf {
    let path = directory.path().join("trace.csv");
    let line = |number: u32| {
        let (time_s, key) = (f64::from(number) * 0.002, number % 50);
        if number < 50 {
            format!("{time_s},set,item/{key},{}\n", 100 + key)
        } else {
            format!("{time_s},get,item/{key},\n")
        }
    };
    let lines: String = (0..1000).map(line).collect();
    std::fs::write(&path, format!("time,operation,key,size\n{lines}")).unwrap();
    path
}

fn replay(port: u16, trace: &std::path::Path, load: Value) -> Value {
    let mut plan = plan("redis", port);
    plan["trace"] = json!({"file": trace});
    plan["verify"] = json!(false);
    plan["operations"] = json!([{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}]);
    plan["load"] = load;
    plan["threads"] = json!(2);
    plan["phases"] = json!([{"name": "measure"}]);
    plan
}

#[test]
fn a_trace_is_sent_as_it_was_recorded_and_twice_as_fast() {
    let directory = tempfile::TempDir::new().unwrap();
    let trace = trace(&directory);
    for (speed, elapsed_s) in [(1.0, 2.0), (2.0, 1.0)] {
        let store = Store::redis(&[]).ready();
        let load = json!({"kind": "open", "connections": 8, "arrivals": "recorded", "speed": speed});
        let said = run(&replay(store.port, &trace, load));
        let measured = said.measured();
        assert_eq!((measured.offered, measured.sent, measured.answered), (1000, 1000, 1000));
        assert_eq!((numbers(measured, Kind::Set).count, numbers(measured, Kind::Get).count), (50, 950));
        let took_s = measured.elapsed_ns as f64 / 1e9;
        assert!((elapsed_s - 0.01..elapsed_s + 0.9).contains(&took_s), "{speed}: {took_s}");
        assert_eq!(numbers(measured, Kind::Get).hits, 950);
        let said = store.say(b"DBSIZE\r\nSTRLEN item/7\r\nSTRLEN item/49\r\n");
        assert_eq!(String::from_utf8_lossy(&said), ":50\r\n:107\r\n:149\r\n");
    }
}

#[test]
fn a_trace_without_its_times_is_sent_as_fast_as_the_connections_can() {
    let directory = tempfile::TempDir::new().unwrap();
    let store = Store::redis(&[]).ready();
    let trace = trace(&directory);
    let mut plan = replay(store.port, &trace, json!({"kind": "closed", "connections": 4}));
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure"}]);
    let said = run(&plan);
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered), (1000, 1000));
    assert_eq!(numbers(measured, Kind::Get).misses, 0, "every key was written before");
    assert!(measured.elapsed_ns < 1_500_000_000, "{}", measured.elapsed_ns);
}

#[test]
fn a_trace_that_cannot_be_read_is_a_bad_plan_with_the_line() {
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("bad.csv");
    std::fs::write(&path, "0,get,a,\n0.5,get,b\nnow,get,c,\n").unwrap();
    let said = run(&replay(1, &path, json!({"kind": "closed", "connections": 4})));
    assert_eq!(said.code(), 2);
    assert_eq!(said.failure().path.as_deref(), Some("$.trace.file"));
    assert!(said.failure().message.contains("line 3"), "{}", said.failure().message);
}

#[test]
fn keys_of_a_template_and_of_drawn_lengths_are_verified_over_every_key_value_protocol() {
    for protocol in ["memcached", "memcached_meta", "memcached_binary", "redis", "redis_resp3"] {
        let store = if protocol.starts_with("redis") { Store::redis(&[]) } else { Store::memcached(&[]) };
        let store = store.ready();
        let sizes = json!({"kind": "uniform", "min_bytes": 20, "max_bytes": 90});
        for keys in [json!({"key_template": "user:{index}:profile"}), json!({"key_sizes": sizes})] {
            let mut plan = plan(protocol, store.port);
            plan["dataset"].as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
            plan["operations"] = json!([
                {"kind": "get", "weight": 4}, {"kind": "set", "weight": 1}, {"kind": "incr", "weight": 1},
                {"kind": "multi_get", "weight": 2, "keys_per_request": 5},
                {"kind": "multi_set", "weight": 1, "keys_per_request": 3}, {"kind": "read_modify_write", "weight": 1},
            ]);
            let said = run(&plan);
            let measured = said.measured();
            assert_eq!((measured.sent, measured.answered), (5000, 5000), "{protocol} {keys}: {measured:?}");
            let gets = numbers(measured, Kind::MultiGet);
            assert_eq!((gets.hits, gets.misses), (gets.count * 5, 0), "{protocol} {keys}");
        }
        if protocol == "redis" {
            assert!(store.say(b"EXISTS user:7:profile\r\n").starts_with(b":1"));
        }
    }
}

#[test]
fn flags_make_a_profile_a_steady_warmup_and_a_replay() {
    let directory = tempfile::TempDir::new().unwrap();
    let store = Store::redis(&[]).ready();
    let target = format!("redis://127.0.0.1:{}", store.port);
    let path = trace(&directory).display().to_string();
    let run = |flags: &[&str]| -> Value {
        let output = engine().args(["run", "--json", "--target", &target]).args(flags).output().unwrap();
        assert!(output.status.success(), "{flags:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let ramp = run(&["--rate", "0..1000/1s,200/1s", "--seconds", "2", "--keys", "100", "--retries", "2"]);
    assert_eq!(ramp["sent"], 700);
    let stepped = run(&["--connections", "1..4/0.3s", "--seconds", "0.9", "--keys", "100", "--churn", "20"]);
    assert!(stepped["connections_renewed"].as_u64().unwrap() > 10, "{stepped}");
    let replayed = run(&["--trace", &path, "--speed", "4", "--no-prefill"]);
    assert_eq!((&replayed["sent"], &replayed["operations"]["set"]["count"]), (&json!(1000), &json!(50)));
    let fast = run(&["--trace", &path, "--speed", "max"]);
    assert_eq!(fast["answered"], 1000);
    let steady = ["--until-steady", "0.9", "--warmup", "20", "--think-time-us", "2000", "--seconds", "0.3"];
    assert!(
        run(&[&steady[..], &["--keys", "100", "--key-template", "u:{index}", "--value-size", "9"]].concat())
            ["sent"]
            .as_u64()
            .unwrap()
            > 0
    );
}
