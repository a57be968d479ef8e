//! The envelope as it leaves the runtime: bytes, written once.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use tool_contracts::{ToolErrorDetail, ToolErrorMeta, ToolResultMeta};

use super::CallScope;
use super::finished::OpenEnvelope;

/// The answer to a call: the contract's envelope, encoded.
///
/// It is `{"status":"ok","input":…,"data":…,"meta":…}` or
/// `{"status":"error","input":…,"error":…,"meta":…}`, written once as JSON text and kept so. Read
/// parts of it here, or the whole as a typed [`contracts::ToolOutput`](tool_contracts::ToolOutput)
/// by [`decode`](Self::decode), or in the form that services share by
/// [`into_envelope`](Self::into_envelope).
#[derive(Clone)]
pub struct ToolOutput {
    pub(super) json: Vec<u8>,
    /// Where `meta` begins; it ends before the last byte.
    pub(super) meta_start: usize,
    pub(super) body: EnvelopeBody,
}

#[derive(Clone)]
pub(super) enum EnvelopeBody {
    Ok { data: Range<usize> },
    Error(Box<ToolErrorDetail>),
}

const HEAD_OK: &[u8] = br#"{"status":"ok","input":"#;
const HEAD_ERROR: &[u8] = br#"{"status":"error","input":"#;
const DATA: &[u8] = br#","data":"#;
const ERROR: &[u8] = br#","error":"#;
const META: &[u8] = br#","meta":"#;
const TOOK: &[u8] = br#"{"took_ms":"#;

/// Buffers above this size are worth giving back.
const LARGE: usize = 4096;

/// Room for the heads above and a short `meta`.
const FRAME: usize = 96;

impl ToolOutput {
    /// True for `status: "ok"`.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self.body, EnvelopeBody::Ok { .. })
    }

    /// Returns the whole envelope as JSON text.
    #[must_use]
    pub fn json(&self) -> &str {
        text(&self.json)
    }

    /// Returns the whole envelope as bytes of JSON text, without looking at them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.json
    }

    /// Takes the envelope's bytes, to hand them to a writer.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.json
    }

    /// Returns the tool's answer as JSON text, if there is one.
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {
        match &self.body {
            EnvelopeBody::Ok { data } => self.json.get(data.clone()).map(text),
            EnvelopeBody::Error(_) => None,
        }
    }

    /// Returns the envelope's `meta` as JSON text.
    #[must_use]
    pub fn meta_json(&self) -> &str {
        self.json.get(self.meta_start..self.json.len() - 1).map_or("{}", text)
    }

    /// Reads the tool's answer into a type; `None` if the call has no answer.
    ///
    /// # Errors
    /// The answer is not a `T`.
    pub fn data<'o, T: Deserialize<'o>>(&'o self) -> Option<serde_json::Result<T>> {
        self.data_json().map(serde_json::from_str)
    }

    /// Returns what went wrong, if anything did.
    #[must_use]
    pub fn error(&self) -> Option<&ToolErrorDetail> {
        match &self.body {
            EnvelopeBody::Ok { .. } => None,
            EnvelopeBody::Error(detail) => Some(detail),
        }
    }

    /// Reads the whole envelope into the contract's typed union.
    ///
    /// # Errors
    /// The echo is not an `I`, or the answer is not an `O`.
    pub fn decode<I, O>(&self) -> serde_json::Result<tool_contracts::ToolOutput<I, O>>
    where
        I: DeserializeOwned,
        O: DeserializeOwned,
    {
        serde_json::from_slice(&self.json)
    }
}

/// How the runtime writes envelopes.
impl ToolOutput {
    /// Starts an envelope for a tool's answer.
    pub(crate) fn begin(scope: &CallScope) -> OpenEnvelope {
        Self::begin_with(scope.echo(), scope.registered().expected_output())
    }

