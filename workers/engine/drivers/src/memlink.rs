//! Memlink 0.5 and 0.3: lists under keys, one request at a time on each connection, reads and writes on two ports.
//!
//! Numbers are little-endian and stand without alignment. Requests are `u32 length | u8 command | parameters`, replies
//! `u32 length | i16 code | payload`.

use loadstone_load::driver::{Asked, Driver, Greeted, Greeting, Role, Step};
use loadstone_spec::plan::{EnginePlan, OperationKind, StoreProtocol};

use crate::body::{Body, Expected};
use crate::data::Data;
use crate::tally::Tally;

const HEAD_BYTES: usize = 6;
const CREATE: u8 = 4;
const PING: u8 = 20;
const NO_SUCH_COMMAND: i16 = -13;
const NO_SUCH_KEY: i16 = -14;
const KEY_EXISTS: i16 = -15;
const TABLE_EXISTS: i16 = -53;
/// Widths of the attributes in bits, and what an entry has in them.
const WIDTHS: [u8; 3] = [4, 3, 1];
const ATTRIBUTES: [u32; 3] = [1, 2, 1];
const PLAIN_LIST: u8 = 1;
const VISIBLE: u8 = 1;
const TAIL: i32 = -1;
/// The longest reply that was asked for: a million entries of 255 bytes.
const MAX_REPLY_BYTES: usize = 512 * 1024 * 1024;

/// The two versions, which understand different requests.
#[derive(Debug, Clone, Copy)]
struct Version {
    has_tables: bool,
    insert: u8,
    range: u8,
    count: u8,
}

const V0_5: Version = Version { has_tables: true, insert: 8, range: 12, count: 14 };
const V0_3: Version = Version { has_tables: false, insert: 6, range: 10, count: 12 };

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct Memlink {
    data: Data,
    version: Version,
    table: Vec<u8>,
    value_size: u8,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    part: Part,
    /// Bytes of the reply that are still to come.
    left: usize,
    value_size: usize,
    attribute_size: usize,
    rows: u32,
    tally: Tally,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    RangeHead,
    Value,
    Attributes,
    Rest,
}

impl Memlink {
    /// Prepares the protocol for a plan, whose validation has made sure that names and values fit.
    pub fn new(plan: &EnginePlan) -> Self {
        let version = if plan.target.protocol == StoreProtocol::Memlink { V0_5 } else { V0_3 };
        let table = plan.target.table.as_deref().unwrap_or("loadstone");
        Self {
            data: Data::new(plan),
            version,
            table: [table.as_bytes(), &[0]].concat(),
            value_size: plan.dataset.value_size.bounds().1.min(255) as u8,
        }
    }

    fn push(&self, out: &mut Vec<u8>, command: u8, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        out.extend_from_slice(&[0, 0, 0, 0, command]);
        fill(out);
        let len = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    }

    /// Table and key, as the version writes them.
    fn push_key(&self, out: &mut Vec<u8>, key: u64) {
        if self.version.has_tables {
            out.extend_from_slice(&self.table);
            self.data.keys.append(key, out);
            out.push(0);
        } else {
            out.push(self.data.keys.len_of(key) as u8);
            self.data.keys.append(key, out);
        }
    }

