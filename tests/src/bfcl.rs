//! Function-calling cases, one JSON object per line, and broken variants of their calls.
//!
//! The format is `{id, question, tools: [{name, description, input_schema}], calls: [{name,
//! arguments}]}`, to which the Berkeley Function-Calling Leaderboard's cases are converted. The
//! expected position of each error is computed from the schema here, by code that shares nothing
//! with the library's validator.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// One case: the available tools and the right calls.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// The case's name, for messages.
    pub id: String,
    /// The user's question.
    pub question: String,
    /// The available tools.
    pub tools: Vec<Tool>,
    /// The right calls, in order.
    pub calls: Vec<Call>,
}

/// A function that a model may call.
#[derive(Debug, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The tool's description.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A right call.
#[derive(Debug, Deserialize)]
pub struct Call {
    /// The function.
    pub name: String,
    /// Its arguments, as JSON text.
    pub arguments: Box<RawValue>,
}

/// Finds the files of cases beside a checkout of the project, if they exist.
#[must_use]
pub fn files_beside_the_project() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/bfcl");
    let files = ["simple_python.jsonl", "parallel_multiple.jsonl"].map(|name| folder.join(name));
    files.iter().all(|file| file.is_file()).then(|| files.into())
}

/// Finds the files of long conversations beside a checkout of the project, if they exist.
#[must_use]
pub fn conversations_beside_the_project() -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/memory");
    let files = ["customer.json", "healthcare.json"].map(|name| folder.join(name));
    files.iter().all(|file| file.is_file()).then(|| files.into())
}

/// Reads the cases of one file.
///
/// # Errors
/// The file cannot be read, or a line is not a case; the error names the line.
pub fn read(file: &Path) -> Result<Vec<Case>, String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let parse = |(index, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}:{}: {error}", file.display(), index + 1))
    };
    text.lines().enumerate().map(parse).collect()
}

impl Case {
    /// Finds the tool that a call names.
    #[must_use]
    pub fn tool_of(&self, call: &Call) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == call.name)
    }
}

/// A call that must be rejected.
#[derive(Debug)]
pub struct InvalidCall {
    /// The change, for messages.
    pub how: String,
    /// The arguments' text.
    pub text: String,
    /// The position to which the error must point.
    pub at: ErrorPosition,
}

/// The position of an error.
#[derive(Debug, PartialEq, Eq)]
pub enum ErrorPosition {
    /// At this JSON Pointer.
    Pointer(String),
    /// After this many bytes: the text ends too early.
    Byte(usize),
}

/// Makes all broken variants of a right call: each required field removed, each field renamed, one
/// field added, and each value replaced by every wrong type, at every level; and the text cut at
/// ten positions.
#[must_use]
pub fn invalid_calls(schema: &Value, arguments: &RawValue) -> Vec<InvalidCall> {
    let whole: Value = serde_json::from_str(arguments.get()).unwrap_or(Value::Null);
    let mut found = Vec::new();
    walk(schema, &whole, &mut Vec::new(), &mut |schema, value, path| {
        for (how, replaced, at) in broken_object(schema, value, path) {
            found.push(InvalidCall {
                how,
                text: replace(&whole, path, replaced).to_string(),
                at: ErrorPosition::Pointer(at),
            });
        }
        // In place of all arguments, `null` means none, and is no wrong type.
        let is_empty_call = |wrong: &Value| path.is_empty() && wrong.is_null();
        for wrong in wrong_types(schema).into_iter().filter(|wrong| !is_empty_call(wrong)) {
            found.push(InvalidCall {
                how: format!("{} for {}", type_of(&wrong), schema["type"]),
                text: replace(&whole, path, Some(wrong)).to_string(),
                at: ErrorPosition::Pointer(pointer(path)),
            });
        }
    });
    found.extend(cuts(arguments.get()));
    found
}

/// A call with a lossless slip, and the value that its tool must get.
#[derive(Debug)]
pub struct CoercibleCall {
    /// The arguments' text, with the slip.
    pub text: String,
    /// The pointer of the slip.
    pub pointer: String,
    /// The JSON type that was sent.
    pub from: &'static str,
    /// The JSON type that the schema requires.
    pub to: &'static str,
    /// The value that the tool must get.
    pub coerced: Value,
}

/// Makes every lossless slip of a right call: a value's JSON text as a string, where the schema
/// requires that value's type.
#[must_use]
pub fn coercible_calls(schema: &Value, arguments: &RawValue) -> Vec<CoercibleCall> {
    let whole: Value = serde_json::from_str(arguments.get()).unwrap_or(Value::Null);
    let mut found = Vec::new();
    walk(schema, &whole, &mut Vec::new(), &mut |schema, value, path| {
        let Some(to) = schema["type"].as_str().and_then(coercible) else { return };
        if path.is_empty() {
            return;
        }
        // An integer is a number too; the coercion names the type in the schema.
        found.push(CoercibleCall {
            text: replace(&whole, path, Some(Value::String(value.to_string()))).to_string(),
            pointer: pointer(path),
            from: "string",
            to,
            coerced: whole.clone(),
        });
    });
    found
}

