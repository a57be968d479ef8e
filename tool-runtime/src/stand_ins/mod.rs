//! Stand-ins for the parts of features that the core names, where the feature is off.

#[cfg(not(feature = "policy"))]
pub(crate) mod policy;
#[cfg(not(feature = "trace"))]
pub(crate) mod trace;
