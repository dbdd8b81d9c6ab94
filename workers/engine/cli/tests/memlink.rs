//! Memlink 0.5 and 0.3, against a server written from the protocol's facts.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::plan::{OperationKind as Kind, PhaseName};
use serde_json::{Value, json};
use support::memlink::Memlink;
use support::{numbers, plan, run};

fn lists(protocol: &str, server: &Memlink) -> Value {
    let mut plan = plan(protocol, server.write_port);
    plan["target"]["read_address"] = json!({"kind": "tcp", "host": "127.0.0.1", "port": server.read_port});
    plan["dataset"] =
        json!({"key_count": 10, "list_length": 200, "value_size": {"kind": "fixed", "bytes": 12}});
    plan["operations"] = json!([
        {"kind": "list_insert_head", "weight": 1}, {"kind": "list_insert_tail", "weight": 1},
        {"kind": "range_first", "weight": 1, "entries": 100}, {"kind": "range_last", "weight": 1, "entries": 200},
        {"kind": "range", "weight": 1, "entries": 50, "from_entry": 100}, {"kind": "list_length", "weight": 1},
    ]);
    plan["phases"][1]["stop"] = json!({"operations": 3000});
    plan
}

#[test]
fn lists_grow_and_are_read_over_two_ports_in_both_versions() {
    for (protocol, has_tables) in [("memlink", true), ("memlink_0_3", false)] {
        for load in [
            json!({"kind": "closed", "connections": 5}),
            json!({"kind": "open", "connections": 5, "rate_per_s": 3000}),
        ] {
            let server = Memlink::start(has_tables);
            let mut plan = lists(protocol, &server);
            plan["load"] = load;
            let said = run(&plan);
            assert_eq!(said.code(), 0, "{protocol} {:?}", said.events.last());
            assert_eq!(said.phase(PhaseName::Prefill).answered, 2000);
            let measured = said.measured();
            assert_eq!((measured.sent, measured.answered), (3000, 3000), "{protocol} {measured:?}");
            for (kind, entries) in [(Kind::RangeFirst, 100), (Kind::RangeLast, 200), (Kind::Range, 50)] {
                let range = numbers(measured, kind);
                assert_eq!((range.hits, range.misses), (range.count * entries, 0), "{protocol} {kind:?}");
            }
            let inserted =
                numbers(measured, Kind::ListInsertHead).count + numbers(measured, Kind::ListInsertTail).count;
            assert_eq!(server.entries() as u64, 2000 + inserted);
        }
    }
}

#[test]
fn a_list_that_is_not_there_is_a_miss() {
    let server = Memlink::start(true);
    let mut plan = lists("memlink", &server);
    plan["operations"] = json!([{"kind": "range_last", "weight": 1}]);
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 100}}]);
    let said = run(&plan);
    assert_eq!((said.measured().answered, said.measured().operations[0].misses), (100, 100));
}
