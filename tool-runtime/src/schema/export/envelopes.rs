//! The contract's envelopes with a tool's own types in place.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tool_contracts::schemas;
use tool_contracts::{Effect, ErrorCode, ToolErrorType};

use super::contract::Contract;
use super::dialect::{modern, nested};
use super::subschemas::each;

/// What a caller reads for a secret that it sent.
const MASK: &str = "***";

/// What stands in `meta` where a success echoes or returns something else than the types say.
const MENDED: &str = "coercions";
const REHEARSED: &str = "dry_run";

/// The contract's own schemas, which admit any input and any data.
pub(super) struct Envelopes(BTreeMap<&'static str, Value>);

impl Envelopes {
    /// Makes them once, since they are large.
    pub(super) fn new() -> Self {
        let all = schemas::all().into_iter();
        Self(all.map(|(file, schema)| (file, schema.to_value())).collect())
    }

    fn of(&self, file: &str) -> Envelope {
        Envelope(self.0.get(file).cloned().unwrap_or(Value::Bool(true)))
    }

    /// Which tool is asked for, with what.
    pub(super) fn tool_call_request(&self, tool: &Contract) -> Value {
        let mut envelope = self.of("tool_call_request.json");
        envelope.title(tool, "ToolCallRequest");
        envelope.set("/properties/name", "const", tool.name());
        envelope.place("/properties/arguments", "Input", modern(tool.input()));
        envelope.0
    }

    /// What a call answers, told apart by `status`.
    pub(super) fn tool_output(&self, tool: &Contract) -> Value {
        let mut envelope = self.of("tool_output.json");
        envelope.title(tool, "ToolOutput");
        let result = "/$defs/ToolResult";
        let mended = json!({MENDED: {"type": "array", "minItems": 1}});
        envelope.define("Input", masked(modern(tool.input())));
        envelope.unless(result, "input", "Input", &mended);
        envelope.answer(result, tool);
        envelope.tie_codes(tool);
        envelope.0
    }

    /// What a call answers in the form that services share, told apart by `ok`.
    pub(super) fn response_envelope(&self, tool: &Contract) -> Value {
        let mut envelope = self.of("response_envelope.json");
        envelope.title(tool, "ResponseEnvelope");
        envelope.answer("/$defs/Success", tool);
        envelope.0
    }

    /// Returns a document of the contract that is the same for all tools.
    pub(super) fn shared(&self, name: &str) -> Value {
        self.of(name).0
    }
}

/// A schema of the contract in the making.
struct Envelope(Value);

impl Envelope {
    fn at(&mut self, pointer: &str) -> Option<&mut Map<String, Value>> {
        self.0.pointer_mut(pointer)?.as_object_mut()
    }

    fn set(&mut self, pointer: &str, keyword: &str, value: impl Into<Value>) {
        if let Some(keywords) = self.at(pointer) {
            keywords.insert(keyword.to_owned(), value.into());
        }
    }

    /// Names the tool, and drops the examples, which are of no tool.
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

    /// Puts a schema where a property admits anything.
    fn place(&mut self, pointer: &str, name: &str, schema: Value) {
        self.define(name, schema);
        self.set(pointer, "$ref", format!("#/$defs/{name}"));
    }

    /// Puts a definition where a property admits anything, unless `meta` says why it is not so.
    fn unless(&mut self, of: &str, property: &str, name: &str, excuse: &Value) {
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

    /// Puts the tool's answer in place. A write's dry run may show something else.
    fn answer(&mut self, of: &str, tool: &Contract) {
        let schema = modern(tool.output());
        if tool.spec.effect() == Effect::Read {
            return self.place(&format!("{of}/properties/data"), "Output", schema);
        }
        self.define("Output", schema);
        self.unless(of, "data", "Output", &json!({REHEARSED: {"const": true}}));
    }

    /// Ties each of the tool's own codes to its class, as the closed ones are to theirs; other codes
    /// stay admitted, since a runtime has its own.
    fn tie_codes(&mut self, tool: &Contract) {
        let tie = |(code, class): (&String, &ToolErrorType)| {
            json!({
                "if": {"required": ["code"], "properties": {"code": {"const": code}}},
                "then": {"properties": {"type": {"const": class}}},
            })
        };
        let is_own = |code: &str| code.parse::<ErrorCode>().is_err();
        let own = tool.codes.iter().filter(|(code, _)| is_own(code));
        let ties: Vec<_> = own.map(tie).collect();
        let rules = self.at("/$defs/ToolErrorDetail").and_then(|it| it.get_mut("allOf"));
        if let Some(Value::Array(rules)) = rules {
            rules.extend(ties);
        }
    }
}

/// Looks at values or at each other, so that a masked value may change the verdict.
const LOOKING: [&str; 10] = [
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

/// The schema of arguments as they are echoed: every secret is a mask.
fn masked(schema: Value) -> Value {
    let mut masked = schema.clone();
    let mut found = false;
    each(&mut masked, &mut |keywords| found |= mask(keywords));
    if !found {
        return schema;
    }
    each(&mut masked, &mut loosen);
    masked
}

fn mask(keywords: &mut Map<String, Value>) -> bool {
    let secret = is_secret(keywords);
    let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| keywords.get(*word));
    let branches = branches.filter_map(Value::as_array).flatten().filter_map(Value::as_object);
    let in_branch = branches.into_iter().any(is_secret);
    if secret || in_branch {
        keywords.retain(|word, _| matches!(word.as_str(), "description" | "title" | "$defs"));
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

fn loosen(keywords: &mut Map<String, Value>) {
    keywords.retain(|word, value| {
        let of_scalars = value.as_array().is_some_and(|all| !all.iter().any(is_compound));
        !LOOKING.contains(&word.as_str()) || (word == "enum" && of_scalars)
    });
    if let (Some(one), false) = (keywords.remove("oneOf"), keywords.contains_key("anyOf")) {
        keywords.insert("anyOf".to_owned(), one);
    }
}

fn is_compound(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
