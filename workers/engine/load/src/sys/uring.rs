//! An io_uring: requests go to the kernel and replies come from it in batches, one system call for many of each.

use std::collections::HashMap;
use std::io;
use std::os::fd::RawFd;

use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, cqueue, opcode, squeue};

use super::uring_buffers::{Buffers, GROUP};
use super::{Ready, Source};

const ENTRIES: u32 = 512;
/// Room for the completions of everything that is under way on many connections; what overflows the kernel keeps.
const COMPLETIONS: u32 = 4096;
const MOST_BUFFERS: usize = 256;
/// Larger requests give their memory back once they are sent.
const KEPT_BYTES: usize = 256 * 1024;
const SECOND_NS: u64 = 1_000_000_000;

/// What a completion is of: two bits of its token, above the index of the connection.
const KIND_SHIFT: u32 = 30;
const KIND_MASK: u64 = 3 << KIND_SHIFT;
const RECEIVE: u64 = 0;
const SEND: u64 = 1 << KIND_SHIFT;
const OPENING: u64 = 2 << KIND_SHIFT;

/// Requests of one connection on their way to its socket.
#[derive(Default)]
struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
    fd: RawFd,
    /// Set while the kernel may look at `bytes`.
    token: Option<u64>,
    /// There was more to send than what is under way.
    is_behind: bool,
}

/// One ring with everything that the kernel may look at while an entry of it is under way.
///
/// Invariant: the bytes of a send stay where they are until its completion: in `outgoing`, whose bytes are not touched
/// while its `token` is set, or, once their connection is closed, in `orphans`. Moving a `Vec` does not move its bytes.
/// `drop` waits until nothing is under way, or leaks what could still be looked at.
pub(crate) struct Uring {
    ring: IoUring,
    buffers: Buffers,
    outgoing: Vec<Outgoing>,
    orphans: HashMap<u64, Vec<u8>>,
    ready: Vec<Ready>,
    /// Connections whose last send took only a part.
    unfinished: Vec<usize>,
    /// Sends handed over since the last wait: their completions come at once and are no replies.
    new_sends: usize,
    opening: RawFd,
}

impl Uring {
    /// A ring for so many connections, to be used by the calling thread alone. It tells when `opening`, the epoll of
    /// the connections that are not yet up, has something.
    ///
    /// # Errors
    /// When the kernel is older than 6.1 or the process may not have one.
    pub(crate) fn new(connections: usize, opening: RawFd) -> io::Result<Self> {
        let mut builder = IoUring::builder();
        builder.setup_cqsize(COMPLETIONS).setup_single_issuer().setup_defer_taskrun().setup_coop_taskrun();
        let ring = builder.build(ENTRIES)?;
        let count = connections.next_power_of_two().clamp(16, MOST_BUFFERS) as u16;
        let buffers = Buffers::register(&ring.submitter(), count)?;
        let mut uring = Self {
            ring,
            buffers,
            outgoing: (0..connections).map(|_| Outgoing::default()).collect(),
            orphans: HashMap::new(),
            ready: Vec::with_capacity(MOST_BUFFERS),
            unfinished: Vec::new(),
            new_sends: 0,
            opening,
        };
        uring.watch_opening()?;
        Ok(uring)
    }

