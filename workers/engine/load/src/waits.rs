//! How a load thread waits: through epoll, or through a ring for the connections that are up.

use std::io;
use std::os::fd::RawFd;

use loadstone_spec::events::Warning;
use loadstone_spec::plan::{EnginePlan, EventLoop};

use crate::clock::Clock;
use crate::sys::{Epoll, Ready, ReadyList, Uring};

/// How long a ring gathers replies at most before it hands over those that are there.
const BATCH_NS: u64 = 200_000;
/// A pause of the store counts as this, so that batches are soon waited for again.
const LONGEST_GAP_NS: u64 = 4 * BATCH_NS;
const EVENTS_PER_WAIT: usize = 256;

/// Whether the plan's connections are a ring's, and what to say when it asked for one that cannot be.
pub(crate) fn choose_ring(plan: &EnginePlan, is_bare: bool) -> (bool, Option<Warning>) {
    let share = plan.load.connections().div_ceil(plan.threads) as usize;
    if plan.event_loop == EventLoop::Epoll {
        return (false, None);
    }
    let warn = |code: &str, message: String| Some(Warning { code: code.to_owned(), message });
    let fallback =
        |why: String| (false, warn("event_loop_fallback", format!("epoll instead of io_uring: {why}")));
    if !is_bare {
        return fallback("TLS reads its sockets itself.".to_owned());
    }
    match Waits::new(share, true) {
        Err(error) => fallback(format!("the kernel refuses a ring ({error}).")),
        Ok(_) if plan.load.gathers_replies() => {
            let message =
                "io_uring gathers replies: times of a closed loop may be told up to 200 us too long.";
            (true, warn("replies_gathered", message.to_owned()))
        }
        Ok(_) => (true, None),
    }
}

/// How fast replies come through a ring, smoothed. A batch is waited for only while it comes: else each such wait ends by
/// its time, and where a store answers some hundred times a second ten of them end with nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pace {
    /// Time between two replies.
    gap_ns: u64,
    /// When the last ones had come.
    last_ns: u64,
}

impl Pace {
    /// How many replies to wait for, of those that one would like: one where fewer than two come in the time of a batch.
    #[inline]
    fn limit(self, replies: usize) -> usize {
        if 2 * self.gap_ns > BATCH_NS { 1 } else { replies }
    }

    /// A wait that ended without a reply says that the gap is longer than the time since the last one.
    #[inline]
    fn note(&mut self, now_ns: u64, replies: usize) {
        let since_ns = now_ns.saturating_sub(self.last_ns).min(LONGEST_GAP_NS);
        self.gap_ns = (7 * self.gap_ns + since_ns / replies.max(1) as u64) / 8;
        if replies > 0 {
            self.last_ns = now_ns;
        }
    }
}

/// The sockets of a thread. Connections open under epoll in either case: their dialogue is short and seldom.
pub(crate) struct Waits {
    epoll: Epoll,
    opened: ReadyList,
    ring: Option<Uring>,
    pace: Pace,
}

impl Waits {
    /// # Errors
    /// When epoll, or the ring that was asked for, cannot be made.
    pub(crate) fn new(connections: usize, with_ring: bool) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        let ring = if with_ring { Some(Uring::new(connections, epoll.raw_fd())?) } else { None };
        Ok(Self { epoll, opened: ReadyList::with_capacity(EVENTS_PER_WAIT), ring, pace: Pace::default() })
    }

    pub(crate) fn has_ring(&self) -> bool {
        self.ring.is_some()
    }

    /// Looks after a socket whose connection opens.
    pub(crate) fn watch(&self, fd: RawFd, token: u64) -> io::Result<()> {
        self.epoll.watch(fd, token)
    }

    /// Gives a socket whose connection is up to the ring.
    pub(crate) fn adopt(&mut self, fd: RawFd, token: u64) -> io::Result<()> {
        self.epoll.forget(fd)?;
        self.receive_from(fd, token)
    }

    /// Tells the ring to receive.
    pub(crate) fn receive_from(&mut self, fd: RawFd, token: u64) -> io::Result<()> {
        self.ring.as_mut().map_or(Ok(()), |ring| ring.receive_from(fd, token))
    }

    #[inline]
    pub(crate) fn send(&mut self, fd: RawFd, token: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.ring.as_mut().map_or(Ok(()), |ring| ring.send(fd, token, bytes))
    }

    /// What was given to a ring leaves at once, and not with the next wait: that would count from after it has left, and
    /// wake the loop so much later for the next request that is due.
    #[inline]
    pub(crate) fn send_now(&mut self) -> io::Result<()> {
        self.ring.as_mut().map_or(Ok(()), Uring::send_now)
    }

    /// Closes the ring's account of a connection.
    pub(crate) fn abandon(&mut self, index: usize) {
        if let Some(ring) = &mut self.ring {
            ring.abandon(index);
        }
    }

    /// Waits at most `timeout_ns`, through a ring until `replies` have come or it has gathered them for long enough.
    /// `is_opening`: there are connections that open.
    pub(crate) fn wait(
        &mut self,
        replies: usize,
        is_opening: bool,
        timeout_ns: u64,
        clock: &Clock,
    ) -> io::Result<()> {
        let Some(ring) = &mut self.ring else { return self.epoll.wait(&mut self.opened, timeout_ns) };
        ring.wait(self.pace.limit(replies), BATCH_NS, timeout_ns)?;
        if replies > 1 {
            self.pace.note(clock.now_ns(), ring.ready().len());
        }
        self.opened.clear();
        if is_opening { self.epoll.wait(&mut self.opened, 0) } else { Ok(()) }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.opened.len() + self.ring.as_ref().map_or(0, |ring| ring.ready().len())
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> Ready {
        match &self.ring {
            Some(ring) if at >= self.opened.len() => ring.ready()[at - self.opened.len()],
            _ => self.opened.get(at),
        }
    }

    /// What has come with an event of the ring, until the next wait.
    #[inline]
    pub(crate) fn bytes(&self, id: u16, len: u32) -> &[u8] {
        self.ring.as_ref().map_or(&[], |ring| ring.bytes(id, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_waited_for_only_where_one_comes() {
        let mut pace = Pace::default();
        let mut now_ns = 0;
        let mut come = |pace: &mut Pace, gap_ns: u64, times: usize| {
            for _ in 0..times {
                now_ns += gap_ns;
                pace.note(now_ns, 1);
            }
        };
        come(&mut pace, 10_000, 50);
        assert_eq!(pace.limit(25), 25, "twenty come while it is waited");
        come(&mut pace, 2_500_000, 5);
        assert_eq!(pace.limit(25), 1, "none comes while it is waited");
        come(&mut pace, 10_000, 20);
        assert_eq!(pace.limit(25), 25, "what was slow is fast again");
    }

    #[test]
    fn waits_without_a_reply_end_the_waiting_for_batches() {
        let mut pace = Pace { gap_ns: 10_000, last_ns: 0 };
        (1..=4).for_each(|waits| pace.note(waits * BATCH_NS, 0));
        assert_eq!(pace.limit(25), 1);
    }
}
