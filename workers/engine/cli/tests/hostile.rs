//! Servers that do what no server should, over every protocol: a class for each, and nothing is lost or waits for ever.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_bench::dialect::Dialect;
use loadstone_spec::events::ErrorClass;
use serde_json::json;
use support::hostile::{EVERY, Harm, start};
use support::{errors, plan, run};

const OPERATIONS: u64 = 400;
const TIMEOUT_MS: u64 = 400;

/// Each protocol in an engine of its own, all at once. One operation is under way on a connection, so every harm costs
/// exactly one; where nothing is under way it costs none.
fn assert_counted(harm: Harm, class: Option<ErrorClass>) {
    std::thread::scope(|scope| {
        for dialect in Dialect::ALL {
            scope.spawn(move || assert_counted_over(dialect, harm, class));
        }
    });
}

fn assert_counted_over(dialect: Dialect, harm: Harm, class: Option<ErrorClass>) {
    let mut plan = plan(dialect.name(), start(dialect, harm));
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": OPERATIONS}}]);
    plan["verify"] = json!(false);
    // A busy machine must not be taken for a silent server.
    plan["timeout_ms"] = json!(if harm == Harm::Hang { TIMEOUT_MS } else { 20_000 });
    if dialect.name().starts_with("memlink") {
        plan["target"]["read_address"] = plan["target"]["address"].clone();
        plan["operations"] = json!([{"kind": "range_first", "weight": 1}]);
    }
    let said = run(&plan);
    let measured = said.measured();
    let what = format!("{dialect:?} {harm:?} {:?}", measured.operations[0].errors);
    assert_eq!((said.code(), measured.sent, measured.in_flight), (0, OPERATIONS, 0), "{what}");
    let Some(class) = class else {
        return assert_eq!(measured.answered, OPERATIONS, "{what}");
    };
    let harmed = OPERATIONS / EVERY as u64;
    let counted = errors(measured, class);
    if harm == Harm::Hang {
        assert!(counted >= harmed && counted == measured.failed, "{what}");
    } else {
        assert_eq!((counted, measured.failed), (harmed, harmed), "{what}");
    }
}

#[test]
fn servers_that_hang_are_timed_out() {
    assert_counted(Harm::Hang, Some(ErrorClass::Timeout));
}

#[test]
fn connections_that_are_reset_are_lost() {
    assert_counted(Harm::Reset, Some(ErrorClass::ConnectionLost));
}

#[test]
fn connections_that_are_half_closed_are_lost() {
    assert_counted(Harm::HalfClose, Some(ErrorClass::ConnectionLost));
}

#[test]
fn bytes_of_no_protocol_are_told() {
    assert_counted(Harm::Garbage, Some(ErrorClass::Protocol));
}

#[test]
fn answers_without_end_are_told() {
    assert_counted(Harm::Oversized, Some(ErrorClass::Protocol));
}

#[test]
fn answers_that_nobody_asked_for_spoil_none_that_somebody_did() {
    assert_counted(Harm::Twice, None);
}
