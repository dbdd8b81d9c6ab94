//! When the requests of an open loop are due.

use std::sync::Arc;

use loadstone_spec::plan::{Arrivals, OpenLoad};
use loadstone_spec::trace::Recorded;

use crate::profile::Profile;
use crate::rng::Rng;

/// Beyond this many, unsent arrivals that have no closed form are counted by their expectation.
const MAX_COUNTED: f64 = 1e7;
/// Arrivals that never come.
const NEVER_NS: u64 = u64::MAX;
const SECOND_NS: f64 = 1e9;

/// Which of the threads a share of the arrivals is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub thread: u32,
    pub threads: u32,
}

/// One thread's share of the arrivals. It needs no queue: what is late is what it has not yet handed out.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    start_ns: u64,
    handed_out: u64,
    due_ns: u64,
    spacing: Spacing,
}

#[derive(Debug, Clone)]
enum Spacing {
    Even {
        interval_ns: f64,
        offset_ns: f64,
    },
    Poisson {
        interval_ns: f64,
        rng: Rng,
        elapsed_ns: f64,
    },
    /// The n-th arrival, in bursts the first of its burst, is due when the integral of the rate passes n.
    Varying {
        profile: Arc<Profile>,
        share: Share,
        burst_size: u64,
    },
    /// A Poisson process of rate 1, its time stretched by the inverse of the integral of the rate (Lewis and Shedler 1979).
    Rescaled {
        profile: Arc<Profile>,
        threads: f64,
        rng: Rng,
        elapsed: f64,
    },
    Recorded {
        trace: Arc<Recorded>,
        share: Share,
        speed: f64,
    },
}

impl Schedule {
    /// Constant arrivals of several threads interleave evenly; Poisson streams add up to a Poisson stream.
    pub(crate) fn new(load: &OpenLoad, share: Share, is_warmup: bool, rng: Rng) -> Self {
        let profile = load
            .rate
            .as_ref()
            .map(Profile::new)
            .map(|profile| if is_warmup { Profile::constant(profile.first_rate()) } else { profile });
        let rate_per_s = load.rate_per_s.unwrap_or(1.0);
        let interval_ns = SECOND_NS / rate_per_s * f64::from(share.threads);
        let offset_ns = SECOND_NS / rate_per_s * f64::from(share.thread);
        let threads = f64::from(share.threads);
        let burst_size = u64::from(load.burst_size.unwrap_or(1));
        let varying = |profile| Spacing::Varying { profile: Arc::new(profile), share, burst_size };
        let spacing = match (load.arrivals, profile) {
            (Arrivals::Poisson, Some(profile)) => {
                Spacing::Rescaled { profile: Arc::new(profile), threads, rng, elapsed: 0.0 }
            }
            (Arrivals::Poisson, None) => Spacing::Poisson { interval_ns, rng, elapsed_ns: 0.0 },
            (Arrivals::Bursty, None) => varying(Profile::constant(rate_per_s)),
            (_, Some(profile)) => varying(profile),
            (_, None) => Spacing::Even { interval_ns, offset_ns },
        };
        Self { start_ns: 0, handed_out: 0, due_ns: 0, spacing }
    }

    /// Arrivals as they were recorded, so many times faster.
    pub(crate) fn recorded(trace: Arc<Recorded>, share: Share, speed: f64) -> Self {
        Self { start_ns: 0, handed_out: 0, due_ns: 0, spacing: Spacing::Recorded { trace, share, speed } }
    }

    pub(crate) fn start_at(&mut self, start_ns: u64) {
        self.start_ns = start_ns;
        self.due_ns = self.next_due_ns();
    }

    /// When the next arrival is due.
    #[inline]
    pub(crate) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Takes the arrival that is due next.
    #[inline]
    pub(crate) fn take(&mut self) -> u64 {
        let due_ns = self.due_ns;
        self.handed_out += 1;
        self.due_ns = self.next_due_ns();
        due_ns
    }

    /// Whether many arrivals can be taken in one step.
    pub(crate) fn is_even(&self) -> bool {
        matches!(self.spacing, Spacing::Even { .. })
    }

    /// Takes so many arrivals and tells when the last of them is due.
    pub(crate) fn take_last_of(&mut self, count: u64) -> u64 {
        if self.is_even() && count > 1 {
            self.handed_out += count - 1;
            self.due_ns = self.next_due_ns();
            return self.take();
        }
        (1..count).for_each(|_| {
            self.take();
        });
        self.take()
    }

    /// Computed from the count and not by adding intervals up, so that no rounding accumulates.
    #[inline]
    fn next_due_ns(&mut self) -> u64 {
        let elapsed_ns = match &mut self.spacing {
            Spacing::Even { interval_ns, offset_ns } => *offset_ns + self.handed_out as f64 * *interval_ns,
            Spacing::Poisson { interval_ns, rng, elapsed_ns } => {
                *elapsed_ns -= *interval_ns * (1.0 - rng.unit()).ln();
                *elapsed_ns
            }
            other => match other.next_s(self.handed_out) {
                Some(elapsed_s) => elapsed_s * SECOND_NS,
                None => return NEVER_NS,
            },
        };
        self.start_ns + elapsed_ns as u64
    }

    /// How many arrivals were due before `end_ns`, taken or not.
    pub(crate) fn count_before(mut self, end_ns: u64) -> u64 {
        if self.due_ns >= end_ns {
            return self.handed_out;
        }
        let left = self.expect_before(end_ns);
        if matches!(self.spacing, Spacing::Even { .. }) || left > MAX_COUNTED {
            return self.handed_out + left.ceil() as u64;
        }
        while self.due_ns < end_ns {
            self.take();
        }
        self.handed_out
    }

    /// How many more arrivals are due before a time that is not yet over, on average.
    fn expect_before(&self, end_ns: u64) -> f64 {
        let span = |interval_ns: f64| (end_ns - self.due_ns) as f64 / interval_ns;
        match &self.spacing {
            Spacing::Even { interval_ns, .. } | Spacing::Poisson { interval_ns, .. } => span(*interval_ns),
            Spacing::Varying { profile, share, .. } => {
                self.count_of(profile, end_ns) / f64::from(share.threads) - self.handed_out as f64
            }
            Spacing::Rescaled { profile, threads, .. } => {
                self.count_of(profile, end_ns) / threads - self.handed_out as f64
            }
            Spacing::Recorded { .. } => 0.0,
        }
    }

    fn count_of(&self, profile: &Profile, end_ns: u64) -> f64 {
        profile.count_until((end_ns - self.start_ns) as f64 / SECOND_NS)
    }
}

impl Spacing {
    /// When the arrival of this number is due, in seconds from the start.
    fn next_s(&mut self, number: u64) -> Option<f64> {
        match self {
            Self::Varying { profile, share, burst_size } => {
                let of_all = number * u64::from(share.threads) + u64::from(share.thread);
                profile.time_of((of_all - of_all % *burst_size) as f64)
            }
            Self::Rescaled { profile, threads, rng, elapsed } => {
                *elapsed -= (1.0 - rng.unit()).ln();
                profile.time_of(*elapsed * *threads)
            }
            Self::Recorded { trace, share, speed } => {
                let of_all = number * u64::from(share.threads) + u64::from(share.thread);
                trace.time_s(of_all).map(|at_s| at_s / *speed)
            }
            Self::Even { .. } | Self::Poisson { .. } => None,
        }
    }
}

#[cfg(test)]
#[path = "arrivals_tests.rs"]
mod tests;
