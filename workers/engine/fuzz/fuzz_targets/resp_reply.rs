#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_drivers::resp::Resp;

static DRIVER: LazyLock<Resp> = LazyLock::new(|| Resp::new(&loadstone_fuzz::plan("redis")));

fuzz_target!(|data: &[u8]| loadstone_fuzz::read_replies(&*DRIVER, data));
