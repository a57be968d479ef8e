//! The conversation that a client sends, as the messages of a model.

use std::collections::HashMap;

use tool_runtime_agent::{AssistantMessage, ModelCall, ModelMessage};

use crate::input::{InputCall, InputMessage, MessageContent, RunInput};

/// The answer of a call to which the client's conversation has none.
const NO_ANSWER: &str = "this call has no answer";

/// Makes the messages of a run that begins.
///
/// A client's conversation is not trusted: its instructions are texts of the user, so that they have no
/// more authority than that. Each call gets its answer directly after it, and an answer without a call
/// is left out, since providers refuse both.
pub(crate) fn model_messages(input: &RunInput) -> Vec<ModelMessage> {
    let mut messages = Vec::with_capacity(input.messages.len() + 1);
    messages.extend(context_message(input));
    for (index, message) in input.messages.iter().enumerate() {
        match &message.content {
            MessageContent::User(text) | MessageContent::Instructions(text) => {
                messages.push(ModelMessage::User(text.clone()));
            }
            MessageContent::Assistant { text, calls } => {
                let answers = following_answers(&input.messages[index + 1..]);
                let requested = calls.iter().map(model_call);
                let message = AssistantMessage::new(text).with_calls(requested);
                messages.push(ModelMessage::Assistant(message));
                messages.extend(calls.iter().map(|call| {
                    let answer = answers.get(&*call.id).copied().unwrap_or(NO_ANSWER);
                    ModelMessage::tool_result(&call.id, answer)
                }));
            }
            MessageContent::Tool { .. } | MessageContent::Other => {}
        }
    }
    messages
}

/// Returns the texts of the user after the message with this id, or after the last message of the agent
/// if the client has left that message out.
pub(crate) fn newer_user_texts<'i>(input: &'i RunInput, seen: Option<&str>) -> Vec<&'i str> {
    let messages = &input.messages;
    let is_seen = |message: &InputMessage| Some(&*message.id) == seen;
    let is_of_agent = |message: &InputMessage| {
        matches!(message.content, MessageContent::Assistant { .. } | MessageContent::Tool { .. })
    };
    let start =
        messages.iter().rposition(is_seen).or_else(|| messages.iter().rposition(is_of_agent));
    let newer = &messages[start.map_or(0, |index| index + 1)..];
    let texts = newer.iter().filter_map(|message| match &message.content {
        MessageContent::User(text) => Some(text.as_str()),
        MessageContent::Instructions(_)
        | MessageContent::Assistant { .. }
        | MessageContent::Tool { .. }
        | MessageContent::Other => None,
    });
    texts.collect()
}

/// Returns the id of the user's last message.
pub(crate) fn last_user_message(input: &RunInput) -> Option<&str> {
    let is_of_user = |message: &&InputMessage| matches!(message.content, MessageContent::User(_));
    input.messages.iter().rev().find(is_of_user).map(|message| message.id.as_str())
}

/// Returns the answers up to the agent's next message or the user's, by the ids of their calls.
fn following_answers(messages: &[InputMessage]) -> HashMap<&str, &str> {
    let mut answers = HashMap::new();
    for message in messages {
        match &message.content {
            MessageContent::Tool { call_id, text, .. } => {
                answers.insert(call_id.as_str(), text.as_str());
            }
            MessageContent::Other => {}
            MessageContent::Instructions(_)
            | MessageContent::User(_)
            | MessageContent::Assistant { .. } => break,
        }
    }
    answers
}

fn model_call(call: &InputCall) -> ModelCall {
    // Providers refuse a call without arguments.
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    ModelCall::new(&call.id, &call.name, arguments)
}

fn context_message(input: &RunInput) -> Option<ModelMessage> {
    let lines: Vec<String> = input
        .context
        .iter()
        .map(|entry| format!("{}: {}", entry.description, entry.value))
        .collect();
    let text = format!("The application gives this context:\n{}", lines.join("\n"));
    (!lines.is_empty()).then_some(ModelMessage::User(text))
}
