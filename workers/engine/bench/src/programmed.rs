//! A server whose every delay is known beforehand, so that what an engine says of it can be held against theory.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;

use crate::dialect::{Dialect, Heard, Talk};

/// Without spinning the server wakes this much before an answer is due and then waits without sleeping.
const EARLY: Duration = Duration::from_micros(100);
/// How long it sleeps while nothing is due.
const IDLE: Duration = Duration::from_millis(5);

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
    /// Answers that never come.
    pub freeze: Option<Freeze>,
}

/// From some time after the first operation on, operations over some connections are never answered. New connections are
/// taken and greeted all the while.
#[derive(Debug, Clone, Copy)]
pub struct Freeze {
    pub after: Duration,
    pub frozen: Frozen,
}

/// The connections that freeze.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frozen {
    /// The first whose answer falls due.
    One,
    /// Every other one.
    Half,
    All,
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

/// A server that runs until it is dropped.
pub struct Programmed {
    pub port: u16,
    /// The thread of the servers ends when nobody holds it any more.
    _wanted: Arc<()>,
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
    start_all(&[program]).map(|mut servers| servers.remove(0))
}

/// Starts servers on free ports of the loopback. One thread turns to each of them again and again: several must spin.
///
/// # Errors
/// When no port can be had.
pub fn start_all(programs: &[Program]) -> io::Result<Vec<Programmed>> {
    let mut servers: Vec<Server> =
        programs.iter().map(|&program| Server::new(program)).collect::<Result<_, _>>()?;
    let wanted = Arc::new(());
    let is_wanted = Arc::downgrade(&wanted);
    let started = servers
        .iter()
        .map(|server| Programmed {
            port: server.port,
            _wanted: Arc::clone(&wanted),
            answered_at_unix_ns: Arc::clone(&server.log),
        })
        .collect();
    thread::Builder::new().name("programmed".to_owned()).spawn(move || {
        // The default slack of 50 us would be added to every sleep.
        let _ = nix::sys::prctl::set_timerslack(1);
        while is_wanted.strong_count() > 0 {
            servers.iter_mut().for_each(Server::turn);
        }
    })?;
    Ok(started)
}

struct Client {
    stream: TcpStream,
    talk: Talk,
    input: Vec<u8>,
    output: Vec<u8>,
}

struct Server {
    program: Program,
    port: u16,
    miss: Vec<u8>,
    listener: TcpListener,
    ready: Epoll,
    /// By their number in `ready`; those that left leave a gap.
    clients: Vec<Option<Client>>,
    /// When answers are due and to whom. The service is the same for all, so they fall due in the order they came.
    due: VecDeque<(Instant, usize)>,
    begun_at: Option<Instant>,
    /// The one connection that is frozen, of a program that freezes one.
    frozen_one: Option<usize>,
    log: Arc<Mutex<Vec<u64>>>,
}

impl Server {
    const LISTENER: u64 = u64::MAX;

    fn new(program: Program) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let ready = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        ready.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, Self::LISTENER))?;
        Ok(Self {
            program,
            port: listener.local_addr()?.port(),
            miss: program.dialect.miss(),
            listener,
            ready,
            clients: Vec::new(),
            due: VecDeque::new(),
            begun_at: None,
            frozen_one: None,
            log: Arc::default(),
        })
    }

    fn turn(&mut self) {
        if let Some(until) = self.begun_at.and_then(|at| self.program.stalled_until(at, Instant::now())) {
            if !self.program.spins {
                thread::sleep(until - Instant::now());
            }
            return;
        }
        if !self.program.spins {
            self.sleep();
        }
        let mut events = [EpollEvent::empty(); 64];
        let count = self.ready.wait(&mut events, EpollTimeout::ZERO).unwrap_or(0);
        for event in &events[..count] {
            match event.data() {
                Self::LISTENER => self.accept(),
                number => self.take_in(number as usize),
            }
        }
        self.answer();
    }

    /// Sleeps until something comes in or an answer is almost due.
    fn sleep(&self) {
        let left = match self.due.front() {
            Some((due, _)) => due.saturating_duration_since(Instant::now() + EARLY),
            None => IDLE,
        };
        let mut source = [PollFd::new(self.ready.0.as_fd(), PollFlags::POLLIN)];
        let _ = ppoll(&mut source, Some(TimeSpec::from_duration(left)), None);
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let number = self.clients.len();
            let event = EpollEvent::new(EpollFlags::EPOLLIN, number as u64);
            let is_ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok();
            if !is_ready || self.ready.add(&stream, event).is_err() {
                continue;
            }
            let output = self.program.dialect.first_words();
            self.clients.push(Some(Client { stream, talk: Talk::at(self.port), input: Vec::new(), output }));
            self.send(number);
        }
    }

    fn take_in(&mut self, number: usize) {
        let Some(client) = self.clients[number].as_mut() else { return };
        let mut bytes = [0; 16 * 1024];
        let is_gone = match client.stream.read(&mut bytes) {
            Ok(0) => true,
            Ok(count) => {
                client.input.extend_from_slice(&bytes[..count]);
                false
            }
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        if is_gone {
            self.clients[number] = None;
            return;
        }
        let now = Instant::now();
        let mut start = 0;
        while let Some(found) = self.program.dialect.find_request(&mut client.talk, &client.input[start..]) {
            start += found.used;
            match found.heard {
                Heard::Greeting(answer) => client.output.extend_from_slice(&answer),
                Heard::Operation => {
                    self.begun_at.get_or_insert(now);
                    self.due.push_back((now + self.program.service, number));
                }
            }
        }
        client.input.drain(..start);
        self.send(number);
    }

    fn is_frozen(&mut self, number: usize, now: Instant) -> bool {
        let (Some(freeze), Some(begun_at)) = (self.program.freeze, self.begun_at) else { return false };
        let is_begun = now >= begun_at + freeze.after;
        is_begun
            && match freeze.frozen {
                Frozen::One => *self.frozen_one.get_or_insert(number) == number,
                Frozen::Half => number.is_multiple_of(2),
                Frozen::All => true,
            }
    }

    /// Sends what is due, to each client in one piece.
    fn answer(&mut self) {
        let Some(&(first_due, _)) = self.due.front() else { return };
        let now = Instant::now();
        if first_due > now {
            return;
        }
        let mut answered: Vec<usize> = Vec::new();
        while let Some(&(_, number)) = self.due.front().filter(|(due, _)| *due <= now) {
            self.due.pop_front();
            if self.is_frozen(number, now) {
                continue;
            }
            if let Some(client) = self.clients[number].as_mut() {
                if client.output.is_empty() {
                    answered.push(number);
                }
                client.output.extend_from_slice(&self.miss);
                let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                self.log.lock().unwrap_or_else(PoisonError::into_inner).push(now_ns as u64);
            }
        }
        answered.into_iter().for_each(|number| self.send(number));
    }

    /// Answers are a few bytes: a socket that does not take them belongs to nobody any more.
    fn send(&mut self, number: usize) {
        let Some(client) = self.clients[number].as_mut() else { return };
        if client.output.is_empty() {
            return;
        }
        if client.stream.write_all(&client.output).is_err() {
            self.clients[number] = None;
        } else {
            client.output.clear();
        }
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
            freeze: None,
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
