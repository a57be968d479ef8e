//! Runs that wait for people: each answer is that of its own ticket, and no state is trusted that was
//! changed outside.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tool_runtime::agent::{
    AgentErrorKind, AgentErrorReason, LoopEnd, ModelMessage, SuspendedRun, ToolLoop,
};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::tool_loop::{Paid, Script, calls, cx, runtime, says};

/// A loop whose model asks for these payments in one turn, and its state once they wait.
struct Waiting {
    runtime: Runtime,
    agent: ToolLoop,
    model: Script,
    paid: Arc<Paid>,
    run: SuspendedRun,
    messages: Vec<ModelMessage>,
}

async fn waiting(payments: &[(&str, &str, Value)]) -> Waiting {
    waiting_in(payments, &cx()).await
}

async fn waiting_in(payments: &[(&str, &str, Value)], cx: &ToolContext) -> Waiting {
    let paid = Arc::new(Paid::default());
    let model = Script::of([calls(payments), says("done")]);
    let runtime = runtime(&paid, &MemoryStore::new());
    let agent = ToolLoop::new(runtime.clone(), model.clone());
    let report = agent.run("Pay.", cx).await.unwrap();
    let messages = report.messages().to_vec();
    let LoopEnd::Suspended(run) = report.into_end() else { panic!("it waits") };
    Waiting { runtime, agent, model, paid, run, messages }
}

impl Waiting {
    async fn approved(&self, pending: usize) -> ToolCall {
        let ticket = self.run.pending()[pending].ticket().to_owned();
        let mut call = self.runtime.tickets().resume(&ticket, &cx()).await;
        call.approve("joe").unwrap();
        call.execute().await;
        call
    }

    fn paid(&self) -> u32 {
        self.paid.0.load(Ordering::Relaxed)
    }
}

/// The context of another user in the same tenant, trace and run.
fn mallory() -> ToolContext {
    let context = ToolContext::builder(Uuid::from_u128(7), "trace-1").run_id("run-1");
    context.user_id("mallory").build().unwrap()
}

fn pay(id: &'static str, sum: u32) -> (&'static str, &'static str, Value) {
    (id, "pay", json!({ "sum": sum }))
}

#[tokio::test]
async fn a_call_is_answered_by_the_execution_of_its_own_ticket_alone() {
    let mut waiting = waiting(&[pay("1", 5), pay("2", 7)]).await;
    let (first, second) = (waiting.approved(0).await, waiting.approved(1).await);
    let mut other = waiting.runtime.call("pay", r#"{"sum":99}"#, &cx());
    other.approve("joe").unwrap();
    other.execute().await;
    for (id, call) in [("1", &other), ("1", &second), ("2", &first)] {
        let error = waiting.run.answer(id, call).await.unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Validation);
        assert!(error.message().contains("not resumed by the ticket"), "{error}");
        assert_eq!(waiting.run.pending().len(), 2);
    }
    waiting.run.answer("2", &second).await.unwrap();
    waiting.run.answer("1", &first).await.unwrap();
    waiting.agent.resume(waiting.run, &cx()).await.unwrap();
    assert_eq!(waiting.model.last_answers(), ["5", "7"]);
}

#[tokio::test]
async fn two_waiting_calls_under_one_id_keep_their_answers_apart() {
    let mut waiting = waiting(&[pay("x", 5), pay("x", 7)]).await;
    let (first, second) = (waiting.approved(0).await, waiting.approved(1).await);
    waiting.run.answer("x", &second).await.unwrap();
    waiting.run.answer("x", &first).await.unwrap();
    assert!(waiting.run.answer("x", &first).await.is_err(), "each answers once");
    assert_eq!(waiting.paid(), 12);
    waiting.agent.resume(waiting.run, &cx()).await.unwrap();
    assert_eq!(waiting.model.last_answers(), ["5", "7"]);
}

