//! Connections that are several sockets: one to each endpoint of the target, the driver or the kind of the operation
//! choosing between them. Together they keep as many requests under way as one connection may.

use crate::assignment::Assignment;
use crate::driver::{ASKING, Asked, Driver};
use crate::flights::Flight;
use crate::link::{Fault, Link};
use crate::links::Links;
use crate::phase::{Moment, PhaseState};
use crate::sys::Ready;
use crate::worker::Worker;

impl PhaseState {
    /// Takes the oldest request off a connection, for another endpoint.
    pub(crate) fn displace<D: Driver>(&mut self, link: &mut Link<D>, endpoint: usize, asks_leave: bool) {
        if let Some(mut flight) = link.flights.pop() {
            flight.stage = (flight.stage & !ASKING) | if asks_leave { ASKING } else { 0 };
            self.displaced.push((endpoint, flight));
        }
    }

    /// Sends what was displaced to where it belongs.
    fn settle_displaced<D: Driver>(&mut self, links: &mut Links<D>, first: usize) {
        let endpoints = links.shared.endpoints.len();
        while let Some((endpoint, flight)) = self.displaced.pop() {
            let link = &mut links.all[first + endpoint.min(endpoints - 1)];
            let Flight { key, word, operation, stage, .. } = flight;
            let shape = &self.work.operations[usize::from(operation)];
            let keys = [key];
            let asked = Asked { shape, keys: &keys, stage, word, session: link.session };
            links.shared.driver.encode(&asked, &mut link.output);
            link.flights.push(flight, &keys);
        }
    }

    /// Fills a connection of several sockets up with what may be sent now.
    fn top_up_routed<D: Driver>(&mut self, links: &mut Links<D>, first: usize, now_ns: u64) {
        let shared = std::sync::Arc::clone(&links.shared);
        if !self.again.is_empty() {
            self.lay_again_routed(links, first, now_ns);
        }
        let sockets = &mut links.all[first..first + shared.endpoints.len()];
        while self.is_sending && has_room(sockets, &self.work) {
            let free_since_ns = sockets.iter().map(|link| link.free_since_ns).max().unwrap_or(now_ns);
            let Some(intended_ns) = self.next_intended_ns(free_since_ns, now_ns) else { break };
            let (index, word) = self.draw();
            let shape = &self.work.operations[index];
            let asked = Asked { shape, keys: &self.keys, stage: 0, word, session: 0 };
            let endpoint = shared.endpoints.route(&*shared.driver, &asked);
            let moment = Moment { intended_ns, free_since_ns, now_ns };
            self.lay(&*shared.driver, &mut sockets[endpoint], (index, word), moment);
        }
        sockets.iter_mut().for_each(|link| link.has_room = false);
    }

    fn queue_routed<D: Driver>(&mut self, links: &mut Links<D>, first: usize) {
        let sockets = &links.all[first..first + links.shared.endpoints.len()];
        if self.is_open_loop() && !sockets[0].is_queued && has_room(sockets, &self.work) {
            links.all[first].is_queued = true;
            self.with_room.push_back(first as u32);
        }
    }
}

/// All sockets are up, and one more request may be sent.
pub(crate) fn has_room<D: Driver>(sockets: &[Link<D>], work: &Assignment) -> bool {
    let under_way: usize = sockets.iter().map(|link| link.flights.len()).sum();
    let takes_more = |link: &Link<D>| link.is_up() && link.takes_more(work.pipeline, work.per_connection);
    under_way < work.pipeline && sockets.iter().all(takes_more)
}

impl<D: Driver> Worker<D> {
    /// The first socket of the connection that a socket belongs to.
    fn first_of(&self, index: usize) -> usize {
        index - index % self.links.shared.endpoints.len()
    }

    /// Reads what has come over one socket and sends what may follow over any of them.
    pub(crate) fn exchange_routed(&mut self, index: usize, ready: Ready) -> Result<(), Fault> {
        let first = self.first_of(index);
        let Self { links, phase, .. } = self;
        let mut may_hold_more = ready.readable;
        while may_hold_more {
            let Some((filled, more)) =
                links.all[index].read(&mut links.waits, ready.source, &mut links.scratch)?
            else {
                break;
            };
            may_hold_more = more || ready.closing;
            let Some(phase) = phase else {
                return Err(Fault::Protocol("a reply that nobody asked for".to_owned()));
            };
            let now_ns = links.shared.clock.now_ns();
            let (driver, link) = (&*links.shared.driver, &mut links.all[index]);
            phase.consume(driver, link, &links.scratch[..filled], now_ns)?;
            phase.settle_displaced(links, first);
            links.all[index].flush(&mut links.waits)?;
        }
        links.all[index].flush(&mut links.waits)?;
        self.renew_if_served(index);
        self.top_up_client(first);
        Ok(())
    }

    /// Sends over the sockets of a connection what may be sent, and queues it for the arrivals of an open loop.
    pub(crate) fn top_up_client(&mut self, index: usize) {
        let first = self.first_of(index);
        let now_ns = self.now_ns();
        let Self { links, phase, .. } = self;
        let Some(phase) = phase else { return };
        phase.top_up_routed(links, first, now_ns);
        phase.look(now_ns, false);
        for socket in first..first + links.shared.endpoints.len() {
            if !links.all[socket].is_up() || !links.all[socket].has_unsent() {
                continue;
            }
            if let Err(error) = links.all[socket].flush(&mut links.waits) {
                let fault = Fault::Lost(error);
                phase.abandon(&mut links.all[socket], &fault, now_ns, links.shared.timeout_ns);
                links.close(socket, now_ns);
            }
        }
        phase.queue_routed(links, first);
    }

    /// Sends the arrivals that are due (open loop).
    pub(crate) fn dispatch_routed(&mut self) {
        loop {
            let now_ns = self.now_ns();
            let Some(phase) = self.phase.as_mut().filter(|phase| phase.has_due_arrival(now_ns)) else {
                return;
            };
            let Some(first) = phase.with_room.pop_front() else { return };
            self.links.all[first as usize].is_queued = false;
            self.top_up_client(first as usize);
        }
    }
}
