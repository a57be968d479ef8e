//! Whole turns through a runtime: calls of a model are run, rejected and answered.

mod bridge;
mod model;
mod typed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tool_runtime::adapters::{Adapter, AnswerError, Dialect, StopReason, ToolAnswer, Turn};
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;

use self::model::{Call, End, events, response};
use crate::support::cx;

/// Counts what ran.
#[derive(Debug, Clone, Default)]
struct Ran(Arc<AtomicU32>);

impl Ran {
    fn times(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Content(Ran);

/// The published content.
#[ai_toolkit]
impl Content {
    /// Searches the published content.
    #[ai_tool(effect = "read")]
    async fn search(
        &self,
        /// Words to look for.
        query: &str,
        /// Most hits to return.
        #[arg(default = 10)]
        limit: u32,
    ) -> Vec<String> {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        vec![format!("{query} {limit}")]
    }
}

/// Why a search fails.
#[derive(Debug, ToolFailure)]
enum Broken {
    #[failure(UNAVAILABLE, message = "the index is being rebuilt", retry_after = "2s")]
    Rebuilding,
}

/// Fails.
#[ai_tool(effect = "read")]
async fn fail() -> Result<(), Broken> {
    Err(Broken::Rebuilding)
}

/// Deletes everything.
#[ai_tool(effect = "destructive")]
async fn delete_all(ran: &Ran, dry_run: &DryRun) {
    if !dry_run.is_active() {
        ran.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lists a lot.
#[ai_tool(effect = "read")]
async fn list() -> Vec<u32> {
    (0..1_000).collect()
}

/// Is for the host alone.
#[ai_tool(effect = "read", ai_callable = false)]
async fn of_the_host(ran: &Ran) {
    ran.0.fetch_add(1, Ordering::Relaxed);
}

struct TestConversation {
    runtime: Runtime,
    adapter: Adapter,
    ran: Ran,
}

impl TestConversation {
    fn new(dialect: Dialect) -> Self {
        let ran = Ran::default();
        let tools = Runtime::builder().toolkit(Content(ran.clone())).state(ran.clone());
        let tools = tools.tool::<FailTool>().tool::<DeleteAllTool>().tool::<OfTheHostTool>();
        let runtime = tools.build().unwrap();
        let adapter = Adapter::new(dialect, runtime.specs_for_model());
        Self { runtime, adapter, ran }
    }

    /// Returns the name under which a tool is declared to the model.
    fn wire(&self, tool: &'static str) -> &str {
        self.adapter.wire_name(tool).unwrap()
    }

    fn turn(&self, calls: &[Call<'_>], end: End) -> Turn {
        self.adapter.read(&response(self.adapter.dialect(), calls, end)).unwrap()
    }

    /// Runs a turn's calls, declining what would delete; returns how each ended.
    async fn run(&self, turn: &Turn) -> (Vec<CallStatus>, Vec<Value>) {
        let mut calls = turn.open_calls(&self.runtime, &cx());
        for call in calls.iter_mut().filter(|call| call.name() == "delete_all") {
            call.decline("boss", "not on a Friday").unwrap();
        }
        self.runtime.execute_all(&mut calls).await;
        let statuses = calls.iter().map(ToolCall::status).collect();
        (statuses, said(&self.adapter.answer_messages(turn, &calls).unwrap()))
    }
}

/// Returns the contents of the answers, independently of the dialect's format.
fn said(messages: &[Value]) -> Vec<Value> {
    let parts = |message: &Value| {
        let lists = ["content", "parts"].into_iter().find_map(|name| message[name].as_array());
        lists.cloned().unwrap_or_else(|| vec![message.clone()])
    };
    messages.iter().flat_map(parts).map(|part| said_in(&part)).collect()
}

fn said_in(part: &Value) -> Value {
    let response = &part["functionResponse"]["response"];
    if !response.is_null() {
        return if response["error"].is_null() {
            response["output"].clone()
        } else {
            response.clone()
        };
    }
    let texts = [&part["content"], &part["output"], &part["toolResult"]["content"][0]["text"]];
    let text = texts.into_iter().find_map(Value::as_str).unwrap();
    serde_json::from_str(text).unwrap()
}

/// Returns the reason in an answer for not running the call.
fn reason(answer: &Value) -> &str {
    answer["error"]["details"]["reason"].as_str().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_turn_is_answered_in_every_dialect() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let turn = conversation.turn(
            &[
                ("a", conversation.wire("content.search"), r#"{"query":"tea","limit":3}"#),
                ("b", "fail", "{}"),
                ("c", "delete_all", "{}"),
                ("d", "content_serch", "{}"),
                ("e", conversation.wire("content.search"), r#"{"querry":"tea"}"#),
            ],
            End::Done,
        );
        let (statuses, answers) = conversation.run(&turn).await;
        let expected = ["executed", "failed", "declined", "rejected", "rejected"];
        let statuses: Vec<_> = statuses.iter().map(|status| status.as_str()).collect();
        assert_eq!(statuses, expected, "{dialect}");
        assert_eq!(conversation.ran.times(), 1, "{dialect}");

        assert_eq!(answers[0], serde_json::json!(["tea 3"]), "{dialect}");
        assert_eq!(answers[1]["error"]["retry_after_ms"], 2_000, "{dialect}");
        assert_eq!(answers[2]["error"]["details"]["feedback"], "not on a Friday", "{dialect}");
        let closest = &answers[3]["error"]["details"]["closest"][0];
        assert_eq!(closest, conversation.wire("content.search"), "{dialect}");
        assert_eq!(answers[4]["error"]["code"], "INVALID_ARGUMENT", "{dialect}");
    }
}

#[tokio::test]
async fn no_call_of_a_response_that_was_cut_off_runs() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let name = conversation.wire("content.search");
        let calls = [("a", name, r#"{"query":"tea"}"#), ("b", name, r#"{"query":"te"}"#)];
        let turn = conversation.turn(&calls, End::Length);
        let (statuses, answers) = conversation.run(&turn).await;
        assert_eq!(
            (turn.stop_reason(), turn.requests().count()),
            (&StopReason::Length, 0),
            "{dialect}"
        );
        assert_eq!(statuses, [CallStatus::NotExecuted; 2], "{dialect}");
        assert_eq!(conversation.ran.times(), 0, "{dialect}");
        assert!(answers.iter().all(|answer| reason(answer) == "cut_off"), "{dialect}: {answers:?}");
    }
}

#[tokio::test]
async fn no_call_of_a_response_that_a_filter_stopped_runs() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let calls = [("a", conversation.wire("content.search"), r#"{"query":"tea"}"#)];
        let (statuses, answers) = conversation.run(&conversation.turn(&calls, End::Filter)).await;
        assert_eq!(statuses, [CallStatus::NotExecuted], "{dialect}");
        assert_eq!(conversation.ran.times(), 0, "{dialect}");
        assert_eq!(reason(&answers[0]), "stopped", "{dialect}");
    }
}

#[tokio::test]
async fn broken_arguments_are_refused_with_their_place_and_never_repaired() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let Some(events) =
            events(dialect, ("a", conversation.wire("content.search"), r#"{"query":"te"#))
        else {
            continue;
        };
        let mut stream = conversation.adapter.stream();
        for event in events {
            stream.push(&event.to_string()).unwrap();
        }
        let turn = stream.finish().unwrap();
        let (statuses, answers) = conversation.run(&turn).await;
        assert_eq!(turn.stop_reason(), &StopReason::Done, "{dialect}");
        assert_eq!(statuses, [CallStatus::Rejected], "{dialect}");
        assert_eq!(answers[0]["error"]["details"]["position"], 12, "{dialect}");
        assert!(!turn.messages()[0].to_string().contains("te\\"), "{dialect}");
    }
}

#[tokio::test]
async fn a_tool_that_was_not_declared_does_not_run_although_the_runtime_has_it() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let turn = conversation.turn(&[("a", "of_the_host", "{}")], End::Done);
        let (statuses, answers) = conversation.run(&turn).await;
        assert_eq!(statuses, [CallStatus::Rejected], "{dialect}");
        assert_eq!(answers[0]["error"]["code"], "NOT_FOUND", "{dialect}");
        assert_eq!(conversation.ran.times(), 0, "{dialect}");
        let allowed = turn.requests().count();
        assert_eq!(allowed, 0, "{dialect}");
    }
}

#[tokio::test]
async fn a_call_that_no_provider_takes_back_is_answered_and_the_others_run() {
    for dialect in Dialect::ALL {
        let conversation = TestConversation::new(dialect);
        let search = conversation.wire("content.search");
        let calls = [
            ("a", search, r#"{"query":"tea"}"#),
            ("b", "", "{}"),
            ("c", "search content!", "{}"),
            ("d", search, r#"{"query":"tea \ud83d"}"#),
        ];
        let (statuses, answers) = conversation.run(&conversation.turn(&calls, End::Done)).await;
        let rejected = CallStatus::Rejected;
        assert_eq!(statuses, [CallStatus::Executed, rejected, rejected, rejected], "{dialect}");
        let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].clone()).collect();
        let codes: Vec<_> = codes.iter().map(|code| code.as_str().unwrap_or_default()).collect();
        assert_eq!(codes, ["", "NOT_FOUND", "NOT_FOUND", "INVALID_ARGUMENT"], "{dialect}");
    }
}

#[tokio::test]
async fn a_null_that_only_the_declaration_asks_for_is_removed() {
    for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses] {
        let conversation = TestConversation::new(dialect);
        let arguments = r#"{"query":"tea","limit":null}"#;
        let turn =
            conversation.turn(&[("a", conversation.wire("content.search"), arguments)], End::Done);
        let (_, answers) = conversation.run(&turn).await;
        // No note is needed: the model did nothing wrong.
        assert_eq!(answers, [serde_json::json!(["tea 10"])], "{dialect}");
        assert_eq!(turn.calls()[0].arguments(), arguments, "{dialect}");
        assert!(turn.messages()[0].to_string().contains("null"), "{dialect}");
    }
}

#[tokio::test]
async fn a_long_answer_is_shown_as_an_excerpt_that_says_so() {
    let rules = ToolPolicy::new().max_output_bytes(256);
    let policy = Policy::new().rules(rules);
    let runtime = Runtime::builder().tool::<ListTool>().policy(policy).build().unwrap();
    let adapter = Adapter::new(Dialect::Gemini, runtime.specs_for_model());
    let response = response(Dialect::Gemini, &[("a", "list", "{}")], End::Done);
    let turn = adapter.read(&response).unwrap();
    let mut calls = turn.open_calls(&runtime, &cx());
    runtime.execute_all(&mut calls).await;
    let shown = ToolAnswer::from(&calls[0]).with_model_answer(&calls[0].for_model().await);
    let messages = adapter.answer_messages(&turn, [shown]).unwrap();
    let response = &messages[0]["parts"][0]["functionResponse"]["response"];
    assert!(response["output"].as_array().unwrap().len() < 1_000, "{response}");
    assert!(
        response["notes"][0].as_str().unwrap().starts_with("this is an excerpt of"),
        "{response}"
    );
}

#[tokio::test]
async fn a_call_that_waits_is_not_answered_yet() {
    let conversation = TestConversation::new(Dialect::Anthropic);
    let turn = conversation.turn(&[("a", "fail", "{}")], End::Done);
    let calls = turn.open_calls(&conversation.runtime, &cx());
    let pending = AnswerError::Pending { call_id: "a".to_owned() };
    assert_eq!(conversation.adapter.answer_messages(&turn, &calls), Err(pending));

    let stray = conversation.runtime.call("nobody", "{}", &cx());
    let unknown = AnswerError::Unknown { call_id: String::new() };
    assert_eq!(conversation.adapter.answer_messages(&turn, [&stray]), Err(unknown));
}

#[tokio::test]
async fn data_shown_by_the_host_replaces_the_data_for_the_model() {
    let conversation = TestConversation::new(Dialect::Anthropic);
    let search = conversation.wire("content.search");
    let turn = conversation.turn(&[("a", search, r#"{"query":"tea","limit":"3"}"#)], End::Done);
    let mut calls = turn.open_calls(&conversation.runtime, &cx());
    conversation.runtime.execute_all(&mut calls).await;

    // The coercion is reported.
    let answers = said(&conversation.adapter.answer_messages(&turn, &calls).unwrap());
    assert_eq!(answers[0]["data"], serde_json::json!(["tea 3"]));
    let note = "the argument `/limit` was converted from string to integer";
    assert_eq!(answers[0]["notes"], serde_json::json!([note]));

    let shown = ToolAnswer::from(&calls[0]).with_data(r#"["t…"]"#);
    let answers = said(&conversation.adapter.answer_messages(&turn, [shown]).unwrap());
    assert_eq!(answers[0]["data"], serde_json::json!(["t…"]));
}
