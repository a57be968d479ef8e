//! The loop around a model, whose answers a script has.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_runtime::agent::{
    AgentError, AgentErrorKind, AssistantMessage, ChatModel, ChatReply, ChatRequest, FinishReason,
    LoopEnd, ModelCall, ModelMessage, StopCause, SuspendedRun, TokenUsage, ToolLoop,
};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::server::{Server, completion, message, text};

/// A model that answers what the script says, and keeps what it was told.
#[derive(Debug, Clone, Default)]
pub(super) struct Script {
    replies: Arc<Mutex<VecDeque<ChatReply>>>,
    told: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Script {
    pub(super) fn of(replies: impl IntoIterator<Item = ChatReply>) -> Self {
        let replies = Arc::new(Mutex::new(replies.into_iter().collect()));
        Self { replies, told: Arc::default() }
    }

    pub(super) fn told(&self) -> Vec<ChatRequest> {
        self.told.lock().unwrap().clone()
    }

    /// The answers to calls of the last request.
    pub(super) fn last_answers(&self) -> Vec<String> {
        let told = self.told();
        let messages = told.last().unwrap().messages().iter().rev();
        let answers = messages.take_while(|it| matches!(it, ModelMessage::ToolResult { .. }));
        let mut answers: Vec<String> = answers.map(|it| it.text().to_owned()).collect();
        answers.reverse();
        answers
    }
}

#[async_trait]
impl ChatModel for Script {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        self.told.lock().unwrap().push(request.clone());
        let reply = self.replies.lock().unwrap().pop_front();
        reply.ok_or_else(|| AgentError::new(AgentErrorKind::Llm, "the script has ended"))
    }
}

pub(super) fn calls(calls: &[(&str, &str, Value)]) -> ChatReply {
    let calls =
        calls.iter().map(|(id, name, arguments)| ModelCall::new(*id, *name, arguments.to_string()));
    ChatReply::from_message("m", AssistantMessage::new("").with_calls(calls))
        .with_usage(TokenUsage::new(100, 10))
}

pub(super) fn says(text: &str) -> ChatReply {
    ChatReply::new("m", text).with_usage(TokenUsage::new(200, 5))
}

/// Adds two numbers.
#[ai_tool(effect = "read")]
async fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Says a secret.
#[ai_tool(effect = "read")]
async fn secret() -> &'static str {
    "hunter2"
}

/// The sum that was paid.
#[derive(Default)]
pub(super) struct Paid(pub(super) AtomicU32);

/// Pays.
#[ai_tool(effect = "write")]
pub(super) async fn pay(
    paid: &Paid,
    dry_run: &DryRun,
    /// How much.
    sum: u32,
) -> u32 {
    if !dry_run.is_active() {
        paid.0.fetch_add(sum, Ordering::Relaxed);
    }
    sum
}

pub(super) fn runtime(paid: &Arc<Paid>, store: &MemoryStore) -> Runtime {
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    Runtime::builder()
        .tool::<AddTool>()
        .tool::<SecretTool>()
        .tool::<PayTool>()
        .shared_state(paid.clone())
        .policy(Policy::new().ticket_keys(keys).store(store.clone()))
        .build()
        .unwrap()
}

fn agent(model: &Script) -> ToolLoop {
    agent_of(model.clone())
}

/// A loop around any model, with the tools of this module.
pub(super) fn agent_of(model: impl ChatModel + 'static) -> ToolLoop {
    ToolLoop::new(runtime(&Arc::default(), &MemoryStore::new()), model)
}

pub(super) fn cx() -> ToolContext {
    ToolContext::builder(Uuid::from_u128(7), "trace-1")
        .run_id("run-1")
        .user_id("jane")
        .build()
        .unwrap()
}

pub(super) fn stopped(end: &LoopEnd) -> Option<StopCause> {
    match end {
        LoopEnd::Stopped(cause) => Some(*cause),
        _ => None,
    }
}

