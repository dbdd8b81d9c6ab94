//! One clock for the whole engine: nanoseconds since the engine began, read from the TSC (about 9 ns a reading).

use std::time::{SystemTime, UNIX_EPOCH};

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

    /// Wall time of a reading, in nanoseconds since 1970.
    pub fn unix_ns(&self, at_ns: u64) -> u64 {
        self.origin_unix_ns + at_ns
    }

    /// The reading at a wall time; 0 when it lies before the engine began.
    pub fn at_unix_ns(&self, unix_ns: u64) -> u64 {
        unix_ns.saturating_sub(self.origin_unix_ns)
    }
}
