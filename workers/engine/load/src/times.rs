//! Counts of times by size, in the classes of an HdrHistogram. The load threads only count: what a histogram knows beyond
//! its counts is found out when it is reported.

use hdrhistogram::Histogram;

/// The longest time that is told apart: 10 h. Longer ones count as this.
const MAX_NS: u64 = 36_000_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;
/// Classes of one width for three significant digits: the power of two above 2 x 10^3.
const CLASS_BITS: u32 = 11;
const HALF: usize = 1 << (CLASS_BITS - 1);

/// How often each time was measured, to one digit in three.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    counts: Box<[u64]>,
}

impl Times {
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; class_of(MAX_NS) + 1].into_boxed_slice() }
    }

    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        self.counts[class_of(ns.min(MAX_NS))] += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
    }

    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
    }

    pub(crate) fn to_histogram(&self) -> Histogram<u64> {
        let mut histogram = new_histogram();
        for (class, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            histogram.saturating_record_n(least_of(class), count);
        }
        histogram
    }
}

/// Up to 2047 each nanosecond is a class; from there on 1024 classes between one power of two and the next.
#[inline]
fn class_of(ns: u64) -> usize {
    let width_bits = u64::BITS - CLASS_BITS - (ns | ((1 << CLASS_BITS) - 1)).leading_zeros();
    width_bits as usize * HALF + (ns >> width_bits) as usize
}

/// The shortest time of a class.
fn least_of(class: usize) -> u64 {
    match class / HALF {
        0 | 1 => class as u64,
        wider => ((class % HALF + HALF) as u64) << (wider - 1),
    }
}

pub(crate) fn new_histogram() -> Histogram<u64> {
    match Histogram::new_with_bounds(1, MAX_NS, SIGNIFICANT_DIGITS) {
        Ok(histogram) => histogram,
        Err(_) => unreachable!("the bounds are constants that the library accepts"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_say_what_a_histogram_of_the_same_times_says(
            all in proptest::collection::vec((0u64..46, any::<u64>()).prop_map(|(bits, ns)| (ns >> (63 - bits)).min(MAX_NS)), 1..300)
        ) {
            let (mut times, mut histogram) = (Times::new(), new_histogram());
            for &ns in &all {
                times.record(ns);
                histogram.saturating_record(ns);
            }
            prop_assert_eq!(times.to_histogram(), histogram);
        }
    }

    #[test]
    fn they_add_up_and_begin_anew() {
        let (mut one, mut other) = (Times::new(), Times::new());
        one.record(5);
        other.record(u64::MAX);
        one.add(&other);
        assert_eq!((one.to_histogram().len(), one.to_histogram().min()), (2, 5));
        assert!(one.to_histogram().max() >= MAX_NS);
        one.clear();
        assert!(one.to_histogram().is_empty());
    }
}
