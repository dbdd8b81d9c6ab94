//! What a load must keep to.

use crate::PlanFault;
use crate::events::ErrorClass;
use crate::plan::{
    Arrivals, ConnectionStep, EngineLoad, EnginePlan, OpenLoad, RateProfile, RateSegment, Retries,
    StoreProtocol,
};
use crate::validate::{broken, in_range, positive};
use crate::validate_workload::share;

const MAX_RATE_PER_S: f64 = 1e8;
const MAX_SECONDS: f64 = 130_000.0;
const MAX_SEGMENTS: u64 = 1000;
const MAX_CONNECTIONS: u64 = 100_000;

/// The first rule that the load breaks, by itself or together with threads and target.
pub(crate) fn find_load_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let load = &plan.load;
    in_range("load.connections", load.connections().into(), 1, MAX_CONNECTIONS)
        .or_else(|| in_range("load.pipeline", load.pipeline().into(), 1, 1000))
        .or_else(|| find_think_fault(plan))
        .or_else(|| {
            let none = load.requests_per_connection() == Some(0);
            broken(none, "load.requests_per_connection", "0 is out of range: at least 1")
        })
        .or_else(|| {
            load.churn_per_s().and_then(|churn| positive("load.churn_per_s", churn, MAX_CONNECTIONS as f64))
        })
        .or_else(|| load.retries().and_then(find_retries_fault))
        .or_else(|| match load {
            EngineLoad::Closed(closed) => find_steps_fault(plan, &closed.connection_steps),
            EngineLoad::Open(open) => find_arrivals_fault(open),
        })
        .or_else(|| in_range("threads", plan.threads.into(), 1, 256))
        .or_else(|| {
            let idle = plan.threads > load.connections();
            let message = "a thread needs a connection: have at least as many connections as threads";
            broken(idle, "threads", message)
        })
}

fn find_think_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let load = &plan.load;
    let thinks = load.think_time_us() > 0;
    let is_routed = plan.target.read_address.is_some() || plan.target.protocol == StoreProtocol::RedisCluster;
    in_range("load.think_time_us", load.think_time_us(), 0, 3_600_000_000)
        .or_else(|| {
            let message = "a connection that thinks has one request under way: pipeline must be 1";
            broken(thinks && load.pipeline() > 1, "load.pipeline", message)
        })
        .or_else(|| {
            let message = "there is no think time where a connection is several sockets";
            broken(thinks && is_routed, "load.think_time_us", message)
        })
}

fn find_retries_fault(retries: &Retries) -> Option<PlanFault> {
    let is_vain = |class: &ErrorClass| matches!(class, ErrorClass::Protocol | ErrorClass::WrongValue);
    let vain = retries.on.iter().position(is_vain);
    let twice = (0..retries.on.len()).find(|&at| retries.on[..at].contains(&retries.on[at]));
    in_range("load.retries.attempts", retries.attempts.into(), 1, 100)
        .or_else(|| broken(retries.on.is_empty(), "load.retries.on", "names no fault to try again after"))
        .or_else(|| {
            let message = "what was answered wrongly is not asked again: timeout, connection_lost or refused";
            vain.map(|at| PlanFault::at(&format!("load.retries.on[{at}]"), message))
        })
        .or_else(|| twice.map(|at| PlanFault::at(&format!("load.retries.on[{at}]"), "stands there twice")))
}

/// Every thread keeps a connection at every step, so that none of them has work that it cannot do.
fn find_steps_fault(plan: &EnginePlan, steps: &[ConnectionStep]) -> Option<PlanFault> {
    let most = plan.load.connections().into();
    let path = |at: usize, field: &str| format!("load.connection_steps[{at}].{field}");
    in_range("load.connection_steps", steps.len() as u64, 0, MAX_SEGMENTS).or_else(|| {
        steps.iter().enumerate().find_map(|(at, step)| {
            let fewest = plan.threads.into();
            in_range(&path(at, "connections"), step.connections.into(), fewest, most)
                .or_else(|| positive(&path(at, "seconds"), step.seconds, MAX_SECONDS))
        })
    })
}

