//! Which key is asked for next.

use loadstone_spec::plan::Access;

use crate::permutation::Permutation;
use crate::rng::Rng;
use crate::zipf::Zipf;

/// Draws key indexes of `0..key_count`.
#[derive(Debug, Clone)]
pub(crate) enum KeyDraw {
    Uniform { key_count: u64 },
    Zipf { ranks: Zipf, scatter: Permutation },
}

impl KeyDraw {
    pub(crate) fn new(access: &Access, key_count: u64) -> Self {
        match access {
            Access::Uniform(_) => Self::Uniform { key_count },
            Access::Zipf(zipf) => Self::Zipf {
                ranks: Zipf::new(key_count, zipf.exponent),
                scatter: Permutation::new(key_count),
            },
        }
    }

    #[inline]
    pub(crate) fn next(&self, rng: &mut Rng) -> u64 {
        match self {
            Self::Uniform { key_count } => rng.below(*key_count),
            Self::Zipf { ranks, scatter } => scatter.apply(ranks.next(rng) - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_key_is_scattered_but_the_same_for_every_seed() {
        let access = Access::Zipf(loadstone_spec::plan::ZipfAccess { exponent: 1.5 });
        let hottest = |seed| {
            let draw = KeyDraw::new(&access, 1000);
            let mut rng = Rng::for_stream(seed, 0, 0);
            let mut seen = vec![0; 1000];
            (0..10_000).for_each(|_| seen[draw.next(&mut rng) as usize] += 1);
            (0..1000).max_by_key(|&key| seen[key]).unwrap()
        };
        assert_eq!(hottest(1), hottest(2));
        assert_ne!(hottest(1), 0);
    }
}
