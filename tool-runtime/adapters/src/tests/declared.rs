//! Declarations accept everything that the tool accepts.

use jsonschema::is_valid;

use super::*;

fn declared(dialect: Dialect, schema: &Value) -> Value {
    let spec = ToolSpec::builder("t", Effect::Read).input_schema(schema.clone()).build().unwrap();
    let adapter = Adapter::new(dialect, [&spec]);
    let tools = adapter.declarations();
    let places = [
        "/0/function/parameters",
        "/0/parameters",
        "/0/input_schema",
        "/tools/0/toolSpec/inputSchema/json",
    ];
    let gemini = "/0/functionDeclarations/0/parametersJsonSchema";
    let found = places.iter().chain([&gemini]).find_map(|place| tools.pointer(place));
    found.expect("a declared schema").clone()
}

/// In every dialect, a declaration accepts what the tool accepts.
#[track_caller]
fn check(schema: &Value, taken: &Value) {
    assert!(is_valid(schema, taken), "the tool refuses {taken}");
    for dialect in Dialect::ALL {
        let said = declared(dialect, schema);
        assert!(is_valid(&said, taken), "{dialect}: {said} refuses {taken}");
    }
}

#[test]
fn a_closed_schema_of_an_all_of_still_admits_its_own_properties() {
    let schema = json!({"type": "object", "allOf": [
        {"properties": {"a": {"type": "string", "pattern": "x"}}},
        {"properties": {"a": {"type": "string", "pattern": "y"}, "b": {"type": "string"}},
            "required": ["a", "b"], "additionalProperties": false},
    ]});
    check(&schema, &json!({"a": "xy", "b": "z"}));
}

#[test]
fn a_value_of_several_branches_has_the_properties_of_all() {
    let named = |name: &str| json!({"properties": {name: {"type": "string"}}, "required": [name]});
    let both = json!({"type": "object", "anyOf": [named("a"), named("b")],
        "unevaluatedProperties": false});
    let schema = json!({"type": "object", "properties": {"it": both}, "required": ["it"],
        "additionalProperties": false});
    check(&schema, &json!({"it": {"a": "x", "b": "y"}}));
}

#[test]
fn a_property_that_one_branch_lets_in_is_not_refused() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
    "unevaluatedProperties": false, "oneOf": [
        {"additionalProperties": {"type": "integer"}, "minProperties": 2},
        {"properties": {"b": {"type": "null"}}, "required": ["b"]},
    ]});
    check(&schema, &json!({"c": 1, "d": 2}));
}

#[test]
fn a_property_that_a_condition_names_is_not_refused() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": ["a"], "if": {"required": ["a"]},
        "then": {"properties": {"b": {"type": "string"}}}, "unevaluatedProperties": false});
    check(&schema, &json!({"a": "x", "b": "y"}));
}

#[test]
fn a_property_that_a_condition_names_is_not_refused_where_the_condition_is_dropped() {
    // OpenAI refuses the pattern's syntax, so the condition cannot be declared.
    let it = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        "if": {"properties": {"a": {"pattern": r"\bx"}}},
        "then": {"properties": {"b": {"type": "string"}}}, "unevaluatedProperties": false});
    let schema = json!({"type": "object", "properties": {"it": it}, "required": ["it"],
        "additionalProperties": false});
    check(&schema, &json!({"it": {"a": "x", "b": "y"}}));
}

#[test]
fn a_choice_of_one_that_admits_more_is_a_choice_of_any_wherever_it_is_said_again() {
    let node = json!({"type": "object", "additionalProperties": false,
        "properties": {"in": {"$ref": "#/$defs/node"}, "end": {"type": "string"}}});
    let deep = |end: Value| json!({"in": {"in": {"in": {"in": end}}}});
    let inner =
        |inner: Value| json!({"type": "object", "properties": {"in": inner}, "required": ["in"]});
    let other = (0..4).fold(json!({"type": "integer"}), |said, _| inner(said));
    let choice = json!({"oneOf": [{"$ref": "#/$defs/node"}, other]});
    let named = json!({"$ref": "#/$defs/choice"});
    let schema = json!({"type": "object", "properties": {"a": named, "b": named},
        "required": ["a", "b"], "$defs": {"node": node, "choice": choice}});
    check(&schema, &json!({"a": deep(json!(1)), "b": deep(json!(1))}));
}

#[test]
fn a_type_is_named_once_where_null_leaves_it_out() {
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"a": {"type": ["string", "null"], "enum": ["x"]}}});
    let said = declared(Dialect::OpenAiChat, &schema);
    assert_eq!(said["properties"]["a"], json!({"type": ["string", "null"], "enum": ["x", null]}));
}

