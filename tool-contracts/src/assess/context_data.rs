//! The context of a model's turn, before it is compressed.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ChatMessage, CompressionStrategy};
use crate::{
    ContractError,
    act::ActResult,
    contract_error::Problems,
    portable::insert,
    wire::{self, reads},
};

/// The largest context of a request that names none, in tokens.
const DEFAULT_MAX_TOKENS: u64 = 100_000;

/// The context of a model's turn: results of tools, the query, instructions and messages.
///
/// The data of results keeps every byte, so a context can be deserialized from text only. `Debug`
/// shows the number of parts, because they may contain secrets.
///
/// ```
/// use tool_contracts::assess::{CompressionStrategy, ContextData};
///
/// let context = ContextData::builder()
///     .transient("query", "Which orders are open?")
///     .persistent_context("You answer questions about orders.")
///     .max_tokens(8_000)
///     .strategy(CompressionStrategy::SemanticPruning)
///     .build()?;
/// assert_eq!(context.query(), Some("Which orders are open?"));
/// assert!(ContextData::builder().max_tokens(999).build().is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("context_data"))]
pub struct ContextData {
    /// The results of tools, in the order of their calls.
    tool_results: Vec<ActResult>,
    /// The facts of this turn by name; `query` is the user's question.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Option<Map<String, Value>>", extend("default" = serde_json::json!({})))]
    transient_context: Map<String, Value>,
    /// The instructions and knowledge that hold for every turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    persistent_context: Option<String>,
    /// The messages before this turn, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<ChatMessage>>", extend("default" = serde_json::json!([])))]
    message_history: Vec<ChatMessage>,
    /// The most tokens that the compressed context may take: from 1000.
    #[schemars(with = "Option<u64>", range(min = 1000), extend("default" = 100_000))]
    max_tokens: u64,
    /// The strategy; the context manager selects one if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    compression_strategy: Option<CompressionStrategy>,
}

impl ContextData {
    /// The name of the user's question among the facts of a turn.
    pub const QUERY: &'static str = "query";

    /// Builds a context.
    pub fn builder() -> ContextDataBuilder {
        ContextDataBuilder::default()
    }

    /// Returns the results of tools, in the order of their calls.
    #[must_use]
    pub fn tool_results(&self) -> &[ActResult] {
        &self.tool_results
    }

    /// Returns the facts of this turn by name.
    #[must_use]
    pub const fn transient_context(&self) -> &Map<String, Value> {
        &self.transient_context
    }

    /// Returns the user's question: the text `query` of the facts of this turn.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.transient_context.get(Self::QUERY).and_then(Value::as_str)
    }

    /// Returns the instructions and knowledge that hold for every turn.
    #[must_use]
    pub fn persistent_context(&self) -> Option<&str> {
        self.persistent_context.as_deref()
    }

    /// Returns the messages before this turn, oldest first.
    #[must_use]
    pub fn message_history(&self) -> &[ChatMessage] {
        &self.message_history
    }

    /// Returns the most tokens that the compressed context may take: from 1000.
    #[must_use]
    pub const fn max_tokens(&self) -> u64 {
        self.max_tokens
    }

    /// Returns the strategy, if the request sets it.
    #[must_use]
    pub const fn compression_strategy(&self) -> Option<CompressionStrategy> {
        self.compression_strategy
    }

    /// Converts the context to a builder, to change a part of it.
    pub fn into_builder(self) -> ContextDataBuilder {
        ContextDataBuilder(self)
    }
}

/// Shows the number of parts only.
impl fmt::Debug for ContextData {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ContextData")
            .field("tool_results", &self.tool_results.len())
            .field("transient_context", &self.transient_context.len())
            .field("message_history", &self.message_history.len())
            .field("max_tokens", &self.max_tokens)
            .field("compression_strategy", &self.compression_strategy)
            .finish_non_exhaustive()
    }
}

/// Builds a [`ContextData`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ContextDataBuilder(ContextData);

impl Default for ContextDataBuilder {
    fn default() -> Self {
        Self(ContextData {
            tool_results: Vec::new(),
            transient_context: Map::new(),
            persistent_context: None,
            message_history: Vec::new(),
            max_tokens: DEFAULT_MAX_TOKENS,
            compression_strategy: None,
        })
    }
}

impl ContextDataBuilder {
    /// Sets the results of tools, in the order of their calls.
    pub fn tool_results(mut self, results: impl IntoIterator<Item = ActResult>) -> Self {
        self.0.tool_results = results.into_iter().collect();
        self
    }

    /// Adds a fact of this turn.
    pub fn transient(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        insert(&mut self.0.transient_context, name.into(), value.into());
        self
    }

    /// Sets the instructions and knowledge that hold for every turn.
    pub fn persistent_context(mut self, text: impl Into<String>) -> Self {
        self.0.persistent_context = Some(text.into());
        self
    }

    /// Sets the messages before this turn, oldest first.
    pub fn message_history(mut self, messages: impl IntoIterator<Item = ChatMessage>) -> Self {
        self.0.message_history = messages.into_iter().collect();
        self
    }

    /// Sets the most tokens that the compressed context may take: from 1000.
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.0.max_tokens = tokens;
        self
    }

    /// Sets the strategy, in place of the one that the context manager selects.
    pub fn strategy(mut self, strategy: CompressionStrategy) -> Self {
        self.0.compression_strategy = Some(strategy);
        self
    }

    /// Builds the context.
    ///
    /// # Errors
    /// Returns an error if `max_tokens` is below 1000.
    pub fn build(self) -> Result<ContextData, ContractError> {
        let mut problems = Problems::new("ContextData");
        let expected = "expected a whole number of tokens from 1000";
        problems.check(self.0.max_tokens >= 1000, "max_tokens", expected);
        problems.finish().map(|()| self.0)
    }
}

reads! {
    ContextData, "the context of a turn";
    required tool_results = "tool_results", nested Vec<ActResult>;
    optional transient_context = "transient_context", leaf wire::Object;
    optional persistent_context = "persistent_context", leaf wire::Text;
    optional message_history = "message_history", nested Vec<ChatMessage>;
    optional max_tokens = "max_tokens", leaf wire::Whole<wire::ContextTokens>;
    optional compression_strategy = "compression_strategy", nested CompressionStrategy;
    => {
        let mut builder = ContextData::builder()
            .tool_results(tool_results)
            .message_history(message_history.unwrap_or_default())
            .max_tokens(max_tokens.map_or(DEFAULT_MAX_TOKENS, |it| it.saturated(u64::MAX)));
        builder.0.transient_context = transient_context.unwrap_or_default();
        builder.0.persistent_context = persistent_context;
        builder.0.compression_strategy = compression_strategy;
        builder.build().map_err(wire::refused)
    }
}
