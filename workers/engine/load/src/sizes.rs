//! Sizes of values as quantile functions, tabulated once.

use std::sync::Arc;

use loadstone_spec::plan::ValueSize;

use crate::rng::mix64;

/// Steps of the table; sizes between two steps are interpolated.
const STEPS: usize = 4096;
/// Tells the draws of lengths of keys from those of lengths of values.
const KEY_SIZE_STREAM: u64 = 0x6b65_795f_7369_7a65;
/// Shares of the sizes 0 to 14 in the pool ETC (Atikoglu et al. 2012, section 3.2).
const ETC_SMALL: [f64; 15] = [
    0.00536, 0.00047, 0.17820, 0.09239, 0.00018, 0.02740, 0.00065, 0.00606, 0.00023, 0.00837, 0.00837,
    0.08989, 0.00092, 0.00326, 0.01980,
];
/// Its other sizes: a generalised Pareto distribution of this scale and shape.
const ETC_SCALE: f64 = 214.476;
const ETC_SHAPE: f64 = 0.348_238;

/// The size at every quantile `(i + 0.5) / STEPS`; nothing for distributions that need no table.
pub(crate) fn tabulate(size: &ValueSize) -> Option<Box<[u32]>> {
    let (min_bytes, max_bytes) = size.bounds();
    let quantile: Box<dyn Fn(f64) -> f64> = match size {
        ValueSize::Fixed(_) | ValueSize::Uniform(_) => return None,
        ValueSize::Normal(normal) => {
            let (mean, deviation) = (normal.mean_bytes, normal.deviation_bytes);
            Box::new(move |share| mean + deviation * standard_normal(share))
        }
        ValueSize::LogNormal(normal) => {
            let (median, sigma) = (normal.median_bytes, normal.sigma);
            Box::new(move |share| median * (sigma * standard_normal(share)).exp())
        }
        ValueSize::Histogram(histogram) => {
            let buckets = histogram.buckets.clone();
            let total: f64 = buckets.iter().map(|bucket| bucket.weight).sum();
            Box::new(move |share| {
                let mut left = share * total;
                for bucket in &buckets {
                    if left < bucket.weight {
                        let span = (bucket.max_bytes - bucket.min_bytes + 1) as f64;
                        return (bucket.min_bytes as f64 + span * left / bucket.weight).floor();
                    }
                    left -= bucket.weight;
                }
                max_bytes as f64
            })
        }
        ValueSize::Facebook(_) => Box::new(etc_quantile),
    };
    let bounded =
        |step: usize| quantile((step as f64 + 0.5) / STEPS as f64).clamp(min_bytes as f64, max_bytes as f64);
    Some((0..STEPS).map(|step| bounded(step).round() as u32).collect())
}

/// Lengths of keys, each its own for ever.
#[derive(Debug, Clone)]
pub(crate) struct KeySizes {
    min_bytes: u64,
    span: u64,
    table: Option<Arc<[u32]>>,
}

impl KeySizes {
    pub(crate) fn new(sizes: &ValueSize) -> Self {
        let (min_bytes, max_bytes) = sizes.bounds();
        Self { min_bytes, span: max_bytes - min_bytes + 1, table: tabulate(sizes).map(Arc::from) }
    }

    /// Drawn from other bits than the length of the key's value.
    #[inline]
    pub(crate) fn of(&self, key: u64) -> usize {
        let drawn = mix64(key ^ KEY_SIZE_STREAM);
        match &self.table {
            Some(table) => look_up(table, drawn) as usize,
            None => (self.min_bytes + ((u128::from(drawn) * u128::from(self.span)) >> 64) as u64) as usize,
        }
    }
}

/// The size for a number uniform in `0..2^64`.
#[inline]
pub(crate) fn look_up(table: &[u32], drawn: u64) -> u64 {
    let step = (drawn >> 52) as usize;
    let low = u64::from(table[step]);
    let high = u64::from(table[(step + 1).min(STEPS - 1)]);
    let fraction = (drawn >> 20) & 0xffff_ffff;
    low + ((high.saturating_sub(low) * fraction) >> 32)
}

fn etc_quantile(share: f64) -> f64 {
    let mut left = share;
    for (size, part) in ETC_SMALL.iter().enumerate() {
        if left < *part {
            return size as f64;
        }
        left -= part;
    }
    let rest: f64 = 1.0 - ETC_SMALL.iter().sum::<f64>();
    let within = (left / rest).min(1.0 - 1e-9);
    15.0 + ETC_SCALE / ETC_SHAPE * ((1.0 - within).powf(-ETC_SHAPE) - 1.0)
}

/// The quantile of the standard normal distribution: Acklam's rational approximation, relative error below 1.2e-9.
pub(crate) fn standard_normal(share: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] =
        [7.784_695_709_041_462e-3, 3.224_671_290_700_398e-1, 2.445_134_137_142_996, 3.754_408_661_907_416];
    let horner = |all: &[f64], x: f64| all.iter().fold(0.0, |sum, factor| sum * x + factor);
    let tail = |share: f64| {
        let q = (-2.0 * share.ln()).sqrt();
        horner(&C, q) / (horner(&D, q) * q + 1.0)
    };
    if share < 0.02425 {
        return tail(share);
    }
    if share > 1.0 - 0.02425 {
        return -tail(1.0 - share);
    }
    let q = share - 0.5;
    let r = q * q;
    horner(&A, r) * q / (horner(&B, r) * r + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_spec::plan::{FacebookSize, HistogramSize, LogNormalSize, NormalSize, SizeBucket};

    fn mean(size: &ValueSize) -> f64 {
        let table = tabulate(size).unwrap();
        let draws = 200_000u64;
        let total: u64 = (0..draws).map(|key| look_up(&table, crate::rng::mix64(key))).sum();
        total as f64 / draws as f64
    }

    #[test]
    fn the_normal_quantile_is_that_of_the_tables() {
        for (share, expected) in
            [(0.5, 0.0), (0.975, 1.959_963_985), (0.01, -2.326_347_874), (0.999, 3.090_232_306)]
        {
            assert!((standard_normal(share) - expected).abs() < 1e-7, "{share}");
        }
    }

    #[test]
    fn means_are_those_of_the_distributions() {
        let normal = NormalSize { mean_bytes: 500.0, deviation_bytes: 50.0, min_bytes: 1, max_bytes: 1000 };
        assert!((mean(&ValueSize::Normal(normal)) - 500.0).abs() < 1.5);
        let log = LogNormalSize { median_bytes: 200.0, sigma: 0.5, min_bytes: 1, max_bytes: 100_000 };
        assert!((mean(&ValueSize::LogNormal(log)) / (200.0 * 0.125f64.exp()) - 1.0).abs() < 0.01);
        let buckets = vec![
            SizeBucket { min_bytes: 10, max_bytes: 10, weight: 3.0 },
            SizeBucket { min_bytes: 100, max_bytes: 199, weight: 1.0 },
        ];
        let counted = mean(&ValueSize::Histogram(HistogramSize { buckets }));
        assert!((counted - (0.75 * 10.0 + 0.25 * 149.5)).abs() < 0.5, "{counted}");
        // 0.5586 of the sizes are 15 + Pareto of mean 214.476 / (1 - 0.348238).
        let etc = mean(&ValueSize::Facebook(FacebookSize { max_bytes: 1_000_000 }));
        assert!((180.0..200.0).contains(&etc), "{etc}");
    }
}
