//! One clock for the whole engine: nanoseconds since the engine began, read from the TSC (about 9 ns a reading).

use std::hint::black_box;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A cheap monotonic clock that also knows the wall time of its origin.
#[derive(Debug, Clone)]
pub struct Clock {
    source: quanta::Clock,
    origin: u64,
    origin_unix_ns: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock {
    /// Calibrates against the system's clock, which takes some milliseconds: once per process.
    pub fn new() -> Self {
        let source = quanta::Clock::new();
        let origin = source.raw();
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { source, origin, origin_unix_ns: since_epoch.as_nanos() as u64 }
    }

    /// Nanoseconds since the engine began.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        self.source.delta_as_nanos(self.origin, self.source.raw())
    }

    /// What one reading costs, in nanoseconds: the mean of so many in a row.
    pub fn measure_reading_ns(&self, readings: u32) -> f64 {
        let begun = Instant::now();
        let last_ns = (0..readings).fold(0, |_, _| black_box(self.now_ns()));
        black_box(last_ns);
        begun.elapsed().as_nanos() as f64 / f64::from(readings.max(1))
    }

    /// Wall time of a reading, in nanoseconds since 1970.
    pub fn unix_ns(&self, at_ns: u64) -> u64 {
        self.origin_unix_ns + at_ns
    }

    /// The reading at a wall time; 0 when it lies before the engine began.
    pub fn at_unix_ns(&self, unix_ns: u64) -> u64 {
        unix_ns.saturating_sub(self.origin_unix_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back_and_keeps_pace_with_the_systems_clock() {
        let clock = Clock::new();
        let (begun, begun_ns) = (Instant::now(), clock.now_ns());
        let mut last_ns = begun_ns;
        while begun.elapsed().as_millis() < 50 {
            let now_ns = clock.now_ns();
            assert!(now_ns >= last_ns);
            last_ns = now_ns;
        }
        let (own_ns, true_ns) = ((clock.now_ns() - begun_ns) as f64, begun.elapsed().as_nanos() as f64);
        assert!((own_ns / true_ns - 1.0).abs() < 0.02, "{own_ns} of {true_ns} ns");
    }

    /// Without optimisation, and with others on the core, it takes some ten times the 30 ns of the product; a clock read by
    /// a system call would take longer still.
    #[test]
    fn a_reading_is_no_system_call() {
        let clock = Clock::new();
        let least_ns = (0..20).map(|_| clock.measure_reading_ns(1000)).fold(f64::INFINITY, f64::min);
        assert!(least_ns < 400.0, "{least_ns} ns");
    }
}