    /// Starts an envelope around this echo, with room for so many bytes.
    fn begin_with(echo: Option<&str>, expected: usize) -> OpenEnvelope {
        let echo = echo.unwrap_or("null");
        let mut json = Vec::with_capacity(expected.max(echo.len() + FRAME));
        json.extend_from_slice(HEAD_OK);
        json.extend_from_slice(echo.as_bytes());
        json.extend_from_slice(DATA);
        OpenEnvelope { data_start: json.len(), json, nulls: false }
    }

    /// Ends an envelope whose `meta` has nothing but the time and the freshness.
    pub(crate) fn finish_short(
        answer: OpenEnvelope,
        took_ms: u64,
        ttl_seconds: Option<u64>,
    ) -> Self {
        let OpenEnvelope { mut json, data_start, .. } = answer;
        let data = data_start..json.len();
        json.extend_from_slice(META);
        let meta_start = json.len();
        json.extend_from_slice(TOOK);
        write_json(&mut json, &took_ms);
        if let Some(seconds) = ttl_seconds {
            json.extend_from_slice(br#","ttl_seconds":"#);
            write_json(&mut json, &seconds);
        }
        json.extend_from_slice(b"}}");
        Self { json, meta_start, body: EnvelopeBody::Ok { data } }
    }

    /// Ends an envelope with a full `meta`.
    pub(crate) fn finish(answer: OpenEnvelope, meta: &ToolResultMeta) -> Self {
        let OpenEnvelope { mut json, data_start, .. } = answer;
        let data = data_start..json.len();
        let meta_start = write_meta(&mut json, meta);
        Self { json, meta_start, body: EnvelopeBody::Ok { data } }
    }

    /// Writes the envelope of an answer that was given before, byte for byte.
    pub(crate) fn given_before(echo: Option<&str>, data: &str, meta: &ToolResultMeta) -> Self {
        let mut answer = Self::begin_with(echo, data.len());
        answer.json.extend_from_slice(data.as_bytes());
        Self::finish(answer, meta)
    }

    /// Writes an error's envelope; `echo` is JSON text, or absent where there is none to show.
    pub(crate) fn failed(
        echo: Option<&str>,
        detail: ToolErrorDetail,
        meta: &ToolErrorMeta,
    ) -> Self {
        let echo = echo.unwrap_or("null");
        let mut json = Vec::with_capacity(echo.len() + 512);
        json.extend_from_slice(HEAD_ERROR);
        json.extend_from_slice(echo.as_bytes());
        json.extend_from_slice(ERROR);
        write_json(&mut json, &detail);
        let meta_start = write_meta(&mut json, meta);
        Self { json, meta_start, body: EnvelopeBody::Error(Box::new(detail)) }
    }

    /// Gives back the room that a short answer did not need.
    pub(crate) fn shrink(&mut self) {
        if self.json.capacity() > LARGE && self.json.len() < self.json.capacity() / 4 {
            self.json.shrink_to_fit();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.json.len()
    }
}

fn text(json: &[u8]) -> &str {
    std::str::from_utf8(json).expect("the envelope is made of JSON texts, which are UTF-8")
}

/// Ends an envelope with its `meta`; returns where that begins.
fn write_meta<M: Serialize>(json: &mut Vec<u8>, meta: &M) -> usize {
    json.extend_from_slice(META);
    let start = json.len();
    write_json(json, meta);
    json.push(b'}');
    start
}

fn write_json<T: Serialize>(json: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(json, value).expect("the contract's types are written to memory as JSON");
}

impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_slice(&self.json).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Shows the envelope's JSON text.
impl fmt::Display for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.json())
    }
}

/// Shows what happened, without arguments or answer.
impl fmt::Debug for ToolOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ToolOutput");
        match &self.body {
            EnvelopeBody::Ok { data } => {
                debug.field("status", &"ok").field("data_bytes", &data.len())
            }
            EnvelopeBody::Error(detail) => {
                debug.field("status", &"error").field("code", &detail.code())
            }
        };
        debug.finish_non_exhaustive()
    }
}
