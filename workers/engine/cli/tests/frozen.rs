//! A store that stops answering: what the engine says of requests that never came back.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use loadstone_bench::dialect::Dialect;
use loadstone_bench::programmed::{Freeze, Frozen, Program, start};
use loadstone_spec::events::{BoundKind, PhaseTotals, Quantiles, UnansweredCause};
use serde_json::{Value, json};
use support::{Said, engine, plan, run};

const SECONDS: f64 = 0.6;
const RATE_PER_S: f64 = 500.0;
const CONNECTIONS: u64 = 6;
const TIMEOUT_MS: u64 = 250;
/// The server freezes by the time of its first request, which a busy machine may send late.
const SLACK_S: f64 = 0.1;
/// Freezing at the start, in the middle and at the end.
const MOMENTS_S: [f64; 3] = [0.0, 0.3, 0.5];
const SHARES: [Frozen; 3] = [Frozen::One, Frozen::Half, Frozen::All];
const EVENT_LOOPS: [&str; 2] = ["epoll", "io_uring"];

fn frozen_server(dialect: Dialect, after_s: f64, frozen: Frozen) -> Program {
    let (service, stall) = (Duration::from_millis(1), Duration::ZERO);
    let freeze = Some(Freeze { after: Duration::from_secs_f64(after_s), frozen });
    Program { dialect, service, stall, period: Duration::from_secs(3600), spins: false, freeze }
}

fn frozen_plan(dialect: Dialect, port: u16, load: Value, event_loop: &str) -> Value {
    let mut plan = plan(dialect.name(), port);
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": SECONDS}}]);
    plan["verify"] = json!(false);
    plan["event_loop"] = json!(event_loop);
    plan["timeout_ms"] = json!(TIMEOUT_MS);
    plan["load"] = load;
    if matches!(dialect, Dialect::Memlink | Dialect::Memlink03) {
        plan["target"]["read_address"] = plan["target"]["address"].clone();
        plan["operations"] = json!([{"kind": "range_first", "weight": 1}]);
    }
    plan
}

/// Memlink answers one request at a time on each connection.
fn pipeline(dialect: Dialect) -> u64 {
    if matches!(dialect, Dialect::Memlink | Dialect::Memlink03) { 1 } else { 3 }
}

