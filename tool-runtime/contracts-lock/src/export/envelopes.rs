//! The contract's envelopes, specialized to a tool's own types.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tool_contracts::schemas;
use tool_contracts::{Effect, ErrorCode, ToolErrorType};
use tool_runtime_schema::schema::subschemas::{
    SchemaKeyword, SchemaRole, for_each_schema_mut, subschemas_with_role,
};

use super::contract::Contract;
use super::dialect::{nested, to_current_draft};

/// The envelopes of which each tool has a copy with its own types, by default.
const TYPED: [&str; 3] = ["tool_call_request.json", "tool_output.json", "response_envelope.json"];

/// The echo of a secret that the caller sent.
const MASK: &str = "***";

/// Fields of `meta` that are present if a success does not match the tool's types.
const COERCIONS: &str = "coercions";
const DRY_RUN: &str = "dry_run";

/// The contract's own schemas, which accept any input and any data.
pub(super) struct EnvelopeSchemas(BTreeMap<&'static str, Value>);

impl EnvelopeSchemas {
    /// Generates the schemas; create it once, because they are large.
    pub(super) fn new() -> Self {
        let contract_schemas = schemas::all().into_iter();
        Self(contract_schemas.map(|(file, schema)| (file, schema.to_value())).collect())
    }

    fn envelope(&self, file: &str) -> EnvelopeSchema {
        EnvelopeSchema(self.0.get(file).cloned().unwrap_or(Value::Bool(true)))
    }

    /// The request that calls the tool.
    pub(super) fn tool_call_request(&self, tool: &Contract) -> Value {
        let mut envelope = self.envelope("tool_call_request.json");
        envelope.title(tool, "ToolCallRequest");
        envelope.set("/properties/name", "const", tool.name());
        envelope.place("/properties/arguments", "Input", to_current_draft(tool.input()));
        envelope.0
    }

    /// The result of a call, discriminated by `status`.
    pub(super) fn tool_output(&self, tool: &Contract) -> Value {
        let mut envelope = self.envelope("tool_output.json");
        envelope.title(tool, "ToolOutput");
        let result = "/$defs/ToolResult";
        let mended = json!({COERCIONS: {"type": "array", "minItems": 1}});
        envelope.define("Input", masked(to_current_draft(tool.input())));
        envelope.define_unless(result, "input", "Input", &mended);
        envelope.answer(result, tool);
        envelope.restrict_code_classes(tool);
        envelope.0
    }

    /// The result of a call in the shared service envelope, discriminated by `ok`.
    pub(super) fn response_envelope(&self, tool: &Contract) -> Value {
        let mut envelope = self.envelope("response_envelope.json");
        envelope.title(tool, "ResponseEnvelope");
        envelope.answer("/$defs/Success", tool);
        envelope.0
    }

    /// Puts all envelopes into one document, as its definitions, which share the definitions of their parts.
    pub(super) fn together(&self) -> Value {
        let mut definitions = Map::new();
        let envelopes = TYPED.iter().chain(&super::SHARED);
        for (name, schema) in envelopes.map(|name| (name, self.shared(name))) {
            let Value::Object(mut schema) = schema else { continue };
            if let Some(Value::Object(parts)) = schema.remove("$defs") {
                for (part, schema) in parts {
                    definitions.entry(part).or_insert(schema);
                }
            }
            schema.remove("$schema");
            schema.remove("$id");
            let title = schema.get("title").and_then(Value::as_str).unwrap_or(name).to_owned();
            definitions.insert(title, Value::Object(schema));
        }
        json!({"title": "Envelopes", "$defs": definitions})
    }

    /// Returns a contract document that is the same for all tools.
    pub(super) fn shared(&self, name: &str) -> Value {
        self.envelope(name).0
    }
}

/// A contract schema under construction.
struct EnvelopeSchema(Value);

impl EnvelopeSchema {
    fn at(&mut self, pointer: &str) -> Option<&mut Map<String, Value>> {
        self.0.pointer_mut(pointer)?.as_object_mut()
    }

    fn set(&mut self, pointer: &str, keyword: &str, value: impl Into<Value>) {
        if let Some(keywords) = self.at(pointer) {
            keywords.insert(keyword.to_owned(), value.into());
        }
    }

    /// Sets the title, and removes the examples, which belong to no particular tool.
    fn title(&mut self, tool: &Contract, envelope: &str) {
        for pointer in ["", "/$defs/ToolResult", "/$defs/ToolError", "/$defs/Success"] {
            if let Some(keywords) = self.at(pointer) {
                keywords.remove("examples");
            }
        }
        self.set("", "title", format!("{envelope} of {}", tool.name()));
    }

    fn define(&mut self, name: &str, schema: Value) {
        if let Value::Object(root) = &mut self.0 {
            let definitions = root.entry("$defs").or_insert_with(|| json!({}));
            definitions[name] = nested(schema, name);
        }
    }

    /// Sets the schema of a property that accepts any value.
    fn place(&mut self, pointer: &str, name: &str, schema: Value) {
        self.define(name, schema);
        self.set(pointer, "$ref", format!("#/$defs/{name}"));
    }

    /// Sets the schema of a property that accepts any value, unless `meta` explains a deviation.
    fn define_unless(&mut self, of: &str, property: &str, name: &str, excuse: &Value) {
        let as_declared = json!({"properties": {property: {"$ref": format!("#/$defs/{name}")}}});
        let words: Vec<_> = excuse.as_object().into_iter().flat_map(Map::keys).collect();
        let meta = json!({"type": "object", "required": words, "properties": excuse});
        let excused = json!({"required": ["meta"], "properties": {"meta": meta}});
        if let Some(keywords) = self.at(of) {
            let rules = keywords.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(rules) = rules {
                rules.push(json!({"anyOf": [as_declared, excused]}));
            }
        }
    }

    /// Sets the schema of the tool's output. The dry run of a write may return something else.
    fn answer(&mut self, of: &str, tool: &Contract) {
        let schema = to_current_draft(tool.output());
        if tool.spec.effect() == Effect::Read {
            return self.place(&format!("{of}/properties/data"), "Output", schema);
        }
        self.define("Output", schema);
        self.define_unless(of, "data", "Output", &json!({DRY_RUN: {"const": true}}));
    }

    /// Ties each of the tool's own codes to its type, like the built-in ones. Other codes stay
    /// valid, because a runtime has its own codes.
    fn restrict_code_classes(&mut self, tool: &Contract) {
        let tie = |(code, error_type): (&String, &ToolErrorType)| {
            json!({
                "if": {"required": ["code"], "properties": {"code": {"const": code}}},
                "then": {"properties": {"type": {"const": error_type}}},
            })
        };
        let is_own = |code: &str| code.parse::<ErrorCode>().is_err();
        let own_codes = tool.codes.iter().filter(|(code, _)| is_own(code));
        let ties: Vec<_> = own_codes.map(tie).collect();
        let rules = self.at("/$defs/ToolErrorDetail").and_then(|it| it.get_mut("allOf"));
        if let Some(Value::Array(rules)) = rules {
            rules.extend(ties);
        }
    }
}

/// Keywords that inspect values, so that masking a value may change the result.
const INSPECTING_KEYWORDS: [&str; 10] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "enum",
    "unevaluatedProperties",
];

