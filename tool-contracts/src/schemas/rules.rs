//! The rules between fields, as schema keywords.

use schemars::Schema;
use serde_json::{Value, json};

use crate::{
    ErrorCode, ToolErrorType,
    envelope::{RESERVED, standard_code},
    server::AuditStatus,
};

/// Requires exactly one of `run_id` and `ingestion_run_id`; null counts as absent.
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

/// Allows at most one of `run_id` and `ingestion_run_id`; null counts as absent.
pub(crate) fn at_most_one_run(schema: &mut Schema) {
    let unset = |field: &str| json!({"properties": { field: {"type": "null"} }});
    schema.insert("anyOf".to_owned(), json!([unset("ingestion_run_id"), unset("run_id")]));
}

/// Requires exactly one of `data`, `id` and `url`, and size and hash beside bytes; null counts as
/// absent.
pub(crate) fn one_content(schema: &mut Schema) {
    const CONTENTS: [&str; 3] = ["data", "id", "url"];
    let only = |set: &str| {
        let (kept, measured) = ("string", if set == "url" { &[][..] } else { &["size", "sha256"] });
        let mut properties: serde_json::Map<_, _> = CONTENTS
            .iter()
            .map(|field| {
                let of = if *field == set { kept } else { "null" };
                ((*field).to_owned(), json!({"type": of}))
            })
            .collect();
        let mut required = vec![set];
        for field in measured {
            let of = if *field == "size" { "integer" } else { "string" };
            properties.insert((*field).to_owned(), json!({"type": of}));
            required.push(field);
        }
        json!({"required": required, "properties": properties})
    };
    schema.insert("oneOf".to_owned(), CONTENTS.iter().map(|set| only(set)).collect());
}

/// Requires of a standard code that the error has the code's type.
pub(crate) fn require_type_of_code(schema: &mut Schema) {
    let ties: Vec<Value> = ToolErrorType::ALL
        .iter()
        .map(|error_type| {
            let codes: Vec<_> =
                ErrorCode::ALL.iter().filter(|code| code.error_type() == *error_type).collect();
            json!({
                "if": {"required": ["code"], "properties": {"code": {"enum": codes}}},
                "then": {"properties": {"type": {"const": error_type}}},
            })
        })
        .collect();
    schema.insert("allOf".to_owned(), ties.into());
}

/// Allows a time to live only for a read.
pub(crate) fn ttl_only_for_reads(schema: &mut Schema) {
    schema.insert(
        "if".to_owned(),
        json!({"required": ["ttl_seconds"], "properties": {"ttl_seconds": {"type": "integer"}}}),
    );
    schema.insert("then".to_owned(), json!({"properties": {"effect": {"const": "read"}}}));
}

/// Bounds the number and the length of the host's own ids.
pub(crate) fn bounded_text_map(schema: &mut Schema) {
    schema.insert("maxProperties".to_owned(), 32.into());
    schema.insert("propertyNames".to_owned(), json!({"minLength": 1, "maxLength": 128}));
    schema.insert("additionalProperties".to_owned(), json!({"type": "string", "maxLength": 1024}));
}

/// Allows a tool's own code only with the standard code that represents its type.
pub(crate) fn tool_codes_have_standard_codes(schema: &mut Schema) {
    let codes: Vec<_> =
        ToolErrorType::ALL.iter().map(|error_type| standard_code(*error_type)).collect();
    let has_own = json!({
        "type": "object",
        "required": ["tool_code"],
        "properties": {"tool_code": {"type": "string"}},
    });
    schema.insert(
        "if".to_owned(),
        json!({"required": ["details"], "properties": {"details": has_own}}),
    );
    schema.insert("then".to_owned(), json!({"properties": {"code": {"enum": codes}}}));
}

/// Allows a tool's own facts beside the envelope's names or all in `details`, not in both.
pub(crate) fn facts_in_one_place(schema: &mut Schema) {
    schema.insert("additionalProperties".to_owned(), true.into());
    schema.insert(
        "if".to_owned(),
        json!({"required": ["details"], "properties": {"details": {"type": "object"}}}),
    );
    schema.insert("then".to_owned(), json!({"propertyNames": {"enum": RESERVED}}));
}

/// Allows a null `error` in a success, and forbids in `meta` the fields that the envelope has beside
/// it.
pub(crate) fn null_beside_success(schema: &mut Schema) {
    set_property(schema, "error", json!({"type": "null"}));
    let meta_fields = json!({
        "warnings": {"maxItems": 0},
        "ttl_seconds": {"type": "null"},
        "evidence": {"type": "null"},
    });
    schema
        .insert("allOf".to_owned(), json!([{"properties": {"meta": {"properties": meta_fields}}}]));
}

/// Treats null as absent, also in the fields of a success.
pub(crate) fn null_beside_failure(schema: &mut Schema) {
    set_property(schema, "data", json!({"type": "null"}));
}

/// Requires an error in the audit of a failed call, and forbids it otherwise.
pub(crate) fn errors_are_named(schema: &mut Schema) {
    let string_schema = json!({"type": "string"});
    schema
        .insert("if".to_owned(), json!({"properties": {"status": {"const": AuditStatus::Error}}}));
    schema.insert(
        "then".to_owned(),
        json!({
            "required": ["error_type", "error_message"],
            "properties": {"error_type": string_schema, "error_message": string_schema},
        }),
    );
    let none = json!({"type": "null"});
    schema.insert(
        "else".to_owned(),
        json!({"properties": {"error_type": none, "error_message": none}}),
    );
}

/// Requires an error and no data in an unsuccessful result, and forbids the error otherwise.
pub(crate) fn error_unless_successful(schema: &mut Schema) {
    schema.insert("if".to_owned(), json!({"properties": {"success": {"const": true}}}));
    schema.insert("then".to_owned(), json!({"properties": {"error": {"type": "null"}}}));
    schema.insert(
        "else".to_owned(),
        json!({
            "required": ["error"],
            "properties": {"error": {"type": "string"}, "data": {"type": "null"}},
        }),
    );
}

/// Treats null as absent, also in the fields of a failure; the audit must be of a success.
pub(crate) fn audited_success(schema: &mut Schema) {
    for field in ["error", "error_type", "detail"] {
        set_property(schema, field, json!({"type": "null"}));
    }
    audited(schema, AuditStatus::Success);
}

/// Treats null as absent, also in the fields of a success; the audit must be of a failure.
pub(crate) fn audited_failure(schema: &mut Schema) {
    set_property(schema, "output", json!({"type": "null"}));
    audited(schema, AuditStatus::Error);
}

fn audited(schema: &mut Schema, status: AuditStatus) {
    let audit = json!({"properties": {"status": {"const": status}}});
    schema.insert("allOf".to_owned(), json!([{"properties": {"audit": audit}}]));
}

fn set_property(schema: &mut Schema, name: &str, rule: Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(name.to_owned(), rule);
    }
}
