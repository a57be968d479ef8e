//! The log line of a call.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use tool_contracts::ToolSpec;
use tool_runtime_schema::redact;
use uuid::Uuid;

use super::conventions as names;
use super::span::error_code;
use crate::dispatch::CallRecord;
use crate::timer::whole_millis;

/// The log line of an ended call, as flat fields.
///
/// ```
/// use std::sync::mpsc;
///
/// use tool_runtime::prelude::*;
/// use tool_runtime::trace::LogLine;
/// use tool_runtime::{CallRecord, Observe};
/// # /// Adds two numbers.
/// # #[ai_tool(effect = "read")]
/// # async fn add(
/// #     /// The first.
/// #     a: i64,
/// #     /// The second.
/// #     b: i64,
/// # ) -> i64 { a + b }
///
/// struct Lines(mpsc::Sender<serde_json::Value>);
///
/// impl Observe for Lines {
///     fn call_ended(&self, record: &CallRecord<'_>) {
///         let line = serde_json::to_value(LogLine::new(record)).expect("a line is JSON");
///         self.0.send(line).expect("the receiver exists");
///     }
/// }
///
/// # use tool_runtime::serde_json;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (lines, received) = mpsc::channel();
/// let runtime = Runtime::builder().tool::<AddTool>().observe(Lines(lines)).build()?;
/// let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build()?;
///
/// runtime.call("add", r#"{"a":2}"#, &cx).execute().await;
/// let line = received.recv()?;
/// assert_eq!(line["event"], "tool_call_error");
/// assert_eq!(line["error_code"], "INVALID_ARGUMENT");
/// assert_eq!(line["run_id"], "run-1");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogLine<'r> {
    /// `tool_call_success` or `tool_call_error`.
    pub event: &'static str,
    /// The time at which the call ended; written as in RFC 3339, in UTC, with milliseconds.
    #[serde(serialize_with = "write_time")]
    pub timestamp: DateTime<Utc>,
    /// The host's id of the trace.
    pub trace_id: &'r str,
    /// The graph's run; either this or `ingestion_run_id` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<&'r str>,
    /// The upload's run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingestion_run_id: Option<&'r str>,
    /// The tool's name; for an unknown tool the name that the model used, or `_OTHER` if it is not
    /// a valid name.
    pub tool_name: &'r str,
    /// The tenant.
    pub tenant_id: Uuid,
    /// The tenant's short name, as the caller wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_slug: Option<&'r str>,
    /// The site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site_id: Option<&'r str>,
    /// The duration of the call, in milliseconds; 0 if it never ran.
    pub latency_ms: u64,
    /// The type of the error, such as `VALIDATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<&'static str>,
    /// The code of the error, such as `INVALID_ARGUMENT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'r str>,
    /// The model's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<&'r str>,
    /// True if the call was a dry run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The invocation that a replay repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<Uuid>,
    /// The text for logs only, as in [`CallRecord::log`].
    #[serde(skip_serializing_if = "str::is_empty")]
    pub detail: &'r str,
}

impl<'r> LogLine<'r> {
    /// Creates the line of a call that ends now.
    #[must_use]
    pub fn new(record: &CallRecord<'r>) -> Self {
        let cx = record.cx();
        let error = record.output().error();
        Self {
            event: if error.is_none() { "tool_call_success" } else { "tool_call_error" },
            timestamp: Utc::now(),
            trace_id: cx.trace_id(),
            run_id: cx.run_id(),
            ingestion_run_id: cx.ingestion_run_id(),
            tool_name: record
                .spec()
                .map_or_else(|| unknown_tool_name(record.tool()), ToolSpec::name),
            tenant_id: cx.tenant_id(),
            tenant_slug: cx.tenant_slug(),
            site_id: cx.site_id(),
            latency_ms: whole_millis(record.took().unwrap_or_default()),
            error_type: error.map(|error| error.error_type().as_str()),
            error_code: error_code(record),
            call_id: record.call_id(),
            dry_run: cx.dry_run(),
            replay_of: record.replay_of(),
            detail: record.log(),
        }
    }

    fn is_error(&self) -> bool {
        self.error_type.is_some()
    }
}

/// The longest name that a tool may have.
const MAX_NAME_LENGTH: usize = 128;

/// Returns the name of an unknown tool if it is a valid name: other text may contain anything.
fn unknown_tool_name(name: &str) -> &str {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let is_valid = (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.bytes().all(is_allowed);
    // A card number or a key may be a valid name too.
    let is_clean = || matches!(redact::free_text(name), Cow::Borrowed(_));
    if is_valid && is_clean() { name } else { names::OTHER }
}

fn write_time<S: Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&time.format("%Y-%m-%dT%H:%M:%S%.3fZ"))
}

/// Emits one event at a level, which `tracing` needs at compile time.
macro_rules! emit_at {
    ($level:expr, $line:expr) => {
        tracing::event!(
            target: names::TARGET,
            $level,
            event = $line.event,
            trace_id = $line.trace_id,
            run_id = $line.run_id,
            ingestion_run_id = $line.ingestion_run_id,
            tool_name = $line.tool_name,
            tenant_id = %$line.tenant_id,
            tenant_slug = $line.tenant_slug,
            site_id = $line.site_id,
            latency_ms = $line.latency_ms,
            error_type = $line.error_type,
            error_code = $line.error_code,
            call_id = $line.call_id,
            dry_run = $line.dry_run.then_some(true),
            replay_of = $line.replay_of.map(tracing::field::display),
        )
    };
}

/// Emits the event of a call, inside the current span.
pub(super) fn emit(line: &LogLine<'_>) {
    if line.is_error() {
        emit_at!(tracing::Level::WARN, line);
    } else {
        emit_at!(tracing::Level::INFO, line);
    }
}

/// Emits the detail of a call outside of any span, because spans leave the process.
pub(super) fn emit_detail(line: &LogLine<'_>) {
    if !line.detail.is_empty() {
        tracing::warn!(
            target: names::DETAIL_TARGET,
            parent: None,
            event = "tool_call_detail",
            trace_id = line.trace_id,
            tool_name = line.tool_name,
            call_id = line.call_id,
            detail = line.detail,
        );
    }
}
