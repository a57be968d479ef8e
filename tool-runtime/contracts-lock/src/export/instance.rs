//! Generates a small valid call from a tool's schema.

use serde_json::{Map, Value, json};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::normalized;
use tool_runtime_schema::schema::{Coerce, Validator, reference};

use super::contract::Contract;

/// The deepest nesting of a generated instance.
const DEEPEST: usize = 8;

/// Generates arguments with only the required properties; `None` if the schema has rules that
/// generation does not support.
pub(super) fn arguments(tool: &Contract) -> Option<String> {
    let schema = tool.input();
    let made = InstanceGenerator { root: &schema }.make(&schema, DEEPEST)?;
    let text = format!("{:#}", normalized(made));
    let report = Validator::compile(&schema).ok()?.check(&text, &Limits::new(), Coerce::Off);
    report.is_admitted().then_some(text)
}

struct InstanceGenerator<'s> {
    root: &'s Value,
}

impl InstanceGenerator<'_> {
    fn make(&self, schema: &Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let Value::Object(keywords) = schema else { return (*schema == true).then_some(json!({})) };
        let example = ["examples", "enum"].iter().find_map(|word| keywords.get(*word)?.get(0));
        if let Some(given) = keywords.get("const").or(keywords.get("default")).or(example) {
            return Some(given.clone());
        }
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            let target = self.root.pointer(&reference::pointer(reference)?)?;
            return self.make(target, depth);
        }
        for word in ["oneOf", "anyOf"] {
            if let Some(Value::Array(branches)) = keywords.get(word) {
                return branches.iter().find_map(|branch| self.make(branch, depth));
            }
        }
        let kind = match keywords.get("type")? {
            Value::Array(kinds) => kinds.first()?.as_str()?,
            kind => kind.as_str()?,
        };
        self.make_kind(kind, keywords, depth)
    }

    fn make_kind(&self, kind: &str, keywords: &Map<String, Value>, depth: usize) -> Option<Value> {
        Some(match kind {
            "object" => self.object(keywords, depth)?,
            "array" => self.array(keywords, depth)?,
            "string" => text(keywords).into(),
            "integer" | "number" => keywords.get("minimum").cloned().unwrap_or_else(|| json!(1)),
            "boolean" => json!(true),
            _ => Value::Null,
        })
    }

    fn object(&self, keywords: &Map<String, Value>, depth: usize) -> Option<Value> {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let make = |name: &str| {
            let made = self.make(properties?.get(name)?, depth)?;
            Some((name.to_owned(), made))
        };
        required.map(|name| make(name.as_str()?)).collect::<Option<Map<_, _>>>().map(Value::Object)
    }

    fn array(&self, keywords: &Map<String, Value>, depth: usize) -> Option<Value> {
        let count = keywords.get("minItems").and_then(Value::as_u64).unwrap_or(1).min(3);
        let item = || self.make(keywords.get("items")?, depth);
        (0..count).map(|_| item()).collect::<Option<Vec<_>>>().map(Value::Array)
    }
}

fn text(keywords: &Map<String, Value>) -> String {
    let sample = match keywords.get("format").and_then(Value::as_str) {
        Some("uuid") => "018f3b2c-7d1e-7000-8000-000000000000",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("email") => "jane@example.com",
        Some("uri") => "https://example.com/",
        _ => "text",
    };
    let least = keywords.get("minLength").and_then(Value::as_u64).unwrap_or(0);
    let max = keywords.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
    let update = usize::try_from(least.min(64)).unwrap_or(0).saturating_sub(sample.len());
    let filled = format!("{sample}{}", "t".repeat(update));
    filled.chars().take(usize::try_from(max).unwrap_or(usize::MAX)).collect()
}
