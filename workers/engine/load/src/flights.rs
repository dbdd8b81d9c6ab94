//! The requests of one connection that wait for their replies, in the order they were sent.

/// One request under way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flight {
    pub intended_ns: u64,
    pub sent_ns: u64,
    /// The key asked for, or the first of several.
    pub key: u64,
    /// The entry of a list, or what the stage before has found out.
    pub word: u64,
    /// Index of the operation within the phase.
    pub operation: u8,
    pub stage: u8,
    /// How often it was sent again.
    pub attempt: u8,
}

/// A ring of fixed capacity: nothing is allocated after it is made.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    ring: Box<[Flight]>,
    /// Beside every slot the keys of a request for several, where they must be known to verify values.
    keys: Box<[u64]>,
    keys_per_slot: usize,
    head: usize,
    len: usize,
}

impl Flights {
    pub(crate) fn new(capacity: usize, keys_per_slot: usize) -> Self {
        let ring = vec![Flight::default(); capacity].into_boxed_slice();
        let keys = vec![0; capacity * keys_per_slot].into_boxed_slice();
        Self { ring, keys, keys_per_slot, head: 0, len: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn push(&mut self, flight: Flight, keys: &[u64]) {
        debug_assert!(self.len < self.ring.len());
        let slot = self.wrap(self.head + self.len);
        self.ring[slot] = flight;
        if self.keys_per_slot > 0 {
            let start = slot * self.keys_per_slot;
            self.keys[start..start + keys.len()].copy_from_slice(keys);
        }
        self.len += 1;
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&Flight> {
        (self.len > 0).then(|| &self.ring[self.head])
    }

    /// The first `count` keys kept beside the oldest request; empty when they are not kept.
    #[inline]
    pub(crate) fn front_keys(&self, count: usize) -> &[u64] {
        let start = self.head * self.keys_per_slot;
        &self.keys[start..start + count.min(self.keys_per_slot)]
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Flight> {
        let flight = *self.front()?;
        self.head = self.wrap(self.head + 1);
        self.len -= 1;
        Some(flight)
    }

    #[inline]
    fn wrap(&self, slot: usize) -> usize {
        if slot >= self.ring.len() { slot - self.ring.len() } else { slot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_bounded_queue(pushes in proptest::collection::vec(any::<bool>(), 0..200)) {
            let mut flights = Flights::new(7, 2);
            let mut model = VecDeque::new();
            for (number, is_push) in pushes.into_iter().enumerate() {
                if is_push && model.len() < 7 {
                    let key = number as u64;
                    flights.push(Flight { key, ..Flight::default() }, &[key, key + 1]);
                    model.push_back(key);
                } else {
                    let kept = flights.front_keys(2).first().copied();
                    let popped = flights.pop().map(|flight| flight.key);
                    prop_assert!(popped.is_none() || kept == popped);
                    prop_assert_eq!(popped, model.pop_front());
                }
                prop_assert_eq!(flights.len(), model.len());
            }
        }
    }
}
