//! OpenAI's search for tools, executed by `search_tools` of this process.

use super::*;
use crate::{CallRules, Disclosure, ToolChoice, ToolChoiceError, ToolSearch};
use tool_contracts::ToolkitSpec;

fn spec(name: &str) -> ToolSpec {
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}},
        "additionalProperties": false});
    let builder = ToolSpec::builder(name, Effect::Read).description("Does it.").input_schema(query);
    match name.split_once('.') {
        Some((toolkit, _)) => {
            builder.toolkit(ToolkitSpec::new(toolkit, format!("Works with {toolkit}.")).unwrap())
        }
        None => builder,
    }
    .build()
    .unwrap()
}

fn specs() -> Vec<ToolSpec> {
    ["mail.list", "mail.read", "now", "trains", "search_tools"].map(spec).into()
}

fn adapter() -> Adapter {
    let disclosure = Disclosure::defer_above(2).always(["now"]).search(ToolSearch::ClientExecuted);
    Adapter::builder(Dialect::OpenAiResponses).disclosure(disclosure).build(specs())
}

fn search(call_id: &str) -> Value {
    json!({"type": "tool_search_call", "id": "tsc_1", "call_id": call_id, "execution": "client",
        "status": "completed", "arguments": {"query": "letters"}})
}

fn turn(adapter: &Adapter, items: &Value) -> Turn {
    adapter.read(&json!({"output": items, "status": "completed"}).to_string()).unwrap()
}

fn found(names: &[&str]) -> String {
    let tools: Vec<_> = names.iter().map(|name| json!({ "name": name })).collect();
    json!({ "tools": tools }).to_string()
}

fn answered(adapter: &Adapter, answer: ToolAnswer) -> Value {
    let turn = turn(adapter, &json!([search("call_1")]));
    let messages = adapter.answer_messages(&turn, [answer]).unwrap();
    assert_eq!(messages.len(), 1);
    messages[0].clone()
}

#[test]
fn the_search_is_declared_in_place_of_the_tools_that_it_finds() {
    let adapter = adapter();
    let declared = adapter.declarations().as_array().unwrap();
    assert_eq!((declared.len(), &declared[0]["name"]), (2, &json!("now")));
    let expected = json!({
        "type": "tool_search",
        "execution": "client",
        "description": "Does it.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "additionalProperties": false,
        },
    });
    assert_eq!(declared[1], expected);
    assert_eq!(adapter.withheld().collect::<Vec<_>>(), ["mail.list", "mail.read", "trains"]);
    assert!(adapter.report().is_empty());
}

#[test]
fn a_search_of_the_model_is_a_call_of_search_tools() {
    let adapter = adapter();
    let items = json!([search("call_1")]);
    let turn = turn(&adapter, &items);
    assert_eq!(turn.messages(), items.as_array().unwrap());
    let call = turn.requests().next().unwrap();
    assert_eq!((call.name(), call.call_id()), ("search_tools", "call_1"));
    assert_eq!(turn.calls()[0].arguments(), r#"{"query":"letters"}"#);
}

#[test]
fn a_search_is_a_call_in_a_stream_too() {
    let adapter = adapter();
    let mut stream = adapter.stream();
    let mut begun = search("call_1");
    begun["status"] = "in_progress".into();
    begun["arguments"] = json!({});
    let items = [("added", begun), ("done", search("call_1"))];
    for (word, item) in items {
        let kind = format!("response.output_item.{word}");
        let event = json!({"type": kind, "output_index": 0, "item": item});
        stream.push(&event.to_string()).unwrap();
    }
    let closed = json!({"type": "response.completed", "response": {"status": "completed", "output": [search("call_1")]}});
    stream.push(&closed.to_string()).unwrap();
    let turn = stream.finish().unwrap();
    assert_eq!(turn.messages(), [search("call_1")]);
    assert_eq!(turn.calls()[0].arguments(), r#"{"query":"letters"}"#);
}

#[test]
fn an_answer_declares_what_the_search_has_found() {
    let adapter = adapter();
    let before = adapter.declarations().clone();
    let answer =
        ToolAnswer::from_text("call_1", "").with_data(found(&["trains", "mail.read", "now", "x"]));
    let item = answered(&adapter, answer);
    let mut fields = item.as_object().unwrap().clone();
    let tools = fields.remove("tools").unwrap();
    let expected = json!({"type": "tool_search_output", "call_id": "call_1", "execution": "client",
        "status": "completed"});
    assert_eq!(Value::from(fields), expected);

    let tools = tools.as_array().unwrap();
    assert_eq!(tools.len(), 2, "{tools:?}");
    assert_eq!((&tools[0]["type"], &tools[0]["name"]), (&json!("namespace"), &json!("mail")));
    let read = &tools[0]["tools"][0];
    assert_eq!((&read["name"], &read["defer_loading"]), (&json!("mail_read"), &json!(true)));
    assert_eq!((&tools[1]["type"], &tools[1]["name"]), (&json!("function"), &json!("trains")));
    assert_eq!(tools[1]["parameters"]["properties"]["query"]["type"], json!(["string", "null"]));
    assert_eq!(adapter.declarations(), &before);
}

#[test]
fn a_found_tool_is_called_like_any_other() {
    let adapter = adapter();
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_2", "name": "mail_read",
        "namespace": "mail", "arguments": "{\"query\":null}", "status": "completed"});
    let turn = turn(&adapter, &json!([call]));
    let request = turn.requests().next().unwrap();
    assert_eq!((request.name(), request.arguments().get()), ("mail.read", "{}"));
}

