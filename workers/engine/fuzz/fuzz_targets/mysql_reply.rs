#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::mysql::MySql;
use loadstone_spec::plan::EnginePlan;

static PLAN: LazyLock<EnginePlan> = LazyLock::new(|| loadstone_fuzz::plan("mysql"));
static DRIVER: LazyLock<MySql> = LazyLock::new(|| MySql::new(&PLAN));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, &PLAN, data));
