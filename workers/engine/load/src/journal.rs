//! The journal of acknowledged writes: what a target has promised to keep, noted outside of it.
//!
//! A file of records of three little-endian words. The first record is the head: a magic number and when the journal
//! was begun. Every other one is a key's index, the version of the value that was written, and when its outcome was
//! known; the top bit of the time is set where the outcome is that there was no good answer.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

/// Three words.
const RECORD_BYTES: usize = 24;
const UNKNOWN: u64 = 1 << 63;
const MAGIC: u64 = u64::from_le_bytes(*b"LSJRNL01");
/// So much a thread keeps to itself before it writes: some 50 us of writing every 2,000 operations.
const BUFFER_BYTES: usize = 2048 * RECORD_BYTES;

/// One write of one key, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    pub key: u64,
    /// 0 of a prefill; otherwise when the write was made, in nanoseconds since 1970, no two of them the same.
    pub version: u64,
    /// When the answer came, or when it was given up.
    pub settled_at_unix_ns: u64,
    pub is_acknowledged: bool,
}

impl Entry {
    fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let settled = self.settled_at_unix_ns | if self.is_acknowledged { 0 } else { UNKNOWN };
        to_record([self.key, self.version, settled])
    }

    fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Self {
        let [key, version, settled] = to_words(bytes);
        Self { key, version, settled_at_unix_ns: settled & !UNKNOWN, is_acknowledged: settled & UNKNOWN == 0 }
    }
}

fn to_record(words: [u64; 3]) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes.chunks_exact_mut(8).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    bytes
}

fn to_words(bytes: &[u8; RECORD_BYTES]) -> [u64; 3] {
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    [word(0), word(8), word(16)]
}

/// Nanoseconds since 1970.
pub(crate) fn unix_now_ns() -> u64 {
    UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos() as u64)
}

/// The file of a run. Each thread adds to it through a [`Journal`] of its own.
#[derive(Debug)]
pub(crate) struct JournalFile {
    file: File,
    has_failed: AtomicBool,
}

impl JournalFile {
    /// Begins a journal; one that stands at the path is replaced.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        drop(File::create(path)?);
        // Writes of several threads must not overwrite each other.
        let mut file = OpenOptions::new().append(true).open(path)?;
        file.write_all(&to_record([MAGIC, unix_now_ns(), 0]))?;
        Ok(Self { file, has_failed: AtomicBool::new(false) })
    }

    /// Whether an entry could not be written: what the journal holds is then less than what was acknowledged.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }
}

/// One thread's entries.
#[derive(Debug)]
pub(crate) struct Journal {
    shared: Arc<JournalFile>,
    buffer: Vec<u8>,
}

impl Journal {
    pub(crate) fn new(shared: &Arc<JournalFile>) -> Self {
        Self { shared: Arc::clone(shared), buffer: Vec::with_capacity(BUFFER_BYTES + RECORD_BYTES) }
    }

    /// Notes the outcome of a write that was known just now.
    pub(crate) fn note(&mut self, keys: &[u64], version: u64, is_acknowledged: bool) {
        let settled_at_unix_ns = unix_now_ns();
        for &key in keys {
            let entry = Entry { key, version, settled_at_unix_ns, is_acknowledged };
            self.buffer.extend_from_slice(&entry.to_bytes());
            if self.buffer.len() >= BUFFER_BYTES {
                self.flush();
            }
        }
    }

    /// Hands everything to the system, so that it outlives this process.
    pub(crate) fn flush(&mut self) {
        if (&self.shared.file).write_all(&self.buffer).is_err() {
            self.shared.has_failed.store(true, Ordering::Relaxed);
        }
        self.buffer.clear();
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.flush();
    }
}

/// What a journal holds, by key and version.
#[derive(Debug)]
pub struct Ledger {
    entries: Vec<Entry>,
    begun_at_unix_ns: u64,
}

impl Ledger {
    /// Reads a journal. A record that was not written to its end is left out.
    ///
    /// # Errors
    /// When the file cannot be read or is no journal.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        File::open(path)?.read_to_end(&mut bytes)?;
        Self::from_bytes(&bytes)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "is no journal of this engine"))
    }

    /// As [`Ledger::read`], from what the file holds; nothing when it is no journal.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<RECORD_BYTES>()?;
        let [magic, begun_at_unix_ns, _] = to_words(head);
        let records = rest.chunks_exact(RECORD_BYTES).filter_map(|record| record.first_chunk());
        let mut entries: Vec<Entry> = records.map(Entry::from_bytes).collect();
        entries.sort_unstable();
        (magic == MAGIC).then_some(Self { entries, begun_at_unix_ns })
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn begun_at_unix_ns(&self) -> u64 {
        self.begun_at_unix_ns
    }

    /// The entries of each key, in the order of their versions.
    pub fn keys(&self) -> impl Iterator<Item = &[Entry]> {
        self.entries.chunk_by(|one, next| one.key == next.key)
    }
}
