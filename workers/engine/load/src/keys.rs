//! How a key looks: text, the decimal index, text; or as it was recorded.

use std::sync::Arc;

use loadstone_spec::keys::{Digits, KeyShape, MAX_KEY_BYTES};
use loadstone_spec::plan::EnginePlan;
use loadstone_spec::trace::Recorded;

use crate::sizes::KeySizes;

const PAIRS: [[u8; 2]; 100] = make_pairs();
/// More digits than any index has.
const ZEROS: [u8; MAX_KEY_BYTES as usize] = [b'0'; MAX_KEY_BYTES as usize];

/// Writes the keys of indexes.
#[derive(Debug, Clone)]
pub struct KeyFormat {
    /// The key of index 0 where all keys have one length.
    blank: Vec<u8>,
    /// Of the blank key: where its digits end.
    digits_end: usize,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    length: Length,
}

#[derive(Debug, Clone)]
enum Length {
    Fixed,
    /// As many digits as the index needs.
    Plain,
    /// Zeros up to the key's own length.
    Drawn(KeySizes),
    Recorded(Arc<Recorded>),
}

impl KeyFormat {
    /// The plan's validation has made sure that the digits fit.
    pub fn new(plan: &EnginePlan) -> Self {
        Self::with_mark(plan, "")
    }

    /// Counters beside the keys of the dataset: a `c` stands where the digits would begin.
    pub fn of_counters(plan: &EnginePlan) -> Self {
        Self::with_mark(plan, "c")
    }

    fn with_mark(plan: &EnginePlan, mark: &str) -> Self {
        let dataset = &plan.dataset;
        let none = KeyShape { prefix: String::new(), digits: Digits::Plain, suffix: String::new() };
        let shape = dataset.key_shape().unwrap_or(none);
        let prefix = [shape.prefix.as_bytes(), mark.as_bytes()].concat();
        let suffix = shape.suffix.into_bytes();
        let mut blank = prefix.clone();
        let length = match (&plan.recorded, shape.digits) {
            (Some(recorded), _) => Length::Recorded(recorded.clone()),
            (None, Digits::Padded(digits)) => {
                blank.resize(prefix.len() + digits.saturating_sub(mark.len()), b'0');
                Length::Fixed
            }
            (None, Digits::Plain) => Length::Plain,
            (None, Digits::Drawn(sizes)) => Length::Drawn(KeySizes::new(&sizes)),
        };
        let digits_end = blank.len();
        blank.extend_from_slice(&suffix);
        Self { blank, digits_end, prefix, suffix, length }
    }

    /// The length of every key, where it is the same for all.
    pub fn fixed_len(&self) -> Option<usize> {
        matches!(self.length, Length::Fixed).then_some(self.blank.len())
    }

    /// How long the key of an index is.
    #[inline]
    pub fn len_of(&self, index: u64) -> usize {
        match &self.length {
            Length::Fixed => self.blank.len(),
            Length::Plain => self.prefix.len() + self.suffix.len() + count_digits(index),
            Length::Drawn(sizes) => sizes.of(index),
            Length::Recorded(recorded) => recorded.key_of(index).len(),
        }
    }

    /// The key of index 0, to be laid into a template, where all keys have one length.
    pub fn blank(&self) -> &[u8] {
        &self.blank
    }

    /// Patches the digits of the blank key that `key` begins with.
    #[inline]
    pub fn patch(&self, key: &mut [u8], index: u64) {
        write_index(&mut key[..self.digits_end], self.prefix.len(), index);
    }

    /// Appends the key of an index.
    #[inline]
    pub fn append(&self, index: u64, out: &mut Vec<u8>) {
        let start = out.len();
        if matches!(self.length, Length::Fixed) {
            out.extend_from_slice(&self.blank);
            self.patch(&mut out[start..], index);
            return;
        }
        if let Length::Recorded(recorded) = &self.length {
            return out.extend_from_slice(recorded.key_of(index));
        }
        let digits = self.len_of(index) - self.prefix.len() - self.suffix.len();
        out.extend_from_slice(&self.prefix);
        out.extend_from_slice(&ZEROS[..digits]);
        write_index(out, start + self.prefix.len(), index);
        out.extend_from_slice(&self.suffix);
    }

    /// The index of a key of this dataset, or of one that was inserted behind it; nothing for any other bytes, nor for
    /// what was recorded.
    pub fn parse(&self, key: &[u8]) -> Option<u64> {
        let digits = key.strip_prefix(&self.prefix[..])?.strip_suffix(&self.suffix[..])?;
        let index = digits.iter().try_fold(0u64, |index, &byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            index.checked_mul(10)?.checked_add(digit)
        })?;
        let is_whole = !digits.is_empty() && key.len() == self.len_of(index);
        (is_whole && !matches!(self.length, Length::Recorded(_))).then_some(index)
    }
}

fn count_digits(index: u64) -> usize {
    index.checked_ilog10().unwrap_or(0) as usize + 1
}

const fn make_pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
}

