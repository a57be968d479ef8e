//! The envelope as it leaves the runtime: bytes, written once.

use std::borrow::Cow;
use std::fmt;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use thiserror::Error;
use tool_contracts::{
    BudgetUse, Evidence, ToolErrorDetail, ToolErrorMeta, ToolResultMeta, Warning,
};
use tool_runtime_schema::json::from_text;

use super::output_meta::{OutputMeta, ResultMeta};
use super::tool_future::OpenEnvelope;
use super::{Attachment, CallScope};

/// The answer to a call: the contract's envelope, encoded.
///
/// It is `{"status":"ok","input":…,"data":…,"meta":…}` or
/// `{"status":"error","input":…,"error":…,"meta":…}`, written once as JSON text and kept so. Read
/// parts of it here, or the whole as a typed [`contracts::ToolOutput`](tool_contracts::ToolOutput)
/// by [`decode`](Self::decode), or in the form that services share by
/// [`into_envelope`](Self::into_envelope).
///
/// ```
/// # use tool_runtime::prelude::*;
/// # /// Adds one.
/// # #[ai_tool(effect = "read", ttl = "60s")]
/// # async fn next(
/// #     /// To what.
/// #     n: u32,
/// # ) -> u32 { n + 1 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let runtime = Runtime::builder().tool::<NextTool>().build()?;
/// # let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build()?;
/// let mut call = runtime.call("next", r#"{"n":1}"#, &cx);
/// let output = call.execute().await;
/// assert_eq!(output.data::<u32>()?, 2); // the error of a failed call is an error here
/// assert_eq!(output.meta().ttl_seconds(), Some(60));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolOutput {
    // Bytes, where `contracts::ToolOutput` has values: the envelope is written once, which keeps a
    // call cheap. `decode` converts it.
    pub(super) json: Vec<u8>,
    /// The position of `meta`; it ends before the last byte.
    meta_start: usize,
    pub(super) body: EnvelopeBody,
    /// The attachments that `meta` lists, with their bytes where this process has them.
    pub(super) attachments: Option<Arc<[Attachment]>>,
}

/// The error of reading the data of a [`ToolOutput`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The call failed: there is an error instead of data.
    #[error("the call failed: {}", .0.message())]
    Failed(Box<ToolErrorDetail>),
    /// The data does not have the type that was asked for.
    #[error("the data does not have the expected type: {0}")]
    Json(#[source] serde_json::Error),
}

/// The parts of an envelope that are read again, so that the text is never parsed for them.
#[derive(Clone)]
pub(super) enum EnvelopeBody {
    Ok { data: Range<usize>, meta: ResultMeta },
    Error(Box<ErrorBody>),
}

#[derive(Clone)]
pub(super) struct ErrorBody {
    pub(super) detail: ToolErrorDetail,
    pub(super) meta: ToolErrorMeta,
}

const HEAD_OK: &[u8] = br#"{"status":"ok","input":"#;
const HEAD_ERROR: &[u8] = br#"{"status":"error","input":"#;
const DATA: &[u8] = br#","data":"#;
const ERROR: &[u8] = br#","error":"#;
const META: &[u8] = br#","meta":"#;
/// [`META`] with the beginning of its object.
const META_TOOK: &[u8] = br#","meta":{"took_ms":"#;

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
            EnvelopeBody::Ok { data, .. } => self.json.get(data.clone()).map(text),
            EnvelopeBody::Error(_) => None,
        }
    }

    /// Returns the envelope's `meta` as JSON text.
    #[must_use]
    pub fn meta_json(&self) -> &str {
        self.json.get(self.meta_start..self.json.len() - 1).map_or("{}", text)
    }

    /// Reads the tool's answer into a type.
    ///
    /// # Errors
    /// [`DataError::Failed`] if the call failed, so that there is no answer; [`DataError::Json`] if
    /// the answer is not a `T`.
    pub fn data<'o, T: Deserialize<'o>>(&'o self) -> Result<T, DataError> {
        match &self.body {
            EnvelopeBody::Ok { data, .. } => {
                let json = self.json.get(data.clone()).map_or("", text);
                from_text(json).map_err(DataError::Json)
            }
            EnvelopeBody::Error(body) => Err(DataError::Failed(Box::new(body.detail.clone()))),
        }
    }

    /// Returns the envelope's `meta`.
    #[must_use]
    pub fn meta(&self) -> OutputMeta {
        match &self.body {
            EnvelopeBody::Ok { meta, .. } => OutputMeta::Result(meta.to_contract().into_owned()),
            EnvelopeBody::Error(body) => OutputMeta::Error(body.meta.clone()),
        }
    }

    /// Returns the `meta` of a result; none of an error.
    #[doc(hidden)]
    #[must_use]
    pub fn result_meta(&self) -> Option<Cow<'_, ToolResultMeta>> {
        match &self.body {
            EnvelopeBody::Ok { meta, .. } => Some(meta.to_contract()),
            EnvelopeBody::Error(_) => None,
        }
    }

    /// Returns the stored evidence, if the call left one.
    pub(crate) fn evidence(&self) -> Option<&Evidence> {
        match &self.body {
            EnvelopeBody::Ok { meta: ResultMeta::Full(meta), .. } => meta.evidence(),
            EnvelopeBody::Ok { meta: ResultMeta::Short { .. }, .. } => None,
            EnvelopeBody::Error(body) => body.meta.evidence(),
        }
    }

    /// Lists the files, images and links that the tool attached, with their bytes where this process
    /// has them.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        self.attachments.as_deref().unwrap_or_default()
    }

    /// Returns what went wrong, if anything did.
    #[must_use]
    pub fn error(&self) -> Option<&ToolErrorDetail> {
        match &self.body {
            EnvelopeBody::Ok { .. } => None,
            EnvelopeBody::Error(body) => Some(&body.detail),
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
        from_text(self.json())
    }
}

