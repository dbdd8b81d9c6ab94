//! What a load thread knows about the phase under way: what is left to send, what is under way, what came back.

use std::collections::VecDeque;

use loadstone_spec::events::ErrorClass;

use crate::assignment::Assignment;
use crate::driver::{Asked, Driver, Reply, Step, Verdict};
use crate::flights::Flight;
use crate::journal::Journal;
use crate::link::{Fault, Link};
use crate::record::RecordSet;
use crate::retries::Again;
use crate::silence::hang_ns;
use crate::times::Times;
use crate::totals::LATE_AFTER_NS;
use crate::watch::Watch;

/// How long arrivals that were due before the end are still sent after it (open loop), so that a stall at the
/// very end is measured too.
const BACKLOG_GRACE_NS: u64 = 2_000_000_000;

/// When a request was meant to leave, and when it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub intended_ns: u64,
    /// Since when the connection could have taken it.
    pub free_since_ns: u64,
    pub now_ns: u64,
}

/// The state of one phase in one thread.
pub(crate) struct PhaseState {
    pub work: Assignment,
    pub records: RecordSet,
    pub is_sending: bool,
    /// When sending ceased.
    pub ceased_ns: u64,
    pub sent: u64,
    pub in_flight: u64,
    /// What the loop sees of its own state from turn to turn, apart from any time of a request.
    pub watch: Watch,
    /// Sent late although a connection was free when the request was due.
    pub late_by_loop: u64,
    /// From when each request could have left until it left, where requests have a time to leave.
    pub lateness: Option<Box<Times>>,
    /// Due and not sent, once that is known.
    pub never_sent: u64,
    /// A connection that waits as long for an answer hangs.
    pub hang_ns: u64,
    pub last_answer_ns: u64,
    last_sent_ns: u64,
    /// Connections with room, longest free first (open loop).
    pub with_room: VecDeque<u32>,
    pub keys: Vec<u64>,
    /// Where acknowledged writes are noted.
    pub journal: Option<Journal>,
    /// Requests that another endpoint is to be asked for.
    pub displaced: Vec<(usize, Flight)>,
    /// Requests that failed and are sent again.
    pub again: Again,
}

impl PhaseState {
    pub(crate) fn new(mut work: Assignment, connections: usize, journal: Option<Journal>) -> Self {
        let start_ns = work.start_ns;
        if let Some(arrivals) = &mut work.arrivals {
            arrivals.start_at(start_ns);
        }
        let most_keys = work.operations.iter().map(|operation| operation.keys_per_request).max();
        Self {
            records: work.room.new_set(),
            is_sending: work.budget > 0,
            ceased_ns: start_ns,
            sent: 0,
            in_flight: 0,
            watch: Watch::begin(start_ns),
            late_by_loop: 0,
            lateness: (work.arrivals.is_some() || work.think_ns > 0).then(|| Box::new(Times::new())),
            never_sent: 0,
            hang_ns: hang_ns(work.duration_ns),
            last_answer_ns: start_ns,
            last_sent_ns: start_ns,
            with_room: VecDeque::with_capacity(connections),
            keys: Vec::with_capacity(most_keys.unwrap_or(1)),
            displaced: Vec::new(),
            journal,
            again: Again::new(work.retries.as_ref()),
            work,
        }
    }

    /// When the phase is to end, if time ends it.
    #[inline]
    pub(crate) fn end_ns(&self) -> Option<u64> {
        self.work.duration_ns.map(|duration_ns| self.work.start_ns + duration_ns)
    }

    #[inline]
    pub(crate) fn is_open_loop(&self) -> bool {
        self.work.arrivals.is_some()
    }

