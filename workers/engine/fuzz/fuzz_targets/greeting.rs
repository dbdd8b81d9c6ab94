#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached::Memcached;
use loadstone_drivers::resp::Resp;
use loadstone_load::driver::{Driver, Greeted, Greeting, Role};

static MEMCACHED: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&loadstone_fuzz::plan("memcached")));
static RESP: LazyLock<Resp> = LazyLock::new(|| Resp::new(&loadstone_fuzz::plan("redis")));

fn greet<D: Driver>(driver: &D, mut input: &[u8]) {
    let mut out = Vec::new();
    let mut greeting = driver.greet(Role::Scout, &mut out);
    loop {
        match greeting.advance(input, &mut out) {
            Greeted::More { used } if used > 0 => input = &input[used..],
            Greeted::Ready { used } => return assert!(used <= input.len()),
            _ => break,
        }
    }
    assert!(out.len() < 1024);
}

fuzz_target!(|data: &[u8]| {
    greet(&*MEMCACHED, data);
    greet(&*RESP, data);
});
