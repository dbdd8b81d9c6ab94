//! A random-looking order of `0..n` without a table: a Feistel network with cycle walking.

/// One constant a round, odd (the first fractional bits of the golden ratio, of the roots of 2, 3 and 5).
const ROUNDS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b];

/// A fixed bijection of `0..n` onto itself: the same for every seed, so that the hot keys of two trials agree.
#[derive(Debug, Clone)]
pub(crate) struct Permutation {
    len: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    seed: u64,
}

impl Permutation {
    pub(crate) fn new(len: u64) -> Self {
        Self::seeded(len, 0)
    }

    /// Another order for every seed; 0 is the fixed one.
    pub(crate) fn seeded(len: u64, seed: u64) -> Self {
        let bits = (64 - len.saturating_sub(1).leading_zeros()).max(2);
        let low_bits = bits / 2;
        Self { len, low_bits, low_mask: (1 << low_bits) - 1, high_mask: (1 << (bits - low_bits)) - 1, seed }
    }

    /// Where `index` goes. The network works on the next power of two, so it is left after 2 walks on average at worst.
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

    /// The halves may differ by a bit: each round changes one of them by what the other one says.
    #[inline]
    fn shuffle(&self, value: u64) -> u64 {
        let mut high = value >> self.low_bits;
        let mut low = value & self.low_mask;
        for pair in ROUNDS.chunks_exact(2) {
            high ^= scramble(low ^ self.seed, pair[0]) & self.high_mask;
            low ^= scramble(high ^ self.seed, pair[1]) & self.low_mask;
        }
        (high << self.low_bits) | low
    }
}

/// The upper bits of a product depend on all bits of its factors.
#[inline]
fn scramble(half: u64, constant: u64) -> u64 {
    half.wrapping_add(1).wrapping_mul(constant) >> 32
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
