//! A tool as one dialect declares it.

use std::borrow::Cow;

use serde_json::Value;

use crate::custom_tools::CustomTool;

/// One tool as it is declared to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// An object.
    pub(crate) schema: Value,
    pub(crate) strict: bool,
    /// Set for a custom tool, which takes text in place of JSON.
    pub(crate) custom: Option<CustomTool>,
    /// For the dialects that have a field for them.
    pub(crate) examples: Vec<Value>,
    /// The values of `allowed_callers`; none for the provider's default.
    pub(crate) allowed_callers: Vec<String>,
    pub(crate) toolkit: Option<DeclaredToolkit>,
    pub(crate) loading: ToolLoading,
    /// True for the tool that executes the provider's search for tools.
    pub(crate) is_search: bool,
}

/// The toolkit of a declared tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeclaredToolkit {
    /// A name that the dialect accepts.
    pub(crate) name: String,
    pub(crate) description: String,
}

/// The moment at which a model reads a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolLoading {
    /// From the first request on.
    AtStart,
    /// From the answer of a call of `search_tools` on, or from the next request on.
    Found,
    /// From the moment at which the provider's own search has found it.
    ByProvider,
}

impl DeclaredTool {
    /// Returns the declared name; see [`Adapter::tool_name`](crate::Adapter::tool_name).
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

    /// Returns whether the provider is to enforce the schema (`strict`).
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Returns whether the tool is declared as a custom tool of OpenAI, which takes the text of its only
    /// argument in place of JSON.
    #[must_use]
    pub fn is_custom(&self) -> bool {
        self.custom.is_some()
    }

    /// The tool as the provider's own search declares what it has found.
    pub(crate) fn deferred_by_provider(self) -> Self {
        Self { loading: ToolLoading::ByProvider, ..self }
    }

    /// The description as it is sent. A custom tool has no other place for that of its argument.
    pub(crate) fn declared_description(&self) -> Cow<'_, str> {
        match &self.custom {
            Some(custom) => self.description_with_input(custom).into(),
            None => self.description.as_str().into(),
        }
    }

    fn description_with_input(&self, custom: &CustomTool) -> String {
        let parts = [self.description.as_str(), &custom.description];
        let mut nonempty_parts = parts.into_iter().filter(|part| !part.is_empty());
        match (nonempty_parts.next(), nonempty_parts.next()) {
            (Some(tool), Some(input)) => format!("{tool}\n\nInput: {input}"),
            (text, _) => text.unwrap_or_default().to_owned(),
        }
    }
}
