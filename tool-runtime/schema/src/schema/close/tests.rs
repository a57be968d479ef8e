//! Composed schemas, and the properties that they accept once they are closed.

#![allow(dead_code, reason = "only the schemas of the types count")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ChoiceReading, close};
use crate::limits::Limits;
use crate::schema::findings::IsClosed;
use crate::schema::{Coerce, Validator, input_generator};
use crate::test_cost;

#[track_caller]
fn check_closed(closed: &Value, cases: &[(Value, bool)]) {
    let validator = Validator::compile(closed).expect("a schema");
    for (value, admitted) in cases {
        let report = validator.check(&value.to_string(), &Limits::new(), Coerce::Off);
        assert_eq!(report.is_admitted(), *admitted, "{value}\n{closed}\n{:?}", report.violations);
    }
}

#[track_caller]
fn check(schema: &Value, cases: &[(Value, bool)]) {
    let mut closed = schema.clone();
    close(&mut closed, ChoiceReading::AnyBranches);
    check_closed(&closed, cases);
}

/// Checks a schema of the property `v`.
#[track_caller]
fn check_property(property: &Value, definitions: &Value, cases: &[(Value, bool)]) {
    let schema = json!({"type": "object", "$defs": definitions, "properties": {"v": property}});
    let cases: Vec<_> = cases.iter().map(|(value, is)| (json!({"v": value}), *is)).collect();
    check(&schema, &cases);
}

#[track_caller]
fn check_type<T: JsonSchema>(cases: &[(Value, bool)]) {
    let mut schema = input_generator().into_root_schema_for::<T>().to_value();
    close(&mut schema, ChoiceReading::OneBranch);
    check_closed(&schema, cases);
}

fn two() -> Value {
    let a = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    json!({"A": a, "B": {"type": "object", "properties": {"b": {"type": "string"}}}})
}

#[test]
fn references_of_one_value_are_closed_together() {
    let cases = [
        (json!({"a": 1, "b": "x"}), true),
        (json!({"a": 1}), true),
        (json!({"b": "x"}), false),
        (json!({"a": 1, "c": 1}), false),
    ];
    let (a, b) = (json!({"$ref": "#/$defs/A"}), json!({"$ref": "#/$defs/B"}));
    check_property(&json!({"allOf": [a, b]}), &two(), &cases);
    check_property(&json!({"$ref": "#/$defs/A", "properties": {"b": {}}}), &two(), &cases);
    check_property(&json!({"$ref": "#/$defs/A", "allOf": [b]}), &two(), &cases);
    check_property(&json!({"allOf": [{"allOf": [a]}, {"anyOf": [b]}]}), &two(), &cases);
    let mut chain = two();
    chain["Both"] = json!({"allOf": [a, {"$ref": "#/$defs/Next"}]});
    chain["Next"] = b.clone();
    check_property(&json!({"$ref": "#/$defs/Both"}), &chain, &cases);
    check_property(&json!({"allOf": [{"$ref": "#/$defs/Both"}]}), &chain, &cases);
    let mut root = json!({"type": "object", "$defs": two(), "allOf": [a, b]});
    check(&root, &cases);
    root["definitions"] = root["$defs"].take();
    root["allOf"] = json!([{"$ref": "#/definitions/A"}, {"$ref": "#/definitions/B"}]);
    check(&root, &cases);
    // A definition that also stands alone is closed there.
    let schema = json!({"type": "object", "$defs": two(), "properties": {
        "alone": a, "both": {"allOf": [a, b]}, "list": {"type": "array", "items": {"allOf": [a, b]}},
    }});
    check(
        &schema,
        &[
            (
                json!({"alone": {"a": 1}, "both": {"a": 1, "b": ""}, "list": [{"a": 1, "b": ""}]}),
                true,
            ),
            (json!({"alone": {"a": 1, "b": ""}}), false),
            (json!({"list": [{"a": 1, "c": ""}]}), false),
        ],
    );
}

