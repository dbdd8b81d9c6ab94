//! The limit of any client: epoll, send, recv and nothing else. The requests are the engine's, byte for byte, with
//! keys drawn at random; replies are counted by their bytes, which are known beforehand, and never looked at.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use clap::Parser;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

const KEY_BYTES: usize = 16;
const SCRATCH_BYTES: usize = 128 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Store {
    Memcached,
    Redis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Get,
    Set,
    MultiGet,
}

#[derive(Debug, Parser)]
struct Arguments {
    store: Store,
    port: u16,
    kind: Kind,
    #[arg(long, default_value_t = 100)]
    value_size: usize,
    #[arg(long, default_value_t = 50)]
    connections: usize,
    #[arg(long, default_value_t = 1)]
    pipeline: usize,
    #[arg(long, default_value_t = 1)]
    keys_per_request: usize,
    #[arg(long, default_value_t = 100_000)]
    keys: u64,
    #[arg(long)]
    requests: u64,
}

/// One batch of requests with the places of its keys, and the bytes that come back for it.
struct Batch {
    bytes: Vec<u8>,
    keys_at: Vec<usize>,
    reply_bytes: usize,
}

impl Batch {
    fn new(arguments: &Arguments) -> Self {
        let mut batch = Self { bytes: Vec::new(), keys_at: Vec::new(), reply_bytes: 0 };
        for _ in 0..arguments.pipeline {
            match arguments.store {
                Store::Memcached => batch.append_memcached(arguments),
                Store::Redis => batch.append_redis(arguments),
            }
        }
        batch
    }

    fn say(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn key(&mut self) {
        self.keys_at.push(self.bytes.len());
        self.say("k000000000000000");
    }

    fn append_memcached(&mut self, arguments: &Arguments) {
        let size = arguments.value_size;
        let value_reply = format!("VALUE k000000000000000 0 {size}\r\n").len() + size + 2;
        if arguments.kind == Kind::Set {
            self.say("set ");
            self.key();
            self.say(&format!(" 0 0 {size}\r\n{}\r\n", "x".repeat(size)));
            self.reply_bytes += "STORED\r\n".len();
            return;
        }
        self.say("get");
        for _ in 0..arguments.keys_per_request {
            self.say(" ");
            self.key();
        }
        self.say("\r\n");
        self.reply_bytes += value_reply * arguments.keys_per_request + "END\r\n".len();
    }

    fn append_redis(&mut self, arguments: &Arguments) {
        let (size, count) = (arguments.value_size, arguments.keys_per_request);
        let value_reply = format!("${size}\r\n").len() + size + 2;
        match arguments.kind {
            Kind::Set => self.say("*3\r\n$3\r\nSET\r\n"),
            Kind::Get => self.say("*2\r\n$3\r\nGET\r\n"),
            Kind::MultiGet => self.say(&format!("*{}\r\n$4\r\nMGET\r\n", count + 1)),
        }
        for _ in 0..count {
            self.say("$16\r\n");
            self.key();
            self.say("\r\n");
        }
        self.reply_bytes += match arguments.kind {
            Kind::Set => "+OK\r\n".len(),
            Kind::Get => value_reply,
            Kind::MultiGet => value_reply * count + format!("*{count}\r\n").len(),
        };
        if arguments.kind == Kind::Set {
            self.say(&format!("${size}\r\n{}\r\n", "x".repeat(size)));
        }
    }
}

struct Loop {
    batch: Batch,
    keys: u64,
    state: u64,
    scratch: Vec<u8>,
    links: Vec<(TcpStream, usize)>,
}

impl Loop {
    fn draw_key(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % self.keys
    }

    fn send(&mut self, index: usize) -> io::Result<()> {
        for at in 0..self.batch.keys_at.len() {
            let mut rest = self.draw_key();
            let start = self.batch.keys_at[at];
            for digit in self.batch.bytes[start + 1..start + KEY_BYTES].iter_mut().rev().take(6) {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
        let (stream, awaited) = &mut self.links[index];
        *awaited = self.batch.reply_bytes;
        stream.write_all(&self.batch.bytes)
    }

    /// True when the whole batch has been answered.
    fn receive(&mut self, index: usize) -> io::Result<bool> {
        let (stream, awaited) = &mut self.links[index];
        match stream.read(&mut self.scratch) {
            Ok(count) if count > 0 && count <= *awaited => *awaited -= count,
            Ok(_) => return Err(io::Error::other("the store answers otherwise than a full cache would")),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(*awaited == 0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let batch = Batch::new(&arguments);
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    let mut links = Vec::new();
    for index in 0..arguments.connections {
        let stream = TcpStream::connect(("127.0.0.1", arguments.port))?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLET;
        epoll.add(&stream, EpollEvent::new(flags, index as u64))?;
        links.push((stream, 0));
    }
    let mut bare = Loop {
        batch,
        keys: arguments.keys,
        state: 88_172_645_463_325_252,
        scratch: vec![0; SCRATCH_BYTES],
        links,
    };
    let mut left = arguments.requests / arguments.pipeline as u64;
    let mut under_way = 0;
    for index in 0..bare.links.len() {
        bare.send(index)?;
        (left, under_way) = (left.saturating_sub(1), under_way + 1);
    }
    let mut events = [EpollEvent::empty(); 256];
    while under_way > 0 {
        let count = epoll.wait(&mut events, EpollTimeout::NONE)?;
        for event in &events[..count] {
            let index = event.data() as usize;
            if !bare.receive(index)? {
                continue;
            }
            if left == 0 {
                under_way -= 1;
                continue;
            }
            bare.send(index)?;
            left -= 1;
        }
    }
    Ok(())
}
