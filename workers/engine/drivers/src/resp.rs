//! RESP2, as Redis and Valkey speak it.

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
pub struct Resp {
    keys: KeyFormat,
    values: Values,
    verify: bool,
    get: Template,
    set: Template,
    fixed_size: bool,
    /// One key as an argument of MGET.
    argument: Template,
    greeting: Arc<[GreetingStep]>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    /// The head of an array has been read.
    in_array: bool,
    hits: u32,
    misses: u32,
}

impl Resp {
    /// Lays out the requests of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let keys = KeyFormat::new(&plan.dataset);
        let key_size = plan.dataset.key_size_bytes;
        let (min_bytes, max_bytes) = plan.dataset.value_size.bounds();
        let fixed_size = min_bytes == max_bytes;
        let value_head = if fixed_size { format!("\r\n${max_bytes}\r\n") } else { "\r\n$".to_owned() };
        let set_head = format!("*3\r\n$3\r\nSET\r\n${key_size}\r\n");
        let get_head = format!("*2\r\n$3\r\nGET\r\n${key_size}\r\n");
        Self {
            get: Template::new(get_head.as_bytes(), &keys, b"\r\n"),
            set: Template::new(set_head.as_bytes(), &keys, value_head.as_bytes()),
            argument: Template::new(format!("${key_size}\r\n").as_bytes(), &keys, b"\r\n"),
            values: Values::new(&plan.dataset),
            verify: plan.verify,
            greeting: greeting_steps(&plan.target),
            fixed_size,
            keys,
        }
    }

    fn encode_multi_get(&self, keys: &[u64], out: &mut Vec<u8>) {
        out.push(b'*');
        out.extend_from_slice(itoa::Buffer::new().format(keys.len() + 1).as_bytes());
        out.extend_from_slice(b"\r\n$4\r\nMGET\r\n");
        keys.iter().for_each(|&key| self.argument.append(&self.keys, key, out));
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
            if (reader.hits + reader.misses) as usize == asked.key_count {
                return end_values(reader, used);
            }
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            if line.first() == Some(&b'-') && !reader.in_array {
                return Step::Done { used, reply: refusal() };
            }
            if self.open_element(reader, asked, line).is_none() {
                return Step::Broken;
            }
        }
    }

    /// `*<elements>`, `$<bytes>` or `$-1`
    #[inline]
    fn open_element(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<()> {
        let (&sort, rest) = line.split_first()?;
        let is_array = asked.kind == OperationKind::MultiGet;
        if is_array && !reader.in_array {
            reader.in_array = true;
            return (sort == b'*' && parse_count(rest)? == asked.key_count).then_some(());
        }
        if sort != b'$' {
            return None;
        }
        if rest == b"-1" {
            reader.misses += 1;
            return Some(());
        }
        let len = parse_count(rest).filter(|&len| len as u64 <= 2 * MAX_VALUE_BYTES)?;
        let position = (reader.hits + reader.misses) as usize;
        let expected = asked.keys.get(position).filter(|_| self.verify);
        reader.hits += 1;
        reader.body.open(len, expected.map(|&key| (key, &self.values)));
        Some(())
    }
}

#[inline]
fn end_values(reader: &mut Reader, used: usize) -> Step {
    let verdict = if reader.body.is_wrong { Verdict::WrongValue } else { Verdict::Good };
    let reply = Reply { hits: reader.hits, misses: reader.misses, verdict };
    *reader = Reader::default();
    Step::Done { used, reply }
}

fn refusal() -> Reply {
    Reply { verdict: Verdict::Refused, ..Reply::default() }
}

impl Driver for Resp {
    type Greeting = LineGreeting;
    type Reader = Reader;

    fn greet(&self, out: &mut Vec<u8>) -> LineGreeting {
        LineGreeting::begin(&self.greeting, |line| line.first() == Some(&b'-'), out)
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
            Ok(Some((b"+OK", used))) => Step::Done { used, reply: Reply::default() },
            Ok(Some((line, used))) if line.first() == Some(&b'-') => Step::Done { used, reply: refusal() },
            Ok(None) => Step::More { used: 0 },
            _ => Step::Broken,
        }
    }
}

fn command(arguments: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", arguments.len());
    for argument in arguments {
        bytes.push_str(&format!("${}\r\n{argument}\r\n", argument.len()));
    }
    bytes.into_bytes()
}

fn greeting_steps(target: &EngineTarget) -> Arc<[GreetingStep]> {
    let mut steps = Vec::new();
    if let Some(password) = &target.password {
        let say = match &target.username {
            Some(username) => command(&["AUTH", username, password]),
            None => command(&["AUTH", password]),
        };
        steps.push(GreetingStep { say, expect: "+OK", what: "authentication" });
    }
    if let Some(database) = target.database {
        let say = command(&["SELECT", &database.to_string()]);
        steps.push(GreetingStep { say, expect: "+OK", what: "the choice of the database" });
    }
    steps.push(GreetingStep { say: command(&["PING"]), expect: "+PONG", what: "the greeting" });
    steps.into()
}
