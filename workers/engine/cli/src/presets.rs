//! Workloads that others have defined.

use serde_json::{Value, json};

/// How many keys a scan of workload E asks for, uniformly.
const SCAN_ENTRIES: (u32, u32) = (1, 100);
/// Ten fields of 100 bytes.
const VALUE_BYTES: u32 = 1000;

/// Operations, access and value size of one of YCSB's core workloads (Cooper et al. 2010), A to F. Where a protocol has
/// no update, a set stands for it.
pub fn ycsb(letter: char, protocol: &str) -> Option<(Value, Value, Value)> {
    let has_update = !protocol.starts_with("memcached") && !protocol.starts_with("redis");
    let update = if has_update { "update" } else { "set" };
    let mix = |first: &str, share: f64, second: &str| {
        let mut first = json!({"kind": first, "weight": share});
        if first["kind"] == "scan" {
            (first["entries_min"], first["entries"]) = (SCAN_ENTRIES.0.into(), SCAN_ENTRIES.1.into());
        }
        json!([first, {"kind": second, "weight": 1.0 - share}])
    };
    let zipf = json!({"kind": "zipf", "exponent": 0.99});
    let (operations, access) = match letter.to_ascii_uppercase() {
        'A' => (mix("get", 0.5, update), zipf),
        'B' => (mix("get", 0.95, update), zipf),
        'C' => (json!([{"kind": "get", "weight": 1}]), zipf),
        'D' => (mix("get", 0.95, "insert"), json!({"kind": "latest", "exponent": 0.99})),
        'E' => (mix("scan", 0.95, "insert"), zipf),
        'F' => (mix("get", 0.5, "read_modify_write"), zipf),
        _ => return None,
    };
    Some((operations, access, json!({"kind": "fixed", "bytes": VALUE_BYTES})))
}
