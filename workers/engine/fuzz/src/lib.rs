//! What the targets share: a plan, and the reading of a reply in pieces as the event loop does it.

use loadstone_load::driver::{Asked, Driver, Shape, Step};
use loadstone_spec::plan::{EnginePlan, OperationKind, StoreProtocol};

/// Longest piece of a line that a driver may leave for the next read (the event loop keeps no more).
const MAX_CARRY_BYTES: usize = 16 * 1024;

/// A plan with credentials, verified values of many sizes, and every operation of the protocol that can stand in one mix.
pub fn plan(protocol: &str) -> EnginePlan {
    let lists = protocol.ends_with("/lists");
    let protocol = protocol.trim_end_matches("/lists");
    let kinds: Vec<String> = serde_json::from_str::<StoreProtocol>(&format!("\"{protocol}\""))
        .expect("the protocol is a constant")
        .operations()
        .iter()
        .filter(|kind| kind.is_of_lists() == lists && **kind != OperationKind::Append)
        .map(|kind| operation(*kind))
        .collect();
    let operations = kinds.join(",");
    let is_memlink = protocol.starts_with("memlink");
    let address = r#"{"kind": "tcp", "host": "h", "port": 1}"#;
    let more = match is_memlink {
        true => format!(r#""read_address": {address}"#),
        false => r#""username": "me", "password": "secret""#.to_owned(),
    };
    let text = format!(
        r#"{{"version": 1, "seed": 1, "verify": true,
        "target": {{"protocol": "{protocol}", "address": {address}, {more}}},
        "dataset": {{"key_count": 1000, "key_size_bytes": 8, "value_size": {{"kind": "fixed", "bytes": 30}}}},
        "operations": [{operations}],
        "load": {{"kind": "closed", "connections": 1}},
        "phases": [{{"name": "measure", "stop": {{"seconds": 1}}}}]}}"#
    );
    loadstone_spec::read_plan(&text).expect("the plan is a constant")
}

fn operation(kind: OperationKind) -> String {
    let more = match kind {
        OperationKind::MultiGet | OperationKind::MultiSet => r#", "keys_per_request": 3"#,
        OperationKind::Touch => r#", "expire_s": 5"#,
        OperationKind::Custom => r#", "command": "x {key} {value_size}""#,
        _ => "",
    };
    format!(r#"{{"kind": "{}", "weight": 1{more}}}"#, kind.name())
}

/// The first byte chooses the operation and its stage, the second the length of the pieces, the rest is what the target
/// says. Whatever it is: no panic, never more used than there is, and the same replies in pieces as in one.
pub fn read_replies<D: Driver>(driver: &D, plan: &EnginePlan, data: &[u8]) {
    let [choice, piece, input @ ..] = data else { return };
    let keys = [7, 8, 9];
    let shapes = Shape::all_of(plan);
    let shape = &shapes[usize::from(*choice) / 2 % shapes.len()];
    // Other operations have one stage only.
    let stage = match shape.kind {
        OperationKind::ReadModifyWrite | OperationKind::CompareAndSet => choice % 2,
        _ => 0,
    };
    let asked = Asked { shape, keys: &keys[..shape.keys_per_request], stage, word: 3, session: 1 };
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
                    replies.push(format!("{reply:?}"));
                    start += used;
                }
                Step::Follow { used, word } => {
                    assert!(used > 0 && used <= end - start);
                    replies.push(format!("goes on with {word}"));
                    start += used;
                }
                Step::More { used } => {
                    assert!(used <= end - start);
                    start += used;
                    assert!(end - start <= MAX_CARRY_BYTES);
                    break;
                }
                Step::Elsewhere { used, endpoint, .. } => {
                    assert!(used > 0 && used <= end - start);
                    replies.push(format!("goes to {endpoint}"));
                    start += used;
                }
                Step::Broken => return (replies, true),
            }
        }
    }
    (replies, false)
}
