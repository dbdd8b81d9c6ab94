//! MySQL's protocol, as MySQL and MariaDB speak it: prepared statements, or statements as text.

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Role, Shape, Step};
use loadstone_spec::plan::{Address, Database, EnginePlan, MAX_VALUE_BYTES, OperationKind, StoreProtocol};

use crate::body::{Body, Expected};
use crate::data::Data;
use crate::mysql_greeting::{Login, MySqlGreeting};
use crate::mysql_packets::{self as packets, COM_QUERY, COM_STMT_EXECUTE, HEAD_BYTES, read_number};
use crate::sql::{Column, Dialect, Param, Piece, Script, Statement, count_hits, preparation, scripts_of};
use crate::tally::Tally;

const TYPE_LONG_LONG: u8 = 0x08;
const TYPE_VAR_STRING: u8 = 0xfd;
const EOF: u8 = 0xfe;
const ERROR: u8 = 0xff;
/// Longer payloads that begin with `0xfe` are rows.
const MAX_EOF_BYTES: usize = 8;

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct MySql {
    data: Data,
    /// The first and the second stage of every operation of the plan, and the number of its first statement.
    scripts: Vec<[(Script, u32); 2]>,
    is_prepared: bool,
    scout: Arc<Login>,
    load: Arc<Login>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    part: Part,
    results: usize,
    rows: u64,
    affected: u64,
    tally: Tally,
}

/// What the next packet is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Columns(u64),
    ColumnsEnd,
    Rows,
}

