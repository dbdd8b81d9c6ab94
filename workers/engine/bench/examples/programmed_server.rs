//! `programmed_server SERVICE_MS STALL_MS PERIOD_MS CLIENT_CORE PROTOCOL...`: prints what the way to it takes on this
//! machine (nanoseconds) and a port for each protocol, serves until its stdin ends, and prints the port and the time of
//! each answer that left (nanoseconds since 1970). It never sleeps: it needs a core of its own.
//!
//! The service is what a client on `CLIENT_CORE` sees that only sends and receives: the way is part of it.

#![allow(clippy::print_stdout, reason = "a program says what it did")]

use std::time::Duration;

use loadstone_bench::dialect::Dialect;
use loadstone_bench::path::measure_path;
use loadstone_bench::programmed::{Program, start_all};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [service, stall, period, client_core, protocols @ ..] = words.as_slice() else {
        return Err("three times in milliseconds, a core and protocols".into());
    };
    let time = |word: &String| word.parse().map(Duration::from_millis);
    let (seen, stall, period) = (time(service)?, time(stall)?, time(period)?);
    let path = measure_path(seen, client_core.parse()?, u32::try_from(protocols.len())?)?;
    println!("{}", path.as_nanos());
    let service = seen.saturating_sub(path);
    let mut programs = Vec::new();
    for name in protocols {
        let dialect = Dialect::from_name(name).ok_or("no protocol of the engine")?;
        programs.push(Program { dialect, service, stall, period, spins: true, freeze: None });
    }
    let servers = start_all(&programs)?;
    servers.iter().for_each(|server| println!("{}", server.port));
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    for server in servers {
        for at_unix_ns in server.answered_at_unix_ns() {
            println!("{} {at_unix_ns}", server.port);
        }
    }
    Ok(())
}
