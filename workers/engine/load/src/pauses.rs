//! Connections that pause between requests, and those that are opened anew after some of them.

use crate::driver::Driver;
use crate::link::Fault;
use crate::phase::PhaseState;
use crate::worker::{CALM_WAIT_NS, LONGEST_WAIT_NS, Worker};

impl<D: Driver> Worker<D> {
    /// Counts what was under way on a connection that failed, and lets it be opened anew.
    pub(crate) fn replace(&mut self, index: usize, fault: Fault) {
        let now_ns = self.now_ns();
        if let Some(phase) = &mut self.phase {
            let timeout_ns = self.links.shared.timeout_ns;
            phase.abandon(&mut self.links.all[index], &fault, now_ns, timeout_ns);
        }
        self.links.close(index, now_ns);
    }

    /// A connection has come up. One that was only renewed has been waited for since its last reply.
    pub(crate) fn note_up(&mut self, index: usize) {
        let now_ns = self.now_ns();
        self.gather_from(index);
        let link = &mut self.links.all[index];
        if !std::mem::take(&mut link.is_renewed) {
            link.free_since_ns = now_ns;
        }
    }

    /// Opens a connection anew that has had all the requests it lives for.
    #[inline]
    pub(crate) fn renew_if_served(&mut self, index: usize) {
        let Some(phase) = &self.phase else { return };
        let link = &self.links.all[index];
        if link.served >= phase.work.per_connection && link.flights.len() == 0 && link.is_up() {
            let now_ns = self.now_ns();
            self.links.renew(index, now_ns);
        }
    }

    /// When the connection that has thought longest goes on. All think equally long, so they go on in their order.
    pub(crate) fn next_thought_ns(&self, phase: &PhaseState) -> u64 {
        match phase.with_room.front() {
            Some(&index) if phase.work.think_ns > 0 => {
                self.links.all[index as usize].free_since_ns + phase.work.think_ns
            }
            _ => u64::MAX,
        }
    }

    /// Where nothing but a reply can be the next thing to do, time-outs are all that must be looked for.
    #[inline]
    fn longest_wait_ns(&self, now_ns: u64) -> u64 {
        let is_calm = self.links.up == self.links.in_force
            && self.phase.as_ref().is_some_and(|phase| phase.is_sending && phase.is_left_alone());
        let tend_ns = self.next_tend_ns.saturating_sub(now_ns);
        if is_calm {
            CALM_WAIT_NS.min(self.links.shared.timeout_ns / 8)
        } else {
            tend_ns.min(LONGEST_WAIT_NS)
        }
    }

    /// How long the loop may sleep.
    #[inline]
    pub(crate) fn next_wait_ns(&self) -> u64 {
        let now_ns = self.now_ns();
        let mut until_ns =
            (now_ns + self.longest_wait_ns(now_ns)).min(self.gathering.next_look_ns().max(now_ns));
        if let Some(phase) = self.phase.as_ref().filter(|phase| phase.is_sending) {
            let ends_ns = phase.end_ns().unwrap_or(u64::MAX);
            until_ns = until_ns.min(self.second_ends_ns(phase).min(ends_ns).max(now_ns));
            until_ns = until_ns.min(self.next_thought_ns(phase).saturating_sub(phase.watch.early_ns));
            let awaits_arrival = !phase.with_room.is_empty();
            if let Some(arrivals) = phase.work.arrivals.as_ref().filter(|_| awaits_arrival) {
                until_ns = until_ns.min(arrivals.due_ns().saturating_sub(phase.watch.early_ns));
            }
        }
        until_ns.saturating_sub(now_ns)
    }

    /// Sends over the connections that have thought long enough.
    pub(crate) fn wake_thinkers(&mut self) {
        while let Some(phase) = self.phase.as_mut().filter(|phase| phase.is_sending) {
            let Some(&index) = phase.with_room.front() else { return };
            let due_ns = self.links.all[index as usize].free_since_ns + phase.work.think_ns;
            if due_ns > self.links.shared.clock.now_ns() {
                return;
            }
            phase.with_room.pop_front();
            self.links.all[index as usize].is_queued = false;
            self.start_link(index as usize);
        }
    }

    /// Keys that came back with a lost connection do not wait for its successor.
    pub(crate) fn send_returned_keys(&mut self) {
        if self.phase.as_ref().is_some_and(|phase| phase.is_sending && phase.work.feed.has_returned_keys()) {
            (0..self.links.all.len()).for_each(|index| self.start_link(index));
        }
    }
}