#[test]
fn alternatives_are_closed_with_the_common_properties() {
    let two = json!({
        "A": {"type": "object", "properties": {"a": {}}, "required": ["a"]},
        "B": {"type": "object", "properties": {"b": {}}, "required": ["b"]},
    });
    let branches = json!([{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]);
    let cases = [
        (json!({"c": 1, "a": 1}), true),
        (json!({"b": 1}), true),
        (json!({"c": 1}), false),
        (json!({"a": 1, "d": 1}), false),
    ];
    for keyword in ["anyOf", "oneOf"] {
        check_property(&json!({"properties": {"c": {}}, keyword: branches}), &two, &cases);
        check_property(&json!({keyword: branches}), &two, &cases[1..]);
    }
    check_property(&json!({"anyOf": branches}), &two, &[(json!({"a": 1, "b": 1}), true)]);
}

#[test]
fn a_condition_on_items_within_a_condition_keeps_its_meaning() {
    let referred = json!({"$ref": "#/$defs/A"});
    check_property(
        &json!({"not": {"contains": referred}}),
        &two(),
        &[
            (json!([{"a": 1}]), false),
            (json!([{"a": 1, "more": 2}]), false),
            (json!([{"b": 1}]), true),
        ],
    );
}

#[test]
fn conditions_bring_their_properties() {
    let card = json!({"properties": {"kind": {"const": "card"}}});
    let number = json!({"properties": {"number": {"type": "string"}}, "required": ["number"]});
    let schema = json!({"type": "object", "properties": {"kind": {"enum": ["card", "cash"]}},
        "required": ["kind"], "if": card, "then": number, "else": {"properties": {"change": {}}}});
    check(
        &schema,
        &[
            (json!({"kind": "card", "number": "4"}), true),
            (json!({"kind": "card"}), false),
            (json!({"kind": "cash"}), true),
            (json!({"kind": "cash", "change": 1}), true),
            (json!({"kind": "cash", "number": "4"}), false),
        ],
    );
    let schema = json!({"type": "object", "$defs": {"Card": card, "Number": number},
        "properties": {"kind": {}}, "if": {"$ref": "#/$defs/Card", "required": ["kind"]},
        "then": {"$ref": "#/$defs/Number"}});
    check(
        &schema,
        &[
            (json!({"kind": "card", "number": "4"}), true),
            (json!({"kind": "cash"}), true),
            (json!({"kind": "cash", "number": "4"}), false),
        ],
    );
    for keyword in ["dependentSchemas", "dependencies"] {
        let schema = json!({"type": "object", "$defs": two(), "properties": {"c": {}},
            keyword: {"c": {"$ref": "#/$defs/A"}}});
        check(
            &schema,
            &[
                (json!({"c": 1, "a": 1}), true),
                (json!({"c": 1}), false),
                (json!({"a": 1}), false),
                (json!({}), true),
            ],
        );
    }
}

#[test]
fn nested_values_are_closed_by_all_parts_that_describe_them() {
    let part =
        |name: &str| json!({"properties": {"n": {"type": "object", "properties": {name: {}}}}});
    let cases = [
        (json!({"n": {"x": 1, "y": 1}}), true),
        (json!({"n": {"x": 1, "z": 1}}), false),
        (json!({"m": {}}), false),
    ];
    check_property(&json!({"allOf": [part("x"), part("y")]}), &json!({}), &cases);
    let named = json!({"X": part("x"), "Y": part("y")});
    let both = json!({"allOf": [{"$ref": "#/$defs/X"}, {"$ref": "#/$defs/Y"}]});
    check_property(&both, &named, &cases);
    let mut own = part("x");
    own["dependentSchemas"] = json!({"n": {"$ref": "#/$defs/Y"}});
    check_property(&own, &named, &cases);
    let list = |name: &str| json!({"items": {"properties": {name: {}}}});
    let cases = [(json!([{"x": 1, "y": 1}]), true), (json!([{"x": 1, "z": 1}]), false)];
    check_property(&json!({"allOf": [list("x"), list("y")]}), &json!({}), &cases);
    // Properties of branches that exclude each other are closed in each branch.
    let branch = |kind: &str, name: &str| {
        json!({"properties": {"kind": {"const": kind}, "n": part(name)["properties"]["n"]},
            "required": ["kind"]})
    };
    let kinds = json!({"oneOf": [branch("1", "x"), branch("2", "y")]});
    check_property(
        &kinds,
        &json!({}),
        &[
            (json!({"kind": "1", "n": {"x": 1}}), true),
            (json!({"kind": "1", "n": {"y": 1}}), false),
        ],
    );
}

#[test]
fn recursive_parts_are_closed_together_at_every_level() {
    let list = |name: &str, of: &str| {
        json!({"type": "object", "properties": {name: {},
            "kids": {"type": "array", "items": {"$ref": format!("#/$defs/{of}")}}}})
    };
    let both = json!({"allOf": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/Two"}]});
    let named = json!({"One": list("a", "One"), "Two": list("b", "Two")});
    let nested = |inner: Value| json!({"a": 1, "b": 1, "kids": [{"a": 1, "kids": [inner]}]});
    let cases = [(nested(json!({"a": 1, "b": 2})), true), (nested(json!({"c": 1})), false)];
    check_property(&both, &named, &cases);
}

#[test]
fn objects_below_unevaluated_items_are_closed() {
    let closed_items = |items: &Value| {
        let mut schema = json!({"unevaluatedItems": items});
        close(&mut schema, ChoiceReading::AnyBranches);
        schema["unevaluatedItems"].take()
    };
    // The validator refuses `unevaluatedItems`, so that only the schema of the items is compiled.
    let closed = closed_items(&json!({"properties": {"a": {}}}));
    check_closed(&closed, &[(json!({"a": 1}), true), (json!({"b": 1}), false)]);
    let open = json!({"properties": {"a": {}}, "additionalProperties": true});
    check_closed(&closed_items(&open), &[(json!({"b": 1}), true)]);
}

#[test]
fn objects_that_say_what_else_they_accept_stay_as_they_are() {
    let open = json!({"properties": {"a": {}}, "additionalProperties": true});
    let numbers = json!({"properties": {"a": {}}, "additionalProperties": {"type": "integer"}});
    let named = json!({"patternProperties": {"^x-": {}}, "properties": {"a": {}}});
    let beside = |part: &Value| json!({"properties": {"b": {}}, "allOf": [part]});
    let cases = [(json!({"a": 1, "b": 1, "c": 1}), true)];
    check_property(&beside(&open), &json!({}), &cases);
    check_property(
        &json!({"$ref": "#/$defs/O", "properties": {"b": {}}}),
        &json!({"O": open}),
        &cases,
    );
    check_property(
        &beside(&numbers),
        &json!({}),
        &[(json!({"c": 1}), true), (json!({"c": "1"}), false)],
    );
    check_property(
        &beside(&named),
        &json!({}),
        &[(json!({"x-1": 1}), true), (json!({"c": "1"}), false)],
    );
}

#[test]
fn an_object_stays_open_where_a_rule_requires_a_property_that_no_part_lists() {
    let named = json!({"a": {}});
    for rule in [
        json!({"required": ["zz"]}),
        json!({"oneOf": [{"required": ["zz"]}, {"required": ["b"]}]}),
        json!({"dependentRequired": {"a": ["zz"]}}),
        json!({"dependentRequired": {"zz": ["a"]}}),
        json!({"allOf": [{"required": ["zz"]}]}),
        json!({"minProperties": 2}),
    ] {
        let mut schema = json!({"type": "object", "properties": named});
        schema.as_object_mut().expect("an object").extend(rule.as_object().expect("rules").clone());
        check(&schema, &[(json!({"a": 1, "zz": 1}), true)]);
    }
    let schema =
        json!({"type": "object", "properties": named, "minProperties": 1, "required": ["a"]});
    check(&schema, &[(json!({"a": 1}), true), (json!({"a": 1, "b": 1}), false)]);
}

/// A branch for objects whose `k` has the value, with further keywords.
fn branch(value: &str, further: &Value) -> Value {
    let mut branch = json!({"properties": {"k": {"const": value}}, "required": ["k"]});
    let properties = further["properties"].as_object().cloned().unwrap_or_default();
    branch["properties"].as_object_mut().expect("an object").extend(properties);
    let required = further["required"].as_array().cloned().unwrap_or_default();
    branch["required"].as_array_mut().expect("a list").extend(required);
    for word in ["minProperties", "dependentRequired"] {
        if let Some(rule) = further.get(word) {
            branch[word] = rule.clone();
        }
    }
    branch
}

#[test]
fn an_object_stays_open_where_a_branch_requires_what_only_another_branch_lists() {
    let k = json!({"k": {}});
    let y = branch("y", &json!({"properties": {"b": {}}}));
    let a_and_b = json!({"k": "x", "a": 1, "b": 2});
    for rule in [
        json!({"properties": {"a": {}}, "required": ["a", "b"]}),
        json!({"properties": {"a": {}}, "minProperties": 3}),
        json!({"properties": {"a": {}}, "dependentRequired": {"a": ["b"]}}),
    ] {
        let x = branch("x", &rule);
        let named = json!({"X": x, "Y": y});
        let (to_x, to_y) = (json!({"$ref": "#/$defs/X"}), json!({"$ref": "#/$defs/Y"}));
        for branches in [json!([x, y]), json!([to_x, to_y]), json!([x, to_y])] {
            for word in ["oneOf", "anyOf"] {
                let cases = [(a_and_b.clone(), true)];
                check_property(&json!({"properties": k, word: branches}), &named, &cases);
                check_property(&json!({word: branches}), &named, &cases);
            }
        }
    }
    // Rules that apply in every branch need names that every branch lists.
    let schema =
        json!({"properties": k, "required": ["k", "b"], "oneOf": [branch("x", &json!({})), y]});
    check_property(&schema, &json!({}), &[(json!({"k": "x", "b": 1}), true)]);
    let condition = json!({"properties": k, "if": {"properties": {"k": {"const": "x"}}},
        "then": {"required": ["n"]}, "else": {"properties": {"n": {}}}});
    check_property(&condition, &json!({}), &[(json!({"k": "x", "n": 1}), true)]);
    let reverse = json!({"properties": k, "if": {"properties": {"k": {"const": "x"}}},
        "then": {"properties": {"n": {}}}, "else": {"required": ["n"]}});
    check_property(&reverse, &json!({}), &[(json!({"k": "y", "n": 1}), true)]);
}

#[test]
fn an_object_is_closed_where_each_branch_lists_what_it_requires() {
    let unknown = |value: &str| (json!({"k": value, "a": 1, "b": 1, "zz": 1}), false);
    let x = branch(
        "x",
        &json!({"properties": {"a": {}, "b": {}}, "required": ["a"], "minProperties": 3}),
    );
    let y = branch("y", &json!({"properties": {"a": {}, "b": {}}, "required": ["b"]}));
    let cases = [(json!({"k": "x", "a": 1, "b": 1}), true), unknown("x"), unknown("y")];
    for word in ["oneOf", "anyOf"] {
        check_property(&json!({word: [x, y]}), &json!({}), &cases);
        // Both branches list the names that the rules beside them need; `null` is no object.
        let both =
            json!({"required": ["a", "b"], "minProperties": 3, word: [x, y, {"type": "null"}]});
        check_property(&both, &json!({}), &cases);
    }
    let wide = json!({"oneOf": [x, {"properties": {"k": {"const": "y"}}, "required": ["k", "q"],
        "additionalProperties": true}]});
    check_property(&wide, &json!({}), &[unknown("x"), (json!({"k": "y", "q": 1}), true)]);
    // Several branches may apply to one value.
    let any =
        json!({"anyOf": [{"properties": {"a": {}}, "required": ["b"]}, {"properties": {"b": {}}}]});
    check_property(
        &any,
        &json!({}),
        &[(json!({"a": 1, "b": 1}), true), (json!({"b": 1, "c": 1}), false)],
    );
    let condition = json!({"if": {"required": ["n"]}, "then": {"properties": {"n": {}}},
        "else": {"properties": {"m": {}}}});
    check_property(
        &condition,
        &json!({}),
        &[(json!({"n": 1}), true), (json!({"m": 1}), true), (json!({"n": 1, "m": 1}), false)],
    );
}

#[test]
fn a_rule_beside_schemas_that_are_closed_alone_opens_the_object() {
    for word in ["allOf", "oneOf"] {
        let schema = json!({"required": ["zz"], word: [{"$ref": "#/$defs/A"}]});
        check_property(&schema, &two(), &[(json!({"a": 1, "zz": 1}), true)]);
    }
    let schema = json!({"$ref": "#/$defs/A", "required": ["zz"]});
    check_property(&schema, &two(), &[(json!({"a": 1, "zz": 1}), true)]);
}

#[test]
fn an_object_whose_names_have_only_a_rule_stays_open() {
    let names = json!({"pattern": "^x-"});
    let cases = [(json!({"x-a": 1}), true), (json!({"a": 1}), false)];
    check(&json!({"type": "object", "propertyNames": names}), &cases);
    check(&json!({"type": "object", "properties": {}, "propertyNames": names}), &cases);
    check(&json!({"type": "object", "allOf": [{"propertyNames": names}]}), &cases);
    check_property(&json!({"properties": {}, "propertyNames": names}), &json!({}), &cases);
    let listed = json!({"type": "object", "properties": {"x-a": {}}, "propertyNames": names});
    check(&listed, &[(json!({"x-a": 1}), true), (json!({"x-b": 1}), false)]);
}

#[derive(Deserialize, JsonSchema)]
struct Circle {
    radius: u8,
    center: Option<Point>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Point {
    x: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle(Circle),
    Point(Point),
    Square { side: u8 },
    Empty,
}

#[derive(Deserialize, JsonSchema)]
struct Scene {
    shapes: Vec<Shape>,
    by_name: BTreeMap<String, Shape>,
    circle: Circle,
}

#[derive(Deserialize, JsonSchema)]
struct Figure {
    name: String,
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Circle(Circle),
    Point(Point),
}

#[test]
fn tagged_enums_of_structs_accept_their_variants_alone() {
    let circle = json!({"kind": "Circle", "radius": 1, "center": {"x": 1}});
    let cases = [
        (circle.clone(), true),
        (json!({"kind": "Point", "x": 1}), true),
        (json!({"kind": "Square", "side": 1}), true),
        (json!({"kind": "Empty"}), true),
        (json!({"kind": "Point", "radius": 1}), false),
        (json!({"kind": "Circle", "radius": 1, "x": 1}), false),
        (json!({"kind": "Circle", "radius": 1, "center": {"x": 1, "y": 1}}), false),
        (json!({"kind": "Empty", "x": 1}), false),
    ];
    check_type::<Shape>(&cases);
    let scene = |shape: &Value, circle: Value| json!({"shapes": [shape], "by_name": {"a": shape}, "circle": circle});
    for (shape, admitted) in &cases {
        check_type::<Scene>(&[(scene(shape, json!({"radius": 1})), *admitted)]);
    }
    check_type::<Scene>(&[(scene(&circle, json!({"radius": 1, "kind": "Circle"})), false)]);
    check_type::<Figure>(&[
        (json!({"name": "a", "x": 1, "kind": "Circle", "radius": 1}), true),
        (json!({"name": "a", "x": 1, "kind": "Square", "side": 1}), true),
        (json!({"name": "a", "x": 1, "kind": "Square", "side": 1, "radius": 1}), false),
    ]);
    check_type::<Either>(&[
        (json!({"radius": 1}), true),
        (json!({"x": 1}), true),
        (json!({"x": 1, "radius": 1}), false),
    ]);
}

#[test]
fn a_document_whose_parts_would_be_copied_without_end_stays_open() {
    let fan = |level: usize| {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        json!({"allOf": [next, next], "properties": {format!("p{level}"): {}}})
    };
    let mut named = serde_json::Map::new();
    named.extend((0..40).map(|level| (format!("L{level}"), fan(level))));
    named.insert("L40".to_owned(), json!({"properties": {"last": {}}}));
    let mut schema = json!({"type": "object", "$defs": named, "$ref": "#/$defs/L0"});
    let (closed, steps) = test_cost::measure(|| close(&mut schema, ChoiceReading::AnyBranches));
    assert_eq!(closed, IsClosed::TooLarge);
    assert!(steps < 1_000_000, "{steps}");
}
