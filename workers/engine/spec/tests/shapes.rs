//! What loads, keys and traces must not say, and how the fault is named.

#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use loadstone_spec::read_plan;
use serde_json::{Value, json};

fn plan(changes: Value) -> Value {
    let mut plan = json!({
        "version": 1,
        "target": {"protocol": "redis", "address": {"kind": "tcp", "host": "h", "port": 1}},
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 8},
        "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
    });
    for (name, value) in changes.as_object().unwrap() {
        plan[name] = value.clone();
    }
    plan
}

fn fault(changes: Value) -> String {
    read_plan(&plan(changes).to_string()).map_or_else(|fault| fault.path, |_| "none".to_owned())
}

fn open(changes: Value) -> Value {
    let mut load = json!({"kind": "open", "connections": 8});
    load.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    json!({"load": load})
}

fn rate(segments: Value) -> Value {
    open(json!({"rate": {"segments": segments}}))
}

#[test]
fn every_rule_of_rates_names_its_place() {
    let constant = |rate: f64| json!({"kind": "constant", "rate_per_s": rate, "seconds": 1});
    let place = |field: &str| format!("$.load.rate.segments[0].{field}");
    let ramp = |field: &str, value: Value| {
        let mut ramp = json!({"kind": "ramp", "from_per_s": 1, "to_per_s": 5, "seconds": 2});
        ramp[field] = value;
        fault(rate(json!([ramp])))
    };
    let sinus = |field: &str, value: Value| {
        let mut sinus =
            json!({"kind": "sinus", "base_per_s": 9, "amplitude_per_s": 5, "period_s": 2, "seconds": 2});
        sinus[field] = value;
        fault(rate(json!([sinus])))
    };
    assert_eq!(ramp("seconds", json!(5)), "none");
    assert_eq!(ramp("from_per_s", json!(-1)), place("from_per_s"));
    assert_eq!(ramp("to_per_s", json!(1e9)), place("to_per_s"));
    assert_eq!(ramp("seconds", json!(0)), place("seconds"));
    assert_eq!(sinus("amplitude_per_s", json!(9)), "none");
    assert_eq!(sinus("amplitude_per_s", json!(9.5)), place("amplitude_per_s"));
    assert_eq!(sinus("base_per_s", json!(0)), place("base_per_s"));
    assert_eq!(sinus("period_s", json!(0)), place("period_s"));
    assert_eq!(fault(rate(json!([]))), "$.load.rate.segments");
    assert_eq!(fault(rate(json!([constant(0.0)]))), "$.load.rate.segments");
    assert_eq!(fault(rate(json!([constant(-1.0)]))), place("rate_per_s"));
    assert_eq!(fault(open(json!({}))), "$.load.rate_per_s");
    let mut endless = rate(json!([constant(5.0), constant(0.0)]));
    endless["phases"] = json!([{"name": "measure", "stop": {"operations": 9}}]);
    assert_eq!(fault(endless.clone()), "$.phases[0].stop.operations");
    endless["load"]["rate"]["repeats"] = json!(true);
    assert_eq!(fault(endless), "none");
}

#[test]
fn every_rule_of_arrivals_and_connections_names_its_place() {
    let closed = |changes: Value| {
        let mut load = json!({"kind": "closed", "connections": 8});
        load.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        fault(json!({"load": load, "threads": 2}))
    };
    let steps = |connections: u32, seconds: f64| {
        closed(json!({"connection_steps": [{"connections": connections, "seconds": seconds}]}))
    };
    let arrivals = |changes: Value| {
        let mut changes = changes;
        changes["rate_per_s"] = json!(5);
        fault(open(changes))
    };
    assert_eq!(steps(8, 1.0), "none");
    assert_eq!(steps(9, 1.0), "$.load.connection_steps[0].connections");
    assert_eq!(steps(1, 1.0), "$.load.connection_steps[0].connections");
    assert_eq!(steps(2, 0.0), "$.load.connection_steps[0].seconds");
    assert_eq!(closed(json!({"churn_per_s": 0})), "$.load.churn_per_s");
    assert_eq!(closed(json!({"retries": {"attempts": 0, "on": ["timeout"]}})), "$.load.retries.attempts");
    assert_eq!(closed(json!({"retries": {"attempts": 1, "on": []}})), "$.load.retries.on");
    let twice = json!({"retries": {"attempts": 1, "on": ["timeout", "timeout"]}});
    assert_eq!(closed(twice), "$.load.retries.on[1]");
    assert_eq!(arrivals(json!({"arrivals": "bursty", "burst_size": 2})), "none");
    assert_eq!(arrivals(json!({"arrivals": "bursty", "burst_size": 1})), "$.load.burst_size");
    assert_eq!(arrivals(json!({"burst_size": 5})), "$.load.burst_size");
    assert_eq!(arrivals(json!({"speed": 2})), "$.load.speed");
    assert_eq!(arrivals(json!({"arrivals": "recorded"})), "$.load.arrivals");
}

