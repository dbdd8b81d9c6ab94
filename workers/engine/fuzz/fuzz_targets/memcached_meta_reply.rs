#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached_meta::MemcachedMeta;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("memcached_meta"));
static DRIVER: LazyLock<MemcachedMeta> = LazyLock::new(|| MemcachedMeta::new(&PLAN));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data));
