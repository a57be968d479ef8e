//! Requests and answers: messages, tools, structured output, usage.

use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::agent::{
    ChatModel, ChatRequest, FinishReason, ModelCall, ModelMessage, ProviderPrefix, TokenUsage,
};
use tool_runtime::prelude::*;

use crate::agent::server::{Server, completion, message, text};

/// Searches the published content of a site.
#[ai_tool(effect = "read", name = "content.search")]
async fn search_content(
    /// Words to look for.
    query: String,
) -> String {
    query
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

#[tokio::test]
async fn an_answer_has_its_text_its_model_and_its_usage() {
    let server = Server::start([text("Four.")]).await;
    let request = ChatRequest::from_messages([ModelMessage::System("Be brief.".to_owned())])
        .with_message(ModelMessage::User("2 + 2?".to_owned()))
        .with_max_output_tokens(10)
        .with_temperature(0.5);
    let reply = server.model().chat(&request).await.unwrap();
    assert_eq!((reply.text(), reply.model()), ("Four.", "gpt-4o-mini-2024"));
    assert_eq!(reply.finish_reason(), &FinishReason::Stop);
    assert_eq!(reply.usage(), Some(TokenUsage::new(20, 5).with_cached_input_tokens(16)));
    assert!(reply.latency() > Duration::ZERO && reply.calls().is_empty());

    let [received] = &server.received()[..] else { panic!("one request") };
    assert_eq!((received.path.as_str(), &received.key), ("/v1/chat/completions", &None));
    let expected = json!({
        "model": "openai/gpt-4o-mini", "max_tokens": 10, "temperature": 0.5,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "2 + 2?"},
        ],
    });
    assert_eq!(received.body, expected);
}

#[tokio::test]
async fn calls_come_back_with_the_tools_own_names_and_are_answered() {
    let calls = json!([call("call_1", "content_search", r#"{"query":"tea"}"#)]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": calls});
    let server = Server::start([message(&asked), text("It is green.")]).await;
    let model = server.model();
    let runtime = Runtime::builder().tool::<SearchContentTool>().build().unwrap();
    let request = ChatRequest::new("What is tea?").with_tools(runtime.specs_for_model());

    let reply = model.chat(&request).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::ToolCalls);
    let call = ModelCall::new("call_1", "content.search", r#"{"query":"tea"}"#);
    assert_eq!(reply.calls(), [call]);

    let answer = ModelMessage::tool_result("call_1", "green");
    let request =
        request.with_message(ModelMessage::Assistant(reply.message().clone())).with_message(answer);
    assert_eq!(model.chat(&request).await.unwrap().text(), "It is green.");

    let received = server.received();
    assert_eq!(received[0].body["tools"][0]["function"]["name"], "content_search");
    let messages = received[1].body["messages"].as_array().unwrap();
    assert_eq!(messages[1]["tool_calls"], calls);
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "call_1", "content": "green"}));
}

#[tokio::test]
async fn a_message_that_no_provider_wrote_is_written_with_declared_names() {
    let server = Server::start([text("Done.")]).await;
    let runtime = Runtime::builder().tool::<SearchContentTool>().build().unwrap();
    let said = tool_runtime::agent::AssistantMessage::new("").with_calls([ModelCall::new(
        "a",
        "content.search",
        r#"{"query":"x"}"#,
    )]);
    let request = ChatRequest::new("?")
        .with_tools(runtime.specs_for_model())
        .with_message(ModelMessage::Assistant(said))
        .with_message(ModelMessage::tool_result("a", "x"));
    server.model().chat(&request).await.unwrap();
    let body = &server.received()[0].body;
    let expected = json!({
        "role": "assistant", "content": null,
        "tool_calls": [call("a", "content_search", r#"{"query":"x"}"#)],
    });
    assert_eq!(body["messages"][1], expected);
}

#[tokio::test]
async fn a_schema_is_sent_and_the_answer_is_checked() {
    let schema = json!({
        "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
        "additionalProperties": false,
    });
    let server = Server::start([text(r#"{"n": 4}"#), text(r#"{"n": "four"}"#)]).await;
    let request = ChatRequest::new("2 + 2?").with_schema(schema.clone());
    let reply = server.model().chat(&request).await.unwrap();
    assert_eq!(reply.structured(&schema).unwrap(), json!({"n": 4}));
    let format =
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
    assert_eq!(server.received()[0].body["response_format"], format);
    let reply = server.model().chat(&request).await.unwrap();
    assert!(reply.structured(&schema).is_err());
}

#[tokio::test]
async fn the_provider_before_a_name_is_left_out_where_the_server_has_none() {
    let server = Server::start([text("a"), text("b"), text("c")]).await;
    let bare = server.builder().provider_prefix(ProviderPrefix::Removed).build().unwrap();
    bare.chat(&ChatRequest::new("?")).await.unwrap();
    bare.chat(&ChatRequest::new("?").with_model("local")).await.unwrap();
    let request = ChatRequest::new("?").with_model("openai/o3-mini").with_max_output_tokens(7);
    server.model().chat(&request).await.unwrap();
    let models: Vec<_> = server.received().iter().map(|it| it.body["model"].clone()).collect();
    assert_eq!(models, ["gpt-4o-mini", "local", "openai/o3-mini"]);
    assert_eq!(server.received()[2].body["max_completion_tokens"], 7);
}

#[tokio::test]
async fn a_cut_off_answer_says_so() {
    let said = json!({"role": "assistant", "content": "It is"});
    let server =
        Server::start([completion(&said, "length"), completion(&said, "content_filter")]).await;
    let reply = server.model().chat(&ChatRequest::new("?")).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::Length);
    let reply = server.model().chat(&ChatRequest::new("?")).await.unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::ContentFilter);
}