impl MySql {
    /// Writes the statements of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let is_prepared = plan.target.protocol == StoreProtocol::Mysql;
        let mut statements = Vec::new();
        let mut number = |script: Script| {
            let first = statements.len() as u32;
            statements.extend(script.statements.iter().map(|statement| statement.marked(Dialect::MySql)));
            (script, first)
        };
        let scripts = Shape::all_of(plan)
            .iter()
            .map(|shape| scripts_of(plan, shape, Dialect::MySql).map(&mut number))
            .collect();
        let login = |queries, statements| Arc::new(login_of(plan, queries, statements));
        Self {
            data: Data::new(plan),
            scripts,
            is_prepared,
            scout: login(preparation(plan, Dialect::MySql), Vec::new()),
            load: login(Vec::new(), if is_prepared { statements } else { Vec::new() }),
        }
    }

    #[inline]
    fn script(&self, asked: &Asked<'_>) -> &(Script, u32) {
        &self.scripts[asked.shape.slot][usize::from(asked.stage & 1)]
    }

    #[inline]
    fn push_execute(
        &self,
        out: &mut Vec<u8>,
        number: u32,
        statement: &Statement,
        asked: &Asked<'_>,
        base: usize,
    ) {
        let start = packets::begin(out, 0);
        out.push(COM_STMT_EXECUTE);
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        let count = statement.params().count();
        if count > 0 {
            out.resize(out.len() + count.div_ceil(8), 0);
            out.push(1);
            statement.params().for_each(|param| out.extend_from_slice(&[type_of(param), 0]));
            statement.params().for_each(|param| self.push_param(out, param, asked, base));
        }
        packets::end(out, start);
    }

    #[inline]
    fn push_param(&self, out: &mut Vec<u8>, param: Param, asked: &Asked<'_>, base: usize) {
        match param {
            Param::Key(at) => {
                let key = asked.keys[base + at];
                packets::push_number(out, self.data.keys.len_of(key) as u64);
                self.data.keys.append(key, out);
            }
            Param::Counter => {
                packets::push_number(out, self.data.counters.len_of(asked.keys[base]) as u64);
                self.data.counters.append(asked.keys[base], out);
            }
            Param::Value(at) => {
                let id = self.data.value_id(asked.shape, asked.keys[base + at], asked.word);
                packets::push_number(out, self.data.values.size_bytes(id) as u64);
                self.data.values.append(id, out);
            }
            Param::Tail | Param::Word => out.extend_from_slice(&asked.word.to_le_bytes()),
            Param::Head => out.extend_from_slice(&asked.word.wrapping_neg().to_le_bytes()),
        }
    }

    fn push_query(&self, out: &mut Vec<u8>, statement: &Statement, asked: &Asked<'_>, base: usize) {
        let start = packets::begin(out, 0);
        out.push(COM_QUERY);
        for piece in &statement.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Param(param) => self.push_literal(out, *param, asked, base),
            }
        }
        packets::end(out, start);
    }

    fn push_literal(&self, out: &mut Vec<u8>, param: Param, asked: &Asked<'_>, base: usize) {
        let mut number = itoa::Buffer::new();
        let escape = |from: usize, out: &mut Vec<u8>| {
            let plain = out.split_off(from);
            out.extend_from_slice(b"_binary'");
            for byte in plain {
                match byte {
                    0 => out.extend_from_slice(b"\\0"),
                    // Doubled, which ends the text in no mode of the server; `\'` does where it knows no escapes.
                    b'\'' => out.extend_from_slice(b"''"),
                    b'\\' => out.extend_from_slice(b"\\\\"),
                    _ => out.push(byte),
                }
            }
            out.push(b'\'');
        };
        let from = out.len();
        match param {
            Param::Key(at) => self.data.keys.append(asked.keys[base + at], out),
            Param::Counter => self.data.counters.append(asked.keys[base], out),
            Param::Value(at) => {
                self.data
                    .values
                    .append(self.data.value_id(asked.shape, asked.keys[base + at], asked.word), out);
            }
            Param::Tail | Param::Word => {
                return out.extend_from_slice(number.format(asked.word as i64).as_bytes());
            }
            Param::Head => {
                return out.extend_from_slice(number.format(asked.word.wrapping_neg() as i64).as_bytes());
            }
        }
        escape(from, out);
    }

    /// Takes in one packet, or the beginning of a row up to its value. Nothing when a piece is missing.
    #[inline]
    fn take(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        let Some(len) = packets::payload_len(input) else { return Ok(None) };
        let Some(&first) = input.get(HEAD_BYTES).filter(|_| len > 0) else {
            return if len == 0 { Err(()) } else { Ok(None) };
        };
        match reader.part {
            Part::Head => return take_head(reader, len, input),
            Part::Columns(1) => reader.part = Part::ColumnsEnd,
            Part::Columns(left) => reader.part = Part::Columns(left - 1),
            Part::ColumnsEnd if first == EOF && len <= MAX_EOF_BYTES => reader.part = Part::Rows,
            Part::ColumnsEnd => return Err(()),
            Part::Rows if first == EOF && len <= MAX_EOF_BYTES => end_result(reader),
            Part::Rows if first == ERROR => {
                reader.tally.is_refused = true;
                end_result(reader);
            }
            Part::Rows => return self.open_row(reader, asked, len, input),
        }
        reader.body.skip(len);
        Ok(Some(HEAD_BYTES))
    }

    /// The columns before the value; the value itself follows as a body.
    #[inline]
    fn open_row(
        &self,
        reader: &mut Reader,
        asked: &Asked<'_>,
        len: usize,
        input: &[u8],
    ) -> Result<Option<usize>, ()> {
        let columns = self.script(asked).0.statements.first().map_or(&[][..], |statement| statement.columns);
        let mut used = HEAD_BYTES;
        if self.is_prepared {
            // A zero and the bits of nulls, which no column of ours is.
            used += 1 + (columns.len() + 9) / 8;
        }
        let mut expected = Expected::Anything;
        if self.data.verify && !columns.is_empty() {
            let is_of_lists = asked.shape.kind.is_of_lists();
            expected = if is_of_lists { Expected::AnyValue } else { self.data.expected(asked.keys[0]) };
        }
        for column in columns {
            match column {
                Column::Number => {
                    let Some((number, number_len)) =
                        self.read_column_number(&input[used.min(input.len())..])?
                    else {
                        return Ok(None);
                    };
                    reader.tally.word = number;
                    used += number_len;
                }
                Column::Key | Column::Value => {
                    let Some((size, size_len)) = read_number(&input[used.min(input.len())..])? else {
                        return Ok(None);
                    };
                    used += size_len;
                    if *column == Column::Value {
                        break;
                    }
                    let size = usize::try_from(size)
                        .map_err(|_| ())
                        .and_then(|size| if size > 255 { Err(()) } else { Ok(size) })?;
                    let Some(key) = input.get(used..used + size) else { return Ok(None) };
                    let key = self.data.keys.parse(key).filter(|key| is_asked_for(asked, *key));
                    reader.tally.is_wrong |= self.data.verify && key.is_none();
                    expected = key
                        .filter(|_| self.data.verify)
                        .map_or(Expected::Anything, |key| self.data.expected(key));
                    used += size;
                }
            }
        }
        if input.len() < used {
            return Ok(None);
        }
        reader.rows += 1;
        let rest = (HEAD_BYTES + len).checked_sub(used).ok_or(())?;
        if rest as u64 > 2 * MAX_VALUE_BYTES {
            return Err(());
        }
        reader.body.open_bare(rest, expected, &self.data.values);
        Ok(Some(used))
    }

    fn read_column_number(&self, input: &[u8]) -> Result<Option<(u64, usize)>, ()> {
        if self.is_prepared {
            return Ok(input.first_chunk::<8>().map(|bytes| (u64::from_le_bytes(*bytes), 8)));
        }
        let Some((len, len_len)) = read_number(input)? else { return Ok(None) };
        let end = len_len + usize::try_from(len).map_err(|_| ())?.min(32);
        let Some(digits) = input.get(len_len..end) else { return Ok(None) };
        let text = std::str::from_utf8(digits).map_err(|_| ())?;
        text.parse::<i64>().map(|number| Some((number as u64, end))).map_err(|_| ())
    }
}

