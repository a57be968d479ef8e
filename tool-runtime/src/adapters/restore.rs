//! Converts arguments from a declaration back to the tool's own schema.

use std::borrow::Cow;

use super::omitted::StrictSchema;
use super::renamed::RenamedProperties;

/// The changes of one tool's schema in its declaration.
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
}
