//! The driver of a plan's protocol, and the dial of its transport.

use std::sync::Arc;

use loadstone_load::AnyDriver;
use loadstone_load::transport::{Dial, PlainDial};
use loadstone_spec::PlanFault;
use loadstone_spec::plan::{EnginePlan, StoreProtocol};

use crate::memcached::Memcached;
use crate::memcached_binary::MemcachedBinary;
use crate::memcached_meta::MemcachedMeta;
use crate::memlink::Memlink;
use crate::mongodb::MongoDb;
use crate::mysql::MySql;
use crate::postgres::Postgres;
use crate::resp::Resp;
use crate::tls::{Prelude, TlsDial};

/// The loops of all protocols are compiled here, beside the rest of the program and not behind it.
pub fn choose_driver(plan: &EnginePlan) -> AnyDriver {
    match plan.target.protocol {
        StoreProtocol::Memcached => AnyDriver::new(Memcached::new(plan)),
        StoreProtocol::MemcachedMeta => AnyDriver::new(MemcachedMeta::new(plan)),
        StoreProtocol::MemcachedBinary => AnyDriver::new(MemcachedBinary::new(plan)),
        StoreProtocol::Mysql | StoreProtocol::MysqlText => AnyDriver::new(MySql::new(plan)),
        StoreProtocol::Postgres | StoreProtocol::PostgresSimple => AnyDriver::new(Postgres::new(plan)),
        StoreProtocol::Mongodb => AnyDriver::new(MongoDb::new(plan)),
        StoreProtocol::Memlink | StoreProtocol::Memlink03 => AnyDriver::new(Memlink::new(plan)),
        StoreProtocol::Redis | StoreProtocol::RedisResp3 | StoreProtocol::RedisCluster => {
            AnyDriver::new(Resp::new(plan))
        }
    }
}

/// # Errors
/// When TLS cannot be set up as the plan says.
pub fn choose_dial(plan: &EnginePlan) -> Result<Arc<dyn Dial>, PlanFault> {
    let Some(tls) = &plan.target.tls else { return Ok(Arc::new(PlainDial)) };
    match TlsDial::new(tls, Prelude::of(plan.target.protocol)) {
        Ok(dial) => Ok(Arc::new(dial)),
        Err(fault) => Err(PlanFault::at("target.tls", fault.to_string())),
    }
}
