//! What the way from a client to the programmed server and back takes on this machine.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

use crate::dialect::Dialect;
use crate::programmed::{Program, start};

const ROUND_TRIPS: u32 = 400;
const QUESTION: &[u8] = b"get k000000000000042\r\n";

/// The median of what clients that only send and receive see beyond the service, so many of them on a core of their own:
/// system calls, the network of the loopback, and the waking up of both sides. A core that several keep awake wakes sooner.
///
/// # Errors
/// When the core or a port cannot be had.
pub fn measure_path(service: Duration, client_core: usize, clients: u32) -> io::Result<Duration> {
    let program = Program {
        dialect: Dialect::Memcached,
        service,
        stall: Duration::ZERO,
        period: Duration::from_secs(3600),
        spins: true,
        freeze: None,
    };
    let server = start(program)?;
    let port = server.port;
    let client = |number| {
        thread::spawn(move || -> io::Result<Vec<Duration>> {
            let mut cores = CpuSet::new();
            cores.set(client_core)?;
            sched_setaffinity(Pid::from_raw(0), &cores)?;
            let apart = service + service / 4;
            thread::sleep(apart * number / clients);
            make_round_trips(TcpStream::connect(("127.0.0.1", port))?, apart)
        })
    };
    let all: Vec<_> = (0..clients).map(client).collect();
    let mut seen = Vec::new();
    for client in all {
        seen.extend(client.join().map_err(|_| io::Error::other("a client has panicked"))??);
    }
    seen.sort_unstable();
    Ok(seen[seen.len() / 2].saturating_sub(service))
}

/// As far apart as a load would be that is not stopped by what it waits for.
fn make_round_trips(mut stream: TcpStream, apart: Duration) -> io::Result<Vec<Duration>> {
    stream.set_nodelay(true)?;
    let (begun_at, mut answer) = (Instant::now(), Dialect::Memcached.miss());
    let round_trip = |number| {
        thread::sleep((begun_at + apart * number).saturating_duration_since(Instant::now()));
        let sent_at = Instant::now();
        stream.write_all(QUESTION)?;
        stream.read_exact(&mut answer)?;
        Ok(sent_at.elapsed())
    };
    (0..ROUND_TRIPS).map(round_trip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other work on these cores can only add to a time, so one time without it is enough.
    const ATTEMPTS: usize = 5;

    #[test]
    fn the_way_is_longer_than_nothing_and_does_not_hold_the_service() {
        let service = Duration::from_millis(3);
        let mut found = Vec::new();
        while found.len() < ATTEMPTS && found.last().is_none_or(|&path| path >= service) {
            found.push(measure_path(service, 0, 2).unwrap());
        }
        assert!(found.iter().all(|&path| path > Duration::ZERO), "{found:?}");
        assert!(found.iter().any(|&path| path < service), "{found:?} hold the service");
    }
}
