//! What the loop sees of its own state: how many requests are under way, how long it had nothing to do, when it paused.

use crate::times::Times;

/// Steps of the loop take some microseconds; what takes longer than this was a pause.
const PAUSE_NS: u64 = 100_000;
/// Waking up takes some 20 us, on a virtual machine 50, which would be counted as the store's: the loop wakes at least so
/// early and asks without waiting ...
const LEAST_EARLY_NS: u64 = 50_000;
/// ... and at most so early where it is woken later than that.
const MOST_EARLY_NS: u64 = 500_000;
/// It stays at the least where it waits awake for more than this part of the time.
const AWAKE_PART: u64 = 4;

/// Sums that are taken after each wait and before each `send`, at readings of the clock of their own. No time of a
/// request enters them, so that they can be held against the recorded service times (Little's law).
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    /// Requests under way times nanoseconds.
    pub in_flight_integral: f64,
    /// Time spent asking for events again and again because an arrival was almost due.
    pub awaited_ns: u64,
    /// How long before something is due the loop wakes, by how late its last wakes were.
    pub early_ns: u64,
    /// Made with the first pause.
    pub pauses: Option<Box<Times>>,
    begun_ns: u64,
    until_ns: u64,
    in_flight: u64,
}

impl Watch {
    pub(crate) fn begin(now_ns: u64) -> Self {
        Self {
            in_flight_integral: 0.0,
            awaited_ns: 0,
            early_ns: LEAST_EARLY_NS,
            pauses: None,
            begun_ns: now_ns,
            until_ns: now_ns,
            in_flight: 0,
        }
    }

    /// Takes in the time since the last look, in which the number was what it was then; from now on it is `in_flight`.
    /// Looking only once a turn would be wrong by half of every turn, and a thread that is displaced between its
    /// replies and its sends would seem to have waited for answers all the while.
    #[inline]
    pub(crate) fn look(&mut self, now_ns: u64, in_flight: u64) -> u64 {
        let span_ns = self.look_after_wait(now_ns, in_flight);
        if span_ns > PAUSE_NS {
            self.note_pause(span_ns);
        }
        span_ns
    }

    /// The same over a time in which the loop waited.
    #[inline]
    pub(crate) fn look_after_wait(&mut self, now_ns: u64, in_flight: u64) -> u64 {
        let span_ns = now_ns.saturating_sub(self.until_ns);
        self.in_flight_integral += self.in_flight as f64 * span_ns as f64;
        self.until_ns = now_ns;
        self.in_flight = in_flight;
        span_ns
    }

    /// A wait that nothing but its time has ended took so much longer than asked for. What the loop wakes earlier for
    /// rises at once and falls slowly; what is beyond it was a pause.
    pub(crate) fn note_wake(&mut self, late_ns: u64) {
        let pause_ns = late_ns.saturating_sub(self.early_ns);
        if pause_ns > PAUSE_NS {
            self.note_pause(pause_ns);
        }
        let wanted_ns = if late_ns > self.early_ns {
            self.early_ns + (late_ns - self.early_ns) / 2
        } else {
            self.early_ns - (self.early_ns - late_ns) / 32
        };
        let is_awake_enough = self.awaited_ns > (self.until_ns - self.begun_ns) / AWAKE_PART;
        let most_ns = if is_awake_enough { LEAST_EARLY_NS } else { MOST_EARLY_NS };
        self.early_ns = wanted_ns.clamp(LEAST_EARLY_NS, most_ns);
    }

    #[cold]
    fn note_pause(&mut self, pause_ns: u64) {
        self.pauses.get_or_insert_with(|| Box::new(Times::new())).record_n(pause_ns, 1);
    }
}

/// Time the calling thread has spent on a core or waiting for one, from the scheduler's own account. What is left
/// is time asleep in `epoll`. Zero where the kernel keeps no such account.
pub(crate) fn read_busy_ns() -> u64 {
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    account.split_whitespace().take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_from_the_look_that_saw_it() {
        let mut watch = Watch::begin(1000);
        watch.look(1100, 50);
        watch.look(1200, 20);
        watch.look(1500, 0);
        assert!((watch.in_flight_integral - (5000.0 + 6000.0)).abs() < 1e-9);
    }

    #[test]
    fn the_loop_wakes_earlier_by_what_it_was_woken_late_within_limits() {
        let mut watch = Watch::begin(0);
        watch.look_after_wait(1_000_000_000, 0);
        (0..50).for_each(|_| watch.note_wake(200_000));
        assert!((190_000..=200_000).contains(&watch.early_ns), "{}", watch.early_ns);
        watch.note_wake(30_000_000);
        assert_eq!(watch.early_ns, MOST_EARLY_NS);
        let pauses = watch.pauses.as_ref().map(|pauses| pauses.to_histogram().len());
        assert_eq!(pauses, Some(2), "the first late wake, and the one that nothing prepared for");
        (0..500).for_each(|_| watch.note_wake(20_000));
        assert_eq!(watch.early_ns, LEAST_EARLY_NS);
        watch.awaited_ns = 300_000_000;
        (0..50).for_each(|_| watch.note_wake(200_000));
        assert_eq!(watch.early_ns, LEAST_EARLY_NS, "it would wait awake for more than a quarter of the time");
    }

    #[test]
    fn a_step_that_takes_long_is_a_pause_and_a_wait_is_none() {
        let mut watch = Watch::begin(0);
        watch.look(50_000, 1);
        watch.look_after_wait(10_000_000, 1);
        assert!(watch.pauses.is_none());
        watch.look(15_000_000, 1);
        assert_eq!(watch.pauses.map(|pauses| pauses.to_histogram().len()), Some(1));
    }
}
