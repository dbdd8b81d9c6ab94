//! MongoDB's OP_MSG. Values are documents of a key (`_id`), bytes (`v`) and a counter (`n`); entries of lists are
//! documents of their own, of a key (`k`), their place (`s`) and bytes (`v`).

use std::sync::Arc;

use loadstone_load::driver::{Asked, Driver, Role, Step};
use loadstone_spec::plan::{Database, EnginePlan, MAX_VALUE_BYTES, OperationKind};

use crate::body::{Body, Expected};
use crate::bson::{self, Writer};
use crate::data::Data;
use crate::mongodb_greeting::{HEAD_BYTES, Login, MongoGreeting, message_len, push_message};
use crate::sql::count_hits;
use crate::tally::Tally;

/// Documents within documents; replies to what is asked here have four.
const MAX_DEPTH: usize = 16;
const MAX_NAME_BYTES: usize = 256;

/// The protocol with everything that is the same for all connections.
#[derive(Debug)]
pub struct MongoDb {
    data: Data,
    collection: String,
    lists: String,
    login: Arc<Login>,
}

/// Where a connection stands within a reply.
#[derive(Debug, Default)]
pub struct Reader {
    body: Body,
    is_begun: bool,
    left: usize,
    places: [Place; MAX_DEPTH],
    depth: usize,
    key: Option<u64>,
    rows: u64,
    matched: u64,
    upserted: u64,
    tally: Tally,
}

/// What a document within the reply is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Root,
    Cursor,
    Batch,
    Row,
    Upserted,
    Errors,
    Other,
}

impl MongoDb {
    /// Prepares the protocol for a plan.
    pub fn new(plan: &EnginePlan) -> Self {
        let target = &plan.target;
        let collection = target.table.clone().unwrap_or_else(|| "loadstone".to_owned());
        let lists = format!("{collection}_list");
        let login = Login {
            credentials: target.username.clone().zip(target.password.clone()),
            database: match &target.database {
                Some(Database::Name(name)) => name.clone(),
                _ => "test".to_owned(),
            },
            lists: plan.is_of_lists().then(|| lists.clone()),
        };
        Self { data: Data::new(plan), collection, lists, login: Arc::new(login) }
    }

    fn key(&self, w: &mut Writer<'_>, name: &str, key: u64) {
        w.string_of(name, |out| self.data.keys.append(key, out));
    }

    fn value(&self, w: &mut Writer<'_>, asked: &Asked<'_>, key: u64) {
        let id = self.data.value_id(asked.shape, key, asked.word);
        w.binary_of("v", |out| self.data.values.append(id, out));
    }

    fn push_find(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let shape = asked.shape;
        let (mut limit, mut order, mut skip) = (1, None, 0);
        let is_of_lists = shape.kind.is_of_lists();
        push_message(out, |w| {
            w.string("find", if is_of_lists { &self.lists } else { &self.collection });
            w.document("filter", |w| match shape.kind {
                OperationKind::MultiGet => {
                    limit = shape.keys_per_request as i32;
                    w.document("_id", |w| {
                        w.array("$in", |w| {
                            let mut name = itoa::Buffer::new();
                            let keys = asked.keys.iter().enumerate();
                            keys.for_each(|(place, &key)| self.key(w, name.format(place), key));
                        });
                    });
                }
                OperationKind::Scan => {
                    let keys = if shape.draws_entries() { asked.word as i32 } else { shape.entries as i32 };
                    (limit, order) = (keys, Some(("_id", 1)));
                    w.document("_id", |w| self.key(w, "$gte", asked.keys[0]));
                }
                kind if kind.is_of_lists() => {
                    let direction = if kind == OperationKind::RangeLast { -1 } else { 1 };
                    (limit, order, skip) =
                        (shape.entries as i32, Some(("s", direction)), shape.from_entry as i32);
                    self.key(w, "k", asked.keys[0]);
                }
                _ => self.key(w, "_id", asked.keys[0]),
            });
            if let Some((name, direction)) = order {
                w.document("sort", |w| w.int32(name, direction));
            }
            if skip > 0 {
                w.int32("skip", skip);
            }
            w.int32("limit", limit);
            if limit > 1 {
                w.int32("batchSize", limit);
            }
            w.yes("singleBatch");
            w.string("$db", &self.login.database);
        });
    }

    fn push_update(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        use OperationKind as Kind;
        let kind = asked.shape.kind;
        push_message(out, |w| {
            w.string("update", &self.collection);
            w.array("updates", |w| {
                let mut name = itoa::Buffer::new();
                for (place, &key) in asked.keys.iter().enumerate() {
                    w.document(name.format(place), |w| {
                        self.push_change(w, asked, key);
                        if matches!(kind, Kind::Set | Kind::MultiSet | Kind::Insert | Kind::Add | Kind::Incr)
                        {
                            w.yes("upsert");
                        }
                    });
                }
            });
            w.string("$db", &self.login.database);
        });
    }

