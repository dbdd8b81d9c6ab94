//! Finding the target: names to addresses, and whether anything listens there.

use std::io;
use std::net::ToSocketAddrs;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use loadstone_spec::plan::{Address, TcpAddress};
use socket2::{SockAddr, Socket, Type};

/// How often the wish to stop is looked at.
const WATCH: Duration = Duration::from_millis(10);

/// [`find_address`] on a thread of its own, since names and silent addresses can take long and cannot be broken off.
/// Nothing when `is_unwanted` said so meanwhile; the thread is then left to itself.
///
/// # Errors
/// As [`find_address`].
pub(crate) fn find_address_unless(
    address: &Address,
    timeout: Duration,
    is_unwanted: impl Fn() -> bool,
) -> io::Result<Option<SockAddr>> {
    let (sender, found) = channel();
    let address = address.clone();
    Builder::new().name("reach".to_owned()).spawn(move || {
        // Nobody listens any more when the answer is no longer wanted.
        let _ = sender.send(find_address(&address, timeout));
    })?;
    loop {
        match found.recv_timeout(WATCH) {
            Ok(result) => return result.map(Some),
            Err(RecvTimeoutError::Timeout) if is_unwanted() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the search for the address broke off"));
            }
        }
    }
}

/// The first of the target's addresses that accepts a connection.
///
/// # Errors
/// The last failure, when none does within `timeout`.
fn find_address(address: &Address, timeout: Duration) -> io::Result<SockAddr> {
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
