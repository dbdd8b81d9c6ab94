//! Waiting for several replies at once, where a closed loop may.

use std::io;

use crate::driver::Driver;
use crate::link::Link;
use crate::phase::PhaseState;
use crate::sys::{Ready, Source, count_unread, set_low_water};
use crate::transport::Wire;
use crate::worker::Worker;

/// Replies of a whole pipeline are waited for only while they fit well into a socket's buffer.
const MOST_BYTES: usize = 64 * 1024;
/// How long a pipeline is waited for before anything is known of its pace, and at least.
const FIRST_LIMIT_NS: u64 = 1_000_000;
const LEAST_LIMIT_NS: u64 = 200_000;
const LONGEST_LIMIT_NS: u64 = 100_000_000;
/// More pipelines that came shorter than expected than this, and this share of all, end the waiting.
const MOST_SHORT: u64 = 4;
const SHORT_SHARE: u64 = 256;

/// How a thread waits for the whole pipeline of a connection, by its socket's low-water mark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gathering {
    /// Bytes without which a socket is silent; 1 where replies are taken one by one.
    low_water: usize,
    /// Smoothed time from a pipeline's first request to its last reply.
    pace_ns: u64,
    whole: u64,
    short: u64,
    next_look_ns: u64,
}

impl Default for Gathering {
    fn default() -> Self {
        Self { low_water: 1, pace_ns: FIRST_LIMIT_NS / 2, whole: 0, short: 0, next_look_ns: u64::MAX }
    }
}

impl Gathering {
    /// What a phase allows. All but one byte of the last reply may be missing when a piece of the first has been read
    /// before, so the mark lies one byte above all replies but one.
    fn of<D: Driver>(driver: &D, phase: &PhaseState) -> Self {
        let work = &phase.work;
        let sizes = work.operations.iter().map(|shape| driver.reply_bytes(shape));
        let smallest = sizes.min_by_key(|size| size.unwrap_or(0)).flatten();
        let is_eager =
            work.gathers && work.arrivals.is_none() && work.think_ns == 0 && work.per_connection == u32::MAX;
        let low_water = smallest.map_or(1, |bytes| (work.pipeline - 1) * bytes + 1);
        if is_eager && low_water > 1 && low_water <= MOST_BYTES {
            Self { low_water, next_look_ns: work.start_ns + FIRST_LIMIT_NS, ..Self::default() }
        } else {
            Self::default()
        }
    }

    #[inline]
    fn is_on(&self) -> bool {
        self.low_water > 1
    }

    fn limit_ns(&self) -> u64 {
        (2 * self.pace_ns).clamp(LEAST_LIMIT_NS, LONGEST_LIMIT_NS)
    }

    fn note_whole(&mut self, took_ns: u64) {
        self.whole += 1;
        self.pace_ns = (7 * self.pace_ns + took_ns) / 8;
    }

    /// When silent sockets are to be looked at.
    #[inline]
    pub(crate) fn next_look_ns(&self) -> u64 {
        self.next_look_ns
    }
}

impl<D: Driver> Worker<D> {
    /// A closed loop may let replies gather in a ring before it looks at them: half of what is under way, so that the
    /// target always has the other half to do. An arrival of an open loop must not wait for others.
    #[inline]
    pub(crate) fn replies_to_gather(&self) -> usize {
        match &self.phase {
            Some(phase) if phase.work.gathers && !phase.is_timed() => {
                (self.links.up.min(phase.in_flight as usize) / 2).max(1)
            }
            _ => 1,
        }
    }

    /// Chooses how the sockets wait in a phase that begins.
    pub(crate) fn begin_gathering(&mut self, phase: &PhaseState) {
        let before = self.gathering.low_water;
        let can_gather = self.links.shared.dial.is_bare() && !self.is_routed;
        self.gathering =
            if can_gather { Gathering::of(&*self.links.shared.driver, phase) } else { Gathering::default() };
        if self.gathering.low_water != before {
            self.set_low_water_of_all();
        }
    }

    /// A connection has come up: its socket waits as the others do.
    pub(crate) fn gather_from(&self, index: usize) {
        if self.gathering.is_on() {
            set_low_water_of(&self.links.all[index], self.gathering.low_water);
        }
    }

    /// A socket speaks by itself: a pipeline has been answered in whole.
    #[inline]
    pub(crate) fn note_spoken(&mut self, index: usize) {
        if self.gathering.is_on() {
            let now_ns = self.now_ns();
            let asked_ns = self.links.all[index].flights.front().map_or(now_ns, |flight| flight.sent_ns);
            self.gathering.note_whole(now_ns - asked_ns);
            let link = &mut self.links.all[index];
            link.unread_bytes = 0;
            if std::mem::take(&mut link.is_asked_to_speak) {
                set_low_water_of(link, self.gathering.low_water);
            }
        }
    }

    fn set_low_water_of_all(&self) {
        for link in self.links.all.iter().filter(|link| link.is_up()) {
            set_low_water_of(link, self.gathering.low_water);
        }
    }

    /// Reads from sockets that have been silent for longer than a pipeline takes: misses are shorter than values, and at
    /// the end of a phase there are fewer replies than a pipeline. Too many of them, and replies are taken one by one. What
    /// has grown since the last look is only slow: reading it now would tear its pipeline in two.
    pub(crate) fn look_at_silent(&mut self, now_ns: u64) {
        let limit_ns = self.gathering.limit_ns();
        self.gathering.next_look_ns = now_ns + limit_ns / 2;
        for index in 0..self.links.all.len() {
            let link = &self.links.all[index];
            let waited = link.flights.front().map(|flight| now_ns.saturating_sub(flight.sent_ns));
            if !link.is_up() || waited.is_none_or(|waited_ns| waited_ns < limit_ns) {
                continue;
            }
            let fd = link.transport.as_ref().map(Wire::raw_fd);
            let unread_bytes = fd.map_or(0, count_unread);
            if unread_bytes == 0 || unread_bytes != link.unread_bytes {
                self.links.all[index].unread_bytes = unread_bytes;
                continue;
            }
            if self.links.waits.has_ring() {
                self.ask_to_speak(index);
                continue;
            }
            let sent_before = self.phase.as_ref().map(|phase| phase.sent);
            let ready = Ready { token: 0, readable: true, closing: false, source: Source::Socket };
            if let Err(fault) = self.exchange(index, ready) {
                self.replace(index, fault);
            } else if self.phase.as_ref().map(|phase| phase.sent) != sent_before {
                self.gathering.short += 1;
            }
        }
        let Gathering { short, whole, .. } = self.gathering;
        if short > MOST_SHORT + whole / SHORT_SHARE {
            self.gathering = Gathering::default();
            self.set_low_water_of_all();
        }
    }

    /// What a ring is about to receive must not be read past it: without its mark the socket gives it what it has.
    fn ask_to_speak(&mut self, index: usize) {
        let link = &mut self.links.all[index];
        link.is_asked_to_speak = true;
        set_low_water_of(link, 1);
        self.gathering.short += u64::from(self.phase.as_ref().is_some_and(|phase| phase.is_sending));
    }
}

/// Where the mark cannot be set, replies come one by one as ever.
fn set_low_water_of<D: Driver>(link: &Link<D>, bytes: usize) {
    if let Some(transport) = &link.transport {
        let _: io::Result<()> = set_low_water(transport.raw_fd(), bytes);
    }
}
