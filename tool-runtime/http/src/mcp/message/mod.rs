//! Messages of clients, read before the protocol reads them: the parts that decide how a request is
//! admitted, and the members that are passed on.
//!
//! `rmcp` makes a value of everything that a message has, several times, and a session keeps the
//! values of its first message. What nothing reads is therefore left out before, and the number of
//! values is bounded.

mod members;
mod params;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use axum::http::StatusCode;
use rmcp::model::RequestId;
use serde::Serialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_runtime_schema::json::{ShallowJson, value_count};

use self::members::{Members, each_member};
use self::params::SentParams;
use super::answer::public_detail;
use crate::problem::Problem;

/// The code of a message that is not JSON.
const PARSE_ERROR: i32 = -32700;
/// The code of JSON that is not a message.
const INVALID_REQUEST: i32 = -32600;
/// The code of a message with other parameters.
const INVALID_PARAMS: i32 = -32602;

/// The code of a request that the server has no place for.
const SERVER_BUSY: i32 = -32000;
/// The code of a request of a session that does not exist, as the official servers answer it.
const SESSION_NOT_FOUND: i32 = -32001;

/// The most values of a message without the arguments of a tool, which have the limits of the
/// runtime.
pub(super) const MAX_VALUES: usize = 4_096;

/// The memory of one value of a message, in bytes: `rmcp` holds several trees of it while it reads.
pub(super) const VALUE_BYTES: usize = 256;

/// The longest id and the longest name of a method, in bytes of JSON.
const MAX_NAME: usize = 1_024;

/// A message of a client.
#[derive(Debug)]
pub(super) struct SentMessage<'b> {
    method: Option<Cow<'b, str>>,
    id: Option<&'b RawValue>,
    params: SentParams<'b>,
    result: Option<&'b RawValue>,
    error: Option<&'b RawValue>,
}

/// A message that is refused before the protocol reads it.
#[derive(Debug)]
pub(super) struct RefusedMessage {
    /// The error as a message.
    pub(super) body: String,
    /// The refused message is a notification, which has no answer on streams.
    pub(super) is_notification: bool,
}

/// The reason of a refusal.
#[derive(Debug)]
struct MessageFault {
    code: i32,
    words: Cow<'static, str>,
}

/// The members of a message as they were sent.
#[derive(Debug, Default)]
struct SentMembers<'b> {
    version: Option<&'b RawValue>,
    method: Option<&'b RawValue>,
    id: Option<&'b RawValue>,
    params: Option<&'b RawValue>,
    result: Option<&'b RawValue>,
    error: Option<&'b RawValue>,
    is_repeated: bool,
}

/// A message as it is passed on.
#[derive(Serialize)]
struct PassedMessage<'b> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'b RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<Cow<'b, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Members<'b>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'b RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'b RawValue>,
}

impl<'b> SentMessage<'b> {
    /// Reads a message.
    ///
    /// # Errors
    /// The text is not a message, or its parameters do not belong to its method. The error carries
    /// the id that the message has.
    pub(super) fn read(body: &'b [u8]) -> Result<Self, RefusedMessage> {
        let mut sent = SentMembers::default();
        let read = each_member(body, |name, value| sent.add(name, value));
        let read = read.map_err(|error| {
            // A number at the end of a text that was cut off is perhaps not the whole id.
            let is_cut = error.classify() == Category::Eof;
            sent.id = if is_cut { None } else { sent.id.or_else(|| id_in(body)) };
            MessageFault::unreadable(&error)
        });
        let (id, is_notification) = (sent.id, sent.method.is_some() && sent.id.is_none());
        read.and_then(|()| sent.into_message()).map_err(|fault| RefusedMessage {
            body: error_message(id, fault.code, &fault.words),
            is_notification,
        })
    }

    /// Returns the id of a request, as JSON; none of a notification and of a response.
    pub(super) fn request_id(&self) -> Option<&'b RawValue> {
        self.method.as_ref().and(self.id)
    }

    /// Returns whether the message opens a session.
    pub(super) fn opens_session(&self) -> bool {
        self.is("initialize")
    }

    /// Returns whether the answer may be a stream of events.
    pub(super) fn may_stream(&self) -> bool {
        let token = self.meta().and_then(|meta| meta.get("progressToken"));
        self.is("subscriptions/listen") || token.is_some()
    }

    /// Returns the arguments as the client wrote them, with the digits of each number and with
    /// repeated keys; none if it calls no tool.
    pub(super) fn arguments(&self) -> Option<&'b RawValue> {
        self.params.arguments
    }

    /// Returns the name of the called tool; none if it calls none.
    pub(super) fn called_tool(&self) -> Option<&str> {
        self.params.name.as_deref()
    }

    /// Returns what is read of `_meta`.
    pub(super) fn meta(&self) -> Option<&Map<String, Value>> {
        self.params.meta.as_ref()
    }

    /// Returns whether a call has answers of the user, or the state of earlier rounds.
    pub(super) fn has_rounds(&self) -> bool {
        let has = |name| self.params.get(name).is_some_and(|value| value.get() != "null");
        has("inputResponses") || has("requestState")
    }

    /// Returns the number of values that are passed on.
    pub(super) fn values(&self) -> usize {
        let answers = self.result.into_iter().chain(self.error);
        self.params.values + answers.map(|it| value_count(it.get().as_bytes())).sum::<usize>()
    }

    /// Writes the message as it is passed on: with the members that are read of it, and with these
    /// arguments of a call.
    pub(super) fn into_passed(
        self,
        arguments: Option<&'b RawValue>,
    ) -> serde_json::Result<Vec<u8>> {
        let Self { method, id, params, result, error } = self;
        let params = params.into_members(arguments);
        serde_json::to_vec(&PassedMessage { jsonrpc: "2.0", id, method, params, result, error })
    }

    pub(super) fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }
}

