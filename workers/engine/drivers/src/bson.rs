//! As much of BSON as requests and short replies need.

pub(crate) const DOUBLE: u8 = 0x01;
pub(crate) const STRING: u8 = 0x02;
pub(crate) const DOCUMENT: u8 = 0x03;
pub(crate) const ARRAY: u8 = 0x04;
pub(crate) const BINARY: u8 = 0x05;
pub(crate) const BOOLEAN: u8 = 0x08;
pub(crate) const INT32: u8 = 0x10;
pub(crate) const INT64: u8 = 0x12;

/// Writes one document behind whatever stands in `out`.
pub(crate) struct Writer<'a> {
    pub out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    #[inline]
    fn head(&mut self, kind: u8, name: &str) {
        self.out.push(kind);
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(0);
    }

    /// A whole document.
    #[inline]
    pub(crate) fn root(&mut self, fill: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        fill(self);
        self.out.push(0);
        let len = (self.out.len() - start) as u32;
        self.out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    }

    #[inline]
    pub(crate) fn document(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.head(DOCUMENT, name);
        self.root(fill);
    }

    #[inline]
    pub(crate) fn array(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        self.head(ARRAY, name);
        self.root(fill);
    }

    #[inline]
    pub(crate) fn int32(&mut self, name: &str, value: i32) {
        self.head(INT32, name);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(crate) fn int64(&mut self, name: &str, value: i64) {
        self.head(INT64, name);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(crate) fn yes(&mut self, name: &str) {
        self.head(BOOLEAN, name);
        self.out.push(1);
    }

    /// A string that `fill` writes.
    #[inline]
    pub(crate) fn string_of(&mut self, name: &str, fill: impl FnOnce(&mut Vec<u8>)) {
        self.head(STRING, name);
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        fill(self.out);
        self.out.push(0);
        let len = (self.out.len() - start - 4) as u32;
        self.out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    }

    pub(crate) fn string(&mut self, name: &str, text: &str) {
        self.string_of(name, |out| out.extend_from_slice(text.as_bytes()));
    }

    /// Bytes that `fill` writes.
    #[inline]
    pub(crate) fn binary_of(&mut self, name: &str, fill: impl FnOnce(&mut Vec<u8>)) {
        self.head(BINARY, name);
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 5]);
        fill(self.out);
        let len = (self.out.len() - start - 5) as u32;
        self.out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    }
}

/// The length that stands at the start of documents, strings and binaries.
pub(crate) fn len_at(input: &[u8]) -> Option<usize> {
    input.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

/// The bytes of a value of this kind at the start of `input`, for kinds of a length that is known at once. `Err` for
/// kinds that are not known.
pub(crate) fn value_len(kind: u8, input: &[u8]) -> Result<Option<usize>, ()> {
    let measured = |more: usize| Ok(len_at(input).map(|len| len.saturating_add(more)));
    match kind {
        DOUBLE | INT64 | 0x09 | 0x11 => Ok(Some(8)),
        INT32 => Ok(Some(4)),
        BOOLEAN => Ok(Some(1)),
        0x06 | 0x0a | 0x7f | 0xff => Ok(Some(0)),
        0x07 => Ok(Some(12)),
        0x13 => Ok(Some(16)),
        STRING | 0x0d | 0x0e => measured(4),
        BINARY => measured(5),
        DOCUMENT | ARRAY => measured(0),
        _ => Err(()),
    }
}

/// A field of a document that is there in whole: its kind and its bytes.
pub(crate) fn find<'a>(document: &'a [u8], wanted: &str) -> Option<(u8, &'a [u8])> {
    let mut rest = document.get(4..)?;
    loop {
        let (&kind, tail) = rest.split_first()?;
        if kind == 0 {
            return None;
        }
        let name_len = memchr::memchr(0, tail)?;
        let (name, value) = (&tail[..name_len], &tail[name_len + 1..]);
        let len = value_len(kind, value).ok()??;
        let bytes = value.get(..len)?;
        if name == wanted.as_bytes() {
            return Some((kind, bytes));
        }
        rest = &value[len..];
    }
}

/// A number of any kind.
pub(crate) fn number(kind: u8, bytes: &[u8]) -> Option<f64> {
    match kind {
        DOUBLE => bytes.first_chunk::<8>().map(|bytes| f64::from_le_bytes(*bytes)),
        INT32 => bytes.first_chunk::<4>().map(|bytes| i32::from_le_bytes(*bytes).into()),
        INT64 => bytes.first_chunk::<8>().map(|bytes| i64::from_le_bytes(*bytes) as f64),
        BOOLEAN => bytes.first().map(|&byte| byte.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_found_again() {
        let mut out = Vec::new();
        Writer { out: &mut out }.root(|w| {
            w.string("a", "text");
            w.document("b", |w| w.int32("inner", 1));
            w.int64("n", -5);
            w.binary_of("v", |out| out.extend_from_slice(b"xyz"));
            w.yes("y");
        });
        assert_eq!(len_at(&out), Some(out.len()));
        assert_eq!(find(&out, "n").and_then(|(kind, bytes)| number(kind, bytes)), Some(-5.0));
        assert_eq!(find(&out, "v"), Some((BINARY, &b"\x03\0\0\0\0xyz"[..])));
        assert_eq!(find(&out, "inner"), None);
        assert_eq!(find(&out[..out.len() - 3], "y"), None);
    }
}
