//! A rate as a function of time: how many arrivals are due until a time, and when the n-th one is.

use std::f64::consts::TAU;

use loadstone_spec::plan::{RateProfile, RateSegment};

/// Steps of Newton's method, kept within bounds that bisection narrows: it converges long before.
const MOST_STEPS: u32 = 80;

/// The rate within one segment, per second, from the segment's own start on.
#[derive(Debug, Clone, Copy)]
enum Curve {
    /// `rate + slope * t`
    Line { rate: f64, slope: f64 },
    /// `base + amplitude * sin(angular * t)`
    Sinus { base: f64, amplitude: f64, angular: f64 },
}

impl Curve {
    fn rate(self, at_s: f64) -> f64 {
        match self {
            Self::Line { rate, slope } => rate + slope * at_s,
            Self::Sinus { base, amplitude, angular } => base + amplitude * (angular * at_s).sin(),
        }
    }

    /// The integral of the rate.
    fn count(self, until_s: f64) -> f64 {
        match self {
            Self::Line { rate, slope } => until_s * (rate + slope * until_s / 2.0),
            Self::Sinus { base, amplitude, angular } => {
                base * until_s + amplitude / angular * (1.0 - (angular * until_s).cos())
            }
        }
    }

    /// When `count` arrivals have been due, which is at most those of all `seconds`.
    fn time(self, count: f64, seconds: f64) -> f64 {
        match self {
            // The root of the parabola in the form that loses no digits when the slope is small.
            Self::Line { rate, slope } if count > 0.0 => {
                let root = (rate * rate + 2.0 * slope * count).max(0.0).sqrt();
                (2.0 * count / (rate + root)).min(seconds)
            }
            Self::Line { .. } => 0.0,
            Self::Sinus { .. } => self.search(count, seconds),
        }
    }

    fn search(self, count: f64, seconds: f64) -> f64 {
        let (mut low, mut high) = (0.0, seconds);
        let mut at = seconds * (count / self.count(seconds)).clamp(0.0, 1.0);
        for _ in 0..MOST_STEPS {
            let excess = self.count(at) - count;
            if excess > 0.0 {
                high = at
            } else {
                low = at
            }
            let next = at - excess / self.rate(at);
            let next = if next > low && next < high { next } else { (low + high) / 2.0 };
            if (next - at).abs() <= 1e-10 {
                return next;
            }
            at = next;
        }
        at
    }
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    start_s: f64,
    start_count: f64,
    seconds: f64,
    curve: Curve,
}

/// A profile with its sums made beforehand.
#[derive(Debug, Clone)]
pub(crate) struct Profile {
    pieces: Vec<Piece>,
    seconds: f64,
    count: f64,
    repeats: bool,
    /// After the last segment, unless all come again.
    last_rate: f64,
}

impl Profile {
    pub(crate) fn new(profile: &RateProfile) -> Self {
        let mut pieces: Vec<Piece> = Vec::with_capacity(profile.segments.len());
        let (mut start_s, mut start_count) = (0.0, 0.0);
        for segment in &profile.segments {
            let (curve, seconds) = trace_curve(segment);
            pieces.push(Piece { start_s, start_count, seconds, curve });
            start_s += seconds;
            start_count += curve.count(seconds);
        }
        let last_rate = pieces.last().map_or(0.0, |piece| piece.curve.rate(piece.seconds).max(0.0));
        Self { pieces, seconds: start_s, count: start_count, repeats: profile.repeats, last_rate }
    }

    /// The same rate for ever.
    pub(crate) fn constant(rate_per_s: f64) -> Self {
        Self { pieces: Vec::new(), seconds: 0.0, count: 0.0, repeats: false, last_rate: rate_per_s }
    }

    /// What a warmup stays at: the rate of the beginning, or the mean of the first segment that is above it.
    pub(crate) fn first_rate(&self) -> f64 {
        let means = self.pieces.iter().map(|piece| piece.curve.count(piece.seconds) / piece.seconds);
        let at_start = self.pieces.first().map_or(self.last_rate, |piece| piece.curve.rate(0.0));
        [at_start].into_iter().chain(means).find(|&rate| rate > 0.0).unwrap_or(self.last_rate)
    }

    /// How many arrivals are due before a time, as a real number: the integral of the rate.
    pub(crate) fn count_until(&self, until_s: f64) -> f64 {
        if until_s >= self.seconds && !self.repeats {
            return self.count + (until_s - self.seconds) * self.last_rate;
        }
        let cycles = if self.repeats { (until_s / self.seconds).floor() } else { 0.0 };
        let within_s = (until_s - cycles * self.seconds).max(0.0);
        let at = self.pieces.partition_point(|piece| piece.start_s <= within_s).saturating_sub(1);
        let piece = self.pieces[at];
        let inside_s = (within_s - piece.start_s).min(piece.seconds);
        cycles * self.count + piece.start_count + piece.curve.count(inside_s)
    }

    /// When the integral of the rate passes `count`; nothing when it never does.
    pub(crate) fn time_of(&self, count: f64) -> Option<f64> {
        if count >= self.count && !self.repeats {
            let beyond_s = (count - self.count) / self.last_rate;
            return (self.last_rate > 0.0).then_some(self.seconds + beyond_s);
        }
        let cycles = if self.repeats { (count / self.count).floor() } else { 0.0 };
        let within = (count - cycles * self.count).max(0.0);
        let at = self.pieces.partition_point(|piece| piece.start_count <= within).saturating_sub(1);
        let piece = self.pieces[at];
        let inside_s = piece.curve.time(within - piece.start_count, piece.seconds);
        Some(cycles * self.seconds + piece.start_s + inside_s)
    }
}

