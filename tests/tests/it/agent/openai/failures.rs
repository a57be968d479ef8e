//! Busy, failing, slow and unreadable servers.

use std::time::{Duration, Instant};

use serde_json::json;
use tool_runtime::agent::{
    AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, OpenAiModel,
};

use crate::agent::server::{Scripted, Server, StreamEnd, error, pieces, text};

async fn ask(model: &OpenAiModel) -> Result<ChatReply, AgentError> {
    model.chat(&ChatRequest::new("hunter2?")).await
}

#[track_caller]
fn check(error: &AgentError, reason: &str, attempts: u32) {
    assert_eq!(error.kind(), AgentErrorKind::Llm);
    assert_eq!(error.details()["reason"], reason, "{error:?}");
    assert_eq!(error.details()["attempts"], attempts, "{error:?}");
    assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn a_busy_or_failing_server_is_asked_again() {
    let server =
        Server::start([error(429, "rate_limit_exceeded"), error(503, "x"), text("ok")]).await;
    assert_eq!(ask(&server.model()).await.unwrap().text(), "ok");
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn after_all_attempts_the_last_failure_is_the_error() {
    let server = Server::start([error(500, "a"), error(502, "b"), error(429, "rate_limit")]).await;
    let error = ask(&server.model()).await.unwrap_err();
    check(&error, "rate_limited", 3);
    assert_eq!(error.details()["status"], 429);
    assert_eq!(error.details()["provider_code"], "rate_limit");
    assert_eq!(error.details()["model"], "openai/gpt-4o-mini");
}

#[tokio::test]
async fn other_refusals_are_final() {
    for (status, reason) in [
        (401, "unauthorized"),
        (403, "unauthorized"),
        (400, "invalid_request"),
        (422, "invalid_request"),
    ] {
        let server = Server::start([error(status, "x")]).await;
        check(&ask(&server.model()).await.unwrap_err(), reason, 1);
    }
}

#[tokio::test]
async fn the_fallback_model_is_asked_last() {
    let server = Server::start([error(500, "a"), error(500, "b"), text("from the other")]).await;
    let model = server.builder().max_attempts(2).fallback_model("openai/other").build().unwrap();
    let reply = ask(&model).await.unwrap();
    assert_eq!((reply.text(), reply.is_fallback()), ("from the other", true));
    let server = Server::start([text("from the first")]).await;
    let model = server.builder().fallback_model("openai/other").build().unwrap();
    assert!(!ask(&model).await.unwrap().is_fallback());
    let server =
        Server::start([error(404, "model_not_found"), error(404, "model_not_found")]).await;
    let model = server.builder().fallback_model("openai/other").build().unwrap();
    check(&ask(&model).await.unwrap_err(), "not_found", 2);
    assert_eq!(server.received()[1].body["model"], "openai/other");
    // A refusal is the request's fault, and another model's too.
    let server = Server::start([error(400, "x")]).await;
    let model = server.builder().fallback_model("openai/other").build().unwrap();
    check(&ask(&model).await.unwrap_err(), "invalid_request", 1);
}

#[tokio::test]
async fn an_attempt_ends_at_its_time_limit() {
    let server = Server::start([Scripted::Hang, text("late")]).await;
    let model = server.builder().timeout(Duration::from_millis(100)).build().unwrap();
    assert_eq!(ask(&model).await.unwrap().text(), "late");
    let server = Server::start([Scripted::Hang]).await;
    let model =
        server.builder().timeout(Duration::from_millis(50)).max_attempts(1).build().unwrap();
    check(&ask(&model).await.unwrap_err(), "timeout", 1);
}

#[tokio::test]
async fn a_request_ends_at_its_time_limit_with_all_attempts() {
    let server = Server::start([Scripted::Hang, Scripted::Hang, Scripted::Hang]).await;
    let model = server.builder().fallback_model("other").build().unwrap();
    let started = Instant::now();
    let request = ChatRequest::new("?").with_timeout(Duration::from_millis(200));
    check(&model.chat(&request).await.unwrap_err(), "timeout", 2);
    assert!(started.elapsed() < Duration::from_secs(30), "no attempt waited for its own limit");
    let asked: Vec<_> = server.received().iter().map(|it| it.body["model"].clone()).collect();
    assert_eq!(asked, ["openai/gpt-4o-mini", "other"]);
    // Without a fallback model nothing is kept for one.
    let server = Server::start([Scripted::Hang]).await;
    check(&server.model().chat(&request).await.unwrap_err(), "timeout", 1);
}

#[tokio::test]
async fn a_streamed_answer_that_has_begun_may_take_the_time_of_the_fallback_model() {
    let pieces = pieces(&["Hello"], false);
    let server = Server::start([Scripted::Stream { pieces, end: StreamEnd::BrokenOffLater }]).await;
    let model = server.builder().fallback_model("other").build().unwrap();
    let request = ChatRequest::new("?").with_timeout(Duration::from_millis(600));
    let started = Instant::now();
    let error = model.chat_streamed(&request, &|_| ()).await.unwrap_err();
    check(&error, "timeout", 1);
    assert!(started.elapsed() >= Duration::from_millis(590), "{:?}", started.elapsed());
    assert_eq!(server.received().len(), 1, "a part of the answer was shown");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failed_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}/v1");
    drop(listener);
    let builder = OpenAiModel::builder(url, "m").first_delay(Duration::from_millis(1));
    let error = ask(&builder.build().unwrap()).await.unwrap_err();
    check(&error, "connection", 3);
    let text = error.to_string();
    assert!(text.contains(&format!("the server at {address} cannot be reached: ")), "{text}");
    assert!(text.to_lowercase().contains("refused") && !text.contains("/v1"), "{text}");
}

#[tokio::test]
async fn a_response_that_cannot_be_read_is_not_asked_for_again() {
    let html = || Scripted::Plain(200, vec![], "<html>hunter2</html>".to_owned());
    let other = Scripted::Plain(200, vec![], json!({"answer": "hunter2"}).to_string());
    for answer in [html(), other] {
        let server = Server::start([answer]).await;
        check(&ask(&server.model()).await.unwrap_err(), "unreadable", 1);
    }
    let server = Server::start([text(&"long ".repeat(1_000))]).await;
    let model = server.builder().max_response_bytes(1_000).build().unwrap();
    let error = ask(&model).await.unwrap_err();
    check(&error, "unreadable", 1);
    assert!(error.message().contains("max_response_bytes"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere =
        Scripted::Plain(307, vec![("location", "http://127.0.0.1:9/v1")], String::new());
    let server = Server::start([elsewhere]).await;
    check(&ask(&server.model()).await.unwrap_err(), "invalid_request", 1);
}
