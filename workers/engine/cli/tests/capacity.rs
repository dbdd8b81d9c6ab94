//! Ten thousand connections, memory that neither grows with time nor with keys, threads that share nothing.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use support::{Said, Store, engine, finish, plan, run, start_fed};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Runs a plan and looks all the while at what it has had resident at most.
fn run_watched(plan: &Value) -> (Said, Vec<(Instant, u64)>, u64) {
    let child = start_fed(plan);
    let pid = child.id();
    let watcher = std::thread::spawn(move || {
        let (mut seen, mut most) = (Vec::new(), 0);
        while let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/status")) {
            let field = |name: &str| {
                let line = status.lines().find(|line| line.starts_with(name))?;
                line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * KIB)
            };
            let Some(peak) = field("VmHWM:") else { break };
            seen.push((Instant::now(), peak));
            most = peak;
            std::thread::sleep(Duration::from_millis(20));
        }
        (seen, most)
    });
    let said = finish(child);
    let (seen, most) = watcher.join().unwrap();
    (said, seen, most)
}

#[test]
fn ten_thousand_connections_are_kept_by_one_process_in_little_memory() {
    const CONNECTIONS: u64 = 10_000;
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    if hard < CONNECTIONS + 1000 {
        eprintln!("not tested: this machine allows a process {hard} descriptors");
        return;
    }
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
    let store = Store::memcached(&["-c", "11000", "-b", "4096"]).ready();
    let mut plan = plan("memcached", store.port);
    plan["load"] = json!({"kind": "closed", "connections": CONNECTIONS});
    plan["timeout_ms"] = json!(30_000);
    plan["phases"] =
        json!([{"name": "prefill"}, {"name": "measure", "stop": {"operations": 3 * CONNECTIONS}}]);
    let (said, _, most) = run_watched(&plan);
    let measured = said.measured();
    assert_eq!((said.code(), measured.answered, measured.failed), (0, 3 * CONNECTIONS, 0));
    let limit = 64 * MIB + CONNECTIONS * 2 * KIB;
    assert!(most <= limit, "{} KiB of {} KiB", most / KIB, limit / KIB);
}

#[test]
fn memory_is_flat_in_the_length_of_a_run() {
    let store = Store::redis(&[]).ready();
    let mut plan = plan("redis", store.port);
    plan["operations"] = json!([{"kind": "get", "weight": 9}, {"kind": "set", "weight": 1}]);
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 5}}]);
    plan["verify"] = json!(false);
    let (said, seen, _) = run_watched(&plan);
    assert_eq!(said.code(), 0);
    assert!(said.samples().len() >= 5);
    let (begun, ended) = (seen[0].0, seen[seen.len() - 1].0);
    let at = |share: f64| {
        let until = begun + (ended - begun).mul_f64(share);
        seen.iter().take_while(|(when, _)| *when <= until).last().unwrap().1
    };
    // The first second's report has been made by then. What comes is as large: half of one is tolerated.
    let (early, late) = (at(0.4), at(0.95));
    assert!(late <= early + MIB / 2, "{} KiB, later {} KiB", early / KIB, late / KIB);
}

/// Each thread has two records of every operation: all of them at full length would be 80 MiB.
#[test]
fn many_operations_over_many_threads_take_what_their_times_need() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    let kinds = ["get", "set", "add", "replace", "append", "incr", "delete", "read_modify_write"];
    plan["operations"] = kinds.iter().map(|kind| json!({"kind": kind, "weight": 1})).collect();
    plan["threads"] = json!(8);
    plan["load"] = json!({"kind": "closed", "connections": 8});
    plan["verify"] = json!(false);
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"seconds": 3}}]);
    let (said, _, most) = run_watched(&plan);
    assert_eq!(said.code(), 0, "{:?}", said.events.last());
    assert!(most <= 48 * MIB, "{} KiB", most / KIB);
}

#[test]
fn a_random_permutation_of_a_thousand_million_keys_takes_no_memory_for_each() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["dataset"]["key_count"] = json!(1_000_000_000);
    plan["access"] = json!({"kind": "permutation"});
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 20_000}}]);
    let (said, _, most) = run_watched(&plan);
    let measured = said.measured();
    assert_eq!((said.code(), measured.answered), (0, 20_000));
    assert_eq!(measured.operations[0].misses, 20_000, "nothing was written");
    assert!(most <= 64 * MIB, "{} KiB", most / KIB);
}

