//! memcached's text protocol.

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Reply, Role, Shape, Step, Verdict};
use loadstone_spec::plan::{EnginePlan, EngineTarget, MAX_VALUE_BYTES, OperationKind};

use crate::body::{Body, Expected};
use crate::data::{Data, command_of};
use crate::greeting::{GreetingStep, LineGreeting};
use crate::layout::Layout;
use crate::{hit, parse_count, skip_sized, take_decimal, take_line};

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct Memcached {
    data: Data,
    /// The first and the second stage of every operation of the plan.
    layouts: Vec<[Layout; 2]>,
    greeting: Arc<[GreetingStep]>,
    hits_always: bool,
    /// Where all keys have one length and values are not verified: what precedes a value's flags.
    plain_head_bytes: Option<usize>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    hits: u32,
    misses: u32,
    lines: usize,
    token: u64,
    is_wrong_key: bool,
    is_refused: bool,
}

impl Memcached {
    /// Lays out the requests of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let data = Data::new(plan);
        let layouts = Shape::all_of(plan).iter().map(|shape| lay_out(plan, shape, &data)).collect();
        let hits_always = plan.dataset.hit_ratio >= 1.0;
        let key_bytes = data.keys.fixed_len().filter(|_| !plan.verify);
        let plain_head_bytes = key_bytes.map(|key_bytes| b"VALUE  ".len() + key_bytes);
        Self { layouts, greeting: greeting_steps(&plan.target), data, hits_always, plain_head_bytes }
    }

    /// Where a reply with one value ends, if all of it is there.
    #[inline]
    fn skip_hit(&self, input: &[u8]) -> Option<usize> {
        let end = self.skip_value(input)?;
        (input.get(end..end + 5)? == b"END\r\n").then_some(end + 5)
    }

    /// Where a value ends, if all of it is there.
    #[inline]
    fn skip_value(&self, input: &[u8]) -> Option<usize> {
        let head = input.get(..self.plain_head_bytes?)?;
        let (_flags, flags_end) = take_decimal(input, head.len())?;
        let end = skip_sized(input, flags_end + 1)?;
        let (before, key) = head.split_first_chunk()?;
        let (&after, key) = key.split_last()?;
        let is_plain = before == b"VALUE " && after == b' ' && input[flags_end] == b' ';
        (is_plain && is_one_word(key)).then_some(end)
    }

    fn encode_multi_get(&self, keys: &[u64], out: &mut Vec<u8>) {
        out.extend_from_slice(b"get");
        for &key in keys {
            out.push(b' ');
            self.data.keys.append(key, out);
        }
        out.extend_from_slice(b"\r\n");
    }

    #[inline]
    fn read_values(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        loop {
            if reader.body.is_open() {
                match reader.body.consume(&input[used..], &self.data.values) {
                    None => return Step::Broken,
                    Some(count) => used += count,
                }
                if reader.body.is_open() {
                    return Step::More { used };
                }
            }
            let most = asked.shape.keys_per_request;
            while (reader.hits as usize) < most
                && let Some(len) = self.skip_value(&input[used..])
            {
                used += len;
                reader.hits += 1;
            }
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            if line == b"END" {
                return end_values(reader, asked, used);
            }
            if !line.starts_with(b"VALUE ") {
                let is_first = reader.hits == 0;
                return if is_first { refuse(line, used, reader) } else { Step::Broken };
            }
            if reader.hits as usize >= most || self.open_value(reader, asked, line).is_none() {
                return Step::Broken;
            }
        }
    }

    /// `VALUE <key> <flags> <bytes> [<cas>]`
    #[inline]
    fn open_value(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<()> {
        let mut words = line[b"VALUE ".len()..].split(|&byte| byte == b' ');
        let (key, _flags, size) = (words.next()?, words.next()?, words.next()?);
        let len = parse_count(size).filter(|&len| len as u64 <= 2 * MAX_VALUE_BYTES)?;
        if let Some(token) = words.next() {
            reader.token = std::str::from_utf8(token).ok()?.parse().ok()?;
        }
        reader.hits += 1;
        let mut expected = Expected::Anything;
        if self.data.verify && asked.shape.kind != OperationKind::Custom {
            let key = self.data.keys.parse(key).filter(|key| asked.keys.contains(key));
            reader.is_wrong_key |= key.is_none();
            expected = key.map_or(Expected::Anything, |key| self.data.expected(key));
        }
        reader.body.open(len, expected, &self.data.values);
        Some(())
    }

    /// One line for every request that was laid out.
    #[inline]
    fn read_lines(reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        loop {
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            match judge(asked, line) {
                Some(Said::Hit) => reader.hits += 1,
                Some(Said::Miss) => reader.misses += 1,
                Some(Said::Done) => {}
                Some(Said::Missing) => return Step::Follow { used, word: 0 },
                None if is_error(line) || line == b"NOT_STORED" => reader.is_refused = true,
                None => return Step::Broken,
            }
            reader.lines += 1;
            if reader.lines == lines_of(asked) {
                return end_values(reader, asked, used);
            }
        }
    }
}

