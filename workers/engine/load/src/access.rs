//! Which key is asked for next.

use loadstone_spec::plan::{Access, EnginePlan};

use crate::permutation::Permutation;
use crate::rng::{Rng, mix64};
use crate::sizes::standard_normal;
use crate::zipf::Zipf;

/// Draws key indexes of `0..key_count`, and of what was inserted behind them where the newest are preferred.
#[derive(Debug, Clone)]
pub(crate) enum KeyDraw {
    Uniform { key_count: u64 },
    Uneven(Uneven),
}

/// Where some keys are asked for more than others, or before them. Apart from the uniform draw, which is so short that
/// it belongs into the loop.
#[derive(Debug, Clone)]
pub(crate) enum Uneven {
    Zipf { ranks: Zipf, scatter: Permutation },
    Latest { ranks: Zipf },
    HotSet { key_count: u64, hot_count: u64, hot_share: u64, scatter: Permutation },
    Gaussian { key_count: u64, deviation: f64 },
    InTurn { order: Option<Permutation>, next: u64, step: u64, key_count: u64 },
}

impl KeyDraw {
    pub(crate) fn new(plan: &EnginePlan, thread: u32) -> Self {
        let key_count = plan.dataset.key_count;
        let (thread, threads) = (u64::from(thread), u64::from(plan.threads));
        Self::Uneven(match &plan.access {
            Access::Uniform(_) => return Self::Uniform { key_count },
            Access::Zipf(zipf) => Uneven::Zipf {
                ranks: Zipf::new(key_count, zipf.exponent),
                scatter: Permutation::new(key_count),
            },
            Access::Latest(latest) => Uneven::Latest { ranks: Zipf::new(key_count, latest.exponent) },
            Access::HotSet(hot) => Uneven::HotSet {
                key_count,
                hot_count: ((hot.key_share * key_count as f64).round() as u64).clamp(1, key_count),
                hot_share: (hot.operation_share * 2f64.powi(64)) as u64,
                scatter: Permutation::new(key_count),
            },
            Access::Gaussian(gaussian) => {
                Uneven::Gaussian { key_count, deviation: gaussian.deviation_share * key_count as f64 }
            }
            Access::Sequential(_) => {
                let next = (u128::from(key_count) * u128::from(thread) / u128::from(threads)) as u64;
                Uneven::InTurn { order: None, next, step: 1, key_count }
            }
            Access::Permutation(_) => {
                let order = Permutation::seeded(key_count, mix64(plan.seed));
                Uneven::InTurn { order: Some(order), next: thread, step: threads, key_count }
            }
        })
    }

    /// `newest_end` is one behind the newest key that this thread knows of.
    #[inline]
    pub(crate) fn next(&mut self, rng: &mut Rng, newest_end: impl FnOnce() -> u64) -> u64 {
        match self {
            Self::Uniform { key_count } => rng.below(*key_count),
            Self::Uneven(uneven) => uneven.next(rng, newest_end()),
        }
    }
}

impl Uneven {
    fn next(&mut self, rng: &mut Rng, newest_end: u64) -> u64 {
        match self {
            Self::Zipf { ranks, scatter } => scatter.apply(ranks.next(rng) - 1),
            Self::Latest { ranks } => newest_end.saturating_sub(ranks.next(rng)),
            Self::HotSet { key_count, hot_count, hot_share, scatter } => {
                let is_hot = rng.next_u64() < *hot_share || hot_count == key_count;
                let (from, count) =
                    if is_hot { (0, *hot_count) } else { (*hot_count, *key_count - *hot_count) };
                scatter.apply(from + rng.below(count))
            }
            Self::Gaussian { key_count, deviation } => {
                let share = rng.unit().clamp(1e-12, 1.0 - 1e-12);
                let place = *key_count as f64 / 2.0 + *deviation * standard_normal(share);
                (place.max(0.0) as u64).min(*key_count - 1)
            }
            Self::InTurn { order, next, step, key_count } => {
                let place = *next % *key_count;
                *next = next.wrapping_add(*step);
                order.as_ref().map_or(place, |order| order.apply(place))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(access: &str, threads: u32) -> EnginePlan {
        let text = format!(
            r#"{{"version": 1, "seed": 5, "threads": {threads}, "access": {access},
            "target": {{"protocol": "redis", "address": {{"kind": "tcp", "host": "h", "port": 1}}}},
            "dataset": {{"key_count": 1000, "value_size": {{"kind": "fixed", "bytes": 1}}}},
            "operations": [{{"kind": "get", "weight": 1}}],
            "load": {{"kind": "closed", "connections": 9}},
            "phases": [{{"name": "measure", "stop": {{"seconds": 1}}}}]}}"#
        );
        loadstone_spec::read_plan(&text).unwrap()
    }

    fn draw(access: &str, seed: u64, count: usize) -> Vec<u64> {
        let mut keys = KeyDraw::new(&plan(access, 1), 0);
        let mut rng = Rng::for_stream(seed, 0, 0);
        (0..count).map(|_| keys.next(&mut rng, || 1000)).collect()
    }

    #[test]
    fn the_hottest_key_is_scattered_but_the_same_for_every_seed() {
        let hottest = |seed| {
            let mut seen = vec![0; 1000];
            draw(r#"{"kind": "zipf", "exponent": 1.5}"#, seed, 10_000)
                .iter()
                .for_each(|&key| seen[key as usize] += 1);
            (0..1000).max_by_key(|&key| seen[key]).unwrap()
        };
        assert_eq!(hottest(1), hottest(2));
        assert_ne!(hottest(1), 0);
    }

    #[test]
    fn the_newest_keys_are_asked_for_most() {
        let keys = draw(r#"{"kind": "latest"}"#, 1, 20_000);
        let newest = keys.iter().filter(|&&key| key == 999).count();
        let oldest = keys.iter().filter(|&&key| key == 0).count();
        assert!(newest > 2000 && oldest < 20 && keys.iter().all(|&key| key < 1000), "{newest} {oldest}");
    }

    #[test]
    fn the_hot_set_gets_its_share() {
        let keys = draw(r#"{"kind": "hot_set", "key_share": 0.1, "operation_share": 0.9}"#, 1, 50_000);
        let mut seen = vec![0u32; 1000];
        keys.iter().for_each(|&key| seen[key as usize] += 1);
        seen.sort_unstable();
        let hot: u32 = seen[900..].iter().sum();
        assert!((44_500..45_500).contains(&hot), "{hot}");
    }

    #[test]
    fn gaussian_keys_lie_around_the_middle() {
        let keys = draw(r#"{"kind": "gaussian", "deviation_share": 0.1}"#, 1, 50_000);
        let within = keys.iter().filter(|&&key| (400..600).contains(&key)).count() as f64 / 50_000.0;
        assert!((within - 0.6827).abs() < 0.01, "{within}");
    }

    #[test]
    fn keys_in_turn_come_once_each_over_all_threads() {
        for access in [r#"{"kind": "permutation"}"#, r#"{"kind": "sequential"}"#] {
            let plan = plan(access, 3);
            let mut rng = Rng::for_stream(1, 0, 0);
            let mut all: Vec<u64> = Vec::new();
            for thread in 0..3 {
                let share = if thread == 0 { 334 } else { 333 };
                let mut keys = KeyDraw::new(&plan, thread);
                all.extend((0..share).map(|_| keys.next(&mut rng, || 1000)));
            }
            all.sort_unstable();
            all.dedup();
            assert!(all.len() >= 999, "{access}: {}", all.len());
        }
    }
}
