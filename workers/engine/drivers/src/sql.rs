//! Operations as SQL statements, in the dialects of MySQL and PostgreSQL.
//!
//! Values stand in a table of keys (`k`), values (`v`) and counters (`n`), entries of lists in a second one, in the
//! order of `s`: entries at the tail count up from the first one, entries at the head down.

use loadstone_load::driver::Shape;
use loadstone_spec::plan::{EnginePlan, OperationKind as Kind};

use crate::data::command_of;

/// Whose words are used where the two differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    MySql,
    Postgres,
}

/// What stands in a statement at one place. Numbers count the keys of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Param {
    Key(usize),
    Counter,
    Value(usize),
    /// The place of an entry in its list: its serial number, or that below zero.
    Tail,
    Head,
    /// What the stage before has found out.
    Word,
}

/// One column of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Key,
    Number,
    Value,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text(String),
    Param(Param),
}

/// One statement with its places.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub pieces: Vec<Piece>,
    /// The columns of its rows; empty where rows are not looked into.
    pub columns: &'static [Column],
}

impl Statement {
    /// The statement with a mark for every place.
    pub(crate) fn marked(&self, dialect: Dialect) -> String {
        let mut number = 0;
        let mark = |piece: &Piece| match (piece, dialect) {
            (Piece::Text(text), _) => text.clone(),
            (Piece::Param(_), Dialect::MySql) => "?".to_owned(),
            (Piece::Param(_), Dialect::Postgres) => {
                number += 1;
                format!("${number}")
            }
        };
        self.pieces.iter().map(mark).collect()
    }

    pub(crate) fn params(&self) -> impl Iterator<Item = Param> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Param(param) => Some(*param),
            Piece::Text(_) => None,
        })
    }
}

/// What is sent for one stage of an operation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub statements: Vec<Statement>,
    /// All statements are repeated for each key, between BEGIN and COMMIT.
    pub is_transaction: bool,
}

impl Script {
    /// How many results come back.
    pub(crate) fn results(&self, shape: &Shape) -> usize {
        let repeats = if self.is_transaction { shape.keys_per_request } else { 1 };
        self.statements.len() * repeats + if self.is_transaction { 2 } else { 0 }
    }
}

/// A statement from a text in which `#` is the table, `~` the table of lists, and a word behind `:` a place.
fn parse(text: &str, table: &str, columns: &'static [Column]) -> Statement {
    let text = text.replace('#', table).replace('~', &format!("{table}_list"));
    let mut parts = text.split(':');
    let mut pieces = vec![Piece::Text(parts.next().unwrap_or("").to_owned())];
    for part in parts {
        let (param, rest) = part.split_at(1);
        let param = match param {
            "k" => Param::Key(0),
            "c" => Param::Counter,
            "v" => Param::Value(0),
            "t" => Param::Tail,
            "h" => Param::Head,
            _ => Param::Word,
        };
        pieces.extend([Piece::Param(param), Piece::Text(rest.to_owned())]);
    }
    Statement { pieces, columns }
}

/// The statements that make the tables.
pub(crate) fn preparation(plan: &EnginePlan, dialect: Dialect) -> Vec<String> {
    let table = table_of(plan);
    let (bytes, blob) = match dialect {
        Dialect::MySql => ("VARBINARY(255)", "LONGBLOB"),
        Dialect::Postgres => ("BYTEA", "BYTEA"),
    };
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS {table} (k {bytes} NOT NULL PRIMARY KEY, v {blob} NOT NULL, n BIGINT NOT NULL DEFAULT 0)"
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {table}_list (k {bytes} NOT NULL, s BIGINT NOT NULL, v {blob} NOT NULL, PRIMARY KEY (k, s))"
        ),
    ]
}

fn table_of(plan: &EnginePlan) -> &str {
    plan.target.table.as_deref().unwrap_or("loadstone")
}

/// The first and the second stage of an operation.
pub(crate) fn scripts_of(plan: &EnginePlan, shape: &Shape, dialect: Dialect) -> [Script; 2] {
    use Column::{Key, Number, Value};
    let table = table_of(plan);
    let one = |text: &str, columns: &'static [Column]| vec![parse(text, table, columns)];
    let upsert = match dialect {
        Dialect::MySql => "INSERT INTO # (k, v) VALUES (:k, :v) ON DUPLICATE KEY UPDATE v = VALUES(v)",
        Dialect::Postgres => {
            "INSERT INTO # (k, v) VALUES (:k, :v) ON CONFLICT (k) DO UPDATE SET v = excluded.v"
        }
    };
    let update = "UPDATE # SET v = :v WHERE k = :k";
    let select = "SELECT v FROM # WHERE k = :k";
    let mut second = Vec::new();
    let first = match shape.kind {
        Kind::Get => one(select, &[Value]),
        Kind::Set | Kind::Insert => one(upsert, &[]),
        Kind::Update | Kind::Replace => one(update, &[]),
        Kind::SqlReplace => one("REPLACE INTO # (k, v) VALUES (:k, :v)", &[]),
        Kind::DeleteInsert => {
            let insert = parse("INSERT INTO # (k, v) VALUES (:k, :v)", table, &[]);
            vec![parse("DELETE FROM # WHERE k = :k", table, &[]), insert]
        }
        Kind::Delete => one("DELETE FROM # WHERE k = :k", &[]),
        Kind::Add => one(add_of(dialect), &[]),
        Kind::Append => one(append_of(dialect), &[]),
        Kind::Incr => one(incr_of(dialect), &[]),
        Kind::ReadModifyWrite => {
            second = one(update, &[]);
            one(select, &[Value])
        }
        Kind::CompareAndSet => {
            second = one("UPDATE # SET v = :v, n = n + 1 WHERE k = :k AND n = :w", &[]);
            one("SELECT n, v FROM # WHERE k = :k", &[Number, Value])
        }
        Kind::Scan => {
            let limit = if shape.draws_entries() { ":w".to_owned() } else { shape.entries.to_string() };
            one(&format!("SELECT k, v FROM # WHERE k >= :k ORDER BY k LIMIT {limit}"), &[Key, Value])
        }
        Kind::MultiGet => vec![select_many(table, shape.keys_per_request)],
        Kind::MultiSet => vec![upsert_many(table, shape.keys_per_request, dialect)],
        Kind::Custom => vec![custom(command_of(plan, shape))],
        _ => one(&list_of(shape), if shape.kind == Kind::ListLength { &[Number] } else { &[Value] }),
    };
    let is_many = matches!(shape.kind, Kind::MultiGet | Kind::MultiSet);
    let is_transaction = shape.keys_per_request > 1 && !is_many;
    [Script { statements: first, is_transaction }, Script { statements: second, is_transaction: false }]
}

