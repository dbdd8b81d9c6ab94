//! What a plan had set for a second of a phase: the connections in force, the rate offered.

use loadstone_spec::plan::{EngineLoad, EnginePlan, PhaseName};

use crate::profile::Profile;
use crate::steps::connections_at;

const SECOND_NS: f64 = 1e9;

/// Connections and rate of one phase over its time.
pub(crate) struct Setting<'a> {
    plan: &'a EnginePlan,
    phase: PhaseName,
    /// None where there is no rate: in a closed loop, a prefill, or with arrivals as they were recorded.
    rate: Option<Profile>,
}

impl<'a> Setting<'a> {
    pub(crate) fn new(plan: &'a EnginePlan, phase: PhaseName) -> Self {
        let EngineLoad::Open(open) = &plan.load else { return Self { plan, phase, rate: None } };
        let profile = match (&open.rate, open.rate_per_s) {
            (Some(profile), _) => Some(Profile::new(profile)),
            (None, rate_per_s) => rate_per_s.map(Profile::constant),
        };
        let rate = match phase {
            PhaseName::Prefill => None,
            PhaseName::Warmup => profile.map(|profile| Profile::constant(profile.first_rate())),
            PhaseName::Measure => profile,
        };
        Self { plan, phase, rate }
    }

    /// In the middle of a span that ends at `elapsed_ns`.
    pub(crate) fn connections(&self, elapsed_ns: u64, duration_ns: u64) -> u32 {
        let middle_s = (elapsed_ns as f64 - duration_ns as f64 / 2.0) / SECOND_NS;
        connections_at(self.plan, self.phase, middle_s)
    }

    /// The mean of a span that ends at `elapsed_ns`.
    pub(crate) fn offered_per_s(&self, elapsed_ns: u64, duration_ns: u64) -> Option<f64> {
        let rate = self.rate.as_ref()?;
        let (end_s, span_s) = (elapsed_ns as f64 / SECOND_NS, duration_ns as f64 / SECOND_NS);
        Some((rate.count_until(end_s) - rate.count_until(end_s - span_s)) / span_s)
    }
}
