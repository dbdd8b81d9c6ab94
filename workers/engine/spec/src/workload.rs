//! How long values are, and which keys are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every value has this size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedSize {
    #[schemars(range(min = 1, max = 67108864))]
    pub bytes: u64,
}

/// Sizes drawn per key (not per operation), inclusive on both ends, so a value can be verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformSize {
    #[schemars(range(min = 1, max = 67108864))]
    pub min_bytes: u64,
    #[schemars(range(min = 1, max = 67108864))]
    pub max_bytes: u64,
}

/// Sizes by the normal distribution, those outside the bounds moved onto them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalSize {
    #[schemars(range(min = 1, max = 67108864))]
    pub mean_bytes: f64,
    #[schemars(range(min = 0, max = 67108864))]
    pub deviation_bytes: f64,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 67108864))]
    pub min_bytes: u64,
    #[schemars(range(min = 1, max = 67108864))]
    pub max_bytes: u64,
}

/// Sizes whose logarithm (natural) has a normal distribution around that of the median.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormalSize {
    #[schemars(range(min = 1, max = 67108864))]
    pub median_bytes: f64,
    #[schemars(range(min = 0, max = 20))]
    pub sigma: f64,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 67108864))]
    pub min_bytes: u64,
    #[schemars(range(min = 1, max = 67108864))]
    pub max_bytes: u64,
}

/// Sizes from `min_bytes` to `max_bytes`, in proportion to the weight of their bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeBucket {
    #[schemars(range(min = 1, max = 67108864))]
    pub min_bytes: u64,
    #[schemars(range(min = 1, max = 67108864))]
    pub max_bytes: u64,
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: f64,
}

/// Sizes as they were counted somewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistogramSize {
    #[schemars(length(min = 1, max = 10000))]
    pub buckets: Vec<SizeBucket>,
}

/// Sizes of the pool ETC as Atikoglu et al. 2012 found them: some small ones by their share, the rest by a generalised
/// Pareto distribution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FacebookSize {
    #[serde(default = "facebook_max_bytes")]
    #[schemars(range(min = 15, max = 67108864))]
    pub max_bytes: u64,
}

fn one() -> u64 {
    1
}

fn facebook_max_bytes() -> u64 {
    1_000_000
}

/// How long values are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ValueSize {
    Fixed(FixedSize),
    Uniform(UniformSize),
    Normal(NormalSize),
    LogNormal(LogNormalSize),
    Histogram(HistogramSize),
    Facebook(FacebookSize),
}

impl ValueSize {
    /// The smallest and the largest size, in bytes.
    pub fn bounds(&self) -> (u64, u64) {
        match self {
            Self::Fixed(size) => (size.bytes, size.bytes),
            Self::Uniform(size) => (size.min_bytes, size.max_bytes),
            Self::Normal(size) => (size.min_bytes, size.max_bytes),
            Self::LogNormal(size) => (size.min_bytes, size.max_bytes),
            Self::Histogram(size) => {
                let smallest = size.buckets.iter().map(|bucket| bucket.min_bytes).min();
                let largest = size.buckets.iter().map(|bucket| bucket.max_bytes).max();
                (smallest.unwrap_or(1), largest.unwrap_or(1))
            }
            Self::Facebook(size) => (1, size.max_bytes),
        }
    }
}

/// Every key is as likely as any other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformAccess {}

/// Zipf over ranks, ranks scattered over the keys by a fixed permutation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZipfAccess {
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub exponent: f64,
}

/// Zipf over the age of keys: those inserted last are asked for most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatestAccess {
    #[serde(default = "latest_exponent")]
    #[schemars(range(max = 10), extend("exclusiveMinimum" = 0))]
    pub exponent: f64,
}

fn latest_exponent() -> f64 {
    0.99
}

/// A share of the operations goes to a share of the keys, scattered over all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotSetAccess {
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub key_share: f64,
    #[schemars(range(min = 0, max = 1))]
    pub operation_share: f64,
}

/// A normal distribution around the middle key, its deviation a share of the number of keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaussianAccess {
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub deviation_share: f64,
}

/// One key after the other, each thread in a part of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequentialAccess {}

/// Every key once in an order that the seed decides, then in the same order again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermutationAccess {}

/// Which keys are asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Access {
    Uniform(UniformAccess),
    Zipf(ZipfAccess),
    Latest(LatestAccess),
    HotSet(HotSetAccess),
    Gaussian(GaussianAccess),
    Sequential(SequentialAccess),
    Permutation(PermutationAccess),
}

impl Default for Access {
    fn default() -> Self {
        Self::Uniform(UniformAccess {})
    }
}
