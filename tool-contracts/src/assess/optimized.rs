//! A context in few tokens, with what it saves.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::CompressionMethod;
use crate::{
    ContractError,
    contract_error::Problems,
    portable::insert,
    wire::{self, reads},
};

/// A context as one text, with its tokens and what it saves.
///
/// `compression_ratio` is `optimized_tokens / original_tokens`, 1 for an empty context, and is
/// computed from them. `Debug` shows the text's length only.
///
/// ```
/// use tool_contracts::assess::{CompressionMethod, OptimizedContext};
///
/// let context = OptimizedContext::builder("Order 17 is open.", CompressionMethod::SemanticPruning)
///     .tokens(50, 20)
///     .estimated_cost_savings(0.000_03)
///     .build()?;
/// assert_eq!(context.compression_ratio(), 0.4);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("optimized_context"))]
pub struct OptimizedContext {
    /// The text for the model.
    optimized_text: String,
    /// The tokens of the context as it was.
    original_tokens: u64,
    /// The tokens of the text.
    optimized_tokens: u64,
    /// `optimized_tokens / original_tokens`.
    #[schemars(range(min = 0))]
    compression_ratio: f64,
    /// The method by which the context was compressed.
    method_used: CompressionMethod,
    /// The duration of the compression, in milliseconds.
    #[schemars(range(min = 0))]
    compression_time_ms: f64,
    /// The saved cost, in US dollars; negative if the compression cost more than it saved.
    estimated_cost_savings: f64,
    /// The similarity of the text to the context: 0 to 1, if it was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    semantic_similarity_score: Option<f64>,
    /// Further figures of the compression.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Option<Map<String, Value>>", extend("default" = serde_json::json!({})))]
    metadata: Map<String, Value>,
}

impl OptimizedContext {
    /// Builds a context with this text, made by this method.
    pub fn builder(text: impl Into<String>, method: CompressionMethod) -> OptimizedContextBuilder {
        OptimizedContextBuilder(Self {
            optimized_text: text.into(),
            original_tokens: 0,
            optimized_tokens: 0,
            compression_ratio: 1.0,
            method_used: method,
            compression_time_ms: 0.0,
            estimated_cost_savings: 0.0,
            semantic_similarity_score: None,
            metadata: Map::new(),
        })
    }

    /// Returns the text for the model.
    #[must_use]
    pub fn optimized_text(&self) -> &str {
        &self.optimized_text
    }

    /// Returns the tokens of the context as it was.
    #[must_use]
    pub const fn original_tokens(&self) -> u64 {
        self.original_tokens
    }

    /// Returns the tokens of the text.
    #[must_use]
    pub const fn optimized_tokens(&self) -> u64 {
        self.optimized_tokens
    }

    /// Returns `optimized_tokens / original_tokens`.
    #[must_use]
    pub const fn compression_ratio(&self) -> f64 {
        self.compression_ratio
    }

    /// Returns the method by which the context was compressed.
    #[must_use]
    pub const fn method_used(&self) -> CompressionMethod {
        self.method_used
    }

    /// Returns the duration of the compression, in milliseconds.
    #[must_use]
    pub const fn compression_time_ms(&self) -> f64 {
        self.compression_time_ms
    }

    /// Returns the saved cost, in US dollars.
    #[must_use]
    pub const fn estimated_cost_savings(&self) -> f64 {
        self.estimated_cost_savings
    }

    /// Returns the similarity of the text to the context: 0 to 1, if it was computed.
    #[must_use]
    pub const fn semantic_similarity_score(&self) -> Option<f64> {
        self.semantic_similarity_score
    }

    /// Returns further figures of the compression.
    #[must_use]
    pub const fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    /// Converts the context to a builder, to change a part of it.
    pub fn into_builder(self) -> OptimizedContextBuilder {
        OptimizedContextBuilder(self)
    }

    /// Returns the text for the model, without the figures.
    #[must_use]
    pub fn into_text(self) -> String {
        self.optimized_text
    }
}

