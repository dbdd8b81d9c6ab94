#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memcached::Memcached;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("memcached"));
static DRIVER: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&PLAN));
/// Values that are not verified are skipped where they are there as a whole.
static PLAIN_PLAN: LazyLock<EnginePlan> = LazyLock::new(|| EnginePlan { verify: false, ..PLAN.clone() });
static PLAIN_DRIVER: LazyLock<Memcached> = LazyLock::new(|| Memcached::new(&PLAIN_PLAN));

fuzz_target!(|data: &[u8]| {
    loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data);
    loadstone_fuzz::read_replies(&*PLAIN_DRIVER, &PLAIN_PLAN, data);
});
