//! OpenAI's custom tools: a text in place of JSON.

use super::*;
use crate::{CallRules, CustomToolError, CustomToolFormat, ToolChoice};

const BOTH: [Dialect; 2] = [Dialect::OpenAiChat, Dialect::OpenAiResponses];

fn spec(name: &str, argument: &Value) -> ToolSpec {
    let schema = json!({ "type": "object", "additionalProperties": false, "required": ["statement"],
        "properties": { "statement": argument } });
    let spec = ToolSpec::builder(name, Effect::Read).description("Runs a query.");
    spec.input_schema(schema).build().unwrap()
}

fn statement() -> Value {
    json!({ "type": "string", "description": "The statement.", "pattern": "^SELECT .+$",
        "maxLength": 500 })
}

/// An adapter of one custom tool and one function.
fn custom(dialect: Dialect, argument: &Value, format: CustomToolFormat) -> Adapter {
    let specs =
        [spec("sql.run", argument), ToolSpec::builder("ping", Effect::Read).build().unwrap()];
    Adapter::builder(dialect).custom_tool("sql.run", format).build(&specs).unwrap()
}

fn losses(adapter: &Adapter) -> Vec<String> {
    let losses = adapter.report().losses().filter(|loss| loss.tool() == "sql.run");
    losses.map(ToString::to_string).collect()
}

#[test]
fn a_pattern_becomes_the_grammar() {
    let description = "Runs a query.\n\nInput: The statement.";
    let grammar = json!({ "syntax": "regex", "definition": "^SELECT .+$" });
    let adapter = custom(Dialect::OpenAiChat, &statement(), CustomToolFormat::FromSchema);
    let format = json!({ "type": "grammar", "grammar": grammar });
    let tool = json!({ "name": "sql_run", "description": description, "format": format });
    assert_eq!(adapter.declarations()[0], json!({ "type": "custom", "custom": tool }));
    assert_eq!(adapter.declarations()[1]["type"], "function");
    let adapter = custom(Dialect::OpenAiResponses, &statement(), CustomToolFormat::FromSchema);
    let format = json!({ "type": "grammar", "syntax": "regex", "definition": "^SELECT .+$" });
    let tool = json!({ "type": "custom", "name": "sql_run", "description": description,
        "format": format });
    assert_eq!(adapter.declarations()[0], tool);
    assert!(adapter.tools()[0].is_custom() && !adapter.tools()[0].is_strict());
    let lost =
        "sql.run: maxLength at `/properties/statement`: omitted, because a custom tool takes text";
    assert_eq!(losses(&adapter), [lost]);
}

#[test]
fn a_pattern_that_is_no_grammar_is_reported() {
    let mut argument = statement();
    argument["pattern"] = "SELECT".into();
    for dialect in BOTH {
        let adapter = custom(dialect, &argument, CustomToolFormat::FromSchema);
        assert!(!adapter.declarations().to_string().contains("grammar"), "{dialect}");
        let pattern = "sql.run: pattern at `/properties/statement`: ";
        assert!(losses(&adapter)[1].starts_with(pattern), "{:?}", losses(&adapter));
    }
}

