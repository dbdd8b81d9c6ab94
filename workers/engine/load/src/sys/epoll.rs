//! epoll with waits in nanoseconds (`epoll_pwait2`): an open loop at 10,000/s has its arrivals 100 us apart, and
//! the millisecond time-outs of the wrappers would make every second one late.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Ready, Source};

/// The peer has closed or reset: read on until that is seen, no further event will tell.
const CLOSING: u32 = (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32;
const READABLE: u32 = libc::EPOLLIN as u32 | CLOSING;

/// Set once a kernel older than 5.11 has refused `epoll_pwait2`.
static MILLISECONDS_ONLY: AtomicBool = AtomicBool::new(false);

/// Room for the events of one wait.
pub(crate) struct ReadyList {
    events: Vec<libc::epoll_event>,
    len: usize,
}

impl ReadyList {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { events: vec![libc::epoll_event { events: 0, u64: 0 }; capacity], len: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, index: usize) -> Ready {
        let event = self.events[index];
        let flags = event.events;
        Ready {
            token: event.u64,
            readable: flags & READABLE != 0,
            closing: flags & CLOSING != 0,
            source: Source::Socket,
        }
    }
}

/// An epoll instance.
pub(crate) struct Epoll {
    fd: OwnedFd,
}

impl Epoll {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: takes no pointer; a non-negative result is a descriptor that nothing else owns.
        let fd = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: as above.
        Ok(Self { fd: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// Registers once for both directions, edge-triggered, so that no request needs an `epoll_ctl`.
    pub(crate) fn watch(&self, fd: RawFd, token: u64) -> io::Result<()> {
        let interest = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        let mut event = libc::epoll_event { events: interest as u32, u64: token };
        // SAFETY: `event` lives through the call, and the kernel copies it.
        let result = unsafe { libc::epoll_ctl(self.fd.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Leaves the socket to another loop.
    pub(crate) fn forget(&self, fd: RawFd) -> io::Result<()> {
        // SAFETY: the kernel takes no event for this call.
        let result =
            unsafe { libc::epoll_ctl(self.fd.as_raw_fd(), libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    pub(crate) fn raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Waits at most `timeout_ns`; an interruption by a signal is an empty list.
    pub(crate) fn wait(&self, ready: &mut ReadyList, timeout_ns: u64) -> io::Result<()> {
        ready.len = 0;
        let count = if MILLISECONDS_ONLY.load(Ordering::Relaxed) {
            self.wait_ms(ready, timeout_ns)
        } else {
            self.wait_ns(ready, timeout_ns)
        };
        if count >= 0 {
            ready.len = count as usize;
            return Ok(());
        }
        match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENOSYS) => {
                MILLISECONDS_ONLY.store(true, Ordering::Relaxed);
                Ok(())
            }
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        }
    }

    fn wait_ns(&self, ready: &mut ReadyList, timeout_ns: u64) -> libc::c_long {
        let timeout = libc::timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (timeout_ns % 1_000_000_000) as libc::c_long,
        };
        let events = ready.events.as_mut_ptr();
        let capacity = ready.events.len();
        let no_mask = std::ptr::null::<libc::sigset_t>();
        // SAFETY: the kernel writes at most `capacity` events into a buffer of that many, and reads `timeout`.
        unsafe {
            let fd = self.fd.as_raw_fd();
            libc::syscall(libc::SYS_epoll_pwait2, fd, events, capacity, &raw const timeout, no_mask, 8usize)
        }
    }

    /// Rounds down: a wait that ends early is repeated, one that ends late delays an arrival.
    fn wait_ms(&self, ready: &mut ReadyList, timeout_ns: u64) -> libc::c_long {
        let timeout_ms = (timeout_ns / 1_000_000).min(1000) as libc::c_int;
        let events = ready.events.as_mut_ptr();
        let capacity = ready.events.len() as libc::c_int;
        // SAFETY: as in `wait_ns`.
        unsafe { libc::epoll_wait(self.fd.as_raw_fd(), events, capacity, timeout_ms).into() }
    }
}
