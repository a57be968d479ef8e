//! The output of every call.

mod read;
mod status;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::RawValue;

pub(crate) use self::{
    read::{read_error, read_result},
    status::{ErrorStatus, OkStatus},
};
use crate::{ToolError, ToolErrorDetail, ToolResult};

/// The member of an MCP result's `_meta` with what the envelope of an answer has beside its data.
#[doc(hidden)]
pub const AUDIT_MEMBER: &str = "tool-runtime/audit";

/// The output of a call: a result or an error, distinguished by `status`.
///
/// Without parameters both input and output stay raw JSON. Deserialization streams: `status` may be
/// at any position, a raw value keeps its bytes, and an error names the field that caused it.
///
/// ```
/// use tool_contracts::ToolOutput;
///
/// let text = r#"{"status":"ok","input":{"n": 1},"data":[ 2 ],"meta":{"took_ms":1}}"#;
/// let output: ToolOutput = serde_json::from_str(text)?;
/// assert_eq!(output.data().map(|data| data.get()), Some("[ 2 ]"));
/// assert_eq!(serde_json::to_string(&output)?, text);
///
/// let refused = serde_json::from_str::<ToolOutput>(r#"{"status":"maybe"}"#).unwrap_err();
/// assert!(refused.to_string().starts_with("`status`: expected one of `ok`, `error`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(clippy::exhaustive_enums, reason = "the two states are the contract; callers match both")]
pub enum ToolOutput<I = Box<RawValue>, O = Box<RawValue>> {
    /// A successful call: status `ok`.
    Ok(ToolResult<I, O>),
    /// A failed call: status `error`.
    Error(ToolError<I>),
}

impl<I, O> ToolOutput<I, O> {
    /// Returns the status: `ok` or `error`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Ok(_) => OkStatus::WORD,
            Self::Error(_) => ErrorStatus::WORD,
        }
    }

    /// Returns whether the call succeeded.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }

    /// Returns the caller's input, with secrets masked.
    #[must_use]
    pub const fn input(&self) -> &I {
        match self {
            Self::Ok(result) => result.input(),
            Self::Error(error) => error.input(),
        }
    }

    /// Returns the tool's data, if the call succeeded.
    #[must_use]
    pub const fn data(&self) -> Option<&O> {
        match self {
            Self::Ok(result) => Some(result.data()),
            Self::Error(_) => None,
        }
    }

    /// Returns the error, if the call failed.
    #[must_use]
    pub const fn error(&self) -> Option<&ToolErrorDetail> {
        match self {
            Self::Ok(_) => None,
            Self::Error(error) => Some(error.error()),
        }
    }

    /// Returns how long the call took, in milliseconds.
    #[must_use]
    pub const fn took_ms(&self) -> u64 {
        match self {
            Self::Ok(result) => result.meta().took_ms(),
            Self::Error(error) => error.meta().took_ms(),
        }
    }

    /// Borrows the output as a `Result`.
    ///
    /// # Errors
    /// Returns an error if the status is `error`.
    pub const fn as_result(&self) -> Result<&ToolResult<I, O>, &ToolError<I>> {
        match self {
            Self::Ok(result) => Ok(result),
            Self::Error(error) => Err(error),
        }
    }

    /// Converts the output to a `Result`, for `?`.
    ///
    /// # Errors
    /// Returns an error if the status is `error`.
    #[allow(clippy::result_large_err, reason = "the error is the envelope, not a report of one")]
    pub fn into_result(self) -> Result<ToolResult<I, O>, ToolError<I>> {
        match self {
            Self::Ok(result) => Ok(result),
            Self::Error(error) => Err(error),
        }
    }
}

impl<I, O> From<ToolResult<I, O>> for ToolOutput<I, O> {
    fn from(result: ToolResult<I, O>) -> Self {
        Self::Ok(result)
    }
}

impl<I, O> From<ToolError<I>> for ToolOutput<I, O> {
    fn from(error: ToolError<I>) -> Self {
        Self::Error(error)
    }
}

impl<I: JsonSchema, O: JsonSchema> JsonSchema for ToolOutput<I, O> {
    fn schema_name() -> Cow<'static, str> {
        "ToolOutput".into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::ToolOutput<{}, {}>", module_path!(), I::schema_id(), O::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "description": "The output of a call: a result or an error, distinguished by `status`.",
            "oneOf": [
                generator.subschema_for::<ToolResult<I, O>>(),
                generator.subschema_for::<ToolError<I>>(),
            ],
        });
        crate::schemas::documented("tool_output")(&mut schema);
        schema
    }
}
