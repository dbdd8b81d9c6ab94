//! The protocols that the engine speaks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the target is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreProtocol {
    /// Text commands.
    Memcached,
    /// Meta commands, answered in batches.
    MemcachedMeta,
    /// Binary frames, SASL PLAIN.
    MemcachedBinary,
    /// RESP2.
    Redis,
    RedisResp3,
    /// RESP2 over all nodes of a cluster, each key where its slot is.
    RedisCluster,
    /// Prepared statements, as MySQL and MariaDB take them.
    Mysql,
    /// Statements as text.
    MysqlText,
    /// Prepared statements (extended).
    Postgres,
    /// Statements as text (simple).
    PostgresSimple,
    Mongodb,
    /// Memlink 0.5; `address` is its write port, `read_address` its read port.
    Memlink,
    /// Memlink 0.3, without tables.
    #[serde(rename = "memlink_0_3")]
    Memlink03,
}

impl StoreProtocol {
    /// Every protocol, in the order `describe` shows them.
    pub const ALL: [Self; 13] = [
        Self::Memcached,
        Self::MemcachedMeta,
        Self::MemcachedBinary,
        Self::Redis,
        Self::RedisResp3,
        Self::RedisCluster,
        Self::Mysql,
        Self::MysqlText,
        Self::Postgres,
        Self::PostgresSimple,
        Self::Mongodb,
        Self::Memlink,
        Self::Memlink03,
    ];

    /// The name in plans and addresses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memcached => "memcached",
            Self::MemcachedMeta => "memcached_meta",
            Self::MemcachedBinary => "memcached_binary",
            Self::Redis => "redis",
            Self::RedisResp3 => "redis_resp3",
            Self::RedisCluster => "redis_cluster",
            Self::Mysql => "mysql",
            Self::MysqlText => "mysql_text",
            Self::Postgres => "postgres",
            Self::PostgresSimple => "postgres_simple",
            Self::Mongodb => "mongodb",
            Self::Memlink => "memlink",
            Self::Memlink03 => "memlink_0_3",
        }
    }

    /// Whether it is one of Redis's.
    pub fn is_redis(self) -> bool {
        matches!(self, Self::Redis | Self::RedisResp3 | Self::RedisCluster)
    }

    /// Whether it is one of Memlink's.
    pub fn is_memlink(self) -> bool {
        matches!(self, Self::Memlink | Self::Memlink03)
    }

    /// Whether it takes SQL.
    pub fn is_sql(self) -> bool {
        matches!(self, Self::Mysql | Self::MysqlText | Self::Postgres | Self::PostgresSimple)
    }

    /// Whether it is one of memcached's.
    pub fn is_memcached(self) -> bool {
        matches!(self, Self::Memcached | Self::MemcachedMeta | Self::MemcachedBinary)
    }
}
