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
use serde_json::json;
use support::{plan, run};

const RATE_PER_S: f64 = 2000.0;
/// Nothing may be told shorter than it was but for rounding and the reading of two clocks ...
const SHORTER_S: f64 = 0.000_5;
/// ... but an engine that shares its cores with other tests may see an answer this much later than it was sent.
/// Leaving the stall's arrivals out (coordinated omission) would be wrong by 50 ms and more, downwards.
const LONGER_S: f64 = 0.05;

/// 1 ms of service, 0.2 s of stall every 2 s: p95 0.1 s, p99 0.18 s by theory. What the server itself can do only
/// later on a busy machine is in the truth: when its answers left, held against the schedule of the arrivals.
fn assert_percentiles_are_true(dialect: Dialect) {
    let protocol = dialect.name();
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
    plan["verify"] = json!(false);
    let is_memlink = matches!(dialect, Dialect::Memlink | Dialect::Memlink03);
    // Memlink answers one request at a time on each connection.
    let (connections, pipeline) = if is_memlink { (100, 1) } else { (50, 2) };
    plan["load"] = json!({
        "kind": "open", "connections": connections, "pipeline": pipeline, "rate_per_s": RATE_PER_S,
    });
    if is_memlink {
        plan["target"]["read_address"] = plan["target"]["address"].clone();
        plan["operations"] = json!([{"kind": "range_first", "weight": 1}]);
    }
    let said = run(&plan);
    let measured = said.measured();
    assert_eq!((measured.offered, measured.sent, measured.answered), (8000, 8000, 8000));
    let truth_s = true_times_s(&server.answered_at_unix_ns(), measured.started_at_unix_ns);
    let times = &measured.operations[0].response_time_ns;
    for (quantile, found) in
        [(0.5, times.p50), (0.95, times.p95), (0.99, times.p99), (0.999, times.p999), (1.0, times.max)]
    {
        let found_s = found.unwrap() as f64 / 1e9;
        let rank = (quantile * truth_s.len() as f64).ceil() as usize;
        let true_s = truth_s[rank - 1];
        let theory_s = program.theory_s(quantile, RATE_PER_S, f64::from(connections * pipeline));
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

/// Each protocol in an engine of its own, some at once.
fn check_at_once(dialects: &[Dialect]) {
    std::thread::scope(|scope| {
        for &dialect in dialects {
            scope.spawn(move || assert_percentiles_are_true(dialect));
        }
    });
}

#[test]
fn percentiles_over_stalls_are_true_on_every_dialect_of_memcached() {
    check_at_once(&[Dialect::Memcached, Dialect::MemcachedMeta, Dialect::MemcachedBinary]);
}

#[test]
fn percentiles_over_stalls_are_true_on_every_dialect_of_redis() {
    check_at_once(&[Dialect::Redis, Dialect::RedisResp3, Dialect::RedisCluster]);
}

#[test]
fn percentiles_over_stalls_are_true_on_every_dialect_of_sql() {
    check_at_once(&[Dialect::MySql, Dialect::MySqlText, Dialect::Postgres, Dialect::PostgresSimple]);
}

#[test]
fn percentiles_over_stalls_are_true_on_documents_and_lists() {
    check_at_once(&[Dialect::MongoDb, Dialect::Memlink, Dialect::Memlink03]);
}
