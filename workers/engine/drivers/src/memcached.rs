//! memcached's text protocol.

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Reply, Step, Verdict};
use loadstone_load::keys::KeyFormat;
use loadstone_load::values::Values;
use loadstone_spec::plan::{EnginePlan, EngineTarget, MAX_VALUE_BYTES, OperationKind};

use crate::body::Body;
use crate::greeting::{GreetingStep, LineGreeting};
use crate::template::Template;
use crate::{parse_count, take_line};

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct Memcached {
    keys: KeyFormat,
    values: Values,
    verify: bool,
    get: Template,
    set: Template,
    /// The head of a set is complete in its template where all values have one size.
    fixed_size: bool,
    greeting: Arc<[GreetingStep]>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    hits: u32,
    wrong_key: bool,
}

impl Memcached {
    /// Lays out the requests of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let keys = KeyFormat::new(&plan.dataset);
        let (min_bytes, max_bytes) = plan.dataset.value_size.bounds();
        let fixed_size = min_bytes == max_bytes;
        let head = if fixed_size { format!(" 0 0 {max_bytes}\r\n") } else { " 0 0 ".to_owned() };
        Self {
            get: Template::new(b"get ", &keys, b"\r\n"),
            set: Template::new(b"set ", &keys, head.as_bytes()),
            values: Values::new(&plan.dataset),
            verify: plan.verify,
            greeting: greeting_steps(&plan.target),
            fixed_size,
            keys,
        }
    }

    fn encode_multi_get(&self, keys: &[u64], out: &mut Vec<u8>) {
        out.extend_from_slice(b"get");
        for &key in keys {
            out.push(b' ');
            self.keys.append(key, out);
        }
        out.extend_from_slice(b"\r\n");
    }

    #[inline]
    fn encode_set(&self, key: u64, out: &mut Vec<u8>) {
        self.set.append(&self.keys, key, out);
        if !self.fixed_size {
            out.extend_from_slice(itoa::Buffer::new().format(self.values.size_bytes(key)).as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        self.values.append(key, out);
        out.extend_from_slice(b"\r\n");
    }

    #[inline]
    fn read_values(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        loop {
            if reader.body.is_open() {
                match reader.body.consume(&input[used..], &self.values) {
                    None => return Step::Broken,
                    Some(count) => used += count,
                }
                if reader.body.is_open() {
                    return Step::More { used };
                }
            }
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            if line == b"END" {
                return self.end_values(reader, asked, used);
            }
            if !line.starts_with(b"VALUE ") {
                return refuse(line, used, reader);
            }
            if reader.hits as usize >= asked.key_count || self.open_value(reader, asked, line).is_none() {
                return Step::Broken;
            }
        }
    }

    /// `VALUE <key> <flags> <bytes>`
    #[inline]
    fn open_value(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<()> {
        let rest = &line[b"VALUE ".len()..];
        let key_end = memchr::memchr(b' ', rest)?;
        let size_at = memchr::memrchr(b' ', rest)?;
        let len = parse_count(&rest[size_at + 1..])?;
        if len as u64 > 2 * MAX_VALUE_BYTES || size_at <= key_end {
            return None;
        }
        reader.hits += 1;
        let mut expected = None;
        if self.verify {
            let key = self.keys.parse(&rest[..key_end]).filter(|key| asked.keys.contains(key));
            reader.wrong_key |= key.is_none();
            expected = key.map(|key| (key, &self.values));
        }
        reader.body.open(len, expected);
        Some(())
    }

    #[inline]
    fn end_values(&self, reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
        let is_wrong = reader.body.is_wrong || reader.wrong_key;
        let verdict = if is_wrong { Verdict::WrongValue } else { Verdict::Good };
        let reply = Reply { hits: reader.hits, misses: asked.key_count as u32 - reader.hits, verdict };
        *reader = Reader::default();
        Step::Done { used, reply }
    }
}

impl Driver for Memcached {
    type Greeting = LineGreeting;
    type Reader = Reader;

    fn greet(&self, out: &mut Vec<u8>) -> LineGreeting {
        LineGreeting::begin(&self.greeting, is_error, out)
    }

    #[inline]
    fn encode(&self, kind: OperationKind, keys: &[u64], out: &mut Vec<u8>) {
        match kind {
            OperationKind::Get => self.get.append(&self.keys, keys[0], out),
            OperationKind::Set => self.encode_set(keys[0], out),
            OperationKind::MultiGet => self.encode_multi_get(keys, out),
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        if asked.kind != OperationKind::Set {
            return self.read_values(reader, asked, input);
        }
        match take_line(input) {
            Ok(Some((b"STORED", used))) => Step::Done { used, reply: Reply::default() },
            Ok(Some((line, used))) => refuse(line, used, reader),
            Ok(None) => Step::More { used: 0 },
            Err(()) => Step::Broken,
        }
    }
}

/// An error of the store, or bytes that mean nothing.
fn refuse(line: &[u8], used: usize, reader: &mut Reader) -> Step {
    if !is_error(line) && line != b"NOT_STORED" {
        return Step::Broken;
    }
    *reader = Reader::default();
    Step::Done { used, reply: Reply { verdict: Verdict::Refused, ..Reply::default() } }
}

fn is_error(line: &[u8]) -> bool {
    line == b"ERROR" || line.starts_with(b"CLIENT_ERROR") || line.starts_with(b"SERVER_ERROR")
}

/// Text authentication looks like a set of any key, with `user password` as its value.
fn greeting_steps(target: &EngineTarget) -> Arc<[GreetingStep]> {
    let mut steps = Vec::new();
    if let (Some(username), Some(password)) = (&target.username, &target.password) {
        let credentials = format!("{username} {password}");
        let say = format!("set auth 0 0 {}\r\n{credentials}\r\n", credentials.len()).into_bytes();
        steps.push(GreetingStep { say, expect: "STORED", what: "authentication" });
    }
    steps.push(GreetingStep { say: b"version\r\n".to_vec(), expect: "VERSION ", what: "the greeting" });
    steps.into()
}
