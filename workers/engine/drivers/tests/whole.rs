//! Replies that are there as a whole are read in one go, and say the same as those that came in pieces.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::memcached_meta::MemcachedMeta;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Asked, Driver, Reply, Shape, Step};
use loadstone_spec::plan::{EnginePlan, OperationKind};
use proptest::prelude::*;
use serde_json::json;

const BODY_BYTES: usize = 40;

fn plan_of(protocol: &str) -> EnginePlan {
    let plan = json!({
        "version": 1,
        "target": {"protocol": protocol, "address": {"kind": "tcp", "host": "h", "port": 1}},
        "dataset": {"key_count": 1000, "key_size_bytes": 8, "value_size": {"kind": "fixed", "bytes": BODY_BYTES}},
        "operations": [{"kind": "get", "weight": 1}],
        "load": {"kind": "closed", "connections": 1},
        "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
    });
    loadstone_spec::read_plan(&plan.to_string()).unwrap()
}

/// The head of a reply that hits, up to its body, and what follows the body.
fn parts_of(protocol: &str) -> (Vec<u8>, &'static [u8]) {
    match protocol {
        "memcached" => (format!("VALUE k0000007 0 {BODY_BYTES}\r\n").into_bytes(), b"\r\nEND\r\n"),
        "memcached_meta" => (format!("VA {BODY_BYTES}\r\n").into_bytes(), b"\r\n"),
        _ => (format!("${BODY_BYTES}\r\n").into_bytes(), b"\r\n"),
    }
}

/// The end of the reply and what it says, or nothing when it is broken or not at its end; read in two pieces.
fn read<D: Driver>(driver: &D, plan: &EnginePlan, input: &[u8], cut: usize) -> Option<(usize, Reply)> {
    let shape = Shape::all_of(plan).into_iter().find(|shape| shape.kind == OperationKind::Get).unwrap();
    let asked = Asked { shape: &shape, keys: &[7], stage: 0, word: 0, session: 0 };
    let mut reader = D::Reader::default();
    let mut total = 0;
    for end in [cut, input.len()] {
        match driver.read(&mut reader, &asked, &input[total..end]) {
            Step::Done { used, reply } => return Some((total + used, reply)),
            Step::More { used } => total += used,
            _ => return None,
        }
    }
    None
}

fn check<D: Driver>(
    protocol: &str,
    new: impl Fn(&EnginePlan) -> D,
    change: Option<(usize, u8)>,
    cut: usize,
) -> Result<(), TestCaseError> {
    let plan = plan_of(protocol);
    let (head, tail) = parts_of(protocol);
    let mut input = [&head[..], &[b'v'; BODY_BYTES], tail, &head].concat();
    let reply_bytes = input.len() - head.len();
    if let Some((at, byte)) = change {
        input[at % reply_bytes] = byte;
    }
    let driver = new(&plan);
    // Within the body: it is open by then, and the rest is read piece by piece.
    let in_pieces = read(&driver, &plan, &input, head.len() + 1 + cut % (BODY_BYTES - 2));
    let whole = read(&driver, &plan, &input, input.len());
    if change.is_none() {
        prop_assert_eq!(whole, Some((reply_bytes, Reply { hits: 1, ..Reply::default() })));
    }
    prop_assert_eq!(whole, in_pieces, "{}: {:?}", protocol, String::from_utf8_lossy(&input));
    Ok(())
}

proptest! {
    #[test]
    fn a_whole_reply_says_what_its_pieces_say_whatever_byte_of_it_is_changed(
        change in proptest::option::of((any::<usize>(), prop_oneof![any::<u8>(), Just(b' '), Just(b'\r'), Just(b'\n'), b'0'..=b'9'])),
        cut in any::<usize>(),
    ) {
        check("memcached", Memcached::new, change, cut)?;
        check("memcached_meta", MemcachedMeta::new, change, cut)?;
        check("redis", Resp::new, change, cut)?;
    }
}
