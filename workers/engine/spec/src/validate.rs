//! The rules a plan must keep beyond its types.

use crate::PlanFault;
use crate::plan::{
    Address, Database, Dataset, EnginePlan, EngineTarget, MAX_VALUE_BYTES, PLAN_SCHEMA_VERSION, PhaseName,
    SteadyRule, StopRule,
};
use crate::validate_journal::find_journal_fault;
use crate::validate_keys::{find_hit_ratio_fault, find_keys_fault};
use crate::validate_lag::find_lag_fault;
use crate::validate_load::{find_endless_fault, find_load_fault};
use crate::validate_operations::find_operations_fault;
use crate::validate_trace::find_trace_fault;
use crate::validate_workload::{find_access_fault, find_size_fault};

/// A day and a half: longer phases are typing errors and would overflow no counter, but hold an agent.
const MAX_PHASE_SECONDS: f64 = 130_000.0;
/// `sun_path` holds 108 bytes with its terminator.
const MAX_UNIX_PATH_BYTES: usize = 107;

/// The first rule that the plan breaks.
pub(crate) fn find_fault(plan: &EnginePlan) -> Option<PlanFault> {
    in_range("version", u64::from(plan.version), PLAN_SCHEMA_VERSION.into(), PLAN_SCHEMA_VERSION.into())
        .or_else(|| find_target_fault(&plan.target))
        .or_else(|| find_dataset_fault(&plan.dataset))
        .or_else(|| find_hit_ratio_fault(plan))
        .or_else(|| find_operations_fault(plan))
        .or_else(|| find_memlink_fault(plan))
        .or_else(|| find_access_fault(&plan.access))
        .or_else(|| find_load_fault(plan))
        .or_else(|| find_trace_fault(plan))
        .or_else(|| find_phases_fault(plan))
        .or_else(|| find_endless_fault(plan))
        .or_else(|| in_range("seed", plan.seed, 0, i64::MAX as u64))
        .or_else(|| in_range("timeout_ms", plan.timeout_ms, 1, 3_600_000))
        .or_else(|| find_cpus_fault(&plan.cpus))
        .or_else(|| find_journal_fault(plan))
        .or_else(|| find_lag_fault(plan))
}

pub(crate) fn in_range(path: &str, value: u64, min: u64, max: u64) -> Option<PlanFault> {
    (value < min || value > max)
        .then(|| PlanFault::at(path, format!("{value} is out of range: {min} to {max} allowed")))
}

pub(crate) fn positive(path: &str, value: f64, max: f64) -> Option<PlanFault> {
    let fits = value > 0.0 && value <= max;
    (!fits).then(|| PlanFault::at(path, format!("{value} is out of range: above 0, up to {max} allowed")))
}

pub(crate) fn broken(is_broken: bool, path: &str, message: &str) -> Option<PlanFault> {
    is_broken.then(|| PlanFault::at(path, message))
}

fn find_address_fault(address: &Address, path: &str) -> Option<PlanFault> {
    let field = |name: &str| format!("{path}.{name}");
    match address {
        Address::Tcp(tcp) => broken(tcp.host.is_empty(), &field("host"), "is empty")
            .or_else(|| in_range(&field("port"), tcp.port.into(), 1, 65535)),
        Address::Unix(unix) => {
            in_range(&field("path"), unix.path.len() as u64, 1, MAX_UNIX_PATH_BYTES as u64)
        }
    }
}