    /// What lists hold: the size of values, attributes, the kind of list.
    fn push_format(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.value_size, WIDTHS.len() as u8]);
        WIDTHS.iter().for_each(|&width| out.extend_from_slice(&u32::from(width).to_le_bytes()));
        out.extend_from_slice(&[PLAIN_LIST, 0]);
    }

    fn push_insert(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let key = asked.keys[0];
        let place = if asked.shape.kind == OperationKind::ListInsertHead { 0 } else { TAIL };
        let id = self.data.value_id(asked.shape, key, asked.word);
        self.push(out, self.version.insert, |out| {
            self.push_key(out, key);
            out.push(self.data.values.size_bytes(id) as u8);
            self.data.values.append(id, out);
            out.push(ATTRIBUTES.len() as u8);
            ATTRIBUTES.iter().for_each(|attribute| out.extend_from_slice(&attribute.to_le_bytes()));
            out.extend_from_slice(&place.to_le_bytes());
        });
    }

    fn push_count(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        self.push(out, self.version.count, |out| {
            self.push_key(out, asked.keys[0]);
            out.push(0);
        });
    }

    fn push_range(&self, asked: &Asked<'_>, from: u32, out: &mut Vec<u8>) {
        self.push(out, self.version.range, |out| {
            self.push_key(out, asked.keys[0]);
            out.extend_from_slice(&[VISIBLE, 0]);
            out.extend_from_slice(&(from as i32).to_le_bytes());
            out.extend_from_slice(&(asked.shape.entries as i32).to_le_bytes());
        });
    }

    /// Takes in the next piece of the reply. Nothing when it has not come in whole.
    #[inline]
    fn take(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        let trailer = if self.version.has_tables { 4 } else { 0 };
        match reader.part {
            Part::Head => self.take_head(reader, asked, input),
            Part::RangeHead => {
                let Some(&[value_size, attribute_size, widths]) = input.first_chunk::<3>() else {
                    return Ok(None);
                };
                (reader.value_size, reader.attribute_size) = (value_size.into(), attribute_size.into());
                reader.body.skip(widths.into());
                reader.part = Part::Attributes;
                reader.attribute_size = 0;
                reader.tally.word = attribute_size.into();
                (reader.value_size > 0).then_some(Some(3)).ok_or(())
            }
            Part::Value => {
                reader.rows += 1;
                let expected = if self.data.verify { Expected::AnyValue } else { Expected::Anything };
                reader.body.open_bare(reader.value_size, expected, &self.data.values);
                reader.attribute_size = reader.tally.word as usize;
                reader.part = Part::Attributes;
                Ok(Some(0))
            }
            Part::Attributes => {
                reader.body.skip(reader.attribute_size);
                let entry = reader.value_size + reader.tally.word as usize;
                let left = reader.left.checked_sub(reader.attribute_size).ok_or(())?;
                reader.part = if left >= entry + trailer { Part::Value } else { Part::Rest };
                Ok(Some(0))
            }
            Part::Rest if trailer > 0 && reader.left == trailer => {
                let Some(bytes) = input.first_chunk::<4>() else { return Ok(None) };
                (u32::from_le_bytes(*bytes) == reader.rows).then_some(Some(4)).ok_or(())
            }
            Part::Rest => Err(()),
        }
    }

    fn take_head(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        let Some(head) = input.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let payload_len = len.checked_sub(2).filter(|_| len <= MAX_REPLY_BYTES).ok_or(())?;
        let code = i16::from_le_bytes([head[4], head[5]]);
        let is_count = asks_count(asked);
        reader.left = HEAD_BYTES + payload_len;
        match code {
            0 if is_count => {
                let rest = payload_len.checked_sub(4).ok_or(())?;
                let Some(bytes) = input.get(HEAD_BYTES..HEAD_BYTES + 4) else { return Ok(None) };
                reader.tally.word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into();
                reader.body.skip(rest);
                return Ok(Some(HEAD_BYTES + 4));
            }
            0 if asked.shape.kind.takes_entries() && payload_len > 0 => reader.part = Part::RangeHead,
            0 => reader.body.skip(payload_len),
            NO_SUCH_KEY => {
                reader.tally.misses += 1;
                reader.body.skip(payload_len);
            }
            KEY_EXISTS if asked.stage == 1 => reader.body.skip(payload_len),
            _ => {
                reader.tally.is_refused = true;
                reader.body.skip(payload_len);
            }
        }
        Ok(Some(HEAD_BYTES))
    }
}

