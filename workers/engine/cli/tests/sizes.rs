//! Limits that would decay if they stood only in prose.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and may say why it did less"
)]

use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 400;

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_file_is_longer_than_four_hundred_lines() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut found);
    assert!(found.len() > 30);
    for path in found {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", path.display());
    }
}

#[test]
fn unsafe_code_stands_in_one_module() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut found);
    let word = ["unsafe", " {"].concat();
    let with: Vec<_> =
        found.iter().filter(|path| fs::read_to_string(path).unwrap().contains(&word)).collect();
    let stands_apart = |path: &&PathBuf| path.parent().is_some_and(|folder| folder.ends_with("load/src/sys"));
    assert!(!with.is_empty() && with.iter().all(stands_apart), "{with:?}");
}
