//! What the engine says about time, and that it says the same twice.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::time::Duration;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::OperationKind;
use serde_json::{Value, json};
use support::impostor::{Answer, Impostor};
use support::{Store, engine, errors, numbers, plan, run};

fn measure_only(port: u16, load: Value, stop: Value) -> Value {
    let mut plan = plan("memcached", port);
    plan["phases"] = json!([{"name": "measure", "stop": stop}]);
    plan["load"] = load;
    plan["verify"] = json!(false);
    plan
}

#[test]
fn a_stall_is_seen_by_every_arrival_that_was_due_in_it() {
    let impostor = Impostor::stalling(Duration::from_millis(1000), Duration::from_millis(600));
    let load = json!({"kind": "open", "connections": 20, "rate_per_s": 1000});
    let said = run(&measure_only(impostor.port, load, json!({"seconds": 3})));
    let measured = said.measured();
    assert_eq!((measured.offered, measured.sent, measured.answered), (3000, 3000, 3000));
    let get = numbers(measured, OperationKind::Get);
    // 600 of 3000 arrivals waited, evenly between 0 and 600 ms: the 99th percentile of all is their 95th. A busy machine
    // can only add to it.
    let p99_ms = get.response_time_ns.p99.unwrap() as f64 / 1e6;
    assert!((540.0..800.0).contains(&p99_ms), "p99 {p99_ms} ms");
    let p90_ms = get.response_time_ns.p90.unwrap() as f64 / 1e6;
    assert!((270.0..530.0).contains(&p90_ms), "p90 {p90_ms} ms");
    // Only 20 requests were under way in the stall: the service time alone would hide it. A twentieth of all waited for
    // more than 450 ms.
    assert!(get.service_time_ns.p95.unwrap() < 100_000_000);
    assert!(get.late >= 500, "{} were late", get.late);
}

#[test]
fn arrivals_that_are_due_before_a_stall_at_the_end_are_still_sent() {
    let impostor = Impostor::stalling(Duration::from_millis(600), Duration::from_millis(700));
    let load = json!({"kind": "open", "connections": 2, "rate_per_s": 500, "arrivals": "poisson"});
    let said = run(&measure_only(impostor.port, load, json!({"seconds": 1})));
    let measured = said.measured();
    assert_eq!(measured.offered, measured.answered);
    assert!((400..600).contains(&measured.offered), "{}", measured.offered);
    assert!(measured.elapsed_ns > 1_250_000_000, "{}", measured.elapsed_ns);
}

#[test]
fn a_target_that_cannot_keep_up_leaves_arrivals_offered_but_unsent() {
    let impostor = Impostor::stalling(Duration::ZERO, Duration::ZERO);
    let load = json!({"kind": "open", "connections": 1, "rate_per_s": 5000});
    let said = run(&measure_only(impostor.port, load, json!({"seconds": 1})));
    let measured = said.measured();
    assert_eq!(measured.offered, 5000);
    assert!(measured.sent < 4000 && measured.late_share > 0.9, "{} {}", measured.sent, measured.late_share);
    assert!(!measured.saturated || measured.engine_busy_share > 0.9, "the target was slow, not the engine");
}

#[test]
fn a_closed_loop_keeps_to_littles_law() {
    let impostor = Impostor::stalling(Duration::ZERO, Duration::ZERO);
    let load = json!({"kind": "closed", "connections": 8});
    let said = run(&measure_only(impostor.port, load, json!({"seconds": 1})));
    let measured = said.measured();
    assert!(measured.littles_law_residual.abs() < 0.05, "{}", measured.littles_law_residual);
    assert_eq!(measured.offered, measured.sent);
    let service = &numbers(measured, OperationKind::Get).service_time_ns;
    assert!((1_000_000..10_000_000).contains(&service.p50.unwrap()), "{service:?}");
}

#[test]
fn an_open_loop_keeps_to_littles_law_however_busy_the_machine() {
    let store = Store::memcached(&[]).ready();
    let load = json!({"kind": "open", "connections": 50, "rate_per_s": 10_000});
    let said = run(&measure_only(store.port, load, json!({"seconds": 1})));
    let measured = said.measured();
    assert!(measured.littles_law_residual.abs() < 0.02, "{}", measured.littles_law_residual);
    assert_eq!(measured.offered, 10_000);
}

fn keys_asked(seed: u64, connections: u32) -> Vec<String> {
    let impostor = Impostor::start(|_| Answer::Miss);
    let load = json!({"kind": "closed", "connections": connections});
    let mut plan = measure_only(impostor.port, load, json!({"operations": 500}));
    plan["seed"] = json!(seed);
    assert_eq!(run(&plan).measured().answered, 500);
    impostor.asked.lock().unwrap().clone()
}

