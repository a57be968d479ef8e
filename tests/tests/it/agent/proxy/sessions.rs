//! Histories of conversations.

use async_trait::async_trait;
use futures::future::pending;
use serde_json::json;
use tool_runtime::Uuid;
use tool_runtime::agent::{
    AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, MemorySessions, SessionKey,
    SessionStore,
};
use tool_runtime::contracts::ToolContext;
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;
use tool_runtime::store::StoreError;

use super::{agent, agent_of, context};
use crate::agent::server::{Server, text};

fn request(query: &str, session: &str) -> ProxyRequest {
    ProxyRequest::builder(query).session_id(session).build().unwrap()
}

fn context_of(tenant: u128, user: &str) -> ToolContext {
    let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace-1").run_id("run-1");
    builder.user_id(user).build().unwrap()
}

/// Asks, and returns what the model was told.
async fn told(server: &Server) -> String {
    let received = server.received();
    received.last().unwrap().body["messages"][0]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_question_continues_its_session() {
    let server = Server::start([text("Ada."), text("You said so."), text("?")]).await;
    let agent = agent(&server, "").build();
    agent.answer(&request("My name is Ada.", "s1"), &context()).await.unwrap();
    agent.answer(&request("What is my name?", "s1"), &context()).await.unwrap();
    let expected =
        "# Conversation\nuser: My name is Ada.\nassistant: Ada.\n\n# Question\nWhat is my name?";
    assert_eq!(told(&server).await, expected);
    agent.answer(&request("What is my name?", "s2"), &context()).await.unwrap();
    assert_eq!(told(&server).await, "# Question\nWhat is my name?");
}

#[tokio::test]
async fn a_session_belongs_to_its_tenant_and_its_user() {
    let server = Server::start((0..4).map(|_| text("ok"))).await;
    let agent = agent(&server, "enable_cache = false").build();
    agent.answer(&request("I am Ada.", "s1"), &context_of(1, "ada")).await.unwrap();
    for cx in [context_of(1, "eve"), context_of(2, "ada")] {
        agent.answer(&request("Who am I?", "s1"), &cx).await.unwrap();
        assert_eq!(told(&server).await, "# Question\nWho am I?");
    }
    agent.answer(&request("Who am I?", "s1"), &context_of(1, "ada")).await.unwrap();
    assert!(told(&server).await.contains("user: I am Ada."));
}

#[tokio::test]
async fn the_memory_keeps_the_newest_messages() {
    let store = MemorySessions::new();
    let key = SessionKey::new(&context(), "s");
    let message = |n: usize| {
        let time = "2026-05-03T12:34:56Z".parse().unwrap();
        ChatMessage::new(ChatRole::User, n.to_string(), time, 1).unwrap()
    };
    for n in 0..1_200 {
        store.append(&key, vec![message(n)]).await.unwrap();
    }
    let texts = |messages: Vec<ChatMessage>| {
        messages.iter().map(|message| message.content().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(store.load(&key, 2).await.unwrap()), ["1198", "1199"]);
    let all = texts(store.load(&key, usize::MAX).await.unwrap());
    assert_eq!((all.len(), &*all[0]), (1_000, "200"));
    assert!(!format!("{store:?} {key:?}").contains("ada"));
}

/// Answers at once.
#[derive(Debug)]
struct Prompt;

#[async_trait]
impl ChatModel for Prompt {
    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
        Ok(ChatReply::new("prompt", "ok"))
    }
}

/// Hangs or panics.
#[derive(Debug)]
enum Broken {
    Hangs,
    Panics,
}

#[async_trait]
impl SessionStore for Broken {
    async fn load(&self, _: &SessionKey, _: usize) -> Result<Vec<ChatMessage>, StoreError> {
        match self {
            Self::Hangs => pending().await,
            Self::Panics => panic!("hunter2"),
        }
    }

    async fn append(&self, _: &SessionKey, _: Vec<ChatMessage>) -> Result<(), StoreError> {
        unreachable!("the history is read first")
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_or_panics_fails_its_request_alone() {
    for store in [Broken::Hangs, Broken::Panics] {
        let runtime = Runtime::builder().build().unwrap();
        let agent = agent_of(runtime, Prompt, "").sessions(store).build();
        let error = agent.answer(&request("?", "s"), &context()).await.unwrap_err();
        assert_eq!(error.kind(), AgentErrorKind::Configuration);
        assert_eq!(error.details()["reason"], json!("session_store"));
        let without = ProxyRequest::builder("?").build().unwrap();
        assert!(agent.answer(&without, &context()).await.is_ok());
    }
}