#[test]
fn a_grammar_may_be_the_hosts_own() {
    for dialect in BOTH {
        let lark = custom(dialect, &statement(), CustomToolFormat::Lark("start: /a+/".to_owned()));
        let text = lark.declarations().to_string();
        assert!(text.contains(r#""syntax":"lark""#) && text.contains("start: /a+/"), "{text}");
        let regex = custom(dialect, &statement(), CustomToolFormat::Regex("a+".to_owned()));
        let text = regex.declarations().to_string();
        assert!(text.contains(r#""syntax":"regex""#) && text.contains(r#""a+""#), "{text}");
        assert!(losses(&regex).iter().any(|loss| loss.contains("pattern")), "it is another one");
        let text = custom(dialect, &statement(), CustomToolFormat::Text).declarations().to_string();
        assert!(!text.contains("format"), "{text}");
    }
}

#[test]
fn a_tool_that_cannot_be_a_custom_tool_is_an_error_that_says_why() {
    let build = |dialect, spec: &ToolSpec, name: &str| {
        let builder = Adapter::builder(dialect).custom_tool(name, CustomToolFormat::Text);
        builder.build([spec]).unwrap_err()
    };
    let reason = |schema: Value| {
        let spec = ToolSpec::builder("t", Effect::Read).input_schema(schema).build().unwrap();
        build(Dialect::OpenAiChat, &spec, "t").to_string()
    };
    let of = |properties: Value| json!({ "type": "object", "properties": properties });
    let wrap = |reason: &str| {
        format!("the tool `t` cannot be a custom tool: {reason}; a custom tool takes one text")
    };
    assert_eq!(reason(of(json!({}))), wrap("it has 0 arguments"));
    let text = json!({ "type": "string" });
    assert_eq!(reason(of(json!({ "a": text, "b": text }))), wrap("it has 2 arguments"));
    let number = wrap("its argument `a` is not declared as a text");
    assert_eq!(reason(of(json!({ "a": { "type": "integer" } }))), number);
    assert_eq!(reason(of(json!({ "a": { "type": ["string", "integer"] } }))), number);
    let mut combined = of(json!({ "a": text }));
    combined["anyOf"] = json!([{ "required": ["a"] }]);
    assert_eq!(reason(combined), wrap("its arguments are combined by `anyOf`"));
    let mut dependent = of(json!({ "a": text }));
    dependent["dependencies"] = json!({ "a": { "required": ["b"] } });
    assert_eq!(reason(dependent), wrap("its arguments are combined by `dependencies`"));

    let sql = spec("sql.run", &statement());
    let error = build(Dialect::Anthropic, &sql, "sql.run");
    assert_eq!(error, CustomToolError::Unsupported { dialect: Dialect::Anthropic });
    let error = build(Dialect::OpenAiChat, &sql, "sql.ran").to_string();
    assert_eq!(error, "no tool `sql.ran` is declared; similar names are `sql.run`");
}

#[test]
fn a_rule_in_another_schema_of_the_argument_is_lost_too() {
    let argument =
        json!({ "type": "string", "not": { "const": "x" }, "allOf": [{ "minLength": 1 }] });
    let adapter = custom(Dialect::OpenAiChat, &argument, CustomToolFormat::Text);
    let lost = |keyword: &str| {
        format!(
            "sql.run: {keyword} at `/properties/statement`: omitted, because a custom tool takes text"
        )
    };
    assert_eq!(losses(&adapter), [lost("allOf"), lost("not")]);
}

/// A response with calls of the custom tool, of a function, and of a custom tool that is not declared.
fn whole(dialect: Dialect) -> Value {
    let text = "SELECT \"é\"\n";
    if dialect == Dialect::OpenAiResponses {
        let call = |id: &str, name: &str| {
            json!({ "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id, "name": name,
                "input": text, "status": "completed" })
        };
        let function = json!({ "type": "function_call", "call_id": "b", "name": "ping",
            "arguments": "{}", "status": "completed" });
        let output = [call("a", "sql_run"), function, call("c", "hosts")];
        return json!({ "status": "completed", "output": output });
    }
    let call = |id: &str, name: &str| json!({ "id": id, "type": "custom", "custom": { "name": name, "input": text } });
    let function = json!({ "id": "b", "type": "function",
        "function": { "name": "ping", "arguments": "{}" } });
    let message = json!({ "role": "assistant", "content": null,
        "tool_calls": [call("a", "sql_run"), function, call("c", "hosts")] });
    json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }] })
}

/// The same response in events, up to the end of the calls.
fn events(dialect: Dialect) -> Vec<Value> {
    let whole = whole(dialect);
    if dialect == Dialect::OpenAiResponses {
        let output = whole["output"].as_array().unwrap();
        let events = output.iter().enumerate().flat_map(|(place, item)| {
            let mut early = item.clone();
            early["status"] = "in_progress".into();
            let mut events = Vec::new();
            if item["type"] == "custom_tool_call" {
                early["input"] = "".into();
                events.extend(["SELECT ", "\"é\"\n"].map(|piece| {
                    json!({ "type": "response.custom_tool_call_input.delta",
                        "output_index": place, "delta": piece })
                }));
            }
            let added = json!({ "type": "response.output_item.added", "output_index": place,
                "item": early });
            let done = json!({ "type": "response.output_item.done", "output_index": place,
                "item": item });
            [added].into_iter().chain(events).chain([done]).collect::<Vec<_>>()
        });
        let end = json!({ "type": "response.completed", "response": whole });
        return events.chain([end]).collect();
    }
    let chunk = |delta: Value, reason: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let calls = whole["choices"][0]["message"]["tool_calls"].as_array().unwrap();
    let pieces = calls.iter().enumerate().flat_map(|(place, call)| {
        let mut first = call.clone();
        first["index"] = place.into();
        if call["type"] == "function" {
            return vec![chunk(json!({ "tool_calls": [first] }), Value::Null)];
        }
        first["custom"]["input"] = "SELECT ".into();
        let more = json!({ "index": place, "custom": { "input": "\"é\"\n" } });
        vec![
            chunk(json!({ "tool_calls": [first] }), Value::Null),
            chunk(json!({ "tool_calls": [more] }), Value::Null),
        ]
    });
    pieces.chain([chunk(json!({}), "tool_calls".into())]).collect()
}

