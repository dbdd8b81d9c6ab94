//! What a connection that failed takes with it.

use loadstone_spec::events::{ErrorClass, UnansweredCause};

use crate::driver::Driver;
use crate::link::{Fault, Link};
use crate::phase::PhaseState;

impl PhaseState {
    /// Counts what was under way on a connection that failed.
    pub(crate) fn abandon<D: Driver>(
        &mut self,
        link: &mut Link<D>,
        fault: &Fault,
        now_ns: u64,
        timeout_ns: u64,
    ) {
        let mut class = fault.class();
        if let Some(flight) = link.flights.front().filter(|_| class != ErrorClass::Protocol) {
            link.silent_since_ns.get_or_insert(flight.sent_ns);
        }
        while let Some(&flight) = link.flights.front() {
            if matches!(fault, Fault::Timeout) && flight.sent_ns + timeout_ns > now_ns {
                class = ErrorClass::ConnectionLost;
            }
            if !self.takes_again(link, class) {
                self.note(link, &flight, false);
                link.flights.pop();
                let record = &mut self.records[usize::from(flight.operation)];
                record.fail(class);
                match class {
                    ErrorClass::Timeout => record.leave(UnansweredCause::TimedOut, &flight, now_ns),
                    ErrorClass::ConnectionLost => {
                        record.leave(UnansweredCause::ConnectionLost, &flight, now_ns);
                    }
                    // These came back.
                    ErrorClass::Refused | ErrorClass::Protocol | ErrorClass::WrongValue => {}
                }
                self.in_flight -= 1;
                if class == ErrorClass::ConnectionLost && self.work.feed.take_back(flight.key, flight.word) {
                    self.budget_again();
                }
            }
            if !matches!(fault, Fault::Timeout) {
                class = ErrorClass::ConnectionLost;
            }
        }
        self.last_answer_ns = now_ns;
    }

    /// A key that was taken back is to be sent once more, also when it was among the last.
    fn budget_again(&mut self) {
        self.is_sending |= self.work.budget == 0;
        self.work.budget += 1;
    }
}
