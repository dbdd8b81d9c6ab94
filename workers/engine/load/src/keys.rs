//! How a key looks: prefix + zero-padded decimal index.

use loadstone_spec::plan::Dataset;

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// Writes indexes into keys that already stand in a request.
#[derive(Debug, Clone)]
pub struct KeyFormat {
    blank: Vec<u8>,
    prefix_len: usize,
}

impl KeyFormat {
    /// The plan's validation has made sure that prefix and digits fit.
    pub fn new(dataset: &Dataset) -> Self {
        let prefix_len = dataset.key_prefix.len();
        let mut blank = dataset.key_prefix.clone().into_bytes();
        blank.resize(usize::from(dataset.key_size_bytes), b'0');
        Self { blank, prefix_len }
    }

    /// Counters beside the keys of the dataset: a `c` stands where the digits would begin.
    pub fn of_counters(dataset: &Dataset) -> Self {
        let mut counters = Self::new(dataset);
        if let Some(place) = counters.blank.get_mut(counters.prefix_len) {
            *place = b'c';
        }
        counters.prefix_len += 1;
        counters
    }

    /// The key of index 0, to be laid into a template.
    pub fn blank(&self) -> &[u8] {
        &self.blank
    }

    /// Patches the digits of a blank key in place. `key` is exactly one key long.
    #[inline]
    pub fn patch(&self, key: &mut [u8], index: u64) {
        let mut rest = index;
        let mut end = key.len();
        while rest >= 100 {
            let pair = (rest % 100) as usize * 2;
            rest /= 100;
            key[end - 2..end].copy_from_slice(&PAIRS[pair..pair + 2]);
            end -= 2;
        }
        if rest >= 10 {
            key[end - 2..end].copy_from_slice(&PAIRS[rest as usize * 2..rest as usize * 2 + 2]);
        } else {
            key[end - 1] = b'0' + rest as u8;
        }
    }

    /// Appends the key of an index.
    pub fn append(&self, index: u64, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.blank);
        self.patch(&mut out[start..], index);
    }

    /// The index of a key of this dataset, or of one that was inserted behind it; nothing for any other bytes.
    pub fn parse(&self, key: &[u8]) -> Option<u64> {
        if key.len() != self.blank.len() || key[..self.prefix_len] != self.blank[..self.prefix_len] {
            return None;
        }
        key[self.prefix_len..].iter().try_fold(0u64, |index, &byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            index.checked_mul(10)?.checked_add(digit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_spec::plan::{FixedSize, ValueSize};
    use proptest::prelude::*;

    fn format(prefix: &str, size: u16) -> KeyFormat {
        KeyFormat::new(&Dataset {
            key_count: 10_000_000_000,
            key_prefix: prefix.to_owned(),
            key_size_bytes: size,
            value_size: ValueSize::Fixed(FixedSize { bytes: 1 }),
            list_length: 1,
            hit_ratio: 1.0,
            compressible_share: 0.0,
        })
    }

    proptest! {
        #[test]
        fn a_key_is_the_prefix_and_the_padded_index(index in 0u64..10_000_000_000) {
            let keys = format("user:", 20);
            let mut key = Vec::new();
            keys.append(index, &mut key);
            prop_assert_eq!(String::from_utf8(key.clone()).unwrap(), format!("user:{index:015}"));
            prop_assert_eq!(keys.parse(&key), Some(index));
        }

        #[test]
        fn foreign_bytes_are_no_key(bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            let keys = format("user:", 20);
            let again = keys.parse(&bytes).map(|index| {
                let mut key = Vec::new();
                keys.append(index, &mut key);
                key
            });
            prop_assert!(again.is_none_or(|key| key == bytes));
        }
    }
}
