//! Requests as bytes, right and wrong, and their expected answers.

use serde::Deserialize;

use super::wire::Answer;

/// The server's API key.
pub(super) const KEY: &str = "soak-key-0123456789abcdef0123456789abcdef";

/// A request's bytes, and its expected answer.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) bytes: Vec<u8>,
    pub(super) expected: Expected,
}

/// An expected answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    pub(super) statuses: &'static [u16],
    /// The error's code, if the tool itself fails.
    pub(super) code: Option<&'static str>,
    /// The tool that it must name.
    pub(super) tool: &'static str,
    /// A text that a success must contain.
    pub(super) holds: String,
    /// The trace that it must name; empty if it is not a call.
    pub(super) trace: String,
}

/// The error of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The server failed, not a tool.
    NotTheTools(String),
    /// It is not the expected answer.
    Other(String),
}

/// A call of a tool, assembled from its parts.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) number: u64,
    pub(super) tool: &'static str,
    pub(super) input: String,
    pub(super) tenant: String,
    pub(super) key: Option<String>,
    pub(super) streams: bool,
}

impl Call {
    pub(super) fn of(number: u64, tool: &'static str, input: impl Into<String>) -> Self {
        let tenant = format!("tenant-{}", number % 5);
        Self { number, tool, input: input.into(), tenant, key: None, streams: false }
    }

    pub(super) fn streaming(self) -> Self {
        Self { streams: true, ..self }
    }

    pub(super) fn body(&self) -> String {
        format!(r#"{{"tool_name":"{}","input":{}}}"#, self.tool, self.input)
    }

    /// Returns the call's head for a body of this length.
    pub(super) fn head(&self, length: usize) -> String {
        let mut headers = format!(
            "Content-Type: application/json\r\nContent-Length: {length}\r\n\
             X-Internal-API-Key: {KEY}\r\nX-Tenant-ID: {}\r\n",
            self.tenant
        );
        if let Some(key) = &self.key {
            headers.extend(["Idempotency-Key: ", key, "\r\n"]);
        }
        if self.streams {
            headers.push_str("Accept: text/event-stream\r\n");
        }
        head("POST", "/tools/call", self.number, &headers)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let body = self.body();
        (self.head(body.len()) + &body).into_bytes()
    }

    /// Returns the request, to be answered with one of these statuses.
    pub(super) fn answered(self, statuses: &'static [u16]) -> Request {
        let (trace, tool) = (trace(self.number), self.tool);
        let expected = Expected { statuses, tool, trace, ..Expected::default() };
        Request { bytes: self.bytes(), expected }
    }

    /// Returns the request, in which the tool itself fails.
    pub(super) fn failing(self, statuses: &'static [u16], code: &'static str) -> Request {
        let request = self.answered(statuses);
        let expected = Expected { code: Some(code), ..request.expected };
        Request { expected, ..request }
    }

    /// Returns the request, whose answer contains this text.
    pub(super) fn holding(self, text: impl Into<String>) -> Request {
        let request = self.answered(&[200]);
        let expected = Expected { holds: text.into(), ..request.expected };
        Request { expected, ..request }
    }
}

impl Request {
    /// Returns a request that leads to no call.
    pub(super) fn other(bytes: impl Into<Vec<u8>>, statuses: &'static [u16]) -> Self {
        Self { bytes: bytes.into(), expected: Expected { statuses, ..Expected::default() } }
    }
}

/// Returns the lines before the body.
pub(super) fn head(method: &str, path: &str, number: u64, headers: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Site-ID: soak\r\nX-Trace-ID: {}\r\n{headers}\r\n",
        trace(number)
    )
}

pub(super) fn trace(number: u64) -> String {
    format!("soak-{number}")
}

/// The members of every failure, and of every answered call.
#[derive(Deserialize)]
struct Body {
    success: bool,
    error_type: Option<String>,
    audit: Audit,
}

#[derive(Deserialize)]
struct Audit {
    trace_id: String,
    tool_name: String,
}

impl Expected {
    /// Checks an answer.
    pub(super) fn judge(&self, answer: &Answer) -> Result<(), Wrong> {
        let text = String::from_utf8_lossy(&answer.body);
        let told = |what: &str| {
            let begin: String = text.chars().take(300).collect();
            format!("{what}: {} {begin}, expected {:?}", answer.status, self.statuses)
        };
        let is_expected = self.statuses.contains(&answer.status);
        if answer.status >= 500 && !(is_expected && self.is_the_tools(&text)) {
            return Err(Wrong::NotTheTools(told("not the tool's own failure")));
        }
        if !is_expected {
            return Err(Wrong::Other(told("another status")));
        }
        if answer.status >= 400 && !self.is_a_failure(&text) {
            return Err(Wrong::Other(told("not the body of a failure")));
        }
        if answer.status < 400 && !(text.contains(&self.holds) && text.contains(&self.trace)) {
            return Err(Wrong::Other(told("another answer")));
        }
        Ok(())
    }

    fn is_the_tools(&self, text: &str) -> bool {
        serde_json::from_str::<Body>(text).is_ok_and(|body| {
            body.audit.tool_name == self.tool && body.error_type.as_deref() == self.code
        })
    }

    fn is_a_failure(&self, text: &str) -> bool {
        serde_json::from_str::<Body>(text).is_ok_and(|body| {
            !body.success
                && body.error_type.is_some()
                && (self.trace.is_empty() || body.audit.trace_id == self.trace)
        })
    }
}
