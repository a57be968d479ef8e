//! Equality of JSON values by JSON Schema: numbers by value, objects in any order.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde_json::Value;

use super::number::Decimal;
use super::tree::{JsonKind, JsonNode, JsonView};

/// Up to this number, comparing all pairs is faster than hashing.
const LINEAR_SCAN_MAX: usize = 8;

/// A value of a text.
pub(super) type ValueAt<'d> = (JsonView<'d>, u32);

/// Returns whether two values are equal.
#[must_use]
pub fn equal((left, a): ValueAt<'_>, (right, b): ValueAt<'_>) -> bool {
    let (one, other) = (left.node(a), right.node(b));
    if one.kind != other.kind || one.count() != other.count() {
        return false;
    }
    match one.kind {
        JsonKind::Null => true,
        JsonKind::Bool => left.raw(one) == right.raw(other),
        JsonKind::Number => left.decimal(one).same(&right.decimal(other)),
        JsonKind::String => left.string(one) == right.string(other),
        JsonKind::Array => {
            let mut pairs = left.children(a).zip(right.children(b));
            pairs.all(|((a, _), (b, _))| equal((left, a), (right, b)))
        }
        JsonKind::Object => equal_objects((left, a), (right, b)),
    }
}

fn equal_objects((left, a): ValueAt<'_>, (right, b): ValueAt<'_>) -> bool {
    if left.node(a).count() <= LINEAR_SCAN_MAX {
        return left.children(a).all(|(a, node)| {
            let same = right.property(b, &left.key(node));
            same.is_some_and(|b| equal((left, a), (right, b)))
        });
    }
    let properties: HashMap<_, _> =
        right.children(b).map(|(id, node)| (right.key(node), id)).collect();
    left.children(a).all(|(a, node)| {
        properties.get(&left.key(node)).is_some_and(|b| equal((left, a), (right, *b)))
    })
}

/// Returns whether a value of the text equals the given one.
#[must_use]
pub fn equals_value(view: JsonView<'_>, id: u32, value: &Value) -> bool {
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
#[must_use]
pub fn first_repeat(view: JsonView<'_>, array: u32) -> Option<u32> {
    if view.node(array).count() <= LINEAR_SCAN_MAX {
        let is_repeat = |(at, id): (usize, u32)| {
            view.children(array).take(at).any(|(before, _)| equal((view, before), (view, id)))
        };
        let mut ids = view.children(array).map(|(id, _)| id).enumerate();
        return ids.find(|pair| is_repeat(*pair)).map(|(_, id)| id);
    }
    let keys = RandomState::new();
    let mut seen: HashMap<u64, Vec<u32>> = HashMap::new();
    for (id, node) in view.children(array) {
        let alike = seen.entry(hash(view, id, node, &keys)).or_default();
        if alike.iter().any(|before| equal((view, *before), (view, id))) {
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