/// Writes an index over the end of `key`, whose bytes from `zeros_from` on are zeros.
#[inline]
fn write_index(key: &mut [u8], zeros_from: usize, index: u64) {
    match key[zeros_from..].last_chunk_mut() {
        Some(last) if index < 100_000_000 => *last = eight_digits(index),
        _ => write_digits(key, index),
    }
}

/// The digits of a number below 10^8. How many of them are zeros decides nothing here: a branch on it would be foretold
/// wrongly for one key in ten.
#[inline]
fn eight_digits(number: u64) -> [u8; 8] {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    // Each half over 100, then each quarter over 10, by multiplication: exact for four and for two digits.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    let ones = tens | ((twos - 10 * tens) << 8);
    (ones | 0x3030_3030_3030_3030).to_le_bytes()
}

/// Writes a number of any length.
fn write_digits(key: &mut [u8], index: u64) {
    let mut places = key.rchunks_exact_mut(2);
    let mut rest = index;
    while rest >= 10 {
        let Some(place) = places.next() else { break };
        place.copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    if rest > 0 || index == 0 {
        match places.next() {
            Some(place) => place[1] = b'0' + rest as u8,
            None => {
                if let [place] = places.into_remainder() {
                    *place = b'0' + rest as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use std::collections::HashSet;

    fn format(looks: &Value) -> KeyFormat {
        let mut dataset = json!({"key_count": 1_000_000, "value_size": {"kind": "fixed", "bytes": 1}});
        dataset.as_object_mut().unwrap().extend(looks.as_object().unwrap().clone());
        let plan = json!({
            "version": 1, "seed": 1, "dataset": dataset,
            "target": {"protocol": "redis", "address": {"kind": "tcp", "host": "h", "port": 1}},
            "operations": [{"kind": "get", "weight": 1}],
            "load": {"kind": "closed", "connections": 1},
            "phases": [{"name": "measure", "stop": {"seconds": 1}}],
        });
        KeyFormat::new(&loadstone_spec::read_plan(&plan.to_string()).unwrap())
    }

    fn key_of(format: &KeyFormat, index: u64) -> String {
        let mut key = Vec::new();
        format.append(index, &mut key);
        String::from_utf8(key).unwrap()
    }

    fn drawn() -> Value {
        json!({"key_template": "user:{index}:profile", "key_sizes": {"kind": "uniform", "min_bytes": 20, "max_bytes": 90}})
    }

    #[test]
    fn keys_look_as_the_plan_says() {
        for (looks, key) in [
            (json!({}), "k000000000000042"),
            (json!({"key_prefix": "user:", "key_size_bytes": 12}), "user:0000042"),
            (json!({"key_template": "user:{index}:profile"}), "user:42:profile"),
            (json!({"key_template": "user:{index:8}:profile"}), "user:00000042:profile"),
            (json!({"key_template": "{index}"}), "42"),
        ] {
            assert_eq!(key_of(&format(&looks), 42), key, "{looks}");
        }
    }

    #[test]
    fn drawn_lengths_cover_their_range_and_no_two_keys_are_the_same() {
        let keys = format(&drawn());
        let all: Vec<String> = (0..20_000).map(|index| key_of(&keys, index)).collect();
        let mean = all.iter().map(|key| key.len() as f64).sum::<f64>() / 20_000.0;
        assert!((mean - 55.0).abs() < 0.5, "{mean}");
        assert!(all.iter().all(|key| (20..=90).contains(&key.len()) && key.ends_with(":profile")));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 20_000);
    }

    proptest! {
        #[test]
        fn a_key_is_read_back_as_its_index(index in 0u64..1_000_000) {
            for looks in [json!({}), drawn(), json!({"key_template": "u{index}x"}), json!({"key_template": "u{index:9}x"})] {
                let keys = format(&looks);
                let key = key_of(&keys, index);
                prop_assert_eq!(key.len(), keys.len_of(index));
                prop_assert_eq!(keys.parse(key.as_bytes()), Some(index));
                prop_assert_eq!(keys.parse(key.replace('u', "u0").as_bytes()), if key.contains('u') { None } else { Some(index) });
            }
        }

        #[test]
        fn a_key_has_the_digits_of_its_index(bits in 0u32..50, number in any::<u64>()) {
            let index = (number >> (63 - bits)) % 1_000_000_000_000_000;
            prop_assert_eq!(key_of(&format(&json!({})), index), format!("k{index:015}"));
            prop_assert_eq!(key_of(&format(&json!({"key_template": "u{index}x"})), index), format!("u{index}x"));
            let few = index % 10_000_000;
            prop_assert_eq!(key_of(&format(&json!({"key_template": "u{index:7}x"})), few), format!("u{few:07}x"));
        }

        #[test]
        fn foreign_bytes_are_no_key(bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            for looks in [json!({}), drawn()] {
                let keys = format(&looks);
                let again = keys.parse(&bytes).map(|index| key_of(&keys, index).into_bytes());
                prop_assert!(again.is_none_or(|key| key == bytes));
            }
        }
    }
}