/// Makes calls with slips that lose data or need a guess: they must be rejected even with coercion
/// on.
#[must_use]
pub fn lossy(schema: &Value, arguments: &RawValue) -> Vec<InvalidCall> {
    let whole: Value = serde_json::from_str(arguments.get()).unwrap_or(Value::Null);
    let mut found = Vec::new();
    walk(schema, &whole, &mut Vec::new(), &mut |schema, value, path| {
        if path.is_empty() {
            return;
        }
        for wrong in guesses(schema, value) {
            found.push(InvalidCall {
                how: format!("{wrong} for {}", schema["type"]),
                text: replace(&whole, path, Some(wrong)).to_string(),
                at: ErrorPosition::Pointer(pointer(path)),
            });
        }
    });
    found
}

fn coercible(kind: &str) -> Option<&'static str> {
    ["integer", "number", "boolean", "array", "object"].into_iter().find(|known| *known == kind)
}

fn guesses(schema: &Value, value: &Value) -> Vec<Value> {
    match schema["type"].as_str() {
        Some("integer" | "number") => vec![
            json!("five"),
            json!(format!(" {value}")),
            json!(format!("{value} ")),
            json!(format!("{value}€")),
            json!(format!("+{value}")),
            json!(""),
            json!(true),
            json!([value]),
        ],
        Some("boolean") => vec![json!("yes"), json!("True"), json!(1), json!(0), json!("")],
        Some("string") => vec![json!(true), json!([value]), json!({ "value": value })],
        Some("array") => vec![json!("a, b"), json!("[1, 2"), json!({ "0": value }), json!("")],
        Some("object") => vec![json!("{"), json!("key=value"), json!([value])],
        _ => Vec::new(),
    }
}

type PathSegment = String;

/// Visits every value that the schema describes, from the root down.
fn walk(
    schema: &Value,
    value: &Value,
    path: &mut Vec<PathSegment>,
    visit: &mut impl FnMut(&Value, &Value, &[PathSegment]),
) {
    visit(schema, value, path);
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let inner = &schema["properties"][name];
                if inner.is_object() {
                    path.push(name.clone());
                    walk(inner, field, path, visit);
                    path.pop();
                }
            }
        }
        Value::Array(items) if schema["items"].is_object() => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                walk(&schema["items"], item, path, visit);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns objects with one field removed, renamed or added, and the position of the error.
fn broken_object(
    schema: &Value,
    value: &Value,
    path: &[PathSegment],
) -> Vec<(String, Option<Value>, String)> {
    let (Value::Object(fields), true) = (value, schema["properties"].is_object()) else {
        return Vec::new();
    };
    let at = |name: &str| format!("{}/{}", pointer(path), escape(name));
    let with = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut changed = fields.clone();
        change(&mut changed);
        Some(Value::Object(changed))
    };
    let mut found = Vec::new();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| fields.contains_key(*name)) {
        found.push((
            format!("{name} removed"),
            with(&|fields| drop(fields.remove(name))),
            at(name),
        ));
    }
    if schema["additionalProperties"] != Value::Bool(false) {
        return found;
    }
    for name in fields.keys() {
        let renamed = format!("{name}_renamed");
        let change = |fields: &mut Map<String, Value>| {
            let field = fields.remove(name).unwrap_or(Value::Null);
            fields.insert(renamed.clone(), field);
        };
        found.push((format!("{name} renamed"), with(&change), at(&renamed)));
    }
    let extra = "one_field_too_many";
    let change = |fields: &mut Map<String, Value>| drop(fields.insert(extra.to_owned(), json!(1)));
    found.push(("one extra".to_owned(), with(&change), at(extra)));
    found
}

/// Returns one value of every JSON type that the schema's `type` does not name.
fn wrong_types(schema: &Value) -> Vec<Value> {
    let Some(wanted) = schema["type"].as_str() else { return Vec::new() };
    let samples =
        [json!("wrong"), json!(7), json!(7.5), json!(true), json!(null), json!([]), json!({})];
    let admits = |sample: &Value| match type_of(sample) {
        "integer" => wanted == "integer" || wanted == "number",
        kind => kind == wanted,
    };
    samples.into_iter().filter(|sample| !admits(sample)).collect()
}

/// Cuts the text at ten evenly spread positions, and not before its first byte: an empty text means
/// no arguments.
fn cuts(text: &str) -> Vec<InvalidCall> {
    let mut places: Vec<usize> = (1..=10).map(|part| part * text.len() / 11).collect();
    places.retain(|place| *place > 0 && text.is_char_boundary(*place));
    places.dedup();
    let cut = |place: usize| InvalidCall {
        how: format!("cut after {place} bytes"),
        text: text[..place].to_owned(),
        at: ErrorPosition::Byte(place),
    };
    places.into_iter().map(cut).collect()
}

/// Returns the JSON type of a value, with `integer` for integral numbers.
#[must_use]
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn replace(whole: &Value, path: &[PathSegment], with: Option<Value>) -> Value {
    let mut changed = whole.clone();
    if let (Some(place), Some(with)) = (changed.pointer_mut(&pointer(path)), with) {
        *place = with;
    }
    changed
}

fn pointer(path: &[PathSegment]) -> String {
    path.iter().flat_map(|step| ["/".to_owned(), escape(step)]).collect()
}

fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}
