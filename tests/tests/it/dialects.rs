//! Tools in every dialect, and their calls back.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::testing::Instances;
use tool_tests::bfcl;
use tool_tests::dialects::{
    WidenedCounts, declared, random_schemas, response, round_trip, round_trip_arguments, samples,
};
use tool_tests::run::CallCounts;

/// Declares one property of a tool that takes it or leaves it out; gives it and what was lost.
fn property(dialect: Dialect, schema: &Value) -> (Value, Vec<(String, String)>) {
    let schema = json!({
        "type": "object",
        "properties": {"it": schema},
        "required": ["it"],
        "additionalProperties": false,
    });
    let spec = ToolSpec::builder("any", Effect::Read).input_schema(schema).build().unwrap();
    let adapter = Adapter::new(dialect, [&spec]);
    let declared = declared(dialect, adapter.declarations()).remove(0);
    let losses = adapter.report().losses().filter(|loss| !loss.pointer().is_empty());
    let losses = losses.map(|loss| (loss.pointer().to_owned(), loss.keyword().to_owned()));
    (declared.schema["properties"]["it"].clone(), losses.collect())
}

#[track_caller]
fn check(dialects: &[Dialect], schema: &Value, said: &Value, lost: &[&str]) {
    for dialect in dialects {
        let (found, losses) = property(*dialect, schema);
        assert_eq!(found, *said, "{dialect}");
        let keywords: Vec<_> = losses.iter().map(|(_, keyword)| keyword.as_str()).collect();
        assert_eq!(keywords, lost, "{dialect}");
    }
}

const OPENAI: &[Dialect] = &[Dialect::OpenAiChat, Dialect::OpenAiResponses];
const WHOLE: &[Dialect] = &[Dialect::Anthropic, Dialect::BedrockConverse];

#[test]
fn real_tools_and_calls_go_to_every_dialect_and_back() {
    let Some(files) = bfcl::files_beside_the_project() else { return };
    let cases: Vec<_> = files.iter().flat_map(|file| bfcl::read(file).unwrap()).collect();
    for dialect in Dialect::ALL {
        let (mut counts, mut widened) = (CallCounts::default(), WidenedCounts::new());
        for case in &cases {
            round_trip(case, dialect, &mut counts, &mut widened).unwrap();
        }
        assert!(counts.all_right(), "{dialect}: {:#?}", counts.wrong);
    }
}

#[test]
fn arguments_valid_for_a_tool_fit_its_declaration_and_come_back_unchanged() {
    const ARGUMENT_SETS: u64 = 30;
    let specs = samples::all();
    for dialect in Dialect::ALL {
        for strict in [true, false] {
            let adapter = Adapter::builder(dialect).strict(strict).build(&specs);
            let declared = declared(dialect, adapter.declarations());
            for spec in &specs {
                let schema = Value::Object(spec.input_schema().clone());
                let instances = Instances::for_schema(&schema).unwrap();
                let tool = (spec.name(), &schema);
                for seed in 0..ARGUMENT_SETS {
                    round_trip_arguments(&adapter, &declared, tool, &instances.valid(seed))
                        .unwrap_or_else(|what| panic!("seed {seed}: {what}"));
                }
            }
        }
    }
}

#[test]
fn calls_of_random_tools_mean_the_same_in_every_dialect() {
    // `cargo figures random-dialects 12700` tries more.
    const SCHEMAS: u64 = 150;
    let tried = random_schemas::DECLARATIONS.map(|(dialect, _)| dialect);
    assert!(Dialect::ALL.iter().all(|dialect| tried.contains(dialect)), "{tried:?}");
    for (dialect, strict) in random_schemas::DECLARATIONS {
        let counts = random_schemas::round_trips(dialect, strict, 0..SCHEMAS)
            .unwrap_or_else(|what| panic!("{dialect}, strict {strict:?}: {what}"));
        assert!(counts.schemas > 100, "{dialect}: {counts:?}");
        let enforces = OPENAI.contains(&dialect) || strict == Some(true);
        assert!(!enforces || counts.strict > 15, "{dialect}: {counts:?}");
    }
}

#[test]
fn a_constraint_that_a_dialect_knows_is_declared_unchanged() {
    let everything = json!({
        "type": "object",
        "properties": {
            "a": {"oneOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 1}]},
            "b": {"type": "array", "prefixItems": [{"type": "string"}], "uniqueItems": true},
            "c": {"not": {"const": 1}},
        },
        "patternProperties": {"^x": {"type": "number", "multipleOf": 0.5}},
        "dependentRequired": {"a": ["b"]},
        "additionalProperties": false,
    });
    check(WHOLE, &everything, &everything, &[]);
    let strict = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "a", "format": "email"},
            "b": {"type": "number", "exclusiveMinimum": 0.5, "maximum": 9, "multipleOf": 0.5},
            "c": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
            "d": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["a", "b", "c", "d"],
        "additionalProperties": false,
    });
    check(OPENAI, &strict, &strict, &[]);
    let gemini = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"], "description": "One."},
            "b": {"type": "array", "prefixItems": [{"type": "number", "minimum": 1}], "maxItems": 1},
            "c": {"type": ["string", "null"], "format": "date-time"},
        },
        "additionalProperties": {"type": "integer", "maximum": 3},
    });
    check(&[Dialect::Gemini], &gemini, &gemini, &[]);
    let ollama = json!({
        "type": ["object", "null"],
        "properties": {"a": {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]}},
    });
    check(&[Dialect::Ollama], &ollama, &ollama, &[]);
}

