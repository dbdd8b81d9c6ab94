//! A plan made of flags. It goes the same way as one that was read: as JSON through the validation.

use loadstone_spec::PlanFault;
use loadstone_spec::plan::{EnginePlan, StoreProtocol};
use serde_json::{Value, json};

use crate::args::Flags;
use crate::presets;
use crate::shapes::{operations_of_trace, read_connections, read_rate, read_size_file, read_speed};

/// # Errors
/// A fault that names the flag, or the place in the plan that was made of them.
pub fn compose(target: &str, flags: &Flags) -> Result<EnginePlan, PlanFault> {
    let target = read_target(target, flags)?;
    let (operations, access, value_size) = match flags.ycsb {
        Some(letter) => presets::ycsb(letter, target["protocol"].as_str().unwrap_or(""))
            .ok_or_else(|| fault("ycsb", format!("{letter:?} is none of A, B, C, D, E, F")))?,
        None => (compose_operations(flags)?, compose_access(flags), compose_value_size(flags)?),
    };
    let mut dataset = json!({
        "key_count": flags.keys,
        "value_size": value_size,
        "list_length": flags.list_length,
        "hit_ratio": flags.hit_ratio,
    });
    compose_keys(flags, &mut dataset)?;
    let plan = json!({
        "version": 1,
        "label": "flags",
        "target": target,
        "dataset": dataset,
        "operations": operations,
        "access": access,
        "trace": flags.trace.as_ref().map(|file| json!({"file": file})),
        "replica_lag": flags.replica_lag.map(|probes_per_s| json!({"probes_per_s": probes_per_s})),
        "load": compose_load(flags)?,
        "threads": flags.threads,
        "phases": compose_phases(flags),
        "seed": flags.seed,
        "cpus": flags.cpus,
        "verify": flags.verify,
        "timeout_ms": flags.timeout_ms,
        "event_loop": flags.event_loop,
    });
    loadstone_spec::read_plan(&plan.to_string())
}

fn compose_operations(flags: &Flags) -> Result<Value, PlanFault> {
    match &flags.trace {
        Some(trace) => operations_of_trace(trace),
        None => read_mix(&flags.mix),
    }
}

fn compose_value_size(flags: &Flags) -> Result<Value, PlanFault> {
    match &flags.value_sizes {
        Some(file) => read_size_file(file),
        None => read_value_size("value-size", &flags.value_size),
    }
}

fn compose_access(flags: &Flags) -> Value {
    match (flags.zipf, &flags.access) {
        (Some(exponent), _) => json!({"kind": "zipf", "exponent": exponent}),
        (None, kind) => json!({"kind": kind.as_deref().unwrap_or("uniform")}),
    }
}

fn fault(flag: &str, message: impl Into<String>) -> PlanFault {
    PlanFault { path: format!("--{flag}"), message: message.into() }
}

fn compose_load(flags: &Flags) -> Result<Value, PlanFault> {
    let (connections, steps) = read_connections(&flags.connections)?;
    let retries = flags.retries.map(|attempts| json!({"attempts": attempts, "on": flags.retry_on}));
    let mut load = json!({
        "connections": connections,
        "pipeline": flags.pipeline,
        "requests_per_connection": flags.requests_per_connection,
        "churn_per_s": flags.churn,
        "retries": retries,
    });
    let speed = match flags.trace {
        Some(_) => read_speed(&flags.speed)?,
        None => None,
    };
    let is_open = flags.rate.is_some() || speed.is_some();
    load["kind"] = if is_open { "open" } else { "closed" }.into();
    match (&flags.rate, speed) {
        (Some(rate), _) => {
            read_rate(rate, &mut load)?;
            let arrivals = if flags.poisson { "poisson" } else { "constant" };
            load["arrivals"] = if flags.burst.is_some() { "bursty" } else { arrivals }.into();
            load["burst_size"] = flags.burst.into();
        }
        (None, Some(speed)) => {
            load["arrivals"] = "recorded".into();
            load["speed"] = speed.into();
        }
        (None, None) => {
            load["think_time_us"] = flags.think_time_us.into();
            load["gather_replies"] = flags.gather_replies.into();
            load["connection_steps"] = steps.clone().into();
        }
    }
    if is_open && !steps.is_empty() {
        return Err(fault("connections", "only a closed loop has steps of connections"));
    }
    Ok(load)
}

