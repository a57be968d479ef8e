//! Serialized data, with its cost in tokens.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::{SchemaComplexity, SerializationFormat, SerializationMetadata};
use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// Data as text for a model: the text, its format, and its cost in tokens.
///
/// `savings_ratio` is `1 - optimized_tokens / original_tokens`, and is computed from them. `Debug`
/// shows the text's length only.
///
/// ```
/// use tool_contracts::articulate::{SchemaComplexity, SerializationFormat, SerializedOutput};
///
/// let output = SerializedOutput::builder("[3]: 1,2,3", SerializationFormat::Toon)
///     .complexity(SchemaComplexity::Simple)
///     .tokens(10, 8)
///     .valid(true)
///     .build()?;
/// assert!((output.savings_ratio() - 0.2).abs() < 1e-9);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("serialized_output"))]
pub struct SerializedOutput {
    /// The text for the model.
    serialized_text: String,
    /// The format of the text.
    format_used: SerializationFormat,
    /// The tokens of the same data as standard JSON, with a space after each comma and colon.
    original_tokens: u64,
    /// The tokens of the text.
    optimized_tokens: u64,
    /// The share of the tokens that the text saves: `1 - optimized_tokens / original_tokens`.
    #[schemars(range(max = 1))]
    savings_ratio: f64,
    /// True if the text was read back and equals the data; false if it was not read back.
    is_valid: bool,
    /// The duration of the serialization, in milliseconds.
    #[schemars(range(min = 0))]
    serialization_time_ms: f64,
    /// The shape of the data, from which the format was chosen.
    schema_complexity: SchemaComplexity,
    /// The comparison with compact JSON, and how the tokens were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<SerializationMetadata>,
}

impl SerializedOutput {
    /// Builds an output with this text in this format.
    pub fn builder(
        text: impl Into<String>,
        format: SerializationFormat,
    ) -> SerializedOutputBuilder {
        SerializedOutputBuilder(Self {
            serialized_text: text.into(),
            format_used: format,
            original_tokens: 0,
            optimized_tokens: 0,
            savings_ratio: 0.0,
            is_valid: false,
            serialization_time_ms: 0.0,
            schema_complexity: SchemaComplexity::Nested,
            metadata: None,
        })
    }

    /// Returns the text for the model.
    #[must_use]
    pub fn serialized_text(&self) -> &str {
        &self.serialized_text
    }

    /// Returns the format of the text.
    #[must_use]
    pub const fn format_used(&self) -> SerializationFormat {
        self.format_used
    }

    /// Returns the tokens of the same data as standard JSON, with a space after each comma and
    /// colon.
    #[must_use]
    pub const fn original_tokens(&self) -> u64 {
        self.original_tokens
    }

    /// Returns the tokens of the text.
    #[must_use]
    pub const fn optimized_tokens(&self) -> u64 {
        self.optimized_tokens
    }

    /// Returns the share of the tokens that the text saves beside standard JSON: at most 1, and
    /// negative if it takes more.
    #[must_use]
    pub const fn savings_ratio(&self) -> f64 {
        self.savings_ratio
    }

    /// Returns whether the text was read back and equals the data.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Returns the duration of the serialization, in milliseconds.
    #[must_use]
    pub const fn serialization_time_ms(&self) -> f64 {
        self.serialization_time_ms
    }

    /// Returns the shape of the data.
    #[must_use]
    pub const fn schema_complexity(&self) -> SchemaComplexity {
        self.schema_complexity
    }

    /// Returns the comparison with compact JSON, and how the tokens were counted.
    #[must_use]
    pub const fn metadata(&self) -> Option<&SerializationMetadata> {
        self.metadata.as_ref()
    }

    /// Returns the text for the model, without the figures.
    #[must_use]
    pub fn into_text(self) -> String {
        self.serialized_text
    }
}

/// Shows the text's length only.
impl fmt::Debug for SerializedOutput {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("SerializedOutput")
            .field("serialized_text", &format_args!("{} bytes", self.serialized_text.len()))
            .field("format_used", &self.format_used)
            .field("original_tokens", &self.original_tokens)
            .field("optimized_tokens", &self.optimized_tokens)
            .field("is_valid", &self.is_valid)
            .field("schema_complexity", &self.schema_complexity)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// Builds a [`SerializedOutput`].
///
/// Without further settings the shape is `nested`, the tokens and the time are 0, and the text
/// counts as not read back.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct SerializedOutputBuilder(SerializedOutput);

impl SerializedOutputBuilder {
    /// Sets the tokens of the data as standard JSON, and of the text.
    pub const fn tokens(mut self, original: u64, optimized: u64) -> Self {
        self.0.original_tokens = original;
        self.0.optimized_tokens = optimized;
        self
    }

    /// Sets whether the text was read back and equals the data.
    pub const fn valid(mut self, is_valid: bool) -> Self {
        self.0.is_valid = is_valid;
        self
    }

    /// Sets the duration of the serialization, in milliseconds.
    pub const fn time_ms(mut self, time: f64) -> Self {
        self.0.serialization_time_ms = time;
        self
    }

    /// Sets the shape of the data.
    pub const fn complexity(mut self, complexity: SchemaComplexity) -> Self {
        self.0.schema_complexity = complexity;
        self
    }

    /// Sets the comparison with compact JSON, and how the tokens were counted.
    pub fn metadata(mut self, metadata: SerializationMetadata) -> Self {
        self.0.metadata = Some(metadata);
        self
    }

    /// Builds the output, and computes the savings.
    ///
    /// # Errors
    /// Returns an error if the time is negative or not finite.
    pub fn build(self) -> Result<SerializedOutput, ContractError> {
        let mut output = self.0;
        output.savings_ratio = savings(output.original_tokens, output.optimized_tokens);
        let mut problems = Problems::new("SerializedOutput");
        let time = output.serialization_time_ms;
        let holds = time.is_finite() && time >= 0.0;
        problems.check(holds, "serialization_time_ms", wire::NOT_A_DURATION);
        problems.finish().map(|()| output)
    }
}

#[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
fn savings(original: u64, optimized: u64) -> f64 {
    if original == 0 { 0.0 } else { 1.0 - optimized as f64 / original as f64 }
}

reads! {
    SerializedOutput, "serialized data";
    required serialized_text = "serialized_text", leaf wire::Text;
    required format_used = "format_used", nested SerializationFormat;
    required original_tokens = "original_tokens", leaf wire::Whole<u64>;
    required optimized_tokens = "optimized_tokens", leaf wire::Whole<u64>;
    required savings_ratio = "savings_ratio", leaf wire::Finite;
    required is_valid = "is_valid", leaf wire::Flag;
    required serialization_time_ms = "serialization_time_ms", leaf wire::Finite;
    required schema_complexity = "schema_complexity", nested SchemaComplexity;
    optional metadata = "metadata", nested SerializationMetadata;
    => {
        let mut builder = SerializedOutput::builder(serialized_text, format_used)
            .tokens(original_tokens, optimized_tokens)
            .valid(is_valid)
            .time_ms(serialization_time_ms)
            .complexity(schema_complexity);
        builder.0.metadata = metadata;
        let output = builder.build().map_err(wire::refused::<A::Error>)?;
        if !wire::is_rounded(savings_ratio, output.savings_ratio) {
            let expected = "1 - `optimized_tokens` / `original_tokens`";
            return Err(wire::contradicted("savings_ratio", expected));
        }
        Ok(SerializedOutput { savings_ratio, ..output })
    }
}
