//! The operations of a workload, and which protocol offers which of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::StoreProtocol;

/// One kind of command in a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    Get,
    Set,
    MultiGet,
    MultiSet,
    Add,
    Replace,
    Append,
    Incr,
    Delete,
    Touch,
    CompareAndSet,
    ReadModifyWrite,
    Insert,
    Scan,
    Update,
    SqlReplace,
    DeleteInsert,
    ListInsertHead,
    ListInsertTail,
    RangeFirst,
    RangeLast,
    Range,
    ListLength,
    Custom,
}

use OperationKind as Kind;

impl OperationKind {
    /// Every kind, in the order `describe` shows them.
    pub const ALL: [Self; 24] = [
        Self::Get,
        Self::Set,
        Self::MultiGet,
        Self::MultiSet,
        Self::Add,
        Self::Replace,
        Self::Append,
        Self::Incr,
        Self::Delete,
        Self::Touch,
        Self::CompareAndSet,
        Self::ReadModifyWrite,
        Self::Insert,
        Self::Scan,
        Self::Update,
        Self::SqlReplace,
        Self::DeleteInsert,
        Self::ListInsertHead,
        Self::ListInsertTail,
        Self::RangeFirst,
        Self::RangeLast,
        Self::Range,
        Self::ListLength,
        Self::Custom,
    ];

    /// The name in plans and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Set => "set",
            Self::MultiGet => "multi_get",
            Self::MultiSet => "multi_set",
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Append => "append",
            Self::Incr => "incr",
            Self::Delete => "delete",
            Self::Touch => "touch",
            Self::CompareAndSet => "compare_and_set",
            Self::ReadModifyWrite => "read_modify_write",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::Update => "update",
            Self::SqlReplace => "sql_replace",
            Self::DeleteInsert => "delete_insert",
            Self::ListInsertHead => "list_insert_head",
            Self::ListInsertTail => "list_insert_tail",
            Self::RangeFirst => "range_first",
            Self::RangeLast => "range_last",
            Self::Range => "range",
            Self::ListLength => "list_length",
            Self::Custom => "custom",
        }
    }

    /// Whether the key holds a list of entries and not one value.
    pub fn is_of_lists(self) -> bool {
        matches!(
            self,
            Self::ListInsertHead
                | Self::ListInsertTail
                | Self::RangeFirst
                | Self::RangeLast
                | Self::Range
                | Self::ListLength
        )
    }

    /// Whether `entries` says how much comes back.
    #[inline]
    pub fn takes_entries(self) -> bool {
        matches!(self, Self::RangeFirst | Self::RangeLast | Self::Range | Self::Scan)
    }

    /// Whether a key that was not there before comes into being with it, each time another one.
    #[inline]
    pub fn makes_new_keys(self) -> bool {
        self == Self::Insert
    }

    /// Whether it leaves the store as it was: where reads have an endpoint of their own, it goes there.
    #[inline]
    pub fn is_read(self) -> bool {
        self.takes_entries() || matches!(self, Self::Get | Self::MultiGet | Self::ListLength)
    }

    /// Whether it changes one key by one or two statements, of which a transaction can hold several.
    pub fn fits_transactions(self) -> bool {
        matches!(
            self,
            Self::Set
                | Self::Add
                | Self::Replace
                | Self::Append
                | Self::Delete
                | Self::Insert
                | Self::Update
                | Self::SqlReplace
                | Self::DeleteInsert
        )
    }

    /// Whether it sets whole values whatever was there before, so that a value that is read names its write.
    pub fn sets_values(self) -> bool {
        matches!(self, Self::Set | Self::MultiSet | Self::Insert | Self::SqlReplace | Self::DeleteInsert)
    }

    /// Whether a time to live can go with it.
    pub fn takes_expiry(self) -> bool {
        matches!(
            self,
            Self::Set
                | Self::MultiSet
                | Self::Add
                | Self::Replace
                | Self::Touch
                | Self::CompareAndSet
                | Self::ReadModifyWrite
                | Self::Insert
        )
    }
}

/// One operation of the mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub kind: OperationKind,
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: f64,
    /// Of `multi_get` and `multi_set`; of SQL writes the statements of one transaction.
    #[serde(default = "default_keys_per_request")]
    #[schemars(range(min = 1, max = 1000))]
    pub keys_per_request: u16,
    /// How many entries a range asks for, how many keys a scan.
    #[serde(default = "default_entries")]
    #[schemars(range(min = 1, max = 1000000))]
    pub entries: u32,
    /// Of `scan`: the number of keys is drawn for each, uniformly from this to `entries`.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000000))]
    pub entries_min: Option<u32>,
    /// Where `range` begins; the first entry of a list is 0.
    #[serde(default)]
    #[schemars(range(max = 1000000000))]
    pub from_entry: u32,
    /// Time to live of what is written; 0 is for ever. `touch` sets it.
    #[serde(default)]
    #[schemars(range(max = 2592000))]
    pub expire_s: u32,
    /// Of `custom`: what is said, with the places `{key}`, `{value}` and `{value_size}`.
    #[serde(default)]
    pub command: Option<String>,
}

