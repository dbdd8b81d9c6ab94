//! A Memlink server of our own, written from what is known of the protocol: tables, lists, two ports.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

const ITEM_ATTRIBUTES: [u8; 2] = [0x85, 0x02];

#[derive(Default)]
struct State {
    tables: HashMap<Vec<u8>, usize>,
    lists: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

pub struct Memlink {
    pub read_port: u16,
    pub write_port: u16,
    state: Arc<Mutex<State>>,
}

impl Memlink {
    pub fn start(has_tables: bool) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let [read_port, write_port] = [false, true].map(|writes| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let state = Arc::clone(&state);
            thread::spawn(move || {
                for stream in listener.incoming() {
                    let state = Arc::clone(&state);
                    thread::spawn(move || serve(stream.unwrap(), &state, has_tables, writes));
                }
            });
            port
        });
        Self { read_port, write_port, state }
    }

    pub fn entries(&self) -> usize {
        self.state.lock().unwrap().lists.values().map(Vec::len).sum()
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>, has_tables: bool, writes: bool) {
    let mut input = Vec::new();
    let mut bytes = [0; 4096];
    stream.set_nodelay(true).unwrap();
    while let Ok(count @ 1..) = stream.read(&mut bytes) {
        input.extend_from_slice(&bytes[..count]);
        let mut reply = None;
        // The real one has one reply buffer for a connection: of requests that come together one is answered.
        while let Some(len) = input.first_chunk::<4>().map(|head| u32::from_le_bytes(*head) as usize + 4) {
            if input.len() < len {
                break;
            }
            let request: Vec<u8> = input.drain(..len).skip(4).collect();
            reply = Some(answer(&request, &mut state.lock().unwrap(), has_tables, writes));
        }
        if let Some((code, payload)) = reply {
            let mut out = (payload.len() as u32 + 2).to_le_bytes().to_vec();
            out.extend_from_slice(&i16::to_le_bytes(code));
            out.extend_from_slice(&payload);
            if stream.write_all(&out).is_err() {
                return;
            }
        }
    }
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take(&mut self, len: usize) -> Vec<u8> {
        let (head, tail) = self.0.split_at(len);
        self.0 = tail;
        head.to_vec()
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn int(&mut self) -> i32 {
        i32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn text(&mut self, is_terminated: bool) -> Vec<u8> {
        if !is_terminated {
            let len = self.byte();
            return self.take(len.into());
        }
        let len = self.0.iter().position(|&byte| byte == 0).unwrap();
        let text = self.take(len);
        self.take(1);
        text
    }

    fn attributes(&mut self) -> usize {
        let count = self.byte();
        self.take(4 * usize::from(count));
        count.into()
    }
}

fn answer(request: &[u8], state: &mut State, has_tables: bool, writes: bool) -> (i16, Vec<u8>) {
    let mut fields = Fields(&request[1..]);
    let (insert, range, count) = if has_tables { (8, 12, 14) } else { (6, 10, 12) };
    let is_write = request[0] == 4 || request[0] == insert;
    if is_write != writes {
        return (-13, Vec::new());
    }
    match request[0] {
        20 => (0, Vec::new()),
        4 => {
            let name = fields.text(has_tables);
            let size = fields.byte();
            assert_eq!((fields.attributes(), fields.byte()), (3, 1));
            let exists = if has_tables { -53 } else { -15 };
            if state.tables.insert(name, size.into()).is_some() {
                (exists, Vec::new())
            } else {
                (0, Vec::new())
            }
        }
        command if command == insert => {
            let mut key = fields.text(has_tables);
            let table = key.clone();
            if has_tables {
                key.extend(fields.text(true));
            }
            let Some(&size) = state.tables.get(&table) else { return (-14, Vec::new()) };
            let len = fields.byte();
            let mut value = fields.take(len.into());
            value.resize(size, 0);
            assert_eq!(fields.attributes(), 3);
            let list = state.lists.entry(key).or_default();
            let place = if fields.int() == 0 { 0 } else { list.len() };
            list.insert(place, value);
            (0, Vec::new())
        }
        command if command == range || command == count => {
            let mut key = fields.text(has_tables);
            let size = state.tables.get(&key).copied();
            if has_tables {
                key.extend(fields.text(true));
            }
            let (Some(size), Some(list)) = (size, state.lists.get(&key)) else { return (-14, Vec::new()) };
            if command == count {
                return (0, [(list.len() as i32).to_le_bytes(), [0; 4]].concat());
            }
            fields.byte();
            fields.attributes();
            let (from, most) = (fields.int() as usize, fields.int() as usize);
            let mut payload = vec![size as u8, ITEM_ATTRIBUTES.len() as u8, 3, 4, 3, 1];
            let chosen: Vec<&Vec<u8>> = list.iter().skip(from).take(most).collect();
            chosen.iter().for_each(|value| payload.extend([&value[..], &ITEM_ATTRIBUTES].concat()));
            if has_tables {
                payload.extend_from_slice(&(chosen.len() as i32).to_le_bytes());
            }
            (0, payload)
        }
        _ => (-13, Vec::new()),
    }
}
