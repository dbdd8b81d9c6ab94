//! `hdr`: what histogram logs and event files say when they are put together.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use loadstone_load::bounded_quantile;
use loadstone_spec::events::{Bound, Event, Sample};
use loadstone_spec::plan::PhaseName;
use serde_json::{Map, Value, json};

use crate::table::show_bounded;

/// Ends the tag of what requests without an answer have waited at least.
const UNANSWERED: &str = "_unanswered";

/// The columns of the table, as percentiles.
const PERCENTILES: [(&str, f64); 8] = [
    ("p50", 50.0),
    ("p75", 75.0),
    ("p90", 90.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p999", 99.9),
    ("p9999", 99.99),
    ("max", 100.0),
];

/// Histograms by tag (`get.response` and so on), each merged over all files and seconds.
#[derive(Debug, Default)]
pub struct Merged(BTreeMap<String, Histogram<u64>>);

impl Merged {
    /// Takes a file in: a histogram log, or the events of a run, of which the measured seconds count.
    ///
    /// # Errors
    /// What is wrong with the file, and in which line.
    pub fn take_file(&mut self, path: &Path) -> Result<(), String> {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let found =
            if bytes.first() == Some(&b'{') { self.take_events(&bytes) } else { self.take_log(&bytes) };
        match found? {
            0 => Err("holds no histogram".to_owned()),
            _ => Ok(()),
        }
    }

    fn take_log(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let mut found = 0;
        for entry in IntervalLogIterator::new(bytes) {
            let entry = entry.map_err(|_| "is neither a histogram log nor the events of a run".to_owned())?;
            if let LogEntry::Interval(interval) = entry {
                let tag = interval.tag().map_or("untagged", |tag| tag.as_str());
                self.add(tag, interval.encoded_histogram())?;
                found += 1;
            }
        }
        Ok(found)
    }

    fn take_events(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let mut found = 0;
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let event =
                serde_json::from_slice(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            if let Event::Sample(sample) = event {
                found += self.take_sample(&sample)?;
            }
        }
        Ok(found)
    }

    fn take_sample(&mut self, sample: &Sample) -> Result<usize, String> {
        if sample.phase != PhaseName::Measure {
            return Ok(0);
        }
        for numbers in &sample.operations {
            let name = numbers.operation.name();
            self.add(&format!("{name}.response"), &numbers.response_histogram)?;
            self.add(&format!("{name}.service"), &numbers.service_histogram)?;
            self.add_some(&format!("{name}.response{UNANSWERED}"), &numbers.response_unanswered_histogram)?;
            self.add_some(&format!("{name}.service{UNANSWERED}"), &numbers.service_unanswered_histogram)?;
        }
        Ok(sample.operations.len())
    }

    fn add_some(&mut self, tag: &str, encoded: &str) -> Result<(), String> {
        if encoded.is_empty() { Ok(()) } else { self.add(tag, encoded) }
    }

    fn add(&mut self, tag: &str, encoded: &str) -> Result<(), String> {
        let unreadable = |what: String| format!("a histogram of {tag} cannot be read: {what}");
        let bytes = STANDARD.decode(encoded).map_err(|error| unreadable(error.to_string()))?;
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(|error| unreadable(error.to_string()))?;
        match self.0.get_mut(tag) {
            Some(sum) => sum.add(&histogram).map_err(|error| unreadable(error.to_string())),
            None => {
                self.0.insert(tag.to_owned(), histogram);
                Ok(())
            }
        }
    }

    /// The tags to be shown: answers, with what has no answer beside them.
    fn shown(&self) -> impl Iterator<Item = (&str, &Histogram<u64>, Option<&Histogram<u64>>)> {
        let is_apart =
            |tag: &str| tag.strip_suffix(UNANSWERED).is_some_and(|answered| self.0.contains_key(answered));
        self.0
            .iter()
            .filter(move |(tag, _)| !is_apart(tag))
            .map(|(tag, histogram)| (tag.as_str(), histogram, self.0.get(&format!("{tag}{UNANSWERED}"))))
    }

    /// One object a tag: its count and its percentiles, in the unit of the files (our own: nanoseconds).
    pub fn to_json(&self) -> Value {
        let mut tags = Map::new();
        for (tag, histogram, unanswered) in self.shown() {
            let (mut entry, mut bounds) = (Map::new(), Map::new());
            entry.insert("count".to_owned(), json!(histogram.len()));
            for (name, percentile) in PERCENTILES {
                let (value, bound) = value_at(histogram, unanswered, percentile);
                entry.insert(name.to_owned(), json!(value));
                bounds.extend(bound.map(|bound| (name.to_owned(), json!(bound))));
            }
            if let Some(unanswered) = unanswered {
                entry.insert("unanswered".to_owned(), json!(unanswered.len()));
                entry.insert("bounds".to_owned(), Value::Object(bounds));
            }
            tags.insert(tag.to_owned(), Value::Object(entry));
        }
        Value::Object(tags)
    }

    /// One line a tag.
    pub fn to_table(&self) -> String {
        let head = PERCENTILES.map(|(name, _)| format!(" {name:>9}")).concat();
        let mut lines = vec![format!("{:<20} {:>12}{head}", "histogram", "count")];
        for (tag, histogram, unanswered) in self.shown() {
            let values = PERCENTILES.map(|(_, percentile)| {
                let (value, bound) = value_at(histogram, unanswered, percentile);
                format!(" {:>9}", show_bounded(value, bound.as_ref()))
            });
            let without = unanswered.map(|bounds| format!("  ({} without an answer)", bounds.len()));
            let without = without.unwrap_or_default();
            lines.push(format!("{tag:<20} {:>12}{}{without}", histogram.len(), values.concat()));
        }
        lines.join("\n")
    }
}

fn value_at(
    answered: &Histogram<u64>,
    unanswered: Option<&Histogram<u64>>,
    percentile: f64,
) -> (u64, Option<Bound>) {
    match unanswered {
        None => (answered.value_at_percentile(percentile), None),
        Some(unanswered) => {
            let (value, bound) = bounded_quantile(answered, unanswered, percentile / 100.0);
            (value.unwrap_or(0), bound)
        }
    }
}