#[test]
fn a_warmup_that_becomes_steady_names_its_place() {
    let warmup = |steady: Value| {
        let stop = json!({"seconds": 1});
        fault(
            json!({"phases": [{"name": "warmup", "stop": {"steady": steady}}, {"name": "measure", "stop": stop}]}),
        )
    };
    let place = |field: &str| format!("$.phases[0].stop.steady.{field}");
    assert_eq!(warmup(json!({})), "none");
    assert_eq!(warmup(json!({"variation_max": 0})), place("variation_max"));
    assert_eq!(warmup(json!({"window_s": 2})), place("window_s"));
    assert_eq!(warmup(json!({"max_seconds": 5})), place("max_seconds"));
    let measured = json!({"phases": [{"name": "measure", "stop": {"steady": {}}}]});
    assert_eq!(fault(measured), "$.phases[0].stop.steady");
    let both =
        json!({"phases": [{"name": "warmup", "stop": {"seconds": 5, "steady": {}}}, {"name": "measure"}]});
    assert_eq!(fault(both), "$.phases[0].stop");
}

#[test]
fn every_rule_of_keys_names_its_place() {
    let keys = |changes: Value| {
        let mut dataset = json!({"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}});
        dataset.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        fault(json!({"dataset": dataset}))
    };
    let sizes = |min: u32| json!({"kind": "uniform", "min_bytes": min, "max_bytes": 80});
    assert_eq!(keys(json!({"key_template": "user:{index}:x"})), "none");
    assert_eq!(keys(json!({"key_template": "user:{index:3}:x"})), "none");
    for template in [
        "",
        "user",
        "{}",
        "{index}{index}",
        "{index:0}",
        "{index:x}",
        "a b{index}",
        "{index:2}",
        "{index:400}",
    ] {
        assert_eq!(keys(json!({"key_template": template})), "$.dataset.key_template", "{template}");
    }
    assert_eq!(keys(json!({"key_template": "{index}", "key_prefix": "x"})), "$.dataset.key_prefix");
    assert_eq!(keys(json!({"key_template": "{index}", "key_size_bytes": 9})), "$.dataset.key_size_bytes");
    assert_eq!(keys(json!({"key_sizes": sizes(4)})), "none");
    assert_eq!(keys(json!({"key_sizes": sizes(3)})), "$.dataset.key_sizes");
    assert_eq!(keys(json!({"key_sizes": sizes(4), "key_size_bytes": 9})), "$.dataset.key_size_bytes");
    assert_eq!(keys(json!({"key_sizes": sizes(9), "key_template": "{index:3}"})), "$.dataset.key_template");
    let long = json!({"kind": "fixed", "bytes": 251});
    assert_eq!(keys(json!({"key_sizes": long})), "$.dataset.key_sizes.bytes");
    let missing = json!({"key_template": "{index:3}", "hit_ratio": 0.5});
    assert_eq!(keys(missing), "$.dataset.key_template");
}

#[test]
fn every_rule_of_traces_and_scans_names_its_place() {
    let traced = |mut changes: Value| {
        changes["trace"] = json!({"file": "x.csv"});
        fault(changes)
    };
    assert_eq!(traced(json!({"phases": [{"name": "measure"}]})), "none");
    assert_eq!(traced(open(json!({"arrivals": "recorded", "speed": 2}))), "none");
    assert_eq!(fault(open(json!({"arrivals": "recorded"}))), "$.load.arrivals");
    assert_eq!(traced(json!({"access": {"kind": "zipf", "exponent": 1}})), "$.access");
    assert_eq!(traced(json!({"verify": true})), "$.verify");
    assert_eq!(traced(json!({"operations": [{"kind": "incr", "weight": 1}]})), "$.operations[0].kind");
    assert_eq!(fault(json!({"trace": {"file": ""}})), "$.trace.file");
    let least = |kind: &str, least: u32| {
        let operations = json!([{"kind": kind, "weight": 1, "entries": 100, "entries_min": least}]);
        let mysql = json!({"protocol": "mysql", "address": {"kind": "tcp", "host": "h", "port": 1}});
        fault(json!({"operations": operations, "target": mysql}))
    };
    assert_eq!(least("scan", 100), "none");
    assert_eq!(least("scan", 101), "$.operations[0].entries_min");
    assert_eq!(least("get", 1), "$.operations[0].entries_min");
}

#[test]
fn every_rule_of_replica_lag_names_its_place() {
    let lag = |protocol: &str, dataset: Value| {
        let place = json!({"kind": "tcp", "host": "h", "port": 1});
        let target = json!({"protocol": protocol, "address": place, "read_address": place});
        fault(json!({"target": target, "dataset": dataset, "replica_lag": {}}))
    };
    let dataset = |size: u32| json!({"key_count": 1000, "key_size_bytes": size, "value_size": {"kind": "fixed", "bytes": 9}});
    assert_eq!(lag("redis", dataset(16)), "none");
    assert_eq!(lag("redis", dataset(5)), "$.dataset.key_size_bytes");
    assert_eq!(lag("redis_cluster", dataset(16)), "$.target.read_address");
    assert_eq!(fault(json!({"replica_lag": {}})), "$.target.read_address");
    assert_eq!(fault(json!({"replica_lag": {"probes_per_s": 0}})), "$.replica_lag.probes_per_s");
}
