//! PostgreSQL's protocol: prepared statements (extended), or statements as text (simple).

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Role, Shape, Step};
use loadstone_spec::plan::{Address, Database, EnginePlan, MAX_VALUE_BYTES, OperationKind, StoreProtocol};

use crate::body::{Body, Expected};
use crate::data::Data;
use crate::postgres_greeting::{Login, PostgresGreeting, push_message, push_text};
use crate::sql::{Column, Dialect, Param, Piece, Script, Statement, count_hits, preparation, scripts_of};
use crate::tally::Tally;

const HEAD_BYTES: usize = 5;
/// Tags of commands are a few words.
const MAX_TAG_BYTES: usize = 64;

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct Postgres {
    data: Data,
    /// The first and the second stage of every operation of the plan, and the names of the statements.
    scripts: Vec<[(Script, Vec<String>); 2]>,
    is_prepared: bool,
    scout: Arc<Login>,
    load: Arc<Login>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    rows: u64,
    affected: u64,
    tally: Tally,
    is_over: bool,
}

impl Postgres {
    /// Writes the statements of a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let is_prepared = plan.target.protocol == StoreProtocol::Postgres;
        let mut statements = Vec::new();
        let mut name = |script: Script| {
            let first = statements.len();
            statements.extend(script.statements.iter().map(|statement| statement.marked(Dialect::Postgres)));
            let names = (first..statements.len()).map(|number| format!("s{number}")).collect();
            (script, names)
        };
        let scripts = Shape::all_of(plan)
            .iter()
            .map(|shape| scripts_of(plan, shape, Dialect::Postgres).map(&mut name))
            .collect();
        let login = |queries, statements| Arc::new(login_of(plan, queries, statements));
        Self {
            data: Data::new(plan),
            scripts,
            is_prepared,
            scout: login(preparation(plan, Dialect::Postgres), Vec::new()),
            load: login(Vec::new(), if is_prepared { statements } else { Vec::new() }),
        }
    }

    #[inline]
    fn script(&self, asked: &Asked<'_>) -> &(Script, Vec<String>) {
        &self.scripts[asked.shape.slot][usize::from(asked.stage & 1)]
    }

    #[inline]
    fn push_execute(
        &self,
        out: &mut Vec<u8>,
        name: &str,
        statement: &Statement,
        asked: &Asked<'_>,
        base: usize,
    ) {
        push_message(out, b'B', |out| {
            out.push(0);
            push_text(out, name);
            // All parameters and all columns are binary.
            out.extend_from_slice(&[0, 1, 0, 1]);
            out.extend_from_slice(&(statement.params().count() as u16).to_be_bytes());
            statement.params().for_each(|param| self.push_param(out, param, asked, base));
            out.extend_from_slice(&[0, 1, 0, 1]);
        });
        push_message(out, b'E', |out| out.extend_from_slice(&[0; 5]));
    }

    #[inline]
    fn push_param(&self, out: &mut Vec<u8>, param: Param, asked: &Asked<'_>, base: usize) {
        let push_len = |out: &mut Vec<u8>, len: usize| out.extend_from_slice(&(len as u32).to_be_bytes());
        match param {
            Param::Key(at) => {
                let key = asked.keys[base + at];
                push_len(out, self.data.keys.len_of(key));
                self.data.keys.append(key, out);
            }
            Param::Counter => {
                push_len(out, self.data.counters.len_of(asked.keys[base]));
                self.data.counters.append(asked.keys[base], out);
            }
            Param::Value(at) => {
                let id = self.data.value_id(asked.shape, asked.keys[base + at], asked.word);
                push_len(out, self.data.values.size_bytes(id));
                self.data.values.append(id, out);
            }
            Param::Tail | Param::Word => {
                push_len(out, 8);
                out.extend_from_slice(&asked.word.to_be_bytes());
            }
            Param::Head => {
                push_len(out, 8);
                out.extend_from_slice(&asked.word.wrapping_neg().to_be_bytes());
            }
        }
    }

    fn push_query(&self, out: &mut Vec<u8>, script: &Script, asked: &Asked<'_>) {
        push_message(out, b'Q', |out| {
            let repeats = if script.is_transaction { asked.keys.len() } else { 1 };
            // Several statements of one message are one transaction of their own.
            for base in 0..repeats {
                for statement in &script.statements {
                    statement.pieces.iter().for_each(|piece| match piece {
                        Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                        Piece::Param(param) => self.push_literal(out, *param, asked, base),
                    });
                    out.push(b';');
                }
            }
            out.push(0);
        });
    }

    fn push_literal(&self, out: &mut Vec<u8>, param: Param, asked: &Asked<'_>, base: usize) {
        let mut number = itoa::Buffer::new();
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
        let plain = out.split_off(from);
        out.extend_from_slice(b"'\\x");
        for byte in plain {
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        out.extend_from_slice(b"'::bytea");
    }

    /// Takes in one message, or the beginning of a row up to its value. Nothing when a piece is missing.
    #[inline]
    fn take(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        let Some(head) = input.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let len = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if len < 4 || len as u64 > 2 * MAX_VALUE_BYTES {
            return Err(());
        }
        let rest = len - 4;
        match head[0] {
            b'D' => return self.open_row(reader, asked, rest, input),
            b'C' => {
                let Some(tag) = input.get(HEAD_BYTES..HEAD_BYTES + rest.min(MAX_TAG_BYTES)) else {
                    return Ok(None);
                };
                reader.affected = reader.affected.saturating_add(read_tag(tag));
            }
            b'E' => reader.tally.is_refused = true,
            b'Z' => reader.is_over = true,
            b'1' | b'2' | b'3' | b'n' | b'T' | b'N' | b'S' | b'I' | b't' | b'A' => {}
            _ => return Err(()),
        }
        reader.body.skip(rest);
        Ok(Some(HEAD_BYTES))
    }

    /// The columns before the value; the value itself follows as a body.
    #[inline]
    fn open_row(
        &self,
        reader: &mut Reader,
        asked: &Asked<'_>,
        rest: usize,
        input: &[u8],
    ) -> Result<Option<usize>, ()> {
        let columns = self.script(asked).0.statements.first().map_or(&[][..], |statement| statement.columns);
        let is_number = asked.shape.kind == OperationKind::ListLength;
        let verifies = self.data.verify && !columns.is_empty() && !is_number;
        let mut expected = match asked.shape.kind.is_of_lists() {
            _ if !verifies => Expected::Anything,
            true => Expected::AnyValue,
            false => self.data.expected(asked.keys[0]),
        };
        let mut used = HEAD_BYTES + 2;
        for column in columns {
            let Some(size) = input.get(used..used + 4) else { return Ok(None) };
            let size = u32::from_be_bytes([size[0], size[1], size[2], size[3]]) as usize;
            used += 4;
            if *column == Column::Value {
                break;
            }
            // Keys as text are twice as long, and two characters more.
            let Some(bytes) = (size <= 512).then(|| input.get(used..used + size)).ok_or(())? else {
                return Ok(None);
            };
            used += size;
            match column {
                Column::Number => reader.tally.word = self.read_number(bytes).ok_or(())?,
                _ if verifies => {
                    let is_scan = asked.shape.kind == OperationKind::Scan;
                    let key = self.read_key(bytes).filter(|key| is_scan || asked.keys.contains(key));
                    reader.tally.is_wrong |= key.is_none();
                    expected = key.map_or(Expected::Anything, |key| self.data.expected(key));
                }
                _ => {}
            }
        }
        if input.len() < used {
            return Ok(None);
        }
        reader.rows += 1;
        let left = (HEAD_BYTES + rest).checked_sub(used).ok_or(())?;
        if verifies && !self.is_prepared {
            reader.body.open_hex(left, expected, &self.data.values);
        } else {
            reader.body.open_bare(left, expected, &self.data.values);
        }
        Ok(Some(used))
    }

    fn read_key(&self, bytes: &[u8]) -> Option<u64> {
        if self.is_prepared {
            return self.data.keys.parse(bytes);
        }
        let digits = bytes.strip_prefix(b"\\x")?;
        let mut key = [0; 256];
        let key = key.get_mut(..digits.len() / 2)?;
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        self.data.keys.parse(key)
    }

    fn read_number(&self, bytes: &[u8]) -> Option<u64> {
        if self.is_prepared {
            return bytes.try_into().ok().map(u64::from_be_bytes);
        }
        std::str::from_utf8(bytes).ok()?.parse::<i64>().ok().map(|number| number as u64)
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// `UPDATE 1`, `INSERT 0 1`: how many rows were changed.
fn read_tag(tag: &[u8]) -> u64 {
    let text = tag.split(|&byte| byte == 0).next().unwrap_or(&[]);
    let last = text.rsplit(|&byte| byte == b' ').next().unwrap_or(&[]);
    std::str::from_utf8(last).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

fn login_of(plan: &EnginePlan, queries: Vec<String>, statements: Vec<String>) -> Login {
    let target = &plan.target;
    let username = target.username.clone().unwrap_or_else(|| "postgres".to_owned());
    Login {
        database: match &target.database {
            Some(Database::Name(name)) => name.clone(),
            _ => username.clone(),
        },
        username,
        password: target.password.clone().unwrap_or_default(),
        is_private: target.tls.is_some() || matches!(target.address, Address::Unix(_)),
        queries,
        statements,
    }
}

impl Driver for Postgres {
    type Greeting = PostgresGreeting;
    type Reader = Reader;

    fn needs_scout(&self) -> bool {
        true
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> PostgresGreeting {
        PostgresGreeting::begin(if role == Role::Scout { &self.scout } else { &self.load }, out)
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let (script, names) = self.script(asked);
        if !self.is_prepared {
            return self.push_query(out, script, asked);
        }
        // Everything up to a Sync is one transaction.
        let repeats = if script.is_transaction { asked.keys.len() } else { 1 };
        for base in 0..repeats {
            for (statement, name) in script.statements.iter().zip(names) {
                self.push_execute(out, name, statement, asked, base);
            }
        }
        push_message(out, b'S', |_| {});
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
            if reader.is_over {
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
