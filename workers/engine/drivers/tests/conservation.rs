//! Pipelines against a model of each server: every request gets its own answer, however the stream is cut; answers in
//! another order are found out; of a stream that breaks off nothing is made up.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

mod model;

use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::memcached_binary::MemcachedBinary;
use loadstone_drivers::memcached_meta::MemcachedMeta;
use loadstone_drivers::memlink::Memlink;
use loadstone_drivers::mongodb::MongoDb;
use loadstone_drivers::mysql::MySql;
use loadstone_drivers::postgres::Postgres;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Asked, Driver, Reply, Shape, Step, Verdict};
use loadstone_load::values::Values;
use loadstone_spec::plan::EnginePlan;
use model::{Fate, answer};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

fn plan_of(protocol: &str) -> EnginePlan {
    let address = json!({"kind": "tcp", "host": "h", "port": 1});
    let is_memlink = protocol.starts_with("memlink");
    let plan = json!({
        "version": 1,
        "target": {"protocol": protocol, "address": address, "read_address": is_memlink.then_some(&address)},
        "dataset": {"key_count": 1000, "key_size_bytes": 8, "value_size": {"kind": "fixed", "bytes": 40}},
        "operations": [{"kind": if is_memlink { "range_first" } else { "get" }, "weight": 1, "entries": 1}],
        "load": {"kind": "closed", "connections": 1},
        "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        "seed": 1,
        "verify": true,
    });
    loadstone_spec::read_plan(&plan.to_string()).unwrap()
}

/// What the driver says of a stream that answers `keys` in turn: the replies, and whether it broke off.
fn read<D: Driver>(
    driver: &D,
    shape: &Shape,
    keys: &[u64],
    stream: &[u8],
    pieces: &[usize],
) -> (Vec<Reply>, bool) {
    let mut reader = D::Reader::default();
    let mut replies = Vec::new();
    let mut lengths = pieces.iter().cycle();
    let (mut start, mut end) = (0, 0);
    while end < stream.len() {
        end = (end + lengths.next().unwrap()).min(stream.len());
        while start < end {
            let Some(key) = keys.get(replies.len()) else { return (replies, true) };
            let asked = Asked { shape, keys: &[*key], stage: 0, word: 0, session: 1 };
            match driver.read(&mut reader, &asked, &stream[start..end]) {
                Step::Done { used, reply } => {
                    start += used;
                    replies.push(reply);
                }
                Step::More { used } => {
                    start += used;
                    break;
                }
                Step::Follow { .. } | Step::Elsewhere { .. } | Step::Broken => return (replies, true),
            }
        }
    }
    (replies, false)
}

fn outcome(reply: &Reply) -> Fate {
    match (reply.verdict, reply.hits) {
        (Verdict::Refused, _) => Fate::Refused,
        (Verdict::WrongValue, _) => Fate::Wrong,
        (Verdict::Good, 0) => Fate::Miss,
        (Verdict::Good, _) => Fate::Hit,
    }
}

fn check<D: Driver>(driver: &D, plan: &EnginePlan) {
    let protocol = plan.target.protocol.name();
    let (shape, values) = (Shape::all_of(plan)[0], Values::new(plan));
    let fate = prop_oneof![
        4 => Just(Fate::Hit), 2 => Just(Fate::Miss), 1 => Just(Fate::Wrong), 1 => Just(Fate::Refused)
    ];
    // Of Memlink an entry names itself: no reply but a damaged one is wrong.
    let names_itself = protocol.starts_with("memlink");
    let requests = proptest::collection::vec((0u64..900, fate), 1..20);
    let cases = (requests, proptest::collection::vec(1usize..90, 1..6), any::<prop::sample::Index>());
    let result =
        TestRunner::new(Config { cases: 300, ..Config::default() }).run(&cases, |(requests, pieces, cut)| {
            let keys: Vec<u64> = requests.iter().map(|(key, _)| *key).collect();
            let answers: Vec<Vec<u8>> =
                requests.iter().map(|(key, fate)| answer(protocol, *fate, *key, &values)).collect();
            let expected: Vec<Fate> = requests
                .iter()
                .map(|(_, fate)| if names_itself && *fate == Fate::Wrong { Fate::Hit } else { *fate })
                .collect();
            let stream = answers.concat();
            let (replies, is_broken) = read(driver, &shape, &keys, &stream, &pieces);
            prop_assert!(!is_broken);
            prop_assert_eq!(replies.iter().map(outcome).collect::<Vec<_>>(), expected.clone());
            // What breaks off has answered those whose last byte has come, and no more.
            let len = cut.index(stream.len());
            let whole = answers.iter().scan(0, |sum, answer| {
                *sum += answer.len();
                Some(*sum)
            });
            let complete = whole.filter(|&end| end <= len).count();
            let (replies, _) = read(driver, &shape, &keys, &stream[..len], &pieces);
            prop_assert_eq!(replies.iter().map(outcome).collect::<Vec<_>>(), expected[..complete].to_vec());
            // Answers in another order are as many, and those of other keys are told.
            let turned: Vec<u8> = answers.iter().rev().flatten().copied().collect();
            let (replies, is_broken) = read(driver, &shape, &keys, &turned, &pieces);
            prop_assert!(is_broken || replies.len() == keys.len());
            if !names_itself {
                for (at, reply) in replies.iter().enumerate() {
                    let (key, fate) = requests[requests.len() - 1 - at];
                    prop_assert!(
                        outcome(reply) != Fate::Hit
                            || fate == Fate::Hit && key == keys[at]
                            || fate == Fate::Wrong && key + 1 == keys[at]
                    );
                }
            }
            Ok(())
        });
    result.unwrap_or_else(|fault| panic!("{protocol}: {fault}"));
}

macro_rules! protocols {
    ($($test:ident: $driver:ident over $($protocol:literal)+;)*) => {
        $(
            #[test]
            fn $test() {
                $({
                    let plan = plan_of($protocol);
                    check(&$driver::new(&plan), &plan);
                })+
            }
        )*
    };
}

protocols! {
    memcached_answers_each_request_once: Memcached over "memcached";
    meta_answers_each_request_once: MemcachedMeta over "memcached_meta";
    binary_answers_each_request_once: MemcachedBinary over "memcached_binary";
    resp_answers_each_request_once: Resp over "redis" "redis_resp3";
    mysql_answers_each_request_once: MySql over "mysql" "mysql_text";
    postgres_answers_each_request_once: Postgres over "postgres" "postgres_simple";
    mongodb_answers_each_request_once: MongoDb over "mongodb";
    memlink_answers_each_request_once: Memlink over "memlink" "memlink_0_3";
}
