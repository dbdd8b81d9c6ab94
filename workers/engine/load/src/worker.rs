//! A load thread: one event loop over its own connections, sharing nothing on the way of a request.

use std::io;
use std::sync::mpsc::TryRecvError;

use crate::assignment::Assignment;
use crate::driver::Driver;
use crate::gathering::Gathering;
use crate::journal::Journal;
use crate::link::Fault;
use crate::links::{Links, Opening};
use crate::opening::Unopened;
use crate::phase::PhaseState;
use crate::share::Channels;
use crate::sys::Ready;
use crate::totals::Message;
use crate::watch::read_busy_ns;

const MILLISECOND_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1_000_000_000;
/// The longest sleep while connections are to be brought up, closed or waited for the last time.
pub(crate) const LONGEST_WAIT_NS: u64 = 5 * MILLISECOND_NS;
/// The longest sleep while only replies are awaited, after which signals and time-outs are looked at. A store that answers
/// some ten times a second would have the loop wake up between its answers more often than by them.
pub(crate) const CALM_WAIT_NS: u64 = 25 * MILLISECOND_NS;
/// Looking for time-outs touches every connection, so it is done more seldom.
const LONGEST_BETWEEN_OVERDUE_NS: u64 = 100 * MILLISECOND_NS;
/// Longer than a thread takes to wake up.
const WAKING_NS: u64 = 200_000;
/// Answers are waited for after the end of a phase up to the plan's time-out, but not longer than this ...
const LONGEST_DRAIN_NS: u64 = 10 * SECOND_NS;
/// ... and only this long when the run was told to stop.
const HALTED_DRAIN_NS: u64 = SECOND_NS / 2;

pub(crate) struct Worker<D: Driver> {
    pub links: Links<D>,
    pub phase: Option<PhaseState>,
    pub is_routed: bool,
    pub gathering: Gathering,
    pub channels: Channels,
    pub next_tend_ns: u64,
    next_overdue_ns: u64,
    next_second: u64,
    drain_until_ns: u64,
}

impl<D: Driver> Worker<D> {
    pub(crate) fn new(links: Links<D>, channels: Channels) -> Self {
        Self {
            is_routed: links.shared.endpoints.len() > 1,
            links,
            phase: None,
            gathering: Gathering::default(),
            channels,
            next_tend_ns: 0,
            next_overdue_ns: 0,
            next_second: 1,
            drain_until_ns: u64::MAX,
        }
    }

    /// Brings the connections up, then carries out phases until there are no more.
    ///
    /// # Errors
    /// When epoll itself fails.
    pub(crate) fn run(mut self) -> io::Result<()> {
        if let Err(Unopened { is_refused, message }) = self.links.open_all()? {
            self.channels.tell(Message::Failed { is_refused, message });
            return Ok(());
        }
        self.channels.tell(Message::Ready);
        loop {
            match self.channels.work.try_recv() {
                Ok(work) => self.carry_out(work)?,
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => self.turn(MILLISECOND_NS)?,
            }
        }
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.links.shared.clock.now_ns()
    }

    fn carry_out(&mut self, work: Assignment) -> io::Result<()> {
        let phase = self.prepare(work);
        self.await_start(phase.work.start_ns)?;
        let busy_before_ns = read_busy_ns();
        self.begin(phase);
        while !self.is_over() {
            let timeout_ns = self.next_wait_ns();
            self.turn(timeout_ns)?;
        }
        let busy_ns = read_busy_ns().saturating_sub(busy_before_ns);
        self.finish(busy_ns);
        Ok(())
    }

    /// Everything that takes time is made before the phase begins.
    fn prepare(&mut self, work: Assignment) -> PhaseState {
        self.next_second = 1;
        self.drain_until_ns = u64::MAX;
        let journal = self.links.shared.journal.as_ref().map(Journal::new);
        PhaseState::new(work, self.links.all.len(), journal)
    }

    /// Sleeps until shortly before the start and then asks again and again, so that the first requests leave in time.
    fn await_start(&mut self, start_ns: u64) -> io::Result<()> {
        loop {
            let left_ns = start_ns.saturating_sub(self.now_ns());
            if left_ns == 0 || self.links.is_halted() {
                return Ok(());
            }
            self.turn(left_ns.saturating_sub(WAKING_NS).min(LONGEST_WAIT_NS))?;
        }
    }