/// Databases are numbered on Redis and have names elsewhere, tables have names of letters, digits and `_`.
fn find_place_fault(target: &EngineTarget) -> Option<PlanFault> {
    let is_plain = |name: &str| {
        (1..64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let database = match (&target.database, target.protocol) {
        (Some(_), protocol) if protocol.is_memcached() => Some("memcached has no databases"),
        (Some(Database::Name(_)), protocol) if protocol.is_redis() => Some("Redis numbers its databases"),
        (Some(Database::Number(_)), protocol) if !protocol.is_redis() => Some("is not a name"),
        (Some(Database::Name(name)), _) if !is_plain(name) => Some("is not a name of letters, digits and _"),
        _ => None,
    };
    let table = target.table.as_deref().filter(|name| !is_plain(name));
    database
        .map(|message| PlanFault::at("target.database", message))
        .or_else(|| table.map(|_| PlanFault::at("target.table", "is not a name of letters, digits and _")))
}

fn find_target_fault(target: &EngineTarget) -> Option<PlanFault> {
    let address_fault = find_address_fault(&target.address, "target.address").or_else(|| {
        target.read_address.as_ref().and_then(|address| find_address_fault(address, "target.read_address"))
    });
    let memcached = target.protocol.is_memcached();
    address_fault
        .or_else(|| find_place_fault(target))
        .or_else(|| {
            // Databases may know a user without a password.
            let is_sql = target.protocol.is_sql();
            let lonely = target.username.is_some() && target.password.is_none() && !is_sql;
            broken(lonely, "target.password", "a username needs a password")
        })
        .or_else(|| {
            let nameless = memcached && target.password.is_some() && target.username.is_none();
            broken(nameless, "target.username", "memcached asks for a username with the password")
        })
        .or_else(|| {
            let nameless = target.tls.as_ref().is_some_and(|tls| tls.server_name.is_empty());
            broken(nameless, "target.tls.server_name", "is empty")
        })
}

fn find_dataset_fault(dataset: &Dataset) -> Option<PlanFault> {
    in_range("dataset.key_count", dataset.key_count, 1, 10_000_000_000)
        .or_else(|| find_keys_fault(dataset))
        .or_else(|| in_range("dataset.list_length", dataset.list_length, 1, 1_000_000_000))
        .or_else(|| find_size_fault(&dataset.value_size, "dataset.value_size", MAX_VALUE_BYTES))
}

/// One request at a time, values of one byte's length, two ports.
fn find_memlink_fault(plan: &EnginePlan) -> Option<PlanFault> {
    if !plan.target.protocol.is_memlink() {
        return None;
    }
    let (min_bytes, max_bytes) = plan.dataset.value_size.bounds();
    let target = &plan.target;
    broken(target.read_address.is_none(), "target.read_address", "Memlink reads at a port of its own")
        .or_else(|| broken(target.password.is_some(), "target.password", "Memlink has no passwords"))
        .or_else(|| broken(target.tls.is_some(), "target.tls", "Memlink has no TLS"))
        .or_else(|| {
            broken(plan.load.pipeline() > 1, "load.pipeline", "Memlink answers one request at a time")
        })
        .or_else(|| in_range("dataset.value_size", max_bytes, 1, 255))
        .or_else(|| {
            let message = "Memlink pads values to one size: what has several sizes cannot be verified";
            broken(plan.verify && min_bytes < max_bytes, "verify", message)
        })
}

fn find_phases_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let empty = broken(plan.phases.is_empty(), "phases", "is empty");
    empty.or_else(|| (0..plan.phases.len()).find_map(|index| find_phase_fault(plan, index)))
}

fn find_phase_fault(plan: &EnginePlan, index: usize) -> Option<PlanFault> {
    let phase = &plan.phases[index];
    let path = |field: &str| format!("phases[{index}].{field}");
    let unordered = index > 0 && plan.phases[index - 1].name >= phase.name;
    broken(unordered, &path("name"), "phases come once each, in the order prefill, warmup, measure").or_else(
        || match (&phase.stop, phase.name) {
            (None, PhaseName::Prefill) => None,
            (Some(_), PhaseName::Prefill) => {
                Some(PlanFault::at(&path("stop"), "a prefill ends when every key is written"))
            }
            (None, _) if plan.trace.is_some() => None,
            (None, _) => Some(PlanFault::at(&path("stop"), "says neither seconds nor operations")),
            (Some(StopRule { steady: Some(_), .. }), PhaseName::Measure) => {
                let message = "only a warmup ends when it is steady";
                Some(PlanFault::at(&path("stop.steady"), message))
            }
            (Some(rule), _) => find_stop_fault(rule, &path("stop")),
        },
    )
}

fn find_stop_fault(rule: &StopRule, path: &str) -> Option<PlanFault> {
    match (rule.seconds, rule.operations, &rule.steady) {
        (Some(seconds), None, None) => positive(&format!("{path}.seconds"), seconds, MAX_PHASE_SECONDS),
        (None, Some(operations), None) => in_range(&format!("{path}.operations"), operations, 1, u64::MAX),
        (None, None, Some(rule)) => find_steady_fault(rule, &format!("{path}.steady")),
        _ => Some(PlanFault::at(path, "needs exactly one of seconds, operations and (in a warmup) steady")),
    }
}

fn find_steady_fault(rule: &SteadyRule, path: &str) -> Option<PlanFault> {
    let is_short = rule.max_seconds < f64::from(rule.window_s);
    positive(&format!("{path}.variation_max"), rule.variation_max, 1.0)
        .or_else(|| in_range(&format!("{path}.window_s"), rule.window_s.into(), 3, 600))
        .or_else(|| positive(&format!("{path}.max_seconds"), rule.max_seconds, MAX_PHASE_SECONDS))
        .or_else(|| broken(is_short, &format!("{path}.max_seconds"), "is shorter than the window"))
}

fn find_cpus_fault(cpus: &[u32]) -> Option<PlanFault> {
    cpus.iter().enumerate().find_map(|(index, &cpu)| in_range(&format!("cpus[{index}]"), cpu.into(), 0, 1023))
}
