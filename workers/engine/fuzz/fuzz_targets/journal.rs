#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_load::journal::Ledger;

fuzz_target!(|data: &[u8]| {
    if let Some(ledger) = Ledger::from_bytes(data) {
        let entries: usize = ledger.keys().map(<[_]>::len).sum();
        assert_eq!(entries, ledger.entries().len());
    }
});
