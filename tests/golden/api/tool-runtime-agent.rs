// tool_runtime_agent::AgentConfig
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AgentConfig {
    ..
}
impl AgentConfig {
    #[must_use]
    pub const fn cache_ttl_seconds(&self) -> u64 {}
    #[must_use]
    pub const fn compression_threshold_tokens(&self) -> u64 {}
    #[must_use]
    pub fn default_model(&self) -> &str {}
    #[must_use]
    pub const fn enable_cache(&self) -> bool {}
    #[must_use]
    pub const fn enable_logging(&self) -> bool {}
    #[must_use]
    pub const fn enable_metrics(&self) -> bool {}
    #[must_use]
    pub fn fallback_model(&self) -> Option<&str> {}
    pub fn from_env(prefix: &str) -> Result<Self, AgentError> {}
    pub fn from_toml(text: &str) -> Result<Self, AgentError> {}
    pub fn from_variables(
        prefix: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn litellm_api_base(&self) -> Option<&str> {}
    #[must_use]
    pub const fn log_level(&self) -> LogLevel {}
    #[must_use]
    pub const fn max_concurrent_tools(&self) -> u64 {}
    #[must_use]
    pub const fn prices(&self) -> &PriceTable {}
    #[must_use]
    pub const fn request_timeout_seconds(&self) -> u64 {}
    #[must_use]
    pub fn student_summarizer_model(&self) -> &str {}
    #[must_use]
    pub const fn toon_threshold_array_size(&self) -> u64 {}
    pub fn with_cache_ttl_seconds(self, seconds: u64) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn with_compression_threshold_tokens(self, tokens: u64) -> Self {}
    pub fn with_default_model(
        self,
        model: impl Into<String>,
    ) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn with_enable_cache(self, enable_cache: bool) -> Self {}
    #[must_use]
    pub fn with_enable_logging(self, enable_logging: bool) -> Self {}
    #[must_use]
    pub fn with_enable_metrics(self, enable_metrics: bool) -> Self {}
    #[must_use]
    pub fn with_fallback_model(self, model: Option<&str>) -> Self {}
    #[must_use]
    pub fn with_litellm_api_base(self, url: Option<&str>) -> Self {}
    #[must_use]
    pub fn with_log_level(self, log_level: LogLevel) -> Self {}
    pub fn with_max_concurrent_tools(self, tools: u64) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn with_prices(self, prices: PriceTable) -> Self {}
    pub fn with_request_timeout_seconds(self, seconds: u64) -> Result<Self, AgentError> {}
    pub fn with_student_summarizer_model(
        self,
        model: impl Into<String>,
    ) -> Result<Self, AgentError> {}
    #[must_use]
    pub fn with_toon_threshold_array_size(self, rows: u64) -> Self {}
}
impl<'de> Deserialize<'de> for AgentConfig {}
impl JsonSchema for AgentConfig {}

// tool_runtime_agent::AgentError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    ..
}
impl AgentError {
    pub fn check_result(result: ActResult) -> Result<ActResult, Self> {}
    #[must_use]
    pub const fn details(&self) -> &Map<String, Value> {}
    #[must_use]
    pub const fn kind(&self) -> AgentErrorKind {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn new(kind: AgentErrorKind, message: impl Into<String>) -> Self {}
    #[must_use]
    pub fn reason(&self) -> Option<AgentErrorReason> {}
    #[must_use]
    pub fn with_detail(self, name: impl Into<String>, detail: impl Into<Value>) -> Self {}
    #[must_use]
    pub fn with_reason(self, reason: AgentErrorReason) -> Self {}
}
impl From<ContractError> for AgentError {}
impl From<DeadlineExceeded> for AgentError {}
impl fmt::Display for AgentError {}
impl std::error::Error for AgentError {}

// tool_runtime_agent::AgentErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentErrorKind {
    ToolExecution,
    Compression,
    Serialization,
    Llm,
    Configuration,
    Validation,
}
impl AgentErrorKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}
impl fmt::Display for AgentErrorKind {}

// tool_runtime_agent::AgentErrorReason
word_enum! {
    #[non_exhaustive] pub enum AgentErrorReason { AsyncThread = "async_thread",
    Connection = "connection", InvalidRequest = "invalid_request", NotFound =
    "not_found", Panic = "panic", RateLimited = "rate_limited", SessionStore =
    "session_store", Timeout = "timeout", ToolType = "tool_type", Unauthorized =
    "unauthorized", UnansweredCall = "unanswered_call", Unavailable = "unavailable",
    UnknownTool = "unknown_tool", Unreadable = "unreadable", }
}
impl fmt::Display for AgentErrorReason {}

