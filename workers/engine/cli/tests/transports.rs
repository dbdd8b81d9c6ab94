//! Every protocol over IPv6 and over Unix sockets.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread;

use loadstone_bench::dialect::{Dialect, Heard, Talk};
use serde_json::{Value, json};
use support::{plan, run};

/// Answers until the client goes away.
fn serve(mut stream: impl Read + Write, dialect: Dialect, port: u16) {
    let mut talk = Talk::at(port);
    let (mut input, mut bytes) = (Vec::new(), [0; 4096]);
    let mut answers = dialect.first_words();
    while stream.write_all(&answers).is_ok() {
        answers.clear();
        let Ok(count @ 1..) = stream.read(&mut bytes) else { return };
        input.extend_from_slice(&bytes[..count]);
        while let Some(found) = dialect.find_request(&mut talk, &input) {
            input.drain(..found.used);
            match found.heard {
                Heard::Greeting(answer) => answers.extend(answer),
                Heard::Operation => answers.extend(dialect.miss()),
            }
        }
    }
}

fn assert_answered(dialect: Dialect, address: &Value) {
    let mut plan = plan(dialect.name(), 1);
    plan["target"]["address"] = address.clone();
    plan["phases"] = json!([{"name": "measure", "stop": {"operations": 300}}]);
    if dialect.name().starts_with("memlink") {
        plan["target"]["read_address"] = address.clone();
        plan["operations"] = json!([{"kind": "range_first", "weight": 1}]);
    }
    let said = run(&plan);
    assert_eq!((said.code(), said.measured().answered), (0, 300), "{dialect:?} {address}");
}

#[test]
fn every_protocol_is_spoken_over_ipv6() {
    for dialect in Dialect::ALL {
        let Ok(listener) = TcpListener::bind("[::1]:0") else {
            eprintln!("not tested: this machine has no IPv6 loopback");
            return;
        };
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                thread::spawn(move || serve(stream.unwrap(), dialect, port));
            }
        });
        assert_answered(dialect, &json!({"kind": "tcp", "host": "::1", "port": port}));
    }
}

/// But for a cluster, whose nodes name each other by host and port.
#[test]
fn every_protocol_is_spoken_over_unix_sockets() {
    let directory = tempfile::TempDir::new().unwrap();
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::RedisCluster) {
        let path = directory.path().join(dialect.name());
        let listener = UnixListener::bind(&path).unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                thread::spawn(move || serve(stream.unwrap(), dialect, 0));
            }
        });
        assert_answered(dialect, &json!({"kind": "unix", "path": path.to_str().unwrap()}));
    }
}
