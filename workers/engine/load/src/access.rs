//! Which key is asked for next.

use loadstone_spec::plan::Access;

use crate::permutation::Permutation;
use crate::rng::Rng;

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

/// Ranks `1..=n` with probability proportional to `rank^-exponent`.
///
/// Rejection-inversion (Hörmann and Derflinger 1996): exact for any exponent above 0, no table, about one
/// and a tenth tries a rank.
#[derive(Debug, Clone)]
pub(crate) struct Zipf {
    len: u64,
    exponent: f64,
    /// Integral at the lower end, cut so that rank 1 has its own mass.
    low: f64,
    /// Integral at the upper end.
    high: f64,
    /// Within this distance below the inverted point a rank is accepted without a further look.
    sure: f64,
}

impl Zipf {
    pub(crate) fn new(len: u64, exponent: f64) -> Self {
        let mut zipf = Self { len, exponent, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(len as f64 + 0.5);
        zipf.sure = 2.0 - zipf.invert(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    #[inline]
    pub(crate) fn next(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.high + rng.unit() * (self.low - self.high);
            let x = self.invert(u);
            let rank = (x.round().max(1.0) as u64).min(self.len);
            let k = rank as f64;
            if k - x <= self.sure || u >= self.integral(k + 0.5) - self.density(k) {
                return rank;
            }
        }
    }

    fn density(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// Antiderivative of the density that is continuous in the exponent at 1: `(x^(1-s) - 1) / (1-s)`.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        expm1_over((1.0 - self.exponent) * log) * log
    }

    fn invert(&self, value: f64) -> f64 {
        let t = (value * (1.0 - self.exponent)).max(-1.0);
        (ln1p_over(t) * value).exp()
    }
}

/// `(e^x - 1) / x`, by its series near 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.exp_m1() / x } else { 1.0 + x / 2.0 * (1.0 + x / 3.0) }
}

/// `ln(1 + x) / x`, by its series near 0.
fn ln1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { x.ln_1p() / x } else { 1.0 - x * (0.5 - x / 3.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square of `draws` ranks against the exact probabilities, the tail pooled where fewer than 10 are expected.
    fn chi_square_per_degree(len: u64, exponent: f64, draws: u64) -> f64 {
        let zipf = Zipf::new(len, exponent);
        let mut rng = Rng::for_stream(11, 0, 0);
        let mut seen = vec![0u64; len as usize + 1];
        (0..draws).for_each(|_| seen[zipf.next(&mut rng) as usize] += 1);
        let weights: Vec<f64> = (1..=len).map(|rank| (rank as f64).powf(-exponent)).collect();
        let total: f64 = weights.iter().sum();
        let (mut sum, mut cells, mut pooled, mut pooled_seen) = (0.0, 0.0, 0.0, 0.0);
        for (index, weight) in weights.iter().enumerate() {
            pooled += weight / total * draws as f64;
            pooled_seen += seen[index + 1] as f64;
            if pooled >= 10.0 {
                sum += (pooled_seen - pooled).powi(2) / pooled;
                cells += 1.0;
                (pooled, pooled_seen) = (0.0, 0.0);
            }
        }
        sum / (cells - 1.0)
    }

    #[test]
    fn ranks_follow_the_law_for_exponents_below_at_and_above_one() {
        for (len, exponent) in [(1000, 0.5), (1000, 0.99), (1000, 1.0), (1000, 1.2), (50, 2.5)] {
            let ratio = chi_square_per_degree(len, exponent, 300_000);
            assert!(ratio < 1.5, "n {len}, exponent {exponent}: chi-square per degree {ratio}");
        }
    }

    #[test]
    fn ranks_stay_in_range_at_the_extremes() {
        let mut rng = Rng::for_stream(3, 0, 0);
        for (len, exponent) in [(1, 0.5), (1, 10.0), (2, 1.0), (10_000_000_000, 0.01), (10_000_000_000, 10.0)]
        {
            let zipf = Zipf::new(len, exponent);
            assert!((0..10_000).all(|_| (1..=len).contains(&zipf.next(&mut rng))));
        }
    }

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
