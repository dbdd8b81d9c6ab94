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
use loadstone_load::driver::{Reply, Step, Verdict};
use loadstone_load::values::TAG_BYTES;
use loadstone_spec::events::Warning;
use loadstone_spec::plan::{EnginePlan, OperationKind, StoreProtocol};

/// Longer lines than this come from no store that is well.
pub(crate) const MAX_LINE_BYTES: usize = 2048;

const TEXT_GET_PIPELINE: (&str, &str) = (
    "memcached_text_get_pipeline",
    "memcached answers each pipelined text get with a system call of its own: multi_get shows what it can do in batches.",
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

/// The decimal number of up to seven digits from `at` on, and where it ends. Nothing when there is none, or the input ends
/// within eight bytes: it is then read with its line.
///
/// Eight bytes at once, without a loop: which of them are digits, then sums of two, four and eight neighbours.
#[inline]
pub(crate) fn take_decimal(input: &[u8], at: usize) -> Option<(usize, usize)> {
    let bytes = u64::from_le_bytes(*input.get(at..)?.first_chunk()?) ^ 0x3030_3030_3030_3030;
    let foreign = (bytes.wrapping_add(0x7676_7676_7676_7676) | bytes) & 0x8080_8080_8080_8080;
    let digits = foreign.trailing_zeros() / u8::BITS;
    if digits == 0 || digits == 8 {
        return None;
    }
    let ones = bytes << (u64::BITS - digits * u8::BITS);
    let twos = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (twos * 100 + (twos >> 16)) & 0x0000_ffff_0000_ffff;
    let number = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some((number as usize, at + digits as usize))
}

/// Where `<length>\r\n<so many bytes>\r\n` from `at` on ends. Nothing when it is not all there, or looks otherwise: it is then
/// read piece by piece.
#[inline]
pub(crate) fn skip_sized(input: &[u8], at: usize) -> Option<usize> {
    let (len, line_end) = take_decimal(input, at)?;
    let end = line_end + 2 + len;
    (ends_line(input, line_end) && ends_line(input, end)).then_some(end + 2)
}

/// Two bytes as an array are compared at once, as a slice by a call.
#[inline]
fn ends_line(input: &[u8], at: usize) -> bool {
    matches!(input.get(at..), Some([b'\r', b'\n', ..]))
}

/// The reply to a get of one key that has hit and is not to be verified.
#[inline]
pub(crate) fn hit(used: usize) -> Step {
    Step::Done { used, reply: Reply { hits: 1, misses: 0, verdict: Verdict::Good, tag: [0; TAG_BYTES] } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decimal_is_read_up_to_its_end(number in 0usize..10_000_000, zeros in 0usize..3, rest in proptest::collection::vec(any::<u8>(), 8)) {
            prop_assume!(!rest[0].is_ascii_digit());
            let text = format!("{}{number}", "0".repeat(zeros));
            let input = [b"VA ", text.as_bytes(), &rest].concat();
            let read = take_decimal(&input, 3);
            prop_assert_eq!(read, (text.len() < 8).then_some((number, 3 + text.len())));
        }

        #[test]
        fn what_is_no_decimal_is_none(bytes in proptest::collection::vec(any::<u8>(), 0..12), at in 0usize..14) {
            let seven = bytes.get(at..).filter(|rest| rest.len() >= 8).map(|rest| &rest[..8]);
            let digits = seven.map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
            let read = take_decimal(&bytes, at);
            let number = bytes.get(at..at + digits).and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
            prop_assert_eq!(read, number.filter(|_| digits < 8).map(|number| (number, at + digits)));
        }
    }
}
