//! Settings of the client, and the key.

use std::time::Duration;

use tool_runtime::agent::{AgentErrorKind, ChatModel, ChatRequest, OpenAiModel};

use crate::agent::server::{Server, text};

/// A variable that Cargo sets for tests.
const VARIABLE: &str = "CARGO_PKG_NAME";

#[tokio::test]
async fn the_key_comes_from_the_environment_and_is_not_shown() {
    let key = std::env::var(VARIABLE).unwrap();
    let server = Server::start([text("ok")]).await;
    let builder = server.builder().api_key_env(VARIABLE);
    let shown = format!("{builder:?}");
    let model = builder.build().unwrap();
    model.chat(&ChatRequest::new("?")).await.unwrap();
    assert_eq!(server.received()[0].key.as_deref(), Some(&*format!("Bearer {key}")));
    assert!(!format!("{shown} {model:?}").contains(&key), "{shown} {model:?}");
}

#[test]
fn all_problems_are_reported_at_once() {
    let builder = OpenAiModel::builder("ftp://x", "")
        .api_key_env("TOOL_RUNTIME_NO_SUCH_KEY")
        .max_attempts(0)
        .timeout(Duration::ZERO);
    let error = builder.build().unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Configuration);
    assert_eq!(error.details()["problems"].as_array().unwrap().len(), 5, "{error}");
    assert!(error.message().contains("TOOL_RUNTIME_NO_SUCH_KEY"), "{error}");
}

#[test]
fn a_key_is_not_sent_in_the_clear_to_another_machine() {
    let builder = || OpenAiModel::builder("http://models.example/v1", "m").api_key_env(VARIABLE);
    let error = builder().build().unwrap_err();
    assert!(error.message().contains("without TLS"), "{error}");
    assert!(builder().allow_plain_http().build().is_ok());
    assert!(OpenAiModel::builder("http://models.example/v1", "m").build().is_ok());
    assert!(OpenAiModel::builder("https://user:pass@models.example/v1", "m").build().is_err());
}
