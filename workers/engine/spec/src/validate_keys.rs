//! What keys must keep to.

use crate::PlanFault;
use crate::keys::{Digits, MAX_KEY_BYTES};
use crate::plan::{Dataset, EnginePlan, default_key_prefix, default_key_size_bytes};
use crate::validate::{broken, in_range};
use crate::validate_workload::{find_size_fault, share};

const TEMPLATE_PATH: &str = "dataset.key_template";

/// The first rule that the looks of the keys break.
pub(crate) fn find_keys_fault(dataset: &Dataset) -> Option<PlanFault> {
    let is_blank = |text: &str| text.bytes().any(|byte| !byte.is_ascii_graphic());
    let blank_message = "holds a space or a byte that is not printable ASCII";
    let prefix = &dataset.key_prefix;
    let digits = dataset.index_digits();
    in_range("dataset.key_prefix", prefix.len() as u64, 0, 64)
        .or_else(|| broken(is_blank(prefix), "dataset.key_prefix", blank_message))
        .or_else(|| in_range("dataset.key_size_bytes", dataset.key_size_bytes.into(), 1, MAX_KEY_BYTES))
        .or_else(|| {
            let template = dataset.key_template.as_deref().unwrap_or("");
            broken(is_blank(template), TEMPLATE_PATH, blank_message)
        })
        .or_else(|| find_template_fault(dataset))
        .or_else(|| {
            let sizes = dataset.key_sizes.as_ref()?;
            find_size_fault(sizes, "dataset.key_sizes", MAX_KEY_BYTES)
        })
        .or_else(|| {
            let message =
                format!("the shortest key has no room for the {digits} digits of the largest index");
            broken(!dataset.has_digits(digits), dataset.key_length_path(), &message)
        })
}

/// What a template says is not said by another field as well.
fn find_template_fault(dataset: &Dataset) -> Option<PlanFault> {
    let sizes_twice = dataset.key_sizes.is_some() && dataset.key_size_bytes != default_key_size_bytes();
    broken(sizes_twice, "dataset.key_size_bytes", "key_sizes says how long keys are").or_else(|| {
        let template = dataset.key_template.as_ref()?;
        let shape = dataset.key_shape();
        let is_padded = shape.as_ref().is_some_and(|shape| matches!(shape.digits, Digits::Padded(_)));
        let longest = shape.as_ref().map_or(0, |shape| {
            let digits = if let Digits::Padded(digits) = shape.digits { digits } else { 1 };
            shape.prefix.len() + shape.suffix.len() + digits
        });
        let padded_twice = dataset.key_sizes.is_some() && template.contains("{index:");
        let message = "needs one place {index}, or {index:8} for eight digits";
        broken(shape.is_none(), TEMPLATE_PATH, message)
            .or_else(|| in_range(TEMPLATE_PATH, template.len() as u64, 1, 200))
            .or_else(|| {
                broken(
                    is_padded && longest as u64 > MAX_KEY_BYTES,
                    TEMPLATE_PATH,
                    "makes keys of more than 250 bytes",
                )
            })
            .or_else(|| {
                let is_said = dataset.key_prefix != default_key_prefix();
                broken(is_said, "dataset.key_prefix", "the template says how keys begin")
            })
            .or_else(|| {
                let is_said = dataset.key_size_bytes != default_key_size_bytes();
                broken(is_said, "dataset.key_size_bytes", "the template says how long keys are")
            })
            .or_else(|| {
                broken(padded_twice, TEMPLATE_PATH, "key_sizes says how many digits there are: use {index}")
            })
    })
}

/// Keys that are asked for in vain have an index ten times that of the others.
pub(crate) fn find_hit_ratio_fault(plan: &EnginePlan) -> Option<PlanFault> {
    let dataset = &plan.dataset;
    let is_short = !dataset.has_digits(dataset.index_digits() + 1);
    let message = "a hit ratio below 1 needs one more byte in the key, for keys that are not there";
    share("dataset.hit_ratio", dataset.hit_ratio, 1.0)
        .or_else(|| broken(dataset.hit_ratio < 1.0 && is_short, dataset.key_length_path(), message))
        .or_else(|| share("dataset.compressible_share", dataset.compressible_share, 1.0))
}
