//! Each keyword with valid and invalid values.

use serde_json::{Value, json};

use super::{Coerce, check, report};
use crate::schema::Validator;

/// Checks one schema by texts that pass and texts that break exactly one rule.
#[track_caller]
fn rows(schema: Value, passes: &[&str], breaks: &[(&str, &str)]) {
    for text in passes {
        check(&schema, text, &[]);
    }
    for (text, broken) in breaks {
        check(&schema, text, &[broken]);
    }
}

#[test]
fn types() {
    rows(json!({"type": "null"}), &["null"], &[("0", "type "), ("\"\"", "type ")]);
    rows(json!({"type": "boolean"}), &["true", "false"], &[("0", "type "), ("null", "type ")]);
    rows(json!({"type": "integer"}), &["0", "-3"], &[("1.5", "type "), ("true", "type ")]);
    rows(json!({"type": "number"}), &["0", "1.5"], &[("\"1\"", "type "), ("[]", "type ")]);
    rows(json!({"type": "string"}), &["\"\""], &[("0", "type "), ("{}", "type ")]);
    rows(json!({"type": "array"}), &["[]"], &[("{}", "type ")]);
    rows(json!({"type": "object"}), &["{}"], &[("[]", "type ")]);
    rows(json!({"type": ["string", "null"]}), &["\"\"", "null"], &[("1", "type ")]);
    rows(json!({"type": "string", "nullable": true}), &["\"\"", "null"], &[("1", "type ")]);
    rows(json!(true), &["1", "{}"], &[]);
    rows(json!(false), &[], &[("1", "false ")]);
    rows(json!({}), &["1", "{}"], &[]);
}