#[tokio::test]
async fn the_model_calls_tools_until_it_answers() {
    let model = Script::of([
        calls(&[("1", "add", json!({"a": 1, "b": 2})), ("2", "add", json!({"a": 3, "b": 4}))]),
        says("3 and 7"),
    ]);
    let report = agent(&model).instructions("Add.").run("Sums?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("3 and 7"));
    assert_eq!((report.turns(), report.calls()), (2, 2));
    assert_eq!(report.usage(), TokenUsage::new(300, 15));
    assert_eq!(model.last_answers(), ["3", "7"]);
    let told = model.told();
    assert_eq!(told[0].messages()[0], ModelMessage::System("Add.".to_owned()));
    let tools: Vec<_> = told[0].tools().iter().map(|spec| spec.name()).collect();
    assert_eq!(tools, ["add", "pay", "secret"]);
    assert_eq!(report.messages().len(), 6);
}

#[tokio::test]
async fn a_refused_call_is_answered_and_may_be_mended() {
    let model = Script::of([
        calls(&[("1", "add", json!({"a": "one"}))]),
        calls(&[("2", "add", json!({"a": 1, "b": 2}))]),
        says("3"),
    ]);
    let report = agent(&model).run("?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("3"));
    let first = &model.told()[1];
    let answer = first.messages().last().unwrap().text();
    assert!(answer.contains("INVALID_ARGUMENT") && answer.contains("/b"), "{answer}");
}

#[tokio::test]
async fn arguments_that_are_no_json_are_answered() {
    let call = ModelCall::new("1", "add", "{\"a\": ");
    let broken = ChatReply::from_message("m", AssistantMessage::new("").with_calls([call]));
    let model = Script::of([broken, says("sorry")]);
    assert_eq!(agent(&model).run("?", &cx()).await.unwrap().text(), Some("sorry"));
    assert!(model.last_answers()[0].contains("INVALID_ARGUMENT"), "{:?}", model.last_answers());
}

#[tokio::test]
async fn tools_that_the_model_was_not_shown_are_unknown_to_it() {
    let model = Script::of([
        calls(&[("1", "secret", json!({})), ("2", "add", json!({"a": 1, "b": 1}))]),
        says("2"),
    ]);
    let report = agent(&model).only_tools(["add"]).run("?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("2"));
    let answers = model.last_answers();
    assert!(answers[0].contains("NOT_FOUND") && !answers[0].contains("hunter2"), "{answers:?}");
    assert_eq!(model.told()[0].tools().len(), 1);
}

#[tokio::test]
async fn a_denied_or_disabled_tool_is_unknown_in_a_loop_with_a_list_of_tools() {
    for is_listed in [false, true] {
        let model = Script::of([
            calls(&[
                ("1", "pay", json!({"sum": 5})),
                ("2", "secret", json!({})),
                ("3", "pai", json!({})),
            ]),
            says("nothing"),
        ]);
        let runtime = Runtime::builder()
            .tool::<AddTool>()
            .tool::<PayTool>()
            .tool::<SecretTool>()
            .permission("pay", Permission::Deny)
            .shared_state(Arc::new(Paid::default()))
            .build()
            .unwrap();
        assert!(runtime.tools().disable("secret", "under review"));
        let names: &[&str] = if is_listed { &["add", "pay", "secret"] } else { &["add"] };
        let agent = ToolLoop::new(runtime, model.clone()).only_tools(names.iter().copied());
        agent.run("?", &cx()).await.unwrap();
        for answer in model.last_answers() {
            assert!(answer.contains("NOT_FOUND") && !answer.contains("pay"), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_call_of_a_denied_tool_is_refused_and_the_loop_goes_on() {
    let paid = Arc::new(Paid::default());
    let model = Script::of([
        calls(&[("1", "pay", json!({"sum": 5})), ("2", "add", json!({"a": 1, "b": 2}))]),
        says("3, and nothing was paid"),
    ]);
    let runtime = Runtime::builder()
        .tool::<AddTool>()
        .tool::<PayTool>()
        .permission("pay", Permission::Deny)
        .shared_state(paid.clone())
        .build()
        .unwrap();
    let report = ToolLoop::new(runtime, model.clone()).run("?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("3, and nothing was paid"));
    assert_eq!(paid.0.load(Ordering::Relaxed), 0);
    let tools: Vec<_> = model.told()[0].tools().iter().map(|spec| spec.name().to_owned()).collect();
    assert_eq!(tools, ["add"]);
    let answers = model.last_answers();
    assert_eq!(answers[1], "3");
    assert!(answers[0].contains("FORBIDDEN"), "{answers:?}");
}

#[tokio::test]
async fn limits_stop_the_loop() {
    let again = || calls(&[("1", "add", json!({"a": 1, "b": 1}))]);
    let model = Script::of((0..9).map(|_| again()));
    let report = agent(&model).max_turns(4).run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), report.turns()), (Some(StopCause::TurnLimit), 4));

    let model = Script::of((0..9).map(|_| again()));
    let report = agent(&model).max_total_tokens(250).run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), report.turns()), (Some(StopCause::TokenBudget), 3));

    let broken = || calls(&[("1", "add", json!({})), ("2", "nothing", json!({}))]);
    let model = Script::of((0..9).map(|_| broken()));
    let report = agent(&model).run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), report.turns()), (Some(StopCause::RepeatedFailures), 3));
    let model = Script::of([broken(), broken(), again(), broken(), broken(), says("at last")]);
    assert_eq!(agent(&model).run("?", &cx()).await.unwrap().text(), Some("at last"));

    let model = Script::of([says("late")]);
    let report = agent(&model).timeout(Duration::ZERO).run("?", &cx()).await.unwrap();
    assert_eq!((stopped(report.end()), model.told().len()), (Some(StopCause::Timeout), 0));
}

