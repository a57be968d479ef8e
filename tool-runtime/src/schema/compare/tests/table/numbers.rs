//! Numbers.

use serde_json::json;

use super::Case::{Both, Narrowed, Same, Widened};
use super::{Row, row};

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let integer = || json!({"type": "integer"});
    let number = || json!({"type": "number"});
    vec![
        row(
            "minimum added",
            number(),
            json!({"type": "number", "minimum": 1}),
            Narrowed(json!(0)),
            ["minimum-added /minimum"],
        ),
        row(
            "minimum removed",
            json!({"type": "number", "minimum": 1}),
            number(),
            Widened(json!(0)),
            ["minimum-removed /minimum"],
        ),
        row(
            "minimum raised",
            json!({"type": "number", "minimum": 1}),
            json!({"type": "number", "minimum": 2.5}),
            Narrowed(json!(2)),
            ["minimum-raised /minimum"],
        ),
        row(
            "minimum lowered",
            json!({"type": "number", "minimum": 1}),
            json!({"type": "number", "minimum": -1}),
            Widened(json!(0)),
            ["minimum-lowered /minimum"],
        ),
        row(
            "maximum added",
            number(),
            json!({"type": "number", "maximum": 1}),
            Narrowed(json!(2)),
            ["maximum-added /maximum"],
        ),
        row(
            "maximum removed",
            json!({"type": "number", "maximum": 1}),
            number(),
            Widened(json!(2)),
            ["maximum-removed /maximum"],
        ),
        row(
            "maximum raised",
            json!({"type": "number", "maximum": 1}),
            json!({"type": "number", "maximum": 2}),
            Widened(json!(2)),
            ["maximum-raised /maximum"],
        ),
        row(
            "maximum lowered",
            json!({"type": "number", "maximum": 2}),
            json!({"type": "number", "maximum": 1}),
            Narrowed(json!(2)),
            ["maximum-lowered /maximum"],
        ),
        row(
            "exclusive minimum added",
            number(),
            json!({"type": "number", "exclusiveMinimum": 1}),
            Narrowed(json!(1)),
            ["exclusive-minimum-added /exclusiveMinimum"],
        ),
        row(
            "exclusive minimum removed",
            json!({"type": "number", "exclusiveMinimum": 1}),
            number(),
            Widened(json!(1)),
            ["exclusive-minimum-removed /exclusiveMinimum"],
        ),
        row(
            "exclusive minimum raised",
            json!({"type": "number", "exclusiveMinimum": 1}),
            json!({"type": "number", "exclusiveMinimum": 2}),
            Narrowed(json!(2)),
            ["exclusive-minimum-raised /exclusiveMinimum"],
        ),
        row(
            "exclusive minimum lowered",
            json!({"type": "number", "exclusiveMinimum": 1}),
            json!({"type": "number", "exclusiveMinimum": 0}),
            Widened(json!(1)),
            ["exclusive-minimum-lowered /exclusiveMinimum"],
        ),
        row(
            "exclusive maximum added",
            number(),
            json!({"type": "number", "exclusiveMaximum": 1}),
            Narrowed(json!(1)),
            ["exclusive-maximum-added /exclusiveMaximum"],
        ),
        row(
            "exclusive maximum removed",
            json!({"type": "number", "exclusiveMaximum": 1}),
            number(),
            Widened(json!(1)),
            ["exclusive-maximum-removed /exclusiveMaximum"],
        ),
        row(
            "exclusive maximum raised",
            json!({"type": "number", "exclusiveMaximum": 1}),
            json!({"type": "number", "exclusiveMaximum": 2}),
            Widened(json!(1)),
            ["exclusive-maximum-raised /exclusiveMaximum"],
        ),
        row(
            "exclusive maximum lowered",
            json!({"type": "number", "exclusiveMaximum": 2}),
            json!({"type": "number", "exclusiveMaximum": 1}),
            Narrowed(json!(1)),
            ["exclusive-maximum-lowered /exclusiveMaximum"],
        ),
        row(
            "integers above 0 are integers from 1",
            json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 9.5}),
            json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 10}),
            Same,
            ["restated "],
        ),
        row(
            "numbers above 0 are not numbers from 1",
            json!({"type": "number", "exclusiveMinimum": 0}),
            json!({"type": "number", "minimum": 1}),
            Narrowed(json!(0.5)),
            ["exclusive-minimum-removed /exclusiveMinimum", "minimum-added /minimum"],
        ),
        row(
            "a limit of numbers says nothing of strings",
            json!({"type": "string"}),
            json!({"type": "string", "minimum": 3}),
            Same,
            ["restated "],
        ),
        row(
            "multiple added",
            integer(),
            json!({"type": "integer", "multipleOf": 2}),
            Narrowed(json!(1)),
            ["multiple-of-added /multipleOf"],
        ),
        row(
            "multiple removed",
            json!({"type": "integer", "multipleOf": 2}),
            integer(),
            Widened(json!(1)),
            ["multiple-of-removed /multipleOf"],
        ),
        row(
            "a multiple of the multiple",
            json!({"type": "number", "multipleOf": 2}),
            json!({"type": "number", "multipleOf": 6}),
            Narrowed(json!(2)),
            ["multiple-of-changed /multipleOf"],
        ),
        row(
            "a part of the multiple",
            json!({"type": "number", "multipleOf": 0.5}),
            json!({"type": "number", "multipleOf": 0.25}),
            Widened(json!(0.25)),
            ["multiple-of-changed /multipleOf"],
        ),
        row(
            "another multiple",
            json!({"type": "number", "multipleOf": 2}),
            json!({"type": "number", "multipleOf": 3}),
            Both(json!(3), json!(2)),
            ["multiple-of-changed /multipleOf"],
        ),
        row(
            "integers are the multiples of 1",
            json!({"type": "number", "multipleOf": 1}),
            integer(),
            Same,
            ["restated "],
        ),
        row(
            "a wider integer",
            json!({"type": "integer", "format": "int32"}),
            json!({"type": "integer", "format": "int64"}),
            Widened(json!(3_000_000_000_u64)),
            ["format-widened /format"],
        ),
        row(
            "a narrower integer",
            json!({"type": "integer", "format": "uint64", "minimum": 0}),
            json!({"type": "integer", "format": "uint8", "minimum": 0}),
            Narrowed(json!(256)),
            ["format-narrowed /format"],
        ),
        row(
            "an integer with a sign and without",
            json!({"type": "integer", "format": "int32"}),
            json!({"type": "integer", "format": "uint32", "minimum": 0}),
            Both(json!(3_000_000_000_u64), json!(-1)),
            ["format-changed /format", "minimum-added /minimum"],
        ),
        row(
            "an integer whose range is its type's anyway",
            json!({"type": "integer", "minimum": 0, "maximum": 255}),
            json!({"type": "integer", "minimum": 0, "maximum": 255, "format": "uint8"}),
            Same,
            [],
        ),
        row(
            "a float of half the bits",
            json!({"type": "number", "format": "double"}),
            json!({"type": "number", "format": "float"}),
            Narrowed(json!(16_777_217)),
            ["format-narrowed /format"],
        ),
    ]
}
