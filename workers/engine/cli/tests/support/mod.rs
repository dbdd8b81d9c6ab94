//! Real stores, the engine as a process, and what it said.

#![allow(dead_code, reason = "each test program uses its own part")]

pub mod cutting_proxy;
pub mod databases;
pub mod hostile;
pub mod impostor;
pub mod journals;
pub mod memlink;
pub mod sleeps;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use loadstone_spec::events::{
    ErrorClass, Event, Failure, OperationNumbers, PhaseTotals, Sample, Summary, UnansweredCause, Warning,
};
use loadstone_spec::plan::{OperationKind, PhaseName};
use serde_json::{Value, json};

/// A port that nobody else is given: those that the system gives by itself begin at 32768.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 500) as u16 * 20;
    let ports = std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed) % 2000);
    ports.take(2000).find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).unwrap()
}

/// A store that dies with the test.
pub struct Store {
    child: Child,
    pub port: u16,
}

impl Store {
    pub fn memcached(arguments: &[&str]) -> Self {
        let port = free_port();
        let port_text = port.to_string();
        // Root must name the user it becomes.
        let user: &[&str] = if nix::unistd::geteuid().is_root() { &["-u", "nobody"] } else { &[] };
        let place: &[&str] = if arguments.contains(&"-s") { &[] } else { &["-p", &port_text] };
        let all = [&["-U", "0", "-m", "64", "-t", "1"], user, place, arguments].concat();
        let listen: &[&str] =
            if arguments.contains(&"-l") || arguments.contains(&"-s") { &[] } else { &["-l", "127.0.0.1"] };
        Self::start("memcached", &[&all[..], listen].concat(), port)
    }

    pub fn redis(arguments: &[&str]) -> Self {
        let port = free_port();
        let port_text = port.to_string();
        let tcp: &[&str] =
            if arguments.contains(&"--tls-port") { &["--port", "0"] } else { &["--port", &port_text] };
        let fixed = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        Self::start("redis-server", &[&fixed[..], tcp, arguments].concat(), port)
    }

    /// memcached that asks for SASL, with one user `me` and the password `secret`; nothing where SASL cannot be set up.
    pub fn memcached_with_sasl(directory: &Path) -> Option<Self> {
        let database = directory.join("sasldb");
        let config = format!("mech_list: plain\nsasldb_path: {}\n", database.display());
        std::fs::write(directory.join("memcached.conf"), config).unwrap();
        let mut passwd = Command::new("saslpasswd2")
            .args(["-p", "-c", "-a", "memcached", "-u", "local", "-f"])
            .args([database.as_os_str(), "me".as_ref()])
            .stdin(Stdio::piped())
            .spawn()
            .ok()?;
        passwd.stdin.take().unwrap().write_all(b"secret").unwrap();
        assert!(passwd.wait().unwrap().success());
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&database, PermissionsExt::from_mode(0o644)).unwrap();
        std::fs::set_permissions(directory, PermissionsExt::from_mode(0o755)).unwrap();
        let port = free_port();
        let mut command = Command::new("memcached");
        command.env("SASL_CONF_PATH", directory).args(["-S", "-U", "0", "-l", "127.0.0.1", "-u", "nobody"]);
        command.args(["-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        Some(Self { child: command.spawn().unwrap(), port })
    }

    fn start(program: &str, arguments: &[&str], port: u16) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        // What a store leaves behind must not lie among the sources.
        command.current_dir(std::env::temp_dir());
        let child = command.spawn().unwrap_or_else(|error| {
            panic!("{program} cannot be started ({error}): apt-get install memcached redis-server")
        });
        Self { child, port }
    }