/// The last n of a list are found by its length.
fn asks_count(asked: &Asked<'_>) -> bool {
    asked.shape.kind == OperationKind::ListLength
        || asked.shape.kind == OperationKind::RangeLast && asked.stage == 0
}

fn end(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
    let Reader { body, rows, mut tally, .. } = std::mem::take(reader);
    let is_insert = !asked.shape.kind.is_read();
    if asked.shape.kind == OperationKind::RangeLast
        && asked.stage == 0
        && !tally.is_refused
        && tally.misses == 0
    {
        return Step::Follow { used, word: tally.word };
    }
    // In 0.3 a list must be made before it is put into: insert, create, insert.
    let must_create = is_insert && asked.stage == 0 && tally.misses > 0;
    if must_create || is_insert && asked.stage == 1 && !tally.is_refused {
        return Step::Follow { used, word: asked.word };
    }
    tally.is_refused |= is_insert && tally.misses > 0;
    tally.misses = if tally.is_refused { 0 } else { tally.misses };
    tally.hits = rows;
    tally.read(&body);
    tally.conclude(asked, used)
}

impl Driver for Memlink {
    type Greeting = MemlinkGreeting;
    type Reader = Reader;

    fn needs_scout(&self) -> bool {
        self.version.has_tables
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> MemlinkGreeting {
        match role {
            Role::Load => self.push(out, PING, |_| {}),
            Role::Scout => self.push(out, CREATE, |out| {
                out.extend_from_slice(&self.table);
                self.push_format(out);
            }),
        }
        MemlinkGreeting { role }
    }

    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        use OperationKind as Kind;
        let entries = u64::from(asked.shape.entries);
        match (asked.shape.kind, asked.stage) {
            (Kind::ListInsertHead | Kind::ListInsertTail, 1) => self.push(out, CREATE, |out| {
                self.push_key(out, asked.keys[0]);
                self.push_format(out);
            }),
            (Kind::ListInsertHead | Kind::ListInsertTail, _) => self.push_insert(asked, out),
            (Kind::ListLength, _) | (Kind::RangeLast, 0) => self.push_count(asked, out),
            (Kind::RangeLast, _) => self.push_range(asked, asked.word.saturating_sub(entries) as u32, out),
            _ => self.push_range(asked, asked.shape.from_entry, out),
        }
    }

    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        loop {
            let before = used;
            if reader.body.is_open() {
                used += reader.body.consume(&input[used..], &self.data.values).unwrap_or(0);
            } else {
                match self.take(reader, asked, &input[used..]) {
                    Ok(Some(count)) => used += count,
                    Ok(None) => return Step::More { used },
                    Err(()) => return Step::Broken,
                }
            }
            let Some(left) = reader.left.checked_sub(used - before) else { return Step::Broken };
            reader.left = left;
            if left == 0 && !reader.body.is_open() {
                return end(reader, asked, used);
            }
            if reader.body.is_open() && used == input.len() {
                return Step::More { used };
            }
        }
    }
}

/// One reply: to PING, which the write port does not know, or to the making of the table.
#[derive(Debug)]
pub struct MemlinkGreeting {
    role: Role,
}

impl Greeting for MemlinkGreeting {
    fn advance(&mut self, input: &[u8], _: &mut Vec<u8>) -> Greeted {
        let Some(head) = input.first_chunk::<HEAD_BYTES>() else { return Greeted::More { used: 0 } };
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if !(2..4096).contains(&len) {
            return Greeted::Broken("no reply of Memlink".to_owned());
        }
        if input.len() < 4 + len {
            return Greeted::More { used: 0 };
        }
        match (i16::from_le_bytes([head[4], head[5]]), self.role) {
            (0, _) | (NO_SUCH_COMMAND, Role::Load) | (TABLE_EXISTS, Role::Scout) => {
                Greeted::Ready { used: 4 + len }
            }
            (code, _) => Greeted::Refused(format!("Memlink answers the greeting with {code}")),
        }
    }
}
