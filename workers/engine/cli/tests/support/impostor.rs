//! A server that speaks memcached and does with each get or set what a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What comes back for a request.
pub enum Answer {
    Miss,
    Bytes(Vec<u8>),
    /// The same in pieces of 7 bytes, each a packet of its own.
    Pieces(Vec<u8>),
    Silence,
    Close,
}

/// Runs until the test's process ends.
pub struct Impostor {
    pub port: u16,
    /// The keys of all gets, and the lines of all sets, in the order they came in.
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Impostor {
    /// `answer` gets the number of the request, counted over all connections.
    pub fn start(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let record = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, record) = (Arc::clone(&answer), Arc::clone(&record));
                thread::spawn(move || serve(stream.unwrap(), &*answer, &record));
            }
        });
        Self { port, asked }
    }

    /// Every get takes 1 ms, except that everything stands still for `stall` from `at` after the first get on.
    pub fn stalling(at: Duration, stall: Duration) -> Self {
        let first = Arc::new(Mutex::new(None));
        Self::start(move |_| {
            let begin = *first.lock().unwrap().get_or_insert_with(Instant::now) + at;
            thread::sleep(Duration::from_millis(1));
            let now = Instant::now();
            if now >= begin && now < begin + stall {
                thread::sleep(begin + stall - now);
            }
            Answer::Miss
        })
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(usize) -> Answer, record: &Mutex<Vec<String>>) {
    stream.set_nodelay(true).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).map_or(true, |read| read == 0) {
            return;
        }
        let line = line.trim_end();
        if line.starts_with("set ") && reader.read_exact(&mut vec![0; value_bytes(line) + 2]).is_err() {
            return;
        }
        if line == "version" {
            writer.write_all(b"VERSION 0\r\n").unwrap();
            continue;
        }
        let number = {
            let mut asked = record.lock().unwrap();
            asked.push(line.trim_start_matches("get ").to_owned());
            asked.len() - 1
        };
        let written = match answer(number) {
            Answer::Miss => writer.write_all(b"END\r\n"),
            Answer::Bytes(bytes) => writer.write_all(&bytes),
            Answer::Pieces(bytes) => bytes.chunks(7).try_for_each(|piece| {
                thread::sleep(Duration::from_micros(100));
                writer.write_all(piece)
            }),
            Answer::Silence => Ok(()),
            Answer::Close => return,
        };
        if written.is_err() {
            return;
        }
    }
}

/// `set KEY FLAGS EXPIRY BYTES`
fn value_bytes(command: &str) -> usize {
    command.split(' ').nth(4).unwrap().parse().unwrap()
}