/// Verifying a hundred values takes a client longer than it takes the store to send them.
#[test]
fn the_engine_says_that_it_was_the_bottleneck() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["operations"] = json!([{"kind": "multi_get", "weight": 1, "keys_per_request": 100}]);
    plan["load"] = json!({"kind": "open", "connections": 100, "rate_per_s": 1_000_000});
    plan["phases"] = json!([{"name": "prefill"}, {"name": "measure", "stop": {"seconds": 1}}]);
    let said = run(&plan);
    let measured = said.measured();
    assert!(measured.saturated && measured.engine_busy_share > 0.95, "{measured:?}");
    assert!(measured.late_share > 0.5 && measured.sent < measured.offered, "{measured:?}");
    assert!(said.warnings().iter().any(|warning| warning.code == "engine_saturated"));
}

#[test]
fn a_relaxed_engine_says_that_it_was_not_the_bottleneck() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["load"] = json!({"kind": "open", "connections": 10, "rate_per_s": 200});
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 2}}]);
    let said = run(&plan);
    let measured = said.measured();
    assert!(measured.engine_busy_share < 0.9, "{measured:?}");
    assert_eq!((measured.offered, measured.answered), (400, 400));
    assert!(measured.littles_law_residual.abs() < 0.2, "{measured:?}");
    let cpu_share = measured.engine_cpu_ns as f64 / measured.elapsed_ns as f64;
    assert!(cpu_share < 0.5, "{cpu_share}");
}

fn bench(store: &Store, scheme: &str, arguments: &[&str]) -> (Vec<Value>, i32) {
    let target = format!("{scheme}://127.0.0.1:{}", store.port);
    let output = engine()
        .args(["bench", "--target", &target, "--keys", "1000", "--operations", "2000", "--repeats", "1"])
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), output.status.code().unwrap())
}

fn find<'a>(figures: &'a [Value], name: &str) -> &'a Value {
    figures.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("no {name} in {figures:?}"))
}

#[test]
fn every_figure_of_a_bench_says_what_it_is_and_whether_its_limit_holds() {
    let store = Store::memcached(&[]).ready();
    let loops = ["--only", "bare_epoll", "--only", "engine_epoll", "--connections", "4", "--threads", "2"];
    let (figures, code) = bench(&store, "memcached", &loops);
    assert_eq!(code, 0);
    for figure in &figures {
        let value = figure["value"].as_f64().unwrap();
        assert!(value > 0.0 && figure["n"].as_u64().unwrap() > 0, "{figure}");
        assert!(figure["unit"].is_string() && figure["method"].is_string(), "{figure}");
        assert_eq!(figure["holds"].is_boolean(), figure["limit"].is_number(), "{figure}");
    }
    for name in ["cpu_us.bare_epoll", "cpu_us.engine_epoll", "cpu_ratio.engine_epoll_to_bare_epoll"] {
        find(&figures, &format!("engine.bench.{name}"));
    }
    assert_eq!(find(&figures, "engine.bench.threads_scaling")["threads"], 2);
    // Not the limit of 30 ns: other work on this core must not spoil the test, and a system call would take 10 times this.
    let timestamp_ns = find(&figures, "engine.bench.timestamp_ns")["value"].as_f64().unwrap();
    assert!(timestamp_ns < 500.0, "{timestamp_ns} ns");
}

#[test]
fn a_bare_loop_whose_replies_differ_in_length_ends_with_an_error_and_does_not_hang() {
    let store = Store::memcached(&[]).ready();
    let mut half = plan("memcached", store.port);
    half["dataset"]["key_count"] = json!(500);
    half["phases"] = json!([{"name": "prefill"}]);
    assert_eq!(run(&half).code(), 0);
    let arguments = ["--only", "bare_epoll", "--connections", "2", "--pipeline", "8", "--timeout-ms", "300"];
    let (said, code) = bench(&store, "memcached_meta", &[&arguments[..], &["--no-prefill"]].concat());
    let failure = said.last().unwrap();
    assert_eq!((code, &failure["code"]), (1, &json!("engine_internal")), "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("than the first"), "{message}");
}
