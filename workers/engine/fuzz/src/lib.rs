//! What the targets share: a plan, and the reading of a reply in pieces as the event loop does it.

use loadstone_load::driver::{Asked, Driver, Step};
use loadstone_spec::plan::{EnginePlan, OperationKind};

/// Longest piece of a line that a driver may leave for the next read (the event loop keeps no more).
const MAX_CARRY_BYTES: usize = 16 * 1024;

/// A plan with credentials, verified values of many sizes, and `multi_get`.
pub fn plan(protocol: &str) -> EnginePlan {
    let text = format!(
        r#"{{"version": 1, "seed": 1, "verify": true,
        "target": {{"protocol": "{protocol}", "address": {{"kind": "tcp", "host": "h", "port": 1}},
            "username": "me", "password": "secret"}},
        "dataset": {{"key_count": 1000, "key_size_bytes": 8,
            "value_size": {{"kind": "uniform", "min_bytes": 1, "max_bytes": 60}}}},
        "operations": [{{"kind": "get", "weight": 1}}],
        "load": {{"kind": "closed", "connections": 1}},
        "phases": [{{"name": "measure", "stop": {{"seconds": 1}}}}]}}"#
    );
    loadstone_spec::read_plan(&text).expect("the plan is a constant")
}

/// The first byte chooses the operation, the second the length of the pieces, the rest is what the target says.
/// Whatever it is: no panic, never more used than there is, and the same replies in pieces as in one.
pub fn read_replies<D: Driver>(driver: &D, data: &[u8]) {
    let [choice, piece, input @ ..] = data else { return };
    let keys = [7, 8, 9];
    let (kind, key_count) = match choice % 3 {
        0 => (OperationKind::Get, 1),
        1 => (OperationKind::Set, 1),
        _ => (OperationKind::MultiGet, 3),
    };
    let asked = Asked { kind, keys: &keys[..key_count], key_count };
    let whole = read(driver, &asked, input, usize::MAX);
    let pieces = read(driver, &asked, input, usize::from(*piece).max(1));
    assert_eq!(whole, pieces, "the replies depend on how they were cut");
}

/// Every complete reply, and whether reading broke off.
fn read<D: Driver>(driver: &D, asked: &Asked<'_>, input: &[u8], piece: usize) -> (Vec<String>, bool) {
    let mut reader = D::Reader::default();
    let mut replies = Vec::new();
    let (mut start, mut end) = (0, 0);
    while end < input.len() {
        end = end.saturating_add(piece).min(input.len());
        while start < end {
            match driver.read(&mut reader, asked, &input[start..end]) {
                Step::Done { used, reply } => {
                    assert!(used <= end - start);
                    assert!(used > 0, "a reply of no bytes would be read for ever");
                    assert!((reply.hits + reply.misses) as usize <= asked.key_count);
                    replies.push(format!("{reply:?}"));
                    start += used;
                }
                Step::More { used } => {
                    assert!(used <= end - start);
                    start += used;
                    assert!(end - start <= MAX_CARRY_BYTES);
                    break;
                }
                Step::Broken => return (replies, true),
            }
        }
    }
    (replies, false)
}
