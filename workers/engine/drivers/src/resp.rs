//! RESP, as Redis and Valkey speak it.

use loadstone_load::driver::{ASKING, Asked, Driver, Reply, Role, Shape, Step, Verdict};
use loadstone_spec::keys::MAX_KEY_BYTES;
use loadstone_spec::plan::{EnginePlan, MAX_VALUE_BYTES, OperationKind, TcpAddress};

use crate::body::{Body, Expected};
use crate::cluster::Redirection;
use crate::data::Data;
use crate::layout::Layout;
use crate::resp_greeting::{RespGreeting, Steps};
use crate::resp_requests::{bulk, lay_out};
use crate::{hit, parse_count, skip_sized, take_line};

/// More elements than any reply that was asked for has.
const MAX_ELEMENTS: usize = 10_000_000;

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct Resp {
    data: Data,
    /// The first and the second stage of every operation of the plan.
    layouts: Vec<[Layout; 2]>,
    /// One key as an argument, and one key with its value.
    argument: Layout,
    pair: Layout,
    steps: Steps,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    is_begun: bool,
    /// Elements that are still to come.
    left: usize,
    /// Bulk strings and nulls so far.
    values: usize,
    hits: u32,
    misses: u32,
    is_refused: bool,
}

impl Resp {
    /// Lays out the requests of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let data = Data::new(plan);
        let argument = bulk(Layout::default(), Layout::default().key(&data), &data);
        let pair = argument.clone().text("$").value_size(&data).text("\r\n").value().text("\r\n");
        Self {
            layouts: Shape::all_of(plan).iter().map(|shape| lay_out(plan, shape, &data)).collect(),
            argument,
            pair,
            steps: Steps::new(&plan.target),
            data,
        }
    }

    fn encode_many(&self, command: &[u8], per_key: usize, asked: &Asked<'_>, out: &mut Vec<u8>) {
        out.push(b'*');
        let count = asked.keys.len() * per_key + 1;
        out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
        out.extend_from_slice(command);
        let layout = if per_key == 1 { &self.argument } else { &self.pair };
        asked.keys.iter().for_each(|&key| layout.append_for(&self.data, asked.shape, key, asked.word, out));
    }

    /// One element: a line, which may open a body or be the head of further elements. `None` when it is broken.
    #[inline]
    fn take_element(&self, reader: &mut Reader, asked: &Asked<'_>, line: &[u8]) -> Option<()> {
        let (&sort, rest) = line.split_first()?;
        reader.left -= 1;
        match sort {
            b'$' | b'=' if rest == b"-1" => self.take_null(reader),
            b'$' | b'=' => return self.open_bulk(reader, asked, rest),
            b'*' if rest == b"-1" => self.take_null(reader),
            b'_' => self.take_null(reader),
            b'*' | b'~' | b'>' => reader.left += parse_count(rest)?,
            b'%' => reader.left += 2 * parse_count(rest)?,
            b'|' => reader.left += 2 * parse_count(rest)? + 1,
            b'-' => reader.is_refused = true,
            b'!' => {
                reader.is_refused = true;
                reader.body.open(parse_count(rest)?, Expected::Anything, &self.data.values);
            }
            b'+' => reader.hits += u32::from(rest == b"OK"),
            b':' => take_number(reader, asked, rest),
            b',' | b'#' | b'(' => {}
            _ => return None,
        }
        (reader.left <= MAX_ELEMENTS).then_some(())
    }

    fn take_null(&self, reader: &mut Reader) {
        reader.values += 1;
        reader.misses += 1;
    }

    #[inline]
    fn open_bulk(&self, reader: &mut Reader, asked: &Asked<'_>, size: &[u8]) -> Option<()> {
        let len = parse_count(size).filter(|&len| len as u64 <= 2 * MAX_VALUE_BYTES)?;
        let expected = match asked.shape.kind {
            _ if !self.data.verify => Expected::Anything,
            OperationKind::Custom | OperationKind::Incr => Expected::Anything,
            kind if kind.is_of_lists() => Expected::AnyValue,
            _ => asked.keys.get(reader.values).map_or(Expected::Anything, |&key| self.data.expected(key)),
        };
        reader.values += 1;
        reader.hits += 1;
        reader.body.open(len, expected, &self.data.values);
        Some(())
    }

    /// The end of the reply: what it says of the operation.
    #[inline]
    fn end(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
        use OperationKind as Kind;
        let kind = asked.shape.kind;
        let is_good = !reader.is_refused && !reader.body.is_wrong;
        let goes_on = match kind {
            Kind::ReadModifyWrite => asked.stage == 0,
            // WATCH alone is answered with OK, a value counts as the second hit.
            Kind::CompareAndSet => asked.stage == 0,
            _ => false,
        };
        let verdict = match (reader.is_refused, reader.body.is_wrong) {
            (true, _) => Verdict::Refused,
            (false, true) => Verdict::WrongValue,
            (false, false) => Verdict::Good,
        };
        let (hits, misses) = match kind {
            Kind::Set | Kind::MultiSet | Kind::Insert | Kind::ReadModifyWrite => (0, 0),
            Kind::ListInsertHead | Kind::ListInsertTail | Kind::ListLength | Kind::Custom => (0, 0),
            Kind::CompareAndSet => (u32::from(reader.misses == 0), reader.misses.min(1)),
            _ if reader.is_refused => (0, 0),
            _ => (reader.hits, reader.misses),
        };
        let tag = reader.body.tag;
        *reader = Reader::default();
        if goes_on && is_good {
            return Step::Follow { used, word: 0 };
        }
        Step::Done { used, reply: Reply { hits, misses, verdict, tag } }
    }
}