#[test]
fn annotations_that_no_model_needs_go_without_a_loss() {
    let schema = json!({
        "type": "integer", "title": "crate::Count", "format": "uint32", "minimum": 0,
        "maximum": 9, "$comment": "internal", "x-sensitivity": "pii", "x-own": 1,
    });
    let said = json!({"type": "integer", "minimum": 0, "maximum": 9});
    check(&[OPENAI, WHOLE, &[Dialect::Gemini]].concat(), &schema, &said, &[]);
}

#[test]
fn a_constraint_that_a_dialect_lacks_is_described_in_text() {
    let schema =
        json!({"type": "string", "minLength": 2, "default": "ab", "description": "A word"});
    let said = json!({
        "type": "string", "description": "A word. At least 2 characters. Default: `ab`.",
    });
    check(&[Dialect::Gemini, Dialect::Ollama], &schema, &said, &["minLength"]);
}

#[test]
fn an_exclusive_bound_of_integers_is_said_exactly_by_the_next_one() {
    let schema = json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10});
    let said = json!({"type": "integer", "minimum": 1, "maximum": 9});
    check(&[Dialect::Gemini], &schema, &said, &[]);
    let schema = json!({"type": "number", "exclusiveMinimum": 0});
    let said = json!({"type": "number", "minimum": 0, "description": "Above 0."});
    check(&[Dialect::Gemini], &schema, &said, &["exclusiveMinimum"]);
}

#[test]
fn a_choice_of_tagged_objects_loses_nothing_as_any_of_them() {
    let branch = |tag: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"const": tag}},
            "required": ["kind"],
            "additionalProperties": false,
        })
    };
    let said = |tag: &str| {
        let mut branch = branch(tag);
        branch["properties"]["kind"] = json!({"type": "string", "enum": [tag]});
        branch
    };
    let schema = json!({"oneOf": [branch("a"), branch("b")]});
    check(OPENAI, &schema, &json!({"anyOf": [said("a"), said("b")]}), &[]);
    let overlapping = json!({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]});
    let said = json!({"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]});
    check(OPENAI, &overlapping, &said, &["oneOf"]);
}

#[test]
fn all_of_is_one_schema_where_one_can_say_it() {
    let schema =
        json!({"allOf": [{"type": "integer", "minimum": 2}, {"maximum": 8, "minimum": 1}]});
    let said = json!({"type": "integer", "minimum": 2, "maximum": 8});
    check(&[OPENAI, &[Dialect::Gemini]].concat(), &schema, &said, &[]);
}

#[test]
fn a_tool_that_takes_anything_is_not_declared_strict() {
    for dialect in OPENAI {
        let specs = samples::all();
        let adapter = Adapter::new(*dialect, &specs);
        let strict = |tool: &str| {
            let wire = adapter.wire_name(tool).unwrap();
            let tools = adapter.declarations().as_array().unwrap();
            let function = |tool: &Value| tool.get("function").unwrap_or(tool).clone();
            let found = tools.iter().map(function).find(|tool| tool["name"] == wire).unwrap();
            found["strict"].as_bool().unwrap()
        };
        assert!(strict("content.plan_trip") && strict("tree.store") && strict("account.find"));
        assert!(strict("message.send") && !strict("issue.update"));
        assert!(!strict("labels.set") && !strict("labels_set"));
        let loss = adapter.report().losses().find(|loss| loss.tool() == "labels.set").unwrap();
        assert_eq!(loss.pointer(), "/properties/labels");
        assert_eq!(
            loss.to_string(),
            "labels.set: additionalProperties at `/properties/labels`: not declared strict: \
             properties that are not named"
        );
    }
}

#[test]
fn nothing_sensitive_or_internal_is_told_to_a_provider() {
    for dialect in Dialect::ALL {
        let specs = samples::all();
        let text = Adapter::new(dialect, &specs).declarations().to_string();
        for word in ["x-sensitivity", "samples::", "title", "nullable"] {
            assert!(!text.contains(word), "{dialect}: {word}");
        }
    }
}

#[test]
fn a_call_that_no_reader_takes_is_restored_no_further() {
    let spec = samples::demanding();
    let adapter = Adapter::new(Dialect::OpenAiChat, [&spec]);
    let given = |arguments: &str| {
        let wire = adapter.wire_name(spec.name()).unwrap();
        let response = response(Dialect::OpenAiChat, &[(wire, arguments)]).to_string();
        let turn = adapter.read(&response).unwrap();
        turn.requests().next().map(|request| request.arguments().get().to_owned())
    };
    let twice = r#"{"limit": null, "limit": null}"#;
    assert_eq!(given(twice).as_deref(), Some(twice));
    assert_eq!(given(r#"{"limit": nul"#), None);
    let odd = r#"{ "starts":null, "limit" : null,"budget": 1e400 , "tags":null }"#;
    assert_eq!(given(odd).as_deref(), Some(r#"{ "starts":null, "budget": 1e400 }"#));
}

#[test]
fn declarations_are_what_they_were() {
    let spec = samples::demanding();
    for dialect in Dialect::ALL {
        let adapter = Adapter::new(dialect, [&spec]);
        let losses: Vec<_> = adapter.report().losses().map(ToString::to_string).collect();
        let found = json!({ adapter.request_field(): adapter.declarations(), "lost": losses });
        let text = format!("{found:#}\n");
        let file = golden(dialect);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &text).unwrap();
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            text, kept,
            "{dialect} differs: look at it, then run UPDATE_GOLDEN=1 cargo test -p tool-tests --test \
             it dialects::declarations"
        );
    }
}

fn golden(dialect: Dialect) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/dialects");
    folder.join(format!("{dialect}.json"))
}
