//! Reads the messages of a server: of a bounded number of values, and so that an answer that cannot be
//! read ends the request that waits for it.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomResult, ErrorCode, ErrorData, ListToolsResult,
    MetaObject, RequestId, ServerJsonRpcMessage, ServerResult, Tool,
};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tool_runtime_schema::json::{ShallowJson, ShallowScan};

use super::failure::TransportFailure;
use crate::remote::limits::RemoteLimits;

/// The members of a message that are looked at before it is read. The first one is the id.
const MEMBERS: &[&str] = &["id", "jsonrpc", "method", "params", "result", "error"];

/// The member of a list's `_meta` with the text of the whole list.
const LIST_TEXT: &str = "tool-runtime/list";
/// The annotation by which an argument is sent as an HTTP header too.
const HEADER_ANNOTATION: &str = "x-mcp-header";

/// The kind of a request, by which its result is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A call of a tool. Its result stays a text until the call reads it.
    Call,
    /// A list of tools. Its result stays a text, so that each tool is read by itself.
    List,
    /// A request whose result rmcp reads.
    Other,
}

/// A message of a server.
#[derive(Debug)]
pub(super) enum IncomingMessage<'t> {
    /// A text that is no message, such as a line of a log.
    Ignored,
    /// A request or a notification.
    FromServer(Box<ServerJsonRpcMessage>),
    /// A request that cannot be read, as the error that answers it: its server may wait for an answer.
    Refused(Box<ClientJsonRpcMessage>),
    Answer {
        /// The request that the answer names, if it names one.
        id: Option<RequestId>,
        answer: IncomingAnswer<'t>,
    },
}

/// An answer of a server.
#[derive(Debug)]
pub(super) enum IncomingAnswer<'t> {
    Result(&'t str),
    Error(ErrorData),
    Unusable(TransportFailure),
}

/// Reads the messages of a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageReader {
    max_nodes: usize,
}

impl RequestKind {
    /// Returns the id and the kind of a request; none for another message.
    pub(super) fn from_message(message: &ClientJsonRpcMessage) -> Option<(RequestId, Self)> {
        let ClientJsonRpcMessage::Request(request) = message else { return None };
        let kind = match &request.request {
            ClientRequest::CallToolRequest(_) => Self::Call,
            ClientRequest::ListToolsRequest(_) => Self::List,
            _ => Self::Other,
        };
        Some((request.id.clone(), kind))
    }
}

impl MessageReader {
    pub(super) fn new(limits: RemoteLimits) -> Self {
        Self { max_nodes: limits.max_message_nodes() }
    }

    /// Starts to look at a message that is too long to be kept.
    pub(super) fn skim() -> ShallowScan {
        ShallowScan::new(MEMBERS)
    }

    /// Reads the messages of a text: one, or an array of several, which revision 2025-03-26 allows.
    pub(super) fn read_all(self, bytes: &[u8]) -> Vec<IncomingMessage<'_>> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let outer = ShallowJson::object(bytes, MEMBERS);
        if !outer.is_batch() || outer.nodes() > self.max_nodes {
            return vec![self.read(bytes, &outer)];
        }
        let items = ShallowJson::items(bytes).into_iter();
        let messages = items.map(|item| self.read(item, &ShallowJson::object(item, MEMBERS)));
        messages.filter(|message| !matches!(message, IncomingMessage::Ignored)).collect()
    }

    /// Reads a message.
    fn read<'t>(self, bytes: &'t [u8], outer: &ShallowJson) -> IncomingMessage<'t> {
        if outer.nodes() > self.max_nodes {
            return Self::read_skimmed(outer);
        }
        if is_from_server(outer) {
            let message = message_in(bytes, outer).map(IncomingMessage::FromServer);
            return message.unwrap_or_else(|| refused(outer, "the request cannot be read"));
        }
        let id = answered_id(outer);
        if !is_answer(outer, id.is_some()) {
            return IncomingMessage::Ignored;
        }
        let unreadable = IncomingAnswer::Unusable(TransportFailure::Unreadable);
        IncomingMessage::Answer { id, answer: answer_in(bytes, outer).unwrap_or(unreadable) }
    }

    /// Reads what is known of a message that is too long to be kept, or has too many values.
    pub(super) fn read_skimmed(outer: &ShallowJson) -> IncomingMessage<'static> {
        if is_from_server(outer) {
            return refused(outer, "the request is larger than the limit");
        }
        let id = answered_id(outer);
        // The requests that an array answers are not known.
        if !outer.is_batch() && !is_answer(outer, id.is_some()) {
            return IncomingMessage::Ignored;
        }
        let answer = IncomingAnswer::Unusable(TransportFailure::TooLarge);
        IncomingMessage::Answer { id, answer }
    }
}