#[test]
fn objects() {
    let schema = json!({"properties": {"a": {"type": "string"}}, "required": ["a", "b"]});
    check(&schema, r#"{"a": "x", "b": 1, "c": 2}"#, &[]);
    check(&schema, r#"{"a": 1}"#, &["type /a", "required /b"]);
    rows(
        json!({"properties": {"a": true}, "additionalProperties": false}),
        &["{}", r#"{"a": 1}"#],
        &[(r#"{"b": 1}"#, "additionalProperties /b")],
    );
    rows(
        json!({"additionalProperties": {"type": "integer"}}),
        &[r#"{"x": 1}"#],
        &[(r#"{"x": "1"}"#, "type /x")],
    );
    rows(
        json!({"patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": false}),
        &[r#"{"n_a": 1}"#],
        &[(r#"{"n_a": "x"}"#, "type /n_a"), (r#"{"a": 1}"#, "additionalProperties /a")],
    );
    rows(
        json!({"propertyNames": {"maxLength": 2}}),
        &[r#"{"ab": 1}"#, r#"{"\u0061b": 1}"#],
        &[(r#"{"abc": 1}"#, "propertyNames /abc")],
    );
    rows(
        json!({"minProperties": 1, "maxProperties": 2}),
        &[r#"{"a": 1}"#],
        &[("{}", "minProperties "), (r#"{"a": 1, "b": 1, "c": 1}"#, "maxProperties ")],
    );
    rows(
        json!({"dependentRequired": {"a": ["b"]}}),
        &["{}", r#"{"a": 1, "b": 1}"#],
        &[(r#"{"a": 1}"#, "dependentRequired /b")],
    );
    rows(
        json!({"dependencies": {"a": ["b"], "c": {"properties": {"d": {"type": "null"}}}}}),
        &[r#"{"c": 1, "d": null}"#],
        &[(r#"{"a": 1}"#, "dependentRequired /b"), (r#"{"c": 1, "d": 1}"#, "type /d")],
    );
    rows(
        json!({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}),
        &[r#"{"a": 1}"#],
        &[(r#"{"b": 1}"#, "unevaluatedProperties /b")],
    );
}

#[test]
fn objects_with_many_properties() {
    let names: Vec<_> = (0..200).map(|n| format!("p{n}")).collect();
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({"type": "integer"}))).collect();
    let schema =
        json!({"properties": properties, "required": names, "additionalProperties": false});
    let all: Vec<_> = names.iter().map(|name| format!("\"{name}\": 1")).collect();
    check(&schema, &format!("{{{}}}", all.join(",")), &[]);
    check(&schema, &format!("{{{}}}", all[1..].join(",")), &["required /p0"]);
    check(&schema, &format!("{{{}}}", all[..199].join(",")), &["required /p199"]);
}

#[test]
fn arrays() {
    rows(json!({"items": {"type": "integer"}}), &["[]", "[1, 2]"], &[("[1, \"2\"]", "type /1")]);
    rows(
        json!({"prefixItems": [{"type": "integer"}], "items": false}),
        &["[]", "[1]"],
        &[("[\"\"]", "type /0"), ("[1, 2]", "false /1")],
    );
    rows(
        json!({"items": [{"type": "integer"}], "additionalItems": {"type": "string"}}),
        &["[1, \"\"]"],
        &[("[1, 2]", "type /1")],
    );
    rows(
        json!({"minItems": 1, "maxItems": 2}),
        &["[1]", "[1, 2]"],
        &[("[]", "minItems "), ("[1, 2, 3]", "maxItems ")],
    );
    rows(
        json!({"uniqueItems": true}),
        &["[1, \"1\", [1], {\"a\": 1}, true]", "[[1, 2], [2, 1]]"],
        &[
            ("[1, 1.0]", "uniqueItems /1"),
            (r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1}]"#, "uniqueItems /1"),
            (r#"["a", "\u0061"]"#, "uniqueItems /1"),
            ("[0,1,2,3,4,5,6,7,8,9,10,1e1]", "uniqueItems /11"),
        ],
    );
    rows(
        json!({"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3}),
        &["[1, 2]", "[1, 2, \"\", 3]"],
        &[("[1]", "minContains "), ("[1, 2, 3, 4]", "maxContains ")],
    );
    rows(json!({"contains": {"const": 1}}), &["[0, 1]"], &[("[0]", "contains ")]);
}

#[test]
fn strings() {
    rows(
        json!({"minLength": 2, "maxLength": 3}),
        &["\"ab\"", "\"äöü\"", r#""\ud83d\ude00x""#],
        &[("\"a\"", "minLength "), ("\"😀\"", "minLength "), ("\"abcd\"", "maxLength ")],
    );
    rows(
        json!({"pattern": "^[a-z]+$"}),
        &["\"ab\"", r#""\u0061""#],
        &[("\"\"", "pattern "), ("\"a1\"", "pattern "), (r#""a\n""#, "pattern ")],
    );
    rows(json!({"format": "date"}), &["\"no date\""], &[]);
}

#[test]
fn listed_values() {
    rows(
        json!({"enum": ["b", "a", 1, null, {"x": [1]}]}),
        &["\"a\"", r#""\u0062""#, "1", "1.0", "null", r#"{"x": [1e0]}"#],
        &[("\"c\"", "enum "), ("2", "enum "), (r#"{"x": []}"#, "enum ")],
    );
    rows(json!({"const": "a"}), &["\"a\""], &[("\"b\"", "const ")]);
    rows(json!({"const": 2.5}), &["2.5", "25e-1"], &[("2", "const ")]);
}

#[test]
fn logic() {
    rows(json!({"allOf": [{"minimum": 1}, {"maximum": 3}]}), &["2"], &[("0", "minimum ")]);
    rows(
        json!({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 5}]}),
        &["\"\"", "7"],
        &[("1", "minimum "), ("true", "type ")],
    );
    rows(
        json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
        &["2", "3"],
        &[("6", "oneOf "), ("5", "oneOf ")],
    );
    rows(json!({"not": {"type": "string"}}), &["1"], &[("\"\"", "not ")]);
    let schema =
        json!({"if": {"type": "integer"}, "then": {"minimum": 5}, "else": {"maxLength": 1}});
    rows(schema, &["5", "\"a\""], &[("4", "minimum "), ("\"ab\"", "maxLength ")]);
}

#[test]
fn references() {
    let tree = json!({
        "$defs": {"a/b %": {
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/a~1b%20%25"}}},
            "additionalProperties": false,
        }},
        "$ref": "#/$defs/a~1b %25",
    });
    check(&tree, r#"{"kids": [{"kids": []}, {}]}"#, &[]);
    check(
        &tree,
        r#"{"kids": [{"kids": [{"kid": 1}]}]}"#,
        &["additionalProperties /kids/0/kids/0/kid"],
    );
    check(&json!({"items": {"$ref": "#"}, "type": "array"}), "[[], [[1]]]", &["type /1/0/0"]);
}

#[test]
fn the_closest_branch_answers() {
    let tagged = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}, "required": ["kind", "y"]},
        {"type": "null"},
    ]});
    check(&tagged, r#"{"kind": "a", "x": 1}"#, &[]);
    check(&tagged, "null", &[]);
    check(&tagged, r#"{"kind": "b", "y": ""}"#, &["type /y"]);
    check(&tagged, r#"{"kind": "c"}"#, &["enum /kind"]);
    check(&tagged, r#"{"kind": 1}"#, &["enum /kind"]);
    check(&tagged, "{}", &["required /kind"]);
    check(&tagged, "1", &["type "]);
    let outer = json!({"oneOf": [
        {"type": "object", "properties": {"Circle": {"type": "object", "properties": {"r": {"type": "number"}}}}, "required": ["Circle"], "additionalProperties": false},
        {"type": "object", "properties": {"Square": {"type": "number"}}, "required": ["Square"], "additionalProperties": false},
    ]});
    check(&outer, r#"{"Circle": {"r": "1"}}"#, &["type /Circle/r"]);
    check(&outer, r#"{"Triangle": 1}"#, &["oneOf "]);
}

#[test]
fn a_keyword_that_cannot_be_enforced_is_refused() {
    #[track_caller]
    fn refused(schema: Value, pointer: &str) {
        assert_eq!(Validator::compile(&schema).unwrap_err().pointer(), pointer, "{schema}");
    }
    refused(json!(1), "");
    refused(json!({"type": "any"}), "/type");
    refused(json!({"type": []}), "/type");
    refused(json!({"properties": {"a": {"required": true}}}), "/properties/a/required");
    refused(json!({"properties": []}), "/properties");
    refused(json!({"items": {"minItems": -1}}), "/items/minItems");
    refused(json!({"maxLength": 1.5}), "/maxLength");
    refused(json!({"multipleOf": 0}), "/multipleOf");
    refused(json!({"pattern": "(?=x)"}), "/pattern");
    refused(json!({"patternProperties": {"(": true}}), "/patternProperties/(");
    refused(json!({"$ref": "other.json"}), "/$ref");
    refused(json!({"$ref": "#/$defs/none"}), "/$ref");
    refused(json!({"$ref": "#anchor"}), "/$ref");
    refused(json!({"unevaluatedItems": false}), "/unevaluatedItems");
    refused(json!({"$dynamicRef": "#x"}), "/$dynamicRef");
    refused(json!({"anyOf": []}), "/anyOf");
    refused(json!({"$ref": "#"}), "");
    refused(json!({"allOf": [{"$ref": "#"}]}), "");
    refused(json!({"dependentSchemas": {"a": {"$ref": "#"}}}), "");
    refused(json!({"properties": {"a~/": {"enum": 1}}}), "/properties/a~0~1/enum");
    let deep = (0..200).fold(json!(true), |inner, _| json!({"items": inner}));
    assert!(Validator::compile(&deep).is_err());
    assert!(Validator::compile(&json!({"x-own": 1, "format": "none", "$comment": ""})).is_ok());
}

#[test]
fn answers_name_rules_and_types_and_never_values() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "unit": {"enum": ["km", "mi"]},
            "name": {"type": "string", "pattern": "^[a-z]+$"},
        },
        "required": ["limit"],
        "additionalProperties": false,
    });
    let text = r#"{"limit": 90210, "unit": "hunter2", "name": "hunter2", "nmae": "hunter2"}"#;
    let report = report(&schema, text, Coerce::Off);
    let lines: Vec<_> = report
        .violations
        .iter()
        .map(|v| {
            [v.pointer(), v.expected(), v.received(), v.hint().unwrap_or_default()].join(" | ")
        })
        .collect();
    let expected = [
        "/limit | at most 50 | integer | ",
        "/unit | one of \"km\", \"mi\" | string | ",
        "/name | text that matches `^[a-z]+$` | string | ",
        "/nmae | only the properties `limit`, `name`, `unit` | string | did you mean `name`?",
    ];
    assert_eq!(lines, expected);
}

/// Checks the description of the expected value of the only violation.
#[track_caller]
fn expects(schema: Value, text: &str, expected: &str) {
    let report = super::report(&schema, text, super::Coerce::Off);
    let found: Vec<_> = report.violations.iter().map(tool_contracts::Violation::expected).collect();
    assert_eq!(found, [expected], "{schema} {text}");
}

#[test]
fn the_empty_name_of_a_property_is_told_as_such() {
    let schema = json!({"properties": {"": {}, "a": {}}, "additionalProperties": false});
    expects(schema, r#"{"b": 1}"#, "only the properties `\"\"` (the empty name), `a`");
}

#[test]
fn a_name_that_is_not_accepted_is_told_the_pattern_and_the_lengths_of_names() {
    let schema = json!({"propertyNames": {"pattern": "^[a-z]+$", "maxLength": 3}});
    let expected = "a property whose name is text that matches `^[a-z]+$`, of at most 3 characters";
    expects(schema, r#"{"A": 1}"#, expected);
    let schema = json!({
        "properties": {"all": {}}, "patternProperties": {r"^-?\d+$": {}}, "additionalProperties": false,
    });
    let expected =
        r"only the properties `all`, those whose name is an integer that matches `^-?\d+$`";
    expects(schema, r#"{"x": 1}"#, expected);
}

#[test]
fn a_value_that_two_schemas_refuse_for_one_reason_is_one_violation() {
    let part = |types: Value, name: &str| {
        json!({"properties": {"v": {"type": types}, name: {}}, "required": ["v", name],
            "additionalProperties": false})
    };
    let both =
        json!({"allOf": [part(json!("integer"), "a"), part(json!(["integer", "null"]), "a")]});
    check(&both, r#"{"v":"x","z":1}"#, &["type /v", "additionalProperties /z", "required /a"]);
}