impl<'b> SentMembers<'b> {
    fn add(&mut self, name: &str, value: &'b RawValue) {
        let member = match name {
            "jsonrpc" => &mut self.version,
            "method" => &mut self.method,
            "id" => &mut self.id,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return,
        };
        self.is_repeated |= member.is_some();
        member.get_or_insert(value);
    }

    fn into_message(self) -> Result<SentMessage<'b>, MessageFault> {
        let invalid = |words| Err(MessageFault::new(INVALID_REQUEST, words));
        let Self { version, id, result, error, .. } = self;
        let contents = [self.method, result, error];
        let is_one = contents.iter().flatten().count() == 1;
        if !is_one || self.is_repeated || version.is_none_or(|it| it.get() != r#""2.0""#) {
            return invalid(
                "not a message: expected one JSON-RPC 2.0 object with `jsonrpc` and `method`",
            );
        }
        let text = |json: &'b RawValue| {
            Some(json.get()).filter(|json| json.len() <= MAX_NAME).map(serde_json::from_str)
        };
        let method = match self.method.map(text) {
            None => None,
            Some(Some(Ok(Text(method)))) => Some(method),
            Some(Some(Err(_)) | None) => {
                return invalid("`method`: expected a string with the name of a method");
            }
        };
        // An error may answer a message whose id could not be read.
        let id = id.filter(|id| error.is_none() || id.get() != "null");
        if id.is_some_and(|id| !is_id(id)) || (result.is_some() && id.is_none()) {
            return invalid("`id`: expected a string or an integer");
        }
        let params = self.params.filter(|params| params.get() != "null");
        let params = match (&method, params) {
            (Some(method), Some(params)) => SentParams::read(method, params)?,
            (Some(method), None) => SentParams::none(method)?,
            (None, _) => SentParams::default(),
        };
        let message = SentMessage { method, id, params, result, error };
        if message.values() > MAX_VALUES {
            let words =
                format!("expected at most {MAX_VALUES} values, apart from a tool's arguments");
            return Err(MessageFault::new(INVALID_PARAMS, words));
        }
        Ok(message)
    }
}

/// A string of JSON, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
struct Text<'b>(#[serde(borrow)] Cow<'b, str>);

/// Returns whether a value is an id of the protocol.
fn is_id(id: &RawValue) -> bool {
    let json = id.get();
    json.len() <= MAX_NAME && !json.starts_with(['{', '[']) && read_id(id).is_some()
}

/// Finds the id of a message that is not JSON.
fn id_in(body: &[u8]) -> Option<&RawValue> {
    let outer = ShallowJson::object(body, &["id"]);
    let body = std::str::from_utf8(body).ok().filter(|_| outer.is_object() && outer.is_complete());
    serde_json::from_str(outer.get(body?, "id")?).ok()
}

fn read_id(id: &RawValue) -> Option<RequestId> {
    serde_json::from_str(id.get()).ok()
}

/// Writes an error as a message, with the id of the request if that is a text or a number.
fn error_message(id: Option<&RawValue>, code: i32, words: &str) -> String {
    written_error(id, code, words, "")
}

fn written_error(id: Option<&RawValue>, code: i32, words: &str, more: &str) -> String {
    let id = id.map(RawValue::get).filter(|id| {
        id.len() <= MAX_NAME
            && id.starts_with(|first: char| first.is_ascii_digit() || "\"-".contains(first))
    });
    let (id, words) = (id.unwrap_or("null"), Value::from(words));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{words}{more}}}}}"#)
}

/// Writes the error of a request that the protocol does not admit, with its id.
pub(super) fn invalid_request(id: Option<&RawValue>, words: &str) -> String {
    error_message(id, INVALID_REQUEST, words)
}

/// Writes the refusal of a request that was read, with its id.
pub(super) fn refused_request(id: Option<&RawValue>, problem: &Problem) -> String {
    let is_lost = problem.status == StatusCode::NOT_FOUND;
    let code = if is_lost { SESSION_NOT_FOUND } else { SERVER_BUSY };
    let detail = problem.clone().into_detail();
    let data = public_detail(&detail).unwrap_or_default();
    written_error(id, code, detail.message(), &format!(r#","data":{data}"#))
}

/// Writes the error of a call that is refused because too many of them have no answer.
pub(super) fn server_busy(id: Option<&RawValue>) -> String {
    error_message(id, SERVER_BUSY, "too many calls have no answer yet; wait for one of them")
}

impl MessageFault {
    fn new(code: i32, words: impl Into<Cow<'static, str>>) -> Self {
        Self { code, words: words.into() }
    }

    fn unreadable(error: &serde_json::Error) -> Self {
        let (code, words) = match error.classify() {
            Category::Data => (INVALID_REQUEST, "not a message: expected one JSON-RPC 2.0 object"),
            Category::Syntax | Category::Eof | Category::Io => {
                (PARSE_ERROR, "the message is not JSON")
            }
        };
        let (line, column) = (error.line(), error.column());
        Self::new(code, format!("{words}; line {line}, column {column}"))
    }
}