#[test]
fn a_property_that_is_called_otherwise_meets_no_rule_about_names() {
    let schema = json!({"type": "object", "properties": {"filter": {"type": "object",
        "properties": {"$a": {"type": "integer"}}, "propertyNames": {"enum": ["$a"]}}}});
    let said = declared(Dialect::Anthropic, &schema);
    let filter = &said["properties"]["filter"];
    let name = filter["properties"].as_object().unwrap().keys().next().unwrap();
    assert!(is_valid(filter, &json!({ name: 1 })), "{said}");
    let kept = declared(Dialect::OpenAiChat, &schema);
    assert_eq!(kept["properties"]["filter"]["propertyNames"], json!({"enum": ["$a"]}));
}

#[test]
fn a_value_with_the_shape_of_a_schema_changes_no_rule() {
    let filter = json!({"type": "object", "propertyNames": {"maxLength": 3},
        "default": {"properties": {"$a": 1}}});
    let schema = json!({"type": "object", "properties": {"filter": filter}});
    assert_eq!(declared(Dialect::Anthropic, &schema)["properties"]["filter"], filter);
}

#[test]
fn schemas_in_dependencies_are_declared_as_those_elsewhere() {
    let key = json!({"type": "string", "x-sensitivity": "secret", "default": "hunter2"});
    let dependencies = json!({"a": {"$ref": "#/definitions/Keyed"}, "b": ["a"],
        "c": {"properties": {"key": key}}});
    let schema = json!({"type": "object", "properties": {"f": {"type": "object",
        "dependencies": dependencies}}, "definitions": {"Keyed": {"required": ["key"]}}});
    for dialect in [Dialect::Anthropic, Dialect::OpenAiChat] {
        let said = declared(dialect, &schema);
        assert!(!said.to_string().contains("hunter2"), "{said}");
        assert!(is_valid(&said, &json!({"f": {"a": 1, "key": "k"}})), "{said}");
        assert!(!is_valid(&said, &json!({"f": {"a": 1}})), "{said}");
        assert!(!is_valid(&said, &json!({"f": {"b": 1}})), "{said}");
    }
}

#[test]
fn the_root_of_a_subset_has_no_word_that_the_subset_lacks() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "additionalProperties": false, "minProperties": 1, "maxProperties": 2,
        "dependentRequired": {"a": ["b"]}, "propertyNames": {"$ref": "#/$defs/name"},
        "$defs": {"name": {"maxLength": 3}}});
    for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Gemini] {
        let said = declared(dialect, &schema);
        let words: Vec<_> = said.as_object().expect("an object").keys().collect();
        let known = ["additionalProperties", "description", "properties", "required", "type"];
        assert!(words.iter().all(|word| known.contains(&word.as_str())), "{dialect}: {said}");
        assert_eq!(said["description"], "At most 2 properties. At least 1 property.");
    }
}

#[test]
fn arguments_that_are_a_choice_of_themselves_end() {
    let again = json!({"$ref": "#"});
    for word in ["anyOf", "oneOf", "allOf"] {
        let schema = json!({"type": "object", "properties": {"a": {}}, word: [again, again]});
        for dialect in Dialect::ALL {
            assert_eq!(declared(dialect, &schema)["type"], "object");
        }
    }
}

/// The losses of a tool in a dialect.
fn losses(dialect: Dialect, schema: &Value) -> Vec<String> {
    let spec = ToolSpec::builder("t", Effect::Read).input_schema(schema.clone()).build().unwrap();
    let adapter = Adapter::new(dialect, [&spec]);
    adapter.report().losses().map(ToString::to_string).collect()
}

#[test]
fn a_pattern_that_openai_refuses_is_not_sent_to_it() {
    let schema = |open: bool| {
        json!({"type": "object", "properties": {
        "name": {"type": "string", "pattern": r"^\p{L}+$"}, "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
    }, "required": ["name", "code"], "additionalProperties": open})
    };
    for dialect in Dialect::ALL {
        for open in [true, false] {
            let said = declared(dialect, &schema(open));
            let (name, code) = (&said["properties"]["name"], &said["properties"]["code"]);
            match dialect {
                Dialect::OpenAiChat | Dialect::OpenAiResponses => {
                    assert_eq!(
                        (name.get("pattern"), &code["pattern"]),
                        (None, &json!("^[A-Z]{2}$"))
                    );
                    let expected = if open {
                        "t: pattern at `/properties/name`: omitted, because the provider refuses its syntax"
                    } else {
                        "t: pattern at `/properties/name`: moved to the description"
                    };
                    assert!(losses(dialect, &schema(open)).iter().any(|loss| loss == expected));
                }
                Dialect::Anthropic | Dialect::BedrockConverse => {
                    assert_eq!(name["pattern"], r"^\p{L}+$");
                }
                Dialect::Gemini | Dialect::Ollama => assert_eq!(code.get("pattern"), None),
            }
        }
    }
}

#[test]
fn names_whose_pattern_openai_refuses_stay_allowed() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "object",
        "patternProperties": {r"^(?!x)\w+$": {"type": "integer"}}, "additionalProperties": false}}});
    let said = declared(Dialect::OpenAiChat, &schema);
    assert!(!said.to_string().contains("(?!"), "{said}");
    assert!(is_valid(&said, &json!({"a": {"y": 1}})), "{said}");
}

