//! One connection: where it stands, what it still has to send, what it waits for.

use std::io;

use loadstone_spec::events::ErrorClass;

use crate::driver::Driver;
use crate::flights::Flights;
use crate::sys::Source;
use crate::transport::Wire;
use crate::waits::Waits;

/// No further request is laid into the output while this much of it is unsent.
const MAX_UNSENT_BYTES: usize = 64 * 1024;
/// Larger outputs give their memory back once they are sent.
const KEPT_OUTPUT_BYTES: usize = 256 * 1024;
/// Pieces of a line that wait for the rest. Drivers refuse longer lines themselves; this is the last resort.
pub(crate) const MAX_CARRY_BYTES: usize = 16 * 1024;

/// Why a connection must be replaced.
#[derive(Debug)]
pub(crate) enum Fault {
    Lost(io::Error),
    /// An answer that is not of this protocol, or one that nobody asked for.
    Protocol(String),
    /// The greeting was refused.
    Refused(String),
    Timeout,
}

impl Fault {
    /// Whether trying again would only be told the same.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Refused(_) | Self::Protocol(_) => true,
            // TLS says so of certificates and of peers that speak no TLS.
            Self::Lost(error) => error.kind() == io::ErrorKind::InvalidData,
            Self::Timeout => false,
        }
    }

    /// How the request that waited longest is counted; those behind it are lost with the connection.
    pub(crate) fn class(&self) -> ErrorClass {
        match self {
            Self::Lost(_) => ErrorClass::ConnectionLost,
            Self::Protocol(_) => ErrorClass::Protocol,
            Self::Refused(_) => ErrorClass::Refused,
            Self::Timeout => ErrorClass::Timeout,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Lost(error) => write!(f, "{error}"),
            Self::Protocol(what) => write!(f, "answers in another protocol: {what}"),
            Self::Refused(what) => write!(f, "{what}"),
            Self::Timeout => write!(f, "no answer in time"),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

/// What a connection is doing.
#[derive(Debug)]
pub(crate) enum Stage<G> {
    Down,
    Connecting,
    Securing,
    Greeting(G),
    Up,
}

/// One connection of a load thread. Its place in the thread stays when the socket is replaced.
pub(crate) struct Link<D: Driver> {
    pub transport: Option<Wire>,
    pub stage: Stage<D::Greeting>,
    /// Tells events of a replaced socket from those of its successor.
    pub generation: u32,
    /// Set while a ring carries the bytes.
    pub ring_token: Option<u64>,
    pub output: Vec<u8>,
    sent_bytes: usize,
    /// A layer below the protocol still holds bytes.
    is_held_back: bool,
    pub carry: Vec<u8>,
    pub reader: D::Reader,
    pub reply_bytes: u64,
    /// What the greeting has kept for the requests.
    pub session: u64,
    pub flights: Flights,
    /// Requests laid since the connection was opened.
    pub served: u32,
    /// Closed because it had served enough: whoever waits for it waits since then.
    pub is_renewed: bool,
    /// Since when a further request could have been sent.
    pub free_since_ns: u64,
    pub has_room: bool,
    /// Stands in the open loop's queue of connections with room.
    pub is_queued: bool,
    /// What a look at it has found while it was silent.
    pub unread_bytes: usize,
    /// Its mark was taken away until it speaks.
    pub is_asked_to_speak: bool,
    /// When the stage is given up, or a connection that is down is tried again.
    pub due_ns: u64,
    pub back_off_ns: u64,
    /// Something has come back over this socket.
    pub has_answered: bool,
    /// When the request left that ended without an answer and that no later one has made up for.
    pub silent_since_ns: Option<u64>,
    /// The longest wait for an answer in this phase, of those that were long.
    pub longest_silence_ns: u64,
}

impl<D: Driver> Link<D> {
    pub(crate) fn new(flights: Flights) -> Self {
        Self {
            transport: None,
            stage: Stage::Down,
            generation: 0,
            ring_token: None,
            output: Vec::new(),
            sent_bytes: 0,
            is_held_back: false,
            carry: Vec::new(),
            reader: D::Reader::default(),
            reply_bytes: 0,
            session: 0,
            flights,
            served: 0,
            is_renewed: false,
            free_since_ns: 0,
            has_room: true,
            is_queued: false,
            unread_bytes: 0,
            is_asked_to_speak: false,
            due_ns: 0,
            back_off_ns: 0,
            has_answered: false,
            silent_since_ns: None,
            longest_silence_ns: 0,
        }
    }

    /// What its events are told by.
    pub(crate) fn token(&self, index: usize) -> u64 {
        (u64::from(self.generation) << 32) | index as u64
    }

    #[inline]
    pub(crate) fn is_up(&self) -> bool {
        matches!(self.stage, Stage::Up)
    }

    /// Whether one more request may be sent now.
    #[inline]
    pub(crate) fn takes_more(&self, pipeline: usize, per_connection: u32) -> bool {
        self.flights.len() < pipeline
            && self.served < per_connection
            && self.output.len() - self.sent_bytes < MAX_UNSENT_BYTES
    }

    #[inline]
    pub(crate) fn has_unsent(&self) -> bool {
        self.sent_bytes < self.output.len() || self.is_held_back
    }

    /// Sends what it can; the rest goes out when the socket takes more.
    #[inline]
    pub(crate) fn flush(&mut self, waits: &mut Waits) -> io::Result<()> {
        let Some(transport) = &mut self.transport else { return Ok(()) };
        if let Some(token) = self.ring_token {
            let has_some = !self.output.is_empty();
            return if has_some { waits.send(transport.raw_fd(), token, &mut self.output) } else { Ok(()) };
        }
        while self.sent_bytes < self.output.len() {
            match transport.write(&self.output[self.sent_bytes..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.sent_bytes += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.is_held_back = !transport.flush()?;
        if self.sent_bytes == self.output.len() {
            self.sent_bytes = 0;
            self.output.clear();
            if self.output.capacity() > KEPT_OUTPUT_BYTES {
                self.output.shrink_to(KEPT_OUTPUT_BYTES);
            }
        }
        Ok(())
    }

    /// What an event has brought, behind what was carried over. `None` when there is nothing to read; else how much of `scratch`
    /// is filled, and whether the socket may hold more.
    #[inline]
    pub(crate) fn read(
        &mut self,
        waits: &mut Waits,
        source: Source,
        scratch: &mut [u8],
    ) -> io::Result<Option<(usize, bool)>> {
        match source {
            Source::Socket => self.read_socket(scratch),
            Source::Ended(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Source::Ended(errno) => Err(io::Error::from_raw_os_error(errno)),
            Source::Exhausted => {
                let (Some(transport), Some(token)) = (&self.transport, self.ring_token) else {
                    return Ok(None);
                };
                waits.receive_from(transport.raw_fd(), token).map(|()| None)
            }
            Source::Buffer { id, len } => {
                let (bytes, kept) = (waits.bytes(id, len), self.carry.len());
                scratch[..kept].copy_from_slice(&self.carry);
                scratch[kept..kept + bytes.len()].copy_from_slice(bytes);
                self.carry.clear();
                Ok(Some((kept + bytes.len(), false)))
            }
        }
    }

    #[inline]
    fn read_socket(&mut self, scratch: &mut [u8]) -> io::Result<Option<(usize, bool)>> {
        let Some(transport) = &mut self.transport else { return Ok(None) };
        let kept = self.carry.len();
        scratch[..kept].copy_from_slice(&self.carry);
        let room = scratch.len() - kept;
        let is_drained = transport.short_read_means_empty();
        loop {
            return match transport.read(&mut scratch[kept..]) {
                Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.carry.clear();
                    Ok(Some((kept + count, !is_drained || count == room)))
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
        }
    }

    /// Keeps a piece of a line for the next read.
    #[inline]
    pub(crate) fn carry_over(&mut self, rest: &[u8]) -> Result<(), Fault> {
        if rest.len() > MAX_CARRY_BYTES {
            return Err(Fault::Protocol("a line that does not end".to_owned()));
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Closes the socket and forgets everything about it but the requests under way.
    pub(crate) fn close(&mut self) {
        if let (Some(transport), Some(_)) = (&self.transport, self.ring_token.take()) {
            transport.hang_up();
        }
        self.transport = None;
        self.stage = Stage::Down;
        self.generation = self.generation.wrapping_add(1);
        self.output.clear();
        self.sent_bytes = 0;
        self.is_held_back = false;
        self.carry.clear();
        self.reader = D::Reader::default();
        self.reply_bytes = 0;
        self.served = 0;
        self.is_renewed = false;
        self.has_answered = false;
        self.is_asked_to_speak = false;
        self.has_room = true;
    }
}
