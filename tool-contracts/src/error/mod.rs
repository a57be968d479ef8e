//! The error output of a failed call.

mod code;
mod detail;
mod error_type;
mod meta;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::{
    code::ErrorCode,
    detail::{ToolErrorDetail, ToolErrorDetailBuilder},
    error_type::ToolErrorType,
    meta::ToolErrorMeta,
};
use crate::output::{self, ErrorStatus};

/// The output of a failed call: the error, and the input of the call.
///
/// `input` echoes the caller's input with secrets masked; arguments that are not JSON are echoed as
/// null. It is never sent to a model.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::{ErrorCode, ToolError, ToolErrorDetail, ToolErrorMeta};
///
/// let detail = ToolErrorDetail::from_code(ErrorCode::OutOfStock, "none left").build();
/// let error = ToolError::new(json!({"sku": 7}), detail, ToolErrorMeta::new(10));
/// assert_eq!(
///     serde_json::to_string(&error)?,
///     r#"{"status":"error","input":{"sku":7},"error":{"type":"FATAL","message":"none left","code":"OUT_OF_STOCK"},"meta":{"took_ms":10}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_error"))]
pub struct ToolError<I> {
    /// Always `error`; distinguishes an error from a result.
    status: ErrorStatus,
    /// The caller's input, with secrets masked.
    input: I,
    /// The details of the error.
    error: ToolErrorDetail,
    /// Metadata of the call.
    meta: ToolErrorMeta,
}

impl<I> ToolError<I> {
    /// Creates an error.
    #[must_use]
    pub const fn new(input: I, error: ToolErrorDetail, meta: ToolErrorMeta) -> Self {
        Self { status: ErrorStatus, input, error, meta }
    }

    /// Returns the caller's input, with secrets masked.
    #[must_use]
    pub const fn input(&self) -> &I {
        &self.input
    }

    /// Returns the details of the error.
    #[must_use]
    pub const fn error(&self) -> &ToolErrorDetail {
        &self.error
    }

    /// Returns the metadata of the call.
    #[must_use]
    pub const fn meta(&self) -> &ToolErrorMeta {
        &self.meta
    }

    /// Splits the error into its parts.
    #[must_use]
    pub fn into_parts(self) -> (I, ToolErrorDetail, ToolErrorMeta) {
        (self.input, self.error, self.meta)
    }
}

impl<'de, I: Deserialize<'de>> Deserialize<'de> for ToolError<I> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        output::read_error(from)
    }
}