/// A scan returns keys that nobody has named.
fn is_asked_for(asked: &Asked<'_>, key: u64) -> bool {
    asked.shape.kind == OperationKind::Scan || asked.keys.contains(&key)
}

fn take_head(reader: &mut Reader, len: usize, input: &[u8]) -> Result<Option<usize>, ()> {
    let Some(payload) = input.get(HEAD_BYTES..HEAD_BYTES + len.min(20)) else { return Ok(None) };
    match payload[0] {
        0 => {
            let Some((affected, _)) = read_number(&payload[1..])? else { return Err(()) };
            reader.affected = reader.affected.saturating_add(affected);
            end_result(reader);
        }
        ERROR => {
            reader.tally.is_refused = true;
            end_result(reader);
        }
        _ => match read_number(payload)? {
            Some((columns @ 1..=4096, _)) => reader.part = Part::Columns(columns),
            _ => return Err(()),
        },
    }
    if len > 64 * 1024 {
        return Err(());
    }
    // What is left of the packet, a text for people, is skipped over.
    let rest = len - payload.len();
    reader.body.skip(rest);
    Ok(Some(HEAD_BYTES + payload.len()))
}

fn end_result(reader: &mut Reader) {
    reader.part = Part::Head;
    reader.results += 1;
}

fn type_of(param: Param) -> u8 {
    match param {
        Param::Key(_) | Param::Counter | Param::Value(_) => TYPE_VAR_STRING,
        Param::Tail | Param::Head | Param::Word => TYPE_LONG_LONG,
    }
}

fn login_of(plan: &EnginePlan, queries: Vec<String>, statements: Vec<String>) -> Login {
    let target = &plan.target;
    Login {
        username: target.username.clone().unwrap_or_else(|| "root".to_owned()),
        password: target.password.clone().unwrap_or_default(),
        database: match &target.database {
            Some(Database::Name(name)) => name.clone(),
            _ => "test".to_owned(),
        },
        uses_tls: target.tls.is_some(),
        is_private: target.tls.is_some() || matches!(target.address, Address::Unix(_)),
        queries,
        statements,
    }
}

impl Driver for MySql {
    type Greeting = MySqlGreeting;
    type Reader = Reader;

    fn needs_scout(&self) -> bool {
        true
    }

    fn greet(&self, role: Role, _: &mut Vec<u8>) -> MySqlGreeting {
        MySqlGreeting::new(if role == Role::Scout { &self.scout } else { &self.load })
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let (script, first) = self.script(asked);
        let first = first + asked.session as u32;
        let push_all = |base: usize, out: &mut Vec<u8>| {
            for (number, statement) in script.statements.iter().enumerate() {
                if self.is_prepared {
                    self.push_execute(out, first + number as u32, statement, asked, base);
                } else {
                    self.push_query(out, statement, asked, base);
                }
            }
        };
        if script.is_transaction {
            packets::push_command(out, COM_QUERY, b"BEGIN");
            (0..asked.keys.len()).for_each(|base| push_all(base, out));
            packets::push_command(out, COM_QUERY, b"COMMIT");
        } else {
            push_all(0, out);
        }
    }

    #[inline]
    fn read(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Step {
        let mut used = 0;
        let results = self.script(asked).0.results(asked.shape);
        loop {
            if reader.body.is_open() {
                used += reader.body.consume(&input[used..], &self.data.values).unwrap_or(0);
                if reader.body.is_open() {
                    return Step::More { used };
                }
            }
            if reader.results == results {
                let Reader { body, rows, affected, mut tally, .. } = std::mem::take(reader);
                (tally.hits, tally.misses) = count_hits(asked.shape, asked.stage, rows, affected);
                tally.read(&body);
                return tally.conclude(asked, used);
            }
            match self.take(reader, asked, &input[used..]) {
                Ok(Some(count)) => used += count,
                Ok(None) => return Step::More { used },
                Err(()) => return Step::Broken,
            }
        }
    }
}
