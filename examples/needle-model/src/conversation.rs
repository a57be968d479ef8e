//! Writes a request as the model's process reads it.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_runtime::agent::{AgentError, AgentErrorKind, ChatRequest, ModelMessage};
use tool_runtime::contracts::ToolSpec;

/// The most tokens of an answer, if the request sets none.
const OUTPUT_TOKENS: u64 = 512;

/// A tool, as the model reads it.
#[derive(Serialize)]
struct Declaration<'s> {
    name: &'s str,
    description: &'s str,
    parameters: &'s Map<String, Value>,
}

/// Writes a request.
///
/// # Errors
/// Returns an error of the kind `Validation` if the request has nothing to answer.
pub(crate) fn conversation(request: &ChatRequest) -> Result<Value, AgentError> {
    let turns = turns(request.messages());
    if turns.is_empty() {
        let message = "the request has no message of the user; add one";
        return Err(AgentError::new(AgentErrorKind::Validation, message));
    }
    let tools: Vec<Declaration<'_>> =
        request.tools().iter().map(|spec| declaration(spec)).collect();
    Ok(json!({
        "system": system(request.messages()),
        "tools": tools,
        "turns": turns,
        "max_new_tokens": request.max_output_tokens().unwrap_or(OUTPUT_TOKENS),
    }))
}

fn declaration(spec: &ToolSpec) -> Declaration<'_> {
    Declaration {
        name: spec.name(),
        description: spec.description(),
        parameters: spec.input_schema(),
    }
}

fn system(messages: &[ModelMessage]) -> String {
    let texts = messages.iter().filter_map(|message| match message {
        ModelMessage::System(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns what the model reads turn by turn: a text, or the results of the calls of its last answer
/// as a JSON array. It repeats its own answers by itself.
fn turns(messages: &[ModelMessage]) -> Vec<String> {
    let mut turns = Vec::new();
    for group in messages.chunk_by(|left, right| is_result(left) && is_result(right)) {
        match group {
            [ModelMessage::User(text)] => turns.push(text.clone()),
            [ModelMessage::ToolResult { .. }, ..] => {
                turns.push(group.iter().map(result).collect::<Value>().to_string());
            }
            _ => {}
        }
    }
    turns
}

fn is_result(message: &ModelMessage) -> bool {
    matches!(message, ModelMessage::ToolResult { .. })
}

/// Returns a result as JSON: as the text in another format, such as TOON.
fn result(message: &ModelMessage) -> Value {
    serde_json::from_str(message.text()).unwrap_or_else(|_| message.text().into())
}

#[cfg(test)]
mod tests {
    use tool_runtime::agent::{AssistantMessage, ModelCall};
    use tool_runtime::contracts::Effect;

    use super::*;

    #[test]
    fn the_results_of_one_turn_are_one_text() {
        let call = |id: &str| ModelCall::new(id, "get_order", "{}");
        let assistant = AssistantMessage::new("").with_calls([call("1"), call("2")]);
        let result = |id: &str, text: &str| ModelMessage::tool_result(id, text);
        let request = ChatRequest::from_messages([
            ModelMessage::System("date: 2026-11-25 Wed".to_owned()),
            ModelMessage::User("Where are A-17 and A-18?".to_owned()),
            ModelMessage::Assistant(assistant),
            result("1", r#"{"state":"sent"}"#),
            result("2", "state: lost"),
            ModelMessage::User("Thank you".to_owned()),
        ]);
        let written = conversation(&request).expect("there is a question");
        assert_eq!(written["system"], "date: 2026-11-25 Wed");
        let results = r#"[{"state":"sent"},"state: lost"]"#;
        assert_eq!(written["turns"], json!(["Where are A-17 and A-18?", results, "Thank you"]));
    }

    #[test]
    fn a_tool_is_declared_by_its_own_schema() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}});
        let spec = ToolSpec::builder("get_order", Effect::Read)
            .description("Returns an order.")
            .input_schema(schema);
        let spec = spec.build().expect("a tool");
        let request = ChatRequest::new("Where is A-17?").with_tools([spec.clone()]);
        let written = conversation(&request.with_max_output_tokens(64)).expect("a question");
        let parameters = Value::from(spec.input_schema().clone());
        let tool = json!({"name": "get_order", "description": "Returns an order.", "parameters": parameters});
        assert_eq!(written["tools"], json!([tool]));
        assert_eq!(written["max_new_tokens"], 64);
    }

    #[test]
    fn a_request_without_a_question_is_refused() {
        let request = ChatRequest::from_messages([ModelMessage::System("date: today".to_owned())]);
        let error = conversation(&request).expect_err("there is nothing to answer");
        assert_eq!(error.kind(), AgentErrorKind::Validation);
    }
}
