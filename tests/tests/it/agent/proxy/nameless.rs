//! Contexts with neither a user nor an actor, of which nothing is kept.

use tool_runtime::agent::{MemorySessions, SessionKey, SessionStore};
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;

use super::{agent, context};
use crate::agent::server::{Server, text};

fn nameless(trace: &str) -> ToolContext {
    ToolContext::builder(Uuid::nil(), trace).run_id("run-1").build().unwrap()
}

#[tokio::test]
async fn nothing_is_kept_for_contexts_without_a_user_and_an_actor() {
    let server = Server::start((0..4).map(|n| text(&format!("answer {n}")))).await;
    let agent = agent(&server, "").build();
    let asked = |query: &str| ProxyRequest::builder(query).session_id("s").build().unwrap();
    agent.answer(&asked("My PIN is 4711."), &nameless("trace-1")).await.unwrap();
    let response = agent.answer(&asked("What is my PIN?"), &nameless("trace-2")).await.unwrap();
    let told = server.received()[1].body["messages"][0]["content"].clone();
    assert_eq!(told, "# Question\nWhat is my PIN?");
    assert_eq!(response.context_optimization().metadata()["session_kept"], false);
    // The same question is asked again, and not answered from a cache.
    let again = agent.answer(&asked("What is my PIN?"), &nameless("trace-3")).await.unwrap();
    assert_eq!(again.llm_response().content(), "answer 2");
    assert!(!again.context_optimization().metadata().contains_key("answer_cached"));
    // A user has both.
    let named = agent.answer(&asked("Hello."), &context()).await.unwrap();
    assert!(!named.context_optimization().metadata().contains_key("session_kept"));
    let cached = ProxyRequest::builder("Hello.").build().unwrap();
    assert!(agent.answer(&cached, &context()).await.is_ok(), "the fifth answer is from the cache");
}

#[tokio::test]
async fn a_store_keeps_no_session_without_a_principal() {
    let store = MemorySessions::new();
    let message =
        ChatMessage::new(ChatRole::User, "My PIN is 4711.", chrono::Utc::now(), 5).unwrap();
    for (cx, kept) in [(nameless("trace-1"), 0), (context(), 1)] {
        let key = SessionKey::new(&cx, "s");
        store.append(&key, vec![message.clone()]).await.unwrap();
        assert_eq!(store.load(&key, 10).await.unwrap().len(), kept);
    }
}
