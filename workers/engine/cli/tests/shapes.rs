//! Loads that change with time, against real stores: what is achieved in every second follows the shape.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use loadstone_spec::events::{PhaseTotals, Sample};
use loadstone_spec::plan::PhaseName;
use serde_json::{Value, json};
use support::{Said, Store, accepted, plan, run};

fn measure(protocol: &str, port: u16, load: Value, seconds: f64) -> Value {
    let mut plan = plan(protocol, port);
    plan["load"] = load;
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": seconds}}]);
    plan
}

fn counts(said: &Said) -> Vec<u64> {
    let measured = said.samples().into_iter().filter(|sample| sample.phase == PhaseName::Measure);
    measured.map(|sample| sample.operations.iter().map(|numbers| numbers.count).sum()).collect()
}

fn of_samples<T>(said: &Said, field: impl Fn(&Sample) -> T) -> Vec<T> {
    said.samples().into_iter().filter(|sample| sample.phase == PhaseName::Measure).map(field).collect()
}

/// Every arrival was sent and answered; nothing was lost on the way.
fn assert_all_answered(totals: &PhaseTotals, offered: u64) {
    assert_eq!((totals.offered, totals.sent, totals.answered), (offered, offered, offered), "{totals:?}");
}

/// Nothing is sent early; on a busy machine the answers of the last half of a second may come after it.
fn assert_near(counts: &[u64], expected: &[u64]) {
    let (mut answered, mut due) = (0, 0);
    for (count, expected) in counts.iter().zip(expected) {
        let at_least = due + expected / 2;
        (answered, due) = (answered + count, due + expected);
        assert!(answered <= due + 3 && answered + 10 >= at_least, "{counts:?}, not {expected}");
    }
    assert!(answered.abs_diff(due) <= 3, "{counts:?}");
}

#[test]
fn a_ramp_and_steps_of_rate_are_kept_to_in_every_second() {
    let store = Store::redis(&[]).ready();
    let segments = json!([
        {"kind": "ramp", "from_per_s": 0, "to_per_s": 2000, "seconds": 2},
        {"kind": "constant", "rate_per_s": 500, "seconds": 1}, {"kind": "constant", "rate_per_s": 3000, "seconds": 1},
    ]);
    let load = json!({"kind": "open", "connections": 8, "rate": {"segments": segments}});
    let said = run(&measure("redis", store.port, load, 5.0));
    assert_all_answered(said.measured(), 500 + 1500 + 500 + 3000 + 3000);
    assert_near(&counts(&said), &[500, 1500, 500, 3000, 3000]);
    let offered = of_samples(&said, |sample| sample.offered_per_s.unwrap().round() as u64);
    assert_eq!(offered, [500, 1500, 500, 3000, 3000]);
}

#[test]
fn a_sinus_of_several_threads_is_the_integral_of_its_rate() {
    let store = Store::memcached(&[]).ready();
    let segment =
        json!({"kind": "sinus", "base_per_s": 1000, "amplitude_per_s": 900, "period_s": 4, "seconds": 4});
    let load = json!({"kind": "open", "connections": 8, "rate": {"segments": [segment], "repeats": true}});
    let mut plan = measure("memcached", store.port, load, 4.0);
    plan["threads"] = json!(3);
    let said = run(&plan);
    // 1000 + 900 * 4 / (2 pi) in the first two seconds, each a half of it.
    assert_near(&counts(&said), &[1573, 1573, 427, 427]);
    assert!(said.measured().offered.abs_diff(4000) <= 3);
    assert_eq!(said.measured().sent, said.measured().offered);
}

#[test]
fn poisson_arrivals_follow_a_spike_and_a_warmup_stays_below_it() {
    let store = Store::redis(&[]).ready();
    let constant = |rate_per_s: u32| json!({"kind": "constant", "rate_per_s": rate_per_s, "seconds": 1});
    let segments = json!([constant(300), constant(4000), constant(300)]);
    let load =
        json!({"kind": "open", "connections": 8, "arrivals": "poisson", "rate": {"segments": segments}});
    let mut plan = measure("redis", store.port, load, 3.0);
    plan["phases"] =
        json!([{"name": "warmup", "stop": {"seconds": 2}}, {"name": "measure", "stop": {"seconds": 3}}]);
    let said = run(&plan);
    let (counts, warmup) = (counts(&said), said.phase(PhaseName::Warmup));
    assert!((500..700).contains(&warmup.sent), "{}", warmup.sent);
    // Five standard deviations; on a busy machine the last answers of a second come after it.
    assert!((120..390).contains(&counts[0]) && counts[1] > 2000, "{counts:?}");
    assert!(said.measured().sent.abs_diff(4600) < 340, "{counts:?}");
}

#[test]
fn bursts_meet_the_store_at_once() {
    let store = Store::redis(&[]).ready();
    let load =
        json!({"kind": "open", "connections": 50, "rate_per_s": 500, "arrivals": "bursty", "burst_size": 50});
    let even = json!({"kind": "open", "connections": 50, "rate_per_s": 500});
    let p50 = |load: &Value| {
        let said = run(&measure("redis", store.port, load.clone(), 2.0));
        assert_all_answered(said.measured(), 1000);
        assert_near(&counts(&said), &[500, 500]);
        said.measured().operations[0].response_time_ns.p50.unwrap()
    };
    // Whoever comes with 49 others waits; on a busy machine who comes alone now and then does too.
    let mut seen = (0..3).map(|_| (p50(&load), p50(&even)));
    assert!(seen.any(|(together, alone)| together > alone));
}

