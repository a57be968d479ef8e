//! Equality of JSON values by JSON Schema: numbers by value, objects in any order.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde_json::Value;

use super::number::Decimal;
use super::tree::{JsonKind, JsonNode, JsonView};

/// Up to this number, comparing all pairs is faster than hashing.
const LINEAR_SCAN_MAX: usize = 8;

/// Returns whether two values of one text are equal.
pub(crate) fn equal(view: JsonView<'_>, left: u32, right: u32) -> bool {
    let (a, b) = (view.node(left), view.node(right));
    if a.kind != b.kind || a.count() != b.count() {
        return false;
    }
    match a.kind {
        JsonKind::Null => true,
        JsonKind::Bool => view.raw(a) == view.raw(b),
        JsonKind::Number => view.decimal(a).same(&view.decimal(b)),
        JsonKind::String => view.string(a) == view.string(b),
        JsonKind::Array => {
            let mut pairs = view.children(left).zip(view.children(right));
            pairs.all(|((a, _), (b, _))| equal(view, a, b))
        }
        JsonKind::Object => equal_objects(view, left, right),
    }
}

fn equal_objects(view: JsonView<'_>, left: u32, right: u32) -> bool {
    if view.node(left).count() <= LINEAR_SCAN_MAX {
        return view.children(left).all(|(a, node)| {
            view.property(right, &view.key(node)).is_some_and(|b| equal(view, a, b))
        });
    }
    let properties: HashMap<_, _> =
        view.children(right).map(|(id, node)| (view.key(node), id)).collect();
    view.children(left)
        .all(|(a, node)| properties.get(&view.key(node)).is_some_and(|b| equal(view, a, *b)))
}

/// Returns whether a value of the text equals the given one.
pub(crate) fn equals_value(view: JsonView<'_>, id: u32, value: &Value) -> bool {
    let node = view.node(id);
    match (node.kind, value) {
        (JsonKind::Null, Value::Null) => true,
        (JsonKind::Bool, Value::Bool(value)) => view.raw(node).starts_with('t') == *value,
        (JsonKind::Number, Value::Number(number)) => {
            // A float of the schema was rounded by its own reader, so the text is rounded too.
            let float = || number.is_f64() && view.raw(node).parse().ok() == number.as_f64();
            view.decimal(node).same(&Decimal::read(&number.to_string())) || float()
        }
        (JsonKind::String, Value::String(text)) => view.string(node) == *text,
        (JsonKind::Array, Value::Array(items)) => {
            node.count() == items.len()
                && view.children(id).zip(items).all(|((id, _), item)| equals_value(view, id, item))
        }
        (JsonKind::Object, Value::Object(properties)) => {
            node.count() == properties.len()
                && view.children(id).all(|(id, node)| {
                    let value = properties.get(&*view.key(node));
                    value.is_some_and(|value| equals_value(view, id, value))
                })
        }
        _ => false,
    }
}

/// The first item of an array that equals an earlier one.
pub(crate) fn first_repeat(view: JsonView<'_>, array: u32) -> Option<u32> {
    if view.node(array).count() <= LINEAR_SCAN_MAX {
        let is_repeat = |(at, id): (usize, u32)| {
            view.children(array).take(at).any(|(before, _)| equal(view, before, id))
        };
        let mut ids = view.children(array).map(|(id, _)| id).enumerate();
        return ids.find(|pair| is_repeat(*pair)).map(|(_, id)| id);
    }
    let keys = RandomState::new();
    let mut seen: HashMap<u64, Vec<u32>> = HashMap::new();
    for (id, node) in view.children(array) {
        let alike = seen.entry(hash(view, id, node, &keys)).or_default();
        if alike.iter().any(|before| equal(view, *before, id)) {
            return Some(id);
        }
        alike.push(id);
    }
    None
}

/// A hash that is the same for equal values.
fn hash(view: JsonView<'_>, id: u32, node: &JsonNode, keys: &RandomState) -> u64 {
    let mut hasher = keys.build_hasher();
    hasher.write_u8(node.kind as u8);
    match node.kind {
        JsonKind::Null => {}
        JsonKind::Bool => hasher.write(view.raw(node).as_bytes()),
        JsonKind::Number => hash_number(&view.decimal(node), &mut hasher),
        JsonKind::String => hasher.write(view.string(node).as_bytes()),
        JsonKind::Array => view
            .children(id)
            .for_each(|(child, node)| hasher.write_u64(hash(view, child, node, keys))),
        JsonKind::Object => hasher.write_u64(view.children(id).fold(0, |sum, (child, node)| {
            let mut entry = keys.build_hasher();
            entry.write(view.key(node).as_bytes());
            entry.write_u64(hash(view, child, node, keys));
            sum.wrapping_add(entry.finish())
        })),
    }
    hasher.finish()
}

fn hash_number(number: &Decimal<'_>, hasher: &mut impl Hasher) {
    hasher.write_u8(u8::from(number.is_negative() && !number.is_zero()));
    hasher.write_i64(number.exponent());
    number.digits().for_each(|digit| hasher.write_u8(digit));
}
