//! How a run ends: exit codes, last words, and that nothing is left behind.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loadstone_spec::events::FailureCode;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use support::{Said, Store, await_true, engine, finish, free_port, plan, run, start_fed};

/// A plan that would take a minute.
fn long_plan(port: u16) -> Value {
    let mut plan = plan("memcached", port);
    plan["phases"] = json!([{"name": "measure", "stop": {"seconds": 60}}]);
    plan
}

/// Reads events until the measure phase has begun.
fn await_measure(stdout: &mut impl BufRead) {
    let mut line = String::new();
    while !line.contains("\"started\"") {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0, "the engine ended too early");
    }
}

fn stop_by(end: impl FnOnce(&mut std::process::Child)) {
    let store = Store::memcached(&[]).ready();
    let mut child = start_fed(&long_plan(store.port));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    await_measure(&mut stdout);
    std::thread::sleep(Duration::from_millis(300));
    let ended_at = Instant::now();
    end(&mut child);
    let last = stdout.lines().last().unwrap().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(4));
    assert!(ended_at.elapsed() < Duration::from_secs(5));
    let summary: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(summary["stopped"], true);
    let totals = &summary["phases"][0];
    let count = |field: &str| totals[field].as_u64().unwrap();
    assert!(count("answered") > 100);
    assert_eq!(count("sent"), count("answered") + count("failed") + count("in_flight"));
}

#[test]
fn sigterm_stops_cleanly_and_reports_what_was_measured() {
    stop_by(|child| kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap());
}

#[test]
fn sigint_stops_cleanly_too() {
    stop_by(|child| kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap());
}

/// Stops an engine that has said hello but has no connection yet, and says how long it took.
fn interrupt_before_it_connects(mut plan: Value) -> Duration {
    plan["timeout_ms"] = json!(60_000);
    let mut child = start_fed(&plan);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let interrupted_at = Instant::now();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let last = stdout.lines().last().unwrap().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let summary: Value = serde_json::from_str(&last).unwrap();
    assert_eq!((&summary["stopped"], &summary["phases"]), (&json!(true), &json!([])));
    interrupted_at.elapsed()
}

#[test]
fn sigint_stops_at_once_while_the_target_lets_connections_wait() {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let queue: Vec<Socket> = (0..3)
        .map(|_| {
            let waiting = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            waiting.set_nonblocking(true).unwrap();
            let _ = waiting.connect(&address);
            waiting
        })
        .collect();
    let took = interrupt_before_it_connects(long_plan(address.as_socket().unwrap().port()));
    assert!(took < Duration::from_secs(5), "{took:?} with {} before it", queue.len());
}

#[test]
fn sigint_stops_at_once_while_the_target_does_not_greet() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The first asks nothing before its load, the second is prepared over one connection.
    for protocol in ["memcached", "mysql"] {
        let mut plan = long_plan(port);
        plan["target"]["protocol"] = json!(protocol);
        let took = interrupt_before_it_connects(plan);
        assert!(took < Duration::from_secs(5), "{protocol}: {took:?}");
    }
}

#[test]
fn the_end_of_stdin_stops_a_fed_engine() {
    stop_by(|child| drop(child.stdin.take()));
}

#[test]
fn a_plan_from_a_file_runs_to_its_end_although_stdin_is_at_its_end() {
    let store = Store::memcached(&[]).ready();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(plan("memcached", store.port).to_string().as_bytes()).unwrap();
    for arguments in [&["run"][..], &["run", "--die-with-stdin"]] {
        let stdin = File::open(file.path()).unwrap();
        let said = Said::new(engine().args(arguments).stdin(stdin).output().unwrap());
        assert_eq!((said.code(), said.measured().answered), (0, 5000));
    }
    let path = file.path().to_str().unwrap();
    let said = Said::new(engine().args(["run", "--plan", path]).stdin(Stdio::null()).output().unwrap());
    assert_eq!(said.code(), 0);
}

