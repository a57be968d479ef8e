//! The parts of a message that decide how its request is admitted, read before the protocol reads it.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The code of a message that is no JSON.
const PARSE_ERROR: i32 = -32700;
/// The code of JSON that is no message.
const INVALID_REQUEST: i32 = -32600;
/// The code of a message with other parameters.
const INVALID_PARAMS: i32 = -32602;

/// A message of a client.
#[derive(Debug, Deserialize)]
pub(super) struct SentMessage<'b> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'b, str>>,
    #[serde(borrow, default)]
    method: Option<Cow<'b, str>>,
    #[serde(borrow, default)]
    id: Option<&'b RawValue>,
    #[serde(borrow, default)]
    params: Option<SentParams<'b>>,
    #[serde(default)]
    result: Option<IgnoredAny>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct SentParams<'b> {
    #[serde(borrow, default)]
    name: Option<&'b RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'b RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Option<SentMeta>,
}

#[derive(Debug, Deserialize)]
struct SentMeta {
    #[serde(rename = "progressToken", default)]
    progress_token: Option<IgnoredAny>,
}

/// A message that is refused before the protocol reads it, as the body of its response.
#[derive(Debug)]
pub(super) struct RefusedMessage(pub(super) String);

impl<'b> SentMessage<'b> {
    /// Reads a message.
    pub(super) fn read(body: &'b [u8]) -> Result<Self, RefusedMessage> {
        let message: Self = serde_json::from_slice(body).map_err(|error| {
            let (code, words) = match error.classify() {
                serde_json::error::Category::Data => {
                    (INVALID_REQUEST, "not a message: expected one JSON-RPC 2.0 object")
                }
                serde_json::error::Category::Syntax
                | serde_json::error::Category::Eof
                | serde_json::error::Category::Io => (PARSE_ERROR, "the message is not JSON"),
            };
            let (line, column) = (error.line(), error.column());
            refused("null", code, &format!("{words}; line {line}, column {column}"))
        })?;
        if !body.trim_ascii_start().starts_with(b"{") || !message.is_whole() {
            let words = "not a message: expected one JSON-RPC 2.0 object with `jsonrpc` and \
                         `method`";
            return Err(refused(message.id(), INVALID_REQUEST, words));
        }
        if message.calls_tool() && message.arguments().is_some_and(|it| !it.get().starts_with('{'))
        {
            let words = "`params.arguments`: expected an object with the tool's arguments";
            return Err(refused(message.id(), INVALID_PARAMS, words));
        }
        if message.calls_tool() && !message.names_tool() {
            let words = "`params.name`: expected a string with the tool's name";
            return Err(refused(message.id(), INVALID_PARAMS, words));
        }
        Ok(message)
    }

    /// Returns whether it is a request, a notification or a response.
    fn is_whole(&self) -> bool {
        let has_content = self.method.is_some() || self.result.is_some() || self.error.is_some();
        self.jsonrpc.as_deref() == Some("2.0") && has_content
    }

    /// Returns the id of a request, as JSON; none of a notification and of a response.
    pub(super) fn request_id(&self) -> Option<&'b str> {
        self.method.as_ref().and(self.id).map(RawValue::get)
    }

    fn id(&self) -> &'b str {
        self.id.map_or("null", RawValue::get)
    }

    /// Returns whether the message opens a session.
    pub(super) fn opens_session(&self) -> bool {
        self.is("initialize")
    }

    /// Returns whether the answer may be a stream of events.
    pub(super) fn may_stream(&self) -> bool {
        let meta = self.params.as_ref().and_then(|params| params.meta.as_ref());
        self.is("subscriptions/listen") || meta.is_some_and(|meta| meta.progress_token.is_some())
    }

    /// Returns the arguments as the client wrote them, with the digits of each number and with
    /// repeated keys; none if it calls no tool.
    pub(super) fn into_arguments(self) -> Option<Box<RawValue>> {
        if self.calls_tool() { self.arguments().map(ToOwned::to_owned) } else { None }
    }

    fn arguments(&self) -> Option<&'b RawValue> {
        self.params.as_ref().and_then(|params| params.arguments)
    }

    fn names_tool(&self) -> bool {
        let name = self.params.as_ref().and_then(|params| params.name);
        name.is_some_and(|name| name.get().starts_with('"'))
    }

    fn calls_tool(&self) -> bool {
        self.is("tools/call")
    }

    fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }
}

fn refused(id: &str, code: i32, message: &str) -> RefusedMessage {
    let message = serde_json::Value::from(message);
    RefusedMessage(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#
    ))
}

#[cfg(test)]
mod tests {
    use super::SentMessage;

    #[test]
    fn arguments_keep_their_digits_and_repeated_keys() {
        let body = br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add","arguments":{"n":1e400,"n":12345678901234567890123}}}"#;
        let message = SentMessage::read(body).expect("it is a message");
        let arguments = message.into_arguments().expect("it has some");
        assert_eq!(arguments.get(), r#"{"n":1e400,"n":12345678901234567890123}"#);
    }

    #[test]
    fn a_malformed_message_is_refused_with_its_place() {
        let refused = |body: &str| SentMessage::read(body.as_bytes()).map(drop).map_err(|it| it.0);
        let cases = [
            (r#"{"method":"#, "-32700", "line 1, column 10"),
            ("[]", "-32600", "JSON-RPC"),
            ("{}", "-32600", "JSON-RPC"),
            (r#"{"id":7,"method":"ping"}"#, "-32600", "\"id\":7"),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":[1]}}"#,
                "-32602",
                "`params.arguments`",
            ),
            (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, "-32602", "`params.name`"),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#,
                "-32602",
                "`params.name`",
            ),
        ];
        for (body, code, place) in cases {
            let text = refused(body).expect_err("it is refused");
            assert!(text.contains(code) && text.contains(place), "{body}: {text}");
        }
        assert!(refused(r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}"#).is_ok());
        assert!(refused(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).is_ok());
    }
}
