//! Buffers that the kernel fills with what arrives, and gets back once they have been read.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::io;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::Submitter;
use io_uring::types::BufRingEntry;

/// The kernel wants the ring of buffers to begin a page.
const PAGE_BYTES: usize = 4096;
/// A deep pipeline of replies of 1 KiB comes in one piece.
const BUFFER_BYTES: usize = 16 * 1024;
/// The only group of buffers of a ring.
pub(super) const GROUP: u16 = 0;

/// One piece of memory: the entries that the kernel reads, and behind them, on pages of their own, the buffers.
///
/// Invariant: `base` is an allocation of `layout` that lives as long as this value, with room for `count` entries and
/// `count` buffers, and `count` is a power of two. The kernel writes only into buffers that stand in the ring; a
/// buffer is read only between its completion and `give_back`.
pub(super) struct Buffers {
    base: *mut u8,
    layout: Layout,
    count: u16,
    tail: u16,
    is_leaked: bool,
}

impl Buffers {
    /// Makes `count` buffers, a power of two, and gives all of them to the kernel.
    pub(super) fn register(submitter: &Submitter<'_>, count: u16) -> io::Result<Self> {
        let bytes = Self::buffers_at(count) + usize::from(count) * BUFFER_BYTES;
        let layout = Layout::from_size_align(bytes, PAGE_BYTES).map_err(io::Error::other)?;
        // SAFETY: the size is not zero.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            handle_alloc_error(layout);
        }
        let mut buffers = Self { base, layout, count, tail: 0, is_leaked: false };
        // SAFETY: the ring lies at the start of memory that lives as long as `buffers`, whose owner drops the
        // io_uring before it, and every entry lies within it.
        unsafe { submitter.register_buf_ring_with_flags(base as u64, count, GROUP, 0)? };
        (0..count).for_each(|id| buffers.give_back(id));
        buffers.publish();
        Ok(buffers)
    }

    /// Entries take 16 bytes.
    fn buffers_at(count: u16) -> usize {
        (usize::from(count) * size_of::<BufRingEntry>()).next_multiple_of(PAGE_BYTES)
    }

    fn offset(&self, id: u16) -> usize {
        assert!(id < self.count);
        Self::buffers_at(self.count) + usize::from(id) * BUFFER_BYTES
    }

    /// What the kernel has written.
    pub(super) fn get(&self, id: u16, len: usize) -> &[u8] {
        assert!(len <= BUFFER_BYTES);
        // SAFETY: `offset` is bounded by `count`, `len` by the size of a buffer, and the kernel has let go of this
        // buffer until it is given back, for which the whole value must be borrowed.
        unsafe { std::slice::from_raw_parts(self.base.add(self.offset(id)), len) }
    }

    /// Lays a buffer into the ring; the kernel sees it after `publish`.
    pub(super) fn give_back(&mut self, id: u16) {
        let address = self.base as u64 + self.offset(id) as u64;
        let slot = usize::from(self.tail & (self.count - 1));
        // SAFETY: `slot` is below `count`, and the kernel does not look at entries beyond the published tail. Fields are
        // written one by one because the first entry shares its last two bytes with the tail.
        unsafe {
            let entry = &mut *self.base.cast::<BufRingEntry>().add(slot);
            entry.set_addr(address);
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(id);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    /// The kernel may still write into the memory: it stays.
    pub(super) fn leak(&mut self) {
        self.is_leaked = true;
    }

    /// Shows the kernel everything that was given back.
    pub(super) fn publish(&self) {
        // SAFETY: the tail lies within the first entry, is aligned to two bytes, and is read by the kernel atomically.
        let tail = unsafe { &*BufRingEntry::tail(self.base.cast::<BufRingEntry>()).cast::<AtomicU16>() };
        tail.store(self.tail, Ordering::Release);
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if !self.is_leaked {
            // SAFETY: allocated with this layout, and nothing under way can write into it any more.
            unsafe { dealloc(self.base, self.layout) };
        }
    }
}
