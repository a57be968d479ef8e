//! Generates values: valid ones, random ones, and mixtures.

use serde_json::{Map, Value, json};

use super::Tape;

const NAMES: [&str; 6] = ["a", "b", "c", "ab", "a/~b", "tag"];
const TEXTS: [&str; 8] = ["a", "b", "ab", "", "x", "y", "z", "abba"];

/// A small random value.
pub(super) fn anything(tape: &mut Tape<'_>, depth: usize) -> Value {
    match tape.pick(if depth == 0 { 6 } else { 9 }) {
        0 | 1 => tape.one(&TEXTS).into(),
        2 => tape.pick(4).into(),
        3 => tape.one(&[json!(0.5), json!(1.0), json!(-1), json!(1.5), json!(6), json!(2.0)]),
        4 => tape.one(&[true, false]).into(),
        5 => Value::Null,
        6 => (0..tape.pick(4)).map(|_| anything(tape, depth - 1)).collect(),
        _ => (0..tape.pick(4))
            .map(|_| (tape.one(&NAMES).to_owned(), anything(tape, depth - 1)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// A value that is likely to be valid by the schema.
pub(super) fn like(schema: &Value, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Value {
    let Value::Object(map) = schema else { return anything(tape, depth.min(2)) };
    if depth == 0 || tape.chance(24) {
        return anything(tape, 1);
    }
    if let Some(list) = map.get("enum").and_then(Value::as_array) {
        return tape.one(list);
    }
    if let Some(value) = map.get("const") {
        return value.clone();
    }
    let branches: Vec<Value> = ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|word| map.get(*word)?.as_array())
        .flatten()
        .chain(["then", "else", "if"].iter().filter_map(|word| map.get(*word)))
        .chain(map.get("$ref").and_then(|target| root.pointer(&target.as_str()?[1..])))
        .cloned()
        .collect();
    let mut value = own(map, root, tape, depth);
    if !branches.is_empty() {
        let branch = like(&tape.one(&branches), root, tape, depth - 1);
        match (&mut value, branch) {
            (Some(Value::Object(own)), Value::Object(more)) => {
                more.into_iter().for_each(|(name, value)| _ = own.insert(name, value));
            }
            (Some(_), _) if tape.chance(2) => {}
            (value, branch) => *value = Some(branch),
        }
    }
    value.unwrap_or_else(|| anything(tape, 2))
}

/// A value by the keywords that apply no other schema to it; `None` if there are none.
fn own(map: &Map<String, Value>, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Option<Value> {
    let named = match map.get("type") {
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Array(list)) => tape.one(list).as_str().map(str::to_owned),
        _ => None,
    };
    let guessed = if map.contains_key("properties") { "object" } else { "" };
    Some(match named.as_deref().unwrap_or(guessed) {
        "object" => object(map, root, tape, depth),
        "array" => array(map, root, tape, depth),
        "string" => tape.one(&TEXTS).into(),
        "integer" => tape.one(&[json!(1), json!(0), json!(2), json!(3), json!(-1), json!(2.0)]),
        "number" => tape.one(&[json!(1), json!(0.5), json!(0), json!(1.5), json!(2), json!(3)]),
        "boolean" => tape.one(&[true, false]).into(),
        "null" => Value::Null,
        _ => return None,
    })
}

fn object(map: &Map<String, Value>, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Value {
    let mut object = Map::new();
    let required: Vec<_> =
        map.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if required.contains(&&Value::from(name.as_str())) || tape.chance(2) {
            object.insert(name.clone(), like(schema, root, tape, depth - 1));
        }
    }
    for name in required.into_iter().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            object.insert(name.to_owned(), anything(tape, 1));
        }
    }
    if tape.chance(4) {
        let other = map.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
        let value = like(&other, root, tape, depth - 1);
        object.entry(tape.one(&NAMES)).or_insert(value);
    }
    object.into()
}

fn array(map: &Map<String, Value>, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Value {
    let prefix = map.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
    let items = map.get("items").or_else(|| map.get("contains")).cloned().unwrap_or_default();
    let count = tape.pick(4);
    let item = |at: usize| prefix.get(at).unwrap_or(&items);
    (0..count).map(|at| like(item(at), root, tape, depth - 1)).collect()
}

/// The value with a part of it replaced.
pub(super) fn disturbed(value: &Value, tape: &mut Tape<'_>) -> Value {
    let mut value = value.clone();
    match &mut value {
        Value::Object(map) if !map.is_empty() && !tape.chance(3) => {
            let names: Vec<_> = map.keys().cloned().collect();
            let name = tape.one(&names);
            match tape.pick(3) {
                0 => _ = map.remove(&name),
                1 => _ = map.insert(tape.one(&NAMES).to_owned(), anything(tape, 1)),
                _ => map[&name] = disturbed(&map[&name], tape),
            }
        }
        Value::Array(list) if !list.is_empty() && !tape.chance(3) => match tape.pick(3) {
            0 => _ = list.pop(),
            1 => list.push(anything(tape, 1)),
            _ => list[0] = disturbed(&list[0], tape),
        },
        other => *other = anything(tape, 2),
    }
    value
}