#[tokio::test]
async fn a_call_that_nobody_decided_about_answers_nothing() {
    let mut waiting = waiting(&[pay("1", 5)]).await;
    let ticket = waiting.run.pending()[0].ticket().to_owned();
    let mut call = waiting.runtime.tickets().resume(&ticket, &cx()).await;
    let error = waiting.run.answer("1", &call).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::ToolExecution);
    call.execute().await;
    let error = waiting.run.answer("1", &call).await.unwrap_err();
    assert!(error.message().contains("still waits for a decision"), "{error}");
    // One that another user cannot resume is no answer either: the ticket still waits.
    let foreign = waiting.runtime.tickets().resume(&ticket, &mallory()).await;
    assert!(waiting.run.answer("1", &foreign).await.is_err());
    let altered = ticket.replace("\"call_id\":\"1\"", "\"call_id\":\"2\"");
    let altered = waiting.runtime.tickets().resume(&altered, &cx()).await;
    assert!(waiting.run.answer("1", &altered).await.is_err());
    assert_eq!((waiting.run.pending().len(), waiting.paid()), (1, 0));
}

#[tokio::test]
async fn a_ticket_that_has_ended_elsewhere_answers_by_its_end() {
    let mut waiting = waiting(&[pay("1", 5), pay("2", 7)]).await;
    let first = waiting.approved(0).await;
    let tickets = waiting.runtime.tickets();
    let mut declined = tickets.resume(waiting.run.pending()[1].ticket(), &cx()).await;
    declined.decline("joe", "too much").unwrap();
    declined.execute().await;
    drop((first, declined));
    for pending in waiting.run.pending().to_vec() {
        let ended = tickets.resume(pending.ticket(), &cx()).await;
        waiting.run.answer(pending.call_id(), &ended).await.unwrap();
    }
    waiting.agent.resume(waiting.run, &cx()).await.unwrap();
    let answers = waiting.model.last_answers();
    assert!(answers[0].contains("ticket_used") && answers[1].contains("ticket_declined"));
}

#[tokio::test]
async fn a_state_that_was_changed_outside_does_not_continue() {
    let waiting = waiting(&[pay("1", 5)]).await;
    let state = serde_json::to_value(&waiting.run).unwrap();
    let changed: [fn(&mut Value); 6] = [
        |state| state["state"]["pending"] = json!([]),
        |state| {
            state["state"]["answers"][0]["content"] = json!({"text": "paid"});
            state["state"]["pending"] = json!([]);
        },
        |state| state["state"]["history"]["messages"][0] = json!({"user": "Pay 99."}),
        |state| state["state"]["owner"]["principal"] = json!("user:mallory"),
        |state| state["state"]["turns"] = json!(0),
        |state| state["state"]["id"] = json!(Uuid::from_u128(1)),
    ];
    // One decision, which answers the run as it was.
    let call = waiting.approved(0).await;
    for change in changed {
        let mut state = state.clone();
        change(&mut state);
        let mut run: SuspendedRun = serde_json::from_value(state).unwrap();
        let error = waiting.agent.resume(run.clone(), &cx()).await.unwrap_err();
        assert!(error.message().contains("the run was changed"), "{error}");
        let error = run.answer("1", &call).await.unwrap_err();
        assert!(error.message().contains("the run was changed"), "{error}");
        assert!(waiting.agent.close(run, &cx()).await.is_err());
    }
    // The keys of another process do not know it.
    let policy = Policy::new().ticket_keys(KeyRing::new("k", &[8; 32]).unwrap());
    let other = Runtime::builder().policy(policy).build().unwrap();
    let other = ToolLoop::new(other, Script::default());
    let mut run = waiting.run;
    run.answer("1", &call).await.unwrap();
    let error = other.resume(run.clone(), &cx()).await.unwrap_err();
    assert!(error.message().contains("the run was changed"), "{error}");
    assert_eq!(waiting.agent.resume(run, &cx()).await.unwrap().text(), Some("done"));
}

#[tokio::test]
async fn a_stored_state_continues_whatever_the_order_of_its_names() {
    let mut waiting = waiting(&[pay("1", 5)]).await;
    let call = waiting.approved(0).await;
    let stored = serde_json::to_string(&waiting.run).unwrap();
    assert!(stored.starts_with("{\"state\":"), "{stored}");
    let (state, signature) = stored[1..stored.len() - 1].split_once(",\"signature\":").unwrap();
    let stored = format!("{{\"signature\":{signature},{state}}}");
    waiting.run = serde_json::from_str(&stored).unwrap();
    waiting.run.answer("1", &call).await.unwrap();
    let stored = serde_json::to_string(&waiting.run).unwrap();
    let report = waiting.agent.resume(serde_json::from_str(&stored).unwrap(), &cx()).await;
    assert_eq!(report.unwrap().text(), Some("done"));
}

