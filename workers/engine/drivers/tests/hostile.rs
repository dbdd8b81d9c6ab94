//! Every decoder against bytes of all kinds: no harm, and the same reading however they are cut.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::memcached_binary::MemcachedBinary;
use loadstone_drivers::memcached_meta::MemcachedMeta;
use loadstone_drivers::memlink::Memlink;
use loadstone_drivers::mongodb::MongoDb;
use loadstone_drivers::mysql::MySql;
use loadstone_drivers::postgres::Postgres;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Asked, Driver, Greeted, Greeting, Role, Shape, Step};
use loadstone_spec::plan::{EnginePlan, OperationKind, StoreProtocol};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// A plan with every operation of a protocol, of values or of lists.
fn plan_of(protocol: StoreProtocol, lists: bool) -> Option<EnginePlan> {
    // Append alone cannot be verified.
    let is_wanted = |kind: &&OperationKind| kind.is_of_lists() == lists && **kind != OperationKind::Append;
    let kinds = protocol.operations().iter().filter(is_wanted);
    let operations: Vec<Value> = kinds.map(|kind| operation(*kind, protocol)).collect();
    if operations.is_empty() {
        return None;
    }
    let port = |port: u16| json!({"kind": "tcp", "host": "h", "port": port});
    let is_memlink = protocol.is_memlink();
    let secret = if is_memlink { Value::Null } else { json!("secret") };
    let plan = json!({
        "version": 1,
        "target": {"protocol": protocol, "address": port(1), "username": if is_memlink { Value::Null } else { json!("me") },
            "password": secret, "read_address": if is_memlink { port(2) } else { Value::Null }},
        "dataset": {"key_count": 1000, "key_size_bytes": 8, "value_size": {"kind": "fixed", "bytes": 30}},
        "operations": operations,
        "load": {"kind": "closed", "connections": 1},
        "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
        "verify": true,
    });
    Some(loadstone_spec::read_plan(&plan.to_string()).unwrap())
}

fn custom_command(protocol: StoreProtocol) -> &'static str {
    match protocol {
        StoreProtocol::Redis | StoreProtocol::RedisResp3 | StoreProtocol::RedisCluster => "SET {key} {value}",
        StoreProtocol::Memcached => "get {key}",
        _ => "SELECT {key}, {value}",
    }
}

fn operation(kind: OperationKind, protocol: StoreProtocol) -> Value {
    let mut operation = json!({"kind": kind, "weight": 1});
    match kind {
        OperationKind::MultiGet | OperationKind::MultiSet => operation["keys_per_request"] = json!(3),
        OperationKind::Touch => operation["expire_s"] = json!(5),
        OperationKind::Custom => operation["command"] = json!(custom_command(protocol)),
        _ => {}
    }
    operation
}

/// Every complete reply, as text, and whether reading broke off.
fn read<D: Driver>(driver: &D, asked: &Asked<'_>, input: &[u8], piece: usize) -> Vec<String> {
    let mut reader = D::Reader::default();
    let mut said = Vec::new();
    let (mut start, mut end) = (0, 0);
    while end < input.len() {
        end = end.saturating_add(piece).min(input.len());
        while start < end {
            let (used, what) = match driver.read(&mut reader, asked, &input[start..end]) {
                Step::Done { used, reply } => (used, format!("{reply:?}")),
                Step::Follow { used, word } => (used, format!("goes on with {word}")),
                Step::Elsewhere { used, endpoint, .. } => (used, format!("goes to {endpoint}")),
                Step::More { used } => {
                    assert!(used <= end - start);
                    start += used;
                    break;
                }
                Step::Broken => {
                    said.push("broken".to_owned());
                    return said;
                }
            };
            assert!(used > 0 && used <= end - start, "{used} of {} for {:?}", end - start, asked.shape.kind);
            said.push(what);
            start += used;
        }
    }
    said
}

