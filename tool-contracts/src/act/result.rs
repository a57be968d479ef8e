//! The result of a tool that was run for an agent.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use super::text;
use crate::{
    ContractError,
    contract_error::Problems,
    portable::insert,
    wire::{self, reads, write_time},
};

/// The result of a tool that was run for an agent: its data or its error, and what it cost.
///
/// The data keeps every byte that the tool wrote; it can therefore be deserialized from text only.
/// `Debug` shows its length.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::act::ActResult;
///
/// let time = "2026-05-03T12:34:56Z".parse()?;
/// let result = ActResult::succeeded("orders", json!({"open": [17, 18]}), time)
///     .execution_time_ms(4.2)
///     .token_estimate(14)
///     .build()?;
/// assert_eq!(result.to_text(), "{\n  \"open\": [\n    17,\n    18\n  ]\n}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("act_result"),
    transform = crate::schemas::error_unless_successful
)]
pub struct ActResult {
    /// The id of the tool, as in the request.
    #[schemars(length(min = 1))]
    tool_id: String,
    /// True if the tool answered.
    success: bool,
    /// The tool's data; null for a failure.
    #[schemars(with = "Value")]
    data: Box<RawValue>,
    /// The error's message for the model, for a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    error: Option<String>,
    /// The duration of the call with all its attempts, in milliseconds.
    #[schemars(range(min = 0))]
    execution_time_ms: f64,
    /// The time at which the call ended.
    #[serde(serialize_with = "write_time")]
    #[schemars(extend("pattern" = wire::WITH_OFFSET))]
    timestamp: DateTime<Utc>,
    /// The tokens of the result as text for a model.
    token_estimate: u64,
    /// The number of attempts after the first.
    #[schemars(with = "Option<u32>", extend("default" = 0))]
    retry_count: u32,
    /// Further facts of the call, such as its error's code.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Option<Map<String, Value>>", extend("default" = serde_json::json!({})))]
    metadata: Map<String, Value>,
}

impl ActResult {
    /// Builds the result of a tool that answered with this data.
    pub fn succeeded(
        tool_id: impl Into<String>,
        data: impl Serialize,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {
        let data = serde_json::value::to_raw_value(&data).ok();
        ActResultBuilder::new(tool_id.into(), data, None, timestamp)
    }

    /// Builds the result of a call that failed with this message for the model.
    pub fn failed(
        tool_id: impl Into<String>,
        error: impl Into<String>,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {
        let data = RawValue::NULL.to_owned();
        ActResultBuilder::new(tool_id.into(), Some(data), Some(error.into()), timestamp)
    }

    /// Returns the id of the tool, as in the request.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        &self.tool_id
    }

    /// Returns whether the tool answered.
    #[must_use]
    pub const fn success(&self) -> bool {
        self.success
    }

    /// Returns the tool's data as JSON; null for a failure.
    #[must_use]
    pub fn data(&self) -> &RawValue {
        &self.data
    }

    /// Returns the error's message for the model, for a failure.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns the duration of the call with all its attempts, in milliseconds.
    #[must_use]
    pub const fn execution_time_ms(&self) -> f64 {
        self.execution_time_ms
    }

    /// Returns the time at which the call ended.
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {
        self.timestamp
    }

    /// Returns the tokens of [`to_text`](Self::to_text).
    #[must_use]
    pub const fn token_estimate(&self) -> u64 {
        self.token_estimate
    }

    /// Returns the number of attempts after the first.
    #[must_use]
    pub const fn retry_count(&self) -> u32 {
        self.retry_count
    }

    /// Returns further facts of the call.
    #[must_use]
    pub const fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    /// Writes the result for a model.
    ///
    /// | result | text |
    /// | --- | --- |
    /// | a failure | `error: ` and the message |
    /// | a text | the text, without quotes |
    /// | an object or an array | JSON with two spaces of indentation, fields in the tool's order |
    /// | a number, a boolean, null | as in JSON: `true`, `null`, `1.50` |
    ///
    /// Characters beyond ASCII are written as they are, because their escapes take more tokens.
    #[must_use]
    pub fn to_text(&self) -> String {
        match &self.error {
            Some(error) => format!("error: {error}"),
            None => text::render(&self.data),
        }
    }
}

/// Compares data byte by byte: `[1]` and `[ 1 ]` differ.
impl PartialEq for ActResult {
    fn eq(&self, other: &Self) -> bool {
        self.tool_id == other.tool_id
            && self.success == other.success
            && self.data.get() == other.data.get()
            && self.error == other.error
            && self.execution_time_ms.to_bits() == other.execution_time_ms.to_bits()
            && self.timestamp == other.timestamp
            && self.token_estimate == other.token_estimate
            && self.retry_count == other.retry_count
            && self.metadata == other.metadata
    }
}

/// Shows the data's length only.
impl fmt::Debug for ActResult {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ActResult")
            .field("tool_id", &self.tool_id)
            .field("success", &self.success)
            .field("data", &format_args!("{} bytes", self.data.get().len()))
            .field("execution_time_ms", &self.execution_time_ms)
            .field("token_estimate", &self.token_estimate)
            .field("retry_count", &self.retry_count)
            .finish_non_exhaustive()
    }
}