fn default_keys_per_request() -> u16 {
    1
}

fn default_entries() -> u32 {
    100
}

impl Operation {
    /// An operation with every default.
    pub fn of_kind(kind: OperationKind) -> Self {
        Self {
            kind,
            weight: 1.0,
            keys_per_request: default_keys_per_request(),
            entries: default_entries(),
            entries_min: None,
            from_entry: 0,
            expire_s: 0,
            command: None,
        }
    }
}

/// The last one, `custom`, is for the text protocol alone.
const MEMCACHED: &[Kind] = &[
    Kind::Get,
    Kind::Set,
    Kind::MultiGet,
    Kind::MultiSet,
    Kind::Add,
    Kind::Replace,
    Kind::Append,
    Kind::Incr,
    Kind::Delete,
    Kind::Touch,
    Kind::CompareAndSet,
    Kind::ReadModifyWrite,
    Kind::Insert,
    Kind::Custom,
];
const REDIS: &[Kind] = &[
    Kind::Get,
    Kind::Set,
    Kind::MultiGet,
    Kind::MultiSet,
    Kind::Add,
    Kind::Replace,
    Kind::Append,
    Kind::Incr,
    Kind::Delete,
    Kind::Touch,
    Kind::CompareAndSet,
    Kind::ReadModifyWrite,
    Kind::Insert,
    Kind::ListInsertHead,
    Kind::ListInsertTail,
    Kind::RangeFirst,
    Kind::RangeLast,
    Kind::Range,
    Kind::ListLength,
    Kind::Custom,
];

/// The last six work on lists. Without what works on several keys, or on a connection's state.
const REDIS_CLUSTER: &[Kind] = &[
    Kind::Get,
    Kind::Set,
    Kind::Add,
    Kind::Replace,
    Kind::Append,
    Kind::Incr,
    Kind::Delete,
    Kind::Touch,
    Kind::ReadModifyWrite,
    Kind::Insert,
    Kind::ListInsertHead,
    Kind::ListInsertTail,
    Kind::RangeFirst,
    Kind::RangeLast,
    Kind::Range,
    Kind::ListLength,
];

/// The first one, REPLACE, is MySQL's alone.
const MYSQL: &[Kind] = &[
    Kind::SqlReplace,
    Kind::Get,
    Kind::Set,
    Kind::MultiGet,
    Kind::MultiSet,
    Kind::Add,
    Kind::Replace,
    Kind::Append,
    Kind::Incr,
    Kind::Delete,
    Kind::CompareAndSet,
    Kind::ReadModifyWrite,
    Kind::Insert,
    Kind::Scan,
    Kind::Update,
    Kind::DeleteInsert,
    Kind::ListInsertHead,
    Kind::ListInsertTail,
    Kind::RangeFirst,
    Kind::RangeLast,
    Kind::Range,
    Kind::ListLength,
    Kind::Custom,
];

const MONGODB: &[Kind] = &[
    Kind::Get,
    Kind::Set,
    Kind::MultiGet,
    Kind::MultiSet,
    Kind::Add,
    Kind::Replace,
    Kind::Incr,
    Kind::Delete,
    Kind::CompareAndSet,
    Kind::ReadModifyWrite,
    Kind::Insert,
    Kind::Scan,
    Kind::Update,
    Kind::ListInsertHead,
    Kind::ListInsertTail,
    Kind::RangeFirst,
    Kind::RangeLast,
    Kind::Range,
    Kind::ListLength,
];

impl StoreProtocol {
    /// The operations that the protocol offers.
    pub fn operations(self) -> &'static [OperationKind] {
        match self {
            Self::Memcached => MEMCACHED,
            Self::MemcachedMeta | Self::MemcachedBinary => &MEMCACHED[..MEMCACHED.len() - 1],
            Self::Redis | Self::RedisResp3 => REDIS,
            Self::RedisCluster => REDIS_CLUSTER,
            Self::Mysql | Self::MysqlText => MYSQL,
            Self::Mongodb => MONGODB,
            Self::Memlink | Self::Memlink03 => &REDIS_CLUSTER[REDIS_CLUSTER.len() - 6..],
            Self::Postgres | Self::PostgresSimple => &MYSQL[1..],
        }
    }
}