/// Returns the id that a text names.
fn answered_id(outer: &ShallowJson) -> Option<RequestId> {
    outer.is_object().then(|| id_in(outer.first_value())).flatten()
}

/// Returns whether a text is a request or a notification.
fn is_from_server(outer: &ShallowJson) -> bool {
    outer.is_object() && outer.has_value("method")
}

/// Returns whether a text is an answer, which need not name its request.
fn is_answer(outer: &ShallowJson, has_id: bool) -> bool {
    let has_answer = outer.has("result") || outer.has("error");
    outer.is_object() && (has_answer || (outer.has("jsonrpc") && has_id))
}

/// Answers a request that is not read. A line of a log may have a method and an id too.
fn refused(outer: &ShallowJson, reason: &'static str) -> IncomingMessage<'static> {
    let id = answered_id(outer).filter(|_| outer.has_value("jsonrpc"));
    let reply = |id| {
        let error = ErrorData::invalid_request(reason, None);
        IncomingMessage::Refused(Box::new(ClientJsonRpcMessage::error(error, Some(id))))
    };
    id.map_or(IncomingMessage::Ignored, reply)
}

/// Reads a request or a notification. rmcp refuses members that another kind of message has, also if
/// they are `null`.
fn message_in(bytes: &[u8], outer: &ShallowJson) -> Option<Box<ServerJsonRpcMessage>> {
    if !outer.has_nulls() {
        return serde_json::from_slice(bytes).ok();
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let members = MEMBERS.iter().filter(|name| outer.has_value(name));
    let members = members.filter_map(|name| Some(format!("\"{name}\":{}", outer.get(text, name)?)));
    serde_json::from_str(&format!("{{{}}}", members.collect::<Vec<_>>().join(","))).ok()
}

fn id_in(text: &[u8]) -> Option<RequestId> {
    match serde_json::from_slice(text).ok()? {
        Value::String(id) => Some(RequestId::String(id.into())),
        Value::Number(number) => {
            let whole_float = || number.as_f64().filter(|float| float.fract() == 0.0);
            // Some languages write every number as a float.
            number
                .as_i64()
                .or_else(|| format!("{:.0}", whole_float()?).parse().ok())
                .map(RequestId::Number)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn answer_in<'t>(bytes: &'t [u8], outer: &ShallowJson) -> Option<IncomingAnswer<'t>> {
    let text = std::str::from_utf8(bytes).ok().filter(|_| outer.is_complete())?;
    // Libraries of the first version of JSON-RPC write both members.
    match (outer.get(text, "error"), outer.get(text, "result")) {
        (None | Some("null"), Some(result)) => Some(IncomingAnswer::Result(result)),
        (Some(error), _) => Some(IncomingAnswer::Error(error_in(error))),
        (None, None) => None,
    }
}

/// Reads an error, of which any part may be missing.
fn error_in(text: &str) -> ErrorData {
    let mut error: Value = serde_json::from_str(text).unwrap_or_default();
    let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok());
    let data = error.get_mut("data").map(Value::take);
    let written = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        _ => value.to_string(),
    };
    let message = match (&error, &error["message"]) {
        (Value::String(text), _) | (_, Value::String(text)) => text.clone(),
        (_, message) => written(message),
    };
    let message = match &data {
        Some(data) if message.trim().is_empty() => written(data),
        Some(_) | None => message,
    };
    ErrorData::new(code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode), message, data)
}

impl IncomingAnswer<'_> {
    /// Returns whether an error speaks of a session, which the server may have forgotten.
    pub(super) fn names_session(&self) -> bool {
        match self {
            Self::Error(error) => error.message.to_ascii_lowercase().contains("session"),
            Self::Result(_) | Self::Unusable(_) => false,
        }
    }

    /// Makes a message of rmcp, which answers a request of this kind.
    pub(super) fn into_message(self, id: RequestId, kind: RequestKind) -> ServerJsonRpcMessage {
        match self {
            Self::Result(text) => match result_of(text, kind) {
                Ok(result) => ServerJsonRpcMessage::response(result, id),
                Err(failure) => ServerJsonRpcMessage::error(failure.to_error(), Some(id)),
            },
            Self::Error(mut error) => {
                // The data of later errors is not used: what stands there is written by this client.
                if kind != RequestKind::Other {
                    error.data = None;
                }
                ServerJsonRpcMessage::error(error, Some(id))
            }
            Self::Unusable(failure) => ServerJsonRpcMessage::error(failure.to_error(), Some(id)),
        }
    }
}

