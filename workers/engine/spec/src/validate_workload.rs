//! What sizes and key distributions must keep to.

use crate::PlanFault;
use crate::plan::{Access, EnginePlan, MAX_VALUE_BYTES, SizeBucket, ValueSize};
use crate::validate::{broken, in_range, positive};

pub(crate) fn find_size_fault(size: &ValueSize) -> Option<PlanFault> {
    let path = |field: &str| format!("dataset.value_size.{field}");
    let bounds = |min: u64, max: u64| {
        in_range(&path("min_bytes"), min, 1, MAX_VALUE_BYTES)
            .or_else(|| in_range(&path("max_bytes"), max, min, MAX_VALUE_BYTES))
    };
    let most = MAX_VALUE_BYTES as f64;
    match size {
        ValueSize::Fixed(fixed) => in_range(&path("bytes"), fixed.bytes, 1, MAX_VALUE_BYTES),
        ValueSize::Uniform(uniform) => bounds(uniform.min_bytes, uniform.max_bytes),
        ValueSize::Normal(normal) => bounds(normal.min_bytes, normal.max_bytes)
            .or_else(|| positive(&path("mean_bytes"), normal.mean_bytes, most))
            .or_else(|| share(&path("deviation_bytes"), normal.deviation_bytes, most)),
        ValueSize::LogNormal(normal) => bounds(normal.min_bytes, normal.max_bytes)
            .or_else(|| positive(&path("median_bytes"), normal.median_bytes, most))
            .or_else(|| share(&path("sigma"), normal.sigma, 20.0)),
        ValueSize::Histogram(histogram) => {
            let count = histogram.buckets.len() as u64;
            let buckets = || {
                histogram.buckets.iter().enumerate().find_map(|(at, bucket)| find_bucket_fault(at, bucket))
            };
            in_range(&path("buckets"), count, 1, 10_000).or_else(buckets)
        }
        ValueSize::Facebook(facebook) => {
            in_range(&path("max_bytes"), facebook.max_bytes, 15, MAX_VALUE_BYTES)
        }
    }
}

fn find_bucket_fault(at: usize, bucket: &SizeBucket) -> Option<PlanFault> {
    let path = |field: &str| format!("dataset.value_size.buckets[{at}].{field}");
    in_range(&path("min_bytes"), bucket.min_bytes, 1, MAX_VALUE_BYTES)
        .or_else(|| in_range(&path("max_bytes"), bucket.max_bytes, bucket.min_bytes, MAX_VALUE_BYTES))
        .or_else(|| positive(&path("weight"), bucket.weight, 1e15))
}

/// From 0 to `max`, both allowed.
pub(crate) fn share(path: &str, value: f64, max: f64) -> Option<PlanFault> {
    let fits = (0.0..=max).contains(&value);
    (!fits).then(|| PlanFault::at(path, format!("{value} is out of range: 0 to {max} allowed")))
}

pub(crate) fn find_access_fault(access: &Access) -> Option<PlanFault> {
    match access {
        Access::Uniform(_) | Access::Sequential(_) | Access::Permutation(_) => None,
        Access::Zipf(zipf) => positive("access.exponent", zipf.exponent, 10.0),
        Access::Latest(latest) => positive("access.exponent", latest.exponent, 10.0),
        Access::HotSet(hot) => positive("access.key_share", hot.key_share, 1.0)
            .or_else(|| share("access.operation_share", hot.operation_share, 1.0)),
        Access::Gaussian(gaussian) => positive("access.deviation_share", gaussian.deviation_share, 1.0),
    }
}

/// Keys that are asked for in vain have an index ten times that of the others.
pub(crate) fn find_hit_ratio_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let dataset = &plan.dataset;
    let digits = (dataset.key_count.max(1) - 1).checked_ilog10().unwrap_or(0) as usize + 2;
    let is_short = usize::from(dataset.key_size_bytes) < dataset.key_prefix.len() + digits;
    let message = "a hit ratio below 1 needs one more byte in the key, for keys that are not there";
    share("dataset.hit_ratio", dataset.hit_ratio, 1.0)
        .or_else(|| broken(dataset.hit_ratio < 1.0 && is_short, "dataset.key_size_bytes", message))
        .or_else(|| share("dataset.compressible_share", dataset.compressible_share, 1.0))
}
