//! Changes of arrays.

use serde_json::{Value, json};

use super::Case::{Both, Narrowed, Same, Undecided, Widened};
use super::{Row, row};

fn array(words: Value) -> Value {
    let mut schema = words;
    schema["type"] = "array".into();
    schema
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let any = || array(json!({}));
    let texts = || array(json!({"items": {"type": "string"}}));
    vec![
        row("items are of a kind", any(), texts(), Narrowed(json!([1])), ["items-added /items"]),
        row(
            "items may be anything",
            texts(),
            any(),
            Widened(json!([1])),
            ["items-removed /items before"],
        ),
        row(
            "items change",
            array(json!({"items": {"type": "integer"}})),
            array(json!({"items": {"type": "number"}})),
            Widened(json!([0.5])),
            ["type-widened /items/type"],
        ),
        row(
            "items that may be anything say nothing",
            any(),
            array(json!({"items": true})),
            Same,
            [],
        ),
        row(
            "a first item is of a kind",
            any(),
            array(json!({"prefixItems": [{"type": "string"}]})),
            Narrowed(json!([1])),
            ["prefix-item-added /prefixItems/0"],
        ),
        row(
            "a first item may be anything",
            array(json!({"prefixItems": [{"type": "string"}]})),
            any(),
            Widened(json!([1])),
            ["prefix-item-removed /prefixItems/0 before"],
        ),
        row(
            "a place in a closed tuple more",
            array(json!({"prefixItems": [{"type": "string"}], "items": false})),
            array(json!({"prefixItems": [{"type": "string"}, {"type": "null"}], "items": false})),
            Widened(json!(["a", null])),
            ["prefix-item-added /prefixItems/1"],
        ),
        row(
            "a place in a closed tuple less",
            array(json!({"prefixItems": [{"type": "string"}, {"type": "null"}], "items": false})),
            array(json!({"prefixItems": [{"type": "string"}], "items": false})),
            Narrowed(json!(["a", null])),
            ["prefix-item-removed /prefixItems/1 before"],
        ),
        row(
            "a place in a tuple changes",
            array(json!({"prefixItems": [{"type": "string"}]})),
            array(json!({"prefixItems": [{"type": "integer"}]})),
            Both(json!([1]), json!(["a"])),
            ["type-changed /prefixItems/0/type"],
        ),
        row(
            "a closed tuple that is no longer than that",
            array(json!({"prefixItems": [{"type": "string"}], "items": false})),
            array(json!({"prefixItems": [{"type": "string"}], "maxItems": 1})),
            Same,
            ["restated "],
        ),
        row(
            "a place that the items describe already",
            texts(),
            array(json!({"prefixItems": [{"type": "string"}], "items": {"type": "string"}})),
            Same,
            [],
        ),
        row(
            "fewest items added",
            any(),
            array(json!({"minItems": 1})),
            Narrowed(json!([])),
            ["min-items-added /minItems"],
        ),
        row(
            "fewest items removed",
            array(json!({"minItems": 1})),
            any(),
            Widened(json!([])),
            ["min-items-removed /minItems before"],
        ),
        row(
            "fewest items raised",
            array(json!({"minItems": 1})),
            array(json!({"minItems": 2})),
            Narrowed(json!([1])),
            ["min-items-raised /minItems"],
        ),
        row(
            "fewest items lowered",
            array(json!({"minItems": 2})),
            array(json!({"minItems": 1})),
            Widened(json!([1])),
            ["min-items-lowered /minItems"],
        ),
        row(
            "most items added",
            any(),
            array(json!({"maxItems": 1})),
            Narrowed(json!([1, 2])),
            ["max-items-added /maxItems"],
        ),
        row(
            "most items removed",
            array(json!({"maxItems": 1})),
            any(),
            Widened(json!([1, 2])),
            ["max-items-removed /maxItems before"],
        ),
        row(
            "most items raised",
            array(json!({"maxItems": 1})),
            array(json!({"maxItems": 2})),
            Widened(json!([1, 2])),
            ["max-items-raised /maxItems"],
        ),
        row(
            "most items lowered",
            array(json!({"maxItems": 2})),
            array(json!({"maxItems": 1})),
            Narrowed(json!([1, 2])),
            ["max-items-lowered /maxItems"],
        ),
        row(
            "items must differ",
            any(),
            array(json!({"uniqueItems": true})),
            Narrowed(json!([1, 1.0])),
            ["unique-items-added /uniqueItems"],
        ),
        row(
            "items may be equal",
            array(json!({"uniqueItems": true})),
            array(json!({"uniqueItems": false})),
            Widened(json!([1, 1])),
            ["unique-items-removed /uniqueItems"],
        ),
        row(
            "the only item differs from all others",
            array(json!({"maxItems": 1})),
            array(json!({"maxItems": 1, "uniqueItems": true})),
            Same,
            ["restated "],
        ),
        row(
            "an item of a kind must be there",
            any(),
            array(json!({"contains": {"type": "string"}})),
            Narrowed(json!([])),
            ["contains-added /contains"],
        ),
        row(
            "no item of a kind must be there",
            array(json!({"contains": {"type": "string"}})),
            any(),
            Widened(json!([])),
            ["contains-removed /contains before"],
        ),
        row(
            "an item of a wider kind must be there",
            array(json!({"contains": {"type": "integer"}})),
            array(json!({"contains": {"type": "number"}})),
            Widened(json!([0.5])),
            ["contains-changed /contains"],
        ),
        row(
            "at most two items of a wider kind may be there",
            array(json!({"contains": {"type": "integer"}, "maxContains": 1})),
            array(json!({"contains": {"type": "number"}, "maxContains": 1})),
            Undecided,
            ["undecided /contains"],
        ),
        row(
            "what all items are must be there",
            array(json!({"items": {"type": "string"}, "minItems": 1})),
            array(
                json!({"items": {"type": "string"}, "minItems": 1, "contains": {"type": "string"}}),
            ),
            Same,
            ["restated "],
        ),
        row(
            "fewest of a kind added",
            array(json!({"contains": {"type": "string"}})),
            array(json!({"contains": {"type": "string"}, "minContains": 2})),
            Narrowed(json!(["a"])),
            ["min-contains-added /minContains"],
        ),
        row(
            "fewest of a kind removed",
            array(json!({"contains": {"type": "string"}, "minContains": 2})),
            array(json!({"contains": {"type": "string"}})),
            Widened(json!(["a"])),
            ["min-contains-removed /minContains before"],
        ),
        row(
            "fewest of a kind raised",
            array(json!({"contains": {"type": "string"}, "minContains": 2})),
            array(json!({"contains": {"type": "string"}, "minContains": 3})),
            Narrowed(json!(["a", "b"])),
            ["min-contains-raised /minContains"],
        ),
        row(
            "fewest of a kind lowered",
            array(json!({"contains": {"type": "string"}, "minContains": 2})),
            array(json!({"contains": {"type": "string"}, "minContains": 0})),
            Widened(json!([])),
            ["min-contains-lowered /minContains"],
        ),
        row(
            "none of a kind is one too few, unless it says so",
            array(json!({"contains": {"type": "string"}})),
            array(json!({"contains": {"type": "string"}, "minContains": 0})),
            Widened(json!([])),
            ["min-contains-added /minContains"],
        ),
        row(
            "most of a kind added",
            array(json!({"contains": {"type": "string"}})),
            array(json!({"contains": {"type": "string"}, "maxContains": 1})),
            Narrowed(json!(["a", "b"])),
            ["max-contains-added /maxContains"],
        ),
        row(
            "most of a kind removed",
            array(json!({"contains": {"type": "string"}, "maxContains": 1})),
            array(json!({"contains": {"type": "string"}})),
            Widened(json!(["a", "b"])),
            ["max-contains-removed /maxContains before"],
        ),
        row(
            "most of a kind raised",
            array(json!({"contains": {"type": "string"}, "maxContains": 1})),
            array(json!({"contains": {"type": "string"}, "maxContains": 2})),
            Widened(json!(["a", "b"])),
            ["max-contains-raised /maxContains"],
        ),
        row(
            "most of a kind lowered",
            array(json!({"contains": {"type": "string"}, "maxContains": 2})),
            array(json!({"contains": {"type": "string"}, "maxContains": 1})),
            Narrowed(json!(["a", "b"])),
            ["max-contains-lowered /maxContains"],
        ),
        row(
            "what stands beside rules for all other items changes",
            array(json!({"prefixItems": [{}, {}], "unevaluatedItems": false})),
            array(json!({"prefixItems": [{}], "unevaluatedItems": false})),
            Undecided,
            ["undecided /unevaluatedItems"],
        ),
        row(
            "a rule for all other items, by reference",
            json!({"unevaluatedItems": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "string"}}}),
            json!({"unevaluatedItems": {"$ref": "#/$defs/A"}, "$defs": {"A": {"type": "integer"}}}),
            Undecided,
            ["undecided "],
        ),
        row(
            "how many of a kind, where no kind is named",
            any(),
            array(json!({"minContains": 2})),
            Same,
            ["restated "],
        ),
    ]
}
