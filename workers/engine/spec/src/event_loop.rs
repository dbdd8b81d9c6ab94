//! How the engine waits for its sockets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `epoll` looks at each reply as it comes. `io_uring` hands requests to the kernel and takes replies from it in batches,
/// which costs less and may add up to 200 us to what a closed loop measures. `auto` is io_uring for closed loops over
/// many connections to SQL databases, and epoll for everything else. Where there can be no ring, epoll does its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventLoop {
    #[default]
    Auto,
    Epoll,
    IoUring,
}
