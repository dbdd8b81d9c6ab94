//! What the command of a custom operation may be: the same rules as the service's, from the same list.
//!
//! A command is data that a store reads, never a program. It is checked here again because the engine is also used
//! without the service, and a store that is not ours may give its client more power than the workload needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::custom_sql::find_sql_fault;
use crate::plan::StoreProtocol;

type Words = BTreeSet<String>;

#[derive(Deserialize)]
pub(crate) struct Rules {
    resp: Words,
    resp_pairs: BTreeMap<String, Words>,
    memcached: Memcached,
    pub sql: Sql,
}

#[derive(Deserialize)]
struct Memcached {
    one_line: Words,
    /// Which word of the line tells the size of the value behind it.
    with_value: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
pub(crate) struct Sql {
    pub first_words: BTreeMap<String, Words>,
    pub before_into: Words,
    pub refused_words: Words,
    pub system_schemas: Words,
    pub functions: Words,
    pub words_before_brackets: Words,
}

/// The list that the service has too; a test holds the two against each other.
pub(crate) fn rules() -> Option<&'static Rules> {
    static RULES: OnceLock<Option<Rules>> = OnceLock::new();
    RULES.get_or_init(|| serde_json::from_str(include_str!("custom_commands.json")).ok()).as_ref()
}

/// Why the command must not be sent; nothing when it may.
pub(crate) fn find_custom_fault(protocol: StoreProtocol, command: &str) -> Option<&'static str> {
    let Some(rules) = rules() else { return Some("cannot be checked: the list of commands is broken") };
    match protocol {
        StoreProtocol::Redis | StoreProtocol::RedisResp3 | StoreProtocol::RedisCluster => {
            find_resp_fault(rules, command)
        }
        StoreProtocol::Memcached => find_memcached_fault(&rules.memcached, command),
        StoreProtocol::Mysql | StoreProtocol::MysqlText => find_sql_fault(&rules.sql, "mysql", command),
        StoreProtocol::Postgres | StoreProtocol::PostgresSimple => {
            find_sql_fault(&rules.sql, "postgres", command)
        }
        _ => None,
    }
}

fn find_resp_fault(rules: &Rules, command: &str) -> Option<&'static str> {
    let mut words = command.split_whitespace().map(str::to_ascii_uppercase);
    let first = words.next().unwrap_or_default();
    let is_pair =
        rules.resp_pairs.get(&first).zip(words.next()).is_some_and(|(known, second)| known.contains(&second));
    let is_known = rules.resp.contains(&first) || is_pair;
    (!is_known).then_some("is not a command that a workload may send: use one that reads or writes keys")
}

fn find_memcached_fault(rules: &Memcached, command: &str) -> Option<&'static str> {
    let (line, value) = command.split_once("\r\n").map_or((command, None), |(line, rest)| (line, Some(rest)));
    let words: Vec<&str> = line.split(' ').collect();
    let more = value.unwrap_or("");
    let is_broken = line.chars().chain(more.replace("\r\n", "").chars()).any(|c| c.is_ascii_control());
    if is_broken || words.iter().any(|word| word.starts_with("@@")) {
        return Some("holds a control character, or a name that begins with @@");
    }
    if rules.one_line.contains(words[0]) {
        return value.is_some().then_some("is more than one command");
    }
    let Some(&place) = rules.with_value.get(words[0]) else {
        return Some("is not a command that a workload may send: use one that reads or writes keys");
    };
    let size = words.get(place).copied().unwrap_or("");
    let fits = value.is_some_and(|value| {
        let is_literal = !has_place(value) && !value.contains("\r\n") && size == value.len().to_string();
        (size, value) == ("{value_size}", "{value}") || is_literal
    });
    (!fits).then_some("has a size that is not that of its value: use {value_size} and {value}")
}

pub(crate) fn has_place(text: &str) -> bool {
    ["{key}", "{value}", "{value_size}"].iter().any(|place| text.contains(place))
}
