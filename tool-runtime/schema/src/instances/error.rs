//! The error for a schema without instances.

use std::fmt;

use crate::schema::SchemaError;

/// A schema, or a part of it, for which no instance was found.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::testing::Instances;
///
/// let contradictory = json!({"properties": {"n": {"minimum": 5, "maximum": 4}}, "required": ["n"]});
/// let error = Instances::for_schema(&contradictory).expect_err("no number is both");
/// assert_eq!(error.pointer(), "/properties/n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstancesError {
    pointer: String,
    found: String,
}

impl InstancesError {
    pub(super) fn new(pointer: impl Into<String>, found: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), found: found.into() }
    }

    /// Returns the JSON Pointer of the part of the schema for which no instance was found.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }
}

impl From<SchemaError> for InstancesError {
    fn from(error: SchemaError) -> Self {
        Self::new(error.pointer(), format!("{}; {}", error.found(), error.help()))
    }
}

impl fmt::Display for InstancesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no instance for the schema at `#{}`: {}", self.pointer, self.found)
    }
}

impl std::error::Error for InstancesError {}