#[test]
fn a_secrets_default_is_told_to_nobody() {
    let secret = json!({"type": "string", "x-sensitivity": "secret", "default": "hunter2",
        "examples": ["hunter3"]});
    let schema = json!({"type": "object", "properties": {"token": secret},
        "additionalProperties": false});
    for dialect in Dialect::ALL {
        let said = declared(dialect, &schema).to_string();
        assert!(said.contains("token") && !said.contains("hunter"), "{dialect}: {said}");
    }
}

fn adapted(dialect: Dialect, schema: &Value) -> Adapter {
    let spec = ToolSpec::builder("t", Effect::Read).input_schema(schema.clone()).build().unwrap();
    Adapter::new(dialect, [&spec])
}

#[test]
fn definitions_that_refer_to_each_other_do_not_grow_without_bound() {
    let names = ["A", "B", "C", "D"];
    let all: Value = names
        .iter()
        .map(|it| ((*it).to_owned(), json!({"$ref": format!("#/$defs/{it}")})))
        .collect();
    let node = json!({"type": "object", "properties": all, "additionalProperties": false});
    let definitions: Value = names.iter().map(|it| ((*it).to_owned(), node.clone())).collect();
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
        "additionalProperties": false, "$defs": definitions});
    let chain = |level: usize| {
        let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
        (format!("L{level}"), json!({"type": "object", "properties": {"x": next, "y": next}}))
    };
    let mut levels: serde_json::Map<_, _> = (0..20).map(chain).collect();
    levels.insert("L20".to_owned(), json!({"type": "string"}));
    let doubling =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/L0"}}, "$defs": levels});
    for dialect in Dialect::ALL {
        for schema in [&schema, &doubling] {
            let size = declared(dialect, schema).to_string().len();
            assert!(size <= 32 * 1024, "{dialect}: {size}");
            let adapter = adapted(dialect, schema);
            let inlines = !declared(dialect, schema).to_string().contains("$ref");
            let is_reported = adapter.report().losses().any(|it| it.to_string().contains("$ref"));
            assert!(is_reported || !inlines, "{dialect}");
        }
    }
}

#[test]
fn a_root_that_refers_to_itself_is_declared_as_its_definition_would_be() {
    let node = |reference: &str| {
        json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": reference}},
            "required": ["name"], "additionalProperties": false})
    };
    let mut named = node("#/$defs/N");
    named["$defs"] = json!({"N": node("#/$defs/N")});
    let (root, named) = (adapted(Dialect::Ollama, &node("#")), adapted(Dialect::Ollama, &named));
    let required =
        |adapter: &Adapter| adapter.declarations().to_string().matches("\"required\"").count();
    assert_eq!((required(&root), required(&named)), (1, 1), "{}", root.declarations());
    for adapter in [&root, &named] {
        let losses: Vec<_> = adapter.report().losses().map(ToString::to_string).collect();
        assert!(losses.iter().any(|loss| loss.contains("required")), "{losses:?}");
    }
}

#[test]
fn a_requirement_that_is_not_declared_is_reported() {
    let it = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["zz"]});
    let schema = json!({"type": "object", "properties": {"it": it}});
    for dialect in Dialect::ALL {
        let adapter = adapted(dialect, &schema);
        let is_declared = declared(dialect, &schema).pointer("/properties/it/required").is_some();
        let is_reported = adapter.report().losses().any(|it| it.to_string().contains("required"));
        assert!(is_declared || is_reported, "{dialect}");
    }
}

#[test]
fn a_choice_is_declared_in_time_that_is_proportional_to_its_branches() {
    let tagged = |at: usize| {
        json!({"type": "object", "properties": {"kind": {"const": format!("k{at}")}, "a": {"type": "string"}},
            "required": ["kind"], "additionalProperties": false})
    };
    let named = |at: usize| {
        let name = format!("v{at}");
        json!({"type": "object", "properties": {&name: {"type": "string"}}, "required": [&name],
            "additionalProperties": false})
    };
    let values = |at: usize| json!({"type": "string", "enum": [format!("v{at}")]});
    let branches: [&dyn Fn(usize) -> Value; 3] = [&tagged, &named, &values];
    for branch in branches {
        for at_root in [false, true] {
            let steps = |count: usize| {
                let list: Vec<_> = (0..count).map(branch).collect();
                let choice = json!({ "anyOf": list });
                let mut schema = json!({"type": "object", "properties": {"it": choice},
                    "additionalProperties": false});
                if at_root {
                    schema = json!({"type": "object", "anyOf": choice["anyOf"]});
                }
                let spec =
                    ToolSpec::builder("t", Effect::Read).input_schema(schema).build().unwrap();
                tool_runtime_schema::test_cost::measure(|| {
                    Adapter::new(Dialect::OpenAiChat, [&spec])
                })
                .1
            };
            let (few, many) = (steps(128), steps(512));
            assert!(many <= few * 5, "{few} {many} {at_root}");
        }
    }
}
