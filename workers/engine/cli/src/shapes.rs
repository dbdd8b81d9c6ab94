//! Flags that say how a load changes with time, how keys look and what was recorded.

use std::fs;
use std::io::BufReader;
use std::path::Path;

use loadstone_spec::PlanFault;
use loadstone_spec::trace::list_operations;
use serde_json::{Value, json};

/// `--speed` for as fast as the connections can.
const AS_FAST_AS_POSSIBLE: &str = "max";

fn fault(flag: &str, message: impl Into<String>) -> PlanFault {
    PlanFault { path: format!("--{flag}"), message: message.into() }
}

fn number(flag: &str, text: &str) -> Result<f64, PlanFault> {
    text.parse().map_err(|_| fault(flag, format!("{text:?} is no number")))
}

/// `10s`, `10`, `2m`.
fn seconds(flag: &str, text: &str) -> Result<f64, PlanFault> {
    match text.strip_suffix('m') {
        Some(minutes) => Ok(number(flag, minutes)? * 60.0),
        None => number(flag, text.strip_suffix('s').unwrap_or(text)),
    }
}

/// `1000` is a rate; with times it is a profile: `500/5s,500..5000/20s,0/1s,2000~1500@10s/60s`, a `*` behind it repeats.
pub fn read_rate(text: &str, load: &mut Value) -> Result<(), PlanFault> {
    if let Ok(rate_per_s) = text.parse::<f64>() {
        load["rate_per_s"] = rate_per_s.into();
        return Ok(());
    }
    let (body, repeats) = text.strip_suffix('*').map_or((text, false), |body| (body, true));
    let segments = body.split(',').map(read_segment).collect::<Result<Vec<_>, _>>()?;
    load["rate"] = json!({"segments": segments, "repeats": repeats});
    Ok(())
}

fn read_segment(text: &str) -> Result<Value, PlanFault> {
    let flag = "rate";
    let (shape, span) = text.split_once('/').ok_or_else(|| {
        fault(
            flag,
            format!("{text:?} is neither a rate nor of the form 500/5s, 500..5000/20s or 2000~1500@10s/60s"),
        )
    })?;
    let seconds_of_span = seconds(flag, span)?;
    if let Some((from, to)) = shape.split_once("..") {
        let (from, to) = (number(flag, from)?, number(flag, to)?);
        return Ok(json!({"kind": "ramp", "from_per_s": from, "to_per_s": to, "seconds": seconds_of_span}));
    }
    if let Some((base, wave)) = shape.split_once('~') {
        let (amplitude, period) = wave
            .split_once('@')
            .ok_or_else(|| fault(flag, format!("{text:?} says no period: BASE~AMPLITUDE@PERIOD/TIME")))?;
        return Ok(json!({
            "kind": "sinus", "base_per_s": number(flag, base)?, "amplitude_per_s": number(flag, amplitude)?,
            "period_s": seconds(flag, period)?, "seconds": seconds_of_span,
        }));
    }
    Ok(json!({"kind": "constant", "rate_per_s": number(flag, shape)?, "seconds": seconds_of_span}))
}

/// `50`, or steps of so long each: `4,8,16/10s`, `4..256/10s` (doubling). How many at most, and the steps.
pub fn read_connections(text: &str) -> Result<(u32, Vec<Value>), PlanFault> {
    let flag = "connections";
    let count = |text: &str| {
        text.parse::<u32>().map_err(|_| fault(flag, format!("{text:?} is no number of connections")))
    };
    let Some((numbers, span)) = text.split_once('/') else { return Ok((count(text)?, Vec::new())) };
    let seconds_each = seconds(flag, span)?;
    let numbers = match numbers.split_once("..") {
        Some((from, to)) => double(count(from)?, count(to)?),
        None => numbers.split(',').map(count).collect::<Result<Vec<_>, _>>()?,
    };
    let most = numbers.iter().copied().max().unwrap_or(0);
    let step = |connections: u32| json!({"connections": connections, "seconds": seconds_each});
    Ok((most, numbers.into_iter().map(step).collect()))
}