/// Builds an [`ActResult`].
///
/// Without further settings the duration, the tokens and the retries are 0, and there is no
/// metadata.
#[derive(Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ActResultBuilder {
    tool_id: String,
    /// Absent if the data cannot be written as JSON.
    data: Option<Box<RawValue>>,
    error: Option<String>,
    execution_time_ms: f64,
    timestamp: DateTime<Utc>,
    token_estimate: u64,
    retry_count: u32,
    metadata: Map<String, Value>,
}

impl ActResultBuilder {
    fn new(
        tool_id: String,
        data: Option<Box<RawValue>>,
        error: Option<String>,
        timestamp: DateTime<Utc>,
    ) -> Self {
        Self {
            tool_id,
            data,
            error,
            execution_time_ms: 0.0,
            timestamp,
            token_estimate: 0,
            retry_count: 0,
            metadata: Map::new(),
        }
    }

    /// Sets the duration of the call with all its attempts, in milliseconds.
    pub fn execution_time_ms(mut self, milliseconds: f64) -> Self {
        self.execution_time_ms = milliseconds;
        self
    }

    /// Sets the tokens of the result as text for a model.
    pub fn token_estimate(mut self, tokens: u64) -> Self {
        self.token_estimate = tokens;
        self
    }

    /// Sets the number of attempts after the first.
    pub fn retry_count(mut self, retries: u32) -> Self {
        self.retry_count = retries;
        self
    }

    /// Adds a fact to the metadata.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        insert(&mut self.metadata, name.into(), value.into());
        self
    }

    /// Builds the result.
    ///
    /// # Errors
    /// Returns an error if the id or the error is empty, the data cannot be written as JSON, the
    /// duration is negative or not finite, or the year does not have four digits.
    pub fn build(self) -> Result<ActResult, ContractError> {
        let mut problems = Problems::new("ActResult");
        problems.filled("tool_id", Some(&self.tool_id));
        problems.check(self.data.is_some(), "data", "expected data that can be written as JSON");
        problems.filled("error", self.error.as_deref());
        let time = self.execution_time_ms;
        problems.check(time.is_finite() && time >= 0.0, "execution_time_ms", wire::NOT_A_DURATION);
        problems.writable("timestamp", &self.timestamp);
        match self.data {
            Some(data) => problems.finish().map(|()| ActResult {
                tool_id: self.tool_id,
                success: self.error.is_none(),
                data,
                error: self.error,
                execution_time_ms: time,
                timestamp: self.timestamp,
                token_estimate: self.token_estimate,
                retry_count: self.retry_count,
                metadata: self.metadata,
            }),
            None => Err(problems.refusal()),
        }
    }
}

/// Shows the tool's id only.
impl fmt::Debug for ActResultBuilder {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ActResultBuilder").field("tool_id", &self.tool_id).finish_non_exhaustive()
    }
}

reads! {
    ActResult, "the result of a tool";
    required tool_id = "tool_id", leaf wire::Text;
    required success = "success", leaf wire::Flag;
    required data = "data", raw Box<RawValue>;
    optional error = "error", leaf wire::Text;
    required execution_time_ms = "execution_time_ms", leaf wire::Finite;
    required timestamp = "timestamp", leaf wire::Instant;
    required token_estimate = "token_estimate", leaf wire::Whole<u64>;
    optional retry_count = "retry_count", leaf wire::Whole<u32>;
    optional metadata = "metadata", leaf wire::Object;
    => {
        let mut builder = ActResultBuilder::new(tool_id, Some(data), error, timestamp)
            .execution_time_ms(execution_time_ms)
            .token_estimate(token_estimate)
            .retry_count(retry_count.unwrap_or_default());
        builder.metadata = metadata.unwrap_or_default();
        let result = builder.build().map_err(wire::refused::<A::Error>)?;
        if result.success != success {
            return Err(wire::contradicted("error", "if and only if `success` is false"));
        }
        if !success && result.data.get() != "null" {
            return Err(wire::contradicted("data", "null if `success` is false"));
        }
        Ok(result)
    }
}
