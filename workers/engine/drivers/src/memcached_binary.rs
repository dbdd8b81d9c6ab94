//! memcached's binary protocol: frames of a 24-byte head, extras, key and value; SASL PLAIN.

use loadstone_load::driver::{Asked, Driver, Greeted, Greeting, Role, Step};
use loadstone_spec::plan::{EnginePlan, MAX_VALUE_BYTES, OperationKind};

use crate::body::{Body, Expected};
use crate::data::Data;
use crate::tally::Tally;

const HEAD_BYTES: usize = 24;
const REQUEST: u8 = 0x80;
const RESPONSE: u8 = 0x81;
const GET: u8 = 0x00;
const SET: u8 = 0x01;
const ADD: u8 = 0x02;
const REPLACE: u8 = 0x03;
const DELETE: u8 = 0x04;
const INCREMENT: u8 = 0x05;
const NOOP: u8 = 0x0a;
const GET_KEY_QUIETLY: u8 = 0x0d;
const APPEND: u8 = 0x0e;
const SET_QUIETLY: u8 = 0x11;
const TOUCH: u8 = 0x1c;
const AUTHENTICATE: u8 = 0x21;
const NOT_FOUND: u16 = 1;
const EXISTS: u16 = 2;
const NOT_STORED: u16 = 5;
/// Keys longer than this are of no store that is well.
const MAX_KEY_BYTES: usize = 250;

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct MemcachedBinary {
    data: Data,
    credentials: Option<Vec<u8>>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    tally: Tally,
    /// The frame under way is the last one of the reply.
    is_last: bool,
}

/// The head of a frame from the store.
struct Head {
    opcode: u8,
    key_len: usize,
    extras_len: usize,
    status: u16,
    body_len: usize,
    token: u64,
}

impl Head {
    fn read(input: &[u8]) -> Option<Self> {
        let word = |at: usize| u16::from_be_bytes([input[at], input[at + 1]]);
        let head = Self {
            opcode: input[1],
            key_len: word(2).into(),
            extras_len: input[4].into(),
            status: word(6),
            body_len: u32::from_be_bytes([input[8], input[9], input[10], input[11]]) as usize,
            token: u64::from_be_bytes(input[16..24].try_into().ok()?),
        };
        let is_sound = input[0] == RESPONSE
            && head.key_len <= MAX_KEY_BYTES
            && head.body_len >= head.key_len + head.extras_len
            && head.body_len as u64 <= 2 * MAX_VALUE_BYTES;
        is_sound.then_some(head)
    }
}

fn push_head(out: &mut Vec<u8>, opcode: u8, key_len: usize, extras_len: usize, body_len: usize, token: u64) {
    out.extend_from_slice(&[REQUEST, opcode]);
    out.extend_from_slice(&(key_len as u16).to_be_bytes());
    out.extend_from_slice(&[extras_len as u8, 0, 0, 0]);
    out.extend_from_slice(&(body_len as u32).to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&token.to_be_bytes());
}

impl MemcachedBinary {
    /// Prepares the protocol for a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let target = &plan.target;
        let credentials = target.username.as_ref().zip(target.password.as_ref());
        Self {
            data: Data::new(plan),
            credentials: credentials.map(|(name, password)| format!("\0{name}\0{password}").into_bytes()),
        }
    }

    #[inline]
    fn push(&self, out: &mut Vec<u8>, opcode: u8, extras: &[u8], key: u64) {
        let key_len = self.data.keys.len_of(key);
        push_head(out, opcode, key_len, extras.len(), extras.len() + key_len, 0);
        out.extend_from_slice(extras);
        self.data.keys.append(key, out);
    }

    #[inline]
    fn push_value(&self, out: &mut Vec<u8>, opcode: u8, asked: &Asked<'_>, key: u64, token: u64) {
        let mut extras = [0; 8];
        extras[4..].copy_from_slice(&asked.shape.expire_s.to_be_bytes());
        let extras = if opcode == APPEND { &extras[..0] } else { &extras[..] };
        let key_len = self.data.keys.len_of(key);
        let id = self.data.value_id(asked.shape, key, asked.word);
        let body_len = extras.len() + key_len + self.data.values.size_bytes(id);
        push_head(out, opcode, key_len, extras.len(), body_len, token);
        out.extend_from_slice(extras);
        self.data.keys.append(key, out);
        self.data.values.append(id, out);
    }

    fn push_increment(&self, out: &mut Vec<u8>, key: u64) {
        let mut extras = [0; 20];
        extras[7] = 1;
        extras[15] = 1;
        let key_len = self.data.counters.len_of(key);
        push_head(out, INCREMENT, key_len, extras.len(), extras.len() + key_len, 0);
        out.extend_from_slice(&extras);
        self.data.counters.append(key, out);
    }

    /// Takes the head of a frame in, with its extras and key; the value follows as a body. Nothing when a piece is
    /// missing, `Err` when it is broken.
    #[inline]
    fn open_frame(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        if input.len() < HEAD_BYTES {
            return Ok(None);
        }
        let head = Head::read(input).ok_or(())?;
        let before_value = HEAD_BYTES + head.extras_len + head.key_len;
        if input.len() < before_value {
            return Ok(None);
        }
        if !fits(asked, head.opcode) {
            return Err(());
        }
        let key = &input[HEAD_BYTES + head.extras_len..before_value];
        let value_len = head.body_len - head.key_len - head.extras_len;
        reader.is_last = !is_batch(asked.shape.kind) || head.opcode == NOOP;
        reader.tally.word = head.token;
        let mut expected = Expected::Anything;
        match head.status {
            0 if head.opcode == NOOP => {}
            0 => {
                reader.tally.hits += 1;
                expected = self.expect(reader, asked, key);
            }
            NOT_FOUND | EXISTS | NOT_STORED => reader.tally.misses += 1,
            _ => reader.tally.is_refused = true,
        }
        if reader.tally.hits as usize > asked.shape.keys_per_request {
            return Err(());
        }
        reader.body.open_bare(value_len, expected, &self.data.values);
        Ok(Some(before_value))
    }

    #[inline]
    fn expect(&self, reader: &mut Reader, asked: &Asked<'_>, key: &[u8]) -> Expected {
        use OperationKind as Kind;
        match asked.shape.kind {
            _ if !self.data.verify => Expected::Anything,
            Kind::MultiGet => {
                let key = self.data.keys.parse(key).filter(|key| asked.keys.contains(key));
                reader.tally.is_wrong |= key.is_none();
                key.map_or(Expected::Anything, |key| self.data.expected(key))
            }
            Kind::Get => self.data.expected(asked.keys[0]),
            Kind::ReadModifyWrite | Kind::CompareAndSet if asked.stage == 0 => {
                self.data.expected(asked.keys[0])
            }
            _ => Expected::Anything,
        }
    }
}

