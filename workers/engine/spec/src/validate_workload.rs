//! What sizes and key distributions must keep to.

use crate::PlanFault;
use crate::plan::{Access, SizeBucket, ValueSize};
use crate::validate::{in_range, positive};

/// `place` is the path of the distribution, `most` the largest size it may have.
pub(crate) fn find_size_fault(size: &ValueSize, place: &str, most: u64) -> Option<PlanFault> {
    let path = |field: &str| format!("{place}.{field}");
    let bounds = |min: u64, max: u64| {
        in_range(&path("min_bytes"), min, 1, most).or_else(|| in_range(&path("max_bytes"), max, min, most))
    };
    let largest = most as f64;
    match size {
        ValueSize::Fixed(fixed) => in_range(&path("bytes"), fixed.bytes, 1, most),
        ValueSize::Uniform(uniform) => bounds(uniform.min_bytes, uniform.max_bytes),
        ValueSize::Normal(normal) => bounds(normal.min_bytes, normal.max_bytes)
            .or_else(|| positive(&path("mean_bytes"), normal.mean_bytes, largest))
            .or_else(|| share(&path("deviation_bytes"), normal.deviation_bytes, largest)),
        ValueSize::LogNormal(normal) => bounds(normal.min_bytes, normal.max_bytes)
            .or_else(|| positive(&path("median_bytes"), normal.median_bytes, largest))
            .or_else(|| share(&path("sigma"), normal.sigma, 20.0)),
        ValueSize::Histogram(histogram) => {
            let buckets = histogram.buckets.iter().enumerate();
            let find = |(at, bucket)| find_bucket_fault(&path(&format!("buckets[{at}]")), bucket, most);
            in_range(&path("buckets"), histogram.buckets.len() as u64, 1, 10_000)
                .or_else(|| buckets.into_iter().find_map(find))
        }
        ValueSize::Facebook(facebook) => in_range(&path("max_bytes"), facebook.max_bytes, 15, most),
    }
}

fn find_bucket_fault(place: &str, bucket: &SizeBucket, most: u64) -> Option<PlanFault> {
    let path = |field: &str| format!("{place}.{field}");
    in_range(&path("min_bytes"), bucket.min_bytes, 1, most)
        .or_else(|| in_range(&path("max_bytes"), bucket.max_bytes, bucket.min_bytes, most))
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
