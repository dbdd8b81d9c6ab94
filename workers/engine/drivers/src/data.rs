//! What requests are made of: keys, counters and values of the plan's dataset.

use loadstone_load::driver::Shape;
use loadstone_load::keys::KeyFormat;
use loadstone_load::values::Values;
use loadstone_spec::plan::{EnginePlan, OperationKind};

use crate::body::Expected;

/// Keys and values, the same for all connections.
#[derive(Debug)]
pub(crate) struct Data {
    pub keys: KeyFormat,
    pub counters: KeyFormat,
    pub values: Values,
    pub verify: bool,
    /// Every write of a key has a value of its own.
    tells_writes_apart: bool,
    /// Where all values have one size.
    pub fixed_size: Option<usize>,
}

impl Data {
    pub(crate) fn new(plan: &EnginePlan) -> Self {
        let (min_bytes, max_bytes) = plan.dataset.value_size.bounds();
        Self {
            keys: KeyFormat::new(plan),
            counters: KeyFormat::of_counters(plan),
            values: Values::new(plan),
            verify: plan.verify,
            tells_writes_apart: plan.journal.is_some(),
            fixed_size: (min_bytes == max_bytes && plan.recorded.is_none()).then_some(max_bytes as usize),
        }
    }

    #[inline]
    pub(crate) fn keys_or_counters(&self, is_counter: bool) -> &KeyFormat {
        if is_counter { &self.counters } else { &self.keys }
    }

    /// What names the value that an operation writes: the key, the entry of its list, or this very write.
    #[inline]
    pub(crate) fn value_id(&self, shape: &Shape, key: u64, word: u64) -> u64 {
        match shape.kind {
            OperationKind::ListInsertHead | OperationKind::ListInsertTail => Values::entry_id(key, word),
            _ if self.tells_writes_apart => Values::write_id(key, word),
            _ => key,
        }
    }

    /// What a value that is read for a key must hold, where it is verified.
    #[inline]
    pub(crate) fn expected(&self, key: u64) -> Expected {
        if self.tells_writes_apart { Expected::WriteOf(key) } else { Expected::ValueOf(key) }
    }
}

/// The command of a custom operation.
pub(crate) fn command_of<'a>(plan: &'a EnginePlan, shape: &Shape) -> &'a str {
    plan.operations.get(shape.slot).and_then(|operation| operation.command.as_deref()).unwrap_or("")
}
