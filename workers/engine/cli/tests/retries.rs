//! What fails is sent again when the plan says so, and counts once.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::PhaseName;
use serde_json::{Value, json};
use support::impostor::{Answer, Impostor};
use support::{errors, plan, run};

fn retried(port: u16, load: Value) -> Value {
    let mut plan = plan("memcached", port);
    plan["load"] = load;
    plan["verify"] = json!(false);
    plan["timeout_ms"] = json!(300);
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 400}}]);
    plan
}

fn refusal() -> Answer {
    Answer::Bytes(b"SERVER_ERROR out of memory\r\n".to_vec())
}

fn load(attempts: u32, on: &[&str]) -> Value {
    json!({"kind": "closed", "connections": 3, "retries": {"attempts": attempts, "on": on}})
}

#[test]
fn a_lost_connection_costs_an_attempt_and_no_operation() {
    for kind in ["closed", "open"] {
        let impostor = Impostor::start(|number| if number % 40 == 39 { Answer::Close } else { Answer::Miss });
        let mut load = load(3, &["connection_lost"]);
        if kind == "open" {
            load["kind"] = json!("open");
            load["rate_per_s"] = json!(1000);
        }
        let said = run(&retried(impostor.port, load));
        let measured = said.measured();
        assert_eq!(
            (said.code(), measured.sent, measured.answered, measured.failed),
            (0, 400, 400, 0),
            "{kind}"
        );
        assert_eq!(measured.operations[0].retries, 10, "{kind}");
    }
}

#[test]
fn the_response_time_of_what_was_sent_again_begins_at_the_first_attempt() {
    let impostor = Impostor::start(|number| if number == 50 { Answer::Silence } else { Answer::Miss });
    let said = run(&retried(impostor.port, load(1, &["timeout"])));
    let numbers = &said.measured().operations[0];
    assert_eq!((numbers.count, numbers.retries), (400, 1));
    let (response, service) = (numbers.response_time_ns.max.unwrap(), numbers.service_time_ns.max.unwrap());
    assert!(response > 290_000_000 && service < 200_000_000, "{response} {service}");
}

#[test]
fn attempts_come_to_an_end_and_the_last_fault_counts() {
    let impostor = Impostor::start(|_| refusal());
    let said = run(&retried(impostor.port, load(2, &["refused"])));
    let measured = said.measured();
    assert_eq!((measured.sent, measured.answered, measured.failed), (400, 0, 400));
    assert_eq!(errors(measured, ErrorClass::Refused), 400);
    assert_eq!(measured.operations[0].retries, 800);
}

#[test]
fn other_faults_than_those_named_are_not_tried_again() {
    let impostor = Impostor::start(|number| if number % 10 == 9 { refusal() } else { Answer::Miss });
    let said = run(&retried(impostor.port, load(2, &["timeout", "connection_lost"])));
    assert_eq!((said.measured().failed, said.measured().operations[0].retries), (40, 0));
}

#[test]
fn what_waits_for_another_attempt_at_the_end_is_in_flight() {
    let impostor = Impostor::start(|_| Answer::Silence);
    let mut plan = retried(impostor.port, load(100, &["timeout"]));
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 1}}]);
    let said = run(&plan);
    let measured = said.measured();
    assert_eq!((measured.sent, measured.in_flight, measured.failed), (3, 3, 0), "{measured:?}");
}

#[test]
fn a_prefill_sends_what_was_refused_again() {
    let impostor = Impostor::start(|number| match number % 10 {
        9 => refusal(),
        _ => Answer::Bytes(b"STORED\r\n".to_vec()),
    });
    let mut plan = retried(impostor.port, json!({"kind": "closed", "connections": 1}));
    plan["dataset"] = json!({"key_count": 90, "value_size": {"kind": "fixed", "bytes": 20}});
    plan["operations"] = json!([{"kind": "set", "weight": 1}]);
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"operations": 100}}]);
    let said = run(&plan);
    let prefill = said.phase(PhaseName::Prefill);
    assert_eq!((prefill.answered, prefill.failed, prefill.operations[0].retries), (90, 0, 9), "{prefill:?}");
    assert!(said.measured().failed > 0, "what is measured is not sent again unless the plan says so");
    assert!(said.warnings().iter().all(|warning| warning.code != "prefill_incomplete"));
}
