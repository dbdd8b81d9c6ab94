//! Requests made beforehand, into which only the key's digits are written.

use loadstone_load::keys::KeyFormat;

/// A request with one key at a known place.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    key_at: usize,
    key_len: usize,
}

impl Template {
    pub(crate) fn new(before: &[u8], keys: &KeyFormat, after: &[u8]) -> Self {
        let bytes = [before, keys.blank(), after].concat();
        Self { bytes, key_at: before.len(), key_len: keys.blank().len() }
    }

    #[inline]
    pub(crate) fn append(&self, keys: &KeyFormat, key: u64, out: &mut Vec<u8>) {
        let start = out.len() + self.key_at;
        out.extend_from_slice(&self.bytes);
        keys.patch(&mut out[start..start + self.key_len], key);
    }
}
