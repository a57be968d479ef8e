//! Titles of types in declarations.

use super::*;

fn schema() -> Value {
    json!({
        "title": "shop::order", "type": "object", "required": ["item"], "additionalProperties": false,
        "properties": {
            "item": {"$ref": "#/$defs/Item", "title": "shop::Item", "description": "Which."},
            "size": {"type": ["object", "null"], "title": "shop::Size", "properties": {},
                "additionalProperties": false, "default": null},
        },
        "$defs": {"Item": {"type": "object", "title": "shop::Item", "additionalProperties": false,
            "properties": {"sku": {"type": "string"}}, "required": ["sku"]}},
    })
}

fn declared(dialect: Dialect, titles: bool) -> (String, Adapter) {
    let spec = ToolSpec::builder("order", Effect::Read).input_schema(schema()).build().unwrap();
    let adapter = Adapter::builder(dialect).titles(titles).build([&spec]);
    (adapter.declarations().to_string(), adapter)
}

#[test]
fn titles_are_declared_only_where_the_host_asks() {
    for dialect in Dialect::ALL {
        let (without, plain) = declared(dialect, false);
        assert!(!without.contains("shop::"), "{dialect}: {without}");
        let (with, titled) = declared(dialect, true);
        assert!(with.contains("shop::Item") && with.contains("shop::Size"), "{dialect}: {with}");
        assert!(!with.contains("shop::order"), "{dialect}: a function is no type: {with}");
        assert_eq!(plain.report(), titled.report(), "{dialect}");
    }
}

#[test]
fn a_title_stands_beside_its_type_once() {
    let (_, adapter) = declared(Dialect::Anthropic, true);
    let parameters = &adapter.declarations()[0]["input_schema"];
    assert_eq!(parameters["$defs"]["Item"]["title"], "shop::Item");
    assert_eq!(parameters["properties"]["item"].get("title"), None);
    assert_eq!(parameters["properties"]["size"]["title"], "shop::Size");
}

#[test]
fn a_strict_declaration_stays_strict_with_titles() {
    let (_, adapter) = declared(Dialect::OpenAiChat, true);
    let function = &adapter.declarations()[0]["function"];
    assert_eq!(function["strict"], true);
    assert_eq!(function["parameters"]["$defs"]["Item"]["title"], "shop::Item");
}

#[test]
fn ollama_reads_a_title_in_the_description() {
    let (_, adapter) = declared(Dialect::Ollama, true);
    let properties = &adapter.declarations()[0]["function"]["parameters"]["properties"];
    assert_eq!(properties["item"]["description"], "Which. Requires `sku`. Type: `shop::Item`.");
    assert_eq!(properties["size"]["description"], "Type: `shop::Size`.");
}
