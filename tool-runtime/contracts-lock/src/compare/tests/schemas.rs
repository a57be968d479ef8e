//! Generates schemas with all keywords.

use serde_json::{Map, Value, json};

use super::Tape;
use super::instances::anything;

pub(super) const NAMES: [&str; 5] = ["a", "b", "c", "ab", "a/~b"];
const PATTERNS: [&str; 3] = ["^a", "b$", "^[ab]*$"];
pub(super) const TYPES: [&str; 7] =
    ["null", "boolean", "integer", "number", "string", "array", "object"];

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

/// A schema; `refers` allows a reference to a definition for the same value.
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

pub(super) fn limited(tape: &mut Tape<'_>, map: &mut Map<String, Value>, word: &str) {
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

pub(super) fn untyped(tape: &mut Tape<'_>, map: &mut Map<String, Value>) {
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

pub(super) fn names(tape: &mut Tape<'_>) -> Vec<&'static str> {
    let mut names: Vec<_> = (0..tape.pick(3)).map(|_| tape.one(&NAMES)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

pub(super) fn extra(tape: &mut Tape<'_>, map: &mut Map<String, Value>, word: &str, depth: usize) {
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

/// A union in the form of internally tagged enums.
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

/// An enum in the form of documented unit variants.
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

pub(super) fn choice(
    tape: &mut Tape<'_>,
    map: &mut Map<String, Value>,
    depth: usize,
    refers: bool,
) {
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
