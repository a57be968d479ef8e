//! A handle that does not keep the runtime alive, for tasks that its tools depend on.

use std::fmt;
use std::sync::{Arc, Weak};

use super::{Runtime, RuntimeInner};

/// A handle that does not keep the runtime alive.
#[derive(Clone)]
pub struct WeakRuntime(Weak<RuntimeInner>);

impl fmt::Debug for WeakRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakRuntime").finish_non_exhaustive()
    }
}

impl Runtime {
    #[must_use]
    pub fn downgrade(&self) -> WeakRuntime {
        WeakRuntime(Arc::downgrade(&self.inner))
    }
}

impl WeakRuntime {
    /// Returns the runtime, unless its last handle was dropped.
    #[must_use]
    pub fn upgrade(&self) -> Option<Runtime> {
        self.0.upgrade().map(|inner| Runtime { inner })
    }
}
