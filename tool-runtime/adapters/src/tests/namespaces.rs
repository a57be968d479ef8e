//! Calls of tools that are the provider's own, which have the names of ours.

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolContext, ToolSpec, ToolkitSpec};
use tool_runtime_core::runtime::Runtime;

use super::*;
use crate::Disclosure;

fn browser(id: &str, name: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "toolset_name": "browser", "input": {} })
}

#[track_caller]
fn check_foreign(turn: &Turn, namespace: &str, name: &str) {
    let call = &turn.calls()[0];
    assert_eq!((call.namespace(), call.name()), (Some(namespace), name));
    assert!(call.request().is_none());
    let runtime = Runtime::builder().build().unwrap();
    let opened = turn.open_calls(&runtime, &ToolContext::local());
    let error = opened[0].output().unwrap().error().unwrap();
    assert_eq!(error.code(), Some("NOT_FOUND"));
}

#[test]
fn a_call_of_a_toolset_of_anthropic_is_no_call_of_a_declared_tool() {
    let message = |call: Value| json!({ "content": [call], "stop_reason": "tool_use" });
    let turn = read(Dialect::Anthropic, &message(browser("a", "add")));
    check_foreign(&turn, "browser", "browser:add");
    // It is repeated as it came, and its answer repeats the toolset.
    assert_eq!(turn.messages()[0]["content"][0], browser("a", "add"));
    let adapter = adapter(Dialect::Anthropic);
    let answers = adapter.answer_messages(&turn, [ToolAnswer::from_text("a", "done")]).unwrap();
    let expected = json!({ "type": "tool_result", "tool_use_id": "a", "content": "done",
        "toolset_name": "browser" });
    assert_eq!(answers[0]["content"][0], expected);
    // A call without one, or with a blank one, is ours.
    let ours =
        json!({ "type": "tool_use", "id": "a", "name": "add", "input": {}, "toolset_name": null });
    let turn = read(Dialect::Anthropic, &message(ours));
    assert_eq!((turn.calls()[0].namespace(), turn.requests().count()), (None, 1));
}

#[test]
fn a_streamed_call_of_a_toolset_is_no_call_of_a_declared_tool() {
    let events = [
        json!({ "type": "message_start", "message": { "id": "m", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": browser("a", "add") }),
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "input_json_delta", "partial_json": "{}" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ];
    let (turn, deltas) = stream(Dialect::Anthropic, &events);
    check_foreign(&turn, "browser", "browser:add");
    assert_eq!(deltas, [Delta::CallStarted("browser:add".to_owned())]);
}

fn response(call: &Value) -> Value {
    json!({ "id": "r", "status": "completed", "output": [call] })
}

fn streamed(call: &Value) -> [Value; 3] {
    [
        json!({ "type": "response.output_item.added", "output_index": 0, "item": call }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": call }),
        json!({ "type": "response.completed", "response": response(call) }),
    ]
}

#[test]
fn a_call_of_a_namespace_that_is_not_declared_is_no_call_of_a_declared_tool() {
    let call = |kind: &str, field: &str| {
        json!({ "type": kind, "id": "i", "call_id": "c", "name": "add", field: "{}",
            "namespace": "desktop" })
    };
    let kinds = [("function_call", "arguments"), ("custom_tool_call", "input")];
    for call in kinds.map(|(kind, field)| call(kind, field)) {
        let turn = read(Dialect::OpenAiResponses, &response(&call));
        check_foreign(&turn, "desktop", "desktop:add");
        let (turn, deltas) = stream(Dialect::OpenAiResponses, &streamed(&call));
        check_foreign(&turn, "desktop", "desktop:add");
        assert_eq!(deltas, [Delta::CallStarted("desktop:add".to_owned())]);
    }
    let turn = read(Dialect::OpenAiResponses, &response(&call("function_call", "arguments")));
    let adapter = adapter(Dialect::OpenAiResponses);
    let answers = adapter.answer_messages(&turn, [ToolAnswer::from_text("c", "no")]).unwrap();
    let expected = json!({ "type": "function_call_output", "call_id": "c", "output": "no",
        "namespace": "desktop" });
    assert_eq!(answers, [expected]);
}

#[test]
fn a_call_of_a_toolkit_that_was_declared_as_a_namespace_is_ours() {
    let toolkit = |name: &str| ToolkitSpec::new(name, "Mails.").unwrap();
    let spec = |name: &str| {
        let spec = ToolSpec::builder(name, Effect::Read).description("Does it.");
        spec.toolkit(toolkit("mail")).build().unwrap()
    };
    let specs = [spec("mail.list"), spec("mail.read")];
    let deferred = Adapter::builder(Dialect::OpenAiResponses)
        .disclosure(Disclosure::defer_above(1))
        .build(&specs);
    let call = |namespace: &str| {
        json!({ "type": "function_call", "call_id": "c", "name": "mail_list", "arguments": "{}",
            "namespace": namespace })
    };
    let turn = deferred.read(&response(&call("mail")).to_string()).unwrap();
    assert_eq!((turn.calls()[0].name(), turn.requests().count()), ("mail.list", 1));
    let answers = deferred.answer_messages(&turn, [ToolAnswer::from_text("c", "no")]).unwrap();
    assert_eq!(answers[0]["namespace"], "mail");
    let mut stream = deferred.stream();
    let events = streamed(&call("mail"));
    let deltas: Vec<_> =
        events.iter().flat_map(|event| stream.push(&event.to_string()).unwrap()).collect();
    assert_eq!(deltas, [Delta::CallStarted("mail.list".to_owned())]);
    // Another namespace, and a request that declares none.
    let turn = deferred.read(&response(&call("news")).to_string()).unwrap();
    assert_eq!(turn.requests().count(), 0);
    let plain = Adapter::new(Dialect::OpenAiResponses, &specs);
    let turn = plain.read(&response(&call("mail")).to_string()).unwrap();
    assert_eq!(turn.requests().count(), 0);
}

#[test]
fn a_chat_call_of_another_type_is_no_call_of_a_declared_tool() {
    let call = |kind: &str| json!({ "id": "c", "type": kind, "function": { "name": "add", "arguments": "{}" } });
    let whole = |kind: &str| {
        json!({ "choices": [{ "finish_reason": "tool_calls",
            "message": { "role": "assistant", "tool_calls": [call(kind)] } }] })
    };
    let turn = read(Dialect::OpenAiChat, &whole("builtin_function"));
    check_foreign(&turn, "builtin_function", "builtin_function:add");
    assert_eq!(turn.messages()[0]["tool_calls"][0], call("builtin_function"));
    let piece = json!({ "choices": [{ "finish_reason": "tool_calls",
        "delta": { "tool_calls": [call("builtin_function")] } }] });
    let (turn, _) = stream(Dialect::OpenAiChat, &[piece]);
    check_foreign(&turn, "builtin_function", "builtin_function:add");
    for kind in ["function", "Function", ""] {
        assert_eq!(read(Dialect::OpenAiChat, &whole(kind)).requests().count(), 1, "{kind}");
    }
}
