//! Every operation against the real stores: what it answers, and what is in the store afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::events::{ErrorClass, OperationNumbers};
use loadstone_spec::plan::OperationKind as Kind;
use serde_json::{Value, json};
use support::{Store, errors, numbers, plan, run};

/// Every protocol that offers all key-value operations.
const KEY_VALUE: [&str; 5] = ["memcached", "memcached_meta", "memcached_binary", "redis", "redis_resp3"];

fn store_of(protocol: &str) -> Store {
    match protocol {
        "redis" | "redis_resp3" => Store::redis(&[]).ready(),
        _ => Store::memcached(&[]).ready(),
    }
}

/// One operation alone on a prefilled store, 2,000 times over 100 keys.
fn only(protocol: &str, port: u16, operation: Value) -> Value {
    let mut plan = plan(protocol, port);
    plan["dataset"] =
        json!({"key_count": 100, "value_size": {"kind": "uniform", "min_bytes": 20, "max_bytes": 90}});
    plan["operations"] = json!([operation]);
    plan["phases"][1]["stop"] = json!({"operations": 2000});
    plan
}

/// Runs it and returns what it said of the operation, all of which must have been answered.
fn answered(plan: &Value) -> OperationNumbers {
    let said = run(plan);
    assert_eq!(said.code(), 0, "{:?}", said.events.last());
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered), (2000, 2000), "{:?}", measured.operations);
    measured.operations[0].clone()
}

fn hits(protocol: &str, port: u16, operation: Value) -> (u64, u64) {
    let numbers = answered(&only(protocol, port, operation));
    (numbers.hits, numbers.misses)
}

fn check_conditions(protocol: &str, store: &Store) {
    let port = store.port;
    let one = |kind: &str| json!({"kind": kind, "weight": 1});
    assert_eq!(hits(protocol, port, one("add")), (0, 2000), "{protocol} add");
    assert_eq!(hits(protocol, port, one("replace")), (2000, 0), "{protocol} replace");
    assert_eq!(hits(protocol, port, one("incr")).1, 0, "{protocol} incr");
    assert_eq!(hits(protocol, port, one("read_modify_write")), (0, 0), "{protocol} read_modify_write");
    let touch = json!({"kind": "touch", "weight": 1, "expire_s": 500});
    assert_eq!(hits(protocol, port, touch), (2000, 0), "{protocol} touch");
    let (done, conflicts) = hits(protocol, port, one("compare_and_set"));
    assert!(done + conflicts == 2000 && done > 1000, "{protocol} compare_and_set {done} {conflicts}");
    let (gone, missing) = hits(protocol, port, one("delete"));
    assert_eq!((gone, missing), (100, 1900), "{protocol} delete");
}

#[test]
fn conditional_operations_say_whether_the_condition_held() {
    for protocol in KEY_VALUE {
        check_conditions(protocol, &store_of(protocol));
    }
}

#[test]
fn what_was_written_by_many_keys_at_once_is_verified_by_many_keys_at_once() {
    for protocol in KEY_VALUE {
        let store = store_of(protocol);
        let mut plan = only(protocol, store.port, json!(null));
        plan["operations"] = json!([
            {"kind": "multi_set", "weight": 1, "keys_per_request": 9},
            {"kind": "multi_get", "weight": 1, "keys_per_request": 16},
        ]);
        plan["load"]["pipeline"] = json!(4);
        let said = run(&plan);
        assert_eq!((said.code(), said.measured().answered), (0, 2000));
        let gets = numbers(said.measured(), Kind::MultiGet);
        assert_eq!((gets.hits, gets.misses), (gets.count * 16, 0));
    }
}

#[test]
fn append_makes_values_longer_and_expiry_lets_them_go() {
    for protocol in KEY_VALUE {
        let store = store_of(protocol);
        let mut longer = only(protocol, store.port, json!({"kind": "append", "weight": 1}));
        longer["verify"] = json!(false);
        assert_eq!(answered(&longer).misses, 0, "{protocol}");
        let mut read = only(protocol, store.port, json!({"kind": "get", "weight": 1}));
        read["phases"] = json!([{"name": "measure", "stop": {"operations": 2000}}]);
        let said = run(&read);
        assert!(errors(said.measured(), ErrorClass::WrongValue) > 1900, "{protocol}: values did not grow");
        let short = json!({"kind": "set", "weight": 1, "expire_s": 1});
        answered(&only(protocol, store.port, short));
        std::thread::sleep(std::time::Duration::from_millis(2100));
        let gone = run(&read).measured().operations[0].clone();
        assert!(gone.misses >= 1900, "{protocol}: {} misses", gone.misses);
    }
}