/// The schema of echoed arguments: every secret is masked.
fn masked(schema: Value) -> Value {
    let mut masked = schema.clone();
    let mut has_secret = false;
    for_each_schema_mut(&mut masked, &mut |keywords| has_secret |= mask(keywords));
    if !has_secret {
        return schema;
    }
    for_each_schema_mut(&mut masked, &mut remove_inspecting_keywords);
    masked
}

fn mask(keywords: &mut Map<String, Value>) -> bool {
    let secret = is_secret(keywords);
    let in_branch = subschemas_with_role(keywords, SchemaRole::InPlace)
        .any(|(_, branch)| branch.as_object().is_some_and(is_secret));
    if secret || in_branch {
        keywords.retain(|word, _| {
            SchemaKeyword::holds_definitions(word)
                || matches!(word.as_str(), "description" | "title")
        });
        keywords.insert("x-sensitivity".to_owned(), "secret".into());
    }
    if secret {
        keywords.insert("const".to_owned(), MASK.into());
    }
    secret || in_branch
}

fn is_secret(keywords: &Map<String, Value>) -> bool {
    keywords.get("x-sensitivity").and_then(Value::as_str) == Some("secret")
}

fn remove_inspecting_keywords(keywords: &mut Map<String, Value>) {
    keywords.retain(|word, value| {
        let of_scalars = value.as_array().is_some_and(|all| !all.iter().any(is_compound));
        !INSPECTING_KEYWORDS.contains(&word.as_str()) || (word == "enum" && of_scalars)
    });
    if let (Some(one), false) = (keywords.remove("oneOf"), keywords.contains_key("anyOf")) {
        keywords.insert("anyOf".to_owned(), one);
    }
}

fn is_compound(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
