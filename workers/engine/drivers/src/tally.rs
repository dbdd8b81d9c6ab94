//! From what a reply held to what it means for the operation.

use loadstone_load::driver::{Asked, Reply, Step, Verdict};
use loadstone_load::values::TAG_BYTES;
use loadstone_spec::plan::OperationKind as Kind;

use crate::body::Body;

/// What was seen in one reply.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub hits: u32,
    pub misses: u32,
    /// For the next stage of the operation.
    pub word: u64,
    pub is_wrong: bool,
    pub is_refused: bool,
    tag: [u8; TAG_BYTES],
}

impl Tally {
    /// Takes in what reading the reply's values has found.
    #[inline]
    pub(crate) fn read(&mut self, body: &Body) {
        self.is_wrong |= body.is_wrong;
        self.tag = body.tag;
    }

    fn verdict(&self) -> Verdict {
        match (self.is_refused, self.is_wrong) {
            (true, _) => Verdict::Refused,
            (false, true) => Verdict::WrongValue,
            (false, false) => Verdict::Good,
        }
    }

    /// Ends the reply: the operation goes on with its second stage, or is done.
    #[inline]
    pub(crate) fn conclude(self, asked: &Asked<'_>, used: usize) -> Step {
        let kind = asked.shape.kind;
        let Self { hits, misses, word, .. } = self;
        let may_go_on = asked.stage == 0 && !self.is_wrong && !self.is_refused;
        if may_go_on && (kind == Kind::ReadModifyWrite || kind == Kind::CompareAndSet && hits > 0) {
            return Step::Follow { used, word };
        }
        let (hits, misses, verdict) = match kind {
            // A write that the store would not take is an error, not a condition that did not hold.
            Kind::Set | Kind::Insert | Kind::MultiSet if misses > 0 => (0, 0, Verdict::Refused),
            Kind::Set | Kind::Insert | Kind::MultiSet | Kind::ReadModifyWrite => (0, 0, self.verdict()),
            Kind::MultiGet if !self.is_refused => {
                (hits, (asked.shape.keys_per_request as u32).saturating_sub(hits), self.verdict())
            }
            _ => (hits, misses, self.verdict()),
        };
        Step::Done { used, reply: Reply { hits, misses, verdict, tag: self.tag } }
    }
}
