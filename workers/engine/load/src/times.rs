//! Counts of times by size, in the classes of an HdrHistogram. The load threads only count: what a histogram knows beyond
//! its counts is found out when it is reported.

use std::ops::Range;

use hdrhistogram::Histogram;

/// The longest time that is told apart: 10 h. Longer ones count as this.
const MAX_NS: u64 = 36_000_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;
/// Classes of one width for three significant digits: the power of two above 2 x 10^3.
const CLASS_BITS: u32 = 11;
const HALF: usize = 1 << (CLASS_BITS - 1);

/// How often each time was measured, to one digit in three.
///
/// Of some 300 KiB a run needs a tenth: what lies between the shortest and the longest of its times. The rest is never
/// looked at, so that it takes neither memory nor time.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    counts: Box<[u64]>,
    /// A bit for each piece of `HALF` classes that holds a count.
    pieces: u64,
}

impl Times {
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; class_of(MAX_NS) + 1].into_boxed_slice(), pieces: 0 }
    }

    pub(crate) fn bytes_up_to(longest_ns: u64) -> usize {
        (class_of(longest_ns.min(MAX_NS)) + 1) * size_of::<u64>()
    }

    /// Has memory for all times up to this one from the beginning: a rare one does not need some later.
    pub(crate) fn touch(&mut self, longest_ns: u64) {
        // The allocator knows that its pages are zeros and the compiler that zeros are written: it must not know both.
        let counts = std::hint::black_box(&mut self.counts);
        counts[..=class_of(longest_ns.min(MAX_NS))].fill(0);
        self.pieces = 0;
    }

    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        let class = class_of(ns.min(MAX_NS));
        self.counts[class] += 1;
        self.pieces |= 1 << (class / HALF);
    }

    #[cold]
    pub(crate) fn record_n(&mut self, ns: u64, count: u64) {
        let class = class_of(ns.min(MAX_NS));
        self.counts[class] += count;
        self.pieces |= 1 << (class / HALF);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for piece in other.held() {
            let (mine, theirs) = (&mut self.counts[piece.clone()], &other.counts[piece]);
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.pieces |= other.pieces;
    }

    pub(crate) fn clear(&mut self) {
        for piece in self.held() {
            self.counts[piece].fill(0);
        }
        self.pieces = 0;
    }

    pub(crate) fn to_histogram(&self) -> Histogram<u64> {
        let mut histogram = new_histogram();
        for class in self.held().flatten().filter(|&class| self.counts[class] > 0) {
            histogram.saturating_record_n(least_of(class), self.counts[class]);
        }
        histogram
    }

    /// The pieces that hold counts.
    fn held(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (pieces, end) = (self.pieces, self.counts.len());
        let held = (0..end.div_ceil(HALF)).filter(move |piece| pieces >> piece & 1 == 1);
        held.map(move |piece| piece * HALF..((piece + 1) * HALF).min(end))
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
        assert!(one.to_histogram().is_empty() && one.counts.iter().all(|&count| count == 0));
    }
}