fn compose_phases(flags: &Flags) -> Value {
    let mut phases = Vec::new();
    if !flags.no_prefill {
        phases.push(json!({"name": "prefill"}));
    }
    match (flags.until_steady, flags.warmup) {
        (Some(variation_max), longest) => {
            let steady = json!({"variation_max": variation_max, "max_seconds": longest.unwrap_or(300.0)});
            phases.push(json!({"name": "warmup", "stop": {"steady": steady}}));
        }
        (None, Some(seconds)) => phases.push(json!({"name": "warmup", "stop": {"seconds": seconds}})),
        (None, None) => {}
    }
    let stop = match (flags.operations, flags.seconds) {
        (Some(operations), _) => json!({"operations": operations}),
        (None, None) if flags.trace.is_some() => Value::Null,
        (None, seconds) => json!({"seconds": seconds.unwrap_or(10.0)}),
    };
    phases.push(json!({"name": "measure", "stop": stop}));
    phases.into()
}

/// Prefix and size, a template, or lengths drawn from a range.
fn compose_keys(flags: &Flags, dataset: &mut Value) -> Result<(), PlanFault> {
    dataset["key_template"] = flags.key_template.clone().into();
    let Some(size) = &flags.key_size else { return Ok(()) };
    let sizes = read_value_size("key-size", size)?;
    match sizes["kind"].as_str() {
        Some("fixed") => dataset["key_size_bytes"] = sizes["bytes"].clone(),
        _ => dataset["key_sizes"] = sizes,
    }
    Ok(())
}

fn read_value_size(flag: &str, text: &str) -> Result<Value, PlanFault> {
    let number = |digits: &str| {
        digits.parse::<u64>().map_err(|_| fault(flag, format!("{text:?} is neither 100 nor 64-1024")))
    };
    if text == "facebook" {
        return Ok(json!({"kind": "facebook"}));
    }
    Ok(match text.split_once('-') {
        None => json!({"kind": "fixed", "bytes": number(text)?}),
        Some((min, max)) => json!({"kind": "uniform", "min_bytes": number(min)?, "max_bytes": number(max)?}),
    })
}

fn read_mix(text: &str) -> Result<Value, PlanFault> {
    text.split(',').map(read_operation).collect::<Result<Vec<_>, _>>().map(Value::from)
}

fn read_operation(text: &str) -> Result<Value, PlanFault> {
    let unreadable = || fault("mix", format!("{text:?} is not of the form get=9 or multi_get:16=1"));
    let field = |kind: &str| match kind {
        "range_first" | "range_last" | "range" | "scan" => "entries",
        "touch" => "expire_s",
        _ => "keys_per_request",
    };
    let (name, weight) = text.split_once('=').unwrap_or((text, "1"));
    let weight: f64 = weight.parse().map_err(|_| unreadable())?;
    let (kind, number) = name.split_once(':').map_or((name, None), |(kind, number)| (kind, Some(number)));
    let mut operation = json!({"kind": kind, "weight": weight});
    if let Some(number) = number {
        operation[field(kind)] = number.parse::<u64>().map_err(|_| unreadable())?.into();
    }
    Ok(operation)
}

fn read_target(url: &str, flags: &Flags) -> Result<Value, PlanFault> {
    let (scheme, rest) =
        url.split_once("://").ok_or_else(|| fault("target", "is no address like redis://HOST:PORT"))?;
    let (protocol, is_tls, is_unix) = read_scheme(scheme)
        .ok_or_else(|| fault("target", format!("{scheme:?} is no protocol of this engine")))?;
    let (credentials, place) = if is_unix { (None, rest) } else { split_credentials(rest) };
    let (username, password) = match credentials.and_then(|pair| pair.split_once(':')) {
        Some((name, password)) => (decode(name), Some(decode(password))),
        None => (decode(credentials.unwrap_or("")), None),
    };
    let (address, database, host) = if is_unix {
        (json!({"kind": "unix", "path": place}), None, String::new())
    } else {
        read_place(place)?
    };
    Ok(json!({
        "protocol": protocol,
        "address": address,
        "username": (!username.is_empty()).then_some(username),
        "password": flags.password.clone().or(password),
        "database": match database {
            Some(name) if protocol.is_redis() => Some(json!(read_number(&name)?)),
            name => name.map(Value::from),
        },
        "table": flags.table,
        "read_address": match &flags.read_from {
            Some(place) => Some(read_place(place)?.0),
            None => None,
        },
        "tls": is_tls.then(|| json!({"server_name": host, "verify_certificate": !flags.insecure})),
    }))
}

