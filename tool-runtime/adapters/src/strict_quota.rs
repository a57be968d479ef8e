//! Limits on all strict tools of one request together.

use serde_json::{Map, Value};

/// The remaining quota for the strict tools of one request.
///
/// Anthropic rejects a request beyond its limits, so further tools are not declared strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StrictQuota {
    pub(super) tools: usize,
    /// Properties that are not required.
    pub(super) optional: usize,
    /// Schemas with `anyOf` or several types.
    pub(super) unions: usize,
}

impl StrictQuota {
    /// Takes what a tool needs.
    ///
    /// # Errors
    /// Returns the reason if too little is left; nothing is taken then.
    pub(super) fn take(&mut self, schema: &Map<String, Value>) -> Result<(), &'static str> {
        let mut needed = SchemaCounts::default();
        needed.add(schema);
        let tools = self.tools.checked_sub(1).ok_or("too many strict tools in one request")?;
        let optional = self
            .optional
            .checked_sub(needed.optional)
            .ok_or("too many optional properties in all strict tools of one request")?;
        let unions = self
            .unions
            .checked_sub(needed.unions)
            .ok_or("too many properties of several types in all strict tools of one request")?;
        *self = Self { tools, optional, unions };
        Ok(())
    }
}

#[derive(Default)]
struct SchemaCounts {
    optional: usize,
    unions: usize,
}

impl SchemaCounts {
    fn add(&mut self, keywords: &Map<String, Value>) {
        let several_types = keywords.get("type").is_some_and(Value::is_array);
        self.unions += usize::from(several_types || keywords.contains_key("anyOf"));
        let required = keywords.get("required").and_then(Value::as_array).map_or(0, Vec::len);
        let schema_maps =
            ["properties", "$defs"].map(|name| keywords.get(name).and_then(Value::as_object));
        let [properties, _] = schema_maps;
        self.optional += properties.map_or(0, Map::len).saturating_sub(required);
        let inner_schemas = schema_maps.into_iter().flatten().flat_map(Map::values);
        let branches = keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        for schema in inner_schemas.chain(branches).chain(keywords.get("items")) {
            if let Some(keywords) = schema.as_object() {
                self.add(keywords);
            }
        }
    }
}
