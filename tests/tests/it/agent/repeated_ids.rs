//! Ids that a model uses again: two calls are two writes, wherever they stand.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::agent::{LoopEnd, ToolLoop};
use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::tool_loop::{Paid, PayTool, Script, calls, cx, runtime, says};

fn allowed(paid: &Arc<Paid>) -> Runtime {
    Runtime::builder()
        .tool::<PayTool>()
        .permission("pay", Permission::Allow)
        .shared_state(paid.clone())
        .build()
        .unwrap()
}

fn pay(id: &'static str, sum: u32) -> (&'static str, &'static str, Value) {
    (id, "pay", json!({ "sum": sum }))
}

fn sum(paid: &Paid) -> u32 {
    paid.0.swap(0, Ordering::Relaxed)
}

#[tokio::test]
async fn two_runs_in_one_context_pay_once_each() {
    let paid = Arc::new(Paid::default());
    for _ in 0..2 {
        let model = Script::of([calls(&[pay("pay:0", 5)]), says("paid")]);
        let report = ToolLoop::new(allowed(&paid), model.clone()).run("?", &cx()).await.unwrap();
        assert_eq!((report.text(), sum(&paid)), (Some("paid"), 5));
        assert_eq!(model.last_answers(), ["5"]);
    }
    let runtime = allowed(&paid);
    let model =
        Script::of([calls(&[pay("pay:0", 5)]), says("a"), calls(&[pay("pay:0", 6)]), says("b")]);
    let agent = ToolLoop::new(runtime, model.clone());
    let first = agent.run("?", &cx()).await.unwrap();
    let messages = first.messages().iter().cloned();
    let question = tool_runtime::agent::ModelMessage::User("And 6?".to_owned());
    agent.run_messages(messages.chain([question]), &cx()).await.unwrap();
    assert_eq!((sum(&paid), model.last_answers()), (11, vec!["6".to_owned()]));
}

#[tokio::test]
async fn two_calls_of_one_response_under_one_id_both_run() {
    for second in [5, 6] {
        let paid = Arc::new(Paid::default());
        let model = Script::of([calls(&[pay("x", 5), pay("x", second)]), says("paid")]);
        ToolLoop::new(allowed(&paid), model.clone()).run("?", &cx()).await.unwrap();
        assert_eq!(sum(&paid), 5 + second);
        assert_eq!(model.last_answers(), ["5".to_owned(), second.to_string()]);
    }
}