#[test]
fn a_search_that_failed_has_found_nothing() {
    let adapter = adapter();
    let failed = ToolAnswer::from_text("call_1", "no index").as_error();
    assert_eq!(answered(&adapter, failed)["tools"], json!([]));
}

#[test]
fn a_search_without_id_or_arguments_is_answered_by_its_place() {
    let adapter = adapter();
    let item = json!({"type": "tool_search_call", "execution": "client", "call_id": null,
        "arguments": null, "status": "completed"});
    let turn = turn(&adapter, &json!([item, search("call_1"), search("call_1")]));
    let ids: Vec<_> = turn.calls().iter().map(|call| call.call_id().to_owned()).collect();
    assert!(ids[0].starts_with("call_") && ids[1] == "call_1" && ids[2] != ids[1], "{ids:?}");
    assert_eq!(turn.messages()[0]["arguments"], json!({}));
    let answers = ids.iter().map(|id| ToolAnswer::from_text(id, "")).collect::<Vec<_>>();
    let messages = adapter.answer_messages(&turn, answers).unwrap();
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(
            (&messages[at]["call_id"], &turn.messages()[at]["call_id"]),
            (&json!(id), &json!(id))
        );
    }
}

#[test]
fn a_search_that_was_cut_off_runs_nothing() {
    let mut item = search("call_1");
    item["status"] = "incomplete".into();
    let turn = turn(&adapter(), &json!([item]));
    assert_eq!(turn.stop_reason(), &StopReason::Interrupted);
    assert!(turn.requests().next().is_none());
}

#[test]
fn a_search_that_the_host_executes_itself_is_no_call() {
    let own = Disclosure::defer_above(2).search(ToolSearch::SearchTools);
    let provider = Disclosure::defer_above(2).search(ToolSearch::Provider);
    for disclosure in [Disclosure::defer_above(9), provider, own] {
        let adapter = Adapter::builder(Dialect::OpenAiResponses).disclosure(disclosure);
        let turn = turn(&adapter.build(specs()), &json!([search("call_1")]));
        assert_eq!((turn.messages(), turn.calls().len()), (&[search("call_1")][..], 0));
    }
}

#[test]
fn other_dialects_declare_search_tools_as_a_function() {
    for dialect in Dialect::ALL.into_iter().filter(|it| *it != Dialect::OpenAiResponses) {
        let built = |search| {
            let disclosure = Disclosure::defer_above(2).search(search);
            let adapter = Adapter::builder(dialect).disclosure(disclosure);
            adapter.build(specs()).declarations().clone()
        };
        assert_eq!(built(ToolSearch::ClientExecuted), built(ToolSearch::SearchTools), "{dialect}");
    }
}

#[test]
fn no_choice_requires_the_search() {
    let choose = |rules: CallRules| adapter().request_fields(rules);
    let search = CallRules::new(ToolChoice::Tool("search_tools".to_owned()));
    assert!(matches!(choose(search), Err(ToolChoiceError::Unsupported { .. })));
    let allowed = CallRules::new(ToolChoice::Auto).allowed_tools(["now", "search_tools"]);
    let tools = &choose(allowed).unwrap()["tool_choice"]["tools"];
    assert_eq!(tools, &json!([{"type": "function", "name": "now"}, {"type": "tool_search"}]));
}
