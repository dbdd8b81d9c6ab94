//! What a plan must not say, and how its fault is named.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use loadstone_spec::{hash_plan, read_document, read_plan};
use serde_json::{Value, json};

fn plan() -> Value {
    json!({
        "version": 1,
        "target": {"protocol": "redis", "address": {"kind": "tcp", "host": "h", "port": 1}},
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}],
        "load": {"kind": "open", "connections": 2, "rate_per_s": 10},
        "phases": [{"name": "prefill"}, {"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
        "label": "",
    })
}

/// The path of the fault after the value at a JSON pointer was replaced.
fn fault_after(pointer: &str, value: Value) -> String {
    let mut plan = plan();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    match plan.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[field.parse::<usize>().unwrap()] = value,
        object => object[field] = value,
    }
    read_plan(&plan.to_string()).map(|_| "none".to_owned()).unwrap_or_else(|fault| fault.path)
}

#[test]
fn a_journal_asks_for_writes_that_can_be_told_apart() {
    let fault = |pointer: &str, value: Value| {
        let mut plan = plan();
        plan["journal"] = json!("/tmp/journal");
        *plan.pointer_mut(pointer).unwrap() = value;
        read_plan(&plan.to_string()).map(|_| "none".to_owned()).unwrap_or_else(|fault| fault.path)
    };
    assert_eq!(fault("/label", json!("")), "none");
    for kind in ["incr", "append", "read_modify_write", "compare_and_set", "add", "delete"] {
        assert_eq!(fault("/operations/1/kind", json!(kind)), "$.operations[1].kind", "{kind}");
    }
    let lists = json!([{"kind": "list_insert_tail", "weight": 1}]);
    assert_eq!(fault("/operations", lists), "$.operations[0].kind");
    assert_eq!(
        fault("/operations/1", json!({"kind": "set", "weight": 1, "expire_s": 5})),
        "$.operations[1].expire_s"
    );
    assert_eq!(fault("/dataset/value_size/bytes", json!(7)), "$.dataset.value_size");
    assert_eq!(fault("/journal", json!("")), "$.journal");
}

