//! A tool as one dialect declares it.

use serde_json::{Map, Value};

/// One tool, converted to a dialect.
#[derive(Debug, Clone)]
pub(in crate::adapters) struct DeclaredTool {
    /// The declared name.
    pub(in crate::adapters) name: String,
    pub(in crate::adapters) description: String,
    pub(in crate::adapters) schema: Map<String, Value>,
    /// True if the provider enforces the schema.
    pub(in crate::adapters) strict: bool,
}
