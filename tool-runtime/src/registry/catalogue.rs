//! The compiled tools, found by name in constant time and listed in one order.

use std::collections::HashMap;
use std::sync::Arc;

use super::Registered;

/// The tools of a runtime.
pub(crate) struct Catalogue {
    sorted: Vec<Arc<Registered>>,
    by_name: HashMap<Box<str>, Arc<Registered>>,
}

impl Catalogue {
    /// Takes tools that are sorted by name, no two of the same.
    pub(crate) fn new(sorted: Vec<Registered>) -> Self {
        let sorted: Vec<_> = sorted.into_iter().map(Arc::new).collect();
        let by_name = sorted.iter().map(|tool| (tool.spec.name().into(), tool.clone())).collect();
        Self { sorted, by_name }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Registered>> {
        self.by_name.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.sorted.iter().map(|tool| &**tool)
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }
}
