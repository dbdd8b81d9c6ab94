//! A server that speaks any of the protocols and now and then does what no server should.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use loadstone_bench::dialect::{Dialect, Heard, Talk};

/// What comes instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// Nothing, and the connection stays open.
    Hang,
    /// The connection is reset.
    Reset,
    /// The server says that it will say no more, and goes on listening.
    HalfClose,
    /// Bytes of no protocol.
    Garbage,
    /// The head of an answer without end.
    Oversized,
    /// The answer, and the same once more.
    Twice,
}

/// Harms one of `EVERY` operations, counted over all connections. Gives the port; runs until the test's process ends.
pub fn start(dialect: Dialect, harm: Harm) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let asked = Arc::clone(&asked);
            thread::spawn(move || serve(stream.unwrap(), dialect, harm, port, &asked));
        }
    });
    port
}

pub const EVERY: usize = 40;

fn serve(mut stream: TcpStream, dialect: Dialect, harm: Harm, port: u16, asked: &AtomicUsize) {
    stream.set_nodelay(true).unwrap();
    let mut talk = Talk::at(port);
    let (mut input, mut bytes) = (Vec::new(), [0; 4096]);
    if stream.write_all(&dialect.first_words()).is_err() {
        return;
    }
    while let Ok(count @ 1..) = stream.read(&mut bytes) {
        input.extend_from_slice(&bytes[..count]);
        while let Some(found) = dialect.find_request(&mut talk, &input) {
            input.drain(..found.used);
            let answer = match found.heard {
                Heard::Greeting(answer) => answer,
                Heard::Operation if asked.fetch_add(1, Ordering::SeqCst) % EVERY != EVERY / 2 => {
                    dialect.miss()
                }
                Heard::Operation => match harm {
                    Harm::Hang => continue,
                    Harm::Reset => {
                        let socket = socket2::SockRef::from(&stream);
                        return socket.set_linger(Some(Duration::ZERO)).unwrap();
                    }
                    Harm::HalfClose => {
                        stream.shutdown(Shutdown::Write).unwrap();
                        continue;
                    }
                    Harm::Garbage => [&[0xff; 40][..], b"\r\n"].concat(),
                    Harm::Oversized => oversized(dialect),
                    Harm::Twice => dialect.miss().repeat(2),
                },
            };
            if stream.write_all(&answer).is_err() {
                return;
            }
        }
    }
}

fn oversized(dialect: Dialect) -> Vec<u8> {
    match dialect {
        Dialect::Memcached => b"VALUE k000000000000001 0 9999999999\r\n".to_vec(),
        Dialect::MemcachedMeta => b"VA 9999999999\r\n".to_vec(),
        Dialect::MemcachedBinary => {
            let mut frame = dialect.miss();
            frame[8..12].copy_from_slice(&[0xff; 4]);
            frame
        }
        Dialect::Redis | Dialect::RedisResp3 | Dialect::RedisCluster => b"$9999999999\r\n".to_vec(),
        // A result of 2^40 columns.
        Dialect::MySql | Dialect::MySqlText => vec![9, 0, 0, 1, 0xfe, 0, 0, 0, 0, 0, 1, 0, 0],
        Dialect::Postgres | Dialect::PostgresSimple => b"D\x7f\xff\xff\xff\x00\x01".to_vec(),
        Dialect::MongoDb => {
            let mut message = dialect.miss();
            message[..4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
            message
        }
        Dialect::Memlink | Dialect::Memlink03 => vec![0xff, 0xff, 0xff, 0x7f, 0, 0],
    }
}
