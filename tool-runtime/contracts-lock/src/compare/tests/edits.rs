//! Generates edits of schemas, mostly small ones.

use serde_json::{Map, Value, json};
use tool_runtime_schema::schema::reference::escaped;

use super::Tape;
use super::instances::anything;
use super::schemas::{NAMES, TYPES, choice, extra, limited, names, schema, untyped};

/// Keywords whose value is a schema of another value.
const BELOW: [&str; 5] =
    ["items", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames"];

/// Changes a document at one location, usually by little.
pub(super) fn edit(document: &mut Value, tape: &mut Tape<'_>) {
    let mut places = Vec::new();
    collect(document, String::new(), true, &mut places);
    let (pointer, refers) = tape.one(&places);
    let place = document.pointer_mut(&pointer).expect("a place of the document");
    let whole = place.clone();
    match tape.pick(12) {
        0 => *place = keeping(&whole, schema(tape, 1, refers)),
        1 => *place = keeping(&whole, json!({"anyOf": [null_compared(&whole), {"type": "null"}]})),
        2 => *place = keeping(&whole, json!({"allOf": [null_compared(&whole)]})),
        3 => {
            *place =
                keeping(&whole, json!({"oneOf": [null_compared(&whole), schema(tape, 1, refers)]}));
        }
        4 => {
            *place =
                keeping(&whole, json!({"anyOf": [schema(tape, 1, refers), null_compared(&whole)]}));
        }
        _ => {
            if let Value::Object(map) = place {
                keyword(map, tape, refers);
            }
        }
    }
}

/// Adds an annotation to a schema of a document, and returns its pointer.
pub(super) fn tell(document: &mut Value, tape: &mut Tape<'_>) -> String {
    let mut places = Vec::new();
    collect(document, String::new(), true, &mut places);
    let (pointer, _) = tape.one(&places);
    let place = document.pointer_mut(&pointer).expect("a place of the document");
    let word = tape.one(&["title", "description", "examples", "$comment", "deprecated", "x-order"]);
    place[word] = "told".into();
    pointer
}

/// A schema without the definitions that only the root has.
fn null_compared(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        map.remove("$defs");
    }
    schema
}

fn keeping(old: &Value, new: Value) -> Value {
    let Some(definitions) = old.get("$defs") else { return new };
    match new {
        Value::Object(mut map) => {
            map.insert("$defs".to_owned(), definitions.clone());
            map.into()
        }
        other => json!({"allOf": [other], "$defs": definitions}),
    }
}

fn keyword(map: &mut Map<String, Value>, tape: &mut Tape<'_>, refers: bool) {
    let words: Vec<_> = map.keys().filter(|word| *word != "$defs").cloned().collect();
    if words.is_empty() || tape.chance(3) {
        match tape.pick(4) {
            0 => untyped(tape, map),
            1 => extra(tape, map, "other", 1),
            2 => extra(tape, map, "additionalProperties", 1),
            _ => choice(tape, map, 1, refers),
        }
        return;
    }
    let word = tape.one(&words);
    if tape.chance(4) && word != "contains" {
        map.remove(&word);
        return;
    }
    changed(map, &word, tape, refers);
}

fn changed(map: &mut Map<String, Value>, word: &str, tape: &mut Tape<'_>, refers: bool) {
    match map.get_mut(word) {
        Some(Value::Number(_)) => limited(tape, map, word),
        Some(Value::String(text)) if word == "type" => {
            let listed = json!([text.as_str(), tape.one(&TYPES)]);
            let single = if text == "integer" { "number".into() } else { tape.one(&TYPES).into() };
            let same = listed[0] == listed[1];
            map["type"] = if same || tape.chance(2) { single } else { listed };
        }
        Some(Value::Array(list)) if matches!(word, "anyOf" | "oneOf" | "allOf") => {
            match tape.pick(3) {
                0 => list.push(schema(tape, 1, refers)),
                1 if list.len() > 1 => _ = list.remove(tape.pick(list.len())),
                _ => list.reverse(),
            }
            if tape.chance(3) && word != "allOf" {
                let list = map.remove(word).expect("the list");
                map.insert(if word == "anyOf" { "oneOf" } else { "anyOf" }.to_owned(), list);
            }
        }
        Some(Value::Array(list)) if word == "enum" => {
            let value = anything(tape, 1);
            if list.len() > 1 && tape.chance(2) {
                list.remove(0);
            } else if !list.contains(&value) {
                list.push(value);
            }
        }
        Some(Value::Array(_)) if word == "required" => map["required"] = names(tape).into(),
        Some(Value::Object(properties)) if word == "properties" => {
            let name = tape.one(&NAMES);
            if properties.remove(name).is_none() || tape.chance(2) {
                properties.insert(name.to_owned(), schema(tape, 1, true));
            }
        }
        Some(Value::Bool(flag)) if word != "additionalProperties" => *flag = !*flag,
        Some(Value::Bool(_)) => extra(tape, map, word, 1),
        _ => {}
    }
}

/// Lists all schemas of a document, and whether they may reference a definition.
fn collect(schema: &Value, at: String, refers: bool, found: &mut Vec<(String, bool)>) {
    let Value::Object(map) = schema else { return };
    for (word, value) in map {
        let below = format!("{at}/{word}");
        match (word.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "dependentSchemas",
                Value::Object(named),
            ) => {
                let refers = match word.as_str() {
                    "$defs" => false,
                    "dependentSchemas" => refers,
                    _ => true,
                };
                for (name, value) in named {
                    collect(value, format!("{below}/{}", escaped(name)), refers, found);
                }
            }
            ("prefixItems", Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    collect(value, format!("{below}/{index}"), true, found);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    collect(value, format!("{below}/{index}"), refers, found);
                }
            }
            ("not" | "if" | "then" | "else", _) => collect(value, below, refers, found),
            (word, _) if BELOW.contains(&word) => collect(value, below, true, found),
            _ => {}
        }
    }
    found.push((at, refers));
}
