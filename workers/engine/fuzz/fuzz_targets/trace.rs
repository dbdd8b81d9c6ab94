#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_spec::plan::{Operation, OperationKind};
use loadstone_spec::trace::{list_operations, read_trace};

fuzz_target!(|data: &[u8]| {
    let kinds = list_operations(data).unwrap_or_else(|_| OperationKind::ALL.to_vec());
    let operations: Vec<Operation> = kinds.into_iter().map(Operation::of_kind).collect();
    let Ok(trace) = read_trace(data, &operations) else { return };
    // Beyond the end too.
    for number in 0..=trace.len() {
        let _ = trace.time_s(number);
        let Some((operation, item)) = trace.request(number) else { continue };
        assert!(operation < operations.len());
        let _ = (trace.size_of(item), trace.key_of(item));
    }
    assert_eq!(trace.is_empty(), trace.len() == 0);
});
