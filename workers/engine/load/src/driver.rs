//! What a wire protocol must offer to the event loop.

use loadstone_spec::plan::{EnginePlan, Operation, OperationKind, TcpAddress};

use crate::values::TAG_BYTES;

/// An operation of the plan with its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub kind: OperationKind,
    /// Place among the shapes of the plan: drivers lay their requests out by it beforehand.
    pub slot: usize,
    pub keys_per_request: usize,
    pub entries: u32,
    /// Below `entries` the number is drawn for each request, which is told it as its word.
    pub entries_min: u32,
    pub from_entry: u32,
    pub expire_s: u32,
}

impl Shape {
    /// The plan's operations in their order, behind them the one that a prefill sends, and get, set and delete of
    /// markers where the replica's lag is measured.
    pub fn all_of(plan: &EnginePlan) -> Vec<Self> {
        let prefill = plan.prefill_operation();
        let markers = [OperationKind::Get, OperationKind::Set, OperationKind::Delete].map(Operation::of_kind);
        let markers = markers.iter().take(if plan.replica_lag.is_some() { markers.len() } else { 0 });
        let all = plan.operations.iter().chain([&prefill]).chain(markers).enumerate();
        all.map(|(slot, operation)| Self {
            kind: operation.kind,
            slot,
            keys_per_request: usize::from(operation.keys_per_request),
            entries: operation.entries,
            entries_min: operation.entries_min.unwrap_or(operation.entries),
            from_entry: operation.from_entry,
            expire_s: operation.expire_s,
        })
        .collect()
    }
}

impl Shape {
    /// Whether each request is told by its word how many entries it asks for.
    #[inline]
    pub fn draws_entries(&self) -> bool {
        self.entries_min < self.entries
    }
}

/// A request that is to be sent, or that waits for its reply.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub shape: &'a Shape,
    /// The keys, in order. While a request for several waits they are kept only when values are verified.
    pub keys: &'a [u64],
    /// An operation may take several round trips: 0 is the first one.
    pub stage: u8,
    /// At stage 0 tells entries of a list apart, or is how many keys a scan asks for; later what the stage before has
    /// found out.
    pub word: u64,
    /// What the connection's greeting has kept for its requests.
    pub session: u64,
}

/// What came back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply {
    pub hits: u32,
    pub misses: u32,
    pub verdict: Verdict,
    /// The first bytes of the value that was read, which name it, where writes are told apart.
    pub tag: [u8; TAG_BYTES],
}

/// Whether the reply is the one that was hoped for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Good,
    /// The target answered with an error.
    Refused,
    /// Verify found other bytes than were written.
    WrongValue,
}

/// How far reading a reply has come. `used` bytes of the input are done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The rest of the input, a piece of a line, is shown again in front of what arrives next.
    More {
        used: usize,
    },
    Done {
        used: usize,
        reply: Reply,
    },
    /// The operation goes on with its next stage, which is told `word`.
    Follow {
        used: usize,
        word: u64,
    },
    /// The request belongs to another endpoint, and is sent there; with `asks_leave` it is told that this is known.
    Elsewhere {
        used: usize,
        endpoint: usize,
        asks_leave: bool,
    },
    /// Not of this protocol: the connection cannot be trusted any more.
    Broken,
}

/// Added to the stage of a request that was sent elsewhere for once.
pub const ASKING: u8 = 0x80;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The first one of all, closed again before the others: it prepares the target and finds out its parts.
    Scout,
    Load,
}

/// How far the greeting of a new connection has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Greeted {
    /// The greeting may have appended its next step to the output.
    More {
        used: usize,
    },
    Ready {
        used: usize,
    },
    /// The target says no: credentials, limits.
    Refused(String),
    /// Not of this protocol.
    Broken(String),
}

/// The dialogue before the first operation: authentication, choice of a database, a round trip that proves
/// that the target speaks the protocol.
pub trait Greeting: Send {
    /// Reads what the target said and appends what to say next.
    fn advance(&mut self, input: &[u8], out: &mut Vec<u8>) -> Greeted;

    /// What every request of this connection is told.
    fn session(&self) -> u64 {
        0
    }
}

/// One wire protocol. Shared by all threads; what belongs to a connection is in `Greeting` and `Reader`.
pub trait Driver: Send + Sync + 'static {
    type Greeting: Greeting;
    /// Where a connection stands within a reply. Bodies are consumed as they come and never kept.
    type Reader: Default + Send;

    /// Whether a connection must go before all others.
    fn needs_scout(&self) -> bool {
        false
    }

    /// Begins the greeting and appends its first step.
    fn greet(&self, role: Role, out: &mut Vec<u8>) -> Self::Greeting;

    /// Where the parts of the target are, as the scout has found out; empty when the plan says it.
    fn endpoints(&self) -> Vec<TcpAddress> {
        Vec::new()
    }

    /// Which of several endpoints a request goes to.
    fn route(&self, _asked: &Asked<'_>) -> usize {
        0
    }

    /// How long the reply is when the key is there, for requests that the target answers one by one however many
    /// of them it has read: a connection may then wait for all of its replies.
    fn reply_bytes(&self, _shape: &Shape) -> Option<usize> {
        None
    }

    /// Appends one request. Allocates nothing beyond the growth of `out`.
    fn encode(&self, asked: &Asked<'_>, out: &mut Vec<u8>);

    /// Reads on in the reply to `asked`.
    fn read(&self, reader: &mut Self::Reader, asked: &Asked<'_>, input: &[u8]) -> Step;
}
