//! One clock for the whole engine: nanoseconds since the engine began. Read from the processor's counter where the kernel
//! itself keeps time by it (about 10 ns a reading), from the kernel's clock otherwise.

use std::fs;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::sys::read_ticks;

/// What the kernel keeps time by. It leaves the counter where that is not steady or not the same on all cores.
const KERNEL_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// Between the two readings that tell how long a tick is. The best of `TRIES` is right to some 20 ns: 2 in a million.
const BASELINE: Duration = Duration::from_millis(10);
/// An interrupt, or another's turn on the core, falls between two clocks' readings now and then, but not so many times
/// in a row.
const TRIES: usize = 32;
/// A tick's length is counted in nanoseconds over 2 to this.
const SCALE_BITS: u32 = 32;

/// A cheap monotonic clock that also knows the wall time of its origin.
#[derive(Debug, Clone)]
pub struct Clock {
    source: Source,
    origin_unix_ns: u64,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    Ticks { origin: u64, scale: u64 },
    Kernel { origin: Instant },
}

/// The same moment by three clocks, and how long it took to read them.
struct Moment {
    at: Instant,
    ticks: u64,
    unix_ns: u64,
    took: Duration,
}

impl Moment {
    fn read() -> Self {
        let at = Instant::now();
        let ticks = read_ticks().unwrap_or_default();
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { at, ticks, unix_ns: since_epoch.as_nanos() as u64, took: at.elapsed() }
    }

    /// Of several tries the one that took least.
    fn read_well() -> Self {
        (1..TRIES)
            .map(|_| Self::read())
            .fold(Self::read(), |best, next| if next.took < best.took { next } else { best })
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock {
    /// Holds the counter against the kernel's clock, which takes some milliseconds (asleep): once per process.
    pub fn new() -> Self {
        let is_kept_by_ticks = fs::read_to_string(KERNEL_SOURCE).is_ok_and(|name| name.trim() == "tsc");
        Self::of(is_kept_by_ticks && read_ticks().is_some())
    }

    fn of(ticks: bool) -> Self {
        let begun = Moment::read_well();
        let source = if ticks {
            thread::sleep(BASELINE);
            let now = Moment::read_well();
            let passed_ns = (now.at - begun.at).as_nanos() << SCALE_BITS;
            let scale = passed_ns / u128::from(now.ticks - begun.ticks).max(1);
            Source::Ticks { origin: begun.ticks, scale: scale as u64 }
        } else {
            Source::Kernel { origin: begun.at }
        };
        Self { source, origin_unix_ns: begun.unix_ns }
    }

    /// Nanoseconds since the engine began.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        match self.source {
            Source::Ticks { origin, scale } => {
                let ticks = read_ticks().unwrap_or_default().saturating_sub(origin);
                ((u128::from(ticks) * u128::from(scale)) >> SCALE_BITS) as u64
            }
            Source::Kernel { origin } => origin.elapsed().as_nanos() as u64,
        }
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
    use std::hint::spin_loop;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// What is true of both sources.
    fn clocks() -> [Clock; 2] {
        [Clock::new(), Clock::of(false)]
    }

    #[test]
    fn it_never_goes_back() {
        for clock in clocks() {
            let mut last_ns = clock.now_ns();
            for _ in 0..100_000 {
                let now_ns = clock.now_ns();
                assert!(now_ns >= last_ns);
                last_ns = now_ns;
            }
        }
    }

    /// The clock and the kernel's, read with as little between them as can be had.
    fn read_both(clock: &Clock) -> (u64, Instant) {
        let tries = (0..100).map(|_| {
            let at = Instant::now();
            let now_ns = clock.now_ns();
            (at.elapsed(), now_ns, at)
        });
        tries.min().map(|(_, now_ns, at)| (now_ns, at)).unwrap()
    }

    /// Others' work on the machine, an interrupt between two readings, must not make a rate or a time wrong: a calibration
    /// that took its last readings was off by up to 0.2 % in one of some thousand starts.
    #[test]
    fn it_keeps_pace_with_the_kernels_clock_while_the_cores_are_busy() {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        spin_loop();
                    }
                });
            }
            let errors: Vec<f64> = (0..10)
                .flat_map(|_| clocks())
                .map(|clock| {
                    let (begun_ns, begun) = read_both(&clock);
                    thread::sleep(Duration::from_millis(50));
                    let (now_ns, now) = read_both(&clock);
                    (now_ns - begun_ns) as f64 / (now - begun).as_nanos() as f64 - 1.0
                })
                .collect();
            is_over.store(true, Ordering::Relaxed);
            assert!(errors.iter().all(|error| error.abs() < 50e-6), "{errors:?}");
        });
    }

    #[test]
    fn it_knows_the_wall_time() {
        for clock in clocks() {
            let wall_ns = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
            let (before_ns, read_ns, after_ns) = (wall_ns(), clock.unix_ns(clock.now_ns()), wall_ns());
            let slack_ns = 10_000;
            assert!(before_ns < read_ns + slack_ns && read_ns < after_ns + slack_ns);
            assert!(clock.at_unix_ns(read_ns) <= clock.now_ns());
        }
    }

    /// Without optimisation, and with others on the core, it takes some ten times the 30 ns of the product; a clock read by
    /// a system call would take longer still.
    #[test]
    fn a_reading_is_no_system_call() {
        for clock in clocks() {
            let least_ns = (0..20).map(|_| clock.measure_reading_ns(1000)).fold(f64::INFINITY, f64::min);
            assert!(least_ns < 400.0, "{least_ns} ns");
        }
    }
}
