//! What one load thread is given to look after.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use crate::assignment::Assignment;
use crate::driver::Driver;
use crate::flights::Flights;
use crate::links::{Links, Shared};
use crate::record::RecordSet;
use crate::totals::Message;
use crate::worker::Worker;

/// A thread's ends of the channels to the reports.
pub(crate) struct Channels {
    pub thread: u32,
    pub work: Receiver<Assignment>,
    pub spares: Receiver<RecordSet>,
    pub reports: Sender<(u32, Message)>,
}

impl Channels {
    /// A closed channel means that the run is over, which the thread notices when it asks for work.
    pub(crate) fn tell(&self, message: Message) {
        let _ = self.reports.send((self.thread, message));
    }
}

/// What one load thread looks after.
pub(crate) struct Share {
    pub connections: usize,
    /// Requests that may be under way on a connection, and the keys kept of each.
    pub depth: usize,
    pub kept_keys: usize,
    pub channels: Channels,
}

/// A load thread's life.
///
/// # Errors
/// When epoll, or the ring that was asked for, fails.
pub(crate) fn work<D: Driver>(shared: Shared<D>, share: Share) -> io::Result<()> {
    let Share { connections, depth, kept_keys, channels } = share;
    let links = Links::new(Arc::new(shared), connections, || Flights::new(depth, kept_keys))?.take_ring()?;
    Worker::new(links, channels).run()
}
