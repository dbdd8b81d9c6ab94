//! Just enough of every protocol to answer a load engine: its greeting, and one operation that finds nothing.

use crate::databases::{Mongo, find_mysql, find_postgres, mysql_hello, mysql_miss, postgres_miss};

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Memcached,
    MemcachedMeta,
    MemcachedBinary,
    Redis,
    RedisResp3,
    RedisCluster,
    MySql,
    MySqlText,
    Postgres,
    PostgresSimple,
    MongoDb,
    Memlink,
    Memlink03,
}

/// What a server must remember of one connection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Talk {
    /// Where the server listens.
    pub port: u16,
    pub(crate) is_begun: bool,
    pub(crate) statements: u32,
}

impl Talk {
    /// A new connection to a server that listens at a port.
    pub fn at(port: u16) -> Self {
        Self { port, ..Self::default() }
    }
}

/// What a request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A part of the greeting, and its answer.
    Greeting(Vec<u8>),
    /// One operation.
    Operation,
}

/// One request that was found at the start of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub used: usize,
    pub heard: Heard,
}

impl Found {
    pub(crate) fn greeting(used: usize, answer: impl Into<Vec<u8>>) -> Option<Self> {
        Some(Self { used, heard: Heard::Greeting(answer.into()) })
    }

    pub(crate) fn operation(used: usize) -> Option<Self> {
        Some(Self { used, heard: Heard::Operation })
    }
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 13] = [
        Self::Memcached,
        Self::MemcachedMeta,
        Self::MemcachedBinary,
        Self::Redis,
        Self::RedisResp3,
        Self::RedisCluster,
        Self::MySql,
        Self::MySqlText,
        Self::Postgres,
        Self::PostgresSimple,
        Self::MongoDb,
        Self::Memlink,
        Self::Memlink03,
    ];

    /// The name of the protocol in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memcached => "memcached",
            Self::MemcachedMeta => "memcached_meta",
            Self::MemcachedBinary => "memcached_binary",
            Self::Redis => "redis",
            Self::RedisResp3 => "redis_resp3",
            Self::RedisCluster => "redis_cluster",
            Self::MySql => "mysql",
            Self::MySqlText => "mysql_text",
            Self::Postgres => "postgres",
            Self::PostgresSimple => "postgres_simple",
            Self::MongoDb => "mongodb",
            Self::Memlink => "memlink",
            Self::Memlink03 => "memlink_0_3",
        }
    }

    /// The dialect of a protocol in plans.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// What the server says to a new connection before anything was asked.
    pub fn first_words(self) -> Vec<u8> {
        match self {
            Self::MySql | Self::MySqlText => mysql_hello(),
            _ => Vec::new(),
        }
    }

    /// The first request that has come in whole.
    pub fn find_request(self, talk: &mut Talk, input: &[u8]) -> Option<Found> {
        match self {
            Self::Memcached | Self::MemcachedMeta => find_line(input),
            Self::MemcachedBinary => find_frame(input),
            Self::Redis | Self::RedisResp3 | Self::RedisCluster => find_array(talk, input),
            Self::MySql | Self::MySqlText => find_mysql(talk, input),
            Self::Postgres | Self::PostgresSimple => find_postgres(talk, input),
            Self::MongoDb => Mongo::find(input),
            Self::Memlink | Self::Memlink03 => find_memlink(input),
        }
    }

    /// The answer to an operation on a key that is not there.
    pub fn miss(self) -> Vec<u8> {
        match self {
            Self::Memcached => b"END\r\n".to_vec(),
            Self::MemcachedMeta => b"EN\r\n".to_vec(),
            Self::MemcachedBinary => frame(GET, 1),
            Self::Redis | Self::RedisCluster => b"$-1\r\n".to_vec(),
            Self::RedisResp3 => b"_\r\n".to_vec(),
            Self::MySql | Self::MySqlText => mysql_miss(),
            Self::Postgres | Self::PostgresSimple => postgres_miss(),
            Self::MongoDb => Mongo::miss(),
            Self::Memlink | Self::Memlink03 => memlink_reply(NO_SUCH_KEY),
        }
    }
}