fn result_of(text: &str, kind: RequestKind) -> Result<ServerResult, TransportFailure> {
    match kind {
        RequestKind::Call => {
            let checked = serde_json::from_str::<IgnoredAny>(text);
            checked.map(|_| as_text(text)).map_err(|_| TransportFailure::Unreadable)
        }
        // Each tool is read by itself, so that one which is damaged loses no other.
        RequestKind::List if text.contains(HEADER_ANNOTATION) => Ok(annotated_list(text)),
        RequestKind::List => Ok(as_text(text)),
        RequestKind::Other => serde_json::from_str(text).map_err(|_| TransportFailure::Unreadable),
    }
}

fn as_text(text: &str) -> ServerResult {
    ServerResult::CustomResult(CustomResult::new(Value::String(text.to_owned())))
}

/// Makes a list that rmcp understands, which sends the arguments of its tools as headers, with the text
/// of the whole list.
fn annotated_list(text: &str) -> ServerResult {
    let outer = ShallowJson::object(text.as_bytes(), &["tools"]);
    let items = ShallowJson::array(outer.get(text, "tools").unwrap_or_default());
    let tools = items.into_iter().filter(|item| item.contains(HEADER_ANNOTATION));
    let tools: Vec<Tool> = tools.filter_map(|item| serde_json::from_str(item).ok()).collect();
    let mut list = ListToolsResult::with_all_items(tools);
    list.meta = serde_json::from_value::<MetaObject>(json!({ LIST_TEXT: text })).ok();
    ServerResult::ListToolsResult(list)
}

/// Returns the text of a result, and the names of the tools whose annotations for HTTP headers rmcp has
/// rejected.
pub(in super::super) fn result_text(result: ServerResult) -> Option<(String, Vec<String>)> {
    match result {
        ServerResult::CustomResult(CustomResult(Value::String(text))) => Some((text, Vec::new())),
        ServerResult::ListToolsResult(list) => {
            let mut meta = list.meta?;
            let Some(Value::String(text)) = meta.0.remove(LIST_TEXT) else { return None };
            let accepted = |name: &str| list.tools.iter().any(|tool| tool.name == name);
            let rejected = {
                let outer = ShallowJson::object(text.as_bytes(), &["tools"]);
                let items = ShallowJson::array(outer.get(&text, "tools").unwrap_or_default());
                let annotated = items.into_iter().filter(|item| item.contains(HEADER_ANNOTATION));
                let tools = annotated.filter_map(|item| serde_json::from_str::<Tool>(item).ok());
                tools.map(|tool| tool.name.into_owned()).filter(|name| !accepted(name)).collect()
            };
            Some((text, rejected))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<IncomingMessage<'_>> {
        MessageReader::new(RemoteLimits::new().with_max_message_nodes(20)).read_all(text.as_bytes())
    }

    #[test]
    fn a_request_and_a_notification_with_null_members_are_read() {
        for text in [
            r#"{"jsonrpc":"2.0","id":null,"method":"notifications/tools/list_changed","params":null,"result":null,"error":null}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":null,"result":null,"error":null}"#,
        ] {
            let mut messages = read(text);
            let Some(IncomingMessage::FromServer(message)) = messages.pop() else {
                panic!("{messages:?}")
            };
            // rmcp reads the messages of events once more.
            let written = serde_json::to_string(&message).unwrap();
            assert!(serde_json::from_str::<ServerJsonRpcMessage>(&written).is_ok(), "{written}");
        }
    }

    #[test]
    fn the_messages_of_an_array_are_read_one_by_one() {
        let ping = r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#;
        let text = format!(r#"[{ping},7,{{"level":"info"}},{{"id":1,"result":{{}}}}]"#);
        let messages = read(&text);
        assert!(matches!(
            &messages[..],
            [
                IncomingMessage::FromServer(_),
                IncomingMessage::Answer {
                    id: Some(RequestId::Number(1)),
                    answer: IncomingAnswer::Result("{}")
                }
            ]
        ));
        let large = format!("[{}]", [ping; 9].join(","));
        let large = read(&large);
        let too_large = IncomingAnswer::Unusable(TransportFailure::TooLarge);
        let is_too_large =
            |answer: &IncomingAnswer<'_>| format!("{answer:?}") == format!("{too_large:?}");
        assert!(matches!(
            &large[..],
            [IncomingMessage::Answer { id: None, answer }] if is_too_large(answer)
        ));
    }

    #[test]
    fn a_line_of_a_log_is_neither_answered_nor_an_answer() {
        for text in [
            r#"{"method":"GET","id":7,"path":NaN}"#,
            r#"{"level":"info","id":1}"#,
            "[INFO] {\"id\":1}",
            "[]",
            r#"[{"level":"info"}]"#,
        ] {
            let messages = read(text);
            let is_ignored = |message| matches!(message, &IncomingMessage::Ignored);
            assert!(messages.iter().all(is_ignored), "{text} {messages:?}");
        }
    }
}