#[test]
fn the_same_seed_sends_the_same_keys_in_the_same_order() {
    let first = keys_asked(7, 1);
    assert_eq!(first, keys_asked(7, 1));
    assert_ne!(first, keys_asked(8, 1));
    let sorted = |mut keys: Vec<String>| {
        keys.sort_unstable();
        keys
    };
    assert_eq!(sorted(first), sorted(keys_asked(7, 5)), "the number of connections changed the keys");
}

#[test]
fn silence_is_counted_as_timeouts_and_the_run_goes_on() {
    let impostor = Impostor::start(|number| if number % 100 == 50 { Answer::Silence } else { Answer::Miss });
    let load = json!({"kind": "closed", "connections": 2});
    let mut plan = measure_only(impostor.port, load, json!({"operations": 400}));
    // A busy machine must not be taken for a silent server.
    plan["timeout_ms"] = json!(600);
    let said = run(&plan);
    assert_eq!(said.code(), 0);
    assert_eq!((said.measured().sent, errors(said.measured(), ErrorClass::Timeout)), (400, 4));
    // Four requests were under way for 600 ms each, and are in the distribution as waits of at least so long.
    let times = &said.measured().operations[0].service_time_ns;
    assert!(times.bounds.contains_key("max") && times.max.unwrap() >= 590_000_000, "{times:?}");
    let residual = said.measured().littles_law_residual;
    assert!(residual.abs() < 0.1, "{residual}");
}

#[test]
fn hostile_answers_cost_their_connection_and_nothing_more() {
    for (answer, class) in [
        (&b"VALUE k 0 99999999999\r\n"[..], ErrorClass::Protocol),
        (&[b'x'; 100_000], ErrorClass::Protocol),
        (b"\r\n\r\n", ErrorClass::Protocol),
        (b"END\r\nEND\r\nEND\r\n", ErrorClass::ConnectionLost),
    ] {
        let impostor =
            Impostor::start(
                move |number| if number % 50 == 20 { Answer::Bytes(answer.to_vec()) } else { Answer::Miss },
            );
        let load = json!({"kind": "closed", "connections": 2, "pipeline": 3});
        let said = run(&measure_only(impostor.port, load, json!({"operations": 300})));
        assert_eq!((said.code(), said.measured().sent), (0, 300));
        let seen = errors(said.measured(), class);
        assert!(seen > 0 || class == ErrorClass::ConnectionLost, "{class:?} was not seen");
        assert!(said.measured().failed < 60, "{}", said.measured().failed);
    }
}

#[test]
fn a_closed_connection_is_opened_again() {
    let impostor = Impostor::start(|number| if number % 40 == 39 { Answer::Close } else { Answer::Miss });
    let load = json!({"kind": "closed", "connections": 3});
    let said = run(&measure_only(impostor.port, load, json!({"operations": 400})));
    assert_eq!((said.code(), said.measured().sent), (0, 400));
    assert_eq!(errors(said.measured(), ErrorClass::ConnectionLost), 10);
}

#[test]
fn the_summary_and_the_histogram_log_of_flags_say_the_same() {
    let store = Store::redis(&[]).ready();
    let directory = tempfile::TempDir::new().unwrap();
    let log = directory.path().join("run.hlog");
    let target = format!("redis://127.0.0.1:{}", store.port);
    let output = engine()
        .args(["run", "--target", &target, "--mix", "get=9,set=1", "--connections", "5", "--keys", "1000"])
        .args(["--rate", "1000", "--seconds", "1.5", "--json", "--hlog", log.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success());
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["sent"], 1500);
    let get = summary["operations"]["get"]["count"].as_u64().unwrap();
    assert!(summary["operations"]["get"]["response_time_ns"]["p999"].as_u64().unwrap() > 0);
    assert_eq!(count_in_log(&log, "get.response"), get);
    assert_eq!(count_in_log(&log, "get.service"), get);
}

/// Reads a log with the public library's own parser.
fn count_in_log(log: &std::path::Path, tag: &str) -> u64 {
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    let bytes = std::fs::read(log).unwrap();
    IntervalLogIterator::new(&bytes)
        .filter_map(|entry| match entry.unwrap() {
            LogEntry::Interval(interval) if interval.tag().is_some_and(|found| found.as_str() == tag) => {
                Some(interval)
            }
            _ => None,
        })
        .map(|interval| {
            use base64::Engine;
            let encoded = interval.encoded_histogram();
            let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
            let histogram: hdrhistogram::Histogram<u64> =
                Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
            histogram.len()
        })
        .sum()
}