fn is_batch(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::MultiGet | OperationKind::MultiSet)
}

/// Whether a frame of this kind can be part of the reply.
fn fits(asked: &Asked<'_>, opcode: u8) -> bool {
    match asked.shape.kind {
        OperationKind::MultiGet => opcode == GET_KEY_QUIETLY || opcode == NOOP,
        OperationKind::MultiSet => opcode == SET_QUIETLY || opcode == NOOP,
        kind => opcode == opcode_of(kind, asked.stage),
    }
}

fn opcode_of(kind: OperationKind, stage: u8) -> u8 {
    use OperationKind as Kind;
    match kind {
        Kind::Get => GET,
        Kind::ReadModifyWrite | Kind::CompareAndSet if stage == 0 => GET,
        Kind::Add => ADD,
        Kind::Replace => REPLACE,
        Kind::Append => APPEND,
        Kind::Delete => DELETE,
        Kind::Incr => INCREMENT,
        Kind::Touch => TOUCH,
        _ => SET,
    }
}

#[inline]
fn end(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
    let Reader { body, mut tally, .. } = std::mem::take(reader);
    tally.read(&body);
    tally.conclude(asked, used)
}

impl Driver for MemcachedBinary {
    type Greeting = BinaryGreeting;
    type Reader = Reader;

    fn greet(&self, _: Role, out: &mut Vec<u8>) -> BinaryGreeting {
        match &self.credentials {
            None => push_head(out, NOOP, 0, 0, 0, 0),
            Some(credentials) => {
                push_head(out, AUTHENTICATE, b"PLAIN".len(), 0, b"PLAIN".len() + credentials.len(), 0);
                out.extend_from_slice(b"PLAIN");
                out.extend_from_slice(credentials);
            }
        }
        BinaryGreeting
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        use OperationKind as Kind;
        let Asked { shape, keys, stage, word, .. } = *asked;
        let key = keys[0];
        match (shape.kind, opcode_of(shape.kind, stage)) {
            (Kind::MultiGet, _) => {
                keys.iter().for_each(|&key| self.push(out, GET_KEY_QUIETLY, &[], key));
                push_head(out, NOOP, 0, 0, 0, 0);
            }
            (Kind::MultiSet, _) => {
                keys.iter().for_each(|&key| self.push_value(out, SET_QUIETLY, asked, key, 0));
                push_head(out, NOOP, 0, 0, 0, 0);
            }
            (Kind::Incr, _) => self.push_increment(out, key),
            (_, TOUCH) => self.push(out, TOUCH, &shape.expire_s.to_be_bytes(), key),
            (_, opcode @ (GET | DELETE)) => self.push(out, opcode, &[], key),
            (Kind::CompareAndSet, opcode) => self.push_value(out, opcode, asked, key, word),
            (_, opcode) => self.push_value(out, opcode, asked, key, 0),
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        loop {
            if reader.body.is_open() {
                used += reader.body.consume(&input[used..], &self.data.values).unwrap_or(0);
                if reader.body.is_open() {
                    return Step::More { used };
                }
            }
            if reader.is_last {
                return end(reader, asked, used);
            }
            match self.open_frame(reader, asked, &input[used..]) {
                Ok(Some(count)) => used += count,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            }
        }
    }
}

/// One frame answers either the authentication or a no-op, which only those who may do something may ask for.
#[derive(Debug)]
pub struct BinaryGreeting;

impl Greeting for BinaryGreeting {
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted {
        if input.len() < HEAD_BYTES {
            return match input.first() {
                Some(&first) if first != RESPONSE => {
                    Greeted::Broken("no frame of the binary protocol".to_owned())
                }
                _ => Greeted::More { used: 0 },
            };
        }
        let Some(head) = Head::read(input).filter(|head| head.body_len < 2048) else {
            return Greeted::Broken("no frame of the binary protocol".to_owned());
        };
        let used = HEAD_BYTES + head.body_len;
        if input.len() < used {
            return Greeted::More { used: 0 };
        }
        let text = String::from_utf8_lossy(&input[HEAD_BYTES..used]).into_owned();
        match (head.opcode, head.status) {
            (AUTHENTICATE, 0) => {
                push_head(out, NOOP, 0, 0, 0, 0);
                Greeted::More { used }
            }
            (NOOP, 0) => Greeted::Ready { used },
            (AUTHENTICATE, _) => Greeted::Refused(format!("authentication was refused: {text}")),
            (_, status) => Greeted::Refused(format!("the greeting was refused: status {status}, {text}")),
        }
    }
}
