//! A request envelope and a tool's input in one body.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::RequestEnvelope;
use crate::{
    Actor, Client, Trace,
    wire::{self, reads},
};

/// A request to call a tool: the fields of a [`RequestEnvelope`], and the tool's `input`.
///
/// The body does not name the tool; the path of the HTTP request does. The input keeps every byte;
/// omitted or null, it is `{}`. `Debug` shows its length only, because it may contain secrets.
///
/// ```
/// use tool_contracts::envelope::CallEnvelope;
///
/// let body = r#"{"request_id":"req-7","actor":{"type":"user","id":"u_1"},"input":{"sku": 7}}"#;
/// let (request, input) = serde_json::from_str::<CallEnvelope>(body)?.into_parts();
/// assert_eq!((request.request_id(), input.get()), ("req-7", r#"{"sku": 7}"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct CallEnvelope<I = Box<RawValue>> {
    #[serde(flatten)]
    request: RequestEnvelope,
    input: I,
}

impl<I> CallEnvelope<I> {
    /// Joins a request and an input.
    #[must_use]
    pub const fn new(request: RequestEnvelope, input: I) -> Self {
        Self { request, input }
    }

    /// Returns the request: its actor, its user and its origin.
    #[must_use]
    pub const fn request(&self) -> &RequestEnvelope {
        &self.request
    }

    /// Returns the input, unchanged.
    #[must_use]
    pub const fn input(&self) -> &I {
        &self.input
    }

    /// Returns the request and the input.
    #[must_use]
    pub fn into_parts(self) -> (RequestEnvelope, I) {
        (self.request, self.input)
    }
}

/// Shows the input's length only.
impl<I: Serialize> fmt::Debug for CallEnvelope<I> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = serde_json::to_string(&self.input).map_or(0, |input| input.len());
        to.debug_struct("CallEnvelope")
            .field("request", &self.request)
            .field("input", &format_args!("{length} bytes"))
            .finish()
    }
}

reads! {
    CallEnvelope<I>, "a request envelope with an input";
    required request_id = "request_id", leaf wire::FilledText;
    required actor = "actor", nested Actor;
    optional user_id = "user_id", leaf wire::FilledText;
    optional session_id = "session_id", leaf wire::FilledText;
    optional locale = "locale", leaf wire::FilledText;
    optional currency = "currency", leaf wire::FilledText;
    optional timezone = "timezone", leaf wire::FilledText;
    optional client = "client", nested Client;
    optional dry_run = "dry_run", leaf wire::Flag;
    optional idempotency_key = "idempotency_key", leaf wire::FilledText;
    optional trace = "trace", nested Trace;
    optional input = "input", raw Option<I>;
    => {
        let request = RequestEnvelope {
            request_id,
            actor,
            user_id,
            session_id,
            locale,
            currency,
            timezone,
            client,
            dry_run: dry_run.unwrap_or_default(),
            idempotency_key,
            trace,
        };
        let request = request.checked().map_err(wire::refused::<A::Error>)?;
        let input = wire::or_empty_object(input.flatten(), "input")?;
        Ok(CallEnvelope { request, input })
    }
}

impl<I> JsonSchema for CallEnvelope<I> {
    fn schema_name() -> Cow<'static, str> {
        "CallEnvelope".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::CallEnvelope").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = RequestEnvelope::json_schema(generator);
        let description =
            "A request to call a tool: the fields of a request envelope, and the tool's input.";
        schema.insert("description".to_owned(), description.into());
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let input = json!({
                "description": "The tool's input, by the tool's own schema; `{}` if omitted.",
                "type": ["object", "null"],
                "additionalProperties": true,
            });
            properties.insert("input".to_owned(), input);
        }
        crate::schemas::documented("call_envelope")(&mut schema);
        schema
    }
}
