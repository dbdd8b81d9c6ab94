//! Before the load: where the target is, and one connection that prepares it and finds out its parts.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use loadstone_spec::events::{Failure, FailureCode};
use loadstone_spec::plan::{Address, EnginePlan};
use socket2::SockAddr;

use crate::any_driver::AnyDriver;
use crate::clock::Clock;
use crate::driver::{Driver, Role};
use crate::flights::Flights;
use crate::links::{Board, Endpoints, Links, Shared};
use crate::opening::Unopened;
use crate::reach::{find_address_unless, name_address};
use crate::session::StopSwitch;
use crate::transport::Dial;

pub(crate) fn fail(code: FailureCode, message: impl Into<String>) -> Failure {
    Failure { code, message: message.into(), path: None }
}

/// An address that accepts connections; nothing when the run was stopped meanwhile.
fn find(address: &Address, timeout: Duration, stop: &StopSwitch) -> Result<Option<SockAddr>, Failure> {
    find_address_unless(address, timeout, || stop.is_turned()).map_err(|error| {
        let name = name_address(address);
        fail(FailureCode::TargetUnreachable, format!("{name} does not accept connections: {error}"))
    })
}

/// Everything that the load threads share. Nothing when the run was stopped before the target was found.
pub(crate) fn prepare(
    plan: &EnginePlan,
    driver: AnyDriver,
    dial: Arc<dyn Dial>,
    stop: &StopSwitch,
    clock: &Clock,
) -> Result<Option<Shared<AnyDriver>>, Failure> {
    let timeout = Duration::from_millis(plan.timeout_ms);
    let mut addresses = Vec::new();
    for address in [Some(&plan.target.address), plan.target.read_address.as_ref()].into_iter().flatten() {
        let Some(found) = find(address, timeout, stop)? else { return Ok(None) };
        addresses.push(found);
    }
    let needs_scout = driver.needs_scout();
    let reads_apart = addresses.len() > 1;
    let mut shared = Shared {
        driver: Arc::new(driver),
        dial,
        endpoints: Endpoints { addresses, reads_apart },
        role: Role::Load,
        uses_ring: false,
        clock: clock.clone(),
        timeout_ns: timeout.as_nanos() as u64,
        board: Arc::new(Board::default()),
        journal: None,
    };
    if needs_scout {
        let Some(prepared) = send_scout(plan, shared, stop)? else { return Ok(None) };
        shared = prepared;
        let mut parts = Vec::new();
        for part in shared.driver.endpoints() {
            let Some(found) = find(&Address::Tcp(part), timeout, stop)? else { return Ok(None) };
            parts.push(found);
        }
        if !parts.is_empty() {
            shared.endpoints = Endpoints { addresses: parts, reads_apart: false };
        }
    }
    Ok(Some(shared))
}

/// Opens one connection to the first address and closes it again. Nothing when the run was stopped meanwhile.
fn send_scout(
    plan: &EnginePlan,
    shared: Shared<AnyDriver>,
    stop: &StopSwitch,
) -> Result<Option<Shared<AnyDriver>>, Failure> {
    let internal =
        |error: io::Error| fail(FailureCode::EngineInternal, format!("the first connection: {error}"));
    let everywhere = shared.endpoints.clone();
    let first = Endpoints { addresses: everywhere.addresses[..1].to_vec(), reads_apart: false };
    let scouting = Arc::new(Shared { endpoints: first, role: Role::Scout, ..shared });
    let mut links = Links::new(Arc::clone(&scouting), 1, || Flights::new(1, 0)).map_err(internal)?;
    let opened = links.open_all_unless(|| stop.is_turned()).map_err(internal)?;
    drop(links);
    let Some(shared) = Arc::into_inner(scouting) else {
        return Err(fail(FailureCode::EngineInternal, "the first connection did not end"));
    };
    if opened.is_err() && stop.is_turned() {
        return Ok(None);
    }
    opened.map_err(|Unopened { is_refused, message }| {
        let code = if is_refused { FailureCode::TargetRefused } else { FailureCode::TargetUnreachable };
        fail(code, format!("{}: {message}", name_address(&plan.target.address)))
    })?;
    let board = Arc::new(Board::default());
    Ok(Some(Shared { endpoints: everywhere, role: Role::Load, board, ..shared }))
}