#[test]
fn a_call_has_its_text_as_the_argument_and_is_answered_as_it_was_made() {
    for dialect in BOTH {
        let adapter = custom(dialect, &statement(), CustomToolFormat::FromSchema);
        let turn = adapter.read(&whole(dialect).to_string()).unwrap();
        let mut stream = adapter.stream();
        let deltas: Vec<_> = events(dialect)
            .iter()
            .flat_map(|event| stream.push(&event.to_string()).unwrap())
            .collect();
        let begun = |name: &str| Delta::CallStarted(name.to_owned());
        assert_eq!(deltas, [begun("sql.run"), begun("ping"), begun("hosts")], "{dialect}");
        let streamed = stream.finish().unwrap();
        assert_eq!(streamed.messages(), turn.messages(), "{dialect}");
        for turn in [turn, streamed] {
            let statement = json!({ "statement": "SELECT \"é\"\n" }).to_string();
            let own = ("a", "sql.run", &*statement);
            let undeclared = ("c", "hosts", "SELECT \"é\"\n");
            assert_eq!(asked(&turn), [own, ("b", "ping", "{}"), undeclared], "{dialect}");
            assert_eq!(turn.requests().count(), 2);
            let answers = ["b", "c", "a"].map(|id| ToolAnswer::from_text(id, "done"));
            let answers = adapter.answer_messages(&turn, answers).unwrap();
            let answer = |id: &str| match dialect {
                Dialect::OpenAiResponses => {
                    json!({ "type": "custom_tool_call_output", "call_id": id, "output": "done" })
                }
                _ => json!({ "role": "tool", "tool_call_id": id, "content": "done" }),
            };
            assert_eq!([&answers[0], &answers[2]], [&answer("a"), &answer("c")]);
            let repeated = Value::from(turn.messages().to_vec()).to_string();
            assert!(repeated.contains("SELECT") && repeated.contains("hosts"), "{repeated}");
        }
    }
}

#[test]
fn a_custom_call_that_is_cut_off_runs_nothing() {
    for dialect in BOTH {
        let adapter = custom(dialect, &statement(), CustomToolFormat::FromSchema);
        let mut stream = adapter.stream();
        for event in &events(dialect)[..2] {
            stream.push(&event.to_string()).unwrap();
        }
        let turn = stream.finish().unwrap();
        check_stop(&turn, &StopReason::Interrupted, 0);
        let partial = if dialect == Dialect::OpenAiChat { "SELECT \"é\"\n" } else { "SELECT " };
        let partial = json!({ "statement": partial }).to_string();
        assert_eq!(asked(&turn), [("a", "sql.run", &*partial)], "{dialect}");
        let repeated = Value::from(turn.messages().to_vec()).to_string();
        assert!(!repeated.contains("status"), "{repeated}");
    }
    // So is one of a tool that is not declared.
    let without = adapter(Dialect::OpenAiResponses);
    let mut stream = without.stream();
    for event in &events(Dialect::OpenAiResponses)[..2] {
        stream.push(&event.to_string()).unwrap();
    }
    let turn = stream.finish().unwrap();
    check_stop(&turn, &StopReason::Interrupted, 0);
    assert_eq!((turn.messages().len(), turn.calls()[0].call_id()), (1, "a"));
}

#[test]
fn a_choice_names_a_custom_tool_as_one() {
    let chosen = |dialect| {
        let rules = CallRules::new(ToolChoice::Tool("sql.run".to_owned()));
        let adapter = custom(dialect, &statement(), CustomToolFormat::Text);
        adapter.request_fields(rules).unwrap()["tool_choice"].clone()
    };
    let named = json!({ "type": "custom", "custom": { "name": "sql_run" } });
    assert_eq!(chosen(Dialect::OpenAiChat), named);
    assert_eq!(chosen(Dialect::OpenAiResponses), json!({ "type": "custom", "name": "sql_run" }));
}

#[tokio::test]
async fn a_bridge_takes_the_text_of_a_custom_tool_as_its_argument() {
    let run = tool_runtime_core::DynamicTool::new("sql.run", Effect::Read)
        .description("Runs a query.")
        .input_schema(spec("sql.run", &statement()).input_schema().clone().into())
        .handler(|call: tool_runtime_core::CallScope| async move { call.parse::<Value>() });
    let runtime = tool_runtime_core::Runtime::builder().dynamic(run).build().unwrap();
    let bridge = Adapter::builder(Dialect::OpenAiResponses)
        .custom_tool("sql.run", CustomToolFormat::Text)
        .build(runtime.specs_for_model())
        .unwrap()
        .bridge(&runtime);
    let cx = tool_contracts::ToolContext::local();
    for text in ["SELECT \"é\"", "{\"statement\":1}", ""] {
        let mut call = bridge.call("sql_run", text, &cx);
        let statement = json!({ "statement": text }).to_string();
        assert_eq!(call.input(), statement);
        let _ = call.execute().await;
    }
    let mut call = bridge.call_with_id("a", "sql_run", "SELECT 1", &cx);
    call.execute().await;
    assert_eq!(bridge.answer_text(&call).unwrap(), r#"{"statement":"SELECT 1"}"#);
}
