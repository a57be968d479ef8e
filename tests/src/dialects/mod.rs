//! Round trips of tools and calls through every dialect.
//!
//! A model's call is written from the declaration alone, by code that shares nothing with the
//! library's, and is validated with another JSON Schema validator.

pub mod disclosure;
pub mod patterns;
pub mod random_schemas;
pub mod samples;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use tool_runtime::Limits;
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::schema::{Coerce, Validator};
use tool_runtime::testing::Instances;

use crate::bfcl::{Call, Case, Tool};
use crate::run::CallCounts;

/// The number of argument sets that are made for each tool.
const ARGUMENT_SETS: u64 = 4;

/// A tool as it is declared to a provider.
#[derive(Debug, Clone)]
pub struct DeclaredTool {
    /// The declared name.
    pub name: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// Counts of widened constraints, by dialect, keyword and consequence.
pub type WidenedCounts = BTreeMap<(&'static str, String, String), usize>;

/// Makes the contract of a case's tool.
///
/// # Errors
/// The tool has no valid contract.
pub fn spec(tool: &Tool) -> Result<ToolSpec, String> {
    ToolSpec::builder(&tool.name, Effect::Read)
        .description(&tool.description)
        .input_schema(tool.input_schema.clone())
        .build()
        .map_err(|error| format!("{}: {error}", tool.name))
}

/// Sends a case's tools and calls through a dialect and back, and counts each tool and each call.
///
/// # Errors
/// A tool has no valid contract.
pub fn round_trip(
    case: &Case,
    dialect: Dialect,
    counts: &mut CallCounts,
    widened: &mut WidenedCounts,
) -> Result<(), String> {
    let mut tools = Vec::new();
    let mut known = BTreeSet::new();
    for tool in case.tools.iter().filter(|tool| known.insert(&tool.name)) {
        tools.push((tool, spec(tool)?));
    }
    let adapter = Adapter::new(dialect, tools.iter().map(|(_, spec)| spec));
    for loss in adapter.report().losses() {
        let lost = (dialect.as_str(), loss.keyword().to_owned(), loss.consequence().to_owned());
        *widened.entry(lost).or_default() += 1;
    }
    let declared = declared(dialect, adapter.declarations());
    for (tool, _) in &tools {
        counts.count(
            round_trip_of_tool(&adapter, &declared, tool).map_err(|what| describe(case, &what)),
        );
    }
    for call in &case.calls {
        let result = round_trip_of_call(&adapter, &declared, case, call);
        counts.count(result.map_err(|what| describe(case, &what)));
    }
    Ok(())
}

fn describe(case: &Case, what: &str) -> String {
    format!("{}: {what}", case.id)
}

fn round_trip_of_tool(
    adapter: &Adapter,
    declared: &[DeclaredTool],
    tool: &Tool,
) -> Result<(), String> {
    let instances = Instances::for_schema(&tool.input_schema).map_err(|error| error.to_string())?;
    let named = (tool.name.as_str(), &tool.input_schema);
    (0..ARGUMENT_SETS)
        .try_for_each(|seed| round_trip_arguments(adapter, declared, named, &instances.valid(seed)))
}

fn round_trip_of_call(
    adapter: &Adapter,
    declared: &[DeclaredTool],
    case: &Case,
    call: &Call,
) -> Result<(), String> {
    let tool = case.tool_of(call).ok_or_else(|| format!("no `{}`", call.name))?;
    let arguments: Value =
        serde_json::from_str(call.arguments.get()).map_err(|error| error.to_string())?;
    round_trip_arguments(adapter, declared, (&tool.name, &tool.input_schema), &arguments)
}

/// Writes a call as a model would under its declaration, and reads it from the response.
///
/// A `null` that is a property's default may come back as its absence; nothing else may change.
///
/// # Errors
/// The declaration rejects the arguments, they come back changed, or the tool rejects the result.
pub fn round_trip_arguments(
    adapter: &Adapter,
    declared: &[DeclaredTool],
    (tool, schema): (&str, &Value),
    arguments: &Value,
) -> Result<(), String> {
    let (_, declaration) = declaration(adapter, declared, tool)?;
    let written = written(&declaration.schema, &declaration.schema, arguments);
    check_written(adapter, declared, (tool, schema), arguments, &written)
}

/// The declared name and the declaration of a tool.
fn declaration<'a, 'd>(
    adapter: &'a Adapter,
    declared: &'d [DeclaredTool],
    tool: &str,
) -> Result<(&'a str, &'d DeclaredTool), String> {
    let wire = adapter.wire_name(tool).ok_or_else(|| format!("{tool} has no name"))?;
    let mut named = declared.iter().filter(|declared| declared.name == wire);
    match (named.next(), named.next()) {
        (Some(declared), None) => Ok((wire, declared)),
        _ => Err(format!("{wire} is not declared exactly once")),
    }
}

/// Checks that the declaration accepts arguments as they were written, and reads them from the
/// response.
fn check_written(
    adapter: &Adapter,
    declared: &[DeclaredTool],
    (tool, schema): (&str, &Value),
    arguments: &Value,
    written: &Value,
) -> Result<(), String> {
    let dialect = adapter.dialect();
    let (wire, declared) = declaration(adapter, declared, tool)?;
    let validator = jsonschema::draft202012::new(&declared.schema)
        .map_err(|error| format!("{dialect}: {tool}: {error}"))?;
    if let Err(error) = validator.validate(written) {
        return Err(format!("{dialect}: {tool} does not take {written}: {error}"));
    }
    let response = response(dialect, &[(wire, &written.to_string())]).to_string();
    let turn = adapter.read(&response).map_err(|error| error.to_string())?;
    let requests: Vec<_> = turn.requests().collect();
    let [request] = requests.as_slice() else {
        return Err(format!("{dialect}: {} calls came back", requests.len()));
    };
    let back = request.arguments().get();
    let parsed = serde_json::from_str(back).map_err(|error| error.to_string())?;
    if request.name() != tool || !is_same(arguments, &parsed, &null_by_default(schema)) {
        return Err(format!(
            "{dialect}: {tool} {arguments} came back as {} {back}",
            request.name()
        ));
    }
    let own = Validator::compile(schema).map_err(|error| error.to_string())?;
    if !own.check(back, &Limits::new(), Coerce::Off).is_admitted() {
        return Err(format!("{dialect}: {tool} does not take {back} itself"));
    }
    Ok(())
}

/// The names of properties whose default is `null`.
fn null_by_default(schema: &Value) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let defaults = properties.filter(|(_, schema)| schema.get("default") == Some(&Value::Null));
        names.extend(defaults.map(|(name, _)| name.as_str()));
        match schema {
            Value::Object(keywords) => open.extend(keywords.values()),
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    names
}

/// Returns whether the values are equal, except that properties of these names may be absent
/// in place of `null`.
fn is_same(sent: &Value, back: &Value, null_by_default: &BTreeSet<&str>) -> bool {
    match (sent, back) {
        (Value::Object(sent), Value::Object(back)) => {
            let came_back = |(name, sent): (&String, &Value)| match back.get(name) {
                Some(back) => is_same(sent, back, null_by_default),
                None => sent.is_null() && null_by_default.contains(name.as_str()),
            };
            sent.iter().all(came_back) && back.keys().all(|name| sent.contains_key(name))
        }
        (Value::Array(sent), Value::Array(back)) => {
            sent.len() == back.len()
                && sent.iter().zip(back).all(|(sent, back)| is_same(sent, back, null_by_default))
        }
        _ => sent == back,
    }
}

/// Lists the tools of an adapter's declarations.
///
/// # Panics
/// The dialect is new, and has no arm here.
#[must_use]
pub fn declared(dialect: Dialect, declarations: &Value) -> Vec<DeclaredTool> {
    let (tools, inside, schema) = match dialect {
        Dialect::OpenAiChat | Dialect::Ollama => (declarations, "/function", "/parameters"),
        Dialect::OpenAiResponses => (declarations, "", "/parameters"),
        Dialect::Gemini => (&declarations[0]["functionDeclarations"], "", "/parametersJsonSchema"),
        Dialect::BedrockConverse => (&declarations["tools"], "/toolSpec", "/inputSchema/json"),
        Dialect::Anthropic => (declarations, "", "/input_schema"),
        unknown => panic!("the declarations of {unknown:?} are not described here"),
    };
    let nothing = json!({ "type": "object", "additionalProperties": false });
    let one = |tool: &Value| {
        let tool = tool.pointer(inside)?;
        let name = tool["name"].as_str()?.to_owned();
        Some(DeclaredTool { name, schema: tool.pointer(schema).unwrap_or(&nothing).clone() })
    };
    tools.as_array().into_iter().flatten().filter_map(one).collect()
}

/// Returns the arguments as a model writes them under a strict declaration: absent required
/// properties are `null`.
#[must_use]
pub fn written(root: &Value, schema: &Value, value: &Value) -> Value {
    let matching_parts = matching_parts(root, schema, value);
    match value {
        Value::Object(fields) => {
            let mut all = Map::new();
            for (name, field) in fields {
                let inner =
                    matching_parts.iter().find_map(|schema| declared_property(schema, name));
                let (name, schema) = inner.unwrap_or((name, &Value::Null));
                all.insert(name.to_owned(), written(root, schema, field));
            }
            let required = matching_parts.iter().filter_map(|schema| schema["required"].as_array());
            for name in required.flatten().filter_map(Value::as_str) {
                all.entry(name).or_insert(Value::Null);
            }
            Value::Object(all)
        }
        Value::Array(items) => {
            let inner = matching_parts.iter().find_map(|schema| schema.get("items"));
            let item = |item| inner.map_or_else(|| Value::clone(item), |s| written(root, s, item));
            Value::Array(items.iter().map(item).collect())
        }
        other => other.clone(),
    }
}

/// Returns a property's declared name: the same, or one that begins like it.
fn declared_property<'s>(schema: &'s Value, name: &str) -> Option<(&'s str, &'s Value)> {
    let properties = schema["properties"].as_object()?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let stem: String = name.chars().map(plain).collect();
    let found = properties.get_key_value(name).or_else(|| {
        let marked = |wire: &String| wire.len() == stem.len() + 9 && wire.starts_with(&stem);
        properties.iter().find(|(wire, _)| marked(wire))
    });
    found.map(|(name, schema)| (name.as_str(), schema))
}

/// Returns the parts of a schema for a value; of a choice, the first branch that admits it.
fn matching_parts<'s>(root: &'s Value, schema: &'s Value, value: &Value) -> Vec<&'s Value> {
    let mut found = vec![schema];
    if let Some(target) = target(root, schema) {
        found.extend(matching_parts(root, target, value));
    }
    let takes = |branch: &&Value| is_valid(root, branch, &written(root, branch, value));
    for word in ["anyOf", "oneOf"] {
        let branches = schema.get(word).and_then(Value::as_array).into_iter().flatten();
        if let Some(branch) = branches.into_iter().find(takes) {
            found.extend(matching_parts(root, branch, value));
        }
    }
    found
}

/// Returns whether a part of a declaration accepts a value.
fn is_valid(root: &Value, part: &Value, value: &Value) -> bool {
    let mut alone = part.clone();
    if let (Some(alone), Some(named)) = (alone.as_object_mut(), root.get("$defs")) {
        alone.insert("$defs".to_owned(), named.clone());
    }
    jsonschema::draft202012::new(&alone).is_ok_and(|alone| alone.is_valid(value))
}

fn target<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// Makes a response with calls of tools, each given by name and arguments.
///
/// # Panics
/// The dialect sends arguments as JSON, and these are not JSON; or the dialect is new, and has no arm here.
#[must_use]
pub fn response(dialect: Dialect, calls: &[(&str, &str)]) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).expect("the arguments are JSON");
    let numbered = calls.iter().enumerate();
    match dialect {
        Dialect::OpenAiChat => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                json!({"id": format!("call_{at}"), "type": "function",
                       "function": {"name": name, "arguments": arguments}})
            };
            let calls: Vec<_> = numbered.map(call).collect();
            json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "any",
                   "choices": [{"index": 0, "finish_reason": "tool_calls", "logprobs": null,
                   "message": {"role": "assistant", "content": null, "refusal": null,
                               "tool_calls": calls}}]})
        }
        Dialect::OpenAiResponses => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                json!({"type": "function_call", "id": format!("fc_{at}"), "status": "completed",
                       "call_id": format!("call_{at}"), "name": name, "arguments": arguments})
            };
            json!({"id": "resp_1", "object": "response", "status": "completed",
                   "output": numbered.map(call).collect::<Vec<_>>()})
        }
        Dialect::Gemini => {
            let call = |(_, (name, arguments)): (usize, &(&str, &str))| json!({"functionCall": {"name": name, "args": parsed(arguments)}});
            let parts: Vec<_> = numbered.map(call).collect();
            json!({"candidates": [{"index": 0, "finishReason": "STOP",
                   "content": {"role": "model", "parts": parts}}]})
        }
        Dialect::BedrockConverse => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                json!({"toolUse": {"toolUseId": format!("tooluse_{at}"), "name": name,
                       "input": parsed(arguments)}})
            };
            let content: Vec<_> = numbered.map(call).collect();
            json!({"stopReason": "tool_use",
                   "output": {"message": {"role": "assistant", "content": content}}})
        }
        Dialect::Ollama => {
            let call = |(_, (name, arguments)): (usize, &(&str, &str))| json!({"function": {"name": name, "arguments": parsed(arguments)}});
            let calls: Vec<_> = numbered.map(call).collect();
            json!({"model": "any", "done": true, "done_reason": "stop",
                   "message": {"role": "assistant", "content": "", "tool_calls": calls}})
        }
        Dialect::Anthropic => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                json!({"type": "tool_use", "id": format!("toolu_{at}"), "name": name,
                       "input": parsed(arguments)})
            };
            json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "any",
                   "stop_reason": "tool_use", "content": numbered.map(call).collect::<Vec<_>>()})
        }
        unknown => panic!("the responses of {unknown:?} are not described here"),
    }
}
