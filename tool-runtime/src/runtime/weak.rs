//! A handle that does not keep the runtime alive, for tasks that its tools depend on.

use std::sync::{Arc, Weak};

use super::{Runtime, RuntimeInner};

/// A handle that does not keep the runtime alive.
#[derive(Clone)]
pub(crate) struct WeakRuntime(Weak<RuntimeInner>);

impl Runtime {
    pub(crate) fn downgrade(&self) -> WeakRuntime {
        WeakRuntime(Arc::downgrade(&self.inner))
    }
}

impl WeakRuntime {
    /// Returns the runtime, unless its last handle was dropped.
    pub(crate) fn upgrade(&self) -> Option<Runtime> {
        self.0.upgrade().map(|inner| Runtime { inner })
    }
}
