//! A random-looking order of `0..n` without a table: a Feistel network with cycle walking.

use crate::rng::mix64;

const ROUNDS: u64 = 4;

/// A fixed bijection of `0..n` onto itself: the same for every seed, so that the hot keys of two trials agree.
#[derive(Debug, Clone)]
pub(crate) struct Permutation {
    len: u64,
    half_bits: u32,
    half_mask: u64,
}

impl Permutation {
    pub(crate) fn new(len: u64) -> Self {
        let bits = (64 - len.saturating_sub(1).leading_zeros()).max(2);
        let half_bits = bits.div_ceil(2);
        Self { len, half_bits, half_mask: (1 << half_bits) - 1 }
    }

    /// Where `index` goes. The network works on the next power of four, so it is left after 4 walks on average at worst.
    #[inline]
    pub(crate) fn apply(&self, index: u64) -> u64 {
        let mut value = index;
        loop {
            value = self.shuffle(value);
            if value < self.len {
                return value;
            }
        }
    }

    #[inline]
    fn shuffle(&self, value: u64) -> u64 {
        let mut left = value >> self.half_bits;
        let mut right = value & self.half_mask;
        for round in 0..ROUNDS {
            let mixed = left ^ (mix64(right ^ (round << 60)) & self.half_mask);
            left = right;
            right = mixed;
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_reached_exactly_once() {
        for len in [1, 2, 3, 4, 5, 7, 64, 1000, 4097, 100_000] {
            let permutation = Permutation::new(len);
            let mut seen = vec![false; len as usize];
            for index in 0..len {
                let target = permutation.apply(index) as usize;
                assert!(!seen[target], "{target} of {len} is reached twice");
                seen[target] = true;
            }
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        let permutation = Permutation::new(10_000_000_000);
        let near =
            (0..1000u64).filter(|&i| permutation.apply(i).abs_diff(permutation.apply(i + 1)) < 10_000_000);
        // A jump below a thousandth of the range: about 2 in 1000 by chance.
        assert!(near.count() < 10);
    }
}
