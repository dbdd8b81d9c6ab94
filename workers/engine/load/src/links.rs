//! The connections of one load thread: bringing them up, and replacing those that fail.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use socket2::SockAddr;

use crate::clock::Clock;
use crate::driver::{Asked, Driver, Greeted, Greeting, Role};
use crate::flights::Flights;
use crate::journal::JournalFile;
use crate::link::{Fault, Link, Stage};
use crate::rng::Rng;
use crate::sys::{Ready, Source};
use crate::transport::{Dial, begin_connect};
use crate::waits::Waits;

const MILLISECOND_NS: u64 = 1_000_000;
/// Attempts under way at once: more would overflow the listen queue of most stores.
const MAX_OPENING: usize = 64;
const FIRST_BACK_OFF_NS: u64 = 10 * MILLISECOND_NS;
const LAST_BACK_OFF_NS: u64 = 1000 * MILLISECOND_NS;
const SCRATCH_BYTES: usize = 128 * 1024;

/// Where a plan's connection goes: it is one socket to each of the addresses.
#[derive(Debug, Clone)]
pub(crate) struct Endpoints {
    pub addresses: Vec<SockAddr>,
    /// The second address is for what only reads; otherwise the driver decides.
    pub reads_apart: bool,
}

impl Endpoints {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(crate) fn route<D: Driver>(&self, driver: &D, asked: &Asked<'_>) -> usize {
        let endpoint =
            if self.reads_apart { usize::from(asked.shape.kind.is_read()) } else { driver.route(asked) };
        endpoint.min(self.len() - 1)
    }
}

/// What all threads of a run know.
pub(crate) struct Shared<D> {
    pub driver: Arc<D>,
    pub dial: Arc<dyn Dial>,
    pub endpoints: Endpoints,
    pub role: Role,
    /// Connections that are up are a ring's.
    pub uses_ring: bool,
    pub clock: Clock,
    pub timeout_ns: u64,
    pub board: Arc<Board>,
    pub journal: Option<Arc<JournalFile>>,
}

impl<D> Shared<D> {
    /// The same with another driver, for one thread alone.
    pub(crate) fn with_driver<E>(&self, driver: Arc<E>) -> Shared<E> {
        Shared {
            driver,
            dial: Arc::clone(&self.dial),
            endpoints: self.endpoints.clone(),
            role: self.role,
            uses_ring: self.uses_ring,
            clock: self.clock.clone(),
            timeout_ns: self.timeout_ns,
            board: Arc::clone(&self.board),
            journal: self.journal.clone(),
        }
    }
}

/// The few words that threads and session say to each other without a message.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// Connections that are up, over all threads.
    pub up: AtomicUsize,
    /// Threads cease to send as soon as they see it.
    pub is_halted: AtomicBool,
    /// Threads cease to send in the phase under way.
    pub is_cut_short: AtomicBool,
}

/// What an event did to a connection that was not up.
pub(crate) enum Opening {
    Pending,
    Up,
}

pub(crate) struct Links<D: Driver> {
    pub shared: Arc<Shared<D>>,
    pub all: Vec<Link<D>>,
    pub waits: Waits,
    pub scratch: Vec<u8>,
    /// Neither up nor down.
    opening: usize,
    pub up: usize,
    /// Sockets that are to be open; those behind them are to be closed.
    pub in_force: usize,
    /// Connections opened anew in this phase because they had served enough.
    pub renewed: u64,
    jitter: Rng,
}

impl<D: Driver> Links<D> {
    pub(crate) fn new(
        shared: Arc<Shared<D>>,
        connections: usize,
        flights: impl Fn() -> Flights,
    ) -> io::Result<Self> {
        let sockets = connections * shared.endpoints.len();
        Ok(Self {
            in_force: sockets,
            renewed: 0,
            jitter: Rng::for_stream(shared.clock.unix_ns(shared.clock.now_ns()), 0, 0),
            all: (0..sockets).map(|_| Link::new(flights())).collect(),
            waits: Waits::new(sockets, false)?,
            scratch: vec![0; SCRATCH_BYTES],
            opening: 0,
            up: 0,
            shared,
        })
    }

    /// Lets a ring carry the connections once they are up, where the run uses one.
    pub(crate) fn take_ring(mut self) -> io::Result<Self> {
        self.waits = Waits::new(self.all.len(), self.shared.uses_ring)?;
        Ok(self)
    }

    /// Waits for so many replies where they can be gathered, else for one, and at most `timeout_ns`.
    #[inline]
    pub(crate) fn wait(&mut self, replies: usize, timeout_ns: u64) -> io::Result<()> {
        self.waits.wait(replies, self.opening > 0, timeout_ns, &self.shared.clock)
    }

    /// The connection an event belongs to, unless its socket has been replaced meanwhile.
    #[inline]
    pub(crate) fn find(&self, ready: Ready) -> Option<usize> {
        let index = (ready.token & 0xffff_ffff) as usize;
        (self.all[index].generation == (ready.token >> 32) as u32).then_some(index)
    }

    /// Whether everything is to come to its end.
    pub(crate) fn is_halted(&self) -> bool {
        self.shared.board.is_halted.load(Ordering::Relaxed)
    }