    /// `q` and `u` of one update.
    fn push_change(&self, w: &mut Writer<'_>, asked: &Asked<'_>, key: u64) {
        use OperationKind as Kind;
        let kind = asked.shape.kind;
        w.document("q", |w| match kind {
            Kind::Incr => w.string_of("_id", |out| self.data.counters.append(key, out)),
            _ => {
                self.key(w, "_id", key);
                if kind == Kind::CompareAndSet {
                    w.int64("n", asked.word as i64);
                }
            }
        });
        w.document("u", |w| match kind {
            Kind::Incr => w.document("$inc", |w| w.int64("n", 1)),
            Kind::Add => w.document("$setOnInsert", |w| {
                self.value(w, asked, key);
                w.int64("n", 0);
            }),
            _ => {
                w.document("$set", |w| self.value(w, asked, key));
                match kind {
                    Kind::CompareAndSet => w.document("$inc", |w| w.int64("n", 1)),
                    Kind::Set | Kind::MultiSet | Kind::Insert => {
                        w.document("$setOnInsert", |w| w.int64("n", 0));
                    }
                    _ => {}
                }
            }
        });
    }

    fn push_delete(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        push_message(out, |w| {
            w.string("delete", &self.collection);
            w.array("deletes", |w| {
                w.document("0", |w| {
                    w.document("q", |w| self.key(w, "_id", asked.keys[0]));
                    w.int32("limit", 1);
                });
            });
            w.string("$db", &self.login.database);
        });
    }

    fn push_entry(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let is_head = asked.shape.kind == OperationKind::ListInsertHead;
        let place = if is_head { asked.word.wrapping_neg() } else { asked.word } as i64;
        push_message(out, |w| {
            w.string("insert", &self.lists);
            w.array("documents", |w| {
                w.document("0", |w| {
                    w.string_of("_id", |out| {
                        self.data.keys.append(asked.keys[0], out);
                        out.push(b':');
                        out.extend_from_slice(itoa::Buffer::new().format(place).as_bytes());
                    });
                    self.key(w, "k", asked.keys[0]);
                    w.int64("s", place);
                    self.value(w, asked, asked.keys[0]);
                });
            });
            w.string("$db", &self.login.database);
        });
    }

    fn push_count(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        push_message(out, |w| {
            w.string("count", &self.lists);
            w.document("query", |w| self.key(w, "k", asked.keys[0]));
            w.string("$db", &self.login.database);
        });
    }

    fn expect(&self, reader: &Reader, asked: &Asked<'_>) -> Expected {
        match reader.key {
            _ if !self.data.verify => Expected::Anything,
            _ if asked.shape.kind.is_of_lists() => Expected::AnyValue,
            Some(key) => self.data.expected(key),
            None => Expected::Anything,
        }
    }

    /// Takes in the head of the message, one element or the end of a document. Nothing when a piece is missing.
    #[inline]
    fn take(&self, reader: &mut Reader, asked: &Asked<'_>, input: &[u8]) -> Result<Option<usize>, ()> {
        if !reader.is_begun {
            let Some(head) = input.first_chunk() else { return Ok(None) };
            let len = message_len(head).filter(|&len| len as u64 <= 2 * MAX_VALUE_BYTES).ok_or(())?;
            let Some(_) = input.get(..HEAD_BYTES + 9) else { return Ok(None) };
            reader.is_begun = true;
            reader.left = len;
            return Ok(Some(HEAD_BYTES + 9));
        }
        let Some((&kind, tail)) = input.split_first() else { return Ok(None) };
        if kind == 0 {
            // The end of the outermost document is the end of the message.
            reader.depth = reader.depth.checked_sub(1).or((reader.left == 1).then_some(0)).ok_or(())?;
            return Ok(Some(1));
        }
        let Some(name_len) = memchr::memchr(0, &tail[..tail.len().min(MAX_NAME_BYTES)]) else {
            return if tail.len() < MAX_NAME_BYTES { Ok(None) } else { Err(()) };
        };
        let (name, value) = (&tail[..name_len], &tail[name_len + 1..]);
        let before_value = name_len + 2;
        match kind {
            bson::DOCUMENT | bson::ARRAY => {
                reader.descend(name)?;
                Ok((value.len() >= 4).then_some(before_value + 4).or_else(|| reader.ascend()))
            }
            bson::BINARY if name == b"v" && reader.places[reader.depth] == Place::Row => {
                let Some(len) = bson::len_at(value).filter(|_| value.len() >= 5) else { return Ok(None) };
                let expected = self.expect(reader, asked);
                reader.body.open_bare(len, expected, &self.data.values);
                Ok(Some(before_value + 5))
            }
            _ => {
                let Some(len) = bson::value_len(kind, value)? else { return Ok(None) };
                if len > MAX_NAME_BYTES {
                    reader.body.skip(len);
                    return Ok(Some(before_value));
                }
                let Some(bytes) = value.get(..len) else { return Ok(None) };
                self.note(reader, asked, name, kind, bytes);
                Ok(Some(before_value + len))
            }
        }
    }

