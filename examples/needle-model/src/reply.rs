//! Reads the answer of the model's process.

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_runtime::agent::{
    AgentError, AgentErrorKind, AssistantMessage, ChatReply, ChatRequest, FinishReason, ModelCall,
    ModelMessage,
};

/// The model's name in replies.
const NAME: &str = "needle-3";

/// An answer: the calls, or an error.
#[derive(Deserialize)]
struct Answer {
    error: Option<AnswerError>,
    #[serde(default)]
    calls: Vec<RequestedCall>,
    /// The calls that the engine held back, since it was not sure of them.
    #[serde(default)]
    withheld: Vec<RequestedCall>,
    reasoning: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerError {
    TooLong,
    CutOff,
    Engine,
}

#[derive(Deserialize)]
struct RequestedCall {
    name: String,
    arguments: Box<RawValue>,
}

/// Reads an answer to a request; `unsure` says that withheld calls are requested too.
///
/// # Errors
/// Returns an error of the kind `Llm` if the model did not answer.
pub(crate) fn reply(
    answer: serde_json::Value,
    request: &ChatRequest,
    unsure: bool,
) -> Result<ChatReply, AgentError> {
    let failed = |text: &str| Err(AgentError::new(AgentErrorKind::Llm, text));
    let Ok(answer) = serde_json::from_value::<Answer>(answer) else {
        return failed("the model's process does not answer as its script does");
    };
    match answer.error {
        None => Ok(answered(answer, request.messages(), unsure)),
        Some(AnswerError::CutOff) => {
            Ok(ChatReply::new(NAME, "").with_finish_reason(FinishReason::Length))
        }
        Some(AnswerError::TooLong) => failed(
            "tools and conversation do not fit the model's 8192 tokens; offer it fewer tools, as \
             the search index does",
        ),
        Some(AnswerError::Engine) => failed("the model's engine failed; its process logs why"),
    }
}

fn answered(mut answer: Answer, messages: &[ModelMessage], unsure: bool) -> ChatReply {
    if unsure {
        answer.calls.append(&mut answer.withheld);
    }
    if answer.calls.is_empty() {
        return ChatReply::new(NAME, text(&answer, messages));
    }
    let known: usize = messages.iter().map(calls_of).sum();
    let calls = answer.calls.into_iter().zip(known + 1..).map(|(call, number)| {
        ModelCall::new(format!("call_{number}"), call.name, call.arguments.get())
    });
    ChatReply::from_message(NAME, AssistantMessage::new("").with_calls(calls))
}

fn calls_of(message: &ModelMessage) -> usize {
    match message {
        ModelMessage::Assistant(message) => message.calls().len(),
        _ => 0,
    }
}

/// Returns the text of an answer without calls, since the model writes none: the results of the last
/// calls, or the reason for which there were none.
fn text(answer: &Answer, messages: &[ModelMessage]) -> String {
    let is_result = |message: &&ModelMessage| matches!(message, ModelMessage::ToolResult { .. });
    let mut results: Vec<&str> =
        messages.iter().rev().take_while(is_result).map(ModelMessage::text).collect();
    results.reverse();
    match (results.is_empty(), answer.withheld.is_empty()) {
        (false, _) => results.join("\n"),
        (true, true) => answer.reasoning.clone().unwrap_or_else(|| "No tool fits.".to_owned()),
        (true, false) => "No call is supported well enough by the question.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(answer: Value, messages: &[ModelMessage]) -> Result<ChatReply, AgentError> {
        reply(answer, &ChatRequest::from_messages(messages.iter().cloned()), false)
    }

    fn question() -> ModelMessage {
        ModelMessage::User("Where are A-17 and A-18?".to_owned())
    }

    fn result(text: &str) -> ModelMessage {
        ModelMessage::tool_result("call_1", text)
    }

    #[test]
    fn calls_are_numbered_through_the_conversation() {
        let earlier = AssistantMessage::new("").with_calls([ModelCall::new("call_1", "a", "{}")]);
        let messages = [question(), ModelMessage::Assistant(earlier), result("1"), question()];
        let call = json!({"name": "get_order", "arguments": {"id": "A-18", "n": 1.0}});
        let answer = json!({"calls": [call, call], "withheld": [], "reasoning": "…"});
        let reply = read(answer, &messages).expect("calls");
        let calls: Vec<_> =
            reply.calls().iter().map(|call| (call.call_id(), call.name())).collect();
        assert_eq!(calls, [("call_2", "get_order"), ("call_3", "get_order")]);
        assert_eq!(reply.calls()[0].arguments(), r#"{"id":"A-18","n":1.0}"#);
        assert_eq!(reply.finish_reason(), &FinishReason::ToolCalls);
    }

    #[test]
    fn without_calls_the_text_is_the_last_results_or_the_reason() {
        let none = json!({"calls": [], "withheld": [], "reasoning": "No tool has rivers."});
        let after = [question(), result("old"), question(), result("one"), result("two")];
        assert_eq!(read(none.clone(), &after).expect("an end").text(), "one\ntwo");
        assert_eq!(read(none, &[question()]).expect("an end").text(), "No tool has rivers.");
    }

    #[test]
    fn withheld_calls_are_requested_only_if_wanted() {
        let call = json!({"name": "get_order", "arguments": {"id": "A-17"}});
        let answer = json!({"calls": [], "withheld": [call], "reasoning": "…"});
        let withheld = read(answer.clone(), &[question()]).expect("an end");
        assert_eq!(withheld.text(), "No call is supported well enough by the question.");
        assert!(withheld.calls().is_empty());
        let reply = reply(answer, &ChatRequest::from_messages([question()]), true).expect("a call");
        assert_eq!(reply.calls()[0].name(), "get_order");
    }

    #[test]
    fn an_error_says_what_to_do() {
        let cut = read(json!({"error": "cut_off"}), &[question()]).expect("no error");
        assert_eq!(cut.finish_reason(), &FinishReason::Length);
        for (answer, text) in [
            (json!({"error": "too_long"}), "offer it fewer tools"),
            (json!({"error": "engine"}), "its process logs why"),
            (json!({"error": "another"}), "does not answer as its script does"),
            (json!([]), "does not answer as its script does"),
        ] {
            let error = read(answer, &[question()]).expect_err("it is an error");
            assert_eq!(error.kind(), AgentErrorKind::Llm);
            assert!(error.message().contains(text), "{error}");
        }
    }
}
