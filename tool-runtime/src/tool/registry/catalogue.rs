//! The registered tools, by name and in sorted order.

use std::collections::HashMap;
use std::sync::Arc;

use tool_contracts::{Permission, ToolSpec};

use super::Registered;

/// The tools of a runtime.
pub(crate) struct ToolCatalogue {
    sorted: Vec<Arc<Registered>>,
    by_name: HashMap<Box<str>, Arc<Registered>>,
    has_secrets: bool,
}

impl ToolCatalogue {
    /// Creates a catalogue of tools that are sorted by unique names.
    pub(crate) fn new(sorted: Vec<Registered>) -> Self {
        let sorted: Vec<_> = sorted.into_iter().map(Arc::new).collect();
        let by_name = sorted.iter().map(|tool| (tool.spec.name().into(), tool.clone())).collect();
        let has_secrets = sorted.iter().any(|tool| tool.has_secrets);
        Self { sorted, by_name, has_secrets }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Registered>> {
        self.by_name.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.sorted.iter().map(|tool| &**tool)
    }

    /// Lists the tools in the order of their names, but for the denied ones.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &ToolSpec> {
        self.iter().map(|tool| &tool.spec).filter(|spec| is_listed(spec))
    }

    /// Lists the tools that models may call, in the order of their names.
    pub(crate) fn listed_for_model(&self) -> impl Iterator<Item = &ToolSpec> {
        self.listed().filter(|spec| spec.ai_callable())
    }

    /// Returns whether any tool takes a secret argument.
    pub(crate) fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }
}

/// Returns whether lists of tools contain this one: a denied tool is in none.
pub(crate) fn is_listed(spec: &ToolSpec) -> bool {
    spec.permission() != Permission::Deny
}
