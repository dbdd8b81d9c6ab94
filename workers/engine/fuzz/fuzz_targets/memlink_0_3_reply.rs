#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::memlink::Memlink;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("memlink_0_3/lists"));
static DRIVER: LazyLock<Memlink> = LazyLock::new(|| Memlink::new(&PLAN));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data));
