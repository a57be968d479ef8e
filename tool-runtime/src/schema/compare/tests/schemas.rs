//! Schemas over all keywords, and edits of them.

use serde_json::{Map, Value, json};

use super::Tape;
use super::instances::anything;

const NAMES: [&str; 4] = ["a", "b", "c", "ab"];
const PATTERNS: [&str; 3] = ["^a", "b$", "^[ab]*$"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
/// The keywords whose value is a schema of another value.
const BELOW: [&str; 5] =
    ["items", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames"];

/// A document with two definitions.
pub(super) fn document(tape: &mut Tape<'_>) -> Value {
    let mut root = schema(tape, 3, true);
    let definitions = json!({"D": schema(tape, 2, false), "E": schema(tape, 2, false)});
    if let Value::Object(map) = &mut root {
        map.insert("$defs".to_owned(), definitions);
        return root;
    }
    json!({"allOf": [root], "$defs": definitions})
}

/// A schema; `refers` says whether it may refer to a definition without looking deeper.
pub(super) fn schema(tape: &mut Tape<'_>, depth: usize, refers: bool) -> Value {
    let mut map = Map::new();
    match tape.pick(if depth == 0 { 8 } else { 20 }) {
        0 | 1 => scalar(tape, &mut map),
        2 => return json!({"type": tape.one(&TYPES)}),
        3 => return json!({"type": [tape.one(&TYPES[1..]), "null"]}),
        4 => _ = map.insert("enum".to_owned(), values(tape)),
        5 => return json!({"const": anything(tape, 1)}),
        6 if refers => return json!({"$ref": reference(tape)}),
        6 => return Value::Bool(tape.pick(4) > 0),
        7 => untyped(tape, &mut map),
        8..=10 => object(tape, &mut map, depth - 1),
        11 => array(tape, &mut map, depth - 1),
        12 => tagged(tape, &mut map, depth - 1),
        13 => choice(tape, &mut map, depth - 1, refers),
        14 => return json!({"anyOf": [schema(tape, depth - 1, refers), {"type": "null"}]}),
        15 => units(tape, &mut map),
        16 => condition(tape, &mut map, depth - 1, refers),
        17 => {
            object(tape, &mut map, depth - 1);
            choice(tape, &mut map, depth - 1, refers);
        }
        _ => {
            object(tape, &mut map, depth - 1);
            choice(tape, &mut map, depth - 1, refers);
            map.remove("additionalProperties");
            map.insert("unevaluatedProperties".to_owned(), false.into());
        }
    }
    Value::Object(map)
}

fn reference(tape: &mut Tape<'_>) -> &'static str {
    tape.one(&["#/$defs/D", "#/$defs/E"])
}

fn values(tape: &mut Tape<'_>) -> Value {
    let count = 1 + tape.pick(3);
    let mut list: Vec<Value> = Vec::new();
    for _ in 0..count {
        let value = anything(tape, 1);
        if !list.contains(&value) {
            list.push(value);
        }
    }
    list.into()
}

fn number(tape: &mut Tape<'_>) -> Value {
    tape.one(&[
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(-1),
        json!(0.5),
        json!(1.5),
        json!(2.0),
    ])
}

fn limited(tape: &mut Tape<'_>, map: &mut Map<String, Value>, word: &str) {
    let value = match word {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => number(tape),
        "multipleOf" => tape.one(&[json!(1), json!(2), json!(3), json!(0.5), json!(1.5)]),
        "pattern" => tape.one(&PATTERNS).into(),
        "uniqueItems" => tape.one(&[true, false]).into(),
        _ => tape.pick(4).into(),
    };
    map.insert(word.to_owned(), value);
}

fn scalar(tape: &mut Tape<'_>, map: &mut Map<String, Value>) {
    let kind = tape.one(&["integer", "number", "string"]);
    map.insert("type".to_owned(), kind.into());
    untyped(tape, map);
}

fn untyped(tape: &mut Tape<'_>, map: &mut Map<String, Value>) {
    const WORDS: [&str; 15] = [
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "minimum",
        "maximum",
    ];
    for _ in 0..=tape.pick(3) {
        let word = tape.one(&WORDS);
        limited(tape, map, word);
    }
}

fn object(tape: &mut Tape<'_>, map: &mut Map<String, Value>, depth: usize) {
    if !tape.chance(4) {
        map.insert("type".to_owned(), "object".into());
    }
    let mut properties = Map::new();
    for _ in 0..tape.pick(4) {
        let name = tape.one(&NAMES);
        properties.insert(name.to_owned(), schema(tape, depth, true));
    }
    map.insert("properties".to_owned(), properties.into());
    map.insert("required".to_owned(), names(tape).into());
    for word in ["additionalProperties", "patternProperties", "other"] {
        if tape.chance(3) {
            extra(tape, map, word, depth);
        }
    }
}

fn names(tape: &mut Tape<'_>) -> Vec<&'static str> {
    let mut names: Vec<_> = (0..tape.pick(3)).map(|_| tape.one(&NAMES)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn extra(tape: &mut Tape<'_>, map: &mut Map<String, Value>, word: &str, depth: usize) {
    let (word, value) = match (word, tape.pick(5)) {
        ("additionalProperties", 0..=2) => (word, tape.one(&[false, false, true]).into()),
        ("additionalProperties", _) => (word, schema(tape, depth, true)),
        ("patternProperties", _) => (word, json!({tape.one(&PATTERNS): schema(tape, depth, true)})),
        (_, 0) => ("propertyNames", schema(tape, 0, false)),
        (_, 1) => ("dependentRequired", json!({tape.one(&NAMES): names(tape)})),
        (_, 2) => ("dependentSchemas", json!({tape.one(&NAMES): schema(tape, depth, false)})),
        (_, 3) => ("minProperties", tape.pick(3).into()),
        _ => ("maxProperties", tape.pick(3).into()),
    };
    map.insert(word.to_owned(), value);
}

fn array(tape: &mut Tape<'_>, map: &mut Map<String, Value>, depth: usize) {
    map.insert("type".to_owned(), "array".into());
    if !tape.chance(3) {
        map.insert("items".to_owned(), schema(tape, depth, true));
    }
    if tape.chance(3) {
        let items: Vec<_> = (0..=tape.pick(2)).map(|_| schema(tape, depth, true)).collect();
        map.insert("prefixItems".to_owned(), items.into());
    }
    if tape.chance(3) {
        map.insert("contains".to_owned(), schema(tape, depth, true));
        for word in ["minContains", "maxContains"] {
            if tape.chance(3) {
                limited(tape, map, word);
            }
        }
    }
    for word in ["minItems", "maxItems", "uniqueItems"] {
        if tape.chance(3) {
            limited(tape, map, word);
        }
    }
}

/// A union as enums with a tag are written.
fn tagged(tape: &mut Tape<'_>, map: &mut Map<String, Value>, depth: usize) {
    let mut branches = Vec::new();
    for tag in ["x", "y", "z"].into_iter().take(1 + tape.pick(3)) {
        let mut branch = Map::new();
        object(tape, &mut branch, depth);
        branch.insert("type".to_owned(), "object".into());
        branch["properties"]["tag"] = json!({"const": tag});
        let required = branch["required"].as_array_mut().expect("a list");
        required.push("tag".into());
        branches.push(Value::Object(branch));
    }
    let word = tape.one(&["oneOf", "anyOf"]);
    map.insert(word.to_owned(), branches.into());
}

/// An enum as documented unit variants are written.
fn units(tape: &mut Tape<'_>, map: &mut Map<String, Value>) {
    let units = ["a", "b", "ab"].into_iter().take(1 + tape.pick(3));
    if tape.chance(2) {
        map.insert("enum".to_owned(), units.collect::<Vec<_>>().into());
    } else {
        let branches: Vec<_> = units
            .map(|unit| json!({"type": "string", "const": unit, "description": "…"}))
            .collect();
        map.insert("oneOf".to_owned(), branches.into());
    }
}

fn choice(tape: &mut Tape<'_>, map: &mut Map<String, Value>, depth: usize, refers: bool) {
    let word = tape.one(&["anyOf", "oneOf", "allOf", "not", "$ref"]);
    let value = match word {
        "not" => schema(tape, depth, refers),
        "$ref" if refers => reference(tape).into(),
        "$ref" => return,
        _ => (0..=tape.pick(3)).map(|_| schema(tape, depth, refers)).collect::<Vec<_>>().into(),
    };
    map.insert(word.to_owned(), value);
}

fn condition(tape: &mut Tape<'_>, map: &mut Map<String, Value>, depth: usize, refers: bool) {
    for word in ["if", "then", "else"] {
        if word == "if" || !tape.chance(3) {
            map.insert(word.to_owned(), schema(tape, depth, refers));
        }
    }
}

/// Changes a document at one place, mostly a little.
pub(super) fn edit(document: &mut Value, tape: &mut Tape<'_>) {
    let mut places = Vec::new();
    collect(document, String::new(), true, &mut places);
    let (pointer, refers) = tape.one(&places);
    let place = document.pointer_mut(&pointer).expect("a place of the document");
    let whole = place.clone();
    match tape.pick(12) {
        0 => *place = keeping(&whole, schema(tape, 1, refers)),
        1 => *place = keeping(&whole, json!({"anyOf": [bare(&whole), {"type": "null"}]})),
        2 => *place = keeping(&whole, json!({"allOf": [bare(&whole)]})),
        3 => *place = keeping(&whole, json!({"oneOf": [bare(&whole), schema(tape, 1, refers)]})),
        4 => *place = keeping(&whole, json!({"anyOf": [schema(tape, 1, refers), bare(&whole)]})),
        _ => {
            if let Value::Object(map) = place {
                keyword(map, tape, refers);
            }
        }
    }
}

/// Tells something of a schema somewhere in a document, and returns where.
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
fn bare(schema: &Value) -> Value {
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

/// All schemas of a document, and whether they may refer to a definition.
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
                    collect(value, format!("{below}/{name}"), refers, found);
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
