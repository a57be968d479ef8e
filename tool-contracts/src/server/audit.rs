//! Audits, which are a server's records of calls.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError, ToolErrorDetail,
    contract_error::Problems,
    wire::{self, reads, words},
};

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("audit_status"))]
#[non_exhaustive]
pub enum AuditStatus {
    /// The tool returned a result.
    Success,
    /// The call failed, in the tool or before it ran.
    Error,
}

words!(AuditStatus { Success = "success", Error = "error" });

/// A server's record of a call; every response contains one.
///
/// The status follows from the response that contains the audit:
/// [`CallResponse`](super::CallResponse) sets it.
///
/// ```
/// use tool_contracts::server::{Audit, AuditStatus};
///
/// let audit = Audit::new("trace-1", "search_content", 45, "0".repeat(64))?;
/// assert_eq!((audit.status(), audit.latency_ms()), (AuditStatus::Success, 45));
/// assert!(Audit::new("trace-1", "search_content", 45, "a1b2c3d4").is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("audit"),
    transform = crate::schemas::errors_are_named
)]
pub struct Audit {
    /// The trace id of the request, or a generated one if the request could not be read.
    #[schemars(length(min = 1))]
    trace_id: String,
    /// The tool's name as the caller wrote it; empty if the request could not be read.
    tool_name: String,
    /// The outcome of the call.
    status: AuditStatus,
    /// The duration of the call, in milliseconds.
    latency_ms: u64,
    /// The SHA-256 of the request's body as sent, in hex.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    request_payload_hash: String,
    /// The type of the error: the response's `error_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    error_type: Option<String>,
    /// The error message for people: the response's `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
}

impl Audit {
    /// Creates the audit of a call that has not failed so far.
    ///
    /// # Errors
    /// Returns an error if the trace is empty, or the hash is not 64 lower-case hex digits.
    pub fn new(
        trace_id: impl Into<String>,
        tool_name: impl Into<String>,
        latency_ms: u64,
        request_payload_hash: impl Into<String>,
    ) -> Result<Self, ContractError> {
        let audit = Self {
            trace_id: trace_id.into(),
            tool_name: tool_name.into(),
            status: AuditStatus::Success,
            latency_ms,
            request_payload_hash: request_payload_hash.into(),
            error_type: None,
            error_message: None,
        };
        audit.checked()
    }

    /// Returns the request's trace id.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// Returns the tool's name as the caller wrote it; empty if the request could not be read.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the outcome of the call.
    #[must_use]
    pub const fn status(&self) -> AuditStatus {
        self.status
    }

    /// Returns how long the call took, in milliseconds.
    #[must_use]
    pub const fn latency_ms(&self) -> u64 {
        self.latency_ms
    }

    /// Returns the SHA-256 of the request's body as it was sent: 64 lower-case hex digits.
    #[must_use]
    pub fn request_payload_hash(&self) -> &str {
        &self.request_payload_hash
    }

    /// Returns the error type, if the call failed.
    #[must_use]
    pub fn error_type(&self) -> Option<&str> {
        self.error_type.as_deref()
    }

    /// Returns the error message for people, if the call failed.
    #[must_use]
    pub fn error_message(&self) -> Option<&str> {
        self.error_message.as_deref()
    }

    pub(super) fn with_success(self) -> Self {
        Self { status: AuditStatus::Success, error_type: None, error_message: None, ..self }
    }

    pub(super) fn with_error(self, detail: &ToolErrorDetail) -> Self {
        Self {
            status: AuditStatus::Error,
            error_type: Some(error_type_of(detail).to_owned()),
            error_message: Some(detail.message().to_owned()),
            ..self
        }
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("Audit");
        problems.filled("trace_id", Some(&self.trace_id));
        problems.check(
            is_digest(&self.request_payload_hash),
            "request_payload_hash",
            "expected 64 lower-case hex digits",
        );
        let failed = self.status == AuditStatus::Error;
        let where_failed = "required if `status` is `error`, and not allowed otherwise";
        problems.check(self.error_type.is_some() == failed, "error_type", where_failed);
        problems.check(self.error_message.is_some() == failed, "error_message", where_failed);
        problems.finish().map(|()| self)
    }
}

/// Returns the code of an error, or its type if it has no code.
pub(super) fn error_type_of(detail: &ToolErrorDetail) -> &str {
    detail.code().unwrap_or_else(|| detail.error_type().as_str())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

reads! {
    Audit, "an audit";
    required trace_id = "trace_id", leaf wire::FilledText;
    required tool_name = "tool_name", leaf wire::Text;
    required status = "status", nested AuditStatus;
    required latency_ms = "latency_ms", leaf wire::Whole<u64>;
    required request_payload_hash = "request_payload_hash", leaf wire::FilledText;
    optional error_type = "error_type", leaf wire::FilledText;
    optional error_message = "error_message", leaf wire::Text;
    => {
        let audit = Audit {
            trace_id,
            tool_name,
            status,
            latency_ms,
            request_payload_hash,
            error_type,
            error_message,
        };
        audit.checked().map_err(wire::refused)
    }
}
