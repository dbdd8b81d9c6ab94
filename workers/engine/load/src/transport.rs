//! How bytes reach the target: plain sockets here, TLS in the drivers.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

use socket2::{Domain, SockAddr, Socket, Type};

/// What lies over a connected socket that does not block.
pub trait Layer: Send {
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

    /// Sends what it still holds; true once it holds nothing.
    ///
    /// # Errors
    /// When the connection fails.
    fn flush(&mut self) -> io::Result<bool>;

    fn socket(&self) -> &Socket;
}

/// One connection's way to the target. An enum and no type parameter: the loop exists once for each protocol and not
/// once more for each transport, and choosing costs nothing beside a system call.
pub enum Wire {
    /// TCP or a Unix socket as it is.
    Plain(Socket),
    Layered(Box<dyn Layer>),
}

impl Wire {
    /// A read that fills less than its buffer has emptied the socket, so no second read need ask.
    #[inline]
    pub(crate) fn short_read_means_empty(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    pub(crate) fn secure(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Layered(layer) => layer.secure(),
        }
    }

    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => (&*socket).read(buffer),
            Self::Layered(layer) => layer.read(buffer),
        }
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => (&*socket).write(bytes),
            Self::Layered(layer) => layer.write(bytes),
        }
    }

    #[inline]
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Layered(layer) => layer.flush(),
        }
    }

    fn socket(&self) -> &Socket {
        match self {
            Self::Plain(socket) => socket,
            Self::Layered(layer) => layer.socket(),
        }
    }

    pub(crate) fn raw_fd(&self) -> RawFd {
        self.socket().as_raw_fd()
    }

    /// Ends the connection while a ring still holds on to its socket.
    pub(crate) fn hang_up(&self) {
        // A socket that is no longer connected needs no end.
        let _ = self.socket().shutdown(std::net::Shutdown::Both);
    }

    /// # Errors
    /// That of the connection attempt, or `NotConnected`.
    pub(crate) fn check_connected(&self) -> io::Result<()> {
        match self.socket().take_error()? {
            Some(error) => Err(error),
            None => self.socket().peer_addr().map(drop),
        }
    }
}

/// Lays a transport over a socket.
pub trait Dial: Send + Sync + 'static {
    /// Bytes pass the socket as they are, so that a ring may carry them.
    fn is_bare(&self) -> bool;

    /// # Errors
    /// When the layer cannot be set up.
    fn dial(&self, socket: Socket) -> io::Result<Wire>;
}

/// The dial of [`Wire::Plain`].
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainDial;

impl Dial for PlainDial {
    fn is_bare(&self) -> bool {
        true
    }

    fn dial(&self, socket: Socket) -> io::Result<Wire> {
        Ok(Wire::Plain(socket))
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