    /// Gives up stages that take too long and tries again what is down. Tells the last thing that went wrong.
    pub(crate) fn tend(&mut self, now_ns: u64) -> Option<Fault> {
        let mut last_fault = None;
        if self.up == self.all.len() {
            return last_fault;
        }
        for index in 0..self.in_force {
            let link = &self.all[index];
            if link.is_up() || link.due_ns > now_ns {
                continue;
            }
            let fault = match link.stage {
                Stage::Down if self.opening >= MAX_OPENING => continue,
                Stage::Down => self.connect(index, now_ns).err().map(Fault::Lost),
                _ => Some(Fault::Timeout),
            };
            if fault.is_some() {
                self.close(index, now_ns);
                last_fault = fault;
            }
        }
        last_fault
    }

    /// Closes a connection that has served enough and opens it anew at once, if it is still in force.
    pub(crate) fn renew(&mut self, index: usize, now_ns: u64) {
        if index >= self.in_force {
            return self.close(index, now_ns);
        }
        self.renewed += 1;
        self.all[index].back_off_ns = 0;
        self.close(index, now_ns);
        self.all[index].is_renewed = true;
        self.all[index].back_off_ns = 0;
        if self.opening < MAX_OPENING && self.connect(index, now_ns).is_err() {
            self.close(index, now_ns);
        }
    }

    fn connect(&mut self, index: usize, now_ns: u64) -> io::Result<()> {
        let endpoints = &self.shared.endpoints;
        let socket = begin_connect(&endpoints.addresses[index % endpoints.len()])?;
        let transport = self.shared.dial.dial(socket)?;
        let link = &mut self.all[index];
        let token = link.token(index);
        self.waits.watch(transport.raw_fd(), token)?;
        link.transport = Some(transport);
        link.stage = Stage::Connecting;
        link.due_ns = now_ns + self.shared.timeout_ns;
        self.opening += 1;
        Ok(())
    }

    /// Goes on with a connection that is on its way up.
    pub(crate) fn advance(&mut self, index: usize) -> Result<Opening, Fault> {
        let shared = Arc::clone(&self.shared);
        let link = &mut self.all[index];
        let Some(transport) = &mut link.transport else { return Ok(Opening::Pending) };
        if matches!(link.stage, Stage::Connecting) {
            match transport.check_connected() {
                Err(error) if error.kind() == io::ErrorKind::NotConnected => return Ok(Opening::Pending),
                result => result?,
            }
            link.stage = Stage::Securing;
        }
        if matches!(link.stage, Stage::Securing) {
            if !transport.secure()? {
                return Ok(Opening::Pending);
            }
            link.stage = Stage::Greeting(shared.driver.greet(shared.role, &mut link.output));
            link.flush(&mut self.waits)?;
        }
        while let Some((filled, _)) =
            self.all[index].read(&mut self.waits, Source::Socket, &mut self.scratch)?
        {
            if self.greet(index, filled)? {
                self.opening -= 1;
                self.up += 1;
                self.shared.board.up.fetch_add(1, Ordering::Relaxed);
                self.adopt(index)?;
                return Ok(Opening::Up);
            }
        }
        self.all[index].flush(&mut self.waits)?;
        Ok(Opening::Pending)
    }

    /// Gives a connection that has come up to the ring, if there is one.
    fn adopt(&mut self, index: usize) -> io::Result<()> {
        let link = &mut self.all[index];
        let Some(transport) = link.transport.as_ref().filter(|_| self.waits.has_ring()) else {
            return Ok(());
        };
        let token = link.token(index);
        self.waits.adopt(transport.raw_fd(), token)?;
        link.ring_token = Some(token);
        Ok(())
    }

    fn greet(&mut self, index: usize, filled: usize) -> Result<bool, Fault> {
        let link = &mut self.all[index];
        let Stage::Greeting(greeting) = &mut link.stage else { return Ok(false) };
        let mut start = 0;
        loop {
            match greeting.advance(&self.scratch[start..filled], &mut link.output) {
                Greeted::Ready { used } if start + used == filled => break,
                Greeted::Ready { .. } => return Err(Fault::Protocol("more than was asked for".to_owned())),
                Greeted::Refused(what) => return Err(Fault::Refused(what)),
                Greeted::Broken(what) => return Err(Fault::Protocol(what)),
                Greeted::More { used } => {
                    start += used;
                    if used == 0 || start == filled {
                        link.carry_over(&self.scratch[start..filled])?;
                        link.flush(&mut self.waits)?;
                        return Ok(false);
                    }
                }
            }
        }
        link.session = greeting.session();
        link.served = 0;
        link.stage = Stage::Up;
        Ok(true)
    }

    /// Closes a connection and sets the time of the next attempt. The back-off doubles up to a second, until a request is
    /// answered: a store that takes connections and closes them again must not be asked for ever more. Half of it is drawn,
    /// so that connections that were lost together do not all come back together.
    pub(crate) fn close(&mut self, index: usize, now_ns: u64) {
        let link = &mut self.all[index];
        match link.stage {
            Stage::Up => {
                self.up -= 1;
                self.shared.board.up.fetch_sub(1, Ordering::Relaxed);
            }
            Stage::Down => {}
            _ => self.opening -= 1,
        }
        if link.ring_token.is_some() {
            self.waits.abandon(index);
        }
        link.close();
        let half_ns = link.back_off_ns / 2;
        link.due_ns = now_ns + half_ns + self.jitter.below(half_ns + 1);
        link.back_off_ns = (link.back_off_ns * 2).clamp(FIRST_BACK_OFF_NS, LAST_BACK_OFF_NS);
    }
}