// tool_runtime_agent::AssistantMessage
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AssistantMessage {
    ..
}
impl AssistantMessage {
    #[must_use]
    pub fn calls(&self) -> &[ModelCall] {}
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn provider_messages(&self) -> &[Value] {}
    #[must_use]
    pub fn text(&self) -> &str {}
    #[must_use]
    pub fn with_calls(self, calls: impl IntoIterator<Item = ModelCall>) -> Self {}
    #[must_use]
    pub fn with_provider_messages(
        self,
        messages: impl IntoIterator<Item = Value>,
    ) -> Self {}
}
impl fmt::Debug for AssistantMessage {}

// tool_runtime_agent::ChatModel
pub trait ChatModel: fmt::Debug + Send + Sync {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError>;
    fn accepts(&self, _: &Attachment) -> bool {}
    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {}
}

// tool_runtime_agent::ChatReply
#[derive(Debug, Clone, PartialEq)]
pub struct ChatReply {
    ..
}
impl ChatReply {
    #[must_use]
    pub fn calls(&self) -> &[ModelCall] {}
    #[must_use]
    pub const fn finish_reason(&self) -> &FinishReason {}
    #[must_use]
    pub fn from_message(model: impl Into<String>, message: AssistantMessage) -> Self {}
    #[must_use]
    pub const fn is_fallback(&self) -> bool {}
    #[must_use]
    pub const fn latency(&self) -> Duration {}
    #[must_use]
    pub const fn message(&self) -> &AssistantMessage {}
    #[must_use]
    pub fn model(&self) -> &str {}
    #[must_use]
    pub fn new(model: impl Into<String>, text: impl Into<String>) -> Self {}
    pub fn structured(&self, schema: &Value) -> Result<Value, AgentError> {}
    #[must_use]
    pub fn text(&self) -> &str {}
    #[must_use]
    pub const fn usage(&self) -> Option<TokenUsage> {}
    #[must_use]
    pub fn with_fallback(self, is_fallback: bool) -> Self {}
    #[must_use]
    pub fn with_finish_reason(self, reason: FinishReason) -> Self {}
    #[must_use]
    pub fn with_latency(self, latency: Duration) -> Self {}
    #[must_use]
    pub fn with_usage(self, usage: TokenUsage) -> Self {}
}

