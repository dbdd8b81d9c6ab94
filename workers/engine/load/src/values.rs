//! What values hold: bytes derived from the key alone, so that any engine can verify what another one wrote.

use std::sync::Arc;

use loadstone_spec::plan::{EnginePlan, ValueSize};
use loadstone_spec::trace::Recorded;

use crate::rng::{mix64, unmix64};
use crate::sizes::{look_up, tabulate};

/// Distinct places in the pool where a value may begin.
const PLACES: u64 = 64 * 1024;
/// Of every so many bytes the share that can be compressed stands together.
const SAME_EVERY: usize = 256;
/// Versions are instants in nanoseconds since 1970: those of the years 2023 to 2052.
const VERSIONS: std::ops::Range<u64> = 1_700_000_000_000_000_000..2_600_000_000_000_000_000;
/// The head of a value names its key, so that two values that were exchanged are found out.
pub const TAG_BYTES: usize = 8;

/// A pool of bytes made once, of which every value is a slice behind an 8-byte tag.
#[derive(Debug, Clone)]
pub struct Values {
    pool: Arc<[u8]>,
    min_bytes: u64,
    span: u64,
    /// Sizes by quantile, where they are neither fixed nor uniform.
    table: Option<Arc<[u32]>>,
    /// A trace says for each of its items how long the value is.
    recorded: Option<Arc<Recorded>>,
}

impl Values {
    /// Makes the pool: `64 KiB + the largest value`.
    pub fn new(plan: &EnginePlan) -> Self {
        let dataset = &plan.dataset;
        let recorded = plan.recorded.clone();
        let largest = recorded.as_ref().map_or(0, |trace| trace.max_bytes());
        let values = Self::with_sizes(&dataset.value_size, dataset.compressible_share, largest);
        Self { recorded, ..values }
    }

    fn with_sizes(size: &ValueSize, compressible_share: f64, largest: u64) -> Self {
        let (min_bytes, max_bytes) = size.bounds();
        let words = (PLACES + max_bytes.max(largest)).div_ceil(8);
        let mut pool: Vec<u8> = (0..words).flat_map(|word| mix64(word).to_le_bytes()).collect();
        let same = (compressible_share * SAME_EVERY as f64).round() as usize;
        pool.chunks_mut(SAME_EVERY).for_each(|chunk| {
            let len = same.min(chunk.len());
            chunk[..len].fill(b'x');
        });
        let table = tabulate(size).map(Arc::from);
        Self { pool: pool.into(), min_bytes, span: max_bytes - min_bytes + 1, table, recorded: None }
    }

    /// How long the value of a key is, in bytes.
    #[inline]
    pub fn size_bytes(&self, key: u64) -> usize {
        if let Some(size) = self.recorded.as_ref().and_then(|trace| trace.size_of(key)) {
            return size as usize;
        }
        if let Some(table) = &self.table {
            return look_up(table, mix64(!key)) as usize;
        }
        let extra = if self.span == 1 { 0 } else { (u128::from(mix64(!key)) * u128::from(self.span)) >> 64 };
        (self.min_bytes + extra as u64) as usize
    }

    /// Appends the value of a key.
    #[inline]
    pub fn append(&self, key: u64, out: &mut Vec<u8>) {
        let size = self.size_bytes(key);
        let tag = mix64(key);
        let place = (tag % PLACES) as usize;
        let start = out.len();
        out.extend_from_slice(&self.pool[place..place + size]);
        let head = size.min(TAG_BYTES);
        out[start..start + head].copy_from_slice(&tag.to_le_bytes()[..head]);
    }

    /// What stands for an entry of a key's list where a key is asked for.
    #[inline]
    pub fn entry_id(key: u64, entry: u64) -> u64 {
        mix64(key) ^ entry
    }

    /// What stands for a key where every write of it has a value of its own. The version 0 is that of a prefill.
    #[inline]
    pub fn write_id(key: u64, version: u64) -> u64 {
        if version == 0 { key } else { Self::entry_id(key, version) }
    }