#[test]
fn connections_ramp_up_and_down_within_one_run() {
    let store = Store::redis(&[]).ready();
    let steps = [2, 8, 32, 4].map(|connections| json!({"connections": connections, "seconds": 1}));
    let load =
        json!({"kind": "closed", "connections": 32, "think_time_us": 10000, "connection_steps": steps});
    let mut plan = measure("redis", store.port, load, 4.0);
    plan["threads"] = json!(2);
    let said = run(&plan);
    assert_eq!(of_samples(&said, |sample| sample.connections.unwrap()), [2, 8, 32, 4]);
    let (counts, measured) = (counts(&said), said.measured());
    assert_eq!(measured.sent, measured.answered + measured.in_flight);
    // A connection that thinks for 10 ms sends at most 100 requests a second, on a busy machine fewer.
    for (count, connections) in counts.iter().zip([2u64, 8, 32, 4]) {
        assert!((30 * connections..=104 * connections).contains(count), "{counts:?}");
    }
}

#[test]
fn the_store_sees_as_many_connections_as_are_in_force() {
    let store = Store::redis(&[]).ready();
    let steps = json!([{"connections": 3, "seconds": 1.5}, {"connections": 9, "seconds": 1.5}, {"connections": 2, "seconds": 9}]);
    let load = json!({"kind": "closed", "connections": 9, "think_time_us": 1000, "connection_steps": steps});
    let child = support::start_fed(&measure("redis", store.port, load, 4.5));
    let clients = || {
        let info = String::from_utf8(store.say(b"INFO clients\r\n")).unwrap();
        let line = info.lines().find(|line| line.starts_with("connected_clients:")).unwrap();
        // The one that asks is one of them.
        line.trim_start_matches("connected_clients:").parse::<u64>().unwrap() - 1
    };
    for expected in [3, 9, 2] {
        support::await_true(&format!("{expected} connections"), || clients() == expected);
    }
    let said = support::finish(child);
    assert_eq!(said.code(), 0);
    assert_eq!(said.measured().failed, 0, "{:?}", said.measured());
}

#[test]
fn connections_are_opened_anew_as_often_as_the_churn_says() {
    for load in [
        json!({"kind": "closed", "connections": 6, "think_time_us": 500, "churn_per_s": 50}),
        json!({"kind": "open", "connections": 6, "rate_per_s": 2000, "churn_per_s": 50}),
    ] {
        let store = Store::redis(&[]).ready();
        let mut plan = measure("redis", store.port, load, 2.0);
        plan["threads"] = json!(2);
        let before = accepted(&store);
        let said = run(&plan);
        let measured = said.measured();
        assert_eq!((measured.failed, measured.sent), (0, measured.answered));
        // What a busy machine has held up at the end is not made good after it.
        assert!((50..=100).contains(&measured.connections_renewed), "{}", measured.connections_renewed);
        // Six at the start; one more looks whether anything listens, another asks for the count.
        let opened = accepted(&store) - before - 2 - 6;
        assert_eq!(opened, measured.connections_renewed);
    }
}

#[test]
fn a_warmup_ends_when_the_throughput_is_steady() {
    let store = Store::memcached(&[]).ready();
    let load = json!({"kind": "closed", "connections": 4, "think_time_us": 5000});
    let mut plan = measure("memcached", store.port, load, 1.0);
    let steady = json!({"variation_max": 0.4, "window_s": 3, "max_seconds": 30});
    plan["phases"] =
        json!([{"name": "warmup", "stop": {"steady": steady}}, {"name": "measure", "stop": {"seconds": 1}}]);
    let said = run(&plan);
    let warmup = said.phase(PhaseName::Warmup);
    let found = warmup.steadiness.unwrap();
    assert!(found.is_steady && (3.0..25.0).contains(&found.after_s), "{found:?}");
    assert!(found.variation.unwrap() <= 0.4 && found.drift.unwrap().abs() <= 0.4, "{found:?}");
    assert!(warmup.elapsed_ns as f64 / 1e9 - found.after_s < 1.0, "{}", warmup.elapsed_ns);
    assert!(said.measured().steadiness.is_none() && said.measured().sent > 100);
}

#[test]
fn a_warmup_that_never_becomes_steady_ends_by_its_time_and_says_so() {
    let store = Store::memcached(&[]).ready();
    // Thinking connections may well send as many requests in one second as in the next.
    let load = json!({"kind": "open", "connections": 2, "rate_per_s": 500, "arrivals": "poisson"});
    let mut plan = measure("memcached", store.port, load, 0.5);
    let steady = json!({"variation_max": 1e-9, "window_s": 3, "max_seconds": 4});
    plan["phases"] = json!([{"name": "warmup", "stop": {"steady": steady}}, {"name": "measure", "stop": {"seconds": 0.5}}]);
    let said = run(&plan);
    let warmup = said.phase(PhaseName::Warmup);
    assert!(!warmup.steadiness.unwrap().is_steady);
    assert!((3.9..8.0).contains(&(warmup.elapsed_ns as f64 / 1e9)), "{}", warmup.elapsed_ns);
    assert!(said.warnings().iter().any(|warning| warning.code == "not_steady"));
}
