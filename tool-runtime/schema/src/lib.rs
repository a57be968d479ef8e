//! Reads and checks JSON: a strict reader that keeps positions, schemas and their validator, canonical JSON
//! and redaction.
//!
//! Depend on `tool-runtime`, which re-exports what is public here. The hidden modules are for its other
//! parts, and have no stable interface.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "canonical")]
pub mod canonical;
#[doc(hidden)]
pub mod encoding;
#[doc(hidden)]
pub mod event_stream;
#[cfg(feature = "instances")]
#[doc(hidden)]
pub mod instances;
#[doc(hidden)]
pub mod json;
mod limits;
pub mod redact;
pub mod schema;
#[doc(hidden)]
pub mod test_cost;

pub use self::limits::Limits;