#[tokio::test]
async fn writes_of_two_turns_under_one_id_both_run() {
    let paid = Arc::new(Paid::default());
    let model = Script::of([
        calls(&[("call_0", "pay", json!({"sum": 5}))]),
        calls(&[("call_0", "pay", json!({"sum": 5}))]),
        says("paid twice"),
    ]);
    let runtime = Runtime::builder()
        .tool::<PayTool>()
        .permission("pay", Permission::Allow)
        .shared_state(paid.clone())
        .build()
        .unwrap();
    let report = ToolLoop::new(runtime, model).run("?", &cx()).await.unwrap();
    assert_eq!((report.text(), paid.0.load(Ordering::Relaxed)), (Some("paid twice"), 10));
}

#[tokio::test]
async fn calls_beyond_those_of_one_turn_are_answered_without_running() {
    let many: Vec<_> = (0..5).map(|n| ("id", "add", json!({"a": n, "b": 1}))).collect();
    let model = Script::of([calls(&many), says("done")]);
    let report = agent(&model).max_calls_per_turn(2).run("?", &cx()).await.unwrap();
    assert_eq!((report.text(), report.calls()), (Some("done"), 5));
    let answers = model.last_answers();
    assert_eq!(answers[..2], ["1", "2"]);
    assert!(answers.len() == 5 && answers[4].contains("a turn may have 2 calls"), "{answers:?}");
}

#[tokio::test]
async fn a_run_continues_only_for_its_tenant_and_user() {
    let (paid, store) = (Arc::new(Paid::default()), MemoryStore::new());
    let model = Script::of([calls(&[("1", "pay", json!({"sum": 5}))]), says("paid")]);
    let runtime = runtime(&paid, &store);
    let agent = ToolLoop::new(runtime.clone(), model);
    let LoopEnd::Suspended(mut run) = agent.run("?", &cx()).await.unwrap().into_end() else {
        panic!("it waits")
    };
    let mut call = runtime.tickets().resume(run.pending()[0].ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer("1", &call).await.unwrap();
    let other = ToolContext::builder(Uuid::from_u128(7), "trace-1").run_id("run-1");
    let other = other.user_id("mallory").build().unwrap();
    let error = agent.resume(run.clone(), &other).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Validation);
    assert!(error.message().contains("another tenant or user"), "{error}");
    assert_eq!(agent.resume(run, &cx()).await.unwrap().text(), Some("paid"));
}

