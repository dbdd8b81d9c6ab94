//! The load threads of a run, as the session sees them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use loadstone_spec::plan::EnginePlan;

use crate::any_driver::AnyDriver;
use crate::assignment::{Assignment, deepest_pipeline};
use crate::hiccups::HiccupProbe;
use crate::journal::JournalFile;
use crate::lag::LagProbe;
use crate::links::{Board, Shared};
use crate::pinning::pin_to;
use crate::record::{RecordSet, Room, clear_set};
use crate::share::{Channels, Share};
use crate::steps::share_of;
use crate::totals::Message;

struct Thread {
    work: Sender<Assignment>,
    spares: Sender<RecordSet>,
    handle: JoinHandle<io::Result<()>>,
}

/// All load threads. Dropping it ends them.
pub(crate) struct Threads {
    threads: Vec<Thread>,
    reports: Receiver<(u32, Message)>,
    pub board: Arc<Board>,
    pub journal: Option<Arc<JournalFile>>,
    /// Beside the load, where the plan asks for it.
    pub lag: Option<LagProbe>,
    pub hiccups: HiccupProbe,
}

impl Threads {
    /// Starts one thread for each share of the connections, on the cores of the plan in turn.
    pub(crate) fn start(plan: &EnginePlan, shared: Arc<Shared<AnyDriver>>) -> io::Result<Self> {
        let (sender, reports) = channel();
        let board = Arc::clone(&shared.board);
        let journal = shared.journal.clone();
        let threads = (0..plan.threads)
            .map(|thread| start_thread(plan, thread, Arc::clone(&shared), sender.clone()))
            .collect::<io::Result<Vec<_>>>()?;
        let hiccups = HiccupProbe::start(&plan.cpus, shared.clock.clone())?;
        let lag = LagProbe::start(plan, shared)?;
        Ok(Self { threads, reports, board, journal, lag, hiccups })
    }

    pub(crate) fn len(&self) -> usize {
        self.threads.len()
    }

    /// The next message; nothing when none comes in time.
    ///
    /// # Errors
    /// When a thread has ended that should not have.
    pub(crate) fn listen(&self, timeout: Duration) -> Result<Option<(usize, Message)>, String> {
        match self.reports.recv_timeout(timeout) {
            Ok((thread, message)) => Ok(Some((thread as usize, message))),
            Err(RecvTimeoutError::Timeout)
                if self.threads.iter().all(|thread| !thread.handle.is_finished()) =>
            {
                Ok(None)
            }
            Err(_) => Err("a load thread has ended before its work".to_owned()),
        }
    }

    /// Gives every thread its share of a phase.
    pub(crate) fn assign(&self, assignments: impl Iterator<Item = Assignment>) {
        for (thread, work) in self.threads.iter().zip(assignments) {
            let _ = thread.work.send(work);
        }
    }

    /// Gives a record set back to the thread it came from.
    pub(crate) fn give_back(&self, thread: usize, mut records: RecordSet) {
        clear_set(&mut records);
        let _ = self.threads[thread].spares.send(records);
    }

    /// Tells all threads to cease sending.
    pub(crate) fn halt(&self) {
        self.board.is_halted.store(true, Ordering::Relaxed);
    }

    /// Tells all threads to bring the phase under way to its end; takes it back before the next one.
    pub(crate) fn cut_short(&self, is_cut: bool) {
        self.board.is_cut_short.store(is_cut, Ordering::Relaxed);
    }

    pub(crate) fn is_any_link_up(&self) -> bool {
        self.board.up.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.halt();
        for Thread { work, handle, .. } in self.threads.drain(..) {
            drop(work);
            let _ = handle.join();
        }
    }
}

fn start_thread(
    plan: &EnginePlan,
    thread: u32,
    shared: Arc<Shared<AnyDriver>>,
    reports: Sender<(u32, Message)>,
) -> io::Result<Thread> {
    let (work, work_receiver) = channel();
    let (spares, spares_receiver) = channel();
    let _ = spares.send(Room::of(plan).new_set());
    let cpus: Vec<u32> = match plan.cpus.len() {
        0 => Vec::new(),
        count => vec![plan.cpus[thread as usize % count]],
    };
    let connections = share_of(plan.load.connections(), thread, plan.threads);
    let depth = deepest_pipeline(plan);
    let kept_keys = most_kept_keys(plan);
    let channels = Channels { thread, work: work_receiver, spares: spares_receiver, reports };
    let handle = Builder::new().name(format!("load-{thread}")).spawn(move || {
        if !cpus.is_empty() {
            pin_to(&cpus)?;
        }
        // The default slack of 50 us would make every arrival of an open loop that late.
        nix::sys::prctl::set_timerslack(1)?;
        shared.driver.work(&shared, Share { connections: connections as usize, depth, kept_keys, channels })
    })?;
    Ok(Thread { work, spares, handle })
}

/// Keys of a request for several are kept only where values must be verified, writes noted or requests sent again.
fn most_kept_keys(plan: &EnginePlan) -> usize {
    let multi = plan.operations.iter().filter(|operation| operation.keys_per_request > 1);
    let most = multi.map(|operation| usize::from(operation.keys_per_request)).max().unwrap_or(0);
    if plan.verify || plan.journal.is_some() || plan.load.retries().is_some() { most } else { 0 }
}