#[tokio::test]
async fn a_run_without_a_user_continues_in_its_own_trace_alone() {
    let nameless = |trace: &str| ToolContext::builder(Uuid::from_u128(7), trace).run_id("run-1");
    let own = nameless("trace-1").build().unwrap();
    let other = nameless("trace-2").build().unwrap();
    let mut waiting = waiting_in(&[pay("1", 5)], &own).await;
    let ticket = waiting.run.pending()[0].ticket().to_owned();
    let mut call = waiting.runtime.tickets().resume(&ticket, &own).await;
    call.approve("joe").unwrap();
    call.execute().await;
    waiting.run.answer("1", &call).await.unwrap();
    let error = waiting.agent.resume(waiting.run.clone(), &other).await.unwrap_err();
    assert!(error.message().contains("another tenant or user"), "{error}");
    assert!(waiting.agent.resume(waiting.run, &own).await.is_ok());
}

#[tokio::test]
async fn a_conversation_with_an_unanswered_call_is_refused_and_names_it() {
    let waiting = waiting(&[("0", "add", json!({"a": 1, "b": 2})), pay("1", 5)]).await;
    let mut messages = waiting.messages.clone();
    messages.push(ModelMessage::User("Never mind. What is the time?".to_owned()));
    let error = waiting.agent.run_messages(messages, &cx()).await.unwrap_err();
    assert_eq!(error.reason(), Some(AgentErrorReason::UnansweredCall));
    assert_eq!(
        (&error.details()["call_id"], &error.details()["tool"]),
        (&json!("0"), &json!("add"))
    );
    // At the end of a conversation, and half of the answers.
    let mut messages = waiting.messages.clone();
    assert!(waiting.agent.run_messages(messages.clone(), &cx()).await.is_err());
    messages.push(ModelMessage::tool_result("0", "3"));
    let error = waiting.agent.run_messages(messages.clone(), &cx()).await.unwrap_err();
    assert!(error.message().contains("the call `1` of `pay` has no answer"), "{error}");
    messages.push(ModelMessage::tool_result("1", "no"));
    messages.push(ModelMessage::tool_result("1", "no"));
    let error = waiting.agent.run_messages(messages.clone(), &cx()).await.unwrap_err();
    assert!(error.message().contains("answers no call"), "{error}");
    messages.pop();
    let report = waiting.agent.run_messages(messages, &cx()).await.unwrap();
    assert_eq!((report.text(), waiting.model.told().len()), (Some("done"), 2));
}

#[tokio::test]
async fn a_run_is_closed_with_answers_and_its_tickets_end() {
    let waiting = waiting(&[("0", "add", json!({"a": 1, "b": 2})), pay("1", 5), pay("2", 7)]).await;
    let agent = waiting.agent.clone().instructions("Be brief.");
    let executed = waiting.approved(1).await;
    drop(executed);
    let run = waiting.run.clone();
    assert!(agent.close(run.clone(), &mallory()).await.is_err());
    let mut messages = agent.close(run.clone(), &cx()).await.unwrap();
    let answers: Vec<_> = messages[2..].iter().map(ModelMessage::text).collect();
    assert_eq!((answers.len(), answers[0]), (3, "3"));
    assert!(answers[1].contains("ticket_superseded"), "{answers:?}");
    assert!(answers[2].contains("ticket_used"), "{answers:?}");
    let call = waiting.runtime.tickets().resume(run.pending()[0].ticket(), &cx()).await;
    assert_eq!(call.status(), CallStatus::Rejected);
    messages.push(ModelMessage::User("What is the time?".to_owned()));
    let report = agent.run_messages(messages.clone(), &cx()).await.unwrap();
    assert_eq!((report.text(), waiting.paid()), (Some("done"), 7));
    // The instructions of the earlier run are not repeated.
    let said = report.messages().to_vec();
    let system = |messages: &[ModelMessage]| {
        messages.iter().filter(|it| matches!(it, ModelMessage::System(_))).count()
    };
    assert_eq!(system(&said), 1);
    let last = Script::of([says("again")]);
    let agent = ToolLoop::new(waiting.runtime.clone(), last).instructions("Be brief.");
    let report = agent.run_messages(said, &cx()).await.unwrap();
    assert_eq!(system(report.messages()), 1);
}
