//! Where the plan comes from.

use std::fs::File;
use std::io::{Read, stdin};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use loadstone_spec::PlanFault;

/// A plan is some kilobytes; what is longer is no plan.
const MAX_PLAN_BYTES: u64 = 16 * 1024 * 1024;

/// Reads all of a file or of stdin.
///
/// # Errors
/// When it cannot be read, as a fault of the whole document.
pub fn read_text(file: Option<&Path>) -> Result<String, PlanFault> {
    let mut text = String::new();
    let result = match file {
        Some(path) => File::open(path).and_then(|file| file.take(MAX_PLAN_BYTES).read_to_string(&mut text)),
        None => stdin().lock().take(MAX_PLAN_BYTES).read_to_string(&mut text),
    };
    result.map(|_| text).map_err(|error| PlanFault::at("", format!("cannot be read: {error}")))
}

/// Reads one document from a stdin that stays open.
///
/// # Errors
/// When it ends early or holds no JSON.
pub fn read_first_document() -> Result<String, PlanFault> {
    loadstone_spec::read_document(stdin().lock().take(MAX_PLAN_BYTES))
}

/// Only the end of a pipe or socket means that somebody has gone; a file is at its end from the start.
pub fn stdin_is_a_pipe() -> bool {
    let Ok(fd) = stdin().as_fd().try_clone_to_owned() else { return false };
    File::from(fd).metadata().is_ok_and(|data| data.file_type().is_fifo() || data.file_type().is_socket())
}
