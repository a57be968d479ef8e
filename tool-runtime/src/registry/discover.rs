//! Discovery: every `#[ai_tool]` function announces itself at link time.

#[cfg(feature = "discovery")]
use super::Definition;

/// One announced tool.
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

/// Announces a definition; nothing without the feature `discovery`.
#[cfg(feature = "discovery")]
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {
        $crate::__private::inventory::submit! { $crate::__private::Discovered($definition) }
    };
}

/// Announces a definition; nothing without the feature `discovery`.
#[cfg(not(feature = "discovery"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {};
}
