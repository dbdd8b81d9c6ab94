//! Value bodies: consumed as they come, compared on the way when values are verified, never kept.

use loadstone_load::values::{TAG_BYTES, Values};

const LINE_END: &[u8; 2] = b"\r\n";
/// What PostgreSQL puts before bytes as text.
const HEX_MARK: &[u8; 2] = b"\\x";
/// So many bytes of a value as text are compared at once.
const HEX_PART_BYTES: usize = 512;

/// What a body must hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    #[default]
    Anything,
    /// The value of this key.
    ValueOf(u64),
    /// A value of this key, whichever write it was of: its head names it.
    WriteOf(u64),
    /// A value of the dataset, whosever it is: it names itself by its head.
    AnyValue,
}

/// How far into a body and its line end a connection has read.
#[derive(Debug, Default)]
pub(crate) struct Body {
    len: usize,
    done: usize,
    expected: Expected,
    /// The first bytes of the last value that named itself.
    pub tag: [u8; TAG_BYTES],
    is_open: bool,
    /// The value comes as hexadecimal text: digits and signs of it so far, and the first digit of a pair.
    hex: Option<(usize, u8)>,
    /// Bytes behind the value that belong to the protocol.
    ends_with_line: bool,
    pub is_wrong: bool,
}

impl Body {
    /// A body of `len` bytes follows, and a line end behind it.
    #[inline]
    pub(crate) fn open(&mut self, len: usize, expected: Expected, values: &Values) {
        self.open_bare(len, expected, values);
        self.ends_with_line = true;
        self.is_open = true;
    }

    /// A body of `len` bytes follows and nothing behind it.
    #[inline]
    pub(crate) fn open_bare(&mut self, len: usize, expected: Expected, values: &Values) {
        let is_right_size = match expected {
            Expected::ValueOf(key) => values.size_bytes(key) == len,
            Expected::WriteOf(_) => len >= TAG_BYTES,
            Expected::AnyValue | Expected::Anything => true,
        };
        *self = Self {
            len,
            done: 0,
            expected: if is_right_size { expected } else { Expected::Anything },
            tag: self.tag,
            is_open: len > 0,
            hex: None,
            ends_with_line: false,
            is_wrong: self.is_wrong || !is_right_size,
        };
    }

    /// A body follows as `len` bytes of text, `\x` and two digits for each byte of the value, and nothing behind it.
    pub(crate) fn open_hex(&mut self, len: usize, expected: Expected, values: &Values) {
        self.open_bare(len.saturating_sub(HEX_MARK.len()) / 2, expected, values);
        self.is_wrong |= !len.is_multiple_of(2) || len < HEX_MARK.len();
        self.hex = Some((0, 0));
        (self.len, self.is_open) = (len, len > 0);
    }

    /// `len` bytes follow that mean nothing.
    #[inline]
    pub(crate) fn skip(&mut self, len: usize) {
        *self = Self { len, is_open: len > 0, is_wrong: self.is_wrong, tag: self.tag, ..Self::default() };
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    fn compare(&mut self, value: &[u8], values: &Values) {
        let is_right = match self.expected {
            Expected::Anything => true,
            Expected::ValueOf(key) => values.matches(key, self.done, value),
            Expected::WriteOf(key) => {
                let is_named = self.take_tag(value);
                let is_of_key = !is_named
                    || Values::version_of(key, self.tag).is_some()
                        && values.tagged_size_bytes(self.tag) == self.len;
                is_of_key && values.matches_tagged(self.tag, self.done, value)
            }
            Expected::AnyValue => {
                self.take_tag(value);
                self.done + value.len() <= TAG_BYTES || values.matches_tagged(self.tag, self.done, value)
            }
        };
        self.is_wrong |= !is_right;
    }

    /// Takes in what belongs to the value's name. True once the name is whole.
    fn take_tag(&mut self, value: &[u8]) -> bool {
        let head = TAG_BYTES.saturating_sub(self.done).min(value.len());
        if head > 0 {
            self.tag[self.done..self.done + head].copy_from_slice(&value[..head]);
        }
        self.done + head >= TAG_BYTES
    }

    /// Consumes what belongs to the text, whose pairs of digits are compared as bytes.
    fn consume_hex(&mut self, input: &[u8], values: &Values, (mut at, mut half): (usize, u8)) -> usize {
        let text = &input[..input.len().min(self.len - at)];
        let text_len = self.len;
        self.len = text_len.saturating_sub(HEX_MARK.len()) / 2;
        for part in text.chunks(2 * HEX_PART_BYTES) {
            let (mut bytes, mut count) = ([0; HEX_PART_BYTES + 1], 0);
            for &sign in part {
                let digit = char::from(sign).to_digit(16);
                match HEX_MARK.get(at) {
                    Some(mark) => self.is_wrong |= sign != *mark,
                    None => self.is_wrong |= digit.is_none(),
                }
                let digit = digit.unwrap_or(0) as u8;
                if at >= HEX_MARK.len() && at % 2 == 1 {
                    bytes[count] = half << 4 | digit;
                    count += 1;
                }
                half = digit;
                at += 1;
            }
            if self.expected != Expected::Anything && count > 0 {
                self.compare(&bytes[..count], values);
            }
            self.done += count;
        }
        (self.len, self.hex) = (text_len, Some((at, half)));
        self.is_open = at < text_len;
        text.len()
    }

    /// Consumes what belongs to the body and its line end. `None` when another byte stands where the line ends.
    #[inline]
    pub(crate) fn consume(&mut self, input: &[u8], values: &Values) -> Option<usize> {
        if let Some(place) = self.hex {
            return Some(self.consume_hex(input, values, place));
        }
        let value = &input[..input.len().min(self.len.saturating_sub(self.done))];
        if self.expected != Expected::Anything && !value.is_empty() {
            self.compare(value, values);
        }
        self.done += value.len();
        let mut used = value.len();
        if !self.ends_with_line {
            self.is_open = self.done < self.len;
            return Some(used);
        }
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