#[test]
fn inserts_bring_new_keys_into_being_and_only_once() {
    let store = Store::redis(&[]).ready();
    let mut plan = only("redis", store.port, json!({"kind": "insert", "weight": 1}));
    plan["threads"] = json!(3);
    answered(&plan);
    let size = store.say(b"DBSIZE\r\n");
    assert_eq!(String::from_utf8_lossy(&size), ":2100\r\n");
}

#[test]
fn counters_count_every_increment_once() {
    for protocol in KEY_VALUE {
        let store = store_of(protocol);
        let mut plan = only(protocol, store.port, json!({"kind": "incr", "weight": 1}));
        plan["dataset"]["key_count"] = json!(1);
        plan["load"] = json!({"kind": "closed", "connections": 1});
        answered(&plan);
        let said = store.say(if protocol.starts_with("redis") {
            b"GET kc00000000000000\r\n"
        } else {
            b"get kc00000000000000\r\n"
        });
        assert!(String::from_utf8_lossy(&said).contains("2000"), "{protocol}: {said:?}");
    }
}

#[test]
fn lists_are_prefilled_grow_and_are_read_from_both_ends() {
    let store = Store::redis(&[]).ready();
    let mut plan = only("redis", store.port, json!(null));
    plan["dataset"]["key_count"] = json!(10);
    plan["dataset"]["list_length"] = json!(200);
    plan["operations"] = json!([
        {"kind": "list_insert_head", "weight": 1}, {"kind": "list_insert_tail", "weight": 1},
        {"kind": "range_first", "weight": 1, "entries": 100}, {"kind": "range_last", "weight": 1, "entries": 200},
        {"kind": "range", "weight": 1, "entries": 50, "from_entry": 100}, {"kind": "list_length", "weight": 1},
    ]);
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 2000), "{:?}", said.measured());
    let first = numbers(said.measured(), Kind::RangeFirst);
    let last = numbers(said.measured(), Kind::RangeLast);
    let middle = numbers(said.measured(), Kind::Range);
    assert_eq!(
        (first.hits, last.hits, middle.hits),
        (first.count * 100, last.count * 200, middle.count * 50)
    );
    let inserted = numbers(said.measured(), Kind::ListInsertHead).count
        + numbers(said.measured(), Kind::ListInsertTail).count;
    let length = |key: usize| -> u64 {
        let answer = store.say(format!("LLEN k{key:015}\r\n").as_bytes());
        String::from_utf8(answer).unwrap().trim_matches([':', '\r', '\n']).parse().unwrap()
    };
    assert_eq!((0..10).map(length).sum::<u64>(), 2000 + inserted);
}

#[test]
fn a_command_of_ones_own_is_sent_as_it_is_written() {
    let redis = Store::redis(&[]).ready();
    let custom = json!({"kind": "custom", "weight": 1, "command": "HSET h:{key} field {value} other 1"});
    answered(&only("redis", redis.port, custom));
    let said = redis.say(b"HLEN h:k000000000000007\r\nHGET h:k000000000000007 other\r\n");
    assert_eq!(String::from_utf8_lossy(&said), ":2\r\n$1\r\n1\r\n");
    let memcached = Store::memcached(&[]).ready();
    for command in ["get {key}", "set x{key} 0 0 {value_size}\r\n{value}", "version"] {
        let custom = json!({"kind": "custom", "weight": 1, "command": command});
        answered(&only("memcached", memcached.port, custom));
    }
    let said = memcached.say(b"get xk000000000000007\r\n");
    assert!(said.len() > 20 + 20, "{:?}", String::from_utf8_lossy(&said));
}

#[test]
fn the_hit_ratio_is_the_one_that_was_asked_for() {
    for protocol in ["memcached_meta", "redis"] {
        let store = store_of(protocol);
        let mut plan = only(protocol, store.port, json!({"kind": "get", "weight": 1}));
        plan["dataset"]["hit_ratio"] = json!(0.8);
        plan["dataset"]["compressible_share"] = json!(0.5);
        plan["dataset"]["value_size"] = json!({"kind": "facebook", "max_bytes": 5000});
        plan["access"] = json!({"kind": "hot_set", "key_share": 0.2, "operation_share": 0.8});
        let numbers = answered(&plan);
        assert!((1540..1660).contains(&numbers.hits), "{protocol}: {}", numbers.hits);
        assert_eq!(numbers.hits + numbers.misses, 2000);
    }
}
