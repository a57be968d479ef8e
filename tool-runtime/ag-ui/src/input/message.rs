//! The messages of an input.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{is_id, read_at};
use crate::problem::InputRefusal;

/// A message of the conversation, as the client sent it.
#[derive(Debug)]
pub(crate) struct InputMessage {
    pub(crate) id: String,
    pub(crate) content: MessageContent,
}

/// The content of a message, by its role.
#[derive(Debug)]
pub(crate) enum MessageContent {
    /// Instructions that the client claims to have.
    Instructions(String),
    User(String),
    Assistant {
        text: String,
        calls: Vec<InputCall>,
    },
    Tool {
        call_id: String,
        text: String,
        failed: bool,
    },
    /// Progress and reasoning, which models do not read again.
    Other,
}

/// A call that an assistant's message has.
#[derive(Debug)]
pub(crate) struct InputCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMessage<'m> {
    id: String,
    role: String,
    #[serde(borrow)]
    content: Option<&'m RawValue>,
    #[serde(default)]
    tool_calls: Option<Vec<RawCall>>,
    tool_call_id: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
struct RawCall {
    id: String,
    function: RawFunction,
}

#[derive(Deserialize)]
struct RawFunction {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct RawPart {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl InputMessage {
    pub(super) fn read_all(entries: &[&RawValue]) -> Result<Vec<Self>, InputRefusal> {
        let entries = entries.iter().enumerate();
        entries.map(|(index, raw)| Self::read(&format!("messages[{index}]"), raw)).collect()
    }

    fn read(place: &str, raw: &RawValue) -> Result<Self, InputRefusal> {
        let expected = "a message with `id`, `role`, `content`, and for calls `toolCalls` or \
                        `toolCallId`, as AG-UI 1.0 has them";
        let message: RawMessage<'_> = read_at(place, expected, raw.get())?;
        let text = |raw: Option<&RawValue>| content_text(&format!("{place}.content"), raw);
        let content = match message.role.as_str() {
            "user" => MessageContent::User(text(message.content)?),
            "system" | "developer" => MessageContent::Instructions(text(message.content)?),
            "assistant" => MessageContent::Assistant {
                text: text(message.content)?,
                calls: message.tool_calls.unwrap_or_default().into_iter().map(Into::into).collect(),
            },
            "tool" => MessageContent::Tool {
                call_id: message.tool_call_id.ok_or_else(|| {
                    InputRefusal::invalid(format!(
                        "{place}.toolCallId: expected the id of the call that the message answers"
                    ))
                })?,
                text: tool_text(text(message.content)?, message.error.as_deref()),
                failed: message.error.is_some(),
            },
            "activity" | "reasoning" => MessageContent::Other,
            _ => {
                return Err(InputRefusal::invalid(format!(
                    "{place}.role: expected user, assistant, tool, system, developer, activity or \
                     reasoning"
                )));
            }
        };
        if is_id(&message.id) {
            return Ok(Self { id: message.id, content });
        }
        let message = format!("{place}.id: expected a text of 1 to 256 bytes");
        Err(InputRefusal::invalid(message))
    }
}

impl From<RawCall> for InputCall {
    fn from(call: RawCall) -> Self {
        Self { id: call.id, name: call.function.name, arguments: call.function.arguments }
    }
}

/// Returns the text of a content: a text, or the texts of its parts. Of a part that is no text the model
/// reads a note.
fn content_text(place: &str, raw: Option<&RawValue>) -> Result<String, InputRefusal> {
    let expected = "a text, or a list of parts with `type`";
    let Some(raw) = raw else { return Ok(String::new()) };
    if !raw.get().starts_with('[') {
        let text: Option<String> = read_at(place, expected, raw.get())?;
        return Ok(text.unwrap_or_default());
    }
    let parts: Vec<RawPart> = read_at(place, expected, raw.get())?;
    let texts = parts.into_iter().map(|part| match (part.kind.as_str(), part.text) {
        ("text", Some(text)) => text,
        _ => "[a file that this agent does not read]".to_owned(),
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Joins the result of a client's tool and its error, either of which may be empty.
fn tool_text(text: String, error: Option<&str>) -> String {
    match error {
        None => text,
        Some(error) if text.is_empty() => format!("error: {error}"),
        Some(error) => format!("{text}\nerror: {error}"),
    }
}
