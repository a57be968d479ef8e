//! Discovery of `#[ai_tool]` functions, which register themselves at link time.

use super::{Definition, Registry};

/// One discovered tool.
#[doc(hidden)]
#[derive(Debug)]
pub struct Discovered(pub &'static Definition);

inventory::collect!(Discovered);

impl Registry {
    /// Adds every `#[ai_tool]` function that is linked into the program.
    ///
    /// A crate that is not referenced is not linked: write `use its_name as _;` once. If no tool is
    /// found and none is registered otherwise, [`specs`](Self::specs) and `build()` return an error.
    #[must_use]
    pub fn discover(mut self) -> Self {
        all().for_each(|definition| self.add_definition(definition));
        self.nothing_discovered |= all().next().is_none();
        self
    }
}

fn all() -> impl Iterator<Item = &'static Definition> {
    inventory::iter::<Discovered>.into_iter().map(|discovered| discovered.0)
}

/// Registers a definition for discovery; without the feature `discovery`, does nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __discover {
    ($definition:expr) => {
        $crate::__private::inventory::submit! { $crate::__private::Discovered($definition) }
    };
}
