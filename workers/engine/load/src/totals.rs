//! What a load thread hands to the reports.

use crate::record::RecordSet;
use crate::times::Times;

/// A request sent later than this after its intended start is late. Waking a sleeping thread alone takes some
/// tens of microseconds, and is not worth a mark.
pub const LATE_AFTER_NS: u64 = 100_000;

/// One thread's account of a phase that is over. The records hold what no second has reported yet.
#[derive(Debug)]
pub(crate) struct ThreadTotals {
    pub elapsed_ns: u64,
    pub sent: u64,
    pub in_flight: u64,
    pub offered: u64,
    pub never_sent: u64,
    /// Connections that waited long for an answer, and the longest wait of any.
    pub hung: u64,
    pub longest_silence_ns: u64,
    /// Processor time spent on waiting awake.
    pub awake_ns: u64,
    pub lateness: Option<Box<Times>>,
    pub pauses: Option<Box<Times>>,
    pub late_by_loop: u64,
    pub in_flight_integral: f64,
    /// Time on a core or waiting for one, without that spent on waiting for an arrival's time.
    pub busy_ns: u64,
    /// From the start to the end of the drain.
    pub active_ns: u64,
    /// Connections closed and opened anew because the plan says so.
    pub connections_renewed: u64,
    pub records: RecordSet,
}

/// What a load thread tells the reports.
#[derive(Debug)]
pub(crate) enum Message {
    /// All connections are up.
    Ready,
    /// They cannot be brought up.
    Failed {
        is_refused: bool,
        message: String,
    },
    /// A second of the phase is over. Without records when the reports lag behind; a later one brings them.
    Second {
        index: u64,
        records: Option<RecordSet>,
        in_flight: u64,
    },
    Finished(Box<ThreadTotals>),
}