/// What a line means.
enum Said {
    Done,
    Hit,
    Miss,
    /// There is no such counter yet: it is made.
    Missing,
}

fn lines_of(asked: &Asked<'_>) -> usize {
    if asked.shape.kind == OperationKind::MultiSet { asked.shape.keys_per_request } else { 1 }
}

#[inline]
fn judge(asked: &Asked<'_>, line: &[u8]) -> Option<Said> {
    use OperationKind as Kind;
    match (asked.shape.kind, line) {
        (Kind::Set | Kind::MultiSet | Kind::Insert | Kind::ReadModifyWrite, b"STORED") => Some(Said::Done),
        (Kind::Add | Kind::Replace | Kind::Append | Kind::CompareAndSet, b"STORED") => Some(Said::Hit),
        (Kind::Incr, b"STORED" | b"NOT_STORED") if asked.stage == 1 => Some(Said::Hit),
        (Kind::Incr, b"NOT_FOUND") if asked.stage == 0 => Some(Said::Missing),
        (Kind::Incr, digits) if parse_digits(digits) => Some(Said::Hit),
        (Kind::Add | Kind::Replace | Kind::Append, b"NOT_STORED") => Some(Said::Miss),
        (Kind::CompareAndSet, b"EXISTS" | b"NOT_FOUND") => Some(Said::Miss),
        (Kind::Delete, b"DELETED") | (Kind::Touch, b"TOUCHED") => Some(Said::Hit),
        (Kind::Delete | Kind::Touch, b"NOT_FOUND") => Some(Said::Miss),
        (Kind::Custom, line) if !is_error(line) => Some(Said::Done),
        _ => None,
    }
}

fn parse_digits(line: &[u8]) -> bool {
    !line.is_empty() && line.len() <= 20 && line.iter().all(u8::is_ascii_digit)
}

#[inline]
fn end_values(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
    use OperationKind as Kind;
    let is_wrong = reader.body.is_wrong || reader.is_wrong_key;
    let goes_on = asked.stage == 0
        && !is_wrong
        && (asked.shape.kind == Kind::ReadModifyWrite
            || asked.shape.kind == Kind::CompareAndSet && reader.hits > 0);
    let is_of_values = matches!(asked.shape.kind, Kind::Get | Kind::MultiGet)
        || asked.stage == 0 && asked.shape.kind == Kind::CompareAndSet;
    if goes_on {
        let word = reader.token;
        *reader = Reader::default();
        return Step::Follow { used, word };
    }
    let verdict = match (reader.is_refused, is_wrong) {
        (true, _) => Verdict::Refused,
        (false, true) => Verdict::WrongValue,
        (false, false) => Verdict::Good,
    };
    let unanswered =
        asked.shape.keys_per_request as u32 - reader.hits.min(asked.shape.keys_per_request as u32);
    let misses = if is_of_values { unanswered } else { reader.misses };
    let reply = Reply { hits: reader.hits, misses, verdict, tag: reader.body.tag };
    *reader = Reader::default();
    Step::Done { used, reply }
}

impl Driver for Memcached {
    type Greeting = LineGreeting;
    type Reader = Reader;

    fn greet(&self, _: Role, out: &mut Vec<u8>) -> LineGreeting {
        LineGreeting::begin(&self.greeting, is_error, out)
    }

