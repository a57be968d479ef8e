use super::*;

#[track_caller]
fn check(mut schema: Value, expected: &Value) {
    restate(&mut schema);
    assert_eq!(&schema, expected);
}

#[test]
fn a_union_that_only_restricts_an_object_is_a_condition() {
    check(
        json!({
            "title": "a::B", "type": "object",
            "properties": {"a": {"type": "string"}, "title": {"type": "string", "title": "Name"}},
            "oneOf": [{"required": ["a"]}, {"properties": {"title": {"type": "null"}}}],
            "allOf": [{"if": {"required": ["a"]}, "then": {"minProperties": 2}}],
        }),
        &json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "title": {"type": "string", "title": "Name"}},
            "if": {"not": {}},
            "else": {
                "oneOf": [{"required": ["a"]}, {"properties": {"title": {"type": "null"}}}],
                "allOf": [{"if": {"required": ["a"]}, "then": {"minProperties": 2}}],
            },
        }),
    );
}

#[test]
fn a_condition_that_is_there_stays_one() {
    check(
        json!({
            "type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]},
            "anyOf": [{"required": ["a"]}, {"required": ["c"]}],
        }),
        &json!({"type": "object", "if": {"not": {}}, "else": {
            "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}],
            "anyOf": [{"required": ["a"]}, {"required": ["c"]}],
        }}),
    );
}

#[test]
fn a_union_of_types_stays() {
    let union = json!({"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}]});
    check(union.clone(), &union);
    let inherited = json!({"allOf": [
        {"$ref": "#/components/schemas/A"},
        {"type": "object", "properties": {"b": {"type": "string"}}},
    ]});
    check(inherited.clone(), &inherited);
}

#[test]
fn a_schema_of_null_alone_is_an_enumeration() {
    let only = json!({"type": ["string", "null"], "enum": [null]});
    check(json!({"items": {"type": "null"}}), &json!({ "items": only }));
    check(json!({"items": {"type": ["null"]}}), &json!({ "items": only }));
    check(json!({"items": {"const": null}}), &json!({ "items": only }));
    check(
        json!({"type": "null"}),
        &json!({"type": ["string", "null"], "if": {"not": {}}, "else": {"type": "null"}}),
    );
}

#[test]
fn described_constants_are_an_enumeration() {
    check(
        json!({"description": "Which.", "oneOf": [
            {"const": "a", "type": "string", "description": "One."}, {"const": "b", "type": "string"},
        ]}),
        &json!({"description": "Which.\n\n- `a`: One.", "type": "string", "enum": ["a", "b"]}),
    );
}

#[test]
fn values_of_which_no_type_can_be_made_are_conditions() {
    check(json!({"enum": [1, 2]}), &json!({"type": "integer", "enum": [1, 2]}));
    check(json!({"const": "a"}), &json!({"type": "string", "const": "a"}));
    check(
        json!({"const": true}),
        &json!({"type": "boolean", "if": {"not": {}}, "else": {"const": true}}),
    );
    check(json!({"enum": [1, "a"]}), &json!({"if": {"not": {}}, "else": {"enum": [1, "a"]}}));
    check(
        json!({"type": "string", "enum": ["m", "M"]}),
        &json!({"type": "string", "if": {"not": {}}, "else": {"enum": ["m", "M"]}}),
    );
    check(
        json!({"description": "Any.", "type": ["array", "string"], "items": true}),
        &json!({"description": "Any.", "if": {"not": {}}, "else": {"type": ["array", "string"], "items": true}}),
    );
}

#[test]
fn keys_of_one_pattern_are_the_names_of_a_map() {
    check(
        json!({
            "type": "object", "patternProperties": {"^[0-9]+$": {"type": "integer"}},
            "additionalProperties": false,
        }),
        &json!({
            "type": "object", "propertyNames": {"pattern": "^[0-9]+$"},
            "additionalProperties": {"type": "integer"},
        }),
    );
}

#[test]
fn an_object_whose_names_clients_cannot_tell_apart_or_write_is_a_map() {
    for names in [["userId", "user_id"], ["城市", "name"]] {
        let closed = json!({
            "properties": {names[0]: {"type": "string"}, names[1]: {"type": "integer"}},
            "required": [names[0]], "unevaluatedProperties": false,
            "if": {"required": [names[1]]}, "then": {"minProperties": 2},
        });
        let mut schema = json!({"type": "object", "description": "A guest."});
        schema.as_object_mut().expect("an object").extend(closed.as_object().cloned().unwrap());
        let map = json!({
            "type": "object", "description": "A guest.", "additionalProperties": {},
            "if": {"not": {}}, "else": {"allOf": [closed]},
        });
        check(schema, &map);
    }
    let apart = json!({
        "type": "object",
        "properties": {"größe": {"type": "string"}, "class": {"type": "string"}},
    });
    check(apart.clone(), &apart);
}