    /// Lays an entry down. A queue that is full goes to the kernel first.
    ///
    /// # Safety
    /// What the entry points to must stay until its completion.
    unsafe fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: the caller's promise.
        if unsafe { self.ring.submission().push(entry) }.is_ok() {
            return Ok(());
        }
        self.ring.submit()?;
        // SAFETY: as above.
        unsafe { self.ring.submission().push(entry) }.map_err(io::Error::other)
    }

    fn watch_opening(&mut self) -> io::Result<()> {
        let poll = opcode::PollAdd::new(Fd(self.opening), libc::POLLIN as u32).multi(true).build();
        // SAFETY: points to nothing.
        unsafe { self.push(&poll.user_data(OPENING)) }
    }

    /// Delivers whatever comes over this socket from now on.
    pub(crate) fn receive_from(&mut self, fd: RawFd, token: u64) -> io::Result<()> {
        let receive = opcode::RecvMulti::new(Fd(fd), GROUP).build().user_data(token | RECEIVE);
        // SAFETY: points to nothing; the buffers of the group live as long as the ring.
        unsafe { self.push(&receive) }
    }

    /// Takes the bytes and sends them. While earlier ones are under way it takes none, and tells when they are gone.
    #[inline]
    pub(crate) fn send(&mut self, fd: RawFd, token: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let outgoing = &mut self.outgoing[index_of(token)];
        if outgoing.token.is_some() {
            outgoing.is_behind = true;
            return Ok(());
        }
        std::mem::swap(&mut outgoing.bytes, bytes);
        bytes.clear();
        (outgoing.sent, outgoing.fd, outgoing.token) = (0, fd, Some(token));
        self.push_send(index_of(token))
    }

    fn push_send(&mut self, index: usize) -> io::Result<()> {
        let Outgoing { bytes, sent, fd, token, .. } = &self.outgoing[index];
        let Some(token) = token else { return Ok(()) };
        let rest = &bytes[*sent..];
        let flags = libc::MSG_NOSIGNAL | libc::MSG_WAITALL;
        let send = opcode::Send::new(Fd(*fd), rest.as_ptr(), rest.len() as u32).flags(flags).build();
        let send = send.user_data(*token | SEND);
        self.new_sends += 1;
        // SAFETY: `token` is set, so the bytes stay until the completion.
        unsafe { self.push(&send) }
    }

    /// Hands over what was laid down and comes back.
    #[inline]
    pub(crate) fn send_now(&mut self) -> io::Result<()> {
        if self.new_sends == 0 {
            return Ok(());
        }
        match self.ring.submit() {
            // The next wait hands over what is left.
            Err(error) if !matches!(error.raw_os_error(), Some(libc::EINTR | libc::EBUSY | libc::EAGAIN)) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }

    /// The connection is closed: what the kernel still sends for it is kept until it has done so.
    pub(crate) fn abandon(&mut self, index: usize) {
        let Outgoing { bytes, token, .. } = std::mem::take(&mut self.outgoing[index]);
        if let Some(token) = token {
            self.orphans.insert(token, bytes);
        }
    }

    /// Hands over what was laid down and waits at most `timeout_ns` for replies: for one or, `batch_ns` at most, for
    /// as many as asked for. Buffers of the last wait go back to the kernel.
    pub(crate) fn wait(&mut self, replies: usize, batch_ns: u64, timeout_ns: u64) -> io::Result<()> {
        for ready in &self.ready {
            if let Source::Buffer { id, .. } = ready.source {
                self.buffers.give_back(id);
            }
        }
        self.buffers.publish();
        self.ready.clear();
        for index in std::mem::take(&mut self.unfinished) {
            self.push_send(index)?;
        }
        let want = if timeout_ns == 0 { 0 } else { replies + self.new_sends };
        self.new_sends = 0;
        self.enter(want, if replies > 1 { batch_ns.min(timeout_ns) } else { timeout_ns })?;
        self.take_completions()
    }

    /// With `want` 0 it asks without waiting.
    fn enter(&mut self, want: usize, timeout_ns: u64) -> io::Result<()> {
        let time = Timespec::new().sec(timeout_ns / SECOND_NS).nsec((timeout_ns % SECOND_NS) as u32);
        let arguments = SubmitArgs::new().timespec(&time);
        let entries = self.ring.submission().len() as u32;
        let flags = (EnterFlags::GETEVENTS | EnterFlags::EXT_ARG).bits();
        // SAFETY: `arguments` and `time` live through the call; entries were pushed under promises of their own.
        let entered = unsafe { self.ring.submitter().enter(entries, want as u32, flags, Some(&arguments)) };
        match entered {
            Ok(_) => Ok(()),
            Err(error) => match error.raw_os_error() {
                Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(()),
                _ => Err(error),
            },
        }
    }

    fn take_completions(&mut self) -> io::Result<()> {
        let Self { ring, outgoing, orphans, ready, unfinished, .. } = self;
        let mut is_watching = true;
        for completion in ring.completion() {
            let kind = completion.user_data() & KIND_MASK;
            let token = completion.user_data() & !KIND_MASK;
            match kind {
                OPENING => is_watching = cqueue::more(completion.flags()),
                SEND if orphans.remove(&token).is_some() => {}
                SEND => {
                    let index = index_of(token);
                    match outgoing[index].finish(completion.result()) {
                        Sent::Whole => {}
                        Sent::Part => unfinished.push(index),
                        Sent::Behind => ready.push(Ready { token, ..WRITABLE }),
                        Sent::Failed(errno) => ready.push(Ready { token, ..ended(errno) }),
                    }
                }
                _ => describe_receive(token, completion.result(), completion.flags(), ready),
            }
        }
        if is_watching { Ok(()) } else { self.watch_opening() }
    }

    #[inline]
    pub(crate) fn ready(&self) -> &[Ready] {
        &self.ready
    }

    /// What has come with an event, until the next wait.
    #[inline]
    pub(crate) fn bytes(&self, id: u16, len: u32) -> &[u8] {
        self.buffers.get(id, len as usize)
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        let within = Timespec::new().sec(1);
        let cancelled = self.ring.submitter().register_sync_cancel(Some(within), CancelBuilder::any());
        let is_idle = cancelled.err().is_none_or(|error| error.kind() == io::ErrorKind::NotFound);
        if !is_idle {
            self.buffers.leak();
            std::mem::forget(std::mem::take(&mut self.outgoing));
            std::mem::forget(std::mem::take(&mut self.orphans));
        }
    }
}

/// How a send came out.
enum Sent {
    Whole,
    Part,
    /// Whole, and there is more to send.
    Behind,
    Failed(i32),
}

impl Outgoing {
    #[inline]
    fn finish(&mut self, result: i32) -> Sent {
        if result < 0 {
            self.token = None;
            return Sent::Failed(-result);
        }
        self.sent += result as usize;
        if self.sent < self.bytes.len() {
            return Sent::Part;
        }
        self.token = None;
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_BYTES {
            self.bytes.shrink_to(KEPT_BYTES);
        }
        if std::mem::take(&mut self.is_behind) { Sent::Behind } else { Sent::Whole }
    }
}

const WRITABLE: Ready = Ready { token: 0, readable: false, closing: false, source: Source::Socket };

fn ended(errno: i32) -> Ready {
    Ready { token: 0, readable: true, closing: true, source: Source::Ended(errno) }
}

/// One completion of a standing order to receive. An order that has ended without the connection's end must be given
/// anew: there was no buffer, or the kernel wanted to look after others.
#[inline]
fn describe_receive(token: u64, result: i32, flags: u32, ready: &mut Vec<Ready>) {
    if result > 0 {
        if let Some(id) = cqueue::buffer_select(flags) {
            let source = Source::Buffer { id, len: result as u32 };
            ready.push(Ready { token, readable: true, closing: false, source });
        }
    } else if result != -libc::ENOBUFS {
        return ready.push(Ready { token, ..ended(-result) });
    }
    if !cqueue::more(flags) {
        ready.push(Ready { token, readable: true, closing: false, source: Source::Exhausted });
    }
}

#[inline]
fn index_of(token: u64) -> usize {
    (token & (SEND - 1)) as usize
}
