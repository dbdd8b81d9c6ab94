//! The driver of a plan's protocol, and the dial of its transport.

use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::memcached_binary::MemcachedBinary;
use loadstone_drivers::memcached_meta::MemcachedMeta;
use loadstone_drivers::memlink::Memlink;
use loadstone_drivers::mongodb::MongoDb;
use loadstone_drivers::mysql::MySql;
use loadstone_drivers::postgres::Postgres;
use loadstone_drivers::resp::Resp;
use loadstone_drivers::tls::{Prelude, TlsDial};
use loadstone_load::driver::Driver;
use loadstone_load::transport::{Dial, PlainDial};
use loadstone_spec::PlanFault;
use loadstone_spec::events::Failure;
use loadstone_spec::plan::{EnginePlan, StoreProtocol};

use crate::bad_plan;

/// What is done over connections, whatever they speak.
pub trait Work {
    type Outcome;

    fn carry_out<D: Driver, L: Dial>(self, driver: D, dial: L) -> Self::Outcome;
}

/// Does the work with what the plan's target asks for.
///
/// # Errors
/// When TLS cannot be set up as the plan says.
pub fn dispatch<W: Work>(plan: &EnginePlan, work: W) -> Result<W::Outcome, Failure> {
    match plan.target.protocol {
        StoreProtocol::Memcached => dial(plan, Memcached::new(plan), work),
        StoreProtocol::MemcachedMeta => dial(plan, MemcachedMeta::new(plan), work),
        StoreProtocol::MemcachedBinary => dial(plan, MemcachedBinary::new(plan), work),
        StoreProtocol::Mysql | StoreProtocol::MysqlText => dial(plan, MySql::new(plan), work),
        StoreProtocol::Postgres | StoreProtocol::PostgresSimple => dial(plan, Postgres::new(plan), work),
        StoreProtocol::Mongodb => dial(plan, MongoDb::new(plan), work),
        StoreProtocol::Memlink | StoreProtocol::Memlink03 => dial(plan, Memlink::new(plan), work),
        StoreProtocol::Redis | StoreProtocol::RedisResp3 | StoreProtocol::RedisCluster => {
            dial(plan, Resp::new(plan), work)
        }
    }
}

fn dial<D: Driver, W: Work>(plan: &EnginePlan, driver: D, work: W) -> Result<W::Outcome, Failure> {
    let Some(tls) = &plan.target.tls else { return Ok(work.carry_out(driver, PlainDial)) };
    match TlsDial::new(tls, Prelude::of(plan.target.protocol)) {
        Ok(dial) => Ok(work.carry_out(driver, dial)),
        Err(fault) => Err(bad_plan(PlanFault::at("target.tls", fault.to_string()))),
    }
}