#[test]
fn every_rule_names_its_place() {
    let cases = [
        ("/version", json!(2), "$.version"),
        ("/target/protocol", json!("gopher"), "$.target.protocol"),
        ("/target/address", json!({"kind": "tcp", "host": "", "port": 1}), "$.target.address.host"),
        ("/target/address", json!({"kind": "tcp", "host": "h", "port": 0}), "$.target.address.port"),
        ("/target/address", json!({"kind": "tcp", "host": "h", "port": 70000}), "$.target.address.port"),
        ("/target/address", json!({"kind": "unix", "path": "x".repeat(108)}), "$.target.address.path"),
        ("/target/address", json!({"kind": "pigeon"}), "$.target.address.kind"),
        ("/target/username", json!("me"), "$.target.password"),
        ("/target/tls", json!({"server_name": ""}), "$.target.tls.server_name"),
        ("/dataset/key_count", json!(0), "$.dataset.key_count"),
        ("/dataset/key_count", json!(-1), "$.dataset.key_count"),
        ("/dataset/key_prefix", json!("a b"), "$.dataset.key_prefix"),
        ("/dataset/key_size_bytes", json!(3), "$.dataset.key_size_bytes"),
        ("/dataset/value_size", json!({"kind": "fixed", "bytes": 0}), "$.dataset.value_size.bytes"),
        (
            "/dataset/value_size",
            json!({"kind": "uniform", "min_bytes": 9, "max_bytes": 8}),
            "$.dataset.value_size.max_bytes",
        ),
        ("/operations", json!([]), "$.operations"),
        ("/operations/1", json!({"kind": "get", "weight": 1}), "$.operations[1].kind"),
        ("/operations/1", json!({"kind": "set", "weight": 0}), "$.operations[1].weight"),
        ("/operations/1", json!({"kind": "pop", "weight": 1}), "$.operations[1].kind"),
        (
            "/operations/1",
            json!({"kind": "set", "weight": 1, "keys_per_request": 2}),
            "$.operations[1].keys_per_request",
        ),
        ("/access", json!({"kind": "zipf", "exponent": 11}), "$.access.exponent"),
        ("/access", json!({"kind": "uniform", "exponent": 1}), "$.access.exponent"),
        ("/load/rate_per_s", json!(0), "$.load.rate_per_s"),
        ("/load/requests_per_connection", json!(0), "$.load.requests_per_connection"),
        (
            "/load",
            json!({"kind": "closed", "connections": 2, "pipeline": 2, "think_time_us": 5}),
            "$.load.pipeline",
        ),
        ("/load/pipeline", json!(1001), "$.load.pipeline"),
        ("/load/pipeline", json!("x"), "$.load.pipeline"),
        ("/threads", json!(3), "$.threads"),
        ("/phases", json!([]), "$.phases"),
        ("/phases/0", json!({"name": "measure", "stop": {"seconds": 1}}), "$.phases[1].name"),
        ("/phases/0", json!({"name": "prefill", "stop": {"seconds": 1}}), "$.phases[0].stop"),
        ("/phases/1", json!({"name": "measure"}), "$.phases[1].stop"),
        ("/phases/1", json!({"name": "measure", "stop": {}}), "$.phases[1].stop"),
        ("/phases/1", json!({"name": "measure", "stop": {"operations": 0}}), "$.phases[1].stop.operations"),
        ("/phases/1", json!({"name": "measure", "stop": {"seconds": -1}}), "$.phases[1].stop.seconds"),
        ("/seed", json!(u64::MAX), "$.seed"),
        ("/timeout_ms", json!(0), "$.timeout_ms"),
        ("/cpus", json!([0, 5000]), "$.cpus[1]"),
        ("/colour", json!("blue"), "$.colour"),
    ];
    for (pointer, value, path) in cases {
        assert_eq!(fault_after(pointer, value.clone()), path, "{pointer} = {value}");
    }
}

#[test]
fn memcached_has_no_databases() {
    let mut plan = plan();
    plan["target"]["protocol"] = json!("memcached");
    plan["target"]["database"] = json!(1);
    assert_eq!(read_plan(&plan.to_string()).unwrap_err().path, "$.target.database");
}

#[test]
fn every_rule_of_operations_and_sizes_names_its_place() {
    let cases = [
        ("/operations/1", json!({"kind": "scan", "weight": 1}), "$.operations[1].kind"),
        ("/operations/1", json!({"kind": "range_first", "weight": 1}), "$.operations[0].kind"),
        (
            "/operations/1",
            json!({"kind": "range_first", "weight": 1, "entries": 0}),
            "$.operations[1].entries",
        ),
        ("/operations/1", json!({"kind": "touch", "weight": 1}), "$.operations[1].expire_s"),
        ("/operations/1", json!({"kind": "delete", "weight": 1, "expire_s": 1}), "$.operations[1].expire_s"),
        (
            "/operations/1",
            json!({"kind": "delete", "weight": 1, "from_entry": 1}),
            "$.operations[1].from_entry",
        ),
        ("/operations/1", json!({"kind": "custom", "weight": 1}), "$.operations[1].command"),
        ("/operations/1", json!({"kind": "delete", "weight": 1, "command": "x"}), "$.operations[1].command"),
        (
            "/operations/1",
            json!({"kind": "multi_set", "weight": 1, "keys_per_request": 2, "expire_s": 9}),
            "$.operations[1].expire_s",
        ),
        ("/target/database", json!("name"), "$.target.database"),
        ("/target/table", json!("a;b"), "$.target.table"),
        (
            "/target/read_address",
            json!({"kind": "tcp", "host": "h", "port": 0}),
            "$.target.read_address.port",
        ),
        ("/dataset/list_length", json!(0), "$.dataset.list_length"),
        ("/dataset/hit_ratio", json!(1.5), "$.dataset.hit_ratio"),
        ("/dataset/compressible_share", json!(-1), "$.dataset.compressible_share"),
        (
            "/dataset/value_size",
            json!({"kind": "normal", "mean_bytes": 10, "deviation_bytes": -1, "max_bytes": 20}),
            "$.dataset.value_size.deviation_bytes",
        ),
        (
            "/dataset/value_size",
            json!({"kind": "histogram", "buckets": [{"min_bytes": 5, "max_bytes": 4, "weight": 1}]}),
            "$.dataset.value_size.buckets[0].max_bytes",
        ),
        (
            "/dataset/value_size",
            json!({"kind": "facebook", "max_bytes": 3}),
            "$.dataset.value_size.max_bytes",
        ),
        ("/access", json!({"kind": "hot_set", "key_share": 0, "operation_share": 1}), "$.access.key_share"),
        ("/access", json!({"kind": "latest", "exponent": -1}), "$.access.exponent"),
        ("/access", json!({"kind": "gaussian", "deviation_share": 2}), "$.access.deviation_share"),
    ];
    for (pointer, value, path) in cases {
        assert_eq!(fault_after(pointer, value.clone()), path, "{pointer} = {value}");
    }
}

