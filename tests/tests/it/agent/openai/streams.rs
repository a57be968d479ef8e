//! Streamed answers.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::json;
use tool_runtime::agent::{
    AgentError, ChatModel, ChatReply, ChatRequest, FinishReason, OpenAiModel, TokenUsage,
};

use crate::agent::server::{Scripted, Server, StreamEnd, error, message, pieces, text, texts};

/// Asks for a stream, and returns the pieces that were shown too.
async fn stream(model: &OpenAiModel) -> (Result<ChatReply, AgentError>, Vec<String>) {
    let shown = Mutex::new(Vec::new());
    let show = |text: &str| shown.lock().unwrap().push(text.to_owned());
    let reply = model.chat_streamed(&ChatRequest::new("?"), &show).await;
    (reply, shown.into_inner().unwrap())
}

#[tokio::test]
async fn a_text_is_shown_in_pieces() {
    let server = Server::start([texts(&["Green ", "tea, ", "茶."])]).await;
    let (reply, shown) = stream(&server.model()).await;
    let reply = reply.unwrap();
    assert_eq!(shown, ["Green ", "tea, ", "茶."]);
    assert_eq!((reply.text(), reply.finish_reason()), ("Green tea, 茶.", &FinishReason::Stop));
    assert_eq!(reply.usage(), Some(TokenUsage::new(20, 5)));
    let body = &server.received()[0].body;
    assert_eq!(
        (&body["stream"], &body["stream_options"]),
        (&json!(true), &json!({"include_usage": true}))
    );
}

#[tokio::test]
async fn a_whole_answer_of_a_server_that_does_not_stream_is_read() {
    let call =
        json!([{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": call});
    let no_answer = || Scripted::Plain(200, Vec::new(), r#"{"detail":"planted"}"#.to_owned());
    let server = Server::start([text("Green tea."), message(&asked), no_answer()]).await;
    let (reply, shown) = stream(&server.model()).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text(), shown), ("Green tea.", vec!["Green tea.".to_owned()]));
    assert_eq!(reply.usage().map(|usage| usage.output_tokens), Some(5));
    let (reply, _) = stream(&server.model()).await;
    assert_eq!(reply.unwrap().calls().len(), 1);
    let (reply, _) = stream(&server.model()).await;
    assert_eq!(reply.unwrap_err().details()["reason"], "unreadable");
}

#[tokio::test]
async fn a_stream_that_breaks_off_before_its_first_text_is_asked_for_again() {
    let broken =
        Scripted::Stream { pieces: vec![": wait\n\n".to_owned()], end: StreamEnd::BrokenOff };
    let failing = Scripted::Stream {
        pieces: vec![format!(
            "data: {}\n\n",
            json!({"error": {"message": "planted", "type": "overloaded"}})
        )],
        end: StreamEnd::Closed,
    };
    let server = Server::start([broken, failing, texts(&["ok"])]).await;
    let (reply, shown) = stream(&server.model()).await;
    assert_eq!((reply.unwrap().text(), shown.len()), ("ok", 1));
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn a_stream_that_breaks_off_after_a_text_is_an_error() {
    let broken =
        Scripted::Stream { pieces: pieces(&["Green "], false), end: StreamEnd::BrokenOffLater };
    let server = Server::start([broken]).await;
    let model = server.builder().fallback_model("other").build().unwrap();
    let shown = Mutex::new(Vec::new());
    let show = |text: &str| {
        shown.lock().unwrap().push(text.to_owned());
        server.break_off();
    };
    let error = model.chat_streamed(&ChatRequest::new("?"), &show).await.unwrap_err();
    assert_eq!(
        (&error.details()["reason"], &error.details()["attempts"]),
        (&json!("connection"), &json!(1))
    );
    assert_eq!(shown.into_inner().unwrap(), ["Green "]);
}

#[tokio::test]
async fn a_stream_without_an_end_is_cut_off() {
    let open = Scripted::Stream { pieces: pieces(&["Green "], false), end: StreamEnd::Closed };
    let server = Server::start([open]).await;
    let reply = stream(&server.model()).await.0.unwrap();
    assert_eq!((reply.text(), reply.finish_reason()), ("Green ", &FinishReason::Length));
}

#[tokio::test]
async fn a_busy_server_is_asked_again_for_a_stream() {
    let server = Server::start([error(429, "x"), texts(&["ok"])]).await;
    assert_eq!(stream(&server.model()).await.0.unwrap().text(), "ok");
}

#[tokio::test]
async fn a_stream_longer_than_the_limit_is_an_error() {
    let server = Server::start([texts(&["tea "; 100])]).await;
    let model = server.builder().max_response_bytes(2_000).timeout(Duration::from_secs(20));
    let error = stream(&model.build().unwrap()).await.0.unwrap_err();
    assert_eq!(error.details()["reason"], "unreadable");
}

#[tokio::test]
async fn events_are_framed_as_any_server_may_send_them() {
    let [first, second] = <[String; 2]>::try_from(pieces(&["Green ", "tea"], false)).unwrap();
    let with_carriage_returns = format!("\u{feff}: wait\r\r{}", first.replace('\n', "\r"));
    let without_an_empty_line = second.trim_end().to_owned();
    let pieces = vec![with_carriage_returns, without_an_empty_line];
    let server = Server::start([Scripted::Stream { pieces, end: StreamEnd::Closed }]).await;
    let (reply, shown) = stream(&server.model()).await;
    assert_eq!(shown, ["Green ", "tea"]);
    assert_eq!(reply.unwrap().text(), "Green tea");
}

#[tokio::test]
async fn a_stream_that_ends_within_an_event_keeps_the_text_before_it() {
    let mut pieces = pieces(&["Green ", "tea"], false);
    pieces[1].truncate(40);
    let server = Server::start([Scripted::Stream { pieces, end: StreamEnd::Closed }]).await;
    let (reply, shown) = stream(&server.model()).await;
    let reply = reply.unwrap();
    assert_eq!(shown, ["Green "]);
    assert_eq!((reply.text(), reply.finish_reason()), ("Green ", &FinishReason::Length));
}