// tool_runtime_agent::ChatRequest
#[derive(Clone, Default)]
pub struct ChatRequest {
    ..
}
impl ChatRequest {
    #[must_use]
    pub fn from_messages(messages: impl IntoIterator<Item = ModelMessage>) -> Self {}
    #[must_use]
    pub const fn max_output_tokens(&self) -> Option<u64> {}
    #[must_use]
    pub fn messages(&self) -> &[ModelMessage] {}
    #[must_use]
    pub fn model(&self) -> Option<&str> {}
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {}
    #[must_use]
    pub const fn schema(&self) -> Option<&Value> {}
    #[must_use]
    pub const fn temperature(&self) -> Option<f64> {}
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {}
    #[must_use]
    pub fn tools(&self) -> &[Arc<ToolSpec>] {}
    #[must_use]
    pub fn with_max_output_tokens(self, tokens: u64) -> Self {}
    #[must_use]
    pub fn with_message(self, message: ModelMessage) -> Self {}
    #[must_use]
    pub fn with_model(self, model: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_schema(self, schema: Value) -> Self {}
    #[must_use]
    pub fn with_temperature(self, temperature: f64) -> Self {}
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {}
    #[must_use]
    pub fn with_tools(
        self,
        specs: impl IntoIterator<Item: Into<Arc<ToolSpec>>>,
    ) -> Self {}
}
impl fmt::Debug for ChatRequest {}

// tool_runtime_agent::ClientCall
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCall {
    ..
}
impl ClientCall {
    #[must_use]
    pub fn arguments(&self) -> &str {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub const fn position(&self) -> usize {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}

// tool_runtime_agent::FinishReason
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    Stop,
    ToolCalls,
    Length,
    ContentFilter,
    Other(String),
}
impl FinishReason {
    #[must_use]
    pub fn as_str(&self) -> &str {}
}

// tool_runtime_agent::LogLevel
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub enum LogLevel {
    Debug,
    Info,
    Warning,
    Error,
}
impl LogLevel {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}
impl fmt::Display for LogLevel {}

// tool_runtime_agent::LoopEnd
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopEnd {
    Answered(ChatReply),
    Suspended(SuspendedRun),
    Stopped(StopCause),
}

// tool_runtime_agent::LoopEvent
#[derive(Debug, Clone, Copy)]
pub enum LoopEvent<'e> {
    Text(&'e str),
    Replied(&'e ChatReply),
    CallOpened { position: usize, call: &'e ToolCall },
    ClientCall { position: usize, call: &'e ModelCall },
    CallAnswered { position: usize, text: &'e str },
}

// tool_runtime_agent::LoopReport
#[derive(Debug, Clone, PartialEq)]
pub struct LoopReport {
    ..
}
impl LoopReport {
    #[must_use]
    pub const fn calls(&self) -> u32 {}
    #[must_use]
    pub const fn end(&self) -> &LoopEnd {}
    #[must_use]
    pub fn into_end(self) -> LoopEnd {}
    #[must_use]
    pub fn messages(&self) -> &[ModelMessage] {}
    #[must_use]
    pub const fn savings(&self) -> LoopSavings {}
    #[must_use]
    pub fn text(&self) -> Option<&str> {}
    #[must_use]
    pub const fn turns(&self) -> u32 {}
    #[must_use]
    pub const fn usage(&self) -> TokenUsage {}
}

// tool_runtime_agent::LoopSavings
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct LoopSavings {
    pub compressed_results: u32,
    pub compactions: u32,
    pub input_tokens: u64,
    pub net_input_tokens: f64,
}

// tool_runtime_agent::MemorySessions
pub struct MemorySessions {
    ..
}
impl MemorySessions {
    #[must_use]
    pub fn new() -> Self {}
}
impl Default for MemorySessions {}
impl SessionStore for MemorySessions {}
impl fmt::Debug for MemorySessions {}

// tool_runtime_agent::ModelCall
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    ..
}
impl ModelCall {
    #[must_use]
    pub fn arguments(&self) -> &str {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {}
}
impl fmt::Debug for ModelCall {}

// tool_runtime_agent::ModelMessage
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ModelMessage {
    System(String),
    User(String),
    Assistant(AssistantMessage),
    #[non_exhaustive]
    ToolResult { call_id: String, text: String, attachments: Vec<Attachment> },
}
impl ModelMessage {
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {}
    #[must_use]
    pub fn text(&self) -> &str {}
    #[must_use]
    pub fn tool_result(call_id: impl Into<String>, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_attachments(self, files: impl IntoIterator<Item = Attachment>) -> Self {}
}
impl fmt::Debug for ModelMessage {}

// tool_runtime_agent::ModelPrice
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelPrice {
    ..
}
impl ModelPrice {
    #[must_use]
    pub const fn cached_input(&self) -> Option<f64> {}
    #[must_use]
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> f64 {}
    #[must_use]
    pub fn cost_of_usage(&self, usage: TokenUsage) -> f64 {}
    #[must_use]
    pub const fn input(&self) -> f64 {}
    #[must_use]
    pub fn new(input: f64, output: f64) -> Self {}
    #[must_use]
    pub const fn output(&self) -> f64 {}
    #[must_use]
    pub fn with_cached_input(self, cached_input: f64) -> Self {}
}

// tool_runtime_agent::ModelSummarizer
#[derive(Debug, Clone)]
pub struct ModelSummarizer {
    ..
}
impl ModelSummarizer {
    #[must_use]
    pub fn new(model: impl ChatModel + 'static) -> Self {}
    #[must_use]
    pub fn with_dollars_per_million(self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_dollars_per_million_output(self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_model(self, name: impl Into<String>) -> Self {}
}
impl Summarizer for ModelSummarizer {}

// tool_runtime_agent::OnText
pub type OnText<'t> = dyn Fn(&str) + Send + Sync + 't;

// tool_runtime_agent::OpenAiBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until it is built"]
pub struct OpenAiBuilder {
    ..
}
impl OpenAiBuilder {
    pub fn allow_plain_http(self) -> Self {}
    pub fn api_key_env(self, variable: impl Into<String>) -> Self {}
    pub fn attachments(self, are_sent: bool) -> Self {}
    pub fn build(self) -> Result<OpenAiModel, AgentError> {}
    pub fn build_embedder(self) -> Result<OpenAiEmbedder, AgentError> {}
    pub fn fallback_model(self, model: impl Into<String>) -> Self {}
    pub fn first_delay(self, delay: Duration) -> Self {}
    pub fn max_attempts(self, attempts: u32) -> Self {}
    pub fn max_response_bytes(self, bytes: usize) -> Self {}
    pub fn provider_prefix(self, prefix: ProviderPrefix) -> Self {}
    pub fn timeout(self, timeout: Duration) -> Self {}
}

// tool_runtime_agent::OpenAiEmbedder
#[derive(Clone)]
pub struct OpenAiEmbedder {
    ..
}
impl OpenAiEmbedder {
    pub fn builder(
        base_url: impl Into<String>,
        model: impl Into<String>,
    ) -> OpenAiBuilder {}
}
impl Embedder for OpenAiEmbedder {}
impl fmt::Debug for OpenAiEmbedder {}

// tool_runtime_agent::OpenAiModel
#[derive(Clone)]
pub struct OpenAiModel {
    ..
}
impl OpenAiModel {
    pub fn builder(
        base_url: impl Into<String>,
        model: impl Into<String>,
    ) -> OpenAiBuilder {}
    pub fn from_config(config: &AgentConfig) -> OpenAiBuilder {}
}
impl ChatModel for OpenAiModel {}
impl fmt::Debug for OpenAiModel {}

// tool_runtime_agent::PendingCall
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCall {
    ..
}
impl PendingCall {
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub const fn position(&self) -> usize {}
    #[must_use]
    pub fn ticket(&self) -> &str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}

// tool_runtime_agent::PriceTable
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PriceTable(_);
impl PriceTable {
    #[must_use]
    pub fn price_for(&self, model: &str) -> Option<ModelPrice> {}
    #[must_use]
    pub fn with(self, model: impl Into<String>, price: ModelPrice) -> Self {}
}

// tool_runtime_agent::ProviderPrefix
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ProviderPrefix {
    Kept,
    Removed,
}

// tool_runtime_agent::ProxyAgent
#[derive(Clone)]
pub struct ProxyAgent {
    ..
}
impl ProxyAgent {
    pub async fn answer(
        &self,
        request: &ProxyRequest,
        cx: &ToolContext,
    ) -> Result<ProxyResponse, AgentError> {}
    pub fn builder(
        config: AgentConfig,
        runtime: Runtime,
        model: impl ChatModel + 'static,
    ) -> ProxyAgentBuilder {}
}
impl fmt::Debug for ProxyAgent {}

// tool_runtime_agent::ProxyAgentBuilder
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyAgentBuilder {
    ..
}
impl ProxyAgentBuilder {
    pub fn answer_schema(self, schema: Value) -> Self {}
    pub fn assessor(self, assessor: Assessor) -> Self {}
    #[must_use]
    pub fn build(self) -> ProxyAgent {}
    pub fn compression_strategy(self, strategy: CompressionStrategy) -> Self {}
    pub fn instructions(self, instructions: impl Into<String>) -> Self {}
    pub fn sessions(self, sessions: impl SessionStore + 'static) -> Self {}
    pub fn tool_type(
        self,
        tool_or_toolkit: impl Into<String>,
        tool_type: ToolType,
    ) -> Self {}
}
impl fmt::Debug for ProxyAgentBuilder {}

// tool_runtime_agent::RuntimeExecutor
#[derive(Clone)]
pub struct RuntimeExecutor {
    ..
}
impl RuntimeExecutor {
    pub fn check(&self, request: &ToolRequest) -> Result<(), AgentError> {}
    pub async fn execute_all(
        &self,
        requests: &[ToolRequest],
    ) -> Vec<Result<ActResult, AgentError>> {}
    #[must_use]
    pub fn max_concurrent_tools(self, limit: usize) -> Self {}
    #[must_use]
    pub fn new(runtime: Runtime, cx: ToolContext) -> Self {}
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {}
    #[must_use]
    pub fn tool_type(
        self,
        tool_or_toolkit: impl Into<String>,
        tool_type: ToolType,
    ) -> Self {}
    #[must_use]
    pub fn with_context(&self, cx: ToolContext) -> Self {}
}
impl ToolExecutor for RuntimeExecutor {}
impl fmt::Debug for RuntimeExecutor {}

// tool_runtime_agent::SealedSessions
#[derive(Debug, Clone)]
pub struct SealedSessions<T> {
    ..
}
impl<T: SessionTable> SealedSessions<T> {
    #[must_use]
    pub fn clock(self, clock: impl Clock) -> Self {}
    pub async fn delete(&self, key: &SessionKey) -> Result<bool, StoreError> {}
    pub async fn delete_all(&self, cx: &ToolContext) -> Result<usize, StoreError> {}
    #[must_use]
    pub fn new(store: T, keys: &KeyRing) -> Self {}
    #[must_use]
    pub fn retention(self, retention: Duration) -> Self {}
    #[must_use]
    pub fn sessions_per_principal(self, limit: usize) -> Self {}
    pub async fn sweep(&self) -> Result<usize, StoreError> {}
}
impl<T: SessionTable> SessionStore for SealedSessions<T> {}

// tool_runtime_agent::SessionKey = tool_runtime_core::store::session_key::SessionKey

// tool_runtime_agent::SessionStore
pub trait SessionStore: fmt::Debug + Send + Sync {
    async fn load(
        &self,
        key: &SessionKey,
        limit: usize,
    ) -> Result<Vec<ChatMessage>, StoreError>;
    async fn append(
        &self,
        key: &SessionKey,
        messages: Vec<ChatMessage>,
    ) -> Result<(), StoreError>;
}

// tool_runtime_agent::StopCause
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopCause {
    TurnLimit,
    TokenBudget,
    RepeatedFailures,
    CutOff,
    Timeout,
}
impl StopCause {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}

// tool_runtime_agent::SuspendedRun
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SuspendedRun {
    ..
}
impl SuspendedRun {
    pub async fn answer(
        &mut self,
        call_id: &str,
        call: &ToolCall,
    ) -> Result<(), AgentError> {}
    pub fn answer_client_call(
        &mut self,
        position: usize,
        text: impl Into<String>,
        failed: bool,
        runtime: &Runtime,
    ) -> Result<(), AgentError> {}
    #[must_use]
    pub fn client_calls(&self) -> &[ClientCall] {}
    #[must_use]
    pub fn pending(&self) -> &[PendingCall] {}
}
impl fmt::Debug for SuspendedRun {}

// tool_runtime_agent::TokenUsage
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenUsage {
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
}
impl TokenUsage {
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {}
    #[must_use]
    pub fn with_cached_input_tokens(self, tokens: u64) -> Self {}
}

// tool_runtime_agent::ToolExecutor
pub trait ToolExecutor: fmt::Debug + Send + Sync {
    fn execute(&self, request: &ToolRequest) -> Result<ActResult, AgentError>;
    async fn execute_async(
        &self,
        request: &ToolRequest,
    ) -> Result<ActResult, AgentError>;
    fn validate_tool(&self, tool_id: &str) -> bool;
}

// tool_runtime_agent::ToolLoop
#[derive(Clone)]
pub struct ToolLoop {
    ..
}
impl ToolLoop {
    #[must_use]
    pub fn client_tools(
        self,
        specs: impl IntoIterator<Item: Into<Arc<ToolSpec>>>,
    ) -> Self {}
    pub async fn close(
        &self,
        run: SuspendedRun,
        cx: &ToolContext,
    ) -> Result<Vec<ModelMessage>, AgentError> {}
    #[must_use]
    pub fn config(self, config: &AgentConfig) -> Self {}
    #[must_use]
    pub fn history_assessor(self, assessor: Assessor) -> Self {}
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn max_calls_per_turn(self, limit: usize) -> Self {}
    #[must_use]
    pub fn max_concurrent_tools(self, limit: usize) -> Self {}
    #[must_use]
    pub fn max_failed_turns(self, turns: u32) -> Self {}
    #[must_use]
    pub fn max_total_tokens(self, tokens: u64) -> Self {}
    #[must_use]
    pub fn max_turns(self, turns: u32) -> Self {}
    #[must_use]
    pub fn model(self, name: impl Into<String>) -> Self {}
    #[must_use]
    pub fn new(runtime: Runtime, model: impl ChatModel + 'static) -> Self {}
    #[must_use]
    pub fn on_event(
        self,
        listen: impl Fn(LoopEvent<'_>) + Send + Sync + 'static,
    ) -> Self {}
    #[must_use]
    pub fn only_tools<N: Into<String>>(
        self,
        names: impl IntoIterator<Item = N>,
    ) -> Self {}
    #[must_use]
    pub fn result_assessor(self, assessor: Assessor) -> Self {}
    pub async fn resume(
        &self,
        run: SuspendedRun,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {}
    pub async fn run(
        &self,
        question: impl Into<String>,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {}
    pub async fn run_messages(
        &self,
        messages: impl IntoIterator<Item = ModelMessage>,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {}
    #[must_use]
    pub const fn runtime(&self) -> &Runtime {}
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {}
    pub fn visible_tools(&self) -> impl Iterator<Item = Arc<ToolSpec>> + '_ {}
}
impl fmt::Debug for ToolLoop {}

// tool_runtime_agent::assess::AssessOptions
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssessOptions {
    ..
}
impl AssessOptions {
    #[must_use]
    pub const fn dollars_per_million(&self) -> f64 {}
    #[must_use]
    pub const fn target_ratio(&self) -> f64 {}
    #[must_use]
    pub const fn threshold_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn verbatim_rounds(&self) -> usize {}
    #[must_use]
    pub fn with_dollars_per_million(self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_links_dropped(self, drop_links: bool) -> Self {}
    #[must_use]
    pub fn with_nulls_dropped(self, drop_nulls: bool) -> Self {}
    #[must_use]
    pub fn with_prompt_cache(self, price_share: f64, turns: u32) -> Self {}
    #[must_use]
    pub fn with_target_ratio(self, ratio: f64) -> Self {}
    #[must_use]
    pub fn with_threshold_tokens(self, tokens: u64) -> Self {}
    #[must_use]
    pub fn with_verbatim_rounds(self, rounds: usize) -> Self {}
}
impl Default for AssessOptions {}

// tool_runtime_agent::assess::Assessor
#[derive(Debug, Clone)]
pub struct Assessor {
    ..
}
impl Assessor {
    #[must_use]
    pub fn compressor(self, compressor: impl ContextCompressor + 'static) -> Self {}
    #[must_use]
    pub fn embedder(self, embedder: impl Embedder + 'static) -> Self {}
    #[must_use]
    pub fn estimate_tokens(&self, text: &str) -> u64 {}
    #[must_use]
    pub fn new() -> Self {}
    #[must_use = "the context is compressed when the future is polled"]
    pub fn optimize<'c>(
        &'c self,
        context: &'c ContextData,
    ) -> BoxFuture<'c, OptimizedContext> {}
    pub async fn optimize_result(
        &self,
        result: &ActResult,
        query: Option<&str>,
    ) -> OptimizedContext {}
    #[must_use]
    pub fn options(self, options: AssessOptions) -> Self {}
    #[must_use]
    pub fn result_serializer(self, serializer: Articulator) -> Self {}
    #[must_use]
    pub fn select_strategy(&self, context: &ContextData) -> CompressionMethod {}
    #[must_use]
    pub fn summarizer(self, summarizer: impl Summarizer + 'static) -> Self {}
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {}
}
impl ContextManager for Assessor {}
impl Default for Assessor {}

// tool_runtime_agent::assess::CompressionError
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct CompressionError {
    ..
}
impl CompressionError {
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_written_tokens(self, tokens: u64) -> Self {}
    #[must_use]
    pub fn written_tokens(&self) -> Option<u64> {}
}

// tool_runtime_agent::assess::ContextCompressor
pub trait ContextCompressor: fmt::Debug + Send + Sync {
    fn method(&self) -> CompressionMethod;
    async fn compress(
        &self,
        context: &ContextData,
        budget_tokens: u64,
    ) -> Result<String, CompressionError>;
}

// tool_runtime_agent::assess::ContextManager
pub trait ContextManager: fmt::Debug + Send + Sync {
    async fn optimize(&self, context: &ContextData) -> OptimizedContext;
    fn estimate_tokens(&self, text: &str) -> u64;
    fn select_strategy(&self, context: &ContextData) -> CompressionMethod;
}

// tool_runtime_agent::assess::Embedder
pub trait Embedder: fmt::Debug + Send + Sync {
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError>;
}

// tool_runtime_agent::assess::Summarizer
pub trait Summarizer: fmt::Debug + Send + Sync {
    async fn summarize(
        &self,
        request: SummaryRequest<'_>,
    ) -> Result<String, CompressionError>;
    fn dollars_per_million(&self) -> f64 {}
    fn dollars_per_million_output(&self) -> f64 {}
}

// tool_runtime_agent::assess::SummaryRequest
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SummaryRequest<'r> {
    pub text: &'r str,
    pub query: Option<&'r str>,
    pub max_tokens: u64,
    pub identifiers: &'r [&'r str],
}

