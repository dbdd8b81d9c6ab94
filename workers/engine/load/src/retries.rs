//! What failed and is to be sent again.

use std::collections::VecDeque;

use loadstone_spec::events::ErrorClass;
use loadstone_spec::plan::{OperationKind, Retries};

use crate::driver::{ASKING, Asked, Driver, Shape};
use crate::flights::Flight;
use crate::link::Link;
use crate::links::Links;
use crate::phase::PhaseState;
use crate::routed::has_room;
use crate::worker::Worker;

/// Requests that wait to be sent again, with their keys. They count as under way.
#[derive(Debug, Default)]
pub(crate) struct Again {
    most: u8,
    classes: [bool; ErrorClass::ALL.len()],
    waiting: VecDeque<(Flight, Box<[u64]>)>,
}

impl Again {
    pub(crate) fn new(retries: Option<&Retries>) -> Self {
        let mut again = Self::default();
        if let Some(retries) = retries {
            again.most = retries.attempts;
            retries.on.iter().for_each(|&class| again.classes[class as usize] = true);
        }
        again
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What was not sent again until the end.
    pub(crate) fn take_rest(&mut self) -> Vec<Flight> {
        self.waiting.drain(..).map(|(flight, _)| flight).collect()
    }

    /// Takes a request in that has failed. False when it is to be counted as failed. It begins anew: but for the number
    /// of an entry, what a later stage was told is forgotten.
    pub(crate) fn take(&mut self, shape: &Shape, flight: &Flight, keys: &[u64], class: ErrorClass) -> bool {
        let is_insert = matches!(shape.kind, OperationKind::ListInsertHead | OperationKind::ListInsertTail);
        let is_taken = flight.attempt < self.most && self.classes[class as usize];
        if is_taken {
            let mut flight = *flight;
            if flight.stage & !ASKING > 0 && !is_insert {
                flight.word = 0;
            }
            let first = std::slice::from_ref(&flight.key);
            self.waiting.push_back((flight, if keys.is_empty() { first } else { keys }.into()));
        }
        is_taken
    }
}

impl PhaseState {
    /// Fills a connection up with what waits to be sent again.
    #[cold]
    pub(crate) fn lay_again<D: Driver>(&mut self, driver: &D, link: &mut Link<D>, now_ns: u64) {
        while link.is_up() && link.takes_more(self.work.pipeline, self.work.per_connection) {
            let Some((flight, keys)) = self.again.waiting.pop_front() else { return };
            self.lay_once_more(driver, link, (flight, &keys), now_ns);
        }
    }

    /// The same over the sockets of a connection, each request where it belongs.
    #[cold]
    pub(crate) fn lay_again_routed<D: Driver>(&mut self, links: &mut Links<D>, first: usize, now_ns: u64) {
        let shared = std::sync::Arc::clone(&links.shared);
        let sockets = &mut links.all[first..first + shared.endpoints.len()];
        while has_room(sockets, &self.work) {
            let Some((flight, keys)) = self.again.waiting.pop_front() else { return };
            let shape = &self.work.operations[usize::from(flight.operation)];
            let asked = Asked { shape, keys: &keys, stage: 0, word: flight.word, session: 0 };
            let endpoint = shared.endpoints.route(&*shared.driver, &asked);
            self.lay_once_more(&*shared.driver, &mut sockets[endpoint], (flight, &keys), now_ns);
        }
    }

    fn lay_once_more<D: Driver>(
        &mut self,
        driver: &D,
        link: &mut Link<D>,
        (flight, keys): (Flight, &[u64]),
        now_ns: u64,
    ) {
        let shape = &self.work.operations[usize::from(flight.operation)];
        let before = link.output.len();
        let asked = Asked { shape, keys, stage: 0, word: flight.word, session: link.session };
        driver.encode(&asked, &mut link.output);
        let record = &mut self.records[usize::from(flight.operation)];
        record.bytes_sent += (link.output.len() - before) as u64;
        record.retries += 1;
        link.flights.push(flight.once_more(now_ns), keys);
        link.served = link.served.saturating_add(1);
    }
}

impl Flight {
    fn once_more(self, now_ns: u64) -> Self {
        Self { sent_ns: now_ns, stage: 0, attempt: self.attempt + 1, ..self }
    }
}

impl<D: Driver> Worker<D> {
    /// What waits for another attempt goes out over any connection that has room for it.
    pub(crate) fn send_again(&mut self) {
        for index in 0..self.links.all.len() {
            if self.phase.as_ref().is_none_or(|phase| phase.again.is_empty()) {
                return;
            }
            self.start_link(index);
        }
    }
}
