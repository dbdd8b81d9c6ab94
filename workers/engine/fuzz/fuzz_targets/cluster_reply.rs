#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::resp::Resp;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("redis_cluster"));
static DRIVER: LazyLock<Resp> = LazyLock::new(|| Resp::new(&PLAN));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data));
