//! The system calls, and the one instruction, that no safe wrapper offers as they are needed here. The only `unsafe` of
//! the engine.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::RawFd;

mod epoll;
mod uring;
mod uring_buffers;

pub(crate) use epoll::{Epoll, ReadyList};
pub(crate) use uring::Uring;

/// What one event says about one socket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    /// The generation of the connection in the upper half, its index in the lower one.
    pub token: u64,
    pub readable: bool,
    pub closing: bool,
    pub source: Source,
}

/// Where the bytes of an event are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// To be read from the socket.
    Socket,
    /// In a buffer of the ring, until the next wait.
    Buffer { id: u16, len: u32 },
    /// Nowhere: the ring must be told to receive again.
    Exhausted,
    /// Nowhere: the peer has closed (0), or this is the error's number.
    Ended(i32),
}

/// Below so many bytes the socket does not say that it can be read.
///
/// # Errors
/// When the socket has no such mark.
pub(crate) fn set_low_water(fd: RawFd, bytes: usize) -> io::Result<()> {
    let mark = bytes as libc::c_int;
    let size = size_of_val(&mark) as libc::socklen_t;
    // SAFETY: the kernel reads `size` bytes at `mark`, which lives through the call.
    let result = unsafe {
        libc::setsockopt(
            fd,
            libc::SOL_SOCKET,
            libc::SO_RCVLOWAT,
            (&raw const mark).cast::<libc::c_void>(),
            size,
        )
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// How much has come that was not read yet; nothing where the socket does not say.
pub(crate) fn count_unread(fd: RawFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the kernel writes one number at `count`, which lives through the call.
    let result = unsafe { libc::ioctl(fd, libc::FIONREAD, &raw mut count) };
    if result < 0 { 0 } else { count.max(0) as usize }
}

/// The processor's counter, where there is one that a program may read.
#[inline]
pub(crate) fn read_ticks() -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: takes no pointer, and every x86-64 processor has the instruction.
    return Some(unsafe { std::arch::x86_64::_rdtsc() });
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Lowers the calling thread's priority, so that making reports never displaces a load thread on its core.
pub(crate) fn lower_priority() {
    // SAFETY: takes no pointer. On Linux `0` names the calling thread alone.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 10) };
}
