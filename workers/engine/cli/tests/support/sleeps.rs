//! How often a thread of an engine has slept, as the scheduler counts it: a busy machine does not change that.

use std::fs;
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

/// Watches the threads of this name until their process ends: what they had slept when they were last seen.
pub fn count_sleeps(pid: u32, name: &'static str) -> JoinHandle<u64> {
    spawn(move || {
        let mut most = 0;
        while let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) {
            let statuses =
                threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
            let sleeps: Vec<u64> = statuses
                .filter(|status| find(status, "Name") == Some(name))
                .filter_map(|status| find(&status, "voluntary_ctxt_switches")?.parse().ok())
                .collect();
            most = most.max(sleeps.iter().sum());
            sleep(Duration::from_millis(5));
        }
        most
    })
}

fn find<'a>(status: &'a str, field: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).map(str::trim)
}
