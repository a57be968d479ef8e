//! Changes of types and values.

use serde_json::json;

use super::Case::{Both, Narrowed, Same, Widened};
use super::{Row, row};

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let integer = || json!({"type": "integer"});
    let number = || json!({"type": "number"});
    let text = || json!({"type": "string"});
    vec![
        row("any type becomes one", json!({}), text(), Narrowed(json!(1)), ["type-narrowed /type"]),
        row(
            "one type becomes any",
            text(),
            json!({}),
            Widened(json!(1)),
            ["type-widened /type before"],
        ),
        row("another type", text(), integer(), Both(json!(1), json!("a")), ["type-changed /type"]),
        row(
            "integers become numbers",
            integer(),
            number(),
            Widened(json!(0.5)),
            ["type-widened /type"],
        ),
        row(
            "numbers become integers",
            number(),
            integer(),
            Narrowed(json!(0.5)),
            ["type-narrowed /type"],
        ),
        row(
            "a type more",
            text(),
            json!({"type": ["string", "boolean"]}),
            Widened(json!(true)),
            ["type-widened /type"],
        ),
        row(
            "types in another order",
            json!({"type": ["string", "boolean"]}),
            json!({"type": ["boolean", "string"]}),
            Same,
            [],
        ),
        row(
            "integer beside number says nothing",
            json!({"type": ["number", "integer", "string"]}),
            json!({"type": ["number", "string"]}),
            Same,
            [],
        ),
        row(
            "null is added",
            text(),
            json!({"type": ["string", "null"]}),
            Widened(json!(null)),
            ["null-added "],
        ),
        row(
            "null is removed",
            json!({"type": ["string", "null"]}),
            text(),
            Narrowed(json!(null)),
            ["null-removed "],
        ),
        row(
            "null as an alternative is the same as null in the list",
            json!({"type": ["string", "null"], "minLength": 2}),
            json!({"anyOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}),
            Same,
            [],
        ),
        row(
            "no value is accepted any more",
            text(),
            json!(false),
            Narrowed(json!("a")),
            ["value-forbidden "],
        ),
        row(
            "a value that was forbidden is accepted now",
            json!(false),
            text(),
            Widened(json!("a")),
            ["value-allowed "],
        ),
        row("true is the empty schema", json!(true), json!({}), Same, []),
        row(
            "a value is added",
            json!({"enum": ["a"]}),
            json!({"enum": ["b", "a"]}),
            Widened(json!("b")),
            ["enum-value-added /enum/0"],
        ),
        row(
            "a value is removed",
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a"]}),
            Narrowed(json!("b")),
            ["enum-value-removed /enum/1 before"],
        ),
        row(
            "a value is replaced",
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a", "c"]}),
            Both(json!("c"), json!("b")),
            ["enum-value-added /enum/1", "enum-value-removed /enum/1 before"],
        ),
        row(
            "values are listed",
            text(),
            json!({"type": "string", "enum": ["a"]}),
            Narrowed(json!("b")),
            ["enum-added "],
        ),
        row(
            "values are not listed",
            json!({"type": "string", "enum": ["a"]}),
            text(),
            Widened(json!("b")),
            ["enum-removed "],
        ),
        row(
            "documented unit variants are the same as a list",
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"oneOf": [
                {"type": "string", "const": "b", "description": "B"},
                {"type": "string", "const": "a"},
            ]}),
            Same,
            [],
        ),
        row(
            "a documented unit variant is added",
            json!({"type": "string", "enum": ["a"]}),
            json!({"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]}),
            Widened(json!("b")),
            ["enum-value-added /oneOf/1/const"],
        ),
        row("a constant is a list of one", json!({"const": "a"}), json!({"enum": ["a"]}), Same, []),
        row(
            "numbers are equal by value",
            json!({"enum": [1, 2.0]}),
            json!({"enum": [1.0, 2]}),
            Same,
            [],
        ),
        row(
            "a list of all booleans is no list",
            json!({"enum": [true, false]}),
            json!({"type": "boolean"}),
            Same,
            ["restated "],
        ),
        row(
            "a list of all integers in a range is no list",
            json!({"enum": [1, 2, 3]}),
            json!({"type": "integer", "minimum": 1, "maximum": 3}),
            Same,
            ["restated "],
        ),
        row(
            "a listed value breaks another rule",
            json!({"enum": ["a", "abc"]}),
            json!({"enum": ["a", "abc"], "maxLength": 2}),
            Narrowed(json!("abc")),
            ["max-length-added /maxLength"],
        ),
        row(
            "a list that keeps another rule anyway",
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a", "b"], "maxLength": 1, "pattern": "^[ab]$"}),
            Same,
            ["restated "],
        ),
    ]
}