    fn begin(&mut self, phase: PhaseState) {
        for link in &mut self.links.all {
            link.free_since_ns = phase.work.start_ns.saturating_sub(phase.work.think_ns);
            link.has_room = true;
            link.served = 0;
            link.is_queued = false;
            link.silent_since_ns = None;
            link.longest_silence_ns = 0;
        }
        self.begin_gathering(&phase);
        self.phase = Some(phase);
        self.begin_connections();
        for index in 0..self.links.in_force {
            self.start_link(index);
        }
        self.look(false);
    }

    /// Notes how many requests are under way now.
    #[inline]
    fn look(&mut self, was_idle: bool) {
        let now_ns = self.now_ns();
        if let Some(phase) = &mut self.phase {
            phase.look(now_ns, was_idle);
        }
    }

    #[inline]
    fn look_after_wait(&mut self, timeout_ns: u64, in_vain: bool) {
        let now_ns = self.now_ns();
        if let Some(phase) = &mut self.phase {
            phase.look_after_wait(now_ns, timeout_ns, in_vain);
        }
    }

    /// Sends the first requests over a connection, or queues it for the arrivals of an open loop.
    pub(crate) fn start_link(&mut self, index: usize) {
        if self.is_routed {
            return self.top_up_client(index);
        }
        let now_ns = self.now_ns();
        let Self { links, phase: Some(phase), .. } = self else { return };
        let link = &mut links.all[index];
        if !link.is_up() {
            return;
        }
        let earliest_ns = phase.work.start_ns.saturating_sub(phase.work.think_ns);
        link.free_since_ns = link.free_since_ns.max(earliest_ns);
        phase.top_up(&*links.shared.driver, link, now_ns);
        phase.look(now_ns, false);
        let flushed = link.flush(&mut links.waits);
        phase.queue(index, link);
        if let Err(error) = flushed {
            self.replace(index, Fault::Lost(error));
        }
    }

    /// One turn of the loop: what is due, then what is ready.
    fn turn(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.links.wait(self.replies_to_gather(), timeout_ns)?;
        let is_in_vain = self.links.waits.len() == 0;
        let is_asking = timeout_ns == 0 && is_in_vain;
        self.look_after_wait(timeout_ns, is_in_vain);
        let sent_before = self.phase.as_ref().map(|phase| phase.sent);
        for at in 0..self.links.waits.len() {
            let ready = self.links.waits.get(at);
            if let Some(index) = self.links.find(ready) {
                self.attend(index, ready);
            }
        }
        self.keep_time();
        self.dispatch();
        if self.phase.as_ref().is_some_and(PhaseState::is_timed) {
            self.links.waits.send_now()?;
        }
        let has_sent = self.phase.as_ref().map(|phase| phase.sent) != sent_before;
        self.look(is_asking && !has_sent);
        Ok(())
    }

    #[inline]
    fn attend(&mut self, index: usize, ready: Ready) {
        if self.links.all[index].is_up() {
            self.note_spoken(index);
            let exchanged =
                if self.is_routed { self.exchange_routed(index, ready) } else { self.exchange(index, ready) };
            if let Err(fault) = exchanged {
                self.replace(index, fault);
            }
            return;
        }
        match self.links.advance(index) {
            Ok(Opening::Pending) => {}
            Ok(Opening::Up) => {
                self.note_up(index);
                self.start_link(index);
            }
            Err(fault) => self.replace(index, fault),
        }
    }

    /// Reads what has come and sends what may follow. The next request leaves before anything else is looked at.
    #[inline]
    pub(crate) fn exchange(&mut self, index: usize, ready: Ready) -> Result<(), Fault> {
        let Self { links, phase, .. } = self;
        let shared = &links.shared;
        let link = &mut links.all[index];
        let mut may_hold_more = ready.readable;
        while may_hold_more {
            let Some((filled, more)) = link.read(&mut links.waits, ready.source, &mut links.scratch)? else {
                break;
            };
            may_hold_more = more || ready.closing;
            let Some(phase) = phase else {
                return Err(Fault::Protocol("a reply that nobody asked for".to_owned()));
            };
            phase.consume(&*shared.driver, link, &links.scratch[..filled], shared.clock.now_ns())?;
            phase.top_up(&*shared.driver, link, shared.clock.now_ns());
            phase.look(shared.clock.now_ns(), false);
            if link.has_unsent() {
                link.flush(&mut links.waits)?;
            }
        }
        if link.has_unsent() {
            link.flush(&mut links.waits)?;
            if let Some(phase) = phase {
                phase.top_up(&*shared.driver, link, shared.clock.now_ns());
                link.flush(&mut links.waits)?;
            }
        }
        if let Some(phase) = phase {
            phase.queue(index, link);
        }
        self.renew_if_served(index);
        Ok(())
    }

