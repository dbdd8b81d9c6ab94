//! How keys look, whatever the plan says it by.

use crate::plan::{Dataset, ValueSize};

/// The longest key that every store takes.
pub const MAX_KEY_BYTES: u64 = 250;
/// Stands for the index in a template.
const INDEX: &str = "index";

/// How many digits the index of a key has.
#[derive(Debug, Clone, PartialEq)]
pub enum Digits {
    /// All the same number, zeros in front.
    Padded(usize),
    /// As many as the index needs.
    Plain,
    /// Zeros in front up to the key's own length, drawn from a distribution of lengths.
    Drawn(ValueSize),
}

/// Text, index, text.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyShape {
    pub prefix: String,
    pub digits: Digits,
    pub suffix: String,
}

impl KeyShape {
    /// The largest index that every key has digits for, and one more.
    pub fn limit(&self) -> u64 {
        let around = self.prefix.len() + self.suffix.len();
        let digits = match &self.digits {
            Digits::Padded(digits) => *digits,
            Digits::Plain => (MAX_KEY_BYTES as usize).saturating_sub(around),
            Digits::Drawn(sizes) => (sizes.bounds().0 as usize).saturating_sub(around),
        };
        10u64.checked_pow(digits as u32).unwrap_or(u64::MAX)
    }
}

impl Dataset {
    /// Nothing when the template is none: text with one place `{index}` or `{index:DIGITS}`.
    pub fn key_shape(&self) -> Option<KeyShape> {
        let (prefix, mut digits, suffix) = match &self.key_template {
            None => {
                let digits = usize::from(self.key_size_bytes).saturating_sub(self.key_prefix.len());
                (self.key_prefix.as_str(), Digits::Padded(digits), "")
            }
            Some(template) => read_template(template)?,
        };
        if let Some(sizes) = &self.key_sizes {
            digits = Digits::Drawn(sizes.clone());
        }
        Some(KeyShape { prefix: prefix.to_owned(), digits, suffix: suffix.to_owned() })
    }

    /// Whether the keys of the dataset have room for `digits` digits.
    pub(crate) fn has_digits(&self, digits: u32) -> bool {
        let least = 10u64.checked_pow(digits).unwrap_or(u64::MAX);
        self.key_shape().is_some_and(|shape| shape.limit() >= least)
    }

    /// How many digits the indexes of the dataset need.
    pub(crate) fn index_digits(&self) -> u32 {
        (self.key_count.max(1) - 1).checked_ilog10().unwrap_or(0) + 1
    }

    /// The field that says how long keys are.
    pub(crate) fn key_length_path(&self) -> &'static str {
        match (&self.key_sizes, &self.key_template) {
            (Some(_), _) => "dataset.key_sizes",
            (None, Some(_)) => "dataset.key_template",
            (None, None) => "dataset.key_size_bytes",
        }
    }
}

fn read_template(template: &str) -> Option<(&str, Digits, &str)> {
    let (prefix, rest) = template.split_once('{')?;
    let (place, suffix) = rest.split_once('}')?;
    let digits = match place.strip_prefix(INDEX)? {
        "" => Digits::Plain,
        padded => Digits::Padded(padded.strip_prefix(':')?.parse().ok().filter(|digits| *digits > 0)?),
    };
    let is_whole = !prefix.contains('}') && !suffix.contains(['{', '}']);
    is_whole.then_some((prefix, digits, suffix))
}
