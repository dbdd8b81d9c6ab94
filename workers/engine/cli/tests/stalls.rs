//! What the engine says of a server whose delays are known. The bench does the same at full length, against theory.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::time::Duration;

use loadstone_bench::dialect::Dialect;
use loadstone_bench::programmed::{Program, start};
use loadstone_spec::plan::OperationKind;
use serde_json::json;
use support::{numbers, plan, run};

const RATE_PER_S: f64 = 2000.0;
const CONNECTIONS: u32 = 50;
const PIPELINE: u32 = 2;
/// Nothing may be told shorter than it was but for rounding and the reading of two clocks ...
const SHORTER_S: f64 = 0.000_5;
/// ... but an engine that shares its cores with other tests may see an answer this much later than it was sent.
/// Leaving the stall's arrivals out (coordinated omission) would be wrong by 50 ms and more, downwards.
const LONGER_S: f64 = 0.05;

/// 1 ms of service, 0.2 s of stall every 2 s: p95 0.1 s, p99 0.18 s by theory. What the server itself can do only
/// later on a busy machine is in the truth: when its answers left, held against the schedule of the arrivals.
fn assert_percentiles_are_true(protocol: &str, dialect: Dialect) {
    let program = Program {
        dialect,
        service: Duration::from_millis(1),
        stall: Duration::from_millis(200),
        period: Duration::from_secs(2),
        spins: false,
    };
    let server = start(program).unwrap();
    let mut plan = plan(protocol, server.port);
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 4}}]);
    plan["load"] = json!({
        "kind": "open", "connections": CONNECTIONS, "pipeline": PIPELINE, "rate_per_s": RATE_PER_S,
    });
    let said = run(&plan);
    let measured = said.measured();
    assert_eq!((measured.offered, measured.sent, measured.answered), (8000, 8000, 8000));
    let truth_s = true_times_s(&server.answered_at_unix_ns(), measured.started_at_unix_ns);
    let get = numbers(measured, OperationKind::Get);
    let times = &get.response_time_ns;
    for (quantile, found) in
        [(0.5, times.p50), (0.95, times.p95), (0.99, times.p99), (0.999, times.p999), (1.0, times.max)]
    {
        let found_s = found.unwrap() as f64 / 1e9;
        let rank = (quantile * truth_s.len() as f64).ceil() as usize;
        let true_s = truth_s[rank - 1];
        let theory_s = program.theory_s(quantile, RATE_PER_S, f64::from(CONNECTIONS * PIPELINE));
        let what = format!("{protocol} {quantile}: {found_s} s, true {true_s} s, in theory {theory_s} s");
        assert!(found_s > 0.98 * true_s - SHORTER_S && found_s < 1.02 * true_s + LONGER_S, "{what}");
        assert!(found_s > 0.98 * theory_s - SHORTER_S, "{what}");
    }
    assert!(measured.littles_law_residual.abs() < 0.02, "{}", measured.littles_law_residual);
}

/// The n-th answer belongs to the n-th arrival, sorted. The server answers in the order of the requests but for
/// some that came within a millisecond, which changes no percentile beyond that.
fn true_times_s(answered_at_unix_ns: &[u64], started_at_unix_ns: u64) -> Vec<f64> {
    let arrived_ns = |number: usize| started_at_unix_ns as f64 + number as f64 * 1e9 / RATE_PER_S;
    let answers = answered_at_unix_ns.iter().enumerate();
    let mut times: Vec<f64> = answers.map(|(number, &at)| (at as f64 - arrived_ns(number)) / 1e9).collect();
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn percentiles_over_stalls_are_true_on_memcached() {
    assert_percentiles_are_true("memcached", Dialect::Memcached);
}

#[test]
fn percentiles_over_stalls_are_true_on_redis() {
    assert_percentiles_are_true("redis", Dialect::Redis);
}
