//! The strict mode of Anthropic and Bedrock, which a host enables.

use jsonschema::is_valid;

use super::*;

const STRICT: [Dialect; 2] = [Dialect::Anthropic, Dialect::BedrockConverse];

fn spec(name: &str, schema: &Value) -> ToolSpec {
    ToolSpec::builder(name, Effect::Read).input_schema(schema.clone()).build().unwrap()
}

fn strict(dialect: Dialect, specs: &[ToolSpec]) -> Adapter {
    Adapter::builder(dialect).strict(true).build(specs)
}

fn losses(adapter: &Adapter) -> Vec<String> {
    adapter.report().losses().map(ToString::to_string).collect()
}

fn address() -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": ["city"], "properties": {
        "city": { "type": "string", "minLength": 2, "pattern": "^[A-Z]" },
        "since": { "type": "string", "format": "date" },
        "floor": { "type": ["integer", "null"], "minimum": 0 },
    } })
}

#[test]
fn strict_is_off_until_the_host_enables_it() {
    for dialect in STRICT {
        let specs = [spec("move", &address())];
        let adapter = Adapter::new(dialect, &specs);
        assert!(!adapter.tools()[0].is_strict());
        assert!(!adapter.declarations().to_string().contains("strict"), "{dialect}");
        assert_eq!(adapter.tools()[0].schema()["properties"]["city"]["minLength"], 2);
    }
}

#[test]
fn a_strict_tool_is_closed_and_keeps_its_optional_properties() {
    for dialect in STRICT {
        let adapter = strict(dialect, &[spec("move", &address())]);
        let (tool, text) = (&adapter.tools()[0], adapter.declarations().to_string());
        assert!(tool.is_strict() && text.contains(r#""strict":true"#), "{dialect}: {text}");
        assert_eq!(tool.schema()["required"], json!(["city"]));
        assert_eq!(tool.schema()["additionalProperties"], false);
        let floor = json!({ "type": ["integer", "null"], "description": "At least 0." });
        assert_eq!(tool.schema()["properties"]["floor"], floor);
        assert_eq!(tool.schema()["properties"]["since"]["format"], "date");
        let described = ["city: minLength", "city: pattern", "floor: minimum"];
        assert_eq!(losses(&adapter).len(), described.len(), "{:?}", losses(&adapter));
        // An optional property is left out or `null`, and stays what the model wrote.
        let call = json!({ "type": "tool_use", "id": "a", "name": "move",
            "input": { "city": "Ulm", "floor": null } });
        if dialect == Dialect::Anthropic {
            let response = json!({ "content": [call], "stop_reason": "tool_use" });
            let turn = adapter.read(&response.to_string()).unwrap();
            let request = turn.requests().next().unwrap();
            assert_eq!(request.arguments().get(), r#"{"city":"Ulm","floor":null}"#);
        }
        for taken in [json!({ "city": "Ulm" }), json!({ "city": "Ulm", "floor": null })] {
            assert!(is_valid(&address(), &taken) && is_valid(tool.schema(), &taken));
        }
    }
}

#[test]
fn a_schema_unfit_for_strict_calls_is_not_declared_strict() {
    let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let any = json!({ "type": "object", "additionalProperties": false, "properties": { "a": {} } });
    let node = json!({ "type": "object", "additionalProperties": false,
        "properties": { "next": { "$ref": "#/$defs/node" } } });
    let recursive = json!({ "type": "object", "additionalProperties": false,
        "properties": { "first": { "$ref": "#/$defs/node" } }, "$defs": { "node": node } });
    for dialect in STRICT {
        for schema in [&open, &any, &recursive] {
            let adapter = strict(dialect, &[spec("t", schema)]);
            assert!(!adapter.tools()[0].is_strict(), "{dialect}: {schema}");
            let expected = losses(&adapter)[0].contains("not declared strict: ");
            assert!(expected, "{dialect}: {:?}", losses(&adapter));
        }
    }
}

#[test]
fn tools_beyond_the_limits_of_a_request_are_not_strict() {
    let schema = |optional: usize, unions: usize| {
        let properties = (0..optional.max(unions)).map(|at| {
            let kinds = if at < unions { json!(["string", "integer"]) } else { json!("string") };
            (format!("p{at}"), json!({ "type": kinds }))
        });
        let properties: serde_json::Map<_, _> = properties.collect();
        let required: Vec<_> = properties.keys().skip(optional).cloned().collect();
        json!({ "type": "object", "additionalProperties": false, "properties": properties,
            "required": required })
    };
    let strict_count = |schema: &Value, tools: usize| {
        let specs: Vec<_> = (0..tools).map(|at| spec(&format!("t{at:02}"), schema)).collect();
        let adapter = strict(Dialect::Anthropic, &specs);
        let count = adapter.tools().iter().filter(|tool| tool.is_strict()).count();
        assert_eq!(losses(&adapter).len(), tools - count, "each is reported");
        count
    };
    assert_eq!(strict_count(&schema(0, 0), 22), 20);
    assert_eq!(strict_count(&schema(10, 0), 4), 2);
    assert_eq!(strict_count(&schema(0, 5), 4), 3);
}

#[test]
fn a_tool_that_programs_may_call_is_not_strict_for_anthropic() {
    let city = json!({ "type": "object", "additionalProperties": false, "required": ["city"],
        "properties": { "city": { "type": "string" } } });
    let strict = |dialect, callers: &[&str]| {
        let builder = Adapter::builder(dialect).strict(true);
        builder.allowed_callers("move", callers.iter().copied()).build([&spec("move", &city)])
    };
    let adapter = strict(Dialect::Anthropic, &["direct", "code_execution_20260521"]);
    assert!(!adapter.tools()[0].is_strict());
    let lost = "move: allowed_callers at ``: not declared strict: the provider lets programs call no \
        strict tool";
    assert_eq!(losses(&adapter)[0], lost);
    assert!(strict(Dialect::Anthropic, &["direct"]).tools()[0].is_strict());
    assert!(strict(Dialect::OpenAiResponses, &["programmatic"]).tools()[0].is_strict());
}

#[test]
fn a_strict_declaration_that_renames_properties_requires_none_that_is_optional() {
    for dialect in Dialect::ALL {
        let format = dialect.format();
        for profile in [Some(format.profile()), format.strict_profile()].into_iter().flatten() {
            assert!(!(profile.requires_all && profile.restricts_property_names), "{dialect}");
        }
    }
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["$top"],
        "properties": { "$top": { "type": "string" }, "$skip": { "type": ["integer", "null"] } } });
    let adapter = strict(Dialect::Anthropic, &[spec("page", &schema)]);
    let tool = &adapter.tools()[0];
    assert!(tool.is_strict(), "{:?}", losses(&adapter));
    let names: Vec<_> = tool.schema()["properties"].as_object().unwrap().keys().collect();
    let [skip, top] = names[..] else { panic!("{names:?}") };
    assert_eq!(tool.schema()["required"], json!([top]));
    for (written, meant) in [
        (json!({ top: "a", skip: null }), r#"{"$skip":null,"$top":"a"}"#),
        (json!({ top: "a" }), r#"{"$top":"a"}"#),
    ] {
        let call = json!({ "type": "tool_use", "id": "a", "name": "page", "input": written });
        let response = json!({ "content": [call], "stop_reason": "tool_use" });
        let turn = adapter.read(&response.to_string()).unwrap();
        assert_eq!(turn.requests().next().unwrap().arguments().get(), meant);
    }
}
