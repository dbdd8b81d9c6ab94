//! Reading a plan: from JSON to a plan that can be run, or to the place of the fault.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::plan::{
    ClosedLoad, EnginePlan, FacebookSize, FixedSize, GaussianAccess, HistogramSize, HotSetAccess,
    LatestAccess, LogNormalSize, NormalSize, OpenLoad, PermutationAccess, SequentialAccess, TcpAddress,
    UniformAccess, UniformSize, UnixAddress, ZipfAccess,
};
use crate::validate::find_fault;

/// Why a plan cannot be run, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct PlanFault {
    /// JSON path, `$.load.connections`.
    pub path: String,
    pub message: String,
}

impl PlanFault {
    /// `path` is relative to the document, empty for the document itself.
    pub fn at(path: &str, message: impl Into<String>) -> Self {
        let path = match path {
            "" | "." => "$".to_owned(),
            inner => format!("$.{inner}"),
        };
        Self { path, message: message.into() }
    }
}

/// Reads and validates one plan.
///
/// # Errors
/// A [`PlanFault`] with the JSON path of the first fault found.
pub fn read_plan(text: &str) -> Result<EnginePlan, PlanFault> {
    let document: Value = serde_json::from_str(text).map_err(|error| PlanFault::at("", error.to_string()))?;
    let plan: EnginePlan = serde_path_to_error::deserialize(&document).map_err(|error| {
        let path = error.path().to_string();
        find_variant_fault(&path, &document)
            .unwrap_or_else(|| PlanFault::at(&path, error.inner().to_string()))
    })?;
    match find_fault(&plan) {
        Some(fault) => Err(fault),
        None => Ok(plan),
    }
}

/// SHA-256 of the plan with all defaults filled in, without its password and the place of its journal.
///
/// The same plan written in another order or with defaults left out has the same hash.
pub fn hash_plan(plan: &EnginePlan) -> String {
    let mut public = plan.clone();
    public.target.password = None;
    public.journal = plan.journal.as_ref().map(|_| String::new());
    let canonical = serde_json::to_vec(&public).unwrap_or_default();
    Sha256::digest(&canonical).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// serde buffers a tagged enum and so loses the path inside of it: read the variant once more by itself.
fn find_variant_fault(path: &str, document: &Value) -> Option<PlanFault> {
    let mut value = path.split('.').try_fold(document, |inner, name| inner.get(name))?.clone();
    let kind = value.as_object_mut()?.remove("kind")?;
    let inner = match (path, kind.as_str()?) {
        ("target.address" | "target.read_address", "tcp") => read_variant::<TcpAddress>(value),
        ("target.address" | "target.read_address", "unix") => read_variant::<UnixAddress>(value),
        ("dataset.value_size", "fixed") => read_variant::<FixedSize>(value),
        ("dataset.value_size", "uniform") => read_variant::<UniformSize>(value),
        ("dataset.value_size", "normal") => read_variant::<NormalSize>(value),
        ("dataset.value_size", "log_normal") => read_variant::<LogNormalSize>(value),
        ("dataset.value_size", "histogram") => read_variant::<HistogramSize>(value),
        ("dataset.value_size", "facebook") => read_variant::<FacebookSize>(value),
        ("access", "latest") => read_variant::<LatestAccess>(value),
        ("access", "hot_set") => read_variant::<HotSetAccess>(value),
        ("access", "gaussian") => read_variant::<GaussianAccess>(value),
        ("access", "sequential") => read_variant::<SequentialAccess>(value),
        ("access", "permutation") => read_variant::<PermutationAccess>(value),
        ("access", "uniform") => read_variant::<UniformAccess>(value),
        ("access", "zipf") => read_variant::<ZipfAccess>(value),
        ("load", "closed") => read_variant::<ClosedLoad>(value),
        ("load", "open") => read_variant::<OpenLoad>(value),
        _ => return Some(PlanFault::at(&format!("{path}.kind"), format!("unknown kind {kind}"))),
    };
    let (field, message) = inner.err()?;
    Some(PlanFault::at(&if field == "." { path.to_owned() } else { format!("{path}.{field}") }, message))
}

fn read_variant<T: DeserializeOwned>(value: Value) -> Result<(), (String, String)> {
    serde_path_to_error::deserialize::<_, T>(value)
        .map(drop)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))
}

/// The first complete JSON value of a stream, for a plan on a pipe that stays open.
///
/// # Errors
/// When the stream ends early or holds no JSON.
pub fn read_document(stream: impl std::io::Read) -> Result<String, PlanFault> {
    let mut documents = serde_json::Deserializer::from_reader(stream);
    let document =
        Value::deserialize(&mut documents).map_err(|error| PlanFault::at("", error.to_string()))?;
    Ok(document.to_string())
}
