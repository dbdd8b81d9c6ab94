//! memcached's meta commands: the only text that memcached answers in batches.

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Role, Shape, Step};
use loadstone_spec::plan::{EnginePlan, MAX_VALUE_BYTES, OperationKind};

use crate::body::{Body, Expected};
use crate::data::Data;
use crate::greeting::{GreetingStep, LineGreeting};
use crate::layout::Layout;
use crate::memcached::{authentication, is_error};
use crate::tally::Tally;
use crate::{hit, parse_count, skip_sized, take_line};

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct MemcachedMeta {
    data: Data,
    /// The first and the second stage of every operation of the plan.
    layouts: Vec<[Layout; 2]>,
    greeting: Arc<[GreetingStep]>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    /// The reply ends with the body.
    is_last: bool,
    tally: Tally,
}

impl Reader {
    /// Nothing of the reply has been read yet.
    #[inline]
    fn is_new(&self) -> bool {
        !self.body.is_open()
    }
}

/// What a line begins.
enum Line {
    Value,
    Over,
    Goes,
}

impl MemcachedMeta {
    /// Lays out the requests of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let data = Data::new(plan);
        let mut steps: Vec<GreetingStep> = authentication(&plan.target).into_iter().collect();
        steps.push(GreetingStep { say: b"mn\r\n".to_vec(), expect: "MN", what: "the greeting (mn)" });
        Self {
            layouts: Shape::all_of(plan).iter().map(|shape| lay_out(shape, &data)).collect(),
            greeting: steps.into(),
            data,
        }
    }

    #[inline]
    fn take_line(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<Line> {
        let is_batch = is_batch(asked.shape.kind);
        let over = if is_batch { Line::Goes } else { Line::Over };
        match line.get(..2)? {
            b"VA" => {
                self.open_value(reader, asked, line)?;
                reader.is_last = !is_batch;
                return Some(Line::Value);
            }
            b"HD" if !is_batch => reader.tally.hits += 1,
            b"MN" if is_batch && line.len() == 2 => return Some(Line::Over),
            b"EN" | b"NF" | b"NS" | b"EX" => reader.tally.misses += 1,
            _ if is_error(line) => reader.tally.is_refused = true,
            _ => return None,
        }
        Some(over)
    }

    /// `VA <bytes> <flags>*`; `k` brings the key, `c` the token to compare.
    #[inline]
    fn open_value(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<()> {
        let mut words = line.get(3..)?.split(|&byte| byte == b' ');
        let len = parse_count(words.next()?).filter(|&len| len as u64 <= 2 * MAX_VALUE_BYTES)?;
        let mut key = (asked.shape.keys_per_request == 1).then(|| asked.keys[0]);
        for word in words {
            match word.split_first() {
                Some((b'k', name)) => key = self.data.keys.parse(name).filter(|key| asked.keys.contains(key)),
                Some((b'c', token)) => reader.tally.word = std::str::from_utf8(token).ok()?.parse().ok()?,
                _ => {}
            }
        }
        reader.tally.hits += 1;
        let is_asked = reader.tally.hits as usize <= asked.shape.keys_per_request;
        let verified = self.data.verify && is_read(asked);
        reader.tally.is_wrong |= verified && key.is_none();
        let expected = key.filter(|_| verified).map_or(Expected::Anything, |key| self.data.expected(key));
        reader.body.open(len, expected, &self.data.values);
        is_asked.then_some(())
    }
}

fn is_batch(kind: OperationKind) -> bool {
    matches!(kind, OperationKind::MultiGet | OperationKind::MultiSet)
}

fn is_read(asked: &Asked<'_>) -> bool {
    use OperationKind as Kind;
    match asked.shape.kind {
        Kind::Get | Kind::MultiGet => true,
        Kind::ReadModifyWrite | Kind::CompareAndSet => asked.stage == 0,
        _ => false,
    }
}

#[inline]
fn end(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
    let Reader { body, mut tally, .. } = std::mem::take(reader);
    tally.read(&body);
    tally.conclude(asked, used)
}

impl Driver for MemcachedMeta {
    type Greeting = LineGreeting;
    type Reader = Reader;

    fn greet(&self, _: Role, out: &mut Vec<u8>) -> LineGreeting {
        LineGreeting::begin(&self.greeting, is_error, out)
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let layout = &self.layouts[asked.shape.slot][usize::from(asked.stage)];
        if is_batch(asked.shape.kind) {
            asked
                .keys
                .iter()
                .for_each(|&key| layout.append_for(&self.data, asked.shape, key, asked.word, out));
            out.extend_from_slice(b"mn\r\n");
        } else {
            layout.append(&self.data, asked, out);
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let may_be_skipped = asked.shape.kind == OperationKind::Get && !self.data.verify && reader.is_new();
        if may_be_skipped
            && matches!(input, [b'V', b'A', b' ', ..])
            && let Some(end) = skip_sized(input, b"VA ".len())
        {
            return hit(end);
        }
        self.read_on(reader, asked, input)
    }
}

impl MemcachedMeta {
    /// Reads a reply piece by piece.
    fn read_on(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
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
                if reader.is_last {
                    return end(reader, asked, used);
                }
            }
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            match self.take_line(reader, asked, line) {
                None => return Step::Broken,
                Some(Line::Over) => return end(reader, asked, used),
                Some(Line::Value | Line::Goes) => {}
            }
        }
    }
}

fn lay_out(shape: &Shape, data: &Data) -> [Layout; 2] {
    use OperationKind as Kind;
    let line = |verb: &str, flags: &str| Layout::default().text(verb).key(data).text(flags).text("\r\n");
    let expiry = if shape.expire_s > 0 { format!(" T{}", shape.expire_s) } else { String::new() };
    let head = || Layout::default().text("ms ").key(data).text(" ").value_size(data).text(&expiry);
    let store = |flags: &str| head().text(flags).text("\r\n").value().text("\r\n");
    let none = Layout::default;
    match shape.kind {
        Kind::Get => [line("mg ", " v"), none()],
        Kind::MultiGet => [line("mg ", " v k q"), none()],
        Kind::Set | Kind::Insert => [store(""), none()],
        Kind::MultiSet => [store(" q"), none()],
        Kind::Add => [store(" ME"), none()],
        Kind::Replace => [store(" MR"), none()],
        Kind::Append => [store(" MA"), none()],
        Kind::Delete => [line("md ", ""), none()],
        Kind::Touch => [line("mg ", &expiry), none()],
        Kind::Incr => [none().text("ma ").counter(data).text(" N0 J1\r\n"), none()],
        Kind::ReadModifyWrite => [line("mg ", " v"), store("")],
        Kind::CompareAndSet => {
            let compared = head().text(" C").word().text("\r\n").value().text("\r\n");
            [line("mg ", " c v"), compared]
        }
        _ => [none(), none()],
    }
}
