//! Completion by a schema's defaults.

use serde_json::{Value, json};

use crate::canonical::{CanonicalErrorKind, Defaults, canonicalize_exactly};

#[track_caller]
fn check(schema: &Value, text: &str, expected: &str) {
    let mut out = Vec::new();
    canonicalize_exactly(text, &Defaults::compile(schema), &mut out).expect(text);
    assert_eq!(String::from_utf8(out).expect("text"), expected, "{text}");
}

#[test]
fn absent_properties_are_filled_in_at_their_place() {
    let schema = json!({"properties": {
        "limit": {"type": "integer", "default": 10.0},
        "query": {"type": "string"},
        "é": {"default": {"b": [1e0], "a": "\u{2028}"}},
        "a": {"default": null},
    }});
    let rest = "\"é\":{\"a\":\"\u{2028}\",\"b\":[1]}}";
    check(
        &schema,
        r#"{"query":"tea"}"#,
        &(r#"{"a":null,"limit":10,"query":"tea","#.to_owned() + rest),
    );
    check(
        &schema,
        r#"{"limit":1,"query":"tea"}"#,
        &(r#"{"a":null,"limit":1,"query":"tea","#.to_owned() + rest),
    );
    check(&schema, "{}", &(r#"{"a":null,"limit":10,"#.to_owned() + rest));
    check(
        &schema,
        r#"{"\u006cimit": null, "zz": 1, "a": 0, "é": 0}"#,
        r#"{"a":0,"limit":null,"zz":1,"é":0}"#,
    );
    check(&schema, "[{}]", "[{}]");
    check(&json!(true), "{}", "{}");
}

#[test]
fn whole_numbers_keep_all_digits_however_they_are_written() {
    let schema = json!({"properties": {"a": {"default": u64::MAX}}});
    check(&schema, "{}", r#"{"a":18446744073709551615}"#);
    check(&schema, r#"{"a":1.8446744073709551615e19}"#, r#"{"a":18446744073709551615}"#);
    check(&schema, r#"{"a":-9007199254740993.0}"#, r#"{"a":-9007199254740993}"#);
    check(&schema, r#"{"a":[-0,0e9,-0.0,1e22]}"#, r#"{"a":[0,0,0,10000000000000000000000]}"#);
    check(
        &schema,
        r#"{"a":[9007199254740991,1e300,0.5]}"#,
        r#"{"a":[9007199254740991,1e+300,0.5]}"#,
    );
}

#[test]
fn nested_objects_items_and_references_are_followed() {
    let schema = json!({
        "properties": {
            "by": {"$ref": "#/$defs/Filter", "description": "by what"},
            "all": {"items": {"$ref": "#/$defs/Filter"}},
            "in": {"properties": {"unit": {"default": "m"}}},
            "kind": {"$ref": "#/$defs/Kind"},
        },
        "$defs": {
            "Filter": {"properties": {"score": {"default": 50}, "not": {"$ref": "#/$defs/Filter"}}},
            "Kind": {"enum": ["a", "b"], "default": "b"},
        },
    });
    check(&schema, "{}", r#"{"kind":"b"}"#);
    check(
        &schema,
        r#"{"kind":"a","by":{"not":{"not":{"score":1}}},"all":[{},7,{"score":2}],"in":{}}"#,
        r#"{"all":[{"score":50},7,{"score":2}],"by":{"not":{"not":{"score":1},"score":50},"score":50},"in":{"unit":"m"},"kind":"a"}"#,
    );
}

#[test]
fn a_default_is_filled_in_turn() {
    let schema = json!({"properties": {"options": {
        "default": {},
        "properties": {"limit": {"default": 10}, "page": {"default": {}, "properties": {"at": {"default": 0}}}},
    }}});
    let whole = r#"{"options":{"limit":10,"page":{"at":0}}}"#;
    for text in ["{}", r#"{"options":{}}"#, r#"{"options":{"page":{},"limit":1e1}}"#] {
        check(&schema, text, whole);
    }
}

#[test]
fn schemas_that_lead_back_to_themselves_end() {
    check(&json!({"$ref": "#"}), r#"{"a":1}"#, r#"{"a":1}"#);
    let own = json!({"properties": {"next": {"$ref": "#", "default": {}}}});
    check(&own, "{}", r#"{"next":{"next":{}}}"#);
    let pair = json!({
        "$ref": "#/$defs/A",
        "$defs": {
            "A": {"$ref": "#/$defs/B", "properties": {"x": {"default": 1}}},
            "B": {"$ref": "#/$defs/A", "properties": {"x": {"default": 2}, "y": {"default": 3}}},
        },
    });
    check(&pair, "{}", r#"{"x":1,"y":3}"#);
}

#[test]
fn the_defaults_filled_in_are_bounded() {
    let twice = |level: usize| {
        let below = json!({"$ref": format!("#/$defs/L{}", level + 1), "default": {}});
        (format!("L{level}"), json!({"properties": {"a": below, "b": below}}))
    };
    let definitions: Value = (0..100).map(twice).collect();
    let schema = json!({"$ref": "#/$defs/L0", "$defs": definitions});
    let mut out = Vec::new();
    canonicalize_exactly("{}", &Defaults::compile(&schema), &mut out).expect("bounded");
    assert!(out.len() < 200_000, "{} bytes", out.len());

    let schema = json!({"items": {"properties": {"a": {"default": "x".repeat(50_000)}}}});
    let text = format!("[{}{{}}]", "{},".repeat(500));
    let error = canonicalize_exactly(&text, &Defaults::compile(&schema), &mut out);
    let error = error.expect_err("25 MB of defaults");
    assert_eq!((error.kind(), error.position()), (CanonicalErrorKind::TooLarge, 1 + 3 * 335));
}

#[test]
fn combinators_and_what_has_no_name_are_left_alone() {
    let filled = json!({"properties": {"a": {"default": 1}}});
    for schema in [
        json!({"anyOf": [filled]}),
        json!({"allOf": [filled]}),
        json!({"properties": {"x": {"anyOf": [filled, {"type": "null"}]}}}),
        json!({"additionalProperties": filled}),
        json!({"properties": {"x": {"$ref": "https://example.com/other"}}}),
        json!({"properties": {"x": {"$ref": "#/$defs/Missing"}}}),
    ] {
        check(&schema, r#"{"x":{}}"#, r#"{"x":{}}"#);
    }
}

#[test]
fn an_alias_is_written_as_the_declared_name() {
    let query = json!({"properties": {
        "q": {"x-aliases": ["text", "a\u{7f}\"b"], "default": "tea"},
        "at": {"default": 1},
    }});
    check(&query, r#"{"text":"x"}"#, r#"{"at":1,"q":"x"}"#);
    check(&query, r#"{"a\u007f\"b":"x","at":2}"#, r#"{"at":2,"q":"x"}"#);
    check(&query, "{}", r#"{"at":1,"q":"tea"}"#);
    let declared =
        json!({"properties": {"é\"": {"x-aliases": ["e"]}, "e": {}, "f": {"x-aliases": ["e"]}}});
    check(&declared, r#"{"e":1}"#, r#"{"e":1}"#);
    let escaped = json!({"properties": {"é\"": {"x-aliases": ["e"]}}});
    check(&escaped, r#"{"e":1,"z":2}"#, "{\"z\":2,\"é\\\"\":1}");
    let plain = json!({"properties": {"q": {"x-aliases": ["text"]}}});
    let list = json!({"items": plain});
    for schema in [
        json!({"properties": {"v": plain}}),
        json!({"properties": {"v": {"$ref": "#/$defs/Query"}}, "$defs": {"Query": plain}}),
        json!({"properties": {"v": {"anyOf": [plain, {"type": "null"}]}}}),
        json!({"properties": {"v": {"oneOf": [{"properties": {"z": {}}}, {"allOf": [plain]}]}}}),
        json!({"anyOf": [{"properties": {"v": plain}}]}),
    ] {
        check(&schema, r#"{"v":{"text":"tea"}}"#, r#"{"v":{"q":"tea"}}"#);
    }
    check(&list, r#"[{"text":1},{"q":2}]"#, r#"[{"q":1},{"q":2}]"#);
    check(&json!({"anyOf": [list]}), r#"[{"text":1}]"#, r#"[{"q":1}]"#);
}

#[test]
fn a_name_in_one_branch_and_alias_in_another_is_kept() {
    let schema = json!({"oneOf": [
        {"properties": {"q": {"x-aliases": ["text"]}}},
        {"properties": {"text": {}}},
    ]});
    check(&schema, r#"{"text":1}"#, r#"{"text":1}"#);
    let two = json!({"oneOf": [
        {"properties": {"a": {"x-aliases": ["c"]}}},
        {"properties": {"b": {"x-aliases": ["c"]}}},
    ]});
    check(&two, r#"{"c":1}"#, r#"{"c":1}"#);
}