/// `:1` and `:0` are yes and no where a key may have been missing.
fn take_number(reader: &mut Reader, asked: &Asked<'_>, digits: &[u8]) {
    match asked.shape.kind {
        OperationKind::Delete | OperationKind::Touch if digits == b"0" => reader.misses += 1,
        _ => reader.hits += 1,
    }
}

/// Replies of one request: WATCH and GET; MULTI, SET and EXEC.
fn replies_of(asked: &Asked<'_>) -> usize {
    match (asked.shape.kind, asked.stage) {
        (_, stage) if stage & ASKING != 0 => 2,
        (OperationKind::CompareAndSet, 0) => 2,
        (OperationKind::CompareAndSet, _) => 3,
        _ => 1,
    }
}

/// What the first element of a reply may be, lest another protocol or another command's reply be taken for it.
fn begins_well(asked: &Asked<'_>, sort: u8) -> bool {
    use OperationKind as Kind;
    let fits: &[u8] = match asked.shape.kind {
        _ if asked.stage & ASKING != 0 => return true,
        Kind::Get => b"$_-!|",
        Kind::MultiGet => b"*-!|",
        Kind::Set | Kind::Insert | Kind::MultiSet => b"+-!|",
        Kind::Add | Kind::Replace => b"+$_-!|",
        Kind::Append | Kind::Incr | Kind::Delete | Kind::Touch | Kind::ListLength => b":-!|",
        Kind::ListInsertHead | Kind::ListInsertTail => b":-!|",
        Kind::RangeFirst | Kind::RangeLast | Kind::Range => b"*-!|",
        Kind::ReadModifyWrite if asked.stage == 0 => b"$_-!|",
        _ => return true,
    };
    fits.contains(&sort)
}

fn most_elements(asked: &Asked<'_>) -> usize {
    match asked.shape.kind {
        OperationKind::Get | OperationKind::Set => 2,
        OperationKind::MultiGet => asked.shape.keys_per_request,
        kind if kind.takes_entries() => asked.shape.entries as usize,
        _ => MAX_ELEMENTS,
    }
}

impl Driver for Resp {
    type Greeting = RespGreeting;
    type Reader = Reader;

