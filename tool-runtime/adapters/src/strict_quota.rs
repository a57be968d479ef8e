//! Limits on all strict tools of one request together.

use serde_json::{Map, Value};
use tool_runtime_schema::schema::subschemas::subschemas;

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
        let properties = keywords.get("properties").and_then(Value::as_object);
        self.optional += properties.map_or(0, Map::len).saturating_sub(required);
        for (_, schema) in subschemas(keywords) {
            if let Value::Object(inner) = schema {
                self.add(inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn optional_properties_count_wherever_a_schema_may_be() {
        let inner = json!({"properties": {"a": {"type": "string"}}});
        for schema in [
            json!({"$defs": {"A": inner}}),
            json!({"definitions": {"A": inner}}),
            json!({"prefixItems": [inner]}),
            json!({"allOf": [inner]}),
            json!({"additionalProperties": inner}),
        ] {
            let mut quota = StrictQuota { tools: 9, optional: 1, unions: 0 };
            quota.take(schema.as_object().unwrap()).unwrap();
            assert_eq!(quota.optional, 0, "{schema}");
        }
    }
}
