#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::memcached_binary::MemcachedBinary;
use loadstone_drivers::memlink::Memlink;
use loadstone_drivers::mongodb::MongoDb;
use loadstone_drivers::mysql::MySql;
use loadstone_drivers::postgres::Postgres;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Driver, Greeted, Greeting, Role};

macro_rules! drivers {
    ($($name:ident: $kind:ident = $protocol:literal,)*) => {
        $(static $name: LazyLock<$kind> = LazyLock::new(|| $kind::new(&loadstone_fuzz::plan($protocol)));)*

        fuzz_target!(|data: &[u8]| {
            for role in [Role::Scout, Role::Load] {
                $(greet(&*$name, role, data);)*
            }
        });
    };
}

drivers! {
    MEMCACHED: Memcached = "memcached",
    BINARY: MemcachedBinary = "memcached_binary",
    RESP: Resp = "redis_resp3",
    CLUSTER: Resp = "redis_cluster",
    MYSQL: MySql = "mysql",
    POSTGRES: Postgres = "postgres",
    MONGODB: MongoDb = "mongodb/lists",
    MEMLINK: Memlink = "memlink/lists",
}

fn greet<D: Driver>(driver: &D, role: Role, mut input: &[u8]) {
    let mut out = Vec::new();
    let mut greeting = driver.greet(role, &mut out);
    loop {
        match greeting.advance(input, &mut out) {
            Greeted::More { used } if used > 0 => input = &input[used..],
            Greeted::Ready { used } => return assert!(used <= input.len()),
            _ => break,
        }
    }
    assert!(out.len() < 64 * 1024);
}
