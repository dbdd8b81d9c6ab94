//! Reading replies: every split gives the same result, and no bytes at all do harm.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use std::sync::LazyLock;

use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Asked, Driver, Greeted, Greeting, Reply, Role, Shape, Step, Verdict};
use loadstone_load::values::Values;
use loadstone_spec::plan::{EnginePlan, OperationKind};
use proptest::prelude::*;
use serde_json::json;

fn plan(protocol: &str) -> EnginePlan {
    let plan = json!({
        "version": 1,
        "target": {"protocol": protocol, "address": {"kind": "tcp", "host": "h", "port": 1},
            "username": "me", "password": "secret"},
        "dataset": {"key_count": 1000, "key_size_bytes": 8,
            "value_size": {"kind": "uniform", "min_bytes": 1, "max_bytes": 60}},
        "operations": [{"kind": "get", "weight": 1}, {"kind": "set", "weight": 1}, {"kind": "multi_get", "weight": 1}],
        "load": {"kind": "closed", "connections": 1},
        "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
        "verify": true,
    });
    loadstone_spec::read_plan(&plan.to_string()).unwrap()
}

static MEMCACHED: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&plan("memcached")));
static RESP: LazyLock<Resp> = LazyLock::new(|| Resp::new(&plan("redis")));
static VALUES: LazyLock<Values> = LazyLock::new(|| Values::new(&plan("redis")));

fn value_of(key: u64) -> Vec<u8> {
    let mut value = Vec::new();
    VALUES.append(key, &mut value);
    value
}

fn memcached_values(keys: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &key in keys {
        let value = value_of(key);
        bytes.extend(format!("VALUE k{key:07} 0 {}\r\n", value.len()).bytes());
        bytes.extend(value);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"END\r\n");
    bytes
}

