//! A client library's own types: tools, calls, events and messages of `async-openai`.

use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestMessage, ChatCompletionRequestToolMessage,
    ChatCompletionTool, ChatCompletionTools, CreateChatCompletionResponse,
    CreateChatCompletionStreamResponse, FunctionObject,
};
use async_openai::types::responses::{InputItem, Tool};
use serde_json::{Value, json};
use tool_runtime::adapters::{AnswerError, ClientBridge, DeclaredTool, Dialect, ReadError};

use super::*;
use crate::support::envelope;

/// Answers.
#[ai_tool(effect = "read")]
async fn ping() -> &'static str {
    "pong"
}

fn client_tool(tool: &DeclaredTool) -> ChatCompletionTools {
    ChatCompletionTools::Function(ChatCompletionTool {
        function: FunctionObject {
            name: tool.name().to_owned(),
            description: Some(tool.description().to_owned()),
            parameters: Some(tool.schema().clone()),
            strict: Some(tool.is_strict()),
        },
    })
}

/// The client's response with these calls.
fn client_response(calls: &[Call<'_>]) -> CreateChatCompletionResponse {
    let mut body: Value =
        serde_json::from_str(&response(Dialect::OpenAiChat, calls, End::Done)).unwrap();
    let head = json!({ "id": "c", "object": "chat.completion", "created": 0, "model": "m" });
    body.as_object_mut().unwrap().extend(head.as_object().unwrap().clone());
    body["choices"][0]["index"] = 0.into();
    serde_json::from_value(body).unwrap()
}

fn error_code(text: &str) -> String {
    let answer: Value = serde_json::from_str(text).unwrap();
    answer["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_client_with_types_of_its_own_declares_calls_and_answers_tools() {
    let conversation = TestConversation::new(Dialect::OpenAiChat);
    let bridge = conversation.runtime.bridge(Dialect::OpenAiChat);
    let tools: Vec<_> = bridge.tools().iter().map(client_tool).collect();
    let declared: Vec<ChatCompletionTools> = conversation.adapter.declarations_as().unwrap();
    assert_eq!(tools, declared);

    let search = r#"{"query":"tea","limit":null}"#;
    let response = client_response(&[
        ("a", "content_search", search),
        ("b", "fail", "{}"),
        ("c", "of_the_host", "{}"),
    ]);
    let mut messages = Vec::new();
    for call in response.choices[0].message.tool_calls.iter().flatten() {
        let ChatCompletionMessageToolCalls::Function(call) = call else { continue };
        let function = &call.function;
        let mut opened =
            bridge.call_with_id(&call.id, &function.name, function.arguments.as_str(), &cx());
        opened.execute().await;
        messages.push(ChatCompletionRequestMessage::Tool(ChatCompletionRequestToolMessage {
            content: bridge.answer_text(&opened).unwrap().into(),
            tool_call_id: call.id.clone(),
        }));
    }

    // The adapter, which reads and writes whole messages, gives the same.
    let turn = conversation.adapter.read_response(&response).unwrap();
    let mut calls = turn.open_calls(&conversation.runtime, &cx());
    conversation.runtime.execute_all(&mut calls).await;
    let expected: Vec<ChatCompletionRequestMessage> =
        conversation.adapter.answer_messages_as(&turn, &calls).unwrap();
    assert_eq!(messages, expected);
    assert_eq!(conversation.ran.times(), 2, "each search ran, and the host's tool did not");
    assert!(serde_json::to_string(&messages[0]).unwrap().contains("tea 10"));
    let own: Vec<ChatCompletionRequestMessage> = turn.messages_as().unwrap();
    assert!(matches!(&own[..], [ChatCompletionRequestMessage::Assistant(_)]));
}

#[test]
fn events_of_a_client_are_pushed_in_its_own_type() {
    let conversation = TestConversation::new(Dialect::OpenAiChat);
    let head = json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m" });
    let mut stream = conversation.adapter.stream();
    let events = events(Dialect::OpenAiChat, ("a", "content_search", r#"{"query":"tea"}"#));
    for mut event in events.unwrap() {
        event.as_object_mut().unwrap().extend(head.as_object().unwrap().clone());
        event["choices"][0]["index"] = 0.into();
        let event: CreateChatCompletionStreamResponse = serde_json::from_value(event).unwrap();
        stream.push_event(&event).unwrap();
    }
    let turn = stream.finish().unwrap();
    assert_eq!(turn.calls()[0].name(), "content.search");

    let no_json = std::collections::BTreeMap::from([((0, 1), 2)]);
    let refused = conversation.adapter.stream().push_event(&no_json).unwrap_err();
    assert!(matches!(refused, ReadError::NotSerializable { .. }), "{refused}");
}

#[test]
fn a_type_of_another_dialect_is_refused_without_its_content() {
    let adapter = TestConversation::new(Dialect::OpenAiResponses).adapter;
    assert_eq!(adapter.declarations_as::<Vec<Tool>>().unwrap().len(), 3);
    let refused = adapter.declarations_as::<Vec<ChatCompletionTools>>().unwrap_err();
    assert!(refused.to_string().starts_with("the declarations cannot be read as `"), "{refused}");

    let conversation = TestConversation::new(Dialect::Anthropic);
    let turn = conversation.turn(&[("a", "fail", r#"{"token":"canary"}"#)], End::Done);
    let refused = turn.messages_as::<InputItem>().unwrap_err();
    assert!(refused.to_string().starts_with("message 0 cannot be read as `"), "{refused}");
    assert!(!format!("{refused} {refused:?}").contains("canary"));
}

#[tokio::test]
async fn a_bridge_maps_names_and_arguments_both_ways_in_every_dialect() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let bridge: ClientBridge = conversation.runtime.bridge(dialect);
        let names: Vec<_> = bridge.tools().iter().map(DeclaredTool::name).collect();
        for (name, spec) in names.iter().zip(conversation.runtime.specs_for_model()) {
            assert_eq!(bridge.adapter().wire_name(spec.name()), Some(*name), "{dialect}");
            assert_eq!(bridge.adapter().tool_name(name), Some(spec.name()), "{dialect}");
        }
        assert!(bridge.tools().iter().all(|tool| tool.schema()["type"] == "object"), "{dialect}");
        let schemas = bridge.tools().iter().map(|tool| tool.schema().to_string());
        assert!(!schemas.collect::<String>().contains("title"), "{dialect}");

        let mut call =
            bridge.call(conversation.wire("content.search"), r#"{"query":"tea"}"#, &cx());
        assert_eq!(bridge.answer_text(&call).unwrap_err(), pending(), "{dialect}");
        call.execute().await;
        assert_eq!(bridge.answer_text(&call).unwrap(), r#"["tea 10"]"#, "{dialect}");
        assert_eq!(bridge.answer_object(&call).unwrap(), json!({ "output": ["tea 10"] }));

        let unknown = bridge.call("functions.fail", "{}", &cx());
        let answer = bridge.answer_text(&unknown).unwrap();
        assert_eq!(error_code(&answer), "NOT_FOUND", "{dialect}");
        assert!(answer.contains(r#""closest":["fail""#), "{dialect}: {answer}");
        let hidden = bridge.answer_text(&bridge.call("of_the_host", "{}", &cx())).unwrap();
        assert_eq!(error_code(&hidden), "NOT_FOUND", "{dialect}");
    }
}

fn pending() -> AnswerError {
    AnswerError::Pending { call_id: String::new() }
}

#[tokio::test]
async fn a_call_without_arguments_runs_in_every_form_that_providers_send() {
    for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses] {
        let conversation = TestConversation::new(dialect);
        let calls = [("a", "fail", ""), ("b", "fail", " "), ("c", "fail", "null")];
        let turn = conversation.turn(&calls, End::Done);
        assert_eq!(turn.requests().count(), 3, "{dialect}");
        assert!(turn.calls().iter().all(|call| call.arguments() == "{}"), "{dialect}");
        let (statuses, answers) = conversation.run(&turn).await;
        assert_eq!(statuses, [CallStatus::Failed; 3], "{dialect}");
        assert!(answers.iter().all(|answer| answer["error"]["code"] == "UNAVAILABLE"), "{dialect}");

        // The model made no mistake, so that its answer has no note; the host has the receipt.
        let bridge = Runtime::builder().tool::<PingTool>().build().unwrap().bridge(dialect);
        let mut call = bridge.call("ping", "", &cx());
        let found = envelope(call.execute().await);
        assert_eq!(found["meta"]["coercions"][0]["from"], "nothing", "{dialect}");
        assert_eq!(bridge.answer_text(&call).unwrap(), r#""pong""#, "{dialect}");
    }
}

#[tokio::test]
async fn a_blank_id_of_a_provider_is_no_id() {
    let runtime = Runtime::builder().tool::<PingTool>().build().unwrap();
    let bridge = runtime.bridge(Dialect::OpenAiChat);
    assert_eq!(bridge.call_with_id(" ", "ping", "{}", &cx()).call_id(), None);
    assert_eq!(bridge.call_with_id("c1", "ping", "{}", &cx()).call_id(), Some("c1"));
}

#[tokio::test]
async fn an_edit_without_arguments_is_an_empty_object_too() {
    let runtime = Runtime::builder().tool::<PingTool>().build().unwrap();
    for edit in ["", " \n", "null"] {
        let mut call = runtime.call("ping", "{}", &cx());
        call.approve_edited("jane", edit).unwrap();
        assert!(call.execute().await.is_ok(), "{edit:?}");
    }
}
