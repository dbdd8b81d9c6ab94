//! A probe of the host: a thread on the engine's cores that only sleeps, and notes how much longer than it asked for.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

use crate::clock::Clock;
use crate::pinning::pin_to;
use crate::session::read_cpu_ns;
use crate::times::Times;

/// Some hundred readings a second cost a thousandth of a core. Longer pauses are all seen, shorter ones in proportion.
const INTERVAL_NS: u64 = 4_000_000;
/// The usual lateness of a wake-up follows its median in steps of this.
const STEP_NS: u64 = 1_000;

/// What the probes of one phase have found.
#[derive(Debug, Clone)]
pub(crate) struct HostPauses {
    pub probes: u64,
    pub pauses: Times,
}

impl HostPauses {
    fn new() -> Self {
        Self { probes: 0, pauses: Times::new() }
    }

    /// A pause longer than the interval kept probes from being made: each of them would have found the rest of it (Tene's
    /// correction for coordinated omission).
    fn note(&mut self, pause_ns: u64) {
        let mut left_ns = pause_ns;
        loop {
            self.probes += 1;
            if left_ns > 0 {
                self.pauses.record_n(left_ns, 1);
            }
            if left_ns <= INTERVAL_NS {
                return;
            }
            left_ns -= INTERVAL_NS;
        }
    }
}

/// The probe of a run. It ends with it.
pub(crate) struct HiccupProbe {
    found: Arc<Mutex<HostPauses>>,
    is_over: Arc<AtomicBool>,
    handle: Option<JoinHandle<()>>,
}

impl HiccupProbe {
    /// # Errors
    /// When there can be no further thread.
    pub(crate) fn start(cpus: &[u32], clock: Clock) -> io::Result<Self> {
        let found = Arc::new(Mutex::new(HostPauses::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (noted, is_ended, cpus) = (Arc::clone(&found), Arc::clone(&is_over), cpus.to_vec());
        let handle = Builder::new().name("hiccups".to_owned()).spawn(move || {
            // Without cores of its own, or with another slack, the probe still measures what it says.
            let _ = if cpus.is_empty() { Ok(()) } else { pin_to(&cpus) };
            let _ = nix::sys::prctl::set_timerslack(1);
            probe(&clock, &noted, &is_ended);
        })?;
        Ok(Self { found, is_over, handle: Some(handle) })
    }

    /// What was found since the last time.
    pub(crate) fn take(&self) -> HostPauses {
        match self.found.lock() {
            Ok(mut found) => std::mem::replace(&mut *found, HostPauses::new()),
            Err(_) => HostPauses::new(),
        }
    }
}

impl Drop for HiccupProbe {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// A probe that wakes late because the engine's own work had the core has found no pause of the host: that work took
/// processor time, which is taken off. What it does to requests the load threads see themselves.
fn probe(clock: &Clock, found: &Mutex<HostPauses>, is_over: &AtomicBool) {
    let (mut usual_ns, mut cpu_ns) = (0_u64, read_cpu_ns());
    while !is_over.load(Ordering::Relaxed) {
        let due_ns = clock.now_ns() + INTERVAL_NS;
        sleep(Duration::from_nanos(INTERVAL_NS));
        let late_ns = clock.now_ns().saturating_sub(due_ns);
        let worked_ns = read_cpu_ns().saturating_sub(cpu_ns);
        cpu_ns += worked_ns;
        let pause_ns = late_ns.saturating_sub(usual_ns).saturating_sub(worked_ns);
        usual_ns = if late_ns > usual_ns { usual_ns + STEP_NS } else { usual_ns.saturating_sub(STEP_NS) };
        if let Ok(mut found) = found.lock() {
            found.note(pause_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pause_counts_as_what_each_probe_in_it_would_have_met() {
        let mut found = HostPauses::new();
        found.note(0);
        found.note(3 * INTERVAL_NS + 5);
        let pauses = found.pauses.to_histogram();
        assert_eq!((found.probes, pauses.len()), (5, 4));
        assert_eq!(pauses.min(), 5);
    }

    #[test]
    fn a_probe_looks_again_and_again_until_it_ends() {
        let probe = HiccupProbe::start(&[], Clock::new()).unwrap();
        sleep(Duration::from_millis(200));
        let found = probe.take();
        assert!(found.probes > 10, "{}", found.probes);
        assert!(found.probes as f64 * INTERVAL_NS as f64 <= 1.5 * 200e6, "{}", found.probes);
    }
}