/// A bulk string for every key, null for the odd ones.
fn resp_values(keys: &[u64]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", keys.len()).into_bytes();
    for &key in keys {
        if key % 2 == 1 {
            bytes.extend(b"$-1\r\n");
            continue;
        }
        let value = value_of(key);
        bytes.extend(format!("${}\r\n", value.len()).bytes());
        bytes.extend(value);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// A shape as the plan has it, for so many keys.
fn shape(kind: OperationKind, keys: usize) -> Shape {
    let all = Shape::all_of(&plan("redis"));
    let found = all.into_iter().find(|shape| shape.kind == kind).unwrap();
    Shape { keys_per_request: keys, ..found }
}

fn ask<'a>(shape: &'a Shape, keys: &'a [u64]) -> Asked<'a> {
    Asked { shape, keys, stage: 0, word: 0, session: 0 }
}

/// Shows `input` in pieces that end at `cuts`, carrying over what is left of a line, as the event loop does.
fn read_in_pieces<D: Driver>(
    driver: &D,
    asked: &Asked<'_>,
    input: &[u8],
    cuts: &[usize],
) -> Option<(usize, Reply)> {
    let mut reader = D::Reader::default();
    let mut total = 0;
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (input.len() + 1)).chain([input.len()]).collect();
    ends.sort_unstable();
    for end in ends.into_iter().filter(|&end| end > 0) {
        if end <= total {
            continue;
        }
        match driver.read(&mut reader, asked, &input[total..end]) {
            Step::Done { used, reply } => return Some((total + used, reply)),
            Step::More { used } => total += used,
            Step::Follow { .. } | Step::Elsewhere { .. } | Step::Broken => return None,
        }
    }
    None
}

fn good(hits: u32, misses: u32) -> Reply {
    Reply { hits, misses, ..Reply::default() }
}

fn multi_get(keys: &[u64]) -> Shape {
    shape(OperationKind::MultiGet, keys.len())
}

proptest! {
    #[test]
    fn memcached_values_are_the_same_however_they_are_cut(
        keys in proptest::collection::vec(0u64..1000, 1..8), cuts in proptest::collection::vec(any::<usize>(), 0..40),
    ) {
        let driver = &*MEMCACHED;
        let input = memcached_values(&keys);
        let whole = read_in_pieces(driver, &ask(&multi_get(&keys), &keys), &input, &[]);
        prop_assert_eq!(whole, Some((input.len(), good(keys.len() as u32, 0))));
        prop_assert_eq!(read_in_pieces(driver, &ask(&multi_get(&keys), &keys), &input, &cuts), whole);
    }

    #[test]
    fn resp_values_are_the_same_however_they_are_cut(
        keys in proptest::collection::vec(0u64..1000, 1..8), cuts in proptest::collection::vec(any::<usize>(), 0..40),
    ) {
        let driver = &*RESP;
        let input = resp_values(&keys);
        let misses = keys.iter().filter(|&key| key % 2 == 1).count() as u32;
        let whole = read_in_pieces(driver, &ask(&multi_get(&keys), &keys), &input, &[]);
        prop_assert_eq!(whole, Some((input.len(), good(keys.len() as u32 - misses, misses))));
        prop_assert_eq!(read_in_pieces(driver, &ask(&multi_get(&keys), &keys), &input, &cuts), whole);
    }

    #[test]
    fn any_bytes_are_read_without_harm_and_never_more_than_there_are(
        input in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(b'$'), Just(b'9')], 0..300),
        kind in prop_oneof![Just(OperationKind::Get), Just(OperationKind::Set), Just(OperationKind::MultiGet)],
        cuts in proptest::collection::vec(any::<usize>(), 0..10),
    ) {
        let keys = [1, 2];
        let count = if kind == OperationKind::MultiGet { 2 } else { 1 };
        let shape = shape(kind, count);
        let asked = ask(&shape, &keys[..count]);
        for used in [
            read_in_pieces(&*MEMCACHED, &asked, &input, &cuts).map(|done| done.0),
            read_in_pieces(&*RESP, &asked, &input, &cuts).map(|done| done.0),
        ].into_iter().flatten() {
            prop_assert!(used <= input.len());
        }
    }

    #[test]
    fn a_changed_byte_of_a_value_is_a_wrong_value(key in 0u64..500, at in any::<usize>()) {
        let key = key * 2;
        let at = at % value_of(key).len();
        let (shape, keys) = (shape(OperationKind::Get, 1), [key]);
        let asked = ask(&shape, &keys);
        let head = format!("${}\r\n", value_of(key).len());
        let mut resp = [head.as_bytes(), &value_of(key), b"\r\n"].concat();
        resp[head.len() + at] ^= 0x20;
        let (_, reply) = read_in_pieces(&*RESP, &asked, &resp, &[]).unwrap();
        prop_assert_eq!(reply.verdict, Verdict::WrongValue);
        let mut text = memcached_values(&[key]);
        let body = text.windows(2).position(|pair| pair == b"\r\n").unwrap() + 2;
        text[body + at] ^= 0x20;
        let (_, reply) = read_in_pieces(&*MEMCACHED, &asked, &text, &[]).unwrap();
        prop_assert_eq!(reply.verdict, Verdict::WrongValue);
    }
}

fn read_memcached(kind: OperationKind, input: &[u8]) -> Option<(usize, Reply)> {
    read_in_pieces(&*MEMCACHED, &ask(&shape(kind, 1), &[7]), input, &[])
}

fn read_resp(kind: OperationKind, input: &[u8]) -> Option<(usize, Reply)> {
    read_in_pieces(&*RESP, &ask(&shape(kind, 1), &[7]), input, &[])
}

#[test]
fn answers_of_a_well_store_are_told_apart() {
    let refused = Reply { verdict: Verdict::Refused, ..Reply::default() };
    let set = OperationKind::Set;
    assert_eq!(read_memcached(OperationKind::Get, b"END\r\n"), Some((5, good(0, 1))));
    assert_eq!(read_memcached(set, b"STORED\r\n"), Some((8, good(0, 0))));
    assert_eq!(read_memcached(set, b"SERVER_ERROR out of memory\r\n").unwrap().1, refused);
    assert_eq!(read_memcached(OperationKind::Get, b"ERROR\r\n").unwrap().1, refused);
    assert_eq!(read_resp(OperationKind::Get, b"$-1\r\n"), Some((5, good(0, 1))));
    assert_eq!(read_resp(set, b"+OK\r\n"), Some((5, good(0, 0))));
    assert_eq!(read_resp(set, b"-OOM command not allowed\r\n").unwrap().1, refused);
    assert_eq!(read_resp(OperationKind::MultiGet, b"-LOADING\r\n").unwrap().1, refused);
}

