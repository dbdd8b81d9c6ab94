//! The lag of a replica: a marker is written to the one address and looked for at the other one.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use hdrhistogram::Histogram;
use loadstone_spec::events::LagNumbers;
use loadstone_spec::plan::EnginePlan;

use crate::any_driver::AnyDriver;
use crate::driver::{Asked, Driver, Reply, Shape, Step, Verdict};
use crate::flights::Flights;
use crate::link::Fault;
use crate::links::{Links, Shared};
use crate::report::{encode, quantiles};
use crate::sys::Source;
use crate::times::new_histogram;

const SECOND_NS: f64 = 1e9;
/// The longest wait, after which the end of the run is noticed.
const LONGEST_WAIT_NS: u64 = 1_000_000;
/// The replica is asked again after this part of the lag so far: that is how exact the lag is.
const PATIENCE: u64 = 16;
/// Places of the addresses among a connection's sockets.
const WRITES: usize = 0;
const READS: usize = 1;

/// What the probes of some span have found.
#[derive(Debug, Clone)]
struct LagRecord {
    lags: Histogram<u64>,
    timed_out: u64,
    failed: u64,
}

impl LagRecord {
    fn new() -> Self {
        Self { lags: new_histogram(), timed_out: 0, failed: 0 }
    }

    fn add(&mut self, other: &Self) {
        // All histograms share their bounds, the only thing that addition could refuse.
        let _ = self.lags.add(&other.lags);
        self.timed_out += other.timed_out;
        self.failed += other.failed;
    }

    fn numbers(&self) -> LagNumbers {
        LagNumbers {
            count: self.lags.len(),
            timed_out: self.timed_out,
            failed: self.failed,
            lag_ns: quantiles(&self.lags),
            lag_histogram: encode(&self.lags),
        }
    }
}

/// The probe of a run, as the session sees it. It ends with the load threads.
pub(crate) struct LagProbe {
    latest: Arc<Mutex<LagRecord>>,
    /// When the phase under way ends, where that is known: what is due then is none of its probes, however late the
    /// session gets to hear of the end.
    ends_ns: Arc<AtomicU64>,
    phase: LagRecord,
    handle: Option<JoinHandle<io::Result<()>>>,
}

impl LagProbe {
    /// Nothing when the plan asks for none.
    pub(crate) fn start(plan: &EnginePlan, shared: Arc<Shared<AnyDriver>>) -> io::Result<Option<Self>> {
        let Some(lag) = &plan.replica_lag else { return Ok(None) };
        let latest = Arc::new(Mutex::new(LagRecord::new()));
        let shapes = Shape::all_of(plan);
        let [.., get, set, delete] = shapes[..] else { return Ok(None) };
        let (interval_ns, markers) = ((SECOND_NS / lag.probes_per_s) as u64, plan.lag_markers());
        let ends_ns = Arc::new(AtomicU64::new(u64::MAX));
        let (found, until_ns) = (Arc::clone(&latest), Arc::clone(&ends_ns));
        let handle = Builder::new().name("replica-lag".to_owned()).spawn(move || {
            let links = Links::new(shared, 1, || Flights::new(1, 0))?;
            Prober { links, get, set, delete, markers, next: 0, interval_ns, until_ns, found }.run()
        })?;
        Ok(Some(Self { latest, ends_ns, phase: LagRecord::new(), handle: Some(handle) }))
    }

    /// Forgets what was found before a phase, which ends at a time or, without one, by something else.
    pub(crate) fn begin_phase(&mut self, ends_ns: Option<u64>) {
        self.ends_ns.store(ends_ns.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.take_second();
        self.phase = LagRecord::new();
    }

    /// What was found since the last time.
    pub(crate) fn take_second(&mut self) -> Option<LagNumbers> {
        let second = std::mem::replace(&mut *self.latest.lock().ok()?, LagRecord::new());
        self.phase.add(&second);
        Some(second.numbers())
    }

    /// What was found in all seconds of the phase.
    pub(crate) fn of_phase(&mut self) -> LagNumbers {
        self.phase.numbers()
    }
}

impl Drop for LagProbe {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

struct Prober {
    links: Links<AnyDriver>,
    get: Shape,
    set: Shape,
    delete: Shape,
    markers: Range<u64>,
    next: u64,
    interval_ns: u64,
    until_ns: Arc<AtomicU64>,
    found: Arc<Mutex<LagRecord>>,
}

enum Found {
    Lag(u64),
    TimedOut,
    /// The marker was still there from before, or was not taken.
    Nothing,
}

impl Prober {
    fn run(mut self) -> io::Result<()> {
        let mut due_ns = self.now_ns();
        while !self.links.is_halted() {
            self.connect()?;
            let left_ns = due_ns.saturating_sub(self.now_ns());
            if left_ns > 0 || self.links.up < self.links.all.len() {
                self.links.wait(1, left_ns.min(LONGEST_WAIT_NS))?;
                continue;
            }
            let is_past_end = due_ns >= self.until_ns.load(Ordering::Relaxed);
            due_ns = (due_ns + self.interval_ns).max(self.now_ns());
            if is_past_end {
                continue;
            }
            let found = self.probe();
            self.note(&found);
            if found.is_ok() {
                self.links.all.iter_mut().for_each(|link| link.back_off_ns = 0);
            }
            if found.is_err() {
                let now_ns = self.now_ns();
                (0..self.links.all.len()).for_each(|index| self.links.close(index, now_ns));
            }
        }
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        self.links.shared.clock.now_ns()
    }

