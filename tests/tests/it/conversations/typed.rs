//! OpenAI's dialects in the types of `async-openai`: what we make, and what we read.

use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
};
use async_openai::types::responses::{InputItem, Response, Tool};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_runtime::adapters::{Dialect, StopReason};

use super::TestConversation;
use super::model::{End, response};

/// Parses a value, and sees that its type knows every part of it.
#[track_caller]
fn check<T: Serialize + DeserializeOwned>(value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"));
    assert!(holds(&serde_json::to_value(&typed).unwrap(), value), "a part is unknown: {value}");
}

/// Returns whether the whole contains `part`, except for its nulls.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (_, Value::Null) => true,
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| holds(whole.get(name).unwrap_or(&Value::Null), part))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len()
                && whole.iter().zip(part).all(|(whole, part)| holds(whole, part))
        }
        (whole, part) => whole == part,
    }
}

/// Everything that a conversation sends: the declarations, and the messages.
async fn sent(dialect: Dialect) -> (Vec<Value>, Vec<Value>) {
    let conversation = TestConversation::new(dialect);
    let search = conversation.wire("content.search");
    let calls = [
        ("a", search, r#"{"query":"tea","limit":null}"#),
        ("b", "delete_all", "{}"),
        ("c", "no", "[]"),
    ];
    let turn = conversation.turn(&calls, End::Done);
    let mut calls = turn.open_calls(&conversation.runtime, &crate::support::cx());
    conversation.runtime.execute_all(&mut calls).await;
    let answers = conversation.adapter.answer_messages(&turn, &calls).unwrap();
    let declared = conversation.adapter.declarations().as_array().unwrap().clone();
    (declared, turn.messages().iter().cloned().chain(answers).collect())
}

#[tokio::test]
async fn a_chat_completions_request_fits_the_types_of_async_openai() {
    let (declared, messages) = sent(Dialect::OpenAiChat).await;
    assert_eq!((declared.len(), messages.len()), (3, 4));
    declared.iter().for_each(check::<ChatCompletionTools>);
    messages.iter().for_each(check::<ChatCompletionRequestMessage>);
}

#[tokio::test]
async fn a_responses_request_fits_the_types_of_async_openai() {
    let (declared, items) = sent(Dialect::OpenAiResponses).await;
    assert_eq!((declared.len(), items.len()), (3, 6));
    declared.iter().for_each(check::<Tool>);
    items.iter().for_each(check::<InputItem>);
}

/// Parses the body of a response as `T`, and serializes it again.
fn through<T: Serialize + DeserializeOwned>(dialect: Dialect, rest: &Value) -> String {
    let body = response(dialect, &[("a", "fail", "{}")], End::Done);
    let mut body: Value = serde_json::from_str(&body).unwrap();
    body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    if dialect == Dialect::OpenAiChat {
        body["choices"][0]["index"] = 0.into();
    } else {
        body["incomplete_details"] = Value::Null;
    }
    serde_json::to_string(&serde_json::from_value::<T>(body).unwrap()).unwrap()
}

#[test]
fn a_response_written_by_async_openai_is_read() {
    let chat = json!({ "id": "c", "object": "chat.completion", "created": 0, "model": "m" });
    let resp = json!({ "id": "r", "object": "response", "created_at": 0, "model": "m", "tools": [],
        "parallel_tool_calls": true, "tool_choice": "auto" });
    let bodies = [
        (Dialect::OpenAiChat, through::<CreateChatCompletionResponse>(Dialect::OpenAiChat, &chat)),
        (Dialect::OpenAiResponses, through::<Response>(Dialect::OpenAiResponses, &resp)),
    ];
    for (dialect, body) in bodies {
        let turn = TestConversation::new(dialect).adapter.read(&body).unwrap();
        assert_eq!(
            (turn.stop_reason(), turn.requests().count()),
            (&StopReason::Done, 1),
            "{dialect}"
        );
        assert_eq!(turn.calls()[0].call_id(), "a", "{dialect}");
    }
}
