//! How the engine waits for its sockets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `epoll` looks at each reply as it comes. `io_uring` hands requests to the kernel and takes replies from it in batches,
/// which costs less and may add up to 200 us to what a closed loop measures. Where there can be no ring, epoll does its
/// work, with a warning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventLoop {
    #[default]
    Epoll,
    IoUring,
}
