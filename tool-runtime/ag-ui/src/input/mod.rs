//! Reads a `RunAgentInput` within limits. Each error names its place, what is expected, and no value.

mod message;
mod tools;

use std::collections::HashSet;

use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tool_contracts::ToolSpec;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{Malformed, read};

pub(crate) use self::message::{InputCall, InputMessage, MessageContent};
use crate::limits::AgUiLimits;
use crate::problem::InputRefusal;

/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 256;

/// An input that was checked: the request to run the agent.
#[derive(Debug)]
pub(crate) struct RunInput {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    pub(crate) parent_run_id: Option<String>,
    pub(crate) messages: Vec<InputMessage>,
    pub(crate) tools: Vec<ToolSpec>,
    pub(crate) context: Vec<ContextEntry>,
    pub(crate) resume: Vec<ResumeEntry>,
}

/// Ambient information of the client's application.
#[derive(Debug, Deserialize)]
pub(crate) struct ContextEntry {
    pub(crate) description: String,
    pub(crate) value: String,
}

/// An answer to an interrupt, as the client sent it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    pub(crate) interrupt_id: String,
    pub(crate) status: ResumeStatus,
    #[serde(default)]
    pub(crate) payload: Option<Box<RawValue>>,
}

/// The status of an answer to an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResumeStatus {
    Resolved,
    Cancelled,
}

/// The fields of the input, each still to be read, so that an error can name its place. Others, such as
/// `state` and `forwardedProps`, are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawInput<'i> {
    #[serde(borrow)]
    thread_id: Option<&'i RawValue>,
    #[serde(borrow)]
    run_id: Option<&'i RawValue>,
    #[serde(borrow)]
    parent_run_id: Option<&'i RawValue>,
    #[serde(borrow)]
    messages: Option<&'i RawValue>,
    #[serde(borrow)]
    tools: Option<&'i RawValue>,
    #[serde(borrow)]
    context: Option<&'i RawValue>,
    #[serde(borrow)]
    resume: Option<&'i RawValue>,
}

impl RunInput {
    /// Reads the body of a request.
    pub(crate) fn read(body: &[u8], limits: &AgUiLimits) -> Result<Self, InputRefusal> {
        let text = checked_text(body, limits)?;
        let raw: RawInput<'_> = read_at("the body", "a RunAgentInput of AG-UI, an object", text)?;
        let messages = list("messages", raw.messages, limits.max_messages())?;
        let messages: Vec<_> = messages.unwrap_or_default();
        let resume = list("resume", raw.resume, limits.max_messages())?.unwrap_or_default();
        let tools = list("tools", raw.tools, limits.max_tools())?.unwrap_or_default();
        let context = list("context", raw.context, limits.max_messages())?.unwrap_or_default();
        Ok(Self {
            thread_id: id("threadId", raw.thread_id)?,
            run_id: id("runId", raw.run_id)?,
            parent_run_id: raw.parent_run_id.map(|it| id("parentRunId", Some(it))).transpose()?,
            messages: InputMessage::read_all(&messages)?,
            tools: tools::read_all(&tools)?,
            context: read_each("context", "a description and a value, both texts", &context)?,
            resume: read_each(
                "resume",
                "`interruptId`, `status` (`resolved` or `cancelled`) and for a resolved one `payload`",
                &resume,
            )?,
        })
    }

    /// Refuses tools of the client that have the name of a tool of the server.
    pub(crate) fn check_names(&self, own_names: &HashSet<String>) -> Result<(), InputRefusal> {
        match self.tools.iter().position(|tool| own_names.contains(tool.name())) {
            None => Ok(()),
            Some(index) => Err(InputRefusal::invalid(format!(
                "tools[{index}].name: the server has a tool of this name, and a client replaces \
                 none; rename the client's tool"
            ))),
        }
    }
}

/// Checks the size, the nesting and the grammar of the body, all in one pass.
fn checked_text<'b>(body: &'b [u8], limits: &AgUiLimits) -> Result<&'b str, InputRefusal> {
    let bytes = limits.max_bytes();
    if body.len() > bytes {
        return Err(too_large(bytes));
    }
    let text = std::str::from_utf8(body).map_err(|error| {
        let at = error.valid_up_to();
        InputRefusal::invalid(format!("the body is not UTF-8 at byte {at}; send JSON in UTF-8"))
    })?;
    let json_limits = Limits::new().with_max_bytes(bytes).with_max_string_bytes(bytes);
    let json_limits = json_limits.with_max_depth(limits.max_depth());
    let tree = read(text, &json_limits);
    let tree = tree.map_err(|malformed: Malformed| {
        InputRefusal::invalid(format!("the body: {malformed}; send one RunAgentInput as JSON"))
    })?;
    if tree.duplicates().is_empty() {
        return Ok(text);
    }
    let message = "the body has an object with one key twice; send each key once";
    Err(InputRefusal::invalid(message))
}

pub(crate) fn too_large(bytes: usize) -> InputRefusal {
    let message = format!("the body is longer than {bytes} bytes; send fewer or shorter messages");
    InputRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, "input_too_large", message)
}

/// Reads a value; the error names the place and the expectation, and no value.
fn read_at<'t, T: Deserialize<'t>>(
    place: &str,
    expected: &str,
    text: &'t str,
) -> Result<T, InputRefusal> {
    serde_json::from_str(text)
        .map_err(|_| InputRefusal::invalid(format!("{place}: expected {expected}")))
}

fn read_each<T: DeserializeOwned>(
    name: &str,
    expected: &str,
    entries: &[&RawValue],
) -> Result<Vec<T>, InputRefusal> {
    let entries = entries.iter().enumerate();
    entries.map(|(index, raw)| read_at(&format!("{name}[{index}]"), expected, raw.get())).collect()
}

/// Reads a list up to its limit of entries; absent and `null` are no list.
fn list<'i>(
    name: &str,
    raw: Option<&'i RawValue>,
    limit: usize,
) -> Result<Option<Vec<&'i RawValue>>, InputRefusal> {
    let Some(raw) = raw else { return Ok(None) };
    let entries: Option<Vec<&RawValue>> = read_at(name, "a list", raw.get())?;
    match entries {
        Some(entries) if entries.len() > limit => Err(InputRefusal::invalid(format!(
            "{name}: {} entries, and at most {limit} are accepted; send fewer",
            entries.len()
        ))),
        entries => Ok(entries),
    }
}

fn id(name: &str, raw: Option<&RawValue>) -> Result<String, InputRefusal> {
    let expected = format!("a text of 1 to {MAX_ID_BYTES} bytes without control characters");
    let refusal = || InputRefusal::invalid(format!("{name}: expected {expected}"));
    let id: String = read_at(name, &expected, raw.ok_or_else(refusal)?.get())?;
    if is_id(&id) { Ok(id) } else { Err(refusal()) }
}

fn is_id(id: &str) -> bool {
    !id.trim().is_empty() && id.len() <= MAX_ID_BYTES && !id.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