const GET: u8 = 0x00;
const FRAME_HEAD_BYTES: usize = 24;
const PING: u8 = 20;
const CREATE: u8 = 4;
const NO_SUCH_KEY: i16 = -14;

fn find_line_end(input: &[u8], from: usize) -> Option<usize> {
    input.get(from..)?.iter().position(|&byte| byte == b'\n').map(|at| from + at + 1)
}

fn find_line(input: &[u8]) -> Option<Found> {
    let used = find_line_end(input, 0)?;
    match &input[..used] {
        b"version\r\n" => Found::greeting(used, b"VERSION 0\r\n"),
        b"mn\r\n" => Found::greeting(used, b"MN\r\n"),
        _ => Found::operation(used),
    }
}

fn frame(opcode: u8, status: u16) -> Vec<u8> {
    let mut out = vec![0; FRAME_HEAD_BYTES];
    (out[0], out[1]) = (0x81, opcode);
    out[6..8].copy_from_slice(&status.to_be_bytes());
    out
}

fn find_frame(input: &[u8]) -> Option<Found> {
    let body: [u8; 4] = input.get(8..12)?.try_into().ok()?;
    let used = FRAME_HEAD_BYTES + u32::from_be_bytes(body) as usize;
    match (input.get(..used)?[1], used) {
        (GET, _) => Found::operation(used),
        (opcode, _) => Found::greeting(used, frame(opcode, 0)),
    }
}

/// An array of bulk strings that hold no line ends.
fn find_array(talk: &Talk, input: &[u8]) -> Option<Found> {
    let first_end = find_line_end(input, 0)?;
    let digits = input.get(1..first_end)?.iter().take_while(|byte| byte.is_ascii_digit());
    let count = digits.fold(0usize, |sum, byte| sum * 10 + usize::from(byte - b'0'));
    let used = (0..2 * count).try_fold(first_end, |at, _| find_line_end(input, at))?;
    let command = input[first_end..used].split(|&byte| byte == b'\n').nth(1).unwrap_or(b"");
    match command.trim_ascii_end() {
        b"PING" => Found::greeting(used, b"+PONG\r\n"),
        b"HELLO" => Found::greeting(used, b"%1\r\n$5\r\nproto\r\n:3\r\n"),
        b"CLUSTER" => {
            // Without a host: the one that the client has come to.
            let node = format!("*2\r\n$0\r\n\r\n:{}\r\n", talk.port);
            Found::greeting(used, format!("*1\r\n*3\r\n:0\r\n:16383\r\n{node}"))
        }
        _ => Found::operation(used),
    }
}

fn memlink_reply(code: i16) -> Vec<u8> {
    [&2u32.to_le_bytes()[..], &code.to_le_bytes()].concat()
}

fn find_memlink(input: &[u8]) -> Option<Found> {
    let used = 4 + u32::from_le_bytes(*input.first_chunk()?) as usize;
    match input.get(..used)?.get(4) {
        Some(&(PING | CREATE)) => Found::greeting(used, memlink_reply(0)),
        _ => Found::operation(used),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_one_by_one_and_pieces_are_not() {
        let find = |dialect: Dialect, input: &[u8]| dialect.find_request(&mut Talk::default(), input);
        let get = b"*2\r\n$3\r\nGET\r\n$2\r\nk1\r\n";
        assert_eq!(find(Dialect::Redis, &[get, &get[..5]].concat()), Found::operation(get.len()));
        assert_eq!(find(Dialect::Redis, &get[..get.len() - 1]), None);
        let ping = find(Dialect::Redis, b"*1\r\n$4\r\nPING\r\n");
        assert_eq!(ping, Found::greeting(14, b"+PONG\r\n"));
        assert_eq!(find(Dialect::Memcached, b"get k1\r\nget"), Found::operation(8));
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
            assert!(!dialect.miss().is_empty());
            (0..4).for_each(|len| assert_eq!(find(dialect, &[0; 4][..len]), None, "{dialect:?}"));
        }
    }
}
