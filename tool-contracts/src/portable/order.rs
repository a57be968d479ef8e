//! The order of an object's names, and the form of numbers.

use serde_json::{Map, Number, Value};

use super::precision::IS_ARBITRARY;

/// Sorts the objects within a value by name, and rewrites a number that is no 64-bit integer as the
/// nearest float.
///
/// Without the features of `serde_json` that change either, this does nothing.
#[must_use]
pub fn normalized(mut value: Value) -> Value {
    value.sort_all_objects();
    if IS_ARBITRARY {
        round(&mut value);
    }
    value
}

/// Normalizes the members of an object like [`normalized`].
#[must_use]
pub fn normalized_object(mut object: Map<String, Value>) -> Map<String, Value> {
    object.sort_keys();
    for value in object.values_mut() {
        value.sort_all_objects();
        if IS_ARBITRARY {
            round(value);
        }
    }
    object
}

/// Adds a member to a normalized object; replaces one with the same name.
pub fn insert(object: &mut Map<String, Value>, name: String, value: Value) {
    object.insert(name, normalized(value));
    object.sort_keys();
}

/// Rewrites numbers as `serde_json` reads them without `arbitrary_precision`. A number beyond the
/// range of floats stays, as no other build can have it.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.as_i64().is_none() && number.as_u64().is_none() => {
            if let Some(float) = number.as_f64().and_then(Number::from_f64) {
                *number = float;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
