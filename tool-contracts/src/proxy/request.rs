//! Requests to the agent.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    ContractError,
    act::ToolRequest,
    contract_error::Problems,
    portable::insert,
    wire::{self, reads},
};

/// The longest question, in characters.
const MAX_QUERY_CHARS: usize = 50_000;
/// The tokens of a request that names no limit.
const DEFAULT_MAX_TOTAL_TOKENS: u64 = 200_000;
/// The level of a request that names none.
const DEFAULT_LEVEL: u8 = 2;

/// A question, with the tools to run before a model is asked.
///
/// The parameters of tools keep every byte, so a request can be deserialized from text only. `Debug`
/// shows counts, because the question may contain secrets.
///
/// ```
/// use tool_contracts::act::{ToolRequest, ToolType};
/// use tool_contracts::proxy::ProxyRequest;
///
/// let tool = ToolRequest::builder("orders", ToolType::DatabaseQuery, "open").build()?;
/// let request = ProxyRequest::builder("Which orders are open?")
///     .required_tools([tool])
///     .session_id("session-7")
///     .optimization_level(3)
///     .build()?;
/// assert!(request.enable_compression() && request.enable_toon());
/// assert!(ProxyRequest::builder("").build().is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("proxy_request"))]
pub struct ProxyRequest {
    /// The question: 1 to 50,000 characters.
    #[schemars(length(min = 1, max = 50_000))]
    query: String,
    /// The tools to run before the model is asked, in order.
    required_tools: Vec<ToolRequest>,
    /// The conversation that the question continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    session_id: Option<String>,
    /// Further facts of the turn by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "Option<Map<String, Value>>", extend("default" = serde_json::json!({})))]
    user_context: Map<String, Value>,
    /// The model, such as `gemini/gemini-2.0-flash-exp`; the agent's default if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    target_model: Option<String>,
    /// The most tokens of the model's input and output together: 1,000 to 1,000,000.
    #[schemars(with = "Option<u64>", range(min = 1_000, max = 1_000_000), extend("default" = 200_000))]
    max_total_tokens: u64,
    /// True if the context may be compressed.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    enable_compression: bool,
    /// True if tables may be written in TOON.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    enable_toon: bool,
    /// How much is optimized: 0 (nothing) to 3 (as much as possible).
    #[schemars(with = "Option<u8>", range(min = 0, max = 3), extend("default" = 2))]
    optimization_level: u8,
}

impl ProxyRequest {
    /// Builds a request with this question.
    pub fn builder(query: impl Into<String>) -> ProxyRequestBuilder {
        ProxyRequestBuilder(Self {
            query: query.into(),
            required_tools: Vec::new(),
            session_id: None,
            user_context: Map::new(),
            target_model: None,
            max_total_tokens: DEFAULT_MAX_TOTAL_TOKENS,
            enable_compression: true,
            enable_toon: true,
            optimization_level: DEFAULT_LEVEL,
        })
    }

    /// Returns the question.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Returns the tools to run before the model is asked, in order.
    #[must_use]
    pub fn required_tools(&self) -> &[ToolRequest] {
        &self.required_tools
    }

    /// Returns the conversation that the question continues.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns further facts of the turn by name.
    #[must_use]
    pub const fn user_context(&self) -> &Map<String, Value> {
        &self.user_context
    }

    /// Returns the model, if the request sets it.
    #[must_use]
    pub fn target_model(&self) -> Option<&str> {
        self.target_model.as_deref()
    }

    /// Returns the most tokens of the model's input and output together.
    #[must_use]
    pub const fn max_total_tokens(&self) -> u64 {
        self.max_total_tokens
    }

    /// Returns whether the context may be compressed.
    #[must_use]
    pub const fn enable_compression(&self) -> bool {
        self.enable_compression
    }

    /// Returns whether tables may be written in TOON.
    #[must_use]
    pub const fn enable_toon(&self) -> bool {
        self.enable_toon
    }

    /// Returns how much is optimized: 0 (nothing) to 3 (as much as possible).
    #[must_use]
    pub const fn optimization_level(&self) -> u8 {
        self.optimization_level
    }
}

/// Shows counts only.
impl fmt::Debug for ProxyRequest {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ProxyRequest")
            .field("query", &format_args!("{} bytes", self.query.len()))
            .field("required_tools", &self.required_tools.len())
            .field("target_model", &self.target_model)
            .field("max_total_tokens", &self.max_total_tokens)
            .field("optimization_level", &self.optimization_level)
            .finish_non_exhaustive()
    }
}