    /// Goes on with sockets that are not up yet.
    fn connect(&mut self) -> io::Result<()> {
        if self.links.up == self.links.all.len() {
            return Ok(());
        }
        let now_ns = self.now_ns();
        self.links.tend(now_ns);
        self.links.wait(1, LONGEST_WAIT_NS)?;
        for index in 0..self.links.all.len() {
            if !self.links.all[index].is_up() && self.links.advance(index).is_err() {
                self.links.close(index, now_ns);
            }
        }
        Ok(())
    }

    fn note(&self, found: &Result<Found, Fault>) {
        let Ok(mut record) = self.found.lock() else { return };
        match found {
            Ok(Found::Lag(lag_ns)) => record.lags.saturating_record(*lag_ns),
            Ok(Found::TimedOut) => record.timed_out += 1,
            Ok(Found::Nothing) | Err(_) => record.failed += 1,
        }
    }

    /// Markers take turns, so that the replica has long heard of the end of the last one of the same key.
    fn probe(&mut self) -> Result<Found, Fault> {
        let key = self.markers.start + self.next % (self.markers.end - self.markers.start);
        self.next += 1;
        let is_clean = self.ask(READS, self.get, key)?.hits == 0;
        let found = if is_clean { self.look_for(key)? } else { Found::Nothing };
        self.ask(WRITES, self.delete, key)?;
        Ok(found)
    }

    /// From the acknowledgement of the write until the replica has answered with it.
    fn look_for(&mut self, key: u64) -> Result<Found, Fault> {
        if self.ask(WRITES, self.set, key)?.verdict != Verdict::Good {
            return Ok(Found::Nothing);
        }
        let acknowledged_ns = self.now_ns();
        loop {
            let is_there = self.ask(READS, self.get, key)?.hits > 0;
            let lag_ns = self.now_ns() - acknowledged_ns;
            if is_there {
                return Ok(Found::Lag(lag_ns));
            }
            if lag_ns > self.links.shared.timeout_ns || self.links.is_halted() {
                return Ok(Found::TimedOut);
            }
            self.links.wait(1, (lag_ns / PATIENCE).min(LONGEST_WAIT_NS))?;
        }
    }

    /// One request and its reply, with nothing else under way.
    fn ask(&mut self, place: usize, shape: Shape, key: u64) -> Result<Reply, Fault> {
        let links = &mut self.links;
        let shared = Arc::clone(&links.shared);
        let until_ns = shared.clock.now_ns() + shared.timeout_ns;
        let link = &mut links.all[place];
        let keys = [key];
        let asked = Asked { shape: &shape, keys: &keys, stage: 0, word: 0, session: link.session };
        shared.driver.encode(&asked, &mut link.output);
        while shared.clock.now_ns() < until_ns {
            let link = &mut links.all[place];
            link.flush(&mut links.waits)?;
            while let Some((filled, _)) = link.read(&mut links.waits, Source::Socket, &mut links.scratch)? {
                match shared.driver.read(&mut link.reader, &asked, &links.scratch[..filled]) {
                    Step::Done { reply, .. } => return Ok(reply),
                    Step::More { used } => link.carry_over(&links.scratch[used..filled])?,
                    _ => return Err(Fault::Protocol("a reply that no marker asked for".to_owned())),
                }
            }
            links.wait(1, LONGEST_WAIT_NS)?;
        }
        Err(Fault::Timeout)
    }
}
