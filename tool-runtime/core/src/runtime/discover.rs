//! Registers the discovered tools on the builder.

use super::RuntimeBuilder;

impl RuntimeBuilder {
    /// Adds every `#[ai_tool]` function that is linked into the program.
    ///
    /// A crate that the program does not name is not linked: write `use its_name as _;` once.
    /// `build()` reports an error if no tool is found and none is registered otherwise.
    #[must_use]
    pub fn discover(mut self) -> Self {
        self.registry = self.registry.discover();
        self
    }
}