    /// Waits until something listens.
    pub fn ready(self) -> Self {
        await_true("the store listens", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
        self
    }

    pub fn ready_at(self, path: &Path) -> Self {
        await_true("the store listens", || std::os::unix::net::UnixStream::connect(path).is_ok());
        self
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Says something over a connection of its own and reads what comes back until the store ends it, too.
    pub fn say(&self, text: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(text).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Connections that a Redis has ever accepted.
pub fn accepted(store: &Store) -> u64 {
    let info = String::from_utf8(store.say(b"INFO stats\r\n")).unwrap();
    let line = info.lines().find(|line| line.starts_with("total_connections_received:")).unwrap();
    line.trim_start_matches("total_connections_received:").parse().unwrap()
}

pub fn await_true(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < until, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A short closed-loop plan with every default a test may then change.
pub fn plan(protocol: &str, port: u16) -> Value {
    json!({
        "version": 1,
        "target": {"protocol": protocol, "address": {"kind": "tcp", "host": "127.0.0.1", "port": port}},
        "dataset": {"key_count": 1000, "value_size": {"kind": "fixed", "bytes": 100}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 4},
        "phases": [{"name": "prefill"}, {"name": "measure", "stop": {"operations": 5000}}],
        "seed": 7,
        "verify": true,
        "timeout_ms": 2000,
        // All of these tests hold under either loop: LOADSTONE_TEST_EVENT_LOOP=io_uring cargo test
        "event_loop": std::env::var("LOADSTONE_TEST_EVENT_LOOP").unwrap_or_else(|_| "epoll".to_owned()),
    })
}

pub fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_loadstone-engine"))
}

/// Starts the engine with a plan on a stdin that stays open.
pub fn start_fed(plan: &Value) -> Child {
    let mut child = engine()
        .args(["run", "--die-with-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(plan.to_string().as_bytes()).unwrap();
    child
}

pub fn run(plan: &Value) -> Said {
    let child = start_fed(plan);
    finish(child)
}

/// Waits with stdin open, as an agent does.
pub fn finish(mut child: Child) -> Said {
    let _stdin = child.stdin.take();
    Said::new(child.wait_with_output().unwrap())
}

/// What an engine said until it ended.
pub struct Said {
    pub status: ExitStatus,
    pub events: Vec<Event>,
}

impl Said {
    pub fn new(output: Output) -> Self {
        let text = String::from_utf8(output.stdout).unwrap();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { status: output.status, events }
    }

    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    pub fn summary(&self) -> &Summary {
        self.events
            .iter()
            .find_map(|event| if let Event::Summary(summary) = event { Some(summary) } else { None })
            .unwrap_or_else(|| panic!("no summary in {:?}", self.events))
    }

    pub fn failure(&self) -> &Failure {
        match self.events.last() {
            Some(Event::Error(failure)) => failure,
            other => panic!("the last event is no error but {other:?}"),
        }
    }

    pub fn samples(&self) -> Vec<&Sample> {
        self.events
            .iter()
            .filter_map(|event| if let Event::Sample(sample) = event { Some(sample) } else { None })
            .collect()
    }

    pub fn warnings(&self) -> Vec<&Warning> {
        self.events
            .iter()
            .filter_map(|event| if let Event::Warning(warning) = event { Some(warning) } else { None })
            .collect()
    }

    /// The totals of a phase, after checking what must hold for all of them.
    pub fn phase(&self, name: PhaseName) -> &PhaseTotals {
        self.summary().phases.iter().for_each(|totals| self.check(totals));
        self.summary().phases.iter().find(|totals| totals.phase == name).unwrap()
    }

    /// Nothing is lost: neither between sent and answered, nor between the seconds and the whole.
    fn check(&self, totals: &PhaseTotals) {
        assert_eq!(totals.sent, totals.answered + totals.failed + totals.in_flight, "{totals:?}");
        assert_eq!(totals.offered, totals.sent + totals.never_sent, "{totals:?}");
        let without = |cause| {
            let counts = totals.operations.iter().filter_map(|numbers| numbers.unanswered.get(&cause));
            counts.sum::<u64>()
        };
        assert_eq!(without(UnansweredCause::InFlight), totals.in_flight, "{totals:?}");
        assert_eq!(without(UnansweredCause::NeverSent), totals.never_sent, "{totals:?}");
        assert_eq!(without(UnansweredCause::TimedOut), errors(totals, ErrorClass::Timeout), "{totals:?}");
        assert_eq!(without(UnansweredCause::ConnectionLost), errors(totals, ErrorClass::ConnectionLost));
        for (index, whole) in totals.operations.iter().enumerate() {
            let seconds = self.samples().into_iter().filter(|sample| sample.phase == totals.phase);
            let counts: Vec<u64> = seconds.map(|sample| sample.operations[index].count).collect();
            assert_eq!(counts.iter().sum::<u64>(), whole.count, "{counts:?}");
        }
        let numbers = self.samples().iter().map(|sample| sample.seq).collect::<Vec<_>>();
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    }

    pub fn measured(&self) -> &PhaseTotals {
        self.phase(PhaseName::Measure)
    }
}

pub fn numbers(totals: &PhaseTotals, kind: OperationKind) -> &OperationNumbers {
    totals.operations.iter().find(|numbers| numbers.operation == kind).unwrap()
}

pub fn errors(totals: &PhaseTotals, class: ErrorClass) -> u64 {
    totals.operations.iter().filter_map(|numbers| numbers.errors.get(&class)).sum()
}