#[test]
fn what_a_protocol_cannot_do_is_refused_when_the_plan_is_read() {
    let refused = |protocol: &str, pointer: &str, value: Value| {
        let mut plan = plan();
        plan["target"]["protocol"] = json!(protocol);
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        plan.pointer_mut(parent).unwrap()[field] = value;
        read_plan(&plan.to_string()).map(|_| "none".to_owned()).unwrap_or_else(|fault| fault.path)
    };
    let operations = |kind: &str| json!([{"kind": kind, "weight": 1}]);
    for (protocol, pointer, value, path) in [
        ("memcached", "/operations", operations("range_first"), "$.operations[0].kind"),
        ("memcached_meta", "/operations", operations("custom"), "$.operations[0].kind"),
        ("memcached_binary", "/operations", operations("custom"), "$.operations[0].kind"),
        ("redis_cluster", "/operations", operations("custom"), "$.operations[0].kind"),
        ("mongodb", "/operations", operations("custom"), "$.operations[0].kind"),
        ("memlink_0_3", "/operations", operations("custom"), "$.operations[0].kind"),
        ("redis_cluster", "/operations", operations("multi_get"), "$.operations[0].kind"),
        ("redis", "/operations", operations("sql_replace"), "$.operations[0].kind"),
        ("postgres", "/operations", operations("sql_replace"), "$.operations[0].kind"),
        ("mysql", "/operations", operations("touch"), "$.operations[0].kind"),
        ("mongodb", "/operations", operations("append"), "$.operations[0].kind"),
        ("memlink", "/operations", operations("get"), "$.operations[0].kind"),
        ("mysql", "/target/database", json!(3), "$.target.database"),
    ] {
        assert_eq!(refused(protocol, pointer, value), path, "{protocol} {pointer}");
    }
}

#[test]
fn what_is_no_json_is_a_fault_of_the_document() {
    assert_eq!(read_plan("{").unwrap_err().path, "$");
    assert_eq!(read_plan("[]").unwrap_err().path, "$");
    assert_eq!(read_document(&b"  "[..]).unwrap_err().path, "$");
}

#[test]
fn a_document_ends_where_its_last_brace_is() {
    let stream = format!("{}\nand so on", plan());
    assert!(read_plan(&read_document(stream.as_bytes()).unwrap()).is_ok());
}

#[test]
fn the_hash_knows_the_content_but_not_the_form_nor_the_password() {
    let hash = |plan: &Value| hash_plan(&read_plan(&plan.to_string()).unwrap());
    let mut written_out = plan();
    written_out["threads"] = json!(1);
    written_out["target"]["password"] = json!("secret");
    assert_eq!(hash(&plan()), hash(&written_out));
    written_out["threads"] = json!(2);
    assert_ne!(hash(&plan()), hash(&written_out));
}
