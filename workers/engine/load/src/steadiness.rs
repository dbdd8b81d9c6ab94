//! Whether a warmup has become steady.

use std::collections::VecDeque;

use loadstone_spec::events::{Sample, Steadiness};
use loadstone_spec::plan::{EngineLoad, EnginePlan, SteadyRule};

const SECOND_NS: u64 = 1_000_000_000;

/// Looks at each second of a phase; what it looks for stands at [`SteadyRule`].
pub(crate) struct SteadyTest {
    rule: SteadyRule,
    is_open_loop: bool,
    window: VecDeque<f64>,
    found: Steadiness,
}

/// Coefficient of variation and drift of a window.
struct Shape {
    variation: f64,
    drift: f64,
}

impl SteadyTest {
    pub(crate) fn new(plan: &EnginePlan, rule: &SteadyRule) -> Self {
        let found = Steadiness { is_steady: false, after_s: 0.0, variation: None, drift: None };
        let is_open_loop = matches!(plan.load, EngineLoad::Open(_));
        Self { rule: rule.clone(), is_open_loop, window: VecDeque::new(), found }
    }

    /// Takes one second in. `service_sum_ns` is the time that all its answers took together. True when it is the one
    /// that makes the phase steady.
    pub(crate) fn take(&mut self, sample: &Sample, service_sum_ns: u64) -> bool {
        if sample.duration_ns != SECOND_NS || self.found.is_steady {
            return false;
        }
        let answered: u64 = sample.operations.iter().map(|numbers| numbers.count).sum();
        let mean_ns = service_sum_ns as f64 / answered.max(1) as f64;
        self.window.push_back(if self.is_open_loop { mean_ns } else { answered as f64 });
        self.found.after_s = sample.elapsed_ns as f64 / SECOND_NS as f64;
        let window_s = self.rule.window_s as usize;
        if self.window.len() > window_s {
            self.window.pop_front();
        }
        let Some(shape) = (self.window.len() == window_s).then(|| shape_of(&self.window)).flatten() else {
            return false;
        };
        self.found.variation = Some(shape.variation);
        self.found.drift = Some(shape.drift);
        let most = self.rule.variation_max;
        self.found.is_steady = shape.variation <= most && shape.drift.abs() <= most;
        self.found.is_steady
    }

    /// What was found until now.
    pub(crate) fn found(&self) -> Steadiness {
        self.found
    }
}

/// Nothing where nothing was answered at all.
fn shape_of(window: &VecDeque<f64>) -> Option<Shape> {
    let count = window.len() as f64;
    let mean = window.iter().sum::<f64>() / count;
    let middle = (count - 1.0) / 2.0;
    let squares: f64 = window.iter().map(|value| (value - mean).powi(2)).sum();
    let (mut across, mut along) = (0.0, 0.0);
    for (at, value) in window.iter().enumerate() {
        let offset = at as f64 - middle;
        across += offset * (value - mean);
        along += offset * offset;
    }
    let deviation = (squares / (count - 1.0)).sqrt();
    let slope = across / along;
    (mean > 0.0).then(|| Shape { variation: deviation / mean, drift: slope * (count - 1.0) / mean })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(values: &[f64]) -> Shape {
        shape_of(&values.iter().copied().collect()).unwrap()
    }

    #[test]
    fn variation_and_drift_are_those_of_the_textbook() {
        let line = shape(&[90.0, 95.0, 100.0, 105.0, 110.0]);
        assert!((line.drift - 0.2).abs() < 1e-12 && (line.variation - 0.0790569).abs() < 1e-6);
        let level = shape(&[98.0, 102.0, 100.0, 102.0, 98.0]);
        assert!(level.drift.abs() < 1e-12 && (level.variation - 0.02).abs() < 1e-12, "{}", level.variation);
        assert!(shape_of(&[0.0, 0.0, 0.0].into_iter().collect()).is_none());
    }
}