fn double(from: u32, to: u32) -> Vec<u32> {
    let doubled = std::iter::successors(Some(from.max(1)), |number| number.checked_mul(2));
    doubled.take_while(|&number| number < to).chain([to]).collect()
}

/// A file of lines `bytes,count`, or `from-to,count`.
pub fn read_size_file(path: &Path) -> Result<Value, PlanFault> {
    let flag = "value-sizes";
    let text =
        fs::read_to_string(path).map_err(|error| fault(flag, format!("{}: {error}", path.display())))?;
    let lines = text.lines().enumerate().filter(|(at, line)| !(*at == 0 && *line == "bytes,count"));
    let buckets = lines
        .map(|(at, line)| {
            read_bucket(line).ok_or_else(|| {
                fault(flag, format!("line {}: {line:?} is not of the form bytes,count", at + 1))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(json!({"kind": "histogram", "buckets": buckets}))
}

fn read_bucket(line: &str) -> Option<Value> {
    let (bytes, count) = line.split_once(',')?;
    let (min, max) = bytes.split_once('-').unwrap_or((bytes, bytes));
    let (min, max): (u64, u64) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
    let weight: f64 = count.trim().parse().ok()?;
    Some(json!({"min_bytes": min, "max_bytes": max, "weight": weight}))
}

/// The operations that a trace names, all of the same weight.
pub fn operations_of_trace(path: &Path) -> Result<Value, PlanFault> {
    let message = |error: String| fault("trace", format!("{}: {error}", path.display()));
    let file = fs::File::open(path).map_err(|error| message(error.to_string()))?;
    let kinds = list_operations(BufReader::new(file)).map_err(|error| message(error.to_string()))?;
    Ok(kinds.iter().map(|kind| json!({"kind": kind.name(), "weight": 1})).collect())
}

/// How many times faster than recorded a trace is replayed; nothing for as fast as possible.
pub fn read_speed(text: &str) -> Result<Option<f64>, PlanFault> {
    if text == AS_FAST_AS_POSSIBLE { Ok(None) } else { number("speed", text).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_or_a_profile() {
        let read = |text: &str| {
            let mut load = json!({});
            read_rate(text, &mut load).map(|()| load)
        };
        assert_eq!(read("1000").unwrap(), json!({"rate_per_s": 1000.0}));
        let profile = read("500/5s,500..5000/2m,2000~1500@10s/60s*").unwrap();
        assert_eq!(profile["rate"]["repeats"], true);
        let segments = &profile["rate"]["segments"];
        assert_eq!(segments[0], json!({"kind": "constant", "rate_per_s": 500.0, "seconds": 5.0}));
        assert_eq!(segments[1]["to_per_s"], 5000.0);
        assert_eq!((&segments[1]["seconds"], &segments[2]["period_s"]), (&json!(120.0), &json!(10.0)));
        for text in ["x", "5..x/1s", "5~4/1s", "5/x", "1..2"] {
            assert_eq!(read(text).unwrap_err().path, "--rate", "{text}");
        }
    }

    #[test]
    fn connections_are_a_number_or_steps() {
        assert_eq!(read_connections("50").unwrap(), (50, Vec::new()));
        let counts = |text: &str| {
            let (most, steps) = read_connections(text).unwrap();
            (most, steps.iter().map(|step| step["connections"].as_u64().unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(counts("4..256/10s"), (256, vec![4, 8, 16, 32, 64, 128, 256]));
        assert_eq!(counts("3..10/1s"), (10, vec![3, 6, 10]));
        assert_eq!(counts("9,2,5/1s"), (9, vec![9, 2, 5]));
        assert_eq!(read_connections("4,x/1s").unwrap_err().path, "--connections");
    }

    #[test]
    fn a_file_of_sizes_becomes_a_histogram() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "bytes,count\n100,30\n200-300, 5\n").unwrap();
        let sizes = read_size_file(file.path()).unwrap();
        assert_eq!(sizes["buckets"][1], json!({"min_bytes": 200, "max_bytes": 300, "weight": 5.0}));
        fs::write(file.path(), "100,30\n200;5\n").unwrap();
        assert!(read_size_file(file.path()).unwrap_err().message.starts_with("line 2"));
    }
}
