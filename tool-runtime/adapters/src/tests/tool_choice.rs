//! The rules for calls in the fields of each dialect.

use super::*;
use crate::{CallRules, ToolChoice, ToolChoiceError};

/// The fields beside the declarations.
fn chosen(dialect: Dialect, rules: impl Into<CallRules>) -> Result<Value, String> {
    let adapter = adapter(dialect);
    let mut fields = adapter.request_fields(rules).map_err(|error| error.to_string())?;
    if dialect == Dialect::BedrockConverse {
        let config = fields.remove("toolConfig").expect("the configuration of tools");
        assert_eq!(config["tools"], adapter.declarations()["tools"]);
        return Ok(config["toolChoice"].clone());
    }
    let declared = fields.remove(adapter.request_field()).unwrap_or_default();
    assert!(declared.is_null() || declared == *adapter.declarations(), "{dialect}: {declared}");
    Ok(json!({ "fields": fields, "declares": !declared.is_null() }))
}

#[track_caller]
fn check(dialect: Dialect, rules: impl Into<CallRules>, expected: Value) {
    let expected = match dialect {
        Dialect::BedrockConverse => expected,
        _ => json!({ "fields": expected, "declares": true }),
    };
    assert_eq!(chosen(dialect, rules), Ok(expected), "{dialect}");
}

fn search() -> ToolChoice {
    ToolChoice::Tool("content.search".to_owned())
}

#[test]
fn openai_has_a_field_for_every_rule() {
    let (chat, responses) = (Dialect::OpenAiChat, Dialect::OpenAiResponses);
    for dialect in [chat, responses] {
        check(dialect, ToolChoice::Auto, json!({ "tool_choice": "auto" }));
        check(dialect, ToolChoice::Required, json!({ "tool_choice": "required" }));
        let rules = CallRules::new(ToolChoice::None).parallel_calls(true);
        check(dialect, rules, json!({ "tool_choice": "none", "parallel_tool_calls": true }));
    }
    let named = json!({ "type": "function", "function": { "name": "content_search" } });
    check(chat, search(), json!({ "tool_choice": named }));
    let flat = json!({ "type": "function", "name": "content_search" });
    check(responses, search(), json!({ "tool_choice": flat }));

    let rules =
        |choice| CallRules::new(choice).allowed_tools(["content.search"]).parallel_calls(false);
    let allowed = json!({ "type": "allowed_tools",
        "allowed_tools": { "mode": "auto", "tools": [named] } });
    let fields = json!({ "tool_choice": allowed, "parallel_tool_calls": false });
    check(chat, rules(ToolChoice::Auto), fields);
    let allowed = json!({ "type": "allowed_tools", "mode": "required", "tools": [flat] });
    let fields = json!({ "tool_choice": allowed, "parallel_tool_calls": false });
    check(responses, rules(ToolChoice::Required), fields);
}

#[test]
fn anthropic_disables_parallel_calls_within_the_choice() {
    let anthropic = Dialect::Anthropic;
    check(anthropic, ToolChoice::Auto, json!({ "tool_choice": { "type": "auto" } }));
    let one = |choice| CallRules::new(choice).parallel_calls(false);
    let off = "disable_parallel_tool_use";
    check(
        anthropic,
        one(ToolChoice::Auto),
        json!({ "tool_choice": { "type": "auto", off: true } }),
    );
    check(
        anthropic,
        one(ToolChoice::Required),
        json!({ "tool_choice": { "type": "any", off: true } }),
    );
    let tool = json!({ "tool_choice": { "type": "tool", "name": "content_search", off: true } });
    check(anthropic, one(search()), tool);
    check(anthropic, one(ToolChoice::None), json!({ "tool_choice": { "type": "none" } }));
    let many = CallRules::new(ToolChoice::Auto).parallel_calls(true);
    check(anthropic, many, json!({ "tool_choice": { "type": "auto", off: false } }));
}

#[test]
fn gemini_lists_functions_only_in_modes_that_take_a_list() {
    let config = |config: Value| json!({ "toolConfig": { "functionCallingConfig": config } });
    let names = json!(["content.search"]);
    check(Dialect::Gemini, ToolChoice::Auto, config(json!({ "mode": "AUTO" })));
    check(Dialect::Gemini, ToolChoice::Required, config(json!({ "mode": "ANY" })));
    check(Dialect::Gemini, ToolChoice::None, config(json!({ "mode": "NONE" })));
    check(
        Dialect::Gemini,
        search(),
        config(json!({ "mode": "ANY", "allowedFunctionNames": names })),
    );
    let some = |choice| CallRules::new(choice).allowed_tools(["content.search"]);
    let validated = json!({ "mode": "VALIDATED", "allowedFunctionNames": names });
    check(Dialect::Gemini, some(ToolChoice::Auto), config(validated));
    let any = json!({ "mode": "ANY", "allowedFunctionNames": names });
    check(Dialect::Gemini, some(ToolChoice::Required), config(any));
}