/// Shows the text's length only.
impl fmt::Debug for OptimizedContext {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("OptimizedContext")
            .field("optimized_text", &format_args!("{} bytes", self.optimized_text.len()))
            .field("original_tokens", &self.original_tokens)
            .field("optimized_tokens", &self.optimized_tokens)
            .field("method_used", &self.method_used)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// Builds an [`OptimizedContext`].
///
/// Without further settings the tokens, the duration and the savings are 0.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct OptimizedContextBuilder(OptimizedContext);

impl OptimizedContextBuilder {
    /// Sets the tokens of the context as it was, and of the text.
    pub const fn tokens(mut self, original: u64, optimized: u64) -> Self {
        self.0.original_tokens = original;
        self.0.optimized_tokens = optimized;
        self
    }

    /// Sets the duration of the compression, in milliseconds.
    pub const fn time_ms(mut self, milliseconds: f64) -> Self {
        self.0.compression_time_ms = milliseconds;
        self
    }

    /// Sets the saved cost, in US dollars.
    pub const fn estimated_cost_savings(mut self, dollars: f64) -> Self {
        self.0.estimated_cost_savings = dollars;
        self
    }

    /// Sets the similarity of the text to the context; it is limited to 0 to 1.
    pub fn semantic_similarity_score(mut self, score: f64) -> Self {
        let score = if score.is_nan() { 0.0 } else { score.clamp(0.0, 1.0) };
        self.0.semantic_similarity_score = Some(score);
        self
    }

    /// Adds a figure to the metadata.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        insert(&mut self.0.metadata, name.into(), value.into());
        self
    }

    /// Builds the context, and computes the ratio.
    ///
    /// # Errors
    /// Returns an error if the duration is negative, or a figure is not finite.
    pub fn build(self) -> Result<OptimizedContext, ContractError> {
        let mut context = self.0;
        context.compression_ratio = ratio(context.original_tokens, context.optimized_tokens);
        let mut problems = Problems::new("OptimizedContext");
        let time = context.compression_time_ms;
        let holds = time.is_finite() && time >= 0.0;
        problems.check(holds, "compression_time_ms", wire::NOT_A_DURATION);
        let savings = context.estimated_cost_savings;
        problems.check(savings.is_finite(), "estimated_cost_savings", "expected a number");
        problems.finish().map(|()| context)
    }
}

#[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
fn ratio(original: u64, optimized: u64) -> f64 {
    if original == 0 { 1.0 } else { optimized as f64 / original as f64 }
}

reads! {
    OptimizedContext, "a context in few tokens";
    required optimized_text = "optimized_text", leaf wire::Text;
    required original_tokens = "original_tokens", leaf wire::Whole<u64>;
    required optimized_tokens = "optimized_tokens", leaf wire::Whole<u64>;
    required compression_ratio = "compression_ratio", leaf wire::Finite;
    required method_used = "method_used", nested CompressionMethod;
    required compression_time_ms = "compression_time_ms", leaf wire::Finite;
    required estimated_cost_savings = "estimated_cost_savings", leaf wire::Finite;
    optional semantic_similarity_score = "semantic_similarity_score", leaf wire::Share;
    optional metadata = "metadata", leaf wire::Object;
    => {
        let mut builder = OptimizedContext::builder(optimized_text, method_used)
            .tokens(original_tokens, optimized_tokens)
            .time_ms(compression_time_ms)
            .estimated_cost_savings(estimated_cost_savings);
        builder.0.semantic_similarity_score = semantic_similarity_score;
        builder.0.metadata = metadata.unwrap_or_default();
        let context = builder.build().map_err(wire::refused::<A::Error>)?;
        if !wire::is_rounded(compression_ratio, context.compression_ratio) {
            let expected = "`optimized_tokens` / `original_tokens`";
            return Err(wire::contradicted("compression_ratio", expected));
        }
        Ok(OptimizedContext { compression_ratio, ..context })
    }
}