#[test]
fn values_of_another_key_or_size_are_wrong_values() {
    let reply = read_memcached(OperationKind::Get, &memcached_values(&[8])).unwrap().1;
    assert_eq!((reply.verdict, reply.hits), (Verdict::WrongValue, 1));
    let reply = read_resp(OperationKind::Get, b"$0\r\n\r\n").unwrap().1;
    assert_eq!((reply.verdict, reply.hits), (Verdict::WrongValue, 1));
}

#[test]
fn hostile_answers_are_broken_and_not_waited_for() {
    let endless = vec![b'x'; 4000];
    let get = OperationKind::Get;
    for input in [
        b"VALUE k0000007 0 99999999999\r\n".as_slice(),
        b"VALUE k0000007 0 -1\r\n",
        b"VALUE k0000007\r\n",
        b"VALUE k0000007 0 1\r\naXEND\r\n",
        b"END\n",
        b"STORED\r\n",
        &endless,
    ] {
        assert_eq!(read_memcached(get, input), None, "{}", String::from_utf8_lossy(input));
    }
    for input in [
        b"$99999999999\r\n".as_slice(),
        b"$-2\r\n",
        b"*1\r\n$1\r\n",
        b"+OK\r\n",
        b"$1\r\nab\r\n",
        b"\r\n",
        &endless,
    ] {
        assert_eq!(read_resp(get, input), None, "{}", String::from_utf8_lossy(input));
    }
    assert_eq!(read_resp(OperationKind::MultiGet, b"*2\r\n$-1\r\n$-1\r\n"), None);
}

fn encode(driver: &impl Driver, kind: OperationKind, keys: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    driver.encode(&ask(&shape(kind, keys.len()), keys), &mut out);
    out
}

#[test]
fn requests_have_the_form_of_the_protocol() {
    let text = |kind, keys: &[u64]| encode(&*MEMCACHED, kind, keys);
    let redis = |kind, keys: &[u64]| encode(&*RESP, kind, keys);
    assert_eq!(text(OperationKind::Get, &[42]), b"get k0000042\r\n");
    assert_eq!(text(OperationKind::MultiGet, &[1, 999]), b"get k0000001 k0000999\r\n");
    assert_eq!(redis(OperationKind::Get, &[42]), b"*2\r\n$3\r\nGET\r\n$8\r\nk0000042\r\n");
    let mget = b"*3\r\n$4\r\nMGET\r\n$8\r\nk0000001\r\n$8\r\nk0000999\r\n";
    assert_eq!(redis(OperationKind::MultiGet, &[1, 999]), mget);
    let value = value_of(5);
    let head = format!("set k0000005 0 0 {}\r\n", value.len());
    assert_eq!(text(OperationKind::Set, &[5]), [head.as_bytes(), &value, b"\r\n"].concat());
    let head = format!("*3\r\n$3\r\nSET\r\n$8\r\nk0000005\r\n${}\r\n", value.len());
    assert_eq!(redis(OperationKind::Set, &[5]), [head.as_bytes(), &value, b"\r\n"].concat());
}

#[test]
fn a_greeting_authenticates_first_and_tells_a_refusal_from_another_protocol() {
    let driver = &*RESP;
    let mut out = Vec::new();
    let mut greeting = driver.greet(Role::Load, &mut out);
    assert_eq!(out, b"*3\r\n$4\r\nAUTH\r\n$2\r\nme\r\n$6\r\nsecret\r\n");
    assert_eq!(greeting.advance(b"+O", &mut out), Greeted::More { used: 0 });
    out.clear();
    assert_eq!(greeting.advance(b"+OK\r\n", &mut out), Greeted::More { used: 5 });
    assert_eq!(out, b"*1\r\n$4\r\nPING\r\n");
    assert_eq!(greeting.advance(b"+PONG\r\n", &mut out), Greeted::Ready { used: 7 });
    let refused = driver.greet(Role::Load, &mut out).advance(b"-WRONGPASS no\r\n", &mut out);
    assert_eq!(refused, Greeted::Refused("authentication was refused: -WRONGPASS no".to_owned()));
    assert!(matches!(
        driver.greet(Role::Load, &mut out).advance(b"HTTP/1.1 400\r\n", &mut out),
        Greeted::Broken(_)
    ));
    let mut text = Vec::new();
    MEMCACHED.greet(Role::Load, &mut text);
    assert_eq!(text, b"set auth 0 0 9\r\nme secret\r\n");
}
