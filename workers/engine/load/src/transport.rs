//! How bytes reach the target: plain sockets here, TLS in the drivers.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

use socket2::{Domain, SockAddr, Socket, Type};

/// One connected socket, not blocking, and what lies over it.
pub trait Transport: Send {
    /// A read that fills less than its buffer has emptied the socket, so no second read need ask.
    const SHORT_READ_MEANS_EMPTY: bool;
    /// Bytes pass the socket as they are, so that a ring may carry them.
    const IS_BARE: bool;

    /// Goes on with what must precede the first byte of the protocol; true once it is done.
    ///
    /// # Errors
    /// When the peer cannot be trusted or the connection fails.
    fn secure(&mut self) -> io::Result<bool>;

    /// # Errors
    /// `WouldBlock` when there is nothing to read.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Takes as many bytes as it can.
    ///
    /// # Errors
    /// `WouldBlock` when it can take none.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Sends what a layer in between still holds; true once it holds nothing.
    ///
    /// # Errors
    /// When the connection fails.
    fn flush(&mut self) -> io::Result<bool>;

    fn raw_fd(&self) -> RawFd;

    /// Ends the connection while a ring still holds on to its socket.
    fn hang_up(&self) {}

    /// The error of a connection attempt, if it failed.
    ///
    /// # Errors
    /// That error.
    fn check_connected(&self) -> io::Result<()>;
}

/// Lays a transport over a socket.
pub trait Dial: Send + Sync + 'static {
    type Transport: Transport;

    /// # Errors
    /// When the layer cannot be set up.
    fn dial(&self, socket: Socket) -> io::Result<Self::Transport>;
}

/// TCP or a Unix socket as it is.
pub struct Plain {
    socket: Socket,
}

impl Transport for Plain {
    const SHORT_READ_MEANS_EMPTY: bool = true;
    const IS_BARE: bool = true;

    fn secure(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.socket).read(buffer)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.socket).write(bytes)
    }

    #[inline]
    fn flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    fn hang_up(&self) {
        // A socket that is no longer connected needs no end.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }

    fn check_connected(&self) -> io::Result<()> {
        check_connected(&self.socket)
    }
}

/// The dial of [`Plain`].
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainDial;

impl Dial for PlainDial {
    type Transport = Plain;

    fn dial(&self, socket: Socket) -> io::Result<Plain> {
        Ok(Plain { socket })
    }
}

/// For [`Transport::check_connected`] over any socket.
///
/// # Errors
/// The pending error of the socket, or `NotConnected`.
pub fn check_connected(socket: &Socket) -> io::Result<()> {
    match socket.take_error()? {
        Some(error) => Err(error),
        None => socket.peer_addr().map(drop),
    }
}

/// Begins to connect without waiting.
///
/// # Errors
/// When the attempt fails at once.
pub(crate) fn begin_connect(address: &SockAddr) -> io::Result<Socket> {
    let socket = Socket::new(address.domain(), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    if address.domain() != Domain::UNIX {
        socket.set_tcp_nodelay(true)?;
    }
    match socket.connect(address) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(socket),
    }
}
