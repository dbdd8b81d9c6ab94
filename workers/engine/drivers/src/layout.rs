//! Requests made beforehand, into which only the key's digits and the value are written.

use loadstone_load::driver::{Asked, Shape};
use loadstone_load::keys::KeyFormat;

use crate::data::Data;

#[derive(Debug, Clone)]
enum Piece {
    /// Bytes that are always the same, but for the digits of a key at a known place.
    Fixed {
        bytes: Vec<u8>,
        key_at: Option<usize>,
        is_counter: bool,
    },
    /// A key, where not all have one length.
    Key {
        is_counter: bool,
    },
    /// The length of what is laid out there, in decimals.
    Length(Layout),
    Value,
    ValueSize,
    /// What the stage before has found out, in decimals.
    Word,
}

/// The layout of one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pieces: Vec<Piece>,
}

impl Layout {
    fn last_fixed(&mut self, needs_room_for_key: bool) -> (&mut Vec<u8>, &mut Option<usize>, &mut bool) {
        let fits = match self.pieces.last() {
            Some(Piece::Fixed { key_at, .. }) => !needs_room_for_key || key_at.is_none(),
            _ => false,
        };
        if !fits {
            self.pieces.push(Piece::Fixed { bytes: Vec::new(), key_at: None, is_counter: false });
        }
        match self.pieces.last_mut() {
            Some(Piece::Fixed { bytes, key_at, is_counter }) => (bytes, key_at, is_counter),
            _ => unreachable!("a fixed piece was pushed when there was none"),
        }
    }

    pub(crate) fn text(mut self, text: impl AsRef<[u8]>) -> Self {
        self.last_fixed(false).0.extend_from_slice(text.as_ref());
        self
    }

    fn lay_key(&mut self, format: &KeyFormat, counter: bool) {
        if format.fixed_len().is_none() {
            return self.pieces.push(Piece::Key { is_counter: counter });
        }
        let (bytes, key_at, is_counter) = self.last_fixed(true);
        *key_at = Some(bytes.len());
        *is_counter = counter;
        bytes.extend_from_slice(format.blank());
    }

    pub(crate) fn key(mut self, data: &Data) -> Self {
        self.lay_key(&data.keys, false);
        self
    }

    pub(crate) fn counter(mut self, data: &Data) -> Self {
        self.lay_key(&data.counters, true);
        self
    }

    /// The length of a layout without values, in decimals.
    pub(crate) fn length_of(mut self, other: &Self, data: &Data) -> Self {
        if other.pieces.iter().any(|piece| matches!(piece, Piece::Key { .. })) {
            self.pieces.push(Piece::Length(other.clone()));
            return self;
        }
        self.text(other.measure(data, 0).to_string())
    }

    pub(crate) fn value(mut self) -> Self {
        self.pieces.push(Piece::Value);
        self
    }

    /// The size of the value in decimals.
    pub(crate) fn value_size(mut self, data: &Data) -> Self {
        match data.fixed_size {
            Some(size) => return self.text(size.to_string()),
            None => self.pieces.push(Piece::ValueSize),
        }
        self
    }

    pub(crate) fn word(mut self) -> Self {
        self.pieces.push(Piece::Word);
        self
    }

    /// This one and then the other.
    pub(crate) fn join(mut self, other: Self) -> Self {
        let mut pieces = other.pieces.into_iter();
        match pieces.next() {
            Some(Piece::Fixed { bytes: first, key_at: Some(at), is_counter: counter }) => {
                let (bytes, key_at, is_counter) = self.last_fixed(true);
                *key_at = Some(bytes.len() + at);
                *is_counter = counter;
                bytes.extend_from_slice(&first);
            }
            Some(Piece::Fixed { bytes, key_at: None, .. }) => self.last_fixed(false).0.extend(bytes),
            other => self.pieces.extend(other),
        }
        self.pieces.extend(pieces);
        self
    }

    /// A text with the places `{key}`, `{value}` and `{value_size}`.
    pub(crate) fn of_command(command: &str, data: &Data) -> Self {
        let mut layout = Self::default();
        let mut rest = command;
        while let Some(open) = rest.find('{') {
            let (before, place) = rest.split_at(open);
            layout = layout.text(before);
            let (next, skipped) = if place.starts_with("{key}") {
                (layout.key(data), "{key}".len())
            } else if place.starts_with("{value}") {
                (layout.value(), "{value}".len())
            } else if place.starts_with("{value_size}") {
                (layout.value_size(data), "{value_size}".len())
            } else {
                (layout.text("{"), 1)
            };
            layout = next;
            rest = &place[skipped..];
        }
        layout.text(rest)
    }

    /// How long the request for a key is, with the value of the same number.
    pub(crate) fn measure(&self, data: &Data, id: u64) -> usize {
        let len = |piece: &Piece| match piece {
            Piece::Fixed { bytes, .. } => bytes.len(),
            Piece::Value => data.values.size_bytes(id),
            Piece::ValueSize => itoa::Buffer::new().format(data.values.size_bytes(id)).len(),
            Piece::Key { is_counter } => data.keys_or_counters(*is_counter).len_of(id),
            Piece::Length(_) | Piece::Word => 0,
        };
        self.pieces.iter().map(len).sum()
    }

    /// Appends the request for the first key asked for.
    #[inline]
    pub(crate) fn append(&self, data: &Data, asked: &Asked<'_>, out: &mut Vec<u8>) {
        self.append_for(data, asked.shape, asked.keys[0], asked.word, out);
    }

    #[inline]
    pub(crate) fn append_for(&self, data: &Data, shape: &Shape, key: u64, word: u64, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            let Piece::Fixed { bytes, key_at, is_counter } = piece else {
                piece.append(data, shape, (key, word), out);
                continue;
            };
            let start = out.len();
            out.extend_from_slice(bytes);
            if let Some(at) = key_at {
                data.keys_or_counters(*is_counter).patch(&mut out[start + at..], key);
            }
        }
    }
}

impl Piece {
    /// Appends what is not always the same. Apart, so that a request without any of it is laid out in the loop itself.
    #[inline(never)]
    fn append(&self, data: &Data, shape: &Shape, (key, word): (u64, u64), out: &mut Vec<u8>) {
        let value_id = || data.value_id(shape, key, word);
        match self {
            Self::Fixed { bytes, .. } => out.extend_from_slice(bytes),
            Self::Value => data.values.append(value_id(), out),
            Self::Key { is_counter } => data.keys_or_counters(*is_counter).append(key, out),
            Self::Length(layout) => push_decimal(layout.measure(data, key), out),
            Self::ValueSize => push_decimal(data.values.size_bytes(value_id()), out),
            Self::Word => push_decimal(word, out),
        }
    }
}

fn push_decimal(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
