//! The end of a phase in one thread: what still waits, what could not be sent, and the account of it all.

use crate::driver::Driver;
use crate::totals::{Message, ThreadTotals};
use crate::worker::Worker;

impl<D: Driver> Worker<D> {
    /// Reports the phase. Connections that still wait for answers are replaced: the next phase must not see them.
    pub(crate) fn finish(&mut self, busy_ns: u64) {
        let now_ns = self.now_ns();
        let Some(mut phase) = self.phase.take() else { return };
        phase.note_never_sent();
        for flight in phase.again.take_rest() {
            phase.note_waiting(&flight, now_ns);
        }
        for index in 0..self.links.all.len() {
            let link = &mut self.links.all[index];
            phase.end_silence(link, now_ns);
            if link.flights.len() > 0 {
                while let Some(flight) = link.flights.front().copied() {
                    phase.note(link, &flight, false);
                    phase.note_waiting(&flight, now_ns);
                    link.flights.pop();
                }
                self.links.close(index, now_ns);
            }
        }
        drop(phase.journal.take());
        let silences = self.links.all.iter().map(|link| link.longest_silence_ns);
        let longest_silence_ns = silences.clone().max().unwrap_or(0);
        let hung = silences.filter(|&ns| ns >= phase.hang_ns).count() as u64;
        self.channels.tell(Message::Finished(Box::new(ThreadTotals {
            elapsed_ns: phase.elapsed_ns(),
            sent: phase.sent,
            in_flight: phase.in_flight,
            offered: phase.sent + phase.never_sent,
            never_sent: phase.never_sent,
            hung,
            longest_silence_ns,
            awake_ns: phase.watch.awaited_ns,
            lateness: phase.lateness,
            pauses: phase.watch.pauses,
            late_by_loop: phase.late_by_loop,
            in_flight_integral: phase.watch.in_flight_integral,
            busy_ns: busy_ns.saturating_sub(phase.watch.awaited_ns),
            active_ns: now_ns.saturating_sub(phase.work.start_ns),
            connections_renewed: self.links.renewed,
            records: phase.records,
        })));
    }
}
