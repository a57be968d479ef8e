//! Why a schema cannot be compiled.

use std::fmt;

use serde_json::Value;

/// Says which part of a schema cannot be enforced, and what to write instead.
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
    cure: String,
}

impl SchemaError {
    pub(super) fn new(pointer: String, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { pointer, found: found.into(), cure: cure.into() }
    }

    /// Gives the JSON Pointer to the offending part of the schema.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Says what stands there.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Says what to write instead.
    #[must_use]
    pub fn cure(&self) -> &str {
        &self.cure
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, found, cure } = self;
        write!(f, "schema at `#{pointer}`: found {found}; {cure}")
    }
}

impl std::error::Error for SchemaError {}

/// What a schema's value is, with an article.
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