#[tokio::test]
async fn a_run_that_is_resumed_twice_pays_once() {
    let paid = Arc::new(Paid::default());
    let model = Script::of([calls(&[pay("x", 5)]), says("paid"), says("paid")]);
    let runtime = runtime(&paid, &MemoryStore::new());
    let agent = ToolLoop::new(runtime.clone(), model);
    let LoopEnd::Suspended(mut run) = agent.run("?", &cx()).await.unwrap().into_end() else {
        panic!("it waits")
    };
    let mut call = runtime.tickets().resume(run.pending()[0].ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer("x", &call).await.unwrap();
    for _ in 0..2 {
        assert_eq!(agent.resume(run.clone(), &cx()).await.unwrap().text(), Some("paid"));
    }
    assert_eq!(sum(&paid), 5);
}

#[tokio::test]
async fn calls_of_a_turn_under_one_id_are_no_repeats() {
    let paid = Arc::new(Paid::default());
    let runtime = allowed(&paid);
    let request = |sum: u32| {
        let arguments = RawValue::from_string(format!(r#"{{"sum":{sum}}}"#)).unwrap();
        ToolCallRequest::new("x", "pay", arguments)
    };
    let requests = [request(5), request(5), request(6)];
    for _ in 0..2 {
        let mut calls = runtime.call_all(&requests, &cx());
        let outputs = runtime.execute_all(&mut calls).await;
        assert!(outputs.iter().all(|output| output.is_ok()));
    }
    assert_eq!(sum(&paid), 16, "the same turn again is a repeat");
}

/// The dialects whose responses have an id.
const WITH_RESPONSE_IDS: [Dialect; 4] =
    [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Anthropic, Dialect::Gemini];

/// A whole response of each dialect with a payment under an id; and one with two of them.
fn response(dialect: Dialect, response: &str, id: &str, sums: &[u32]) -> String {
    let arguments = |sum: &u32| format!(r#"{{"sum":{sum}}}"#);
    let list = |call: &dyn Fn(&u32) -> Value| sums.iter().map(call).collect::<Vec<_>>();
    let written = match dialect {
        Dialect::OpenAiChat => {
            json!({"id": response, "choices": [{"finish_reason": "tool_calls", "message": {
            "role": "assistant", "tool_calls": list(&|sum| json!({"id": id, "type": "function",
                "function": {"name": "pay", "arguments": arguments(sum)}}))}}]})
        }
        Dialect::OpenAiResponses => json!({"id": response, "status": "completed",
            "output": list(&|sum| json!({"type": "function_call", "call_id": id, "name": "pay",
                "arguments": arguments(sum)}))}),
        Dialect::Anthropic => {
            json!({"id": response, "role": "assistant", "stop_reason": "tool_use",
            "content": list(&|sum| json!({"type": "tool_use", "id": id, "name": "pay", "input": {"sum": sum}}))})
        }
        Dialect::Gemini => {
            json!({"responseId": response, "candidates": [{"finishReason": "STOP", "content": {
            "role": "model", "parts": list(&|sum| json!({"functionCall": {"id": id, "name": "pay", "args": {"sum": sum}}}))}}]})
        }
        Dialect::Ollama => json!({"done": true, "message": {"role": "assistant",
            "tool_calls": list(&|sum| json!({"id": id, "function": {"name": "pay", "arguments": {"sum": sum}}}))}}),
        Dialect::BedrockConverse => {
            json!({"stopReason": "tool_use", "output": {"message": {"role": "assistant",
            "content": list(&|sum| json!({"toolUse": {"toolUseId": id, "name": "pay", "input": {"sum": sum}}}))}}})
        }
        other => panic!("{other:?} has no response here"),
    };
    written.to_string()
}

async fn run(runtime: &Runtime, dialect: Dialect, response: &str) {
    let adapter = Adapter::new(dialect, runtime.specs_for_model());
    let turn = adapter.read(response).unwrap();
    let mut calls = turn.open_calls(runtime, &cx());
    runtime.execute_all(&mut calls).await;
    adapter.answer_messages(&turn, &calls).unwrap();
}

#[tokio::test]
async fn an_id_that_a_response_uses_again_is_no_repeat_in_any_dialect() {
    for dialect in Dialect::ALL {
        let paid = Arc::new(Paid::default());
        run(&allowed(&paid), dialect, &response(dialect, "r1", "pay:0", &[5, 5, 6])).await;
        assert_eq!(sum(&paid), 16, "{dialect:?}");
    }
    for dialect in WITH_RESPONSE_IDS {
        let paid = Arc::new(Paid::default());
        let runtime = allowed(&paid);
        for id in ["r1", "r2", "r2"] {
            run(&runtime, dialect, &response(dialect, id, "pay:0", &[5])).await;
        }
        assert_eq!(sum(&paid), 10, "{dialect:?}: the same response again is a repeat");
    }
}

#[tokio::test]
async fn another_response_without_an_id_or_with_a_constant_one_is_no_repeat_in_any_dialect() {
    for dialect in Dialect::ALL {
        for id in ["", "chatcmpl-1"] {
            let paid = Arc::new(Paid::default());
            let runtime = allowed(&paid);
            for amount in [5, 6, 6] {
                run(&runtime, dialect, &response(dialect, id, "0", &[amount])).await;
            }
            assert_eq!(sum(&paid), 11, "{dialect:?} {id:?}: the same response again is a repeat");
        }
    }
}

#[tokio::test]
async fn streamed_responses_without_an_id_are_told_apart_by_their_events() {
    let paid = Arc::new(Paid::default());
    let runtime = allowed(&paid);
    let adapter = Adapter::new(Dialect::OpenAiChat, runtime.specs_for_model());
    for (created, amount) in [(1, 5), (2, 5), (2, 5)] {
        let mut stream = adapter.stream();
        let function = json!({"name": "pay", "arguments": format!(r#"{{"sum":{amount}}}"#)});
        let call = json!({"index": 0, "id": "0", "type": "function", "function": function});
        let choice =
            json!({"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"});
        stream
            .push(&json!({"id": "", "created": created, "choices": [choice]}).to_string())
            .unwrap();
        stream.push("[DONE]").unwrap();
        let mut calls = stream.finish().unwrap().open_calls(&runtime, &cx());
        runtime.execute_all(&mut calls).await;
    }
    assert_eq!(sum(&paid), 10);
}