    /// What a short field says.
    fn note(&self, reader: &mut Reader, asked: &Asked<'_>, name: &[u8], kind: u8, bytes: &[u8]) {
        let number = bson::number(kind, bytes);
        match (reader.places[reader.depth], name) {
            (Place::Root, b"ok") => reader.tally.is_refused |= number != Some(1.0),
            (Place::Root, b"n") => reader.matched = number.unwrap_or(0.0) as u64,
            (Place::Row, b"n") => reader.tally.word = number.unwrap_or(0.0) as u64,
            (Place::Row, b"_id") if kind == bson::STRING && !asked.shape.kind.is_of_lists() => {
                let text = bytes.get(4..bytes.len().saturating_sub(1)).unwrap_or(&[]);
                let is_scan = asked.shape.kind == OperationKind::Scan;
                reader.key = self.data.keys.parse(text).filter(|key| is_scan || asked.keys.contains(key));
                reader.tally.is_wrong |= self.data.verify && reader.key.is_none();
            }
            _ => {}
        }
    }
}

impl Reader {
    fn descend(&mut self, name: &[u8]) -> Result<(), ()> {
        let place = match (self.places[self.depth], name) {
            (Place::Root, b"cursor") => Place::Cursor,
            (Place::Cursor, b"firstBatch") => Place::Batch,
            (Place::Batch, _) => Place::Row,
            (Place::Root, b"upserted") => Place::Upserted,
            (Place::Root, b"writeErrors") => Place::Errors,
            _ => Place::Other,
        };
        match (self.places[self.depth], place) {
            (_, Place::Row) => {
                self.rows += 1;
                self.key = None;
            }
            (Place::Upserted, _) => self.upserted += 1,
            (Place::Errors, _) => self.tally.is_refused = true,
            _ => {}
        }
        self.depth += 1;
        *self.places.get_mut(self.depth).ok_or(())? = place;
        Ok(())
    }

    /// Takes the step down back: its length has not come yet.
    fn ascend(&mut self) -> Option<usize> {
        match (self.places[self.depth - 1], self.places[self.depth]) {
            (_, Place::Row) => self.rows -= 1,
            (Place::Upserted, _) => self.upserted -= 1,
            _ => {}
        }
        self.depth -= 1;
        None
    }
}

impl Driver for MongoDb {
    type Greeting = MongoGreeting;
    type Reader = Reader;

    fn needs_scout(&self) -> bool {
        self.login.lists.is_some()
    }

    fn greet(&self, role: Role, out: &mut Vec<u8>) -> MongoGreeting {
        MongoGreeting::begin(&self.login, role == Role::Scout, out)
    }

    #[inline]
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        use OperationKind as Kind;
        match asked.shape.kind {
            Kind::ReadModifyWrite | Kind::CompareAndSet if asked.stage == 0 => self.push_find(asked, out),
            Kind::Get | Kind::MultiGet => self.push_find(asked, out),
            Kind::ListInsertHead | Kind::ListInsertTail => self.push_entry(asked, out),
            Kind::ListLength => self.push_count(asked, out),
            Kind::Delete => self.push_delete(asked, out),
            kind if kind.takes_entries() => self.push_find(asked, out),
            _ => self.push_update(asked, out),
        }
    }

    #[inline]
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
            if left == 0 {
                return end(reader, asked, used);
            }
            if reader.body.is_open() && used == input.len() {
                return Step::More { used };
            }
        }
    }
}

fn end(reader: &mut Reader, asked: &Asked<'_>, used: usize) -> Step {
    let Reader { body, rows, matched, upserted, mut tally, depth, .. } = std::mem::take(reader);
    if body.is_open() || depth > 0 {
        return Step::Broken;
    }
    let affected = if asked.shape.kind == OperationKind::Add { upserted } else { matched };
    (tally.hits, tally.misses) = count_hits(asked.shape, asked.stage, rows, affected);
    tally.read(&body);
    tally.conclude(asked, used)
}
