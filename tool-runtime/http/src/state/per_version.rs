//! A value that is made from the tools once for each version of their list.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tool_runtime_core::ToolList;

/// The value of the newest version that was asked for. Readers take no lock.
pub(crate) struct PerVersion<T>(ArcSwap<Versioned<T>>);

/// The value of one version.
pub(crate) struct Versioned<T> {
    version: u64,
    value: T,
}

impl<T> PerVersion<T> {
    /// Makes the value of these tools.
    pub(crate) fn new(tools: &ToolList, make: impl FnOnce(&ToolList) -> T) -> Self {
        Self(ArcSwap::from_pointee(Versioned { version: tools.version(), value: make(tools) }))
    }

    /// Returns the value of these tools: the one that is kept, or a new one, which is kept if it is newer.
    pub(crate) fn get(
        &self,
        tools: &ToolList,
        make: impl FnOnce(&ToolList) -> T,
    ) -> Arc<Versioned<T>> {
        let cached_value = self.0.load_full();
        if cached_value.version == tools.version() {
            return cached_value;
        }
        let newest = Arc::new(Versioned { version: tools.version(), value: make(tools) });
        self.0.rcu(|cached_value| {
            if cached_value.version < newest.version { &newest } else { cached_value }.clone()
        });
        newest
    }
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> fmt::Debug for PerVersion<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerVersion")
            .field("version", &self.0.load().version)
            .finish_non_exhaustive()
    }
}