    fn needs_scout(&self) -> bool {
        self.steps.cluster.is_some()
    }

    fn endpoints(&self) -> Vec<TcpAddress> {
        self.steps.cluster.as_ref().map(|cluster| cluster.nodes()).unwrap_or_default()
    }

    fn route(&self, asked: &Asked<'_>) -> usize {
        let Some(cluster) = &self.steps.cluster else { return 0 };
        let format = self.data.keys_or_counters(asked.shape.kind == OperationKind::Incr);
        if format.fixed_len().is_none() {
            let mut key = Vec::with_capacity(MAX_KEY_BYTES as usize);
            format.append(asked.keys[0], &mut key);
            return cluster.node_of(&key);
        }
        let mut key = [0; MAX_KEY_BYTES as usize];
        let key = &mut key[..format.blank().len()];
        key.copy_from_slice(format.blank());
        format.patch(key, asked.keys[0]);
        cluster.node_of(key)
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> RespGreeting {
        self.steps.begin(role, out)
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        match asked.shape.kind {
            OperationKind::MultiGet => self.encode_many(b"\r\n$4\r\nMGET\r\n", 1, asked, out),
            OperationKind::MultiSet => self.encode_many(b"\r\n$4\r\nMSET\r\n", 2, asked, out),
            _ => {
                if asked.stage & ASKING != 0 {
                    out.extend_from_slice(b"*1\r\n$6\r\nASKING\r\n");
                }
                let layout = &self.layouts[asked.shape.slot][usize::from(asked.stage & !ASKING)];
                layout.append(&self.data, asked, out);
            }
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        if !reader.is_begun
            && let Some(step) = self.read_whole(asked, input)
        {
            return step;
        }
        self.read_on(reader, asked, input)
    }
}

impl Resp {
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
            }
            if reader.is_begun && reader.left == 0 {
                return if self.is_complete(reader, asked) {
                    Self::end(reader, asked, used)
                } else {
                    Step::Broken
                };
            }
            let (line, line_len) = match take_line(&input[used..]) {
                Ok(Some(found)) => found,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            };
            used += line_len;
            if !reader.is_begun {
                if let Some(step) = self.find_redirection(line, used) {
                    return step;
                }
                if line.first().is_none_or(|&sort| !begins_well(asked, sort)) {
                    return Step::Broken;
                }
                reader.is_begun = true;
                reader.left = replies_of(asked);
            }
            if self.take_element(reader, asked, line).is_none() || reader.left > most_elements(asked) {
                return Step::Broken;
            }
        }
    }

    /// The commonest replies, if all of one is there: a value that need not be verified, OK.
    #[inline]
    fn read_whole(&self, asked: &Asked<'_>, input: &[u8]) -> Option<Step> {
        match asked.shape.kind {
            OperationKind::Get if asked.stage == 0 && !self.data.verify && input.first() == Some(&b'$') => {
                skip_sized(input, 1).map(hit)
            }
            OperationKind::Set if asked.stage == 0 && input.first_chunk() == Some(b"+OK\r\n") => {
                Some(Step::Done { used: b"+OK\r\n".len(), reply: Reply::default() })
            }
            _ => None,
        }
    }

    #[inline]
    fn find_redirection(&self, line: &[u8], used: usize) -> Option<Step> {
        let cluster = self.steps.cluster.as_ref().filter(|_| line.first() == Some(&b'-'))?;
        let (endpoint, asks_leave) = match cluster.read_redirection(line)? {
            Redirection::Moved(endpoint) => (endpoint, false),
            Redirection::Ask(endpoint) => (endpoint, true),
        };
        Some(Step::Elsewhere { used, endpoint, asks_leave })
    }

    /// As many values as keys were asked for.
    #[inline]
    fn is_complete(&self, reader: &Reader, asked: &Asked<'_>) -> bool {
        asked.shape.kind != OperationKind::MultiGet
            || reader.is_refused
            || reader.values == asked.shape.keys_per_request
    }
}
