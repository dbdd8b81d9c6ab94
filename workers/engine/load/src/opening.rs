//! Bringing all connections up before the first phase.

use std::io;

use crate::driver::Driver;
use crate::link::Fault;
use crate::links::Links;

const MILLISECOND_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Why not all connections came up.
pub(crate) struct Unopened {
    pub is_refused: bool,
    pub message: String,
}

impl<D: Driver> Links<D> {
    /// What trying again cannot change ends the attempt at once, the rest when the time-out has passed.
    pub(crate) fn open_all(&mut self) -> io::Result<Result<(), Unopened>> {
        self.open_all_unless(|| false)
    }

    /// The same; a run that `is_stopped` meanwhile ends the attempt too.
    pub(crate) fn open_all_unless(
        &mut self,
        is_stopped: impl Fn() -> bool,
    ) -> io::Result<Result<(), Unopened>> {
        let until_ns = self.shared.clock.now_ns() + self.shared.timeout_ns.max(SECOND_NS);
        let mut last_fault = None;
        while self.up < self.all.len() {
            let now_ns = self.shared.clock.now_ns();
            if now_ns > until_ns || self.is_halted() || is_stopped() {
                return Ok(Err(self.give_up(last_fault.as_ref())));
            }
            last_fault = self.tend(now_ns).or(last_fault);
            self.wait(1, MILLISECOND_NS)?;
            for at in 0..self.waits.len() {
                match self.open_one(at, now_ns) {
                    Some(fault) if fault.is_final() => return Ok(Err(self.give_up(Some(&fault)))),
                    fault => last_fault = fault.or(last_fault),
                }
            }
        }
        Ok(Ok(()))
    }

    fn open_one(&mut self, at: usize, now_ns: u64) -> Option<Fault> {
        let index = self.find(self.waits.get(at))?;
        if self.all[index].is_up() {
            return None;
        }
        let fault = self.advance(index).err()?;
        self.close(index, now_ns);
        Some(fault)
    }

    fn give_up(&self, fault: Option<&Fault>) -> Unopened {
        let reason = fault.map_or("no answer in time".to_owned(), Fault::to_string);
        let message = format!("{} of {} connections came up: {reason}", self.up, self.all.len());
        Unopened { is_refused: matches!(fault, Some(Fault::Refused(_))), message }
    }
}
