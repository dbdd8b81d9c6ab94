#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached::Memcached;

static DRIVER: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&loadstone_fuzz::plan("memcached")));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, data));
