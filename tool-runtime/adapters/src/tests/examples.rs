//! Examples of arguments in declarations.

use jsonschema::is_valid;

use super::*;
use crate::{Disclosure, ToolSearch};

fn spec(schema: &Value, examples: &[Value]) -> ToolSpec {
    let builder = ToolSpec::builder("find", Effect::Read).description("Finds pages.");
    let builder = builder.input_schema(schema.clone());
    let with = examples.iter().cloned();
    with.fold(builder, tool_contracts::ToolSpecBuilder::input_example).build().unwrap()
}

fn plain() -> ToolSpec {
    let schema = json!({"type": "object", "required": ["query"], "additionalProperties": false,
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}});
    spec(&schema, &[json!({"query": "tea", "limit": 3}), json!({"query": "jam"})])
}

#[test]
fn anthropic_has_a_field_for_examples() {
    let adapter = Adapter::new(Dialect::Anthropic, [&plain()]);
    let declared = &adapter.declarations()[0];
    assert_eq!(declared["input_examples"], json!([{"query": "tea", "limit": 3}, {"query": "jam"}]));
    assert_eq!(declared["description"], "Finds pages.");
    assert_eq!(adapter.tools()[0].examples().len(), 2);
}

#[test]
fn elsewhere_each_example_is_a_line_of_the_description() {
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Anthropic) {
        let adapter = Adapter::builder(dialect).strict(false).build([&plain()]);
        let tool = &adapter.tools()[0];
        assert_eq!(
            tool.description(),
            "Finds pages.\n\nExample: {\"limit\":3,\"query\":\"tea\"}\nExample: {\"query\":\"jam\"}",
            "{dialect}"
        );
        assert!(tool.examples().is_empty());
        assert!(!adapter.declarations().to_string().contains("input_examples"));
    }
}

#[test]
fn a_strict_example_has_null_for_what_it_omits() {
    let adapter = Adapter::new(Dialect::OpenAiChat, [&plain()]);
    let description = adapter.tools()[0].description();
    assert!(description.ends_with(r#"Example: {"limit":null,"query":"jam"}"#), "{description}");
}

#[test]
fn the_host_may_leave_examples_out() {
    for dialect in Dialect::ALL {
        let adapter = Adapter::builder(dialect).examples(false).build([&plain()]);
        assert_eq!(adapter.tools()[0].description(), "Finds pages.", "{dialect}");
        assert!(adapter.tools()[0].examples().is_empty());
    }
}

#[test]
fn beside_anthropics_tool_search_examples_are_in_the_description() {
    let disclosure = Disclosure::defer_above(0).search(ToolSearch::Provider);
    let adapter = Adapter::builder(Dialect::Anthropic).disclosure(disclosure).build([&plain()]);
    assert!(!adapter.declarations().to_string().contains("input_examples"));
    assert!(adapter.tools()[0].description().contains("Example: "));
}

/// In every dialect, an example fits the declared schema, and means the same when it is read.
#[track_caller]
fn check(schema: &Value, example: &Value) {
    assert!(is_valid(schema, example), "the tool refuses {example}");
    let spec = spec(schema, std::slice::from_ref(example));
    for dialect in Dialect::ALL {
        let adapter = Adapter::new(dialect, [&spec]);
        let tool = &adapter.tools()[0];
        let line = || tool.description().split_once("Example: ").unwrap().1.parse().unwrap();
        let shown: Value = tool.examples().first().cloned().unwrap_or_else(line);
        assert!(is_valid(tool.schema(), &shown), "{dialect}: {} refuses {shown}", tool.schema());
        let written = shown.to_string();
        let read = adapter.restore("find", &written);
        assert_eq!(&read.parse::<Value>().unwrap(), example, "{dialect}");
    }
}

#[test]
fn an_example_fits_its_declaration_in_every_dialect() {
    let item = json!({"type": "object", "required": ["a b"], "additionalProperties": false,
        "properties": {"a b": {"type": "string"}, "n": {"type": "integer"}}});
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {
        "$top": {"type": "array", "items": item},
        "one": {"anyOf": [{"type": "string", "enum": ["x"]}, item]},
        "deep": {"$ref": "#/$defs/node"},
    }, "$defs": {"node": {"type": "object", "additionalProperties": false, "properties": {
        "next": {"$ref": "#/$defs/node"}, "name": {"type": "string"},
    }}}});
    for example in [
        json!({}),
        json!({"$top": [{"a b": "x"}, {"a b": "y", "n": 1}], "one": "x"}),
        json!({"one": {"a b": "x"}, "deep": {"next": {"next": {"name": "x"}}}}),
    ] {
        check(&schema, &example);
    }
}