    /// Requests leave when their time has come, and not as soon as others are answered.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.is_open_loop() || self.work.think_ns > 0
    }

    /// Draws the next operation; its keys stand in `keys` until the next one is drawn.
    #[inline]
    pub(crate) fn draw(&mut self) -> (usize, u64) {
        self.work.feed.next(&self.work.operations, &mut self.keys)
    }

    /// Lays the operation that was drawn into the connection's output.
    #[inline]
    pub(crate) fn lay<D: Driver>(
        &mut self,
        driver: &D,
        link: &mut Link<D>,
        (index, word): (usize, u64),
        Moment { intended_ns, free_since_ns, now_ns }: Moment,
    ) {
        let shape = &self.work.operations[index];
        let before = link.output.len();
        let asked = Asked { shape, keys: &self.keys, stage: 0, word, session: link.session };
        driver.encode(&asked, &mut link.output);
        let record = &mut self.records[index];
        record.bytes_sent += (link.output.len() - before) as u64;
        if self.work.arrivals.is_some() && now_ns.saturating_sub(intended_ns) > LATE_AFTER_NS {
            record.late += 1;
            self.late_by_loop += u64::from(link.free_since_ns <= intended_ns);
        }
        if let Some(lateness) = &mut self.lateness {
            lateness.record(now_ns.saturating_sub(intended_ns.max(free_since_ns)));
        }
        let (key, operation) = (self.keys[0], index as u8);
        let flight = Flight { intended_ns, sent_ns: now_ns, key, word, operation, stage: 0, attempt: 0 };
        link.flights.push(flight, &self.keys);
        link.served = link.served.saturating_add(1);
        self.sent += 1;
        self.in_flight += 1;
        self.last_sent_ns = now_ns;
        self.work.budget -= 1;
        if self.work.budget == 0 {
            self.cease(now_ns);
        }
    }

    /// When a request that may be sent now was meant to be; nothing when none is due.
    #[inline]
    pub(crate) fn next_intended_ns(&mut self, free_since_ns: u64, now_ns: u64) -> Option<u64> {
        if self.is_open_loop() {
            return self.next_arrival_ns(now_ns);
        }
        let intended_ns = free_since_ns + self.work.think_ns;
        (self.work.think_ns == 0 || intended_ns <= now_ns).then_some(intended_ns)
    }

    fn next_arrival_ns(&mut self, now_ns: u64) -> Option<u64> {
        let arrivals = self.work.arrivals.as_mut()?;
        let due_ns = arrivals.due_ns();
        let is_over = self.work.duration_ns.is_some_and(|d| due_ns >= self.work.start_ns + d);
        (due_ns <= now_ns && !is_over).then(|| arrivals.take())
    }

    /// Fills a connection up with what may be sent now; in an open loop only with what is due.
    #[inline]
    pub(crate) fn top_up<D: Driver>(&mut self, driver: &D, link: &mut Link<D>, now_ns: u64) {
        if !self.again.is_empty() {
            self.lay_again(driver, link, now_ns);
        }
        while self.is_sending && link.takes_more(self.work.pipeline, self.work.per_connection) {
            let Some(intended_ns) = self.next_intended_ns(link.free_since_ns, now_ns) else { break };
            let drawn = self.draw();
            let free_since_ns = link.free_since_ns;
            self.lay(driver, link, drawn, Moment { intended_ns, free_since_ns, now_ns });
        }
        link.has_room = link.flights.len() < self.work.pipeline;
    }

    /// Queues a connection that could take a further arrival of an open loop, or that thinks before its next request.
    #[inline]
    pub(crate) fn queue<D: Driver>(&mut self, index: usize, link: &mut Link<D>) {
        let takes_more = link.takes_more(self.work.pipeline, self.work.per_connection);
        if self.is_timed() && !link.is_queued && link.is_up() && takes_more {
            link.is_queued = true;
            self.with_room.push_back(index as u32);
        }
    }

    /// Whether an arrival is due at `now_ns`.
    #[inline]
    pub(crate) fn has_due_arrival(&self, now_ns: u64) -> bool {
        let due_ns = self.work.arrivals.as_ref().map_or(u64::MAX, |arrivals| arrivals.due_ns());
        self.is_sending && due_ns <= now_ns && self.end_ns().is_none_or(|end_ns| due_ns < end_ns)
    }

    /// Reads every reply that is complete in `input`.
    #[inline]
    pub(crate) fn consume<D: Driver>(
        &mut self,
        driver: &D,
        link: &mut Link<D>,
        input: &[u8],
        now_ns: u64,
    ) -> Result<(), Fault> {
        let mut rest = input;
        while !rest.is_empty() {
            let Some(flight) = link.flights.front() else {
                return Err(Fault::Protocol("a reply that nobody asked for".to_owned()));
            };
            let shape = &self.work.operations[usize::from(flight.operation)];
            let keys = match shape.keys_per_request {
                1 => std::slice::from_ref(&flight.key),
                count => link.flights.front_keys(count),
            };
            let asked = Asked { shape, keys, stage: flight.stage, word: flight.word, session: link.session };
            match driver.read(&mut link.reader, &asked, rest) {
                Step::Done { used, reply } => {
                    rest = &rest[used..];
                    link.reply_bytes += used as u64;
                    self.settle(link, reply, now_ns);
                }
                Step::Follow { used, word } => {
                    rest = &rest[used..];
                    link.reply_bytes += used as u64;
                    self.follow(driver, link, word);
                }
                Step::Elsewhere { used, endpoint, asks_leave } => {
                    rest = &rest[used..];
                    link.reply_bytes += used as u64;
                    self.displace(link, endpoint, asks_leave);
                }
                Step::More { used } => {
                    link.reply_bytes += used as u64;
                    return link.carry_over(&rest[used..]);
                }
                Step::Broken => return Err(Fault::Protocol("a reply that cannot be read".to_owned())),
            }
        }
        Ok(())
    }

    /// Lays the next stage of the oldest request behind all others of its connection.
    fn follow<D: Driver>(&mut self, driver: &D, link: &mut Link<D>, word: u64) {
        let Some(mut flight) = link.flights.pop() else { return };
        flight.stage += 1;
        flight.word = word;
        let keys = [flight.key];
        let shape = &self.work.operations[usize::from(flight.operation)];
        let before = link.output.len();
        let asked = Asked { shape, keys: &keys, stage: flight.stage, word, session: link.session };
        driver.encode(&asked, &mut link.output);
        let record = &mut self.records[usize::from(flight.operation)];
        record.bytes_sent += (link.output.len() - before) as u64;
        link.flights.push(flight, &keys);
    }

    #[inline]
    fn settle<D: Driver>(&mut self, link: &mut Link<D>, reply: Reply, now_ns: u64) {
        if reply.verdict == Verdict::Refused && self.takes_again(link, ErrorClass::Refused) {
            return self.note_room(link, now_ns);
        }
        let Some(flight) = link.flights.front().copied() else { return };
        if !link.has_answered || now_ns - flight.sent_ns >= self.hang_ns {
            self.note_silence(link, &flight, now_ns);
        }
        self.note(link, &flight, reply.verdict == Verdict::Good);
        link.flights.pop();
        let record = &mut self.records[usize::from(flight.operation)];
        record.bytes_received += std::mem::take(&mut link.reply_bytes);
        record.hits += u64::from(reply.hits);
        record.misses += u64::from(reply.misses);
        match reply.verdict {
            Verdict::Good => record.answer(now_ns - flight.intended_ns, now_ns - flight.sent_ns),
            Verdict::Refused => record.fail(ErrorClass::Refused),
            Verdict::WrongValue => record.fail(ErrorClass::WrongValue),
        }
        self.in_flight -= 1;
        self.note_room(link, now_ns);
    }

    #[inline]
    fn note_room<D: Driver>(&mut self, link: &mut Link<D>, now_ns: u64) {
        self.last_answer_ns = now_ns;
        if !link.has_room {
            link.has_room = true;
            link.free_since_ns = now_ns;
        }
    }

    /// Notes the outcome of the oldest request of a connection, if it is a write.
    #[inline]
    pub(crate) fn note<D: Driver>(&mut self, link: &Link<D>, flight: &Flight, is_acknowledged: bool) {
        let Some(journal) = &mut self.journal else { return };
        let shape = &self.work.operations[usize::from(flight.operation)];
        let keys = match shape.keys_per_request {
            1 => std::slice::from_ref(&flight.key),
            count => link.flights.front_keys(count),
        };
        if !shape.kind.is_read() {
            journal.note(keys, flight.word, is_acknowledged);
        }
    }

    /// Takes the oldest request off a connection if it is to be sent again.
    #[cold]
    pub(crate) fn takes_again<D: Driver>(&mut self, link: &mut Link<D>, class: ErrorClass) -> bool {
        let Some(flight) = link.flights.front() else { return false };
        let shape = &self.work.operations[usize::from(flight.operation)];
        let is_taken = self.again.take(shape, flight, link.flights.front_keys(shape.keys_per_request), class);
        if is_taken {
            let record = &mut self.records[usize::from(flight.operation)];
            record.bytes_received += std::mem::take(&mut link.reply_bytes);
            link.flights.pop();
        }
        is_taken
    }

    /// Notes how many requests are under way now; the loop calls it before what it does becomes visible outside.
    #[inline]
    pub(crate) fn look(&mut self, now_ns: u64, was_idle: bool) {
        let span_ns = self.watch.look(now_ns, self.in_flight);
        self.watch.awaited_ns += if was_idle { span_ns } else { 0 };
    }

    /// The same after a wait of at most `timeout_ns`, which was `in_vain` when nothing but its time has ended it.
    #[inline]
    pub(crate) fn look_after_wait(&mut self, now_ns: u64, timeout_ns: u64, in_vain: bool) {
        let span_ns = self.watch.look_after_wait(now_ns, self.in_flight);
        if in_vain && timeout_ns == 0 {
            self.watch.awaited_ns += span_ns;
        } else if in_vain && span_ns >= timeout_ns {
            self.watch.note_wake(span_ns - timeout_ns);
        }
    }

    /// Stops sending.
    pub(crate) fn cease(&mut self, now_ns: u64) {
        if self.is_sending {
            self.is_sending = false;
            self.ceased_ns = now_ns;
        }
    }

    /// Stops sending once time has ended the phase.
    pub(crate) fn cease_if_due(&mut self, now_ns: u64) {
        let Some(end_ns) = self.end_ns().filter(|&end_ns| now_ns >= end_ns) else { return };
        match &self.work.arrivals {
            None => self.cease(end_ns),
            Some(arrivals) if arrivals.due_ns() >= end_ns => self.cease(end_ns.max(self.last_sent_ns)),
            Some(_) if now_ns >= end_ns + BACKLOG_GRACE_NS => self.cease(now_ns),
            Some(_) => {}
        }
    }

    /// How long the phase took: until sending ceased, or until the last answer where operations end it.
    pub(crate) fn elapsed_ns(&self) -> u64 {
        let until_ns = match self.work.duration_ns {
            Some(_) => self.ceased_ns,
            None => self.last_answer_ns.max(self.ceased_ns),
        };
        until_ns.saturating_sub(self.work.start_ns)
    }

    /// Arrivals that were due; what was sent in a closed loop.
    pub(crate) fn offered(&self) -> u64 {
        match &self.work.arrivals {
            None => self.sent,
            Some(arrivals) => {
                let until_ns = self.end_ns().unwrap_or(u64::MAX).min(self.ceased_ns.saturating_add(1));
                let due = arrivals.clone().count_before(until_ns);
                due.clamp(self.sent, self.sent.saturating_add(self.work.budget))
            }
        }
    }
}
