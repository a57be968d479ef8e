//! Changes of property patterns, counts, names and dependencies.

use serde_json::json;

use super::Case::{Narrowed, Same, Undecided, Widened};
use super::objects::{closed, open, with};
use super::{Row, row};

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let one = || json!({"a": {"type": "string"}});
    let two = || json!({"a": {"type": "string"}, "b": {"type": "integer"}});
    vec![
        row(
            "a pattern of names in an open object",
            json!({"type": "object"}),
            json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}}),
            Narrowed(json!({"x-a": 1})),
            ["pattern-property-added /patternProperties/^x-"],
        ),
        row(
            "a pattern of names in a closed object",
            closed(one()),
            with(closed(one()), "patternProperties", json!({"^x-": {"type": "string"}})),
            Widened(json!({"x-a": "b"})),
            ["pattern-property-added /patternProperties/^x-"],
        ),
        row(
            "a pattern of names less in a closed object",
            with(closed(one()), "patternProperties", json!({"^x-": {"type": "string"}})),
            closed(one()),
            Narrowed(json!({"x-a": "b"})),
            ["pattern-property-removed /patternProperties/^x- before"],
        ),
        row(
            "a pattern's schema changes",
            json!({"type": "object", "patternProperties": {"^x-": {"type": "integer"}}}),
            json!({"type": "object", "patternProperties": {"^x-": {"type": "number"}}}),
            Widened(json!({"x-a": 0.5})),
            ["type-widened /patternProperties/^x-/type"],
        ),
        row(
            "a property that a pattern describes already",
            json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
            json!({"type": "object", "properties": {"xa": {"type": "string"}},
                "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
            Same,
            ["restated "],
        ),
        row(
            "a property that a pattern describes otherwise",
            json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
            json!({"type": "object", "properties": {"xa": {"minLength": 1}},
                "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
            Narrowed(json!({"xa": ""})),
            ["property-added /properties/xa"],
        ),
        row(
            "names are of a kind",
            json!({"type": "object"}),
            json!({"type": "object", "propertyNames": {"maxLength": 2}}),
            Narrowed(json!({"abc": 1})),
            ["property-names-added /propertyNames"],
        ),
        row(
            "names may be anything",
            json!({"type": "object", "propertyNames": {"maxLength": 2}}),
            json!({"type": "object"}),
            Widened(json!({"abc": 1})),
            ["property-names-removed /propertyNames before"],
        ),
        row(
            "names are of a wider kind",
            json!({"type": "object", "propertyNames": {"maxLength": 2}}),
            json!({"type": "object", "propertyNames": {"maxLength": 3}}),
            Widened(json!({"abc": 1})),
            ["property-names-changed /propertyNames"],
        ),
        row(
            "names that a closed object has anyway",
            closed(one()),
            with(closed(one()), "propertyNames", json!({"maxLength": 1})),
            Same,
            ["restated "],
        ),
        row(
            "fewest properties added",
            json!({"type": "object"}),
            json!({"type": "object", "minProperties": 1}),
            Narrowed(json!({})),
            ["min-properties-added /minProperties"],
        ),
        row(
            "fewest properties removed",
            json!({"type": "object", "minProperties": 1}),
            json!({"type": "object"}),
            Widened(json!({})),
            ["min-properties-removed /minProperties before"],
        ),
        row(
            "fewest properties raised",
            json!({"type": "object", "minProperties": 1}),
            json!({"type": "object", "minProperties": 2}),
            Narrowed(json!({"a": 1})),
            ["min-properties-raised /minProperties"],
        ),
        row(
            "fewest properties lowered",
            json!({"type": "object", "minProperties": 2}),
            json!({"type": "object", "minProperties": 1}),
            Widened(json!({"a": 1})),
            ["min-properties-lowered /minProperties"],
        ),
        row(
            "most properties added",
            json!({"type": "object"}),
            json!({"type": "object", "maxProperties": 0}),
            Narrowed(json!({"a": 1})),
            ["max-properties-added /maxProperties"],
        ),
        row(
            "most properties removed",
            json!({"type": "object", "maxProperties": 0}),
            json!({"type": "object"}),
            Widened(json!({"a": 1})),
            ["max-properties-removed /maxProperties before"],
        ),
        row(
            "most properties raised",
            json!({"type": "object", "maxProperties": 0}),
            json!({"type": "object", "maxProperties": 1}),
            Widened(json!({"a": 1})),
            ["max-properties-raised /maxProperties"],
        ),
        row(
            "most properties lowered",
            json!({"type": "object", "maxProperties": 1}),
            json!({"type": "object", "maxProperties": 0}),
            Narrowed(json!({"a": 1})),
            ["max-properties-lowered /maxProperties"],
        ),
        row(
            "as many properties as a closed object has",
            closed(two()),
            with(closed(two()), "maxProperties", json!(2)),
            Same,
            ["restated "],
        ),
        row(
            "one property asks for another",
            open(two()),
            with(open(two()), "dependentRequired", json!({"a": ["b"]})),
            Narrowed(json!({"a": "x"})),
            ["dependent-required-added /dependentRequired/a"],
        ),
        row(
            "one property no longer asks for another",
            with(open(two()), "dependentRequired", json!({"a": ["b"]})),
            open(two()),
            Widened(json!({"a": "x"})),
            ["dependent-required-removed /dependentRequired/a before"],
        ),
        row(
            "one property asks for what must be there anyway",
            with(open(two()), "required", json!(["b"])),
            json!({"type": "object", "properties": two(), "required": ["b"], "dependentRequired": {"a": ["b"]}}),
            Same,
            ["restated "],
        ),
        row(
            "one property asks for a schema",
            open(two()),
            with(open(two()), "dependentSchemas", json!({"a": {"minProperties": 2}})),
            Narrowed(json!({"a": "x"})),
            ["dependent-schema-added /dependentSchemas/a"],
        ),
        row(
            "one property no longer asks for a schema",
            with(open(two()), "dependentSchemas", json!({"a": {"minProperties": 2}})),
            open(two()),
            Widened(json!({"a": "x"})),
            ["dependent-schema-removed /dependentSchemas/a before"],
        ),
        row(
            "one property asks for a stricter schema",
            with(open(two()), "dependentSchemas", json!({"a": {"minProperties": 2}})),
            with(open(two()), "dependentSchemas", json!({"a": {"minProperties": 3}})),
            Narrowed(json!({"a": "x", "b": 1})),
            ["dependent-schema-changed /dependentSchemas/a"],
        ),
        row(
            "one property asks for another schema",
            with(open(two()), "dependentSchemas", json!({"a": {"maxProperties": 2}})),
            with(open(two()), "dependentSchemas", json!({"a": {"minProperties": 3}})),
            Undecided,
            ["undecided /dependentSchemas/a"],
        ),
    ]
}
