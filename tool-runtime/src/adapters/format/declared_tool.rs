//! A tool as one dialect declares it.

use std::borrow::Cow;

use serde_json::Value;

use crate::adapters::custom_tools::CustomTool;

/// One tool as it is declared to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    pub(in crate::adapters) name: String,
    pub(in crate::adapters) description: String,
    /// An object.
    pub(in crate::adapters) schema: Value,
    pub(in crate::adapters) strict: bool,
    /// Set for a custom tool, which takes text in place of JSON.
    pub(in crate::adapters) custom: Option<CustomTool>,
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

    /// Returns whether the tool is declared as a custom tool of OpenAI, which takes the text of its only
    /// argument in place of JSON.
    #[must_use]
    pub fn is_custom(&self) -> bool {
        self.custom.is_some()
    }

    /// The description as it is sent. A custom tool has no other place for that of its argument.
    pub(in crate::adapters) fn declared_description(&self) -> Cow<'_, str> {
        match &self.custom {
            Some(custom) => self.description_with_input(custom).into(),
            None => self.description.as_str().into(),
        }
    }

    fn description_with_input(&self, custom: &CustomTool) -> String {
        let parts = [self.description.as_str(), &custom.description];
        let mut kept = parts.into_iter().filter(|part| !part.is_empty());
        match (kept.next(), kept.next()) {
            (Some(tool), Some(input)) => format!("{tool}\n\nInput: {input}"),
            (text, _) => text.unwrap_or_default().to_owned(),
        }
    }
}
