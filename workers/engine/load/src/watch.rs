//! What the loop sees of its own state: how many requests are under way, and how long it had nothing to do.

/// Sums that are taken after each wait and before each `send`, at readings of the clock of their own. No time of a
/// request enters them, so that they can be held against the recorded service times (Little's law).
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    /// Requests under way times nanoseconds.
    pub in_flight_integral: f64,
    /// Time spent asking for events again and again because an arrival was almost due.
    pub awaited_ns: u64,
    until_ns: u64,
    in_flight: u64,
}

impl Watch {
    pub(crate) fn begin(now_ns: u64) -> Self {
        Self { in_flight_integral: 0.0, awaited_ns: 0, until_ns: now_ns, in_flight: 0 }
    }

    /// Takes in the time since the last look, in which the number was what it was then; from now on it is `in_flight`.
    /// Looking only once a turn would be wrong by half of every turn, and a thread that is displaced between its
    /// replies and its sends would seem to have waited for answers all the while.
    #[inline]
    pub(crate) fn look(&mut self, now_ns: u64, in_flight: u64) -> u64 {
        let span_ns = now_ns.saturating_sub(self.until_ns);
        self.in_flight_integral += self.in_flight as f64 * span_ns as f64;
        self.until_ns = now_ns;
        self.in_flight = in_flight;
        span_ns
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
}
