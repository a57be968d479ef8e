//! The cache of answers: for whom, for how long, and which answers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tool_runtime::agent::ProxyAgent;
use tool_runtime::contracts::ToolContext;
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;
use tool_runtime::{Job, Sleep, Timer, TokioTimer};

use super::{agent, agent_of, context};
use crate::agent::server::{Scripted, Server, completion, text};

/// A clock that the test sets.
#[derive(Debug, Clone)]
struct SetClock(Arc<Mutex<Instant>>);

impl SetClock {
    fn advance(&self, seconds: u64) {
        *self.0.lock().unwrap() += Duration::from_secs(seconds);
    }
}

impl Timer for SetClock {
    fn now(&self) -> Instant {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        TokioTimer::default().sleep(duration)
    }

    fn spawn_blocking(&self, job: Job) {
        TokioTimer::default().spawn_blocking(job);
    }
}

fn context_of(tenant: u128, user: Option<&str>) -> ToolContext {
    let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace-1").run_id("run-1");
    match user {
        Some(user) => builder.user_id(user).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

/// Asks, and returns whether the answer came from the cache.
async fn is_cached(agent: &ProxyAgent, request: &ProxyRequest, cx: &ToolContext) -> bool {
    let response = agent.answer(request, cx).await.unwrap();
    response.context_optimization().metadata().contains_key("answer_cached")
}

fn question() -> ProxyRequest {
    ProxyRequest::builder("?").build().unwrap()
}

#[tokio::test]
async fn an_answer_is_cached_until_its_time_is_over() {
    let clock = SetClock(Arc::new(Mutex::new(Instant::now())));
    let server = Server::start([text("one"), text("two")]).await;
    let runtime = Runtime::builder().timer(clock.clone()).build().unwrap();
    let agent = agent_of(runtime, server.model(), "cache_ttl_seconds = 90").build();
    assert!(!is_cached(&agent, &question(), &context()).await);
    clock.advance(89);
    assert!(is_cached(&agent, &question(), &context()).await);
    clock.advance(1);
    assert!(!is_cached(&agent, &question(), &context()).await, "90 seconds are over");
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn an_answer_is_cached_for_its_tenant_its_user_and_its_model_alone() {
    let server = Server::start((0..5).map(|_| text("ok"))).await;
    let agent = agent(&server, "").build();
    let ada = context_of(1, Some("ada"));
    assert!(!is_cached(&agent, &question(), &ada).await);
    assert!(is_cached(&agent, &question(), &ada).await);
    for other in [context_of(2, Some("ada")), context_of(1, Some("eve")), context_of(1, None)] {
        assert!(!is_cached(&agent, &question(), &other).await, "{other:?}");
    }
    let other = ProxyRequest::builder("?").target_model("openai/gpt-4o-mini").build().unwrap();
    assert!(!is_cached(&agent, &other, &ada).await);
    assert_eq!(server.received().len(), 5);
}

#[tokio::test]
async fn answers_that_were_cut_off_or_filtered_are_not_cached() {
    let ended = |reason: &str| -> Scripted {
        completion(&json!({"role": "assistant", "content": "It is"}), reason)
    };
    for reason in ["length", "content_filter", "odd"] {
        let server = Server::start([ended(reason), text("It is green.")]).await;
        let agent = agent(&server, "").build();
        for _ in 0..2 {
            assert!(!is_cached(&agent, &question(), &context()).await, "{reason}");
        }
        assert!(is_cached(&agent, &question(), &context()).await);
    }
}

#[tokio::test]
async fn an_answer_that_breaks_its_schema_is_not_cached() {
    let server = Server::start([text("seven"), text("7")]).await;
    let agent = agent(&server, "").answer_schema(json!({"type": "integer"})).build();
    assert!(agent.answer(&question(), &context()).await.is_err());
    assert!(!is_cached(&agent, &question(), &context()).await);
    assert!(is_cached(&agent, &question(), &context()).await);
}
