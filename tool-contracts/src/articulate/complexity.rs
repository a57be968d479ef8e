//! The complexity of documents.

use schemars::JsonSchema;

use crate::wire::words;

/// The complexity of a document, by its depth and its tables; the format depends on it.
///
/// The [module's documentation](super) has the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("schema_complexity"))]
#[non_exhaustive]
pub enum SchemaComplexity {
    /// A scalar, or objects and arrays in at most two levels.
    Simple,
    /// At least half of the document is in tables.
    Tabular,
    /// Objects and arrays in at most six levels.
    Nested,
    /// Objects and arrays in more than six levels.
    Complex,
}

words!(SchemaComplexity {
    Simple = "simple",
    Tabular = "tabular",
    Nested = "nested",
    Complex = "complex",
});