/// What such servers begin their replies with, so that chance gets beyond the first byte.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&'static [u8]> = vec![
        b"\r\n",
        b"*2\r\n",
        b"$3\r\nabc\r\n",
        b"$-1\r\n",
        b"VALUE k0000007 0 3\r\n",
        b"END\r\n",
        b"VA 3 kk0000007\r\n",
        b"MN\r\n",
        b"HD\r\n",
        b"-MOVED 1 h:1\r\n",
        b"\x81\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x07",
        b"\x00\x00\x00\x00",
        b"\x01\x00\x00\x01\x01",
        b"\x05\x00\x00\x02\xfe\x00\x00\x02\x00",
        b"\x07\x00\x00\x03\x00\x00\x00\x02\x00\x00\x00",
        b"D\x00\x00\x00\x0e\x00\x01\x00\x00\x00\x04abcd",
        b"C\x00\x00\x00\x0dUPDATE 1\x00",
        b"Z\x00\x00\x00\x05I",
        b"\x30\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00",
        b"\x10n\x00\x01\x00\x00\x00",
        b"\x05v\x00\x03\x00\x00\x00\x00abc",
        b"\x03cursor\x00\x20\x00\x00\x00",
        b"\x04firstBatch\x00\x20\x00\x00\x00",
        b"\x06\x00\x00\x00\x00\x00\x01\x00\x00\x00",
        b"\x10\x00\x00\x00\x00\x00\x03\x01\x01\x04abc\x00\x01\x00\x00\x00",
    ];
    let piece = prop_oneof![
        proptest::sample::select(known).prop_map(<[u8]>::to_vec),
        proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn check<D: Driver>(driver: &D, plan: &EnginePlan) {
    check_findings(driver, plan);
    let shapes = Shape::all_of(plan);
    let cases = (pieces(), 0..shapes.len(), 0u8..2, 1usize..9);
    let mut runner = TestRunner::new(Config { cases: 800, ..Config::default() });
    let protocol = plan.target.protocol.name();
    let result = runner.run(&cases, |(input, shape, stage, piece)| {
        let keys = [7, 8, 9];
        let shape = &shapes[shape];
        // Other operations have one stage only.
        let stage = match shape.kind {
            OperationKind::ReadModifyWrite | OperationKind::CompareAndSet => stage,
            _ => 0,
        };
        let asked = Asked { shape, keys: &keys[..shape.keys_per_request], stage, word: 3, session: 1 };
        let mut out = Vec::new();
        if stage == 0 {
            driver.encode(&asked, &mut out);
        }
        prop_assert_eq!(read(driver, &asked, &input, usize::MAX), read(driver, &asked, &input, piece));
        for role in [Role::Scout, Role::Load] {
            greet(driver, role, &input);
        }
        Ok(())
    });
    result.unwrap_or_else(|fault| panic!("{protocol}: {fault}"));
}

fn greet<D: Driver>(driver: &D, role: Role, mut input: &[u8]) {
    let mut out = Vec::new();
    let mut greeting = driver.greet(role, &mut out);
    while let Greeted::More { used } = greeting.advance(input, &mut out) {
        if used == 0 {
            break;
        }
        input = &input[used..];
    }
}

/// What fuzzing has found: `PROTOCOL-NUMBER`, each what a server said.
fn findings_of(protocol: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_of = |path: &std::path::PathBuf| {
        path.file_name().unwrap().to_str().unwrap().split('-').next() == Some(protocol)
    };
    files.filter(is_of).map(|path| std::fs::read(path).unwrap()).collect()
}

fn check_findings<D: Driver>(driver: &D, plan: &EnginePlan) {
    for (input, shape) in findings_of(plan.target.protocol.name())
        .iter()
        .flat_map(|input| Shape::all_of(plan).into_iter().map(move |shape| (input, shape)))
    {
        let keys = [7, 8, 9];
        let asked =
            Asked { shape: &shape, keys: &keys[..shape.keys_per_request], stage: 0, word: 3, session: 1 };
        let whole = read(driver, &asked, input, usize::MAX);
        (1..9).for_each(|piece| assert_eq!(read(driver, &asked, input, piece), whole));
    }
}

#[test]
fn no_decoder_is_harmed_by_any_bytes_or_depends_on_how_they_are_cut() {
    for protocol in StoreProtocol::ALL {
        for plan in [false, true].into_iter().filter_map(|lists| plan_of(protocol, lists)) {
            match protocol {
                StoreProtocol::Memcached => check(&Memcached::new(&plan), &plan),
                StoreProtocol::MemcachedMeta => check(&MemcachedMeta::new(&plan), &plan),
                StoreProtocol::MemcachedBinary => check(&MemcachedBinary::new(&plan), &plan),
                StoreProtocol::Redis | StoreProtocol::RedisResp3 | StoreProtocol::RedisCluster => {
                    check(&Resp::new(&plan), &plan);
                }
                StoreProtocol::Mysql | StoreProtocol::MysqlText => check(&MySql::new(&plan), &plan),
                StoreProtocol::Postgres | StoreProtocol::PostgresSimple => {
                    check(&Postgres::new(&plan), &plan)
                }
                StoreProtocol::Mongodb => check(&MongoDb::new(&plan), &plan),
                StoreProtocol::Memlink | StoreProtocol::Memlink03 => check(&Memlink::new(&plan), &plan),
            }
        }
    }
}
