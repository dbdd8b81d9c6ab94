//! When the requests of an open loop are due.

use loadstone_spec::plan::Arrivals;

use crate::rng::Rng;

/// Beyond this many, unsent Poisson arrivals are counted by their expectation.
const MAX_COUNTED: f64 = 1e7;

/// One thread's share of the arrivals. It needs no queue: what is late is what it has not yet handed out.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    start_ns: u64,
    interval_ns: f64,
    offset_ns: f64,
    handed_out: u64,
    poisson: Option<Poisson>,
    due_ns: u64,
}

#[derive(Debug, Clone)]
struct Poisson {
    rng: Rng,
    elapsed_ns: f64,
}

impl Schedule {
    /// Constant arrivals of several threads interleave evenly; Poisson streams add up to a Poisson stream.
    pub(crate) fn new(arrivals: Arrivals, rate_per_s: f64, thread: u32, threads: u32, rng: Rng) -> Self {
        let interval_ns = 1e9 / rate_per_s * f64::from(threads);
        let poisson = (arrivals == Arrivals::Poisson).then_some(Poisson { rng, elapsed_ns: 0.0 });
        let offset_ns = 1e9 / rate_per_s * f64::from(thread);
        Self { start_ns: 0, interval_ns, offset_ns, handed_out: 0, poisson, due_ns: 0 }
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

    /// Computed from the count and not by adding intervals up, so that no rounding accumulates.
    #[inline]
    fn next_due_ns(&mut self) -> u64 {
        let elapsed_ns = match &mut self.poisson {
            None => self.offset_ns + self.handed_out as f64 * self.interval_ns,
            Some(poisson) => {
                poisson.elapsed_ns -= self.interval_ns * (1.0 - poisson.rng.unit()).ln();
                poisson.elapsed_ns
            }
        };
        self.start_ns + elapsed_ns as u64
    }

    /// How many arrivals were due before `end_ns`, taken or not.
    pub(crate) fn count_before(mut self, end_ns: u64) -> u64 {
        if self.due_ns >= end_ns {
            return self.handed_out;
        }
        let left = (end_ns - self.due_ns) as f64 / self.interval_ns;
        if self.poisson.is_none() || left > MAX_COUNTED {
            return self.handed_out + left.ceil() as u64;
        }
        while self.due_ns < end_ns {
            self.take();
        }
        self.handed_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(arrivals: Arrivals, thread: u32, threads: u32) -> Schedule {
        let rng = Rng::for_stream(5, thread.into(), 1);
        let mut schedule = Schedule::new(arrivals, 1000.0, thread, threads, rng);
        schedule.start_at(1_000_000_000);
        schedule
    }

    #[test]
    fn constant_arrivals_of_all_threads_are_evenly_spaced() {
        let mut due: Vec<u64> = Vec::new();
        for thread in 0..3 {
            let mut share = schedule(Arrivals::Constant, thread, 3);
            due.extend((0..1000).map(|_| share.take()));
        }
        due.sort_unstable();
        assert_eq!(due[0], 1_000_000_000);
        assert!(due.windows(2).all(|pair| (999_999..=1_000_001).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn poisson_gaps_are_exponential() {
        let mut share = schedule(Arrivals::Poisson, 0, 1);
        let due: Vec<u64> = (0..100_000).map(|_| share.take()).collect();
        let gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }

    #[test]
    fn the_same_seed_gives_the_same_arrivals() {
        let (mut one, mut two) = (schedule(Arrivals::Poisson, 0, 1), schedule(Arrivals::Poisson, 0, 1));
        assert!((0..1000).all(|_| one.take() == two.take()));
    }

    #[test]
    fn arrivals_that_nobody_took_are_counted() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let mut taken = schedule(arrivals, 0, 1);
            while taken.due_ns() < 3_000_000_000 {
                taken.take();
            }
            let untouched = schedule(arrivals, 0, 1);
            assert_eq!(taken.clone().count_before(3_000_000_000), taken.handed_out);
            assert_eq!(untouched.count_before(3_000_000_000), taken.handed_out);
        }
    }
}