fn find_arrivals_fault(open: &OpenLoad) -> Option<PlanFault> {
    let is_recorded = open.arrivals == Arrivals::Recorded;
    let is_bursty = open.arrivals == Arrivals::Bursty;
    let rate = match (&open.rate_per_s, &open.rate) {
        (Some(_), None) | (None, Some(_)) if is_recorded => {
            Some(PlanFault::at("load.arrivals", "recorded arrivals have the rate of their trace"))
        }
        (None, None) if is_recorded => None,
        (Some(rate_per_s), None) => positive("load.rate_per_s", *rate_per_s, MAX_RATE_PER_S),
        (None, Some(profile)) => find_profile_fault(profile),
        (None, None) => Some(PlanFault::at("load.rate_per_s", "an open loop needs a rate")),
        (Some(_), Some(_)) => Some(PlanFault::at("load.rate", "needs exactly one of rate_per_s and rate")),
    };
    rate.or_else(|| match open.burst_size {
        Some(size) => in_range("load.burst_size", size.into(), 2, 1_000_000)
            .or_else(|| broken(!is_bursty, "load.burst_size", "only bursty arrivals have a size")),
        None => broken(is_bursty, "load.burst_size", "bursty arrivals need the size of a burst"),
    })
    .or_else(|| positive("load.speed", open.speed.unwrap_or(1.0), 1e6))
    .or_else(|| {
        broken(open.speed.is_some() && !is_recorded, "load.speed", "only recorded arrivals have a speed")
    })
}

fn find_profile_fault(profile: &RateProfile) -> Option<PlanFault> {
    let segments = profile.segments.iter().enumerate();
    let is_rest = |segment: &RateSegment| match segment {
        RateSegment::Constant(constant) => constant.rate_per_s == 0.0,
        RateSegment::Ramp(ramp) => ramp.from_per_s == 0.0 && ramp.to_per_s == 0.0,
        RateSegment::Sinus(_) => false,
    };
    let is_idle = profile.segments.iter().all(is_rest);
    in_range("load.rate.segments", profile.segments.len() as u64, 1, MAX_SEGMENTS)
        .or_else(|| {
            segments.clone().find_map(|(at, segment)| {
                find_segment_fault(segment, &|field| format!("load.rate.segments[{at}].{field}"))
            })
        })
        .or_else(|| broken(is_idle, "load.rate.segments", "offers nothing at any time"))
}

fn find_segment_fault(segment: &RateSegment, path: &dyn Fn(&str) -> String) -> Option<PlanFault> {
    let seconds = |seconds: f64| positive(&path("seconds"), seconds, MAX_SECONDS);
    match segment {
        RateSegment::Constant(constant) => share(&path("rate_per_s"), constant.rate_per_s, MAX_RATE_PER_S)
            .or_else(|| seconds(constant.seconds)),
        RateSegment::Ramp(ramp) => share(&path("from_per_s"), ramp.from_per_s, MAX_RATE_PER_S)
            .or_else(|| share(&path("to_per_s"), ramp.to_per_s, MAX_RATE_PER_S))
            .or_else(|| seconds(ramp.seconds)),
        RateSegment::Sinus(sinus) => positive(&path("base_per_s"), sinus.base_per_s, MAX_RATE_PER_S)
            .or_else(|| positive(&path("amplitude_per_s"), sinus.amplitude_per_s, sinus.base_per_s))
            .or_else(|| positive(&path("period_s"), sinus.period_s, MAX_SECONDS))
            .or_else(|| seconds(sinus.seconds)),
    }
}

/// A number of operations is never reached when the rate ends at nothing.
pub(crate) fn find_endless_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let EngineLoad::Open(OpenLoad { rate: Some(profile), .. }) = &plan.load else { return None };
    let ends_at_rest = match profile.segments.last()? {
        RateSegment::Constant(constant) => constant.rate_per_s == 0.0,
        RateSegment::Ramp(ramp) => ramp.to_per_s == 0.0,
        RateSegment::Sinus(sinus) => sinus.base_per_s == sinus.amplitude_per_s,
    };
    let counts = |rule: Option<u64>| rule.is_some();
    let index = plan
        .phases
        .iter()
        .position(|phase| counts(phase.stop.as_ref().and_then(|rule| rule.operations)))
        .filter(|_| ends_at_rest && !profile.repeats)?;
    let message = "the rate ends at nothing, so a number of operations may never be reached: say seconds";
    Some(PlanFault::at(&format!("phases[{index}].stop.operations"), message))
}
