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
use serde_json::{Value, json};
use support::{plan, run};

const RATE_PER_S: f64 = 1000.0;
const SECONDS: f64 = 4.0;
/// What a machine full of other work does to one run it does not do to all of them.
const ATTEMPTS: usize = 4;
/// Nothing may be told shorter than it was but for rounding and the reading of two clocks ...
const SHORTER_S: f64 = 0.000_5;
/// ... but an engine that shares its cores with other tests may see an answer this much later than it was sent.
/// Leaving the stall's arrivals out (coordinated omission) would be wrong by 50 ms and more, downwards.
const LONGER_S: f64 = 0.05;

/// 1 ms of service, 0.2 s of stall every 2 s: p95 0.1 s, p99 0.18 s by theory. What the server itself can do only
/// later on a busy machine is in the truth: when its answers left, held against the schedule of the arrivals.
fn assert_percentiles_are_true(dialect: Dialect, event_loop: &Value) {
    let spoilt: Vec<String> = (0..ATTEMPTS).map_while(|_| measure(dialect, event_loop).err()).collect();
    assert!(spoilt.len() < ATTEMPTS, "{spoilt:#?}");
}

/// What only goes wrong where the machine was too busy is the error; what may never be is a panic.
fn measure(dialect: Dialect, event_loop: &Value) -> Result<(), String> {
    let protocol = dialect.name();
    let program = Program {
        dialect,
        service: Duration::from_millis(1),
        stall: Duration::from_millis(200),
        period: Duration::from_secs(2),
        spins: false,
        freeze: None,
    };
    let server = start(program).unwrap();
    let mut plan = plan(protocol, server.port);
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": SECONDS}}]);
    plan["verify"] = json!(false);
    if !event_loop.is_null() {
        plan["event_loop"] = event_loop.clone();
    }
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
    let arrivals = (RATE_PER_S * SECONDS) as u64;
    assert_eq!((measured.offered, measured.answered), (arrivals, measured.sent), "{protocol}");
    if measured.sent < arrivals {
        return Err(format!("{protocol}: {} of {arrivals} could be sent in time", measured.sent));
    }
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
        assert!(found_s > 0.98 * true_s.max(theory_s) - SHORTER_S, "{what}");
        if found_s > 1.02 * true_s + LONGER_S {
            return Err(what);
        }
    }
    let residual = measured.littles_law_residual;
    if residual.abs() < 0.02 { Ok(()) } else { Err(format!("{protocol}: Little's law is off by {residual}")) }
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

/// Those that a plan may ask for by name; null where there is but one.
fn event_loops() -> Vec<Value> {
    let schema = loadstone_spec::schema::plan_schema();
    let names = schema["$defs"]["EventLoop"]["enum"].as_array().cloned().unwrap_or(vec![Value::Null]);
    names.into_iter().filter(|name| name != "auto").collect()
}

/// Each protocol in an engine of its own, some at once.
fn check_at_once(dialects: &[Dialect]) {
    std::thread::scope(|scope| {
        for &dialect in dialects {
            scope.spawn(move || {
                event_loops().iter().for_each(|name| assert_percentiles_are_true(dialect, name));
            });
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