    /// Text gets are answered by a `sendmsg` each.
    fn reply_bytes(&self, shape: &Shape) -> Option<usize> {
        let size = self.data.fixed_size.filter(|_| shape.kind == OperationKind::Get && self.hits_always)?;
        let digits = itoa::Buffer::new().format(size).len();
        Some(b"VALUE  0 \r\n\r\nEND\r\n".len() + self.data.keys.fixed_len()? + digits + size)
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let layout = &self.layouts[asked.shape.slot][usize::from(asked.stage)];
        match asked.shape.kind {
            OperationKind::MultiGet => self.encode_multi_get(asked.keys, out),
            OperationKind::MultiSet => {
                asked
                    .keys
                    .iter()
                    .for_each(|&key| layout.append_for(&self.data, asked.shape, key, asked.word, out));
            }
            _ => layout.append(&self.data, asked, out),
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        use OperationKind as Kind;
        match asked.shape.kind {
            Kind::Get if reader.hits == 0 => match self.skip_hit(input) {
                Some(end) => hit(end),
                None => self.read_values(reader, asked, input),
            },
            Kind::Get | Kind::MultiGet => self.read_values(reader, asked, input),
            Kind::ReadModifyWrite | Kind::CompareAndSet if asked.stage == 0 => {
                self.read_values(reader, asked, input)
            }
            Kind::Custom if reader.hits > 0 || is_like(b"VALUE ", input) => {
                if input.len() < b"VALUE ".len() && reader.hits == 0 {
                    return Step::More { used: 0 };
                }
                self.read_values(reader, asked, input)
            }
            _ => Self::read_lines(reader, asked, input),
        }
    }
}

/// Whether there is neither a space nor a sign below it. Eight bytes at once, without a branch.
#[inline]
fn is_one_word(word: &[u8]) -> bool {
    let (eights, rest) = word.as_chunks();
    let is_above_space = |eight: &[u8; 8]| {
        let bytes = u64::from_le_bytes(*eight);
        bytes.wrapping_sub(0x2121_2121_2121_2121) & !bytes & 0x8080_8080_8080_8080 == 0
    };
    eights.iter().all(is_above_space) && rest.iter().all(|&byte| byte > b' ')
}

/// Whether `input` is the beginning of `word`, or begins with it.
fn is_like(word: &[u8], input: &[u8]) -> bool {
    let len = word.len().min(input.len());
    word[..len] == input[..len]
}

/// An error of the store, or bytes that mean nothing.
fn refuse(line: &[u8], used: usize, reader: &mut Reader) -> Step {
    if !is_error(line) {
        return Step::Broken;
    }
    *reader = Reader::default();
    Step::Done { used, reply: Reply { verdict: Verdict::Refused, ..Reply::default() } }
}

pub(crate) fn is_error(line: &[u8]) -> bool {
    line == b"ERROR" || line.starts_with(b"CLIENT_ERROR") || line.starts_with(b"SERVER_ERROR")
}

fn lay_out(plan: &EnginePlan, shape: &Shape, data: &Data) -> [Layout; 2] {
    use OperationKind as Kind;
    let line =
        |verb: &str, rest: &str| Layout::default().text(verb).text(" ").key(data).text(rest).text("\r\n");
    let store = |verb: &str| {
        let head = Layout::default().text(verb).text(" ").key(data).text(format!(" 0 {} ", shape.expire_s));
        head.value_size(data).text("\r\n").value().text("\r\n")
    };
    let none = Layout::default;
    match shape.kind {
        Kind::Get => [line("get", ""), none()],
        Kind::Set | Kind::MultiSet | Kind::Insert => [store("set"), none()],
        Kind::Add => [store("add"), none()],
        Kind::Replace => [store("replace"), none()],
        Kind::Append => [store("append"), none()],
        Kind::Delete => [line("delete", ""), none()],
        Kind::Touch => [line("touch", &format!(" {}", shape.expire_s)), none()],
        Kind::Incr => {
            let incr = none().text("incr ").counter(data).text(" 1\r\n");
            [incr, none().text("add ").counter(data).text(" 0 0 1\r\n1\r\n")]
        }
        Kind::ReadModifyWrite => [line("get", ""), store("set")],
        Kind::CompareAndSet => {
            let head = none().text("cas ").key(data).text(format!(" 0 {} ", shape.expire_s));
            let cas = head.value_size(data).text(" ").word().text("\r\n").value().text("\r\n");
            [line("gets", ""), cas]
        }
        Kind::Custom => [Layout::of_command(command_of(plan, shape), data).text("\r\n"), none()],
        _ => [none(), none()],
    }
}

/// Text authentication looks like a set of any key, with `user password` as its value.
pub(crate) fn authentication(target: &EngineTarget) -> Option<GreetingStep> {
    let credentials = format!("{} {}", target.username.as_ref()?, target.password.as_ref()?);
    let say = format!("set auth 0 0 {}\r\n{credentials}\r\n", credentials.len()).into_bytes();
    Some(GreetingStep { say, expect: "STORED", what: "authentication" })
}

fn greeting_steps(target: &EngineTarget) -> Arc<[GreetingStep]> {
    let version = GreetingStep { say: b"version\r\n".to_vec(), expect: "VERSION ", what: "the greeting" };
    authentication(target).into_iter().chain([version]).collect()
}