#[tokio::test]
async fn calls_of_an_answer_that_was_cut_off_do_not_run() {
    for reason in [
        FinishReason::Length,
        FinishReason::ContentFilter,
        FinishReason::Other("insufficient_system_resource".to_owned()),
    ] {
        let paid = Arc::new(Paid::default());
        let cut = calls(&[("1", "pay", json!({"sum": 5}))]).with_finish_reason(reason);
        let model = Script::of([cut]);
        let agent = ToolLoop::new(runtime(&paid, &MemoryStore::new()), model);
        let report = agent.run("?", &cx()).await.unwrap();
        assert_eq!(stopped(report.end()), Some(StopCause::CutOff));
        assert_eq!(paid.0.load(Ordering::Relaxed), 0);
        // Servers refuse a conversation in which a call has no answer.
        let last = report.messages().last().unwrap();
        let ModelMessage::ToolResult { call_id, text, .. } = last else { panic!("{last:?}") };
        assert!(call_id == "1" && text.contains("none of its calls was run"), "{text}");
    }
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_suspends_the_run_which_another_process_continues() {
    let (paid, store) = (Arc::new(Paid::default()), MemoryStore::new());
    let model = Script::of([calls(&[
        ("1", "add", json!({"a": 1, "b": 2})),
        ("2", "pay", json!({"sum": 5})),
    ])]);
    let here = ToolLoop::new(runtime(&paid, &store), model);
    let report = here.run("Pay 5.", &cx()).await.unwrap();
    let LoopEnd::Suspended(run) = report.into_end() else { panic!("it waits") };
    assert_eq!(run.pending().len(), 1);
    assert_eq!((run.pending()[0].call_id(), run.pending()[0].tool()), ("2", "pay"));
    assert_eq!(paid.0.load(Ordering::Relaxed), 0);
    let stored = serde_json::to_string(&run).unwrap();
    assert!(!format!("{run:?}").contains("Pay 5."), "{run:?}");

    // Another process: another runtime on the same store, with the same keys.
    let model = Script::of([says("3, and paid")]);
    let runtime = runtime(&paid, &store);
    let there = ToolLoop::new(runtime.clone(), model.clone());
    let mut run: SuspendedRun = serde_json::from_str(&stored).unwrap();
    let error = there.resume(run.clone(), &cx()).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Validation);
    let pending = run.pending()[0].clone();
    let mut call = runtime.tickets().resume(pending.ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer(pending.call_id(), &call).await.unwrap();
    assert!(run.answer(pending.call_id(), &call).await.is_err());
    let report = there.resume(run, &cx()).await.unwrap();
    assert_eq!((report.text(), report.turns()), (Some("3, and paid"), 2));
    assert_eq!(paid.0.load(Ordering::Relaxed), 5);
    assert_eq!(model.last_answers(), ["3", "5"]);
    assert_eq!(report.usage(), TokenUsage::new(300, 15));
}

#[tokio::test]
async fn a_declined_call_is_told_to_the_model() {
    let (paid, store) = (Arc::new(Paid::default()), MemoryStore::new());
    let model = Script::of([calls(&[("1", "pay", json!({"sum": 5}))]), says("not paid")]);
    let runtime = runtime(&paid, &store);
    let agent = ToolLoop::new(runtime.clone(), model.clone());
    let LoopEnd::Suspended(mut run) = agent.run("?", &cx()).await.unwrap().into_end() else {
        panic!("it waits")
    };
    let mut call = runtime.tickets().resume(run.pending()[0].ticket(), &cx()).await;
    call.decline("boss", "too much").unwrap();
    call.execute().await;
    run.answer("1", &call).await.unwrap();
    let report = agent.resume(run, &cx()).await.unwrap();
    assert_eq!((report.text(), paid.0.load(Ordering::Relaxed)), (Some("not paid"), 0));
    assert!(model.last_answers()[0].contains("too much"), "{:?}", model.last_answers());
}

#[tokio::test]
async fn the_loop_runs_over_real_http() {
    let call = json!([{"id": "call_1", "type": "function", "function": {"name": "add", "arguments": r#"{"a":2,"b":40}"#}}]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": call});
    let server = Server::start([message(&asked), text("It is 42.")]).await;
    let agent = ToolLoop::new(runtime(&Arc::default(), &MemoryStore::new()), server.model());
    let report = agent.run("2 + 40?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("It is 42."));
    let messages = server.received()[1].body["messages"].clone();
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "call_1", "content": "42"}));
}

#[tokio::test]
async fn a_deprecated_function_call_is_repeated_as_the_call_that_its_answer_names() {
    let function = json!({"name": "add", "arguments": r#"{"a":2,"b":40}"#});
    let asked = json!({"role": "assistant", "content": null, "function_call": function.clone()});
    let server = Server::start([completion(&asked, "function_call"), text("It is 42.")]).await;
    let agent = ToolLoop::new(runtime(&Arc::default(), &MemoryStore::new()), server.model());
    let report = agent.run("2 + 40?", &cx()).await.unwrap();
    assert_eq!(report.text(), Some("It is 42."));
    let messages = server.received()[1].body["messages"].clone();
    let id = messages[2]["tool_call_id"].as_str().unwrap();
    let call = json!({"id": id, "type": "function", "function": function});
    let repeated = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    assert_eq!(messages[1], repeated);
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": id, "content": "42"}));
}
