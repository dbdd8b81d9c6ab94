//! Wire protocols of the stores, and TLS.

mod body;
mod bson;
mod choice;
mod cluster;
mod data;
mod greeting;
mod layout;
pub mod memcached;
pub mod memcached_binary;
pub mod memcached_meta;
pub mod memlink;
pub mod mongodb;
mod mongodb_greeting;
pub mod mysql;
mod mysql_greeting;
mod mysql_packets;
mod mysql_password;
pub mod postgres;
mod postgres_greeting;
pub mod resp;
mod resp_greeting;
mod resp_requests;
mod scram;
mod sql;
mod tally;
mod tls;

pub use choice::{choose_dial, choose_driver};
use loadstone_load::driver::{Reply, Step};
use loadstone_spec::events::Warning;
use loadstone_spec::plan::{EnginePlan, OperationKind, StoreProtocol};

/// Longer lines than this come from no store that is well.
pub(crate) const MAX_LINE_BYTES: usize = 2048;

const TEXT_GET_PIPELINE: (&str, &str) = (
    "memcached_text_get_pipeline",
    "memcached answers each pipelined text get with a system call of its own: multi_get shows what it can do in batches. A closed loop waits for all replies of a pipeline, and each is told the time of the last.",
);
const TLS_PIPELINE: (&str, &str) = (
    "memcached_tls_pipeline",
    "memcached with TLS may keep the last replies of a pipeline to itself: time-outs here are its own.",
);

/// What a person should know about a plan that can be run but measures something else than it seems to.
pub fn advise(plan: &EnginePlan) -> Vec<Warning> {
    let is_pipelined = plan.target.protocol == StoreProtocol::Memcached && plan.load.pipeline() > 1;
    let has_get = plan.operations.iter().any(|operation| operation.kind == OperationKind::Get);
    let advice = [
        (is_pipelined && has_get).then_some(TEXT_GET_PIPELINE),
        (is_pipelined && plan.target.tls.is_some()).then_some(TLS_PIPELINE),
    ];
    let warn = |(code, message): (&str, &str)| Warning { code: code.to_owned(), message: message.to_owned() };
    advice.into_iter().flatten().map(warn).collect()
}

/// The line at the start of `input` without its end, and how long it is with it. `Err` when it is too long.
#[inline]
pub(crate) fn take_line(input: &[u8]) -> Result<Option<(&[u8], usize)>, ()> {
    let window = &input[..input.len().min(MAX_LINE_BYTES)];
    match memchr::memchr(b'\n', window) {
        Some(end) if end > 0 && input[end - 1] == b'\r' => Ok(Some((&input[..end - 1], end + 1))),
        Some(_) => Err(()),
        None if input.len() >= MAX_LINE_BYTES => Err(()),
        None => Ok(None),
    }
}

/// A decimal number without a sign, bounded well below any overflow.
#[inline]
pub(crate) fn parse_count(digits: &[u8]) -> Option<usize> {
    if digits.is_empty() || digits.len() > 10 {
        return None;
    }
    digits.iter().try_fold(0usize, |sum, &byte| {
        let digit = byte.is_ascii_digit().then(|| usize::from(byte - b'0'))?;
        Some(sum * 10 + digit)
    })
}

/// The decimal number from `at` on, and where it ends. Nothing when there is none or the input ends with it.
#[inline]
pub(crate) fn take_decimal(input: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut number = 0usize;
    for (place, &byte) in input.get(at..)?.iter().enumerate() {
        if !byte.is_ascii_digit() {
            return (place > 0).then_some((number, at + place));
        }
        if place >= 10 {
            return None;
        }
        number = number * 10 + usize::from(byte - b'0');
    }
    None
}

/// Where `<length>\r\n<so many bytes>\r\n` from `at` on ends. Nothing when it is not all there, or looks otherwise: it is then
/// read piece by piece.
#[inline]
pub(crate) fn skip_sized(input: &[u8], at: usize) -> Option<usize> {
    let (len, line_end) = take_decimal(input, at)?;
    let end = line_end + 2 + len;
    let is_whole = input.get(end..end + 2)? == b"\r\n" && input[line_end..line_end + 2] == *b"\r\n";
    is_whole.then_some(end + 2)
}

/// The reply to a get of one key that has hit and is not to be verified.
#[inline]
pub(crate) fn hit(used: usize) -> Step {
    Step::Done { used, reply: Reply { hits: 1, ..Reply::default() } }
}
