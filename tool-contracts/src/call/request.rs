//! Calls that a model requests.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::wire::{self, reads};

/// A call requested by a model: the tool's name and the raw arguments, not yet checked.
///
/// The arguments keep every byte that the model wrote. `Debug` shows their length only, because
/// they may contain secrets.
///
/// ```
/// use tool_contracts::ToolCallRequest;
///
/// let text = r#"{"call_id":"call_1","name":"search_content","arguments":{"limit": 1e1}}"#;
/// let request: ToolCallRequest = serde_json::from_str(text)?;
/// assert_eq!(request.arguments().get(), r#"{"limit": 1e1}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_call_request"))]
pub struct ToolCallRequest {
    /// The model's id of this call, which the response repeats.
    call_id: String,
    /// The tool's name as the model wrote it; it need not exist.
    name: String,
    /// The arguments as the model wrote them.
    arguments: Box<RawValue>,
}

impl ToolCallRequest {
    /// Creates a request; every text is accepted, because a model may write any.
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: Box<RawValue>,
    ) -> Self {
        Self { call_id: call_id.into(), name: name.into(), arguments }
    }

    /// Returns the model's id of this call, which the response repeats.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name as the model wrote it; it need not exist.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments as the model wrote them.
    #[must_use]
    pub fn arguments(&self) -> &RawValue {
        &self.arguments
    }

    /// Returns the arguments, and drops the rest of the request.
    #[must_use]
    pub fn into_arguments(self) -> Box<RawValue> {
        self.arguments
    }
}

/// Compares arguments byte by byte: `{}` and `{ }` differ.
impl PartialEq for ToolCallRequest {
    fn eq(&self, other: &Self) -> bool {
        self.call_id == other.call_id
            && self.name == other.name
            && self.arguments.get() == other.arguments.get()
    }
}

impl Eq for ToolCallRequest {}

impl fmt::Debug for ToolCallRequest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ToolCallRequest")
            .field("call_id", &self.call_id)
            .field("name", &self.name)
            .field("arguments", &format_args!("{} bytes", self.arguments.get().len()))
            .finish()
    }
}

reads! {
    ToolCallRequest, "a tool call request";
    required call_id = "call_id", leaf wire::Text;
    required name = "name", leaf wire::Text;
    required arguments = "arguments", raw Box<RawValue>;
    => Ok(ToolCallRequest { call_id, name, arguments })
}
