//! Converts arguments between a declaration and the tool's own schema.

use std::borrow::Cow;

use serde_json::Value;
use tool_runtime_schema::json::from_text;

use super::renamed::RenamedProperties;
use super::strict_nulls::StrictSchema;

/// The changes of one tool's schema in its declaration.
///
/// They are never both: dialects that rename properties require none that the tool does not.
#[derive(Debug, Clone)]
pub(super) enum DeclarationChanges {
    /// `null` stands for omitted properties.
    Omitted(StrictSchema),
    /// Properties have other names.
    Renamed(RenamedProperties),
}

impl DeclarationChanges {
    /// Converts arguments back; unchanged parts stay as they were written.
    ///
    /// A text that is not JSON, or repeats a property, is returned unchanged.
    pub(super) fn restore<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        match self {
            Self::Omitted(schema) => schema.restore(arguments),
            Self::Renamed(properties) => properties.restore(arguments),
        }
    }

    /// Converts arguments of the tool's own schema, which they match, to the declaration.
    pub(super) fn apply(&self, arguments: Value) -> Value {
        match self {
            Self::Omitted(schema) => schema.fill(&arguments),
            Self::Renamed(properties) => {
                let declared = from_text(&properties.declare(&arguments.to_string()));
                declared.unwrap_or(arguments)
            }
        }
    }
}
