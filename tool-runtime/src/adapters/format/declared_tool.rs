//! A tool as one dialect declares it.

use serde_json::Value;

/// One tool as it is declared to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    pub(in crate::adapters) name: String,
    pub(in crate::adapters) description: String,
    /// An object.
    pub(in crate::adapters) schema: Value,
    pub(in crate::adapters) strict: bool,
}

impl DeclaredTool {
    /// Returns the declared name; see [`Adapter::tool_name`](crate::adapters::Adapter::tool_name).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description; empty if the tool has none.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the JSON Schema of the arguments, an object with the provider's keywords.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns whether the provider is to enforce the schema (`strict`).
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict
    }
}
