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
    /// For the dialects that have a field for them.
    pub(in crate::adapters) examples: Vec<Value>,
    /// The values of `allowed_callers`; none for the provider's default.
    pub(in crate::adapters) allowed_callers: Vec<String>,
    pub(in crate::adapters) toolkit: Option<DeclaredToolkit>,
    pub(in crate::adapters) loading: ToolLoading,
}

/// The toolkit of a declared tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::adapters) struct DeclaredToolkit {
    /// A name that the dialect accepts.
    pub(in crate::adapters) name: String,
    pub(in crate::adapters) description: String,
}

/// The moment at which a model reads a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::adapters) enum ToolLoading {
    /// From the first request on.
    AtStart,
    /// From the request after a search of ours has found it.
    Found,
    /// When the provider's own search has found it.
    ByProvider,
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

    /// Returns the examples of arguments under the declared schema, for the dialect with a field for
    /// them: Anthropic's. Elsewhere, they are part of the description.
    #[must_use]
    pub fn examples(&self) -> &[Value] {
        &self.examples
    }

    /// Returns whether the model reads the declaration only after the provider's own search has found
    /// the tool (`defer_loading`).
    #[must_use]
    pub fn is_deferred(&self) -> bool {
        self.loading == ToolLoading::ByProvider
    }

    /// Returns whether the provider is to enforce the schema (OpenAI's `strict`).
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict
    }
}
