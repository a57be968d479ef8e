//! Changes of strings.

use serde_json::json;

use super::Case::{Laxer, Narrowed, Same, Stricter, Undecided, Widened};
use super::{Row, row};

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let text = || json!({"type": "string"});
    vec![
        row(
            "shortest length added",
            text(),
            json!({"type": "string", "minLength": 1}),
            Narrowed(json!("")),
            ["min-length-added /minLength"],
        ),
        row(
            "shortest length removed",
            json!({"type": "string", "minLength": 1}),
            text(),
            Widened(json!("")),
            ["min-length-removed /minLength before"],
        ),
        row(
            "shortest length raised",
            json!({"type": "string", "minLength": 1}),
            json!({"type": "string", "minLength": 2}),
            Narrowed(json!("é")),
            ["min-length-raised /minLength"],
        ),
        row(
            "shortest length lowered",
            json!({"type": "string", "minLength": 2}),
            json!({"type": "string", "minLength": 1}),
            Widened(json!("é")),
            ["min-length-lowered /minLength"],
        ),
        row(
            "greatest length added",
            text(),
            json!({"type": "string", "maxLength": 1}),
            Narrowed(json!("ab")),
            ["max-length-added /maxLength"],
        ),
        row(
            "greatest length removed",
            json!({"type": "string", "maxLength": 1}),
            text(),
            Widened(json!("ab")),
            ["max-length-removed /maxLength before"],
        ),
        row(
            "greatest length raised",
            json!({"type": "string", "maxLength": 1}),
            json!({"type": "string", "maxLength": 2.0}),
            Widened(json!("ab")),
            ["max-length-raised /maxLength"],
        ),
        row(
            "greatest length lowered",
            json!({"type": "string", "maxLength": 2}),
            json!({"type": "string", "maxLength": 1}),
            Narrowed(json!("ab")),
            ["max-length-lowered /maxLength"],
        ),
        row(
            "no length at least is none",
            text(),
            json!({"type": "string", "minLength": 0}),
            Same,
            ["restated "],
        ),
        row(
            "pattern added",
            text(),
            json!({"type": "string", "pattern": "^a"}),
            Narrowed(json!("b")),
            ["pattern-added /pattern"],
        ),
        row(
            "another pattern beside listed values",
            json!({"enum": ["a"], "pattern": "^a$"}),
            json!({"enum": ["a", "b"], "pattern": "^[ab]$"}),
            Widened(json!("b")),
            ["enum-value-added /enum/1", "pattern-changed /pattern"],
        ),
        row(
            "pattern removed",
            json!({"type": "string", "pattern": "^a"}),
            text(),
            Widened(json!("b")),
            ["pattern-removed /pattern before"],
        ),
        row(
            "another pattern",
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string", "pattern": "^ab?"}),
            Undecided,
            ["undecided /pattern"],
        ),
        row(
            "format added",
            text(),
            json!({"type": "string", "format": "uuid"}),
            Stricter,
            ["format-added /format"],
        ),
        row(
            "format removed",
            json!({"type": "string", "format": "date"}),
            text(),
            Laxer,
            ["format-removed /format before"],
        ),
        row(
            "a format that a type of Rust has and JSON Schema has not",
            text(),
            json!({"type": "string", "format": "zoned-date-time"}),
            Stricter,
            ["format-added /format"],
        ),
        row(
            "another format",
            json!({"type": "string", "format": "date"}),
            json!({"type": "string", "format": "date-time"}),
            Undecided,
            ["format-changed /format"],
        ),
    ]
}
