//! Stubs of the internal types that the core names, for builds without their feature.
//!
//! `feature_stubs.rs` has the stubs of public methods.

#[cfg(not(feature = "policy"))]
pub(crate) mod policy;
#[cfg(not(feature = "trace"))]
pub(crate) mod trace;
