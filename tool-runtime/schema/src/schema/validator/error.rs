//! Errors of compiling a schema.

use std::fmt;

use serde_json::Value;

/// Describes the part of a schema that cannot be enforced, and the replacement to write.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::schema::Validator;
///
/// let schema = json!({"properties": {"when": {"type": "date"}}});
/// let error = Validator::compile(&schema).expect_err("there is no such type");
/// assert_eq!(error.pointer(), "/properties/when/type");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    pointer: String,
    found: String,
    help: String,
}

impl SchemaError {
    pub(super) fn new(pointer: String, found: impl Into<String>, help: impl Into<String>) -> Self {
        Self { pointer, found: found.into(), help: help.into() }
    }

    /// Returns the JSON Pointer to the offending part of the schema.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Describes the value at that location.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Describes a valid replacement.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, found, help } = self;
        write!(f, "schema at `#{pointer}`: found {found}; {help}")
    }
}

impl std::error::Error for SchemaError {}

/// The type of a schema's value, with an article.
pub(super) fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