/// `redis`, with an `s` behind it for TLS, `+unix` for a Unix socket.
fn read_scheme(scheme: &str) -> Option<(StoreProtocol, bool, bool)> {
    let (name, is_unix) = scheme.strip_suffix("+unix").map_or((scheme, false), |name| (name, true));
    let find = |name: &str| StoreProtocol::ALL.into_iter().find(|protocol| protocol.name() == name);
    let secured = |name: &str| Some((find(name.strip_suffix('s')?)?, true, is_unix));
    find(name).map(|protocol| (protocol, false, is_unix)).or_else(|| secured(name))
}

fn split_credentials(rest: &str) -> (Option<&str>, &str) {
    match rest.rsplit_once('@') {
        Some((credentials, place)) => (Some(credentials), place),
        None => (None, rest),
    }
}

/// `HOST:PORT[/DATABASE]`, the host in brackets where it holds colons.
fn read_place(place: &str) -> Result<(Value, Option<String>, String), PlanFault> {
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    let (host, port) = authority.rsplit_once(':').ok_or_else(|| fault("target", "says no port"))?;
    let port: u16 = port.parse().map_err(|_| fault("target", format!("{port:?} is no port")))?;
    let database = (!path.is_empty()).then(|| path.to_owned());
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Ok((json!({"kind": "tcp", "host": host, "port": port}), database, host))
}

fn read_number(database: &str) -> Result<u32, PlanFault> {
    database.parse().map_err(|_| fault("target", format!("{database:?} is no database number")))
}

/// Percent-encoding, as passwords in addresses need it.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%').then(|| tail.get(..2)).flatten();
        let value = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(value.unwrap_or(first));
        rest = if value.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_protocol_place_credentials_and_tls() {
        let flags = crate::args::Arguments::parse_flags(&["--target", "x"]);
        let target = read_target("rediss://me:p%40ss:word@[::1]:6380/3", &flags).unwrap();
        assert_eq!(target["address"], json!({"kind": "tcp", "host": "::1", "port": 6380}));
        assert_eq!(target["password"], "p@ss:word");
        assert_eq!(target["username"], "me");
        assert_eq!(target["database"], 3);
        assert_eq!(target["tls"]["server_name"], "::1");
    }

    #[test]
    fn databases_have_names_where_they_have_no_numbers() {
        let flags =
            crate::args::Arguments::parse_flags(&["--target", "x", "--read-from", "r:7", "--table", "t"]);
        let target = read_target("mysqls://me@h:3306/shop", &flags).unwrap();
        assert_eq!((&target["protocol"], &target["database"]), (&json!("mysql"), &json!("shop")));
        assert_eq!(target["read_address"], json!({"kind": "tcp", "host": "r", "port": 7}));
        assert_eq!(target["tls"]["server_name"], "h");
    }

    #[test]
    fn ycsb_workloads_can_be_run_where_their_operations_are_offered() {
        let port = "127.0.0.1:1";
        for (letter, protocol, is_sound) in [
            ('A', "redis", true),
            ('F', "memcached", true),
            ('E', "mysql", true),
            ('E', "redis", false),
            ('X', "redis", false),
        ] {
            let letter = letter.to_string();
            let flags = crate::args::Arguments::parse_flags(&["--target", "x", "--ycsb", &letter]);
            let composed = compose(&format!("{protocol}://{port}"), &flags);
            assert_eq!(composed.is_ok(), is_sound, "{letter} {protocol} {composed:?}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_the_flag() {
        let flags = crate::args::Arguments::parse_flags(&["--target", "x"]);
        for url in ["localhost:6379", "ftp://a:1", "redis://host", "redis://host:99999", "redis://host:1/x"] {
            assert_eq!(read_target(url, &flags).unwrap_err().path, "--target", "{url}");
        }
    }

    #[test]
    fn a_mix_names_operations_weights_and_keys() {
        let mix = read_mix("get=9,multi_get:16=0.5").unwrap();
        assert_eq!(mix[1], json!({"kind": "multi_get", "weight": 0.5, "keys_per_request": 16}));
        let list = read_mix("range_first:200,touch:60=2").unwrap();
        assert_eq!(list[0]["entries"], 200);
        assert_eq!(list[1]["expire_s"], 60);
        assert_eq!(read_mix("get=x").unwrap_err().path, "--mix");
    }
}
