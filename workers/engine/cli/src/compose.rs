//! A plan made of flags. It goes the same way as one that was read: as JSON through the validation.

use loadstone_spec::PlanFault;
use loadstone_spec::plan::{EnginePlan, StoreProtocol};
use serde_json::{Value, json};

use crate::args::Flags;

/// # Errors
/// A fault that names the flag, or the place in the plan that was made of them.
pub fn compose(target: &str, flags: &Flags) -> Result<EnginePlan, PlanFault> {
    let plan = json!({
        "version": 1,
        "label": "flags",
        "target": read_target(target, flags)?,
        "dataset": {
            "key_count": flags.keys,
            "key_size_bytes": flags.key_size,
            "value_size": read_value_size(&flags.value_size)?,
        },
        "operations": read_mix(&flags.mix)?,
        "access": match flags.zipf {
            Some(exponent) => json!({"kind": "zipf", "exponent": exponent}),
            None => json!({"kind": "uniform"}),
        },
        "load": compose_load(flags),
        "threads": flags.threads,
        "phases": compose_phases(flags),
        "seed": flags.seed,
        "cpus": flags.cpus,
        "verify": flags.verify,
        "timeout_ms": flags.timeout_ms,
    });
    loadstone_spec::read_plan(&plan.to_string())
}

fn fault(flag: &str, message: impl Into<String>) -> PlanFault {
    PlanFault { path: format!("--{flag}"), message: message.into() }
}

fn compose_load(flags: &Flags) -> Value {
    let (connections, pipeline) = (flags.connections, flags.pipeline);
    match flags.rate {
        None => json!({"kind": "closed", "connections": connections, "pipeline": pipeline}),
        Some(rate_per_s) => json!({
            "kind": "open",
            "connections": connections,
            "pipeline": pipeline,
            "rate_per_s": rate_per_s,
            "arrivals": if flags.poisson { "poisson" } else { "constant" },
        }),
    }
}

fn compose_phases(flags: &Flags) -> Value {
    let mut phases = Vec::new();
    if !flags.no_prefill {
        phases.push(json!({"name": "prefill"}));
    }
    if let Some(seconds) = flags.warmup {
        phases.push(json!({"name": "warmup", "stop": {"seconds": seconds}}));
    }
    let stop = match flags.operations {
        Some(operations) => json!({"operations": operations}),
        None => json!({"seconds": flags.seconds.unwrap_or(10.0)}),
    };
    phases.push(json!({"name": "measure", "stop": stop}));
    phases.into()
}

fn read_value_size(text: &str) -> Result<Value, PlanFault> {
    let number = |digits: &str| {
        digits.parse::<u64>().map_err(|_| fault("value-size", format!("{text:?} is neither 100 nor 64-1024")))
    };
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
    let (name, weight) = text.split_once('=').unwrap_or((text, "1"));
    let weight: f64 = weight.parse().map_err(|_| unreadable())?;
    let (kind, keys) = name.split_once(':').unwrap_or((name, "1"));
    let keys: u16 = keys.parse().map_err(|_| unreadable())?;
    Ok(json!({"kind": kind, "weight": weight, "keys_per_request": keys}))
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
        "database": database,
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
fn read_place(place: &str) -> Result<(Value, Option<u32>, String), PlanFault> {
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    let (host, port) = authority.rsplit_once(':').ok_or_else(|| fault("target", "says no port"))?;
    let port: u16 = port.parse().map_err(|_| fault("target", format!("{port:?} is no port")))?;
    let database = match path {
        "" => None,
        digits => {
            Some(digits.parse().map_err(|_| fault("target", format!("{digits:?} is no database number")))?)
        }
    };
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Ok((json!({"kind": "tcp", "host": host, "port": port}), database, host))
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
        assert_eq!(read_mix("get=x").unwrap_err().path, "--mix");
    }
}
