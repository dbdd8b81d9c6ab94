#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached::Memcached;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("memcached"));
static DRIVER: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&PLAN));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data));