#[test]
fn the_engine_dies_with_its_parent_even_while_stdin_stays_open() {
    let store = Store::memcached(&[]).ready();
    let script = "exec 3<&0; \"$0\" run --die-with-stdin <&3 >/dev/null & echo $!; wait";
    let mut parent = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_loadstone-engine")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = parent.stdin.take().unwrap();
    stdin.write_all(long_plan(store.port).to_string().as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let engine_pid: i32 = line.trim().parse().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(is_running(engine_pid));
    parent.kill().unwrap();
    parent.wait().unwrap();
    await_true("the engine is gone", || !is_running(engine_pid));
}

/// A zombie that its new parent has not yet looked at is gone for our purpose.
fn is_running(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
}

#[test]
fn a_bad_plan_names_the_path_of_its_fault() {
    let mut plan = plan("memcached", 1);
    plan["operations"][0]["weight"] = json!(-1);
    let said = run(&plan);
    assert_eq!((said.code(), said.failure().code), (2, FailureCode::BadPlan));
    assert_eq!(said.failure().path.as_deref(), Some("$.operations[0].weight"));
}

#[test]
fn a_port_where_nothing_listens_is_unreachable() {
    let port = free_port();
    let said = run(&plan("redis", port));
    assert_eq!((said.code(), said.failure().code), (3, FailureCode::TargetUnreachable));
    assert!(said.failure().message.contains(&port.to_string()));
}

#[test]
fn a_name_without_an_address_is_unreachable() {
    let mut plan = plan("redis", 1);
    plan["target"]["address"]["host"] = json!("no-such-host.invalid");
    assert_eq!(run(&plan).failure().code, FailureCode::TargetUnreachable);
}

#[test]
fn a_store_of_another_protocol_is_told_from_one_that_is_down() {
    let store = Store::redis(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["timeout_ms"] = json!(500);
    let said = run(&plan);
    assert_eq!(said.code(), 3);
    assert!(said.failure().message.contains("another protocol"), "{}", said.failure().message);
}

#[test]
fn wrong_and_missing_passwords_are_refused() {
    let store = Store::redis(&["--requirepass", "right"]).ready();
    for password in [json!("wrong"), Value::Null] {
        let mut plan = plan("redis", store.port);
        plan["target"]["password"] = password;
        let said = run(&plan);
        assert_eq!((said.code(), said.failure().code), (5, FailureCode::TargetRefused));
    }
}

#[test]
fn cores_that_are_not_there_are_refused() {
    let store = Store::memcached(&[]).ready();
    let mut plan = plan("memcached", store.port);
    plan["cpus"] = json!([0, 1023]);
    let said = run(&plan);
    assert_eq!((said.code(), said.failure().code), (2, FailureCode::CpusUnavailable));
    assert_eq!(said.failure().path.as_deref(), Some("$.cpus[1]"));
}

fn count_gets(store: &Store) -> u64 {
    let stats = String::from_utf8(store.say(b"stats\r\n")).unwrap();
    let line = stats.lines().find_map(|line| line.strip_prefix("STAT cmd_get ")).unwrap();
    line.parse().unwrap()
}

#[test]
fn a_store_that_dies_is_lost_and_what_was_measured_is_still_told() {
    let mut store = Store::memcached(&[]).ready();
    let mut plan = long_plan(store.port);
    plan["timeout_ms"] = json!(1000);
    let child = start_fed(&plan);
    await_true("some have been answered", || count_gets(&store) > 200);
    store.stop();
    let said = finish(child);
    assert_eq!((said.code(), said.failure().code), (3, FailureCode::TargetLost));
    assert!(said.measured().answered > 100);
    assert!(said.measured().elapsed_ns < 10_000_000_000);
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let store = Store::memcached(&[]).ready();
    let mut child = start_fed(&long_plan(store.port));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    await_measure(&mut stdout);
    drop(stdout);
    let _stdin = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn the_agreed_start_is_kept_and_a_passed_one_is_told() {
    let store = Store::memcached(&[]).ready();
    let now_ns = || std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    let mut plan = plan("memcached", store.port);
    let agreed_ns = now_ns() + 3_000_000_000;
    plan["start_at_unix_ns"] = json!(agreed_ns);
    let said = run(&plan);
    assert!(said.measured().started_at_unix_ns.abs_diff(agreed_ns) < 1_000_000);
    let passed = |said: &Said| said.warnings().iter().any(|warning| warning.code == "start_time_passed");
    assert!(!passed(&said));
    plan["start_at_unix_ns"] = json!(1);
    assert!(passed(&run(&plan)));
}

#[test]
fn describe_validate_and_schema_answer_in_json() {
    let ask = |arguments: &[&str]| -> Value {
        let output = engine().args(arguments).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(ask(&["describe"])["protocols"][3]["protocol"], "redis");
    assert_eq!(ask(&["schema", "plan"])["title"], "EnginePlan");
    assert_eq!(ask(&["schema", "events"])["title"], "Event");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/golden/plan-open-constant.json");
    assert_eq!(ask(&["validate", "--plan", golden])["valid"], true);
}
