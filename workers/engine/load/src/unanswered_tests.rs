use proptest::prelude::*;

use super::*;
use crate::times::new_histogram;

/// Some requests' true times, and when each was given up: those that take longer have no answer.
fn split(times: &[(u64, u64)]) -> (Histogram<u64>, Histogram<u64>) {
    let (mut answered, mut unanswered) = (new_histogram(), new_histogram());
    for &(true_ns, given_up_ns) in times {
        if true_ns <= given_up_ns {
            answered.saturating_record(true_ns);
        } else {
            unanswered.saturating_record(given_up_ns);
        }
    }
    (answered, unanswered)
}

fn contains(found: (Option<u64>, Option<Bound>), true_ns: u64) -> bool {
    let histogram = new_histogram();
    match found {
        (Some(value), None) => histogram.equivalent(value, true_ns),
        (Some(least), Some(Bound { to_ns, .. })) => {
            least <= true_ns && to_ns.is_none_or(|most| true_ns <= most)
        }
        (None, _) => false,
    }
}

proptest! {
    /// Whatever the times, whenever each was given up and into however many parts they were cut: the true quantile lies in
    /// the range that is told, in whatever order the parts are merged.
    #[test]
    fn the_true_quantile_lies_in_the_range(
        times in prop::collection::vec((1u64..2_000_000_000, 1u64..2_000_000_000, 0usize..20), 1..400),
        parts in 2usize..=20,
        quantile in prop_oneof![Just(1.0), Just(0.5), Just(0.99), 0.0f64..1.0],
        reversed in any::<bool>(),
    ) {
        let mut all: Vec<u64> = times.iter().map(|&(true_ns, ..)| true_ns).collect();
        all.sort_unstable();
        let rank = ((quantile * all.len() as f64).ceil() as usize).clamp(1, all.len());
        let mut cut: Vec<_> = (0..parts)
            .map(|part| {
                let own: Vec<(u64, u64)> =
                    times.iter().filter(|time| time.2 % parts == part).map(|time| (time.0, time.1)).collect();
                split(&own)
            })
            .collect();
        if reversed {
            cut.reverse();
        }
        let (mut answered, mut unanswered) = (new_histogram(), new_histogram());
        for (some, others) in &cut {
            answered.add(some).unwrap();
            unanswered.add(others).unwrap();
        }
        prop_assert_eq!((answered.len() + unanswered.len()) as usize, all.len());
        let found = bounded_quantile(&answered, &unanswered, quantile);
        prop_assert!(contains(found, all[rank - 1]), "{:?} {}", found, all[rank - 1]);
    }
}

/// The example of a store that freezes at second 2 of 3 under 1,000 requests a second, judged at the end.
#[test]
fn a_store_that_freezes_for_the_last_third_is_told_from_the_third_quantile_on() {
    let (mut answered, mut unanswered) = (new_histogram(), new_histogram());
    (0..2000u64).for_each(|number| answered.saturating_record(1_000_000 + number * 2_500));
    (0..1000u64).for_each(|number| unanswered.saturating_record(number * 1_000_000 + 1));
    let at = |quantile| bounded_quantile(&answered, &unanswered, quantile);
    let (p66, p67, p90, max) = (at(0.66), at(0.67), at(0.9), at(1.0));
    assert_eq!(p66.1.map(|bound| bound.kind), Some(BoundKind::Between), "{p66:?}");
    assert_eq!(p67.1.map(|bound| bound.kind), Some(BoundKind::AtLeast), "{p67:?}");
    let close = |found: (Option<u64>, Option<Bound>), expected_s: f64| {
        (found.0.unwrap() as f64 / 1e9 - expected_s).abs() < 0.002 && found.1.unwrap().to_ns.is_none()
    };
    assert!(close(p90, 0.7) && close(max, 0.999), "{p90:?} {max:?}");
}

#[test]
fn nothing_at_all_has_no_quantiles() {
    assert_eq!(bounded_quantiles(&new_histogram(), &new_histogram()), Quantiles::default());
}
