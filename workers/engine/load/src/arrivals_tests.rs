use super::*;
use serde_json::{Value, json};

const START_NS: u64 = 1_000_000_000;

fn schedule_of(load: Value, thread: u32, threads: u32) -> Schedule {
    let mut full = json!({"connections": 1});
    full.as_object_mut().unwrap().extend(load.as_object().unwrap().clone());
    let rng = Rng::for_stream(5, thread.into(), 1);
    let load: OpenLoad = serde_json::from_value(full).unwrap();
    let mut schedule = Schedule::new(&load, Share { thread, threads }, false, rng);
    schedule.start_at(START_NS);
    schedule
}

fn schedule(arrivals: &str, thread: u32, threads: u32) -> Schedule {
    schedule_of(json!({"arrivals": arrivals, "rate_per_s": 1000}), thread, threads)
}

fn ramp(arrivals: &str) -> Value {
    let segments = json!([{"kind": "ramp", "from_per_s": 0, "to_per_s": 2000, "seconds": 10}]);
    json!({"arrivals": arrivals, "rate": {"segments": segments}})
}

/// Seconds since the start of all arrivals of all threads before a time.
fn seconds_before(load: &Value, threads: u32, end_s: f64) -> Vec<f64> {
    let mut due = Vec::new();
    for thread in 0..threads {
        let mut share = schedule_of(load.clone(), thread, threads);
        while share.due_ns() != NEVER_NS && ((share.due_ns() - START_NS) as f64) < end_s * 1e9 {
            due.push((share.take() - START_NS) as f64 / 1e9);
        }
    }
    due.sort_by(f64::total_cmp);
    due
}

#[test]
fn constant_arrivals_of_all_threads_are_evenly_spaced() {
    let mut due: Vec<u64> = Vec::new();
    for thread in 0..3 {
        let mut share = schedule("constant", thread, 3);
        due.extend((0..1000).map(|_| share.take()));
    }
    due.sort_unstable();
    assert_eq!(due[0], 1_000_000_000);
    assert!(due.windows(2).all(|pair| (999_999..=1_000_001).contains(&(pair[1] - pair[0]))));
}

#[test]
fn poisson_gaps_are_exponential() {
    let mut share = schedule("poisson", 0, 1);
    let due: Vec<u64> = (0..100_000).map(|_| share.take()).collect();
    let gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
}

#[test]
fn the_same_seed_gives_the_same_arrivals() {
    let (mut one, mut two) = (schedule("poisson", 0, 1), schedule("poisson", 0, 1));
    assert!((0..1000).all(|_| one.take() == two.take()));
}

#[test]
fn arrivals_that_nobody_took_are_counted() {
    let profiles = [ramp("constant"), ramp("poisson")];
    let bursts = json!({"arrivals": "bursty", "rate_per_s": 1000, "burst_size": 30});
    let plain = ["constant", "poisson"].map(|arrivals| json!({"arrivals": arrivals, "rate_per_s": 1000}));
    for load in plain.into_iter().chain(profiles).chain([bursts]) {
        let mut taken = schedule_of(load.clone(), 0, 1);
        while taken.due_ns() < 3_000_000_000 {
            taken.take();
        }
        let untouched = schedule_of(load, 0, 1);
        assert_eq!(taken.clone().count_before(3_000_000_000), taken.handed_out);
        assert_eq!(untouched.count_before(3_000_000_000), taken.handed_out);
    }
}

#[test]
fn a_ramp_offers_in_every_second_what_its_integral_says() {
    let due = seconds_before(&ramp("constant"), 3, 12.0);
    for second in 0..10 {
        let (from, to) = (f64::from(second), f64::from(second + 1));
        let count = due.iter().filter(|&&at| at >= from && at < to).count() as f64;
        let expected = 100.0 * (to * to - from * from);
        assert!((count - expected).abs() <= 1.0, "second {second}: {count} of {expected}");
    }
    let after = due.iter().filter(|&&at| (10.0..12.0).contains(&at)).count();
    assert!((3999..=4001).contains(&after), "the last rate stays: {after}");
}

#[test]
fn poisson_arrivals_of_a_ramp_are_exponential_in_the_time_of_their_rate() {
    let due = seconds_before(&ramp("poisson"), 2, 10.0);
    // The integral of the rate maps them back to a process of rate 1.
    let unit: Vec<f64> = due.iter().map(|at| 100.0 * at * at).collect();
    let gaps: Vec<f64> = unit.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    // Four standard errors of 10,000 gaps; the variance of an exponential's sample variance is 8 / n.
    assert!((mean - 1.0).abs() < 0.04 && (variance - 1.0).abs() < 0.115, "{mean} {variance}");
    assert!((9600..10_400).contains(&due.len()), "{}", due.len());
}

#[test]
fn bursts_come_at_once_and_as_far_apart_as_the_rate_says() {
    let load = json!({"arrivals": "bursty", "rate_per_s": 1000, "burst_size": 50});
    let due = seconds_before(&load, 3, 1.0);
    assert_eq!(due.len(), 1000);
    for (number, burst) in due.chunks(50).enumerate() {
        assert!(burst.iter().all(|at| (at - number as f64 * 0.05).abs() < 1e-8), "{number}: {burst:?}");
    }
}

#[test]
fn a_spike_that_comes_again_and_a_pause_are_kept_to() {
    let segments = json!([
        {"kind": "constant", "rate_per_s": 100, "seconds": 2}, {"kind": "constant", "rate_per_s": 5000, "seconds": 0.5},
        {"kind": "constant", "rate_per_s": 0, "seconds": 0.5},
    ]);
    let due = seconds_before(&json!({"rate": {"segments": segments, "repeats": true}}), 2, 9.0);
    for cycle in 0..3 {
        let within = |from: f64, to: f64| {
            let start = f64::from(cycle) * 3.0;
            due.iter().filter(|&&at| at >= start + from - 1e-9 && at < start + to - 1e-9).count()
        };
        assert_eq!((within(0.0, 2.0), within(2.0, 2.5), within(2.5, 3.0)), (200, 2500, 0), "cycle {cycle}");
    }
}

#[test]
fn a_rate_that_ends_at_nothing_has_no_further_arrivals() {
    let segments = json!([{"kind": "constant", "rate_per_s": 10, "seconds": 1}, {"kind": "constant", "rate_per_s": 0, "seconds": 1}]);
    let load = json!({"rate": {"segments": segments}});
    assert_eq!(seconds_before(&load, 2, 1e6).len(), 10);
    assert_eq!(schedule_of(load, 0, 1).count_before(60 * START_NS), 10);
}
