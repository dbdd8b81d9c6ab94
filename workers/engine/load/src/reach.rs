//! Finding the target: names to addresses, and whether anything listens there.

use std::io;
use std::net::ToSocketAddrs;
use std::time::Duration;

use loadstone_spec::plan::{Address, TcpAddress};
use socket2::{SockAddr, Socket, Type};

/// The first of the target's addresses that accepts a connection.
///
/// # Errors
/// The last failure, when none does within `timeout`.
pub fn find_address(address: &Address, timeout: Duration) -> io::Result<SockAddr> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for candidate in resolve(address)? {
        match Socket::new(candidate.domain(), Type::STREAM, None)?.connect_timeout(&candidate, timeout) {
            Ok(()) => return Ok(candidate),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn resolve(address: &Address) -> io::Result<Vec<SockAddr>> {
    match address {
        Address::Unix(unix) => Ok(vec![SockAddr::unix(&unix.path)?]),
        Address::Tcp(TcpAddress { host, port }) => {
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            Ok((bare, *port).to_socket_addrs()?.map(SockAddr::from).collect())
        }
    }
}

/// The address as a person writes it.
pub fn name_address(address: &Address) -> String {
    match address {
        Address::Unix(unix) => unix.path.clone(),
        Address::Tcp(TcpAddress { host, port }) if host.contains(':') => format!("[{host}]:{port}"),
        Address::Tcp(TcpAddress { host, port }) => format!("{host}:{port}"),
    }
}