    /// Sends the arrivals that are due over connections that have room (open loop).
    #[inline]
    fn dispatch(&mut self) {
        if self.is_routed {
            return self.dispatch_routed();
        }
        let Self { links, phase: Some(phase), .. } = self else { return };
        if !phase.is_open_loop() {
            return self.wake_thinkers();
        }
        let mut now_ns = links.shared.clock.now_ns();
        while phase.has_due_arrival(now_ns) {
            let Some(index) = phase.with_room.pop_front() else { return };
            let link = &mut links.all[index as usize];
            link.is_queued = false;
            if !link.is_up() {
                continue;
            }
            phase.top_up(&*links.shared.driver, link, now_ns);
            phase.look(links.shared.clock.now_ns(), false);
            let flushed = link.flush(&mut links.waits);
            phase.queue(index as usize, link);
            now_ns = links.shared.clock.now_ns();
            if let Err(error) = flushed {
                let fault = Fault::Lost(error);
                phase.abandon(&mut links.all[index as usize], &fault, now_ns, links.shared.timeout_ns);
                links.close(index as usize, now_ns);
            }
        }
    }

    /// What depends on the time alone: seconds, the end, time-outs, connections to bring up.
    #[inline]
    fn keep_time(&mut self) {
        let now_ns = self.now_ns();
        if now_ns >= self.next_tend_ns {
            self.tend(now_ns);
        }
        if now_ns >= self.gathering.next_look_ns() {
            self.look_at_silent(now_ns);
        }
        let Some(phase) = &self.phase else { return };
        let second_ends_ns = self.second_ends_ns(phase);
        if now_ns >= second_ends_ns
            && phase.is_sending
            && phase.end_ns().is_none_or(|end_ns| second_ends_ns < end_ns)
        {
            return self.hand_over();
        }
        if let Some(phase) = &mut self.phase {
            phase.cease_if_due(now_ns);
        }
    }

    /// When the second under way is over.
    #[inline]
    pub(crate) fn second_ends_ns(&self, phase: &PhaseState) -> u64 {
        phase.work.start_ns + self.next_second * SECOND_NS
    }

    fn tend(&mut self, now_ns: u64) {
        let timeout_ns = self.links.shared.timeout_ns;
        self.next_tend_ns = now_ns + (timeout_ns / 8).min(LONGEST_WAIT_NS);
        // During a run a failed attempt is only worth the next one.
        let _ = self.links.tend(now_ns);
        self.follow_plan(now_ns);
        self.next_tend_ns = self.next_tend_ns.min(self.next_step_ns());
        let Some(phase) = &mut self.phase else { return };
        if self.links.is_halted() {
            phase.cease(now_ns);
            self.drain_until_ns = self.drain_until_ns.min(now_ns + timeout_ns.min(HALTED_DRAIN_NS));
        }
        if now_ns < self.next_overdue_ns {
            return;
        }
        self.next_overdue_ns = now_ns + (timeout_ns / 8).min(LONGEST_BETWEEN_OVERDUE_NS);
        for index in 0..self.links.all.len() {
            let oldest = self.links.all[index].flights.front();
            if oldest.is_some_and(|flight| flight.sent_ns + timeout_ns <= now_ns) {
                self.replace(index, Fault::Timeout);
            }
        }
        self.send_returned_keys();
    }

    /// Gives the records of the past second away and goes on with empty ones. When the reports lag and have sent
    /// none back, the records stay and the next second's report holds both.
    fn hand_over(&mut self) {
        let Some(phase) = &mut self.phase else { return };
        let spare = self.channels.spares.try_recv().ok();
        let records = spare.map(|spare| std::mem::replace(&mut phase.records, spare));
        let in_flight = phase.in_flight;
        phase.journal.iter_mut().for_each(Journal::flush);
        self.channels.tell(Message::Second { index: self.next_second, records, in_flight });
        self.next_second += 1;
    }

    fn is_over(&mut self) -> bool {
        let Some(phase) = &self.phase else { return true };
        if phase.is_sending {
            self.drain_until_ns = u64::MAX;
            return false;
        }
        if self.drain_until_ns == u64::MAX {
            let timeout_ns = self.links.shared.timeout_ns;
            // Time-outs are looked for now and then: the last ones still count as such, not as under way.
            self.drain_until_ns = phase.ceased_ns + (timeout_ns + timeout_ns / 4).min(LONGEST_DRAIN_NS);
        }
        phase.in_flight == 0 || self.now_ns() >= self.drain_until_ns
    }
}