fn values(times: &Quantiles) -> [(&'static str, f64, Option<u64>); 6] {
    [
        ("p50", 0.5, times.p50),
        ("p90", 0.9, times.p90),
        ("p95", 0.95, times.p95),
        ("p99", 0.99, times.p99),
        ("p999", 0.999, times.p999),
        ("max", 1.0, times.max),
    ]
}

fn unanswered(totals: &PhaseTotals) -> u64 {
    totals.operations.iter().flat_map(|numbers| numbers.unanswered.values()).sum()
}

/// Of all that were due, what was not answered took for ever: the true quantile of rank r is an answer's time as long as there
/// are so many, else without limit.
fn check_open_loop(said: &Said, frozen: Frozen, what: &str) {
    let measured = said.measured();
    let due = (RATE_PER_S * SECONDS) as u64;
    assert_eq!(measured.offered, due, "{what}");
    assert_eq!(measured.answered + unanswered(measured), due, "{what}: {measured:?}");
    let times = &measured.operations[0].response_time_ns;
    for (name, quantile, value) in values(times) {
        let rank = (quantile * due as f64).ceil() as u64;
        let is_without_limit = times.bounds.get(name).is_some_and(|bound| bound.to_ns.is_none());
        assert_eq!(is_without_limit, rank > measured.answered, "{what} {name}: {times:?}");
        assert!(value.is_some(), "{what} {name}");
    }
    let is_said = said.warnings().iter().any(|warning| warning.code == "requests_unanswered");
    assert_eq!(is_said, unanswered(measured) > 0, "{what}");
    // Of a client with a socket for writes the other half may have frozen.
    assert!(is_said || frozen == Frozen::Half, "{what}");
}

/// Where all connections freeze, what arrived afterwards has waited at least until the end of the schedule or its time-out.
fn check_bounds_are_long(said: &Said, after_s: f64, what: &str) {
    let times = &said.measured().operations[0].response_time_ns;
    for (name, quantile, value) in
        values(times).into_iter().filter(|value| times.bounds.contains_key(value.0))
    {
        let least_s = (quantile * SECONDS - after_s).min(TIMEOUT_MS as f64 / 1e3) - SLACK_S;
        let value_s = value.unwrap() as f64 / 1e9;
        assert!(value_s >= least_s, "{what} {name}: {value_s} s, by the schedule {least_s} s: {times:?}");
    }
    let max_s = times.max.unwrap() as f64 / 1e9;
    let least_s = (SECONDS - after_s).min(TIMEOUT_MS as f64 / 1e3) - SLACK_S;
    assert!(max_s >= least_s && times.bounds["max"].kind == BoundKind::AtLeast, "{what}: {times:?}");
}

fn freeze_open_loop(dialect: Dialect, event_loop: &str, after_s: f64, frozen: Frozen) {
    let what = format!("{} {event_loop} {frozen:?} after {after_s} s", dialect.name());
    let server = start(frozen_server(dialect, after_s, frozen)).unwrap();
    let load = json!({
        "kind": "open", "rate_per_s": RATE_PER_S, "connections": CONNECTIONS, "pipeline": pipeline(dialect),
    });
    let said = run(&frozen_plan(dialect, server.port, load, event_loop));
    check_open_loop(&said, frozen, &what);
    if frozen == Frozen::All {
        check_bounds_are_long(&said, after_s, &what);
    }
}

fn freeze_closed_loop(dialect: Dialect, event_loop: &str, after_s: f64) {
    let what = format!("{} {event_loop} closed, after {after_s} s", dialect.name());
    let server = start(frozen_server(dialect, after_s, Frozen::All)).unwrap();
    let load = json!({"kind": "closed", "connections": CONNECTIONS});
    let said = run(&frozen_plan(dialect, server.port, load, event_loop));
    let measured = said.measured();
    assert!(unanswered(measured) >= CONNECTIONS, "{what}: {measured:?}");
    let times = &measured.operations[0].response_time_ns;
    assert_eq!(times.bounds["max"].kind, BoundKind::AtLeast, "{what}: {times:?}");
    assert!(times.max.unwrap() as f64 / 1e6 >= 100.0, "{what}: {times:?}");
    let hung = measured.hung.unwrap_or_else(|| panic!("{what}: {measured:?}"));
    let least_s = SECONDS - after_s - SLACK_S;
    assert!(hung.connections >= CONNECTIONS && hung.longest_ns as f64 / 1e9 >= least_s, "{what}: {hung:?}");
    assert!(said.warnings().iter().any(|warning| warning.code == "connections_hung"), "{what}");
}

/// Each protocol meets every share of connections, at moments that take turns, in both kinds of loop.
fn freeze_all(number: usize, dialect: Dialect) {
    std::thread::scope(|scope| {
        for (loop_number, event_loop) in EVENT_LOOPS.into_iter().enumerate() {
            for (share_number, frozen) in SHARES.into_iter().enumerate() {
                let after_s = MOMENTS_S[(number + loop_number + share_number) % MOMENTS_S.len()];
                scope.spawn(move || freeze_open_loop(dialect, event_loop, after_s, frozen));
            }
            scope.spawn(move || freeze_closed_loop(dialect, event_loop, MOMENTS_S[number % 2]));
        }
    });
}

fn freeze_some(dialects: &[Dialect]) {
    for (number, &dialect) in
        Dialect::ALL.iter().enumerate().filter(|(_, dialect)| dialects.contains(dialect))
    {
        freeze_all(number, dialect);
    }
}

#[test]
fn a_frozen_memcached_is_told_by_lower_bounds() {
    freeze_some(&[Dialect::Memcached, Dialect::MemcachedMeta, Dialect::MemcachedBinary]);
}

#[test]
fn a_frozen_redis_is_told_by_lower_bounds() {
    freeze_some(&[Dialect::Redis, Dialect::RedisResp3, Dialect::RedisCluster]);
}

#[test]
fn a_frozen_sql_database_is_told_by_lower_bounds() {
    freeze_some(&[Dialect::MySql, Dialect::MySqlText, Dialect::Postgres, Dialect::PostgresSimple]);
}

#[test]
fn a_frozen_store_of_documents_or_lists_is_told_by_lower_bounds() {
    freeze_some(&[Dialect::MongoDb, Dialect::Memlink, Dialect::Memlink03]);
}

/// What is in flight, and what could not be sent, when nothing has timed out yet.
#[test]
fn every_cause_is_counted_by_its_name_and_printed() {
    let server = start(frozen_server(Dialect::Redis, 0.2, Frozen::All)).unwrap();
    let url = format!("redis://127.0.0.1:{}", server.port);
    let flags =
        ["--rate", "500", "--connections", "2", "--seconds", "0.5", "--timeout-ms", "60000", "--no-prefill"];
    let mut child = engine();
    child.args(["run", "--target", &url]).args(flags).stdout(std::process::Stdio::piped());
    let child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(3000));
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), nix::sys::signal::Signal::SIGTERM)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let (table, complaints) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(table.contains("no answer: in flight 2, never sent "), "{table}");
    assert!(table.contains(">= "), "{table}");
    assert!(complaints.contains("warning requests_unanswered") && complaints.contains("connections_hung"));
}

