#![no_main]

use libfuzzer_sys::fuzz_target;

// A plan that is taken is also taken when it is written down again, and is then the same plan.
fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(plan) = loadstone_spec::read_plan(text) else { return };
    let again = loadstone_spec::read_plan(&serde_json::to_string(&plan).expect("a plan is plain data"));
    assert_eq!(
        loadstone_spec::hash_plan(&again.expect("what was read can be read")),
        loadstone_spec::hash_plan(&plan)
    );
});
