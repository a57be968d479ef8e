//! Without the feature `discovery` no function registers itself.

/// Registers a definition for discovery; without the feature `discovery`, does nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {};
}
