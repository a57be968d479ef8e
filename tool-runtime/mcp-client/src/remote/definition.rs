//! The definition of a tool as its server lists it, and the parts of it that a lock pins.

use serde_json::{Map, Value, json};
use tool_runtime_schema::canonical::Digest;
use tool_runtime_schema::json::normalized;

/// The domain of the hashes of definitions.
const DOMAIN: &str = "tool-runtime/mcp-tool/v1";

/// The hints of the protocol. Others do not count.
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// The definition of a tool as its server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolDefinition {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) input: Map<String, Value>,
    pub(super) output: Option<Map<String, Value>>,
    /// The server's claims, which decide nothing.
    pub(super) annotations: Option<Value>,
    /// True if the server lists another tool of the same name.
    pub(super) is_repeated: bool,
}

/// A listed tool that is not one of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MalformedTool {
    pub(super) name: String,
    pub(super) reason: &'static str,
}

/// The most characters of the name of a tool that cannot be used.
const MAX_NAME: usize = 200;

impl MalformedTool {
    pub(super) fn new(name: &str, reason: &'static str) -> Self {
        Self { name: name.chars().take(MAX_NAME).collect(), reason }
    }
}

impl ToolDefinition {
    /// Reads an entry of a list of tools.
    pub(super) fn parse(listed: &Value) -> Result<Self, MalformedTool> {
        let Some(name) = listed["name"].as_str() else {
            return Err(MalformedTool::new("", "it has no name"));
        };
        let malformed = |reason| MalformedTool::new(name, reason);
        let text = |key: &str| match &listed[key] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(malformed("its title and its description are not texts")),
        };
        let Value::Object(input) = &listed["inputSchema"] else {
            return Err(malformed("its `inputSchema` is not an object"));
        };
        let output = match &listed["outputSchema"] {
            Value::Null => None,
            Value::Object(schema) => Some(schema.clone()),
            _ => return Err(malformed("its `outputSchema` is not an object")),
        };
        Ok(Self {
            title: text("title")?,
            description: text("description")?,
            input: input.clone(),
            output,
            annotations: annotations(&listed["annotations"]),
            is_repeated: false,
            name: name.to_owned(),
        })
    }

    /// Returns the parts that a lock pins, by their names in the protocol.
    pub(super) fn pinned(&self) -> Value {
        let mut pinned = Map::new();
        let mut pin = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                pinned.insert(key.to_owned(), value);
            }
        };
        pin("annotations", self.annotations.clone());
        pin("description", self.description.as_ref().map(|text| json!(text)));
        pin("inputSchema", Some(Value::Object(self.input.clone())));
        pin("outputSchema", self.output.clone().map(Value::Object));
        pin("title", self.title.as_ref().map(|text| json!(text)));
        normalized(Value::Object(pinned))
    }

    /// Returns the size of the definition as JSON, in bytes.
    pub(super) fn size(&self) -> usize {
        self.pinned().to_string().len().saturating_add(self.name.len())
    }
}

/// Hashes the pinned parts of a definition, in the order of their names.
///
/// The text is not the canonical one of RFC 8785, which has no form for the integers of schemas
/// beyond 2^53, such as the maximum of a `u64`.
pub(super) fn digest_of(pinned: &Value) -> Digest {
    Digest::compute(DOMAIN, normalized(pinned.clone()).to_string().as_bytes())
}

fn annotations(listed: &Value) -> Option<Value> {
    let fields = listed.as_object()?;
    let mut known_fields = Map::new();
    if let Some(title @ Value::String(_)) = fields.get("title") {
        known_fields.insert("title".to_owned(), title.clone());
    }
    for hint in HINTS {
        if let Some(claim @ Value::Bool(_)) = fields.get(hint) {
            known_fields.insert(hint.to_owned(), claim.clone());
        }
    }
    (!known_fields.is_empty()).then_some(Value::Object(known_fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_covers_each_pinned_part_and_neither_order_nor_other_fields() {
        let listed = json!({
            "name": "add", "title": "Add", "description": "Adds.",
            "inputSchema": {"type": "object", "properties": {"a": {"maximum": u64::MAX}}},
            "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true},
        });
        let digest = |listed: &Value| digest_of(&ToolDefinition::parse(listed).unwrap().pinned());
        let first = digest(&listed);
        let mut more = listed.clone();
        more["_meta"] = json!({"x": 1});
        more["annotations"]["vendorHint"] = json!(true);
        more["icons"] = json!([]);
        assert_eq!(digest(&more), first);
        for part in ["title", "description", "inputSchema", "outputSchema", "annotations"] {
            let mut changed = listed.clone();
            changed[part] =
                if changed[part].is_string() { json!("x") } else { json!({"title": "x"}) };
            assert_ne!(digest(&changed), first, "{part}");
        }
    }

    #[test]
    fn a_listed_tool_that_is_malformed_is_named_with_the_reason() {
        for (listed, name) in [
            (json!({"inputSchema": {}}), ""),
            (json!({"name": "a"}), "a"),
            (json!({"name": "a", "inputSchema": true}), "a"),
            (json!({"name": "a", "inputSchema": {}, "outputSchema": []}), "a"),
            (json!({"name": "a", "inputSchema": {}, "description": 1}), "a"),
            (json!("a"), ""),
        ] {
            assert_eq!(ToolDefinition::parse(&listed).unwrap_err().name, name, "{listed}");
        }
    }
}
