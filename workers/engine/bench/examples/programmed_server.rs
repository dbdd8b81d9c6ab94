//! `programmed_server PROTOCOL SERVICE_MS STALL_MS PERIOD_MS`: prints its port, serves until its stdin ends, and
//! prints when each answer left (nanoseconds since 1970). It never sleeps: it needs a core of its own.

#![allow(clippy::print_stdout, reason = "a program says what it did")]

use std::time::Duration;

use loadstone_bench::dialect::Dialect;
use loadstone_bench::programmed::{Program, start};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, times @ ..] = words.as_slice() else { return Err("no dialect".into()) };
    let times: Vec<u64> = times.iter().map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [service, stall, period] = times[..] else { return Err("three times in milliseconds".into()) };
    let program = Program {
        dialect: Dialect::from_name(name).ok_or("no protocol of the engine")?,
        service: Duration::from_millis(service),
        stall: Duration::from_millis(stall),
        period: Duration::from_millis(period),
        spins: true,
    };
    let server = start(program)?;
    println!("{}", server.port);
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    for at_unix_ns in server.answered_at_unix_ns() {
        println!("{at_unix_ns}");
    }
    Ok(())
}