fn trace_curve(segment: &RateSegment) -> (Curve, f64) {
    match segment {
        RateSegment::Constant(constant) => {
            (Curve::Line { rate: constant.rate_per_s, slope: 0.0 }, constant.seconds)
        }
        RateSegment::Ramp(ramp) => {
            let slope = (ramp.to_per_s - ramp.from_per_s) / ramp.seconds;
            (Curve::Line { rate: ramp.from_per_s, slope }, ramp.seconds)
        }
        RateSegment::Sinus(sinus) => {
            let angular = TAU / sinus.period_s;
            let curve = Curve::Sinus { base: sinus.base_per_s, amplitude: sinus.amplitude_per_s, angular };
            (curve, sinus.seconds)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn profile(segments: Value, repeats: bool) -> Profile {
        let text = json!({"segments": segments, "repeats": repeats});
        Profile::new(&serde_json::from_value(text).unwrap())
    }

    fn constant(rate_per_s: f64, seconds: f64) -> Value {
        json!({"kind": "constant", "rate_per_s": rate_per_s, "seconds": seconds})
    }

    #[test]
    fn counts_are_the_integrals_in_closed_form() {
        let ramp =
            profile(json!([{"kind": "ramp", "from_per_s": 0, "to_per_s": 1000, "seconds": 10}]), false);
        assert!((ramp.count_until(5.0) - 1250.0).abs() < 1e-9);
        assert!((ramp.count_until(10.0) - 5000.0).abs() < 1e-9);
        assert!((ramp.count_until(12.0) - 7000.0).abs() < 1e-9, "the last rate stays");
        let sinus =
            json!([{"kind": "sinus", "base_per_s": 100, "amplitude_per_s": 80, "period_s": 4, "seconds": 8}]);
        let sinus = profile(sinus, true);
        assert!((sinus.count_until(4.0) - 400.0).abs() < 1e-9);
        assert!((sinus.count_until(2.0) - (200.0 + 2.0 * 80.0 * 4.0 / TAU)).abs() < 1e-9);
        assert!((sinus.count_until(18.0) - (1600.0 + 200.0 + 160.0 * 4.0 / TAU)).abs() < 1e-9);
    }

    #[test]
    fn a_pause_has_no_arrivals_and_the_next_one_comes_after_it() {
        let on_and_off = profile(json!([constant(100.0, 1.0), constant(0.0, 2.0)]), true);
        assert!((on_and_off.time_of(99.0).unwrap() - 0.99).abs() < 1e-9);
        assert!((on_and_off.time_of(100.0).unwrap() - 3.0).abs() < 1e-9);
        assert!((on_and_off.count_until(2.5) - 100.0).abs() < 1e-9);
        let once = profile(json!([constant(100.0, 1.0), constant(0.0, 2.0)]), false);
        assert_eq!(once.time_of(100.0), None);
        let later = profile(json!([constant(0.0, 2.0), constant(100.0, 1.0)]), false);
        assert!((later.time_of(0.0).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_warmup_stays_at_the_first_rate_there_is() {
        let ramp = json!([{"kind": "ramp", "from_per_s": 0, "to_per_s": 1000, "seconds": 10}]);
        assert!((profile(ramp, false).first_rate() - 500.0).abs() < 1e-9);
        assert!(
            (profile(json!([constant(7.0, 1.0), constant(9.0, 1.0)]), false).first_rate() - 7.0).abs() < 1e-9
        );
        assert!((Profile::constant(3.0).first_rate() - 3.0).abs() < 1e-9);
    }

    fn any_segment() -> impl Strategy<Value = Value> {
        prop_oneof![
            (0.0..5000.0f64, 0.1..20.0f64).prop_map(|(rate, seconds)| constant(rate, seconds)),
            (0.0..5000.0f64, 0.0..5000.0f64, 0.1..20.0f64).prop_map(|(from, to, seconds)| {
                json!({"kind": "ramp", "from_per_s": from, "to_per_s": to, "seconds": seconds})
            }),
            (1.0..5000.0f64, 0.01..1.0f64, 0.1..10.0f64, 0.1..20.0f64).prop_map(
                |(base, share, period_s, seconds)| {
                    json!({"kind": "sinus", "base_per_s": base, "amplitude_per_s": base * share,
                        "period_s": period_s, "seconds": seconds})
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn times_and_counts_are_each_others_inverse(
            segments in proptest::collection::vec(any_segment(), 1..6),
            repeats in any::<bool>(),
            share in 0.0..2.0f64,
        ) {
            let profile = profile(json!(segments), repeats);
            prop_assume!(profile.count > 1.0);
            let count = profile.count * share;
            if let Some(at_s) = profile.time_of(count) {
                prop_assert!((profile.count_until(at_s) - count).abs() < 1e-4, "{} at {at_s}", count);
                let later = profile.time_of(count + 1.0).unwrap_or(f64::INFINITY);
                prop_assert!(later > at_s);
            }
        }
    }
}
