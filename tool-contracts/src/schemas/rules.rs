//! The rules between fields, as a schema says them.

use schemars::Schema;
use serde_json::{Value, json};

use crate::{ErrorCode, ToolErrorType};

/// Exactly one of `run_id` and `ingestion_run_id` is set; null is not set.
pub(crate) fn exactly_one_run(schema: &mut Schema) {
    let only = |set: &str, unset: &str| {
        json!({
            "required": [set],
            "properties": { set: {"type": "string"}, unset: {"type": "null"} },
        })
    };
    schema.insert(
        "oneOf".to_owned(),
        json!([only("run_id", "ingestion_run_id"), only("ingestion_run_id", "run_id")]),
    );
}

/// A closed code stands beside its own class only.
pub(crate) fn tie_codes_to_classes(schema: &mut Schema) {
    let ties: Vec<Value> = ToolErrorType::ALL
        .iter()
        .map(|class| {
            let codes: Vec<_> =
                ErrorCode::ALL.iter().filter(|code| code.class() == *class).collect();
            json!({
                "if": {"required": ["code"], "properties": {"code": {"enum": codes}}},
                "then": {"properties": {"type": {"const": class}}},
            })
        })
        .collect();
    schema.insert("allOf".to_owned(), ties.into());
}

/// Only a read has a time to live.
pub(crate) fn fresh_only_if_read(schema: &mut Schema) {
    schema.insert(
        "if".to_owned(),
        json!({"required": ["ttl_seconds"], "properties": {"ttl_seconds": {"type": "integer"}}}),
    );
    schema.insert("then".to_owned(), json!({"properties": {"effect": {"const": "read"}}}));
}

/// A host's own ids are few and short.
pub(crate) fn small_map(schema: &mut Schema) {
    schema.insert("maxProperties".to_owned(), 32.into());
    schema.insert("propertyNames".to_owned(), json!({"minLength": 1, "maxLength": 128}));
    schema.insert("additionalProperties".to_owned(), json!({"type": "string", "maxLength": 1024}));
}