/// Builds a [`ProxyRequest`].
///
/// Without further settings no tool is run, everything may be optimized at level 2, and the model's
/// input and output may take 200,000 tokens.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyRequestBuilder(ProxyRequest);

impl ProxyRequestBuilder {
    /// Sets the tools to run before the model is asked, in order.
    pub fn required_tools(mut self, tools: impl IntoIterator<Item = ToolRequest>) -> Self {
        self.0.required_tools = tools.into_iter().collect();
        self
    }

    /// Sets the conversation that the question continues.
    pub fn session_id(mut self, id: impl Into<String>) -> Self {
        self.0.session_id = Some(id.into());
        self
    }

    /// Adds a fact of the turn.
    pub fn user_context(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        insert(&mut self.0.user_context, name.into(), value.into());
        self
    }

    /// Sets the model, in place of the agent's default.
    pub fn target_model(mut self, model: impl Into<String>) -> Self {
        self.0.target_model = Some(model.into());
        self
    }

    /// Sets the most tokens of the model's input and output together: 1,000 to 1,000,000.
    pub fn max_total_tokens(mut self, tokens: u64) -> Self {
        self.0.max_total_tokens = tokens;
        self
    }

    /// Sets whether the context may be compressed.
    pub fn enable_compression(mut self, enable: bool) -> Self {
        self.0.enable_compression = enable;
        self
    }

    /// Sets whether tables may be written in TOON.
    pub fn enable_toon(mut self, enable: bool) -> Self {
        self.0.enable_toon = enable;
        self
    }

    /// Sets how much is optimized: 0 (nothing) to 3 (as much as possible).
    pub fn optimization_level(mut self, level: u8) -> Self {
        self.0.optimization_level = level;
        self
    }

    /// Builds the request.
    ///
    /// # Errors
    /// Returns an error if the question does not have 1 to 50,000 characters, an id or a name is
    /// empty, or a number is out of its range.
    pub fn build(self) -> Result<ProxyRequest, ContractError> {
        let request = self.0;
        let mut problems = Problems::new("ProxyRequest");
        let is_long = request.query.chars().nth(MAX_QUERY_CHARS).is_some();
        let holds = !request.query.is_empty() && !is_long;
        problems.check(holds, "query", "expected 1 to 50000 characters");
        problems.filled("session_id", request.session_id.as_deref());
        problems.filled("target_model", request.target_model.as_deref());
        let holds = (1_000..=1_000_000).contains(&request.max_total_tokens);
        problems.check(holds, "max_total_tokens", "expected a whole number from 1000 to 1000000");
        let holds = request.optimization_level <= 3;
        problems.check(holds, "optimization_level", "expected a whole number from 0 to 3");
        problems.finish().map(|()| request)
    }
}

reads! {
    ProxyRequest, "a request to the agent";
    required query = "query", leaf wire::Text;
    required required_tools = "required_tools", nested Vec<ToolRequest>;
    optional session_id = "session_id", leaf wire::Text;
    optional user_context = "user_context", leaf wire::Object;
    optional target_model = "target_model", leaf wire::Text;
    optional max_total_tokens = "max_total_tokens", leaf wire::Whole<wire::TotalTokens>;
    optional enable_compression = "enable_compression", leaf wire::Flag;
    optional enable_toon = "enable_toon", leaf wire::Flag;
    optional optimization_level = "optimization_level", leaf wire::Whole<wire::OptimizationLevel>;
    => {
        let mut builder = ProxyRequest::builder(query).required_tools(required_tools);
        let request = &mut builder.0;
        request.session_id = session_id;
        request.user_context = user_context.unwrap_or_default();
        request.target_model = target_model;
        let tokens = max_total_tokens.map(|tokens| tokens.saturated(u64::MAX));
        request.max_total_tokens = tokens.unwrap_or(DEFAULT_MAX_TOTAL_TOKENS);
        request.enable_compression = enable_compression.unwrap_or(true);
        request.enable_toon = enable_toon.unwrap_or(true);
        let level = optimization_level.map(|level| level.saturated(u8::MAX));
        request.optimization_level = level.unwrap_or(DEFAULT_LEVEL);
        builder.build().map_err(wire::refused)
    }
}