#[test]
fn bedrock_has_the_choice_beside_the_tools_and_no_choice_of_none() {
    let bedrock = Dialect::BedrockConverse;
    check(bedrock, ToolChoice::Auto, json!({ "auto": {} }));
    check(bedrock, ToolChoice::Required, json!({ "any": {} }));
    check(bedrock, search(), json!({ "tool": { "name": "content_search" } }));
    let error = chosen(bedrock, ToolChoice::None).unwrap_err();
    let expected = "the dialect `bedrock` cannot express a response without calls; \
         leave `toolConfig` out, if the conversation contains no calls yet; \
         else ask for it in the prompt";
    assert_eq!(error, expected);
}

#[test]
fn ollama_can_only_be_given_fewer_tools() {
    check(Dialect::Ollama, ToolChoice::Auto, json!({}));
    let none = json!({ "fields": {}, "declares": false });
    assert_eq!(chosen(Dialect::Ollama, ToolChoice::None), Ok(none));
    for choice in [ToolChoice::Required, search()] {
        let error = chosen(Dialect::Ollama, choice).unwrap_err();
        assert!(
            error.starts_with("the dialect `ollama` cannot express a required call; "),
            "{error}"
        );
    }
}

#[test]
fn a_ban_on_parallel_calls_that_a_dialect_lacks_is_an_error() {
    for dialect in [Dialect::Gemini, Dialect::BedrockConverse, Dialect::Ollama] {
        let rules = CallRules::new(ToolChoice::Auto);
        let error = chosen(dialect, rules.clone().parallel_calls(false)).unwrap_err();
        assert!(error.contains("cannot express one call at a time"), "{error}");
        assert!(
            chosen(dialect, rules.parallel_calls(true)).is_ok(),
            "{dialect}: it is the default"
        );
    }
}

#[test]
fn where_no_field_limits_the_tools_only_the_allowed_ones_are_declared() {
    let rules = || CallRules::new(ToolChoice::Auto).allowed_tools(["ping", "content.search"]);
    for dialect in [Dialect::Anthropic, Dialect::BedrockConverse, Dialect::Ollama] {
        let fields = Value::from(adapter(dialect).request_fields(rules()).unwrap()).to_string();
        assert!(fields.contains("ping") && fields.contains("content_search"), "{fields}");
        assert!(!fields.contains("\"add\""), "{fields}");
    }
    for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Gemini] {
        let fields = adapter(dialect).request_fields(rules()).unwrap();
        assert_eq!(
            &fields["tools"],
            adapter(dialect).declarations(),
            "the prompt cache stays valid"
        );
    }
}

#[test]
fn an_unknown_tool_is_an_error_that_names_similar_ones() {
    let error = |rules: CallRules| adapter(Dialect::Anthropic).request_fields(rules).unwrap_err();
    let unknown = ToolChoice::Tool("content.serch".to_owned());
    let expected = "no tool `content.serch` is declared; similar names are `content.search`";
    assert_eq!(error(unknown.into()).to_string(), expected);
    let rules = CallRules::new(ToolChoice::Auto).allowed_tools(["pong", "ping"]);
    assert!(
        error(rules)
            .to_string()
            .starts_with("no tool `pong` is declared; similar names are `ping`")
    );
    let rules = CallRules::new(search()).allowed_tools(["ping"]);
    assert_eq!(error(rules), ToolChoiceError::NotAllowed { tool: "content.search".to_owned() });
}

#[test]
fn without_tools_there_are_no_fields_and_nothing_can_be_required() {
    for dialect in Dialect::ALL {
        let adapter = Adapter::new(dialect, &[]);
        for choice in [ToolChoice::Auto, ToolChoice::None] {
            assert!(adapter.request_fields(choice).unwrap().is_empty(), "{dialect}");
        }
        let error = adapter.request_fields(ToolChoice::Required).unwrap_err();
        assert_eq!(error, ToolChoiceError::NoTools, "{dialect}");
    }
    let rules = CallRules::new(ToolChoice::Auto).allowed_tools(Vec::<String>::new());
    let error = adapter(Dialect::Anthropic).request_fields(rules).unwrap_err();
    assert_eq!(error, ToolChoiceError::NoTools);
}
