//! The answer of the model.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    ContractError,
    contract_error::Problems,
    portable::normalized,
    wire::{self, reads},
};

/// The answer of the model, with its tokens. `Debug` does not show the answer.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::proxy::LlmResponse;
///
/// let response = LlmResponse::builder("openai/gpt-4o-mini", json!({"open": [17]}))
///     .tokens(3_500, 12)
///     .latency_ms(840.0)
///     .build()?;
/// assert_eq!(response.finish_reason(), "stop");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("llm_response"))]
pub struct LlmResponse {
    /// The model that answered.
    #[schemars(length(min = 1))]
    model: String,
    /// The answer: a text, or data in the requested schema.
    content: Value,
    /// The tokens that the model read.
    input_tokens: u64,
    /// The tokens that the model wrote.
    output_tokens: u64,
    /// The duration of the answer with all attempts, in milliseconds.
    #[schemars(range(min = 0))]
    latency_ms: f64,
    /// The reason for which the model stopped: `stop`, `length`, `tool_calls`, `content_filter`, or
    /// another word of the provider.
    #[schemars(length(min = 1))]
    finish_reason: String,
}

impl LlmResponse {
    /// Builds the answer of this model.
    pub fn builder(model: impl Into<String>, content: impl Into<Value>) -> LlmResponseBuilder {
        LlmResponseBuilder(Self {
            model: model.into(),
            content: normalized(content.into()),
            input_tokens: 0,
            output_tokens: 0,
            latency_ms: 0.0,
            finish_reason: "stop".to_owned(),
        })
    }

    /// Returns the model that answered.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the answer: a text, or data in the requested schema.
    #[must_use]
    pub const fn content(&self) -> &Value {
        &self.content
    }

    /// Returns the tokens that the model read.
    #[must_use]
    pub const fn input_tokens(&self) -> u64 {
        self.input_tokens
    }

    /// Returns the tokens that the model wrote.
    #[must_use]
    pub const fn output_tokens(&self) -> u64 {
        self.output_tokens
    }

    /// Returns the duration of the answer with all attempts, in milliseconds.
    #[must_use]
    pub const fn latency_ms(&self) -> f64 {
        self.latency_ms
    }

    /// Returns the reason for which the model stopped.
    #[must_use]
    pub fn finish_reason(&self) -> &str {
        &self.finish_reason
    }
}

/// Shows the figures only.
impl fmt::Debug for LlmResponse {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("LlmResponse")
            .field("model", &self.model)
            .field("input_tokens", &self.input_tokens)
            .field("output_tokens", &self.output_tokens)
            .field("latency_ms", &self.latency_ms)
            .field("finish_reason", &self.finish_reason)
            .finish_non_exhaustive()
    }
}

/// Builds an [`LlmResponse`].
///
/// Without further settings the tokens and the duration are 0, and the model stopped by itself.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct LlmResponseBuilder(LlmResponse);

impl LlmResponseBuilder {
    /// Sets the tokens that the model read, and those that it wrote.
    pub fn tokens(mut self, input: u64, output: u64) -> Self {
        self.0.input_tokens = input;
        self.0.output_tokens = output;
        self
    }

    /// Sets the duration of the answer with all attempts, in milliseconds.
    pub fn latency_ms(mut self, milliseconds: f64) -> Self {
        self.0.latency_ms = milliseconds;
        self
    }

    /// Sets the reason for which the model stopped.
    pub fn finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.0.finish_reason = reason.into();
        self
    }

    /// Builds the answer.
    ///
    /// # Errors
    /// Returns an error if the model or the reason is empty, or the duration is negative or not
    /// finite.
    pub fn build(self) -> Result<LlmResponse, ContractError> {
        let response = self.0;
        let mut problems = Problems::new("LlmResponse");
        problems.filled("model", Some(&response.model));
        let time = response.latency_ms;
        problems.check(time.is_finite() && time >= 0.0, "latency_ms", wire::NOT_A_DURATION);
        problems.filled("finish_reason", Some(&response.finish_reason));
        problems.finish().map(|()| response)
    }
}

reads! {
    LlmResponse, "the answer of a model";
    required model = "model", leaf wire::Text;
    required content = "content", raw Value;
    required input_tokens = "input_tokens", leaf wire::Whole<u64>;
    required output_tokens = "output_tokens", leaf wire::Whole<u64>;
    required latency_ms = "latency_ms", leaf wire::Finite;
    required finish_reason = "finish_reason", leaf wire::Text;
    => LlmResponse::builder(model, content)
        .tokens(input_tokens, output_tokens)
        .latency_ms(latency_ms)
        .finish_reason(finish_reason)
        .build()
        .map_err(wire::refused)
}
