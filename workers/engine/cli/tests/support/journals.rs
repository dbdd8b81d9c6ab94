//! Runs with a journal of acknowledged writes, and what an audit of it says.

use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{engine, run};

/// A folder with a journal and the plan that is to write it.
pub struct Journalled {
    directory: TempDir,
    pub plan: Value,
}

impl Journalled {
    pub fn new(mut plan: Value) -> Self {
        let directory = TempDir::new().unwrap();
        plan["journal"] = json!(directory.path().join("journal").to_str().unwrap());
        Self { directory, plan }
    }

    /// What `audit` prints, after checking that it has looked at every key.
    pub fn audit(&self) -> Value {
        let path = self.directory.path().join("plan.json");
        std::fs::write(&path, self.plan.to_string()).unwrap();
        let journal = self.plan["journal"].as_str().unwrap();
        let output = engine()
            .args(["audit", "--plan", path.to_str().unwrap(), "--journal", journal])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        let found: Value = serde_json::from_str(&text).unwrap();
        let sum: u64 =
            ["kept", "newer", "lost", "torn", "errors"].iter().map(|name| count(&found, name)).sum();
        assert_eq!(sum, count(&found, "keys"), "{found}");
        found
    }
}

pub fn count(found: &Value, name: &str) -> u64 {
    found[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {found}"))
}

/// Carries a plan out with a journal; a store that lost nothing has kept all of it.
pub fn assert_all_kept(plan: Value, writes: &[Value]) {
    let mut journalled = Journalled::new(plan);
    journalled.plan["operations"] = json!([{"kind": "get", "weight": 1}]);
    journalled.plan["operations"].as_array_mut().unwrap().extend(writes.iter().cloned());
    journalled.plan["dataset"] =
        json!({"key_count": 300, "value_size": {"kind": "uniform", "min_bytes": 8, "max_bytes": 3000}});
    journalled.plan["phases"][1]["stop"] = json!({"operations": 2000});
    let said = run(&journalled.plan);
    let measured = said.measured();
    assert_eq!((said.code(), measured.answered), (0, 2000), "{:?}", measured.operations);
    let found = journalled.audit();
    let of_writes = |operation: &Value| {
        let kind = serde_json::from_value(operation["kind"].clone()).unwrap();
        super::numbers(measured, kind).count * operation["keys_per_request"].as_u64().unwrap_or(1)
    };
    let written = 300 + writes.iter().map(of_writes).sum::<u64>();
    assert_eq!((count(&found, "acknowledged"), count(&found, "unanswered")), (written, 0), "{found}");
    assert_eq!(count(&found, "kept"), count(&found, "keys"), "{found}");
    assert!(count(&found, "keys") >= 300, "{found}");
    assert_eq!(found["lost_window_ns"], Value::Null);
}