/// Only the first of two replies comes at once. A connection that asks nothing is let go.
fn serve_half_a_pipeline(mut stream: TcpStream) {
    let (mut lines, mut bytes) = (0, [0; 1024]);
    while lines < 2 {
        let count = stream.read(&mut bytes).unwrap_or(0);
        if count == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&bytes[..count]);
        lines += text.lines().filter(|line| line.starts_with("get ")).count();
        if text.starts_with("version") {
            stream.write_all(b"VERSION 1.6.18\r\n").unwrap();
        }
    }
    stream.write_all(b"END\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    stream.write_all(b"END\r\n").unwrap();
    let _ = stream.read(&mut bytes);
}

/// The faster one of two pipelined replies, in milliseconds.
fn time_half_a_pipeline(gathers: bool) -> f64 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut plan = plan("memcached", listener.local_addr().unwrap().port());
    plan["load"] = json!({"kind": "closed", "connections": 1, "pipeline": 2, "gather_replies": gathers});
    plan["verify"] = json!(false);
    plan["event_loop"] = json!("epoll");
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 2}}]);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve_half_a_pipeline(stream));
        }
    });
    let said = run(&plan);
    let times = &said.measured().operations[0].service_time_ns;
    assert!(times.max.unwrap() > 90_000_000, "{times:?}");
    times.p50.unwrap() as f64 / 1e6
}

/// A machine full of other work may be late once, but not ten times.
#[test]
fn pipelined_replies_are_timed_as_they_arrive_unless_asked_otherwise() {
    let fastest_ms = (0..10).map(|_| time_half_a_pipeline(false)).fold(f64::INFINITY, f64::min);
    assert!(fastest_ms < 0.8, "{fastest_ms} ms");
    assert!(time_half_a_pipeline(true) >= 0.9, "they were not gathered");
}

#[test]
fn nothing_is_a_bound_where_everything_was_answered() {
    let store = support::Store::redis(&[]).ready();
    let said = run(&plan("redis", store.port));
    let measured = said.measured();
    assert!(measured.operations[0].response_time_ns.bounds.is_empty());
    assert_eq!((unanswered(measured), measured.never_sent, measured.hung), (0, 0, None));
    let distortion = measured.distortion.as_ref().unwrap();
    assert!(distortion.lateness_histogram.is_none() && distortion.pauses.watched_ns > 0);
    assert!(!measured.operations[0].unanswered.contains_key(&UnansweredCause::InFlight));
}
