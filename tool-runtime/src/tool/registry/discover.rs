//! Discovery of `#[ai_tool]` functions, which register themselves at link time.

#[cfg(feature = "discovery")]
use super::Definition;

/// One discovered tool.
#[cfg(feature = "discovery")]
#[doc(hidden)]
#[derive(Debug)]
pub struct Discovered(pub &'static Definition);

#[cfg(feature = "discovery")]
inventory::collect!(Discovered);

#[cfg(feature = "discovery")]
pub(super) fn all() -> impl Iterator<Item = &'static Definition> {
    inventory::iter::<Discovered>.into_iter().map(|discovered| discovered.0)
}

/// Registers a definition for discovery; without the feature `discovery`, does nothing.
#[cfg(feature = "discovery")]
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {
        $crate::__private::inventory::submit! { $crate::__private::Discovered($definition) }
    };
}

/// Registers a definition for discovery; without the feature `discovery`, does nothing.
#[cfg(not(feature = "discovery"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {};
}
