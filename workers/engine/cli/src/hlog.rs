//! The measured seconds as an HdrHistogram log, format 1.3, which the public tools open.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use loadstone_spec::events::{Event, PhaseState, Quantiles, Sample};
use loadstone_spec::plan::PhaseName;

const SECOND_NS: f64 = 1e9;
/// The tools' convention: histograms in nanoseconds, the column of maxima in milliseconds.
const MAXIMUM_UNIT_NS: f64 = 1e6;

/// Writes one line per operation, kind of time and second, tagged `get.response` and so on. What requests without an answer
/// have waited at least is tagged `get.response_unanswered`.
pub struct HistogramLog {
    file: BufWriter<File>,
}

impl HistogramLog {
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "#[Histogram log format version 1.3]")?;
        Ok(Self { file })
    }

    /// Takes note of what belongs into the log. A full disk costs the log, not the run.
    pub fn take(&mut self, event: &Event) {
        let written = match event {
            Event::Phase(change)
                if change.phase == PhaseName::Measure && change.state == PhaseState::Started =>
            {
                self.begin(change.at_unix_ns)
            }
            Event::Sample(sample) if sample.phase == PhaseName::Measure => self.append(sample),
            _ => Ok(()),
        };
        let _ = written.and_then(|()| self.file.flush());
    }

    fn begin(&mut self, at_unix_ns: u64) -> io::Result<()> {
        let seconds = at_unix_ns as f64 / SECOND_NS;
        writeln!(self.file, "#[BaseTime: {seconds:.3} (seconds since epoch)]")?;
        writeln!(self.file, "#[StartTime: {seconds:.3} (seconds since epoch)]")?;
        let columns = ["StartTimestamp", "Interval_Length", "Interval_Max", "Interval_Compressed_Histogram"];
        writeln!(self.file, "{}", columns.map(|column| format!("\"{column}\"")).join(","))
    }

    fn append(&mut self, sample: &Sample) -> io::Result<()> {
        for numbers in &sample.operations {
            let name = numbers.operation.name();
            self.line(sample, name, "response", &numbers.response_time_ns, &numbers.response_histogram)?;
            self.line(sample, name, "service", &numbers.service_time_ns, &numbers.service_histogram)?;
            // Only where there are any, so that logs without stay as other tools know them.
            for (kind, histogram) in [
                ("response_unanswered", &numbers.response_unanswered_histogram),
                ("service_unanswered", &numbers.service_unanswered_histogram),
            ] {
                if !histogram.is_empty() {
                    self.line(sample, name, kind, &Quantiles::default(), histogram)?;
                }
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        sample: &Sample,
        operation: &str,
        kind: &str,
        quantiles: &Quantiles,
        histogram: &str,
    ) -> io::Result<()> {
        let start = (sample.elapsed_ns - sample.duration_ns) as f64 / SECOND_NS;
        let length = sample.duration_ns as f64 / SECOND_NS;
        let max = quantiles.max.unwrap_or(0) as f64 / MAXIMUM_UNIT_NS;
        writeln!(self.file, "Tag={operation}.{kind},{start:.3},{length:.3},{max:.3},{histogram}")
    }
}
