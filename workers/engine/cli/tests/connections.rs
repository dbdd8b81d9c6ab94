//! Connections that live for some requests only, and those that pause.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use serde_json::json;
use support::memlink::Memlink;
use support::{Store, accepted, plan, run};

#[test]
fn a_connection_for_each_request_and_for_every_ten_are_opened_as_often() {
    for (per_connection, loads) in [(1u64, 800), (10, 80)] {
        for load in [
            json!({"kind": "closed", "connections": 4, "requests_per_connection": per_connection}),
            json!({"kind": "open", "connections": 4, "rate_per_s": 1000, "requests_per_connection": per_connection}),
        ] {
            let store = Store::redis(&[]).ready();
            let mut plan = plan("redis", store.port);
            plan["load"] = load;
            plan["phases"] = json!([{"name": "measure", "stop": {"operations": 800}}]);
            let before = accepted(&store);
            let said = run(&plan);
            assert_eq!((said.code(), said.measured().answered), (0, 800), "{:?}", said.events.last());
            // One more looks whether anything listens, another asks for the count; up to 4 are opened for nothing.
            let opened = accepted(&store) - before - 2;
            assert!((loads..=loads + 4).contains(&opened), "{per_connection}: {opened}");
        }
    }
}

#[test]
fn opening_a_connection_is_part_of_the_response_and_not_of_the_service() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["load"] = json!({"kind": "closed", "connections": 1, "requests_per_connection": 1});
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 500}}]);
    let said = run(&plan);
    let numbers = &said.measured().operations[0];
    assert!(
        numbers.response_time_ns.p50.unwrap() > numbers.service_time_ns.p50.unwrap() * 3 / 2,
        "{numbers:?}"
    );
}

#[test]
fn memlink_can_be_asked_over_a_connection_for_each_request() {
    let server = Memlink::start(true);
    let mut plan = plan("memlink", server.write_port);
    plan["target"]["read_address"] = json!({"kind": "tcp", "host": "127.0.0.1", "port": server.read_port});
    plan["dataset"] =
        json!({"key_count": 5, "list_length": 20, "value_size": {"kind": "fixed", "bytes": 12}});
    plan["operations"] = json!([{"kind": "list_insert_head", "weight": 1}, {"kind": "range_first", "weight": 1, "entries": 20}]);
    plan["load"] = json!({"kind": "closed", "connections": 3, "requests_per_connection": 1});
    plan["phases"][1]["stop"] = json!({"operations": 300});
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 300), "{:?}", said.events.last());
}

#[test]
fn a_connection_that_thinks_sends_no_faster() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["load"] = json!({"kind": "closed", "connections": 5, "think_time_us": 10_000});
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 1}}]);
    let said = run(&plan);
    let sent = said.measured().sent;
    assert!((250..=505).contains(&sent), "{sent} of at most 500");
    let response = &said.measured().operations[0].response_time_ns;
    assert!(response.p50.unwrap() < 9_000_000, "thinking is no part of the response: {response:?}");
}
