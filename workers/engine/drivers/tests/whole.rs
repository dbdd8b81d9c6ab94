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
use loadstone_spec::plan::EnginePlan;
use proptest::prelude::*;
use serde_json::{Value, json};

const BODY_BYTES: usize = 40;
const KEYS_ASKED: usize = 4;

fn plan_of(protocol: &str, operation: &Value) -> EnginePlan {
    let plan = json!({
        "version": 1,
        "target": {"protocol": protocol, "address": {"kind": "tcp", "host": "h", "port": 1}},
        "dataset": {"key_count": 1000, "key_size_bytes": 8, "value_size": {"kind": "fixed", "bytes": BODY_BYTES}},
        "operations": [operation],
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

/// The last step of reading `input`, shown up to each of `ends` in turn. What is used is counted from its beginning.
fn read<D: Driver>(driver: &D, plan: &EnginePlan, input: &[u8], ends: impl Iterator<Item = usize>) -> Step {
    let shape = Shape::all_of(plan)[0];
    let asked = Asked {
        shape: &shape,
        keys: &[7, 8, 9, 10][..shape.keys_per_request],
        stage: 0,
        word: 0,
        session: 0,
    };
    let mut reader = D::Reader::default();
    let mut total = 0;
    for end in ends {
        match driver.read(&mut reader, &asked, &input[total..end]) {
            Step::Done { used, reply } => return Step::Done { used: total + used, reply },
            Step::More { used } => total += used,
            step => return step,
        }
    }
    Step::More { used: total }
}

fn check<D: Driver>(
    protocol: &str,
    new: impl Fn(&EnginePlan) -> D,
    change: Option<(usize, u8)>,
    cut: usize,
) -> Result<(), TestCaseError> {
    let plan = plan_of(protocol, &json!({"kind": "get", "weight": 1}));
    let (head, tail) = parts_of(protocol);
    let mut input = [&head[..], &[b'v'; BODY_BYTES], tail, &head].concat();
    let reply_bytes = input.len() - head.len();
    if let Some((at, byte)) = change {
        input[at % reply_bytes] = byte;
    }
    let driver = new(&plan);
    // Within the body: it is open by then, and the rest is read piece by piece.
    let cut = head.len() + 1 + cut % (BODY_BYTES - 2);
    let in_pieces = read(&driver, &plan, &input, [cut, input.len()].into_iter());
    let whole = read(&driver, &plan, &input, std::iter::once(input.len()));
    if change.is_none() {
        let reply = Reply { hits: 1, ..Reply::default() };
        prop_assert_eq!(whole, Step::Done { used: reply_bytes, reply });
    }
    prop_assert_eq!(whole, in_pieces, "{}: {:?}", protocol, String::from_utf8_lossy(&input));
    Ok(())
}

/// A value as memcached tells it, mostly well.
fn values() -> impl Strategy<Value = String> {
    let mostly = |well: &'static str, others: &'static [&'static str]| prop_oneof![20 => Just(well), 1 => proptest::sample::select(others)];
    let before =
        mostly("VALUE ", &["", "VALUE", "value ", "VALUE  ", "END\r\n", "ERROR\r\n", "SERVER_ERROR x\r\n"]);
    let key =
        mostly("k0000007", &["k0000999", "k7", "", "k 000007", "k\r000007", "k\n000007", "k00000071234"]);
    let flags = mostly("0", &["", "1234567", "12345678", "4294967295", "x", "-1", "0 "]);
    let size = mostly("", &["0", "1", "9999999", "134217728", "134217729", "99999999999", "x", "-1", "+1"]);
    let more = mostly("", &[" ", " 17", " 18446744073709551616", " x", " 1 2"]);
    let line_ends = [(); 2].map(|()| mostly("\r\n", &["", "\n", "\r", "\n\r", " \r\n"]));
    (before, key, flags, size, more, 0..70usize, line_ends).prop_map(
        |(before, key, flags, size, more, body_bytes, [line_end, body_end])| {
            let size = if size.is_empty() { body_bytes.to_string() } else { size.to_owned() };
            format!("{before}{key} {flags} {size}{more}{line_end}{}{body_end}", "v".repeat(body_bytes))
        },
    )
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

    #[test]
    fn several_values_say_what_their_bytes_say_one_by_one(
        values in proptest::collection::vec(values(), 0..KEYS_ASKED + 2),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..3),
        mut cuts in proptest::collection::vec(any::<usize>(), 0..4),
    ) {
        let mut input = [values.concat().as_bytes(), b"END\r\nEND\r\n"].concat();
        for (at, byte) in changes {
            let at = at % input.len();
            input[at] = byte;
        }
        cuts = cuts.into_iter().map(|cut| cut % input.len()).chain([input.len()]).collect();
        cuts.sort_unstable();
        let plan = plan_of("memcached", &json!({"kind": "multi_get", "weight": 1, "keys_per_request": KEYS_ASKED}));
        let driver = Memcached::new(&plan);
        let in_bytes = read(&driver, &plan, &input, 1..=input.len());
        let in_pieces = read(&driver, &plan, &input, cuts.iter().copied());
        let whole = read(&driver, &plan, &input, std::iter::once(input.len()));
        prop_assert_eq!(whole, in_bytes, "{:?}", String::from_utf8_lossy(&input));
        prop_assert_eq!(in_pieces, in_bytes, "{:?} cut at {:?}", String::from_utf8_lossy(&input), cuts);
    }

    #[test]
    fn values_of_any_number_are_hits_and_the_others_misses(count in 0..=KEYS_ASKED, body_bytes in 0..2000usize) {
        let value = format!("VALUE k0000007 0 {body_bytes}\r\n{}\r\n", "v".repeat(body_bytes));
        let reply_bytes = count * value.len() + "END\r\n".len();
        let input = format!("{}END\r\n{value}", value.repeat(count));
        let plan = plan_of("memcached", &json!({"kind": "multi_get", "weight": 1, "keys_per_request": KEYS_ASKED}));
        let whole = read(&Memcached::new(&plan), &plan, input.as_bytes(), std::iter::once(input.len()));
        let reply = Reply { hits: count as u32, misses: (KEYS_ASKED - count) as u32, ..Reply::default() };
        prop_assert_eq!(whole, Step::Done { used: reply_bytes, reply });
    }
}
