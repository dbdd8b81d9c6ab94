//! Value bodies: consumed as they come, compared on the way when values are verified, never kept.

use loadstone_load::values::Values;

const LINE_END: &[u8; 2] = b"\r\n";

/// How far into a body and its line end a connection has read.
#[derive(Debug, Default)]
pub(crate) struct Body {
    len: usize,
    done: usize,
    /// The key whose value this must be.
    expected: Option<u64>,
    is_open: bool,
    pub is_wrong: bool,
}

impl Body {
    /// A body of `len` bytes follows. With a key its bytes must be that key's value.
    #[inline]
    pub(crate) fn open(&mut self, len: usize, expected: Option<(u64, &Values)>) {
        let right_size = expected.is_none_or(|(key, values)| values.size_bytes(key) == len);
        *self = Self {
            len,
            done: 0,
            expected: expected.filter(|_| right_size).map(|(key, _)| key),
            is_open: true,
            is_wrong: self.is_wrong || !right_size,
        };
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Consumes what belongs to the body and its line end. `None` when another byte stands where the line ends.
    #[inline]
    pub(crate) fn consume(&mut self, input: &[u8], values: &Values) -> Option<usize> {
        let value = &input[..input.len().min(self.len.saturating_sub(self.done))];
        if let Some(key) = self.expected.filter(|_| !value.is_empty()) {
            self.is_wrong |= !values.matches(key, self.done, value);
        }
        self.done += value.len();
        let mut used = value.len();
        while self.done >= self.len && used < input.len() && self.is_open {
            let at = self.done - self.len;
            if input[used] != LINE_END[at] {
                return None;
            }
            used += 1;
            self.done += 1;
            self.is_open = at == 0;
        }
        Some(used)
    }
}
