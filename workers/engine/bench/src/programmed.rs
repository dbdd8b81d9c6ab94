//! A server whose every delay is known beforehand, so that what an engine says of it can be held against theory.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use crate::dialect::{Dialect, Heard, Talk};

/// Without spinning the server wakes this much before an answer is due and then waits without sleeping.
const EARLY: Duration = Duration::from_micros(100);

/// Every request takes `service`, any number at once, except that everything stands still for `stall` in the middle
/// of every `period`. The first period begins with the first request after the greetings.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    pub dialect: Dialect,
    pub service: Duration,
    pub stall: Duration,
    pub period: Duration,
    /// Never sleep, so that no waking up adds to the service.
    pub spins: bool,
}

impl Program {
    /// The response time in an open loop with constant arrivals, below which the share `quantile` of them lies, when
    /// `capacity` requests can be under way at `rate_per_s`. Of a period's arrivals those within the stall wait for
    /// its end; then `capacity` of them are served in each `service`.
    pub fn theory_s(&self, quantile: f64, rate_per_s: f64, capacity: f64) -> f64 {
        let (service, stall, period) =
            (self.service.as_secs_f64(), self.stall.as_secs_f64(), self.period.as_secs_f64());
        let slower_s = (1.0 - quantile) * period;
        if slower_s >= stall {
            return service;
        }
        let rounds_before = (slower_s * rate_per_s / capacity).floor();
        stall - slower_s + service * (1.0 + rounds_before)
    }

    /// When the stall ends that `now` lies in.
    fn stalled_until(&self, begun_at: Instant, now: Instant) -> Option<Instant> {
        let periods = (now - begun_at).as_nanos() / self.period.as_nanos().max(1);
        let begins_at = begun_at + self.period * periods as u32 + (self.period - self.stall) / 2;
        let ends_at = begins_at + self.stall;
        (now >= begins_at && now < ends_at).then_some(ends_at)
    }
}

/// A server that runs until the process ends.
pub struct Programmed {
    pub port: u16,
    answered_at_unix_ns: Arc<Mutex<Vec<u64>>>,
}

impl Programmed {
    /// When each answer left, in their order, by the machine's wall clock.
    pub fn answered_at_unix_ns(&self) -> Vec<u64> {
        self.answered_at_unix_ns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Starts the server on a free port of the loopback.
///
/// # Errors
/// When no port can be had.
pub fn start(program: Program) -> io::Result<Programmed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    // The default slack of 50 us would be added to every sleep.
    let answered_at_unix_ns = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&answered_at_unix_ns);
    let miss = program.dialect.miss();
    let mut server = Server { program, port, miss, listener, clients: Vec::new(), begun_at: None, log };
    thread::Builder::new().name("programmed".to_owned()).spawn(move || {
        let _ = nix::sys::prctl::set_timerslack(1);
        loop {
            server.turn();
        }
    })?;
    Ok(Programmed { port, answered_at_unix_ns })
}

struct Client {
    stream: TcpStream,
    talk: Talk,
    input: Vec<u8>,
    output: Vec<u8>,
    /// When the answers are due, in the order of their requests.
    due: VecDeque<Instant>,
    is_gone: bool,
}

struct Server {
    program: Program,
    port: u16,
    miss: Vec<u8>,
    listener: TcpListener,
    clients: Vec<Client>,
    begun_at: Option<Instant>,
    log: Arc<Mutex<Vec<u64>>>,
}

impl Server {
    fn turn(&mut self) {
        let ready = self.wait();
        if let Some(until) = self.begun_at.and_then(|at| self.program.stalled_until(at, Instant::now())) {
            thread::sleep(until - Instant::now());
        }
        // New clients stand behind those that were asked about.
        while let Ok((stream, _)) = self.listener.accept() {
            let is_ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok();
            self.clients.push(Client {
                stream,
                talk: Talk::at(self.port),
                input: Vec::new(),
                output: self.program.dialect.first_words(),
                due: VecDeque::new(),
                is_gone: !is_ready,
            });
        }
        for (index, client) in self.clients.iter_mut().enumerate() {
            if ready.get(index).is_none_or(|&is_ready| is_ready) {
                client.take_in(&self.program, &mut self.begun_at);
            }
            let answers = client.answer(&self.miss);
            if answers > 0 {
                let now_ns =
                    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
                let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
                log.extend(std::iter::repeat_n(now_ns, answers));
            }
        }
        self.clients.retain(|client| !client.is_gone);
    }

    /// Until something comes in or an answer is almost due. Says of which clients something came in.
    fn wait(&self) -> Vec<bool> {
        let first_due = self.clients.iter().filter_map(|client| client.due.front()).min();
        let left = first_due.map(|due| due.saturating_duration_since(Instant::now() + EARLY));
        let longest =
            if self.program.spins { Duration::ZERO } else { left.unwrap_or(Duration::from_millis(5)) };
        let mut sources: Vec<PollFd<'_>> =
            self.clients.iter().map(|client| PollFd::new(client.stream.as_fd(), PollFlags::POLLIN)).collect();
        sources.push(PollFd::new(self.listener.as_fd(), PollFlags::POLLIN));
        let _ = ppoll(&mut sources, Some(TimeSpec::from_duration(longest)), None);
        sources.iter().take(self.clients.len()).map(|source| source.any().unwrap_or(true)).collect()
    }
}

impl Client {
    fn take_in(&mut self, program: &Program, begun_at: &mut Option<Instant>) {
        let mut bytes = [0; 16 * 1024];
        match self.stream.read(&mut bytes) {
            Ok(0) => self.is_gone = true,
            Ok(count) => self.input.extend_from_slice(&bytes[..count]),
            Err(error) => self.is_gone = error.kind() != io::ErrorKind::WouldBlock,
        }
        let now = Instant::now();
        let mut start = 0;
        while let Some(found) = program.dialect.find_request(&mut self.talk, &self.input[start..]) {
            start += found.used;
            match found.heard {
                Heard::Greeting(answer) => self.output.extend_from_slice(&answer),
                Heard::Operation => {
                    begun_at.get_or_insert(now);
                    self.due.push_back(now + program.service);
                }
            }
        }
        self.input.drain(..start);
    }

    /// Sends what is due in one piece, and says how many answers that were. Answers are a few bytes: a socket that does
    /// not take them belongs to nobody any more.
    fn answer(&mut self, miss: &[u8]) -> usize {
        let now = Instant::now();
        let before = self.due.len();
        while self.due.front().is_some_and(|&due| due <= now) {
            self.due.pop_front();
            self.output.extend_from_slice(miss);
        }
        if !self.output.is_empty() {
            self.is_gone |= self.stream.write_all(&self.output).is_err();
            self.output.clear();
        }
        before - self.due.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_theory_of_one_second_in_ten_is_the_textbook_one() {
        let program = Program {
            dialect: Dialect::Redis,
            service: Duration::from_millis(1),
            stall: Duration::from_secs(1),
            period: Duration::from_secs(10),
            spins: false,
        };
        let theory = |quantile| program.theory_s(quantile, 2000.0, 1e9);
        for (quantile, expected_s) in
            [(0.5, 0.001), (0.95, 0.501), (0.99, 0.901), (0.999, 0.991), (1.0, 1.001)]
        {
            assert!((theory(quantile) - expected_s).abs() < 1e-9, "{quantile}: {}", theory(quantile));
        }
        // 1000 arrivals came before the one at p95; with room for 100 they take ten more rounds of 1 ms.
        assert!((program.theory_s(0.95, 2000.0, 100.0) - 0.511).abs() < 0.0011);
    }
}