/// The way in which the runtime writes envelopes.
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
        let meta_start = json.len() + META.len();
        json.extend_from_slice(META_TOOK);
        write_json(&mut json, &took_ms);
        if let Some(seconds) = ttl_seconds {
            json.extend_from_slice(br#","ttl_seconds":"#);
            write_json(&mut json, &seconds);
        }
        json.extend_from_slice(b"}}");
        let meta = ResultMeta::Short { took_ms, ttl_seconds };
        Self { json, meta_start, body: EnvelopeBody::Ok { data, meta }, attachments: None }
    }

    /// Ends an envelope with a full `meta`, and these attachments, which `meta` lists.
    pub(crate) fn finish(
        answer: OpenEnvelope,
        meta: ToolResultMeta,
        attachments: Option<Arc<[Attachment]>>,
    ) -> Self {
        let OpenEnvelope { mut json, data_start, .. } = answer;
        let data = data_start..json.len();
        let meta_start = write_meta(&mut json, &meta);
        let meta = ResultMeta::Full(Box::new(meta));
        Self { json, meta_start, body: EnvelopeBody::Ok { data, meta }, attachments }
    }

    /// Writes the envelope of an answer that was given before, byte for byte.
    #[allow(dead_code, reason = "only the feature `policy` gives stored answers")]
    #[must_use]
    pub fn given_before(echo: Option<&str>, data: &str, meta: ToolResultMeta) -> Self {
        let attachments = read_attachments(&meta);
        Self::given_with(echo, data, meta, attachments)
    }

    /// Writes the envelope of an answer that was given before, with the attachments that `meta` lists.
    pub(crate) fn given_with(
        echo: Option<&str>,
        data: &str,
        meta: ToolResultMeta,
        attachments: Option<Arc<[Attachment]>>,
    ) -> Self {
        let mut answer = Self::begin_with(echo, data.len());
        answer.json.extend_from_slice(data.as_bytes());
        Self::finish(answer, meta, attachments)
    }

    /// Returns the attachments, to write them into another envelope.
    #[cfg(feature = "policy")]
    pub(crate) fn shared_attachments(&self) -> Option<Arc<[Attachment]>> {
        self.attachments.clone()
    }

    /// Writes an error's envelope; `echo` is JSON text, or absent where there is none to show.
    #[must_use]
    pub fn failed(echo: Option<&str>, detail: ToolErrorDetail, meta: ToolErrorMeta) -> Self {
        let echo = echo.unwrap_or("null");
        let mut json = Vec::with_capacity(echo.len() + 512);
        json.extend_from_slice(HEAD_ERROR);
        json.extend_from_slice(echo.as_bytes());
        json.extend_from_slice(ERROR);
        write_json(&mut json, &detail);
        let meta_start = write_meta(&mut json, &meta);
        let body = EnvelopeBody::Error(Box::new(ErrorBody { detail, meta }));
        Self { json, meta_start, body, attachments: None }
    }

    /// Adds a warning to `meta`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_warning(self, warning: &str) -> Self {
        let appended = |warnings: &[Warning]| -> Vec<Warning> {
            warnings.iter().cloned().chain([warning.to_owned()]).collect()
        };
        self.rewrite_meta(
            |meta| {
                let warnings = appended(meta.warnings());
                meta.with_warnings(warnings)
            },
            |meta| {
                let warnings = appended(meta.warnings());
                meta.with_warnings(warnings)
            },
        )
    }

    /// Names the evidence of the answer or the failure in `meta`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_evidence(self, evidence: &Evidence) -> Self {
        self.rewrite_meta(
            |meta| meta.with_evidence(evidence.clone()),
            |meta| meta.with_evidence(evidence.clone()),
        )
    }

    /// Adds to the `meta` of an answer what the call has taken of budgets.
    #[doc(hidden)]
    #[must_use]
    pub fn with_budget(self, budget: Vec<BudgetUse>) -> Self {
        if budget.is_empty() {
            return self;
        }
        self.rewrite_meta(|meta| meta.with_budget(budget), |meta| meta)
    }

    /// Writes another `meta` in the place of the present one; all before it stays as it is.
    fn rewrite_meta(
        mut self,
        change_result: impl FnOnce(ToolResultMeta) -> ToolResultMeta,
        change_error: impl FnOnce(ToolErrorMeta) -> ToolErrorMeta,
    ) -> Self {
        self.json.truncate(self.meta_start - META.len());
        match &mut self.body {
            EnvelopeBody::Ok { meta, .. } => {
                let new_meta = change_result(meta.to_contract().into_owned());
                write_meta(&mut self.json, &new_meta);
                *meta = ResultMeta::Full(Box::new(new_meta));
            }
            EnvelopeBody::Error(body) => {
                body.meta = change_error(mem::take(&mut body.meta));
                write_meta(&mut self.json, &body.meta);
            }
        }
        self
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

/// Reads the attachments that `meta` lists; the bytes of stored ones are not read.
#[allow(dead_code, reason = "only the feature `policy` gives stored answers")]
fn read_attachments(meta: &ToolResultMeta) -> Option<Arc<[Attachment]>> {
    let attachments: Arc<[_]> =
        meta.attachments().iter().filter_map(Attachment::from_wire).collect();
    Some(attachments).filter(|attachments| !attachments.is_empty())
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
            EnvelopeBody::Ok { data, .. } => {
                debug.field("status", &"ok").field("data_bytes", &data.len())
            }
            EnvelopeBody::Error(body) => {
                debug.field("status", &"error").field("code", &body.detail.code())
            }
        };
        debug.finish_non_exhaustive()
    }
}