    /// Which write of the key a value is of that names itself by `tag`; nothing when it is of another key (of those
    /// one in twenty is taken for one of this key).
    pub fn version_of(key: u64, tag: [u8; TAG_BYTES]) -> Option<u64> {
        let id = unmix64(u64::from_le_bytes(tag));
        let version = if id == key { 0 } else { mix64(key) ^ id };
        (version == 0 || VERSIONS.contains(&version)).then_some(version)
    }

    /// How long the value is that names itself by `tag`.
    pub fn tagged_size_bytes(&self, tag: [u8; TAG_BYTES]) -> usize {
        self.size_bytes(unmix64(u64::from_le_bytes(tag)))
    }

    /// Whether `bytes` are those from `offset` on of the value that names itself by `tag`.
    #[inline]
    pub fn matches_tagged(&self, tag: [u8; TAG_BYTES], offset: usize, bytes: &[u8]) -> bool {
        let place = (u64::from_le_bytes(tag) % PLACES) as usize + offset;
        let skipped = TAG_BYTES.saturating_sub(offset).min(bytes.len());
        self.pool.get(place + skipped..place + bytes.len()).is_some_and(|body| bytes[skipped..] == *body)
    }

    /// Whether `bytes` are those of the key's value from `offset` on.
    #[inline]
    pub fn matches(&self, key: u64, offset: usize, bytes: &[u8]) -> bool {
        let tag = mix64(key);
        let head = TAG_BYTES.saturating_sub(offset).min(bytes.len());
        let place = (tag % PLACES) as usize + offset;
        let Some(body) = self.pool.get(place + head..place + bytes.len()) else { return false };
        bytes[head..] == *body && (head == 0 || bytes[..head] == tag.to_le_bytes()[offset..offset + head])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_spec::plan::UniformSize;
    use proptest::prelude::*;

    fn values() -> Values {
        Values::with_sizes(&ValueSize::Uniform(UniformSize { min_bytes: 1, max_bytes: 300 }), 0.0, 0)
    }

    proptest! {
        #[test]
        fn a_value_is_known_again_however_it_is_cut(key in any::<u64>(), cut in 0usize..300) {
            let values = values();
            let mut value = Vec::new();
            values.append(key, &mut value);
            prop_assert_eq!(value.len(), values.size_bytes(key));
            let cut = cut.min(value.len());
            prop_assert!(values.matches(key, 0, &value[..cut]) && values.matches(key, cut, &value[cut..]));
        }

        #[test]
        fn one_wrong_byte_is_found(key in any::<u64>(), at in 0usize..300) {
            let values = values();
            let mut value = Vec::new();
            values.append(key, &mut value);
            let at = at % value.len();
            value[at] ^= 1;
            prop_assert!(!values.matches(key, 0, &value));
        }
    }

    proptest! {
        #[test]
        fn a_write_is_known_by_the_head_of_its_value(key in 0u64..10_000_000_000, version in VERSIONS) {
            let values = Values::with_sizes(&ValueSize::Uniform(UniformSize { min_bytes: 8, max_bytes: 300 }), 0.0, 0);
            for version in [0, version] {
                let mut value = Vec::new();
                values.append(Values::write_id(key, version), &mut value);
                let tag = *value.first_chunk().unwrap();
                prop_assert_eq!(Values::version_of(key, tag), Some(version));
                prop_assert_eq!(values.tagged_size_bytes(tag), value.len());
                prop_assert_ne!(Values::version_of(key + 1, tag), Some(version));
            }
        }
    }

    #[test]
    fn sizes_cover_the_range_evenly() {
        let values = values();
        let mean = (0..100_000).map(|key| values.size_bytes(key) as f64).sum::<f64>() / 100_000.0;
        assert!((mean - 150.5).abs() < 2.0, "{mean}");
        assert!((0..100_000).all(|key| (1..=300).contains(&values.size_bytes(key))));
    }

    #[test]
    fn the_bytes_of_a_value_never_change_between_versions() {
        let mut value = Vec::new();
        Values::with_sizes(&ValueSize::Fixed(loadstone_spec::plan::FixedSize { bytes: 12 }), 0.0, 0)
            .append(5, &mut value);
        assert_eq!(value, [90, 195, 137, 163, 12, 59, 3, 99, 195, 82, 21, 4]);
    }
}
