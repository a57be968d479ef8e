//! Writes a request in OpenAI's Chat Completions API.

use serde_json::{Map, Value, json};
use tool_runtime_adapters::{Adapter, RequestedCall, Turn, file_part, files_message};
use tool_runtime_schema::json::normalized;

use crate::model::{AssistantMessage, ChatRequest, ModelMessage};

/// Models that take `max_completion_tokens`, and refuse `max_tokens`.
const REASONING: [&str; 4] = ["o1", "o3", "o4", "gpt-5"];

/// The format of the requests of one client.
pub(super) struct RequestFormat<'a> {
    pub(super) adapter: &'a Adapter,
    pub(super) streams: bool,
    /// True if images and files of results are sent.
    pub(super) sends_files: bool,
}

impl RequestFormat<'_> {
    /// Writes the body of a request.
    pub(super) fn body(&self, request: &ChatRequest, model: &str) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), model.into());
        body.insert("messages".to_owned(), self.messages(request.messages()).into());
        if !request.tools().is_empty() {
            body.insert(
                self.adapter.request_field().to_owned(),
                self.adapter.declarations().clone(),
            );
        }
        if let Some(schema) = request.schema() {
            let schema = json!({"name": "answer", "schema": schema});
            let format = json!({"type": "json_schema", "json_schema": schema});
            body.insert("response_format".to_owned(), format);
        }
        if let Some(tokens) = request.max_output_tokens() {
            let name = model.rsplit('/').next().unwrap_or(model);
            let reasons = REASONING.iter().any(|family| name.starts_with(family));
            let field = if reasons { "max_completion_tokens" } else { "max_tokens" };
            body.insert(field.to_owned(), tokens.into());
        }
        if let Some(temperature) = request.temperature() {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if self.streams {
            body.insert("stream".to_owned(), true.into());
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        normalized(body.into())
    }

    /// Writes the messages. The files of consecutive results follow all of them, since a server
    /// accepts no other message between the answers to one message.
    fn messages(&self, messages: &[ModelMessage]) -> Vec<Value> {
        let mut written = Vec::with_capacity(messages.len());
        let mut files = Vec::new();
        for message in messages {
            if !matches!(message, ModelMessage::ToolResult { .. }) {
                written.extend(files_message(std::mem::take(&mut files)));
            }
            written.extend(written_message(message, self.adapter));
            if self.sends_files {
                files.extend(message.attachments().iter().filter_map(file_part));
            }
        }
        written.extend(files_message(files));
        written
    }
}

/// Returns the messages by which a later request repeats an answer.
///
/// A deprecated `function_call` has no id, and its answer a role of its own. It becomes the call that
/// the answer to it names.
pub(super) fn repeated(turn: &Turn) -> impl Iterator<Item = Value> {
    let id = turn.calls().first().map(RequestedCall::call_id);
    turn.messages().iter().cloned().map(move |mut message| {
        let call = message.as_object_mut().and_then(|message| message.remove("function_call"));
        if let (Some(function), Some(id)) = (call, id) {
            message["tool_calls"] = json!([{"id": id, "type": "function", "function": function}]);
        }
        message
    })
}

fn written_message(message: &ModelMessage, adapter: &Adapter) -> Vec<Value> {
    match message {
        ModelMessage::System(text) => vec![json!({"role": "system", "content": text})],
        ModelMessage::User(text) => vec![json!({"role": "user", "content": text})],
        ModelMessage::Assistant(message) if !message.provider_messages().is_empty() => {
            message.provider_messages().to_vec()
        }
        ModelMessage::Assistant(message) => vec![assistant(message, adapter)],
        ModelMessage::ToolResult { call_id, text, .. } => {
            vec![json!({"role": "tool", "tool_call_id": call_id, "content": text})]
        }
    }
}

fn assistant(message: &AssistantMessage, adapter: &Adapter) -> Value {
    let calls = message.calls().iter().map(|call| {
        let name = adapter.wire_name(call.name()).unwrap_or(call.name());
        let function = json!({"name": name, "arguments": call.arguments()});
        json!({"id": call.call_id(), "type": "function", "function": function})
    });
    let calls: Vec<Value> = calls.collect();
    if calls.is_empty() {
        return json!({"role": "assistant", "content": message.text()});
    }
    let content = Some(message.text()).filter(|text| !text.is_empty());
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}
