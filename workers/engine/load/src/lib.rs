//! What is sent and when, the event loop that sends it, and what is measured.
//!
//! Nothing here knows a wire protocol: drivers implement [`driver::Driver`] and [`transport::Dial`].

mod access;
mod any_driver;
mod arrivals;
mod assignment;
pub mod audit;
mod bare;
pub mod clock;
pub mod driver;
mod feed;
mod flights;
mod gathering;
pub mod journal;
pub mod keys;
mod lag;
mod link;
mod links;
mod opening;
mod pauses;
mod permutation;
mod phase;
mod pinning;
mod profile;
pub mod reach;
mod record;
mod report;
mod retries;
mod rng;
mod routed;
mod samples;
mod scout;
mod session;
mod setting;
mod share;
mod sizes;
mod steadiness;
mod steps;
mod sys;
mod threads;
mod times;
mod totals;
pub mod transport;
pub mod values;
mod waits;
mod watch;
mod worker;
mod zipf;

pub use any_driver::AnyDriver;
pub use bare::{BareRun, run_bare};
pub use report::{LATE_AFTER_NS, SATURATED_BUSY_SHARE};
pub use session::{Outcome, Run, StopSwitch, run};
