//! Requests to a tool server.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::CallContext;
use crate::wire::{self, reads};

/// A request to call a tool: the tool's name, its raw input, and the context of the call.
///
/// The input keeps every byte; omitted or null, it is `{}`. It is not checked against the tool's
/// schema here. `Debug` shows its length only, because it may contain secrets.
///
/// A `CallRequest<&RawValue>` borrows the input from the body without a copy:
///
/// ```
/// use serde_json::value::RawValue;
/// use tool_contracts::server::CallRequest;
///
/// let body = r#"{"tool_name":"search_content","input":{"query": "tea"}}"#;
/// let request: CallRequest<&RawValue> = serde_json::from_str(body)?;
/// assert_eq!(request.tool_name(), "search_content");
/// assert!(body.as_bytes().as_ptr_range().contains(&request.input().get().as_ptr()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Serialize)]
pub struct CallRequest<I = Box<RawValue>> {
    tool_name: String,
    input: I,
    #[serde(skip_serializing_if = "CallContext::is_empty")]
    context: CallContext,
}

impl<I> CallRequest<I> {
    /// Creates a request; every name is accepted, because a model may write any.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, input: I, context: CallContext) -> Self {
        Self { tool_name: tool_name.into(), input, context }
    }

    /// Returns the tool's name as the caller wrote it; it need not exist.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// Returns the input as the caller wrote it.
    #[must_use]
    pub const fn input(&self) -> &I {
        &self.input
    }

    /// Returns the caller and its context.
    #[must_use]
    pub const fn context(&self) -> &CallContext {
        &self.context
    }

    /// Splits the request into its parts: name, input and context.
    #[must_use]
    pub fn into_parts(self) -> (String, I, CallContext) {
        (self.tool_name, self.input, self.context)
    }
}

/// Shows the input's length only.
impl<I: Serialize> fmt::Debug for CallRequest<I> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = serde_json::to_string(&self.input).map_or(0, |input| input.len());
        to.debug_struct("CallRequest")
            .field("tool_name", &self.tool_name)
            .field("input", &format_args!("{length} bytes"))
            .field("context", &self.context)
            .finish()
    }
}

reads! {
    CallRequest<I>, "a request for a call";
    required tool_name = "tool_name", leaf wire::Text;
    optional input = "input", raw Option<I>;
    optional context = "context", nested CallContext;
    => {
        let input = wire::or_empty_object(input.flatten(), "input")?;
        Ok(CallRequest { tool_name, input, context: context.unwrap_or_default() })
    }
}

/// A request to call a tool: the tool's name, its raw input, and the context of the call.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CallRequest", transform = crate::schemas::documented("call_request"))]
#[allow(dead_code, reason = "it stands for the schema")]
struct Wire {
    /// The tool's name; it need not exist.
    tool_name: String,
    /// The tool's input, by the tool's own schema; empty if omitted.
    input: Option<Map<String, Value>>,
    /// The caller, its tenant and its limits; headers may supply fields that are omitted.
    context: Option<CallContext>,
}

impl<I> JsonSchema for CallRequest<I> {
    fn schema_name() -> Cow<'static, str> {
        Wire::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Wire::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Wire::json_schema(generator)
    }
}