fn add_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::MySql => "INSERT IGNORE INTO # (k, v) VALUES (:k, :v)",
        Dialect::Postgres => "INSERT INTO # (k, v) VALUES (:k, :v) ON CONFLICT DO NOTHING",
    }
}

fn append_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::MySql => "UPDATE # SET v = CONCAT(v, :v) WHERE k = :k",
        Dialect::Postgres => "UPDATE # SET v = v || :v WHERE k = :k",
    }
}

fn incr_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::MySql => "INSERT INTO # (k, v, n) VALUES (:c, '', 1) ON DUPLICATE KEY UPDATE n = n + 1",
        Dialect::Postgres => {
            "INSERT INTO # AS t (k, v, n) VALUES (:c, '', 1) ON CONFLICT (k) DO UPDATE SET n = t.n + 1"
        }
    }
}

fn list_of(shape: &Shape) -> String {
    let (entries, from) = (shape.entries, shape.from_entry);
    match shape.kind {
        Kind::ListInsertHead => "INSERT INTO ~ (k, s, v) VALUES (:k, :h, :v)".to_owned(),
        Kind::ListInsertTail => "INSERT INTO ~ (k, s, v) VALUES (:k, :t, :v)".to_owned(),
        Kind::RangeFirst => format!("SELECT v FROM ~ WHERE k = :k ORDER BY s LIMIT {entries}"),
        Kind::RangeLast => format!("SELECT v FROM ~ WHERE k = :k ORDER BY s DESC LIMIT {entries}"),
        Kind::Range => format!("SELECT v FROM ~ WHERE k = :k ORDER BY s LIMIT {entries} OFFSET {from}"),
        _ => "SELECT COUNT(*) FROM ~ WHERE k = :k".to_owned(),
    }
}

fn select_many(table: &str, keys: usize) -> Statement {
    let mut pieces = vec![Piece::Text(format!("SELECT k, v FROM {table} WHERE k IN ("))];
    for key in 0..keys {
        let behind = if key + 1 < keys { ", " } else { ")" };
        pieces.extend([Piece::Param(Param::Key(key)), Piece::Text(behind.to_owned())]);
    }
    Statement { pieces, columns: &[Column::Key, Column::Value] }
}

fn upsert_many(table: &str, keys: usize, dialect: Dialect) -> Statement {
    let mut pieces = vec![Piece::Text(format!("INSERT INTO {table} (k, v) VALUES ("))];
    let end = match dialect {
        Dialect::MySql => ") ON DUPLICATE KEY UPDATE v = VALUES(v)",
        Dialect::Postgres => ") ON CONFLICT (k) DO UPDATE SET v = excluded.v",
    };
    for key in 0..keys {
        let behind = if key + 1 < keys { "), (" } else { end };
        let (comma, behind) = (Piece::Text(", ".to_owned()), Piece::Text(behind.to_owned()));
        pieces.extend([Piece::Param(Param::Key(key)), comma, Piece::Param(Param::Value(key)), behind]);
    }
    Statement { pieces, columns: &[] }
}

fn custom(command: &str) -> Statement {
    let mut pieces = Vec::new();
    let mut rest = command;
    while let Some(at) = [rest.find("{key}"), rest.find("{value}")].into_iter().flatten().min() {
        let (param, len) = if rest[at..].starts_with("{key}") {
            (Param::Key(0), "{key}".len())
        } else {
            (Param::Value(0), "{value}".len())
        };
        pieces.extend([Piece::Text(rest[..at].to_owned()), Piece::Param(param)]);
        rest = &rest[at + len..];
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Statement { pieces, columns: &[] }
}

/// What rows and changed rows mean for an operation: hits and misses.
pub(crate) fn count_hits(shape: &Shape, stage: u8, rows: u64, affected: u64) -> (u32, u32) {
    let keys = shape.keys_per_request as u64;
    match shape.kind {
        Kind::Get | Kind::MultiGet => (rows as u32, keys.saturating_sub(rows) as u32),
        Kind::CompareAndSet if stage == 0 => (rows as u32, u32::from(rows == 0)),
        Kind::Add | Kind::Replace | Kind::Update | Kind::Append | Kind::Delete | Kind::CompareAndSet => {
            let hits = affected.min(keys);
            (hits as u32, (keys - hits) as u32)
        }
        kind if kind.takes_entries() => (rows as u32, 0),
        _ => (0, 0),
    }
}
