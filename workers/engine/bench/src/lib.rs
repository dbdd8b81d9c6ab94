//! What the engine is measured against. Programs that use it are examples, so that a release build leaves them out.

mod databases;
pub mod dialect;
pub mod path;
pub mod programmed;
