//! Titles: the fully qualified Rust name of every non-scalar type.

use std::any::type_name;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::nested::title_nested;

/// Sets a schema's title to the fully qualified name of `T`, unless the schema is a plain scalar.
///
/// `#[ai_type]` applies it to a type and to each of its fields.
#[doc(hidden)]
pub fn title<T: ?Sized>(schema: &mut Schema) {
    set_title(schema, type_name::<T>());
}

fn set_title(schema: &mut Schema, name: &str) {
    if schema.as_object().is_some_and(is_scalar) {
        return;
    }
    // A boolean schema (`true`: any value) becomes an object, so that it can carry a title.
    schema.ensure_object().insert("title".to_owned(), name.into());
}

pub(super) fn is_scalar(object: &Map<String, Value>) -> bool {
    if object.contains_key("enum") || object.contains_key("oneOf") || object.contains_key("anyOf") {
        return false;
    }
    match object.get("type") {
        Some(Value::String(kind)) => is_scalar_kind(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).all(is_scalar_kind),
        _ => false,
    }
}

fn is_scalar_kind(kind: &str) -> bool {
    !matches!(kind, "object" | "array")
}

/// Creates the root schema of a tool's output of type `T`.
pub fn output<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.root_schema_for::<T>();
    let short = T::schema_name();
    let untitled = schema.get("title").is_none_or(|title| title.as_str() == Some(&*short));
    if untitled {
        schema.remove("title");
        title::<T>(&mut schema);
    }
    title_nested(schema)
}
