//! The output of a successful call.

mod attachment;
mod budget_use;
mod coercion;
mod evidence;
mod meta;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

pub use self::{
    attachment::{Attachment, AttachmentBuilder, Audience},
    budget_use::BudgetUse,
    coercion::Coercion,
    evidence::{Evidence, EvidenceSource},
    meta::{ToolResultMeta, Warning},
};
use crate::output::{self, OkStatus};

/// The output of a successful call: the tool's data, and the input of the call.
///
/// `I` is the tool's input and `O` its output; both are echoed unchanged.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::{ToolResult, ToolResultMeta};
///
/// let result = ToolResult::new(json!({"query": "hello"}), json!(["Hi!"]), ToolResultMeta::new(42));
/// assert_eq!(
///     serde_json::to_string(&result)?,
///     r#"{"status":"ok","input":{"query":"hello"},"data":["Hi!"],"meta":{"took_ms":42}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_result"))]
pub struct ToolResult<I, O> {
    /// Always `ok`; distinguishes a result from an error.
    status: OkStatus,
    /// The caller's input, with secrets masked.
    input: I,
    /// The tool's data.
    data: O,
    /// Metadata of the call.
    meta: ToolResultMeta,
}

impl<I, O> ToolResult<I, O> {
    /// Creates a result.
    #[must_use]
    pub const fn new(input: I, data: O, meta: ToolResultMeta) -> Self {
        Self { status: OkStatus, input, data, meta }
    }

    /// Returns the caller's input, with secrets masked.
    #[must_use]
    pub const fn input(&self) -> &I {
        &self.input
    }

    /// Returns the tool's data.
    #[must_use]
    pub const fn data(&self) -> &O {
        &self.data
    }

    /// Returns the metadata of the call.
    #[must_use]
    pub const fn meta(&self) -> &ToolResultMeta {
        &self.meta
    }

    /// Splits the result into its parts.
    #[must_use]
    pub fn into_parts(self) -> (I, O, ToolResultMeta) {
        (self.input, self.data, self.meta)
    }
}

impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Deserialize<'de> for ToolResult<I, O> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        output::read_result(from)
    }
}
