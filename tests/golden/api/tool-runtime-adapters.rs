// tool_runtime_adapters::Adapter
#[derive(Debug, Clone)]
pub struct Adapter {
    ..
}
impl Adapter {
    pub fn answer_messages<A: Into<ToolAnswer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<Value>, AnswerError> {}
    pub fn answer_messages_as<T: DeserializeOwned, A: Into<ToolAnswer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<T>, AnswerError> {}
    #[must_use]
    pub fn bridge(self, runtime: &Runtime) -> ClientBridge {}
    #[must_use]
    pub fn builder(dialect: Dialect) -> AdapterBuilder {}
    #[must_use]
    pub fn declarations(&self) -> &Value {}
    pub fn declarations_as<T: DeserializeOwned>(&self) -> Result<T, ClientTypeError> {}
    #[must_use]
    pub fn dialect(&self) -> Dialect {}
    pub fn disclose<'n>(&mut self, tools: impl IntoIterator<Item = &'n str>) -> usize {}
    pub fn disclose_found<'c>(
        &mut self,
        calls: impl IntoIterator<Item = &'c ToolCall>,
    ) -> usize {}
    pub fn mark_messages(&self, messages: &mut [Value]) {}
    #[must_use]
    pub fn new(
        dialect: Dialect,
        specs: impl IntoIterator<Item: Borrow<ToolSpec>>,
    ) -> Self {}
    pub fn read(&self, response: &str) -> Result<Turn, ReadError> {}
    pub fn read_response<T: Serialize + ?Sized>(
        &self,
        response: &T,
    ) -> Result<Turn, ReadError> {}
    #[must_use]
    pub fn report(&self) -> &DeclarationReport {}
    #[must_use]
    pub fn request_field(&self) -> &'static str {}
    pub fn request_fields(
        &self,
        rules: impl Into<CallRules>,
    ) -> Result<Map<String, Value>, ToolChoiceError> {}
    #[must_use]
    pub fn stream(&self) -> TurnStream<'_> {}
    #[must_use]
    pub fn tool_name(&self, wire_name: &str) -> Option<&str> {}
    #[must_use]
    pub fn tools(&self) -> &[DeclaredTool] {}
    #[must_use]
    pub fn wire_name(&self, tool: &str) -> Option<&str> {}
    pub fn withheld(&self) -> impl Iterator<Item = &str> {}
}

// tool_runtime_adapters::AdapterBuilder
#[derive(Debug, Clone)]
pub struct AdapterBuilder {
    ..
}
impl AdapterBuilder {
    #[must_use]
    pub fn allowed_callers<C: Into<String>>(
        self,
        tool: impl Into<String>,
        callers: impl IntoIterator<Item = C>,
    ) -> Self {}
    #[must_use]
    pub fn build(self, specs: impl IntoIterator<Item: Borrow<ToolSpec>>) -> Adapter {}
    #[must_use]
    pub fn custom_tool(
        self,
        tool: impl Into<String>,
        format: CustomToolFormat,
    ) -> CustomToolsBuilder {}
    #[must_use]
    pub fn disclosure(self, disclosure: Disclosure) -> Self {}
    #[must_use]
    pub fn examples(self, examples: bool) -> Self {}
    #[must_use]
    pub fn max_response_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub fn prompt_cache(self, lifetime: CacheLifetime) -> Self {}
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {}
    #[must_use]
    pub fn titles(self, titles: bool) -> Self {}
    #[must_use]
    pub fn toolkits(self, text: ToolkitText) -> Self {}
}

// tool_runtime_adapters::AnswerError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    Pending { call_id: String },
    Missing { call_id: String },
    Unknown { call_id: String },
    ClientType(ClientTypeError),
    Duplicate { call_id: String },
}

// tool_runtime_adapters::CacheLifetime
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheLifetime {
    FiveMinutes,
    OneHour,
}

// tool_runtime_adapters::CallRules
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRules {
    ..
}
impl CallRules {
    #[must_use]
    pub fn allowed_tools<N: Into<String>>(
        self,
        tools: impl IntoIterator<Item = N>,
    ) -> Self {}
    #[must_use]
    pub fn new(choice: ToolChoice) -> Self {}
    #[must_use]
    pub fn parallel_calls(self, parallel: bool) -> Self {}
}
impl From<ToolChoice> for CallRules {}

// tool_runtime_adapters::ClientBridge
#[derive(Debug, Clone)]
pub struct ClientBridge {
    ..
}
impl ClientBridge {
    #[must_use]
    pub fn adapter(&self) -> &Adapter {}
    #[must_use]
    pub fn adapter_mut(&mut self) -> &mut Adapter {}
    pub fn answer_object(
        &self,
        answer: impl Into<ToolAnswer>,
    ) -> Result<Value, AnswerError> {}
    pub fn answer_text(
        &self,
        answer: impl Into<ToolAnswer>,
    ) -> Result<String, AnswerError> {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call(
        &self,
        wire_name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_with_id(
        &self,
        call_id: impl Into<String>,
        wire_name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {}
    #[must_use]
    pub fn tools(&self) -> &[DeclaredTool] {}
}

// tool_runtime_adapters::ClientTypeError
#[derive(Clone, PartialEq, Eq, Error)]
pub struct ClientTypeError {
    ..
}
impl ClientTypeError {
    #[must_use]
    pub fn reason(&self) -> &str {}
}
impl fmt::Debug for ClientTypeError {}

// tool_runtime_adapters::CustomToolError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CustomToolError {
    Unsupported { dialect: Dialect },
    UnknownTool { tool: String, closest: Vec<String> },
    NotOneText { tool: String, reason: String },
}

// tool_runtime_adapters::CustomToolFormat
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CustomToolFormat {
    FromSchema,
    Text,
    Lark(String),
    Regex(String),
}

// tool_runtime_adapters::CustomToolsBuilder
#[derive(Debug, Clone)]
pub struct CustomToolsBuilder {
    ..
}
impl CustomToolsBuilder {
    pub fn build(
        self,
        specs: impl IntoIterator<Item: Borrow<ToolSpec>>,
    ) -> Result<Adapter, CustomToolError> {}
    #[must_use]
    pub fn custom_tool(self, tool: impl Into<String>, format: CustomToolFormat) -> Self {}
}

// tool_runtime_adapters::DeclarationLoss
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationLoss {
    ..
}
impl DeclarationLoss {
    #[must_use]
    pub fn consequence(&self) -> &str {}
    #[must_use]
    pub fn keyword(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}
impl fmt::Display for DeclarationLoss {}

// tool_runtime_adapters::DeclarationReport
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclarationReport {
    ..
}
impl DeclarationReport {
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    pub fn losses(&self) -> impl Iterator<Item = &DeclarationLoss> {}
    pub fn warnings(&self) -> impl Iterator<Item = &LimitWarning> {}
}

// tool_runtime_adapters::DeclaredTool
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    ..
}
impl DeclaredTool {
    #[must_use]
    pub fn description(&self) -> &str {}
    #[must_use]
    pub fn examples(&self) -> &[Value] {}
    #[must_use]
    pub fn is_custom(&self) -> bool {}
    #[must_use]
    pub fn is_deferred(&self) -> bool {}
    #[must_use]
    pub fn is_strict(&self) -> bool {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn schema(&self) -> &Value {}
}

// tool_runtime_adapters::Delta
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    Text(String),
    Thinking(String),
    Refusal(String),
    CallStarted(String),
}

// tool_runtime_adapters::Dialect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    BedrockConverse,
    Ollama,
}
impl Dialect {
    pub const ALL: [Self; 6] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::BedrockConverse,
        Self::Ollama,
    ];
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}
impl ToolClient for Dialect {
    type Bridge = ClientBridge;
}
impl fmt::Display for Dialect {}

// tool_runtime_adapters::Disclosure
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disclosure {
    ..
}
impl Disclosure {
    #[must_use]
    pub fn always<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {}
    #[must_use]
    pub fn defer_above(tool_count: usize) -> Self {}
    #[must_use]
    pub fn search(self, search: ToolSearch) -> Self {}
}

// tool_runtime_adapters::LimitWarning
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitWarning {
    ..
}
impl LimitWarning {
    #[must_use]
    pub fn count(&self) -> usize {}
    #[must_use]
    pub fn limit(&self) -> usize {}
    #[must_use]
    pub fn subject(&self) -> &str {}
    #[must_use]
    pub fn tool(&self) -> Option<&str> {}
}
impl fmt::Display for LimitWarning {}

// tool_runtime_adapters::ProviderError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    ..
}
impl ProviderError {
    #[must_use]
    pub fn code(&self) -> Option<&str> {}
    #[must_use]
    pub fn kind(&self) -> Option<&str> {}
}
impl fmt::Display for ProviderError {}
impl std::error::Error for ProviderError {}

// tool_runtime_adapters::ReadError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    Malformed(Malformed),
    Unexpected { pointer: String, expected: &'static str, found: &'static str },
    Provider(ProviderError),
    TooLong { limit: usize },
    Framing { position: u64, expected: &'static str },
    NotSerializable { type_name: &'static str },
    InPieces { pointer: String },
}
impl From<ProviderError> for ReadError {}

// tool_runtime_adapters::RequestedCall
#[derive(Clone)]
pub struct RequestedCall {
    ..
}
impl RequestedCall {
    #[must_use]
    pub fn arguments(&self) -> &str {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {}
    #[must_use]
    pub fn request(&self) -> Option<&ToolCallRequest> {}
}
impl fmt::Debug for RequestedCall {}

// tool_runtime_adapters::StopReason
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    Done,
    Length,
    Interrupted,
    Refused(String),
    Other(String),
}

// tool_runtime_adapters::ToolAnswer
#[derive(Clone)]
pub struct ToolAnswer {
    ..
}
#[cfg(feature = "policy")]
impl ToolAnswer {
    pub async fn for_model(call: &ToolCall) -> Self {}
    #[must_use]
    pub fn with_model_answer(self, shown: &ModelAnswer) -> Self {}
}
impl ToolAnswer {
    #[must_use]
    pub fn as_error(self) -> Self {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub fn from_text(call_id: impl Into<String>, text: impl Into<String>) -> Self {}
    pub fn into_data_and_notes(self) -> Result<(String, Vec<String>), Box<Self>> {}
    #[must_use]
    pub fn into_text(self) -> Option<String> {}
    pub fn into_text_and_blocks<T>(
        self,
        block: impl Fn(&Attachment) -> Option<T>,
    ) -> (Option<String>, Vec<T>) {}
    #[must_use]
    pub fn is_error(&self) -> bool {}
    #[must_use]
    pub fn new(call_id: impl Into<String>, output: &ToolOutput) -> Self {}
    pub fn take_attachments_for_model(&mut self) -> Vec<Attachment> {}
    #[must_use]
    pub fn text_of_error(error: &ToolErrorDetail) -> String {}
    #[must_use]
    pub fn with_attachments(
        self,
        attachments: impl IntoIterator<Item = Attachment>,
    ) -> Self {}
    #[must_use]
    pub fn with_data(self, json: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {}
}
impl From<&ToolCall> for ToolAnswer {}
impl fmt::Debug for ToolAnswer {}

// tool_runtime_adapters::ToolChoice
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    Auto,
    Required,
    None,
    Tool(String),
}

// tool_runtime_adapters::ToolChoiceError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolChoiceError {
    UnknownTool { tool: String, closest: Vec<String> },
    NotAllowed { tool: String },
    NoTools,
    Unsupported { dialect: Dialect, rule: &'static str, cure: &'static str },
}

// tool_runtime_adapters::ToolSearch
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolSearch {
    Automatic,
    Provider,
    ProviderRegex,
    ClientExecuted,
    SearchTools,
}

// tool_runtime_adapters::ToolkitText
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolkitText {
    Once,
    EachTool,
    Omitted,
}

// tool_runtime_adapters::Turn
#[derive(Clone)]
pub struct Turn {
    ..
}
impl Turn {
    #[must_use]
    pub fn calls(&self) -> &[RequestedCall] {}
    #[must_use]
    pub fn messages(&self) -> &[Value] {}
    pub fn messages_as<T: DeserializeOwned>(&self) -> Result<Vec<T>, ClientTypeError> {}
    #[must_use]
    pub fn model(&self) -> Option<&str> {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn open_calls(&self, runtime: &Runtime, cx: &ToolContext) -> Vec<ToolCall> {}
    #[must_use]
    pub fn raw_messages(&self) -> Vec<Box<RawValue>> {}
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {}
    pub fn requests(&self) -> impl Iterator<Item = &ToolCallRequest> {}
    #[must_use]
    pub fn response_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn stop_reason(&self) -> &StopReason {}
    #[must_use]
    pub fn text(&self) -> &str {}
    pub fn texts(&self) -> impl Iterator<Item = &str> {}
    #[must_use]
    pub fn thinking(&self) -> &str {}
    #[must_use]
    pub fn usage(&self) -> Option<TurnUsage> {}
}
impl fmt::Debug for Turn {}

// tool_runtime_adapters::TurnStream
pub struct TurnStream<'a> {
    ..
}
impl<'a> TurnStream<'a> {
    pub fn finish(self) -> Result<Turn, ReadError> {}
    pub fn push(&mut self, event: &str) -> Result<Vec<Delta>, ReadError> {}
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ReadError> {}
    pub fn push_last_event(&mut self) -> Result<Vec<Delta>, ReadError> {}
}
impl TurnStream<'_> {
    pub fn push_event<T: Serialize + ?Sized>(
        &mut self,
        event: &T,
    ) -> Result<Vec<Delta>, ReadError> {}
}
impl fmt::Debug for TurnStream<'_> {}

// tool_runtime_adapters::TurnUsage
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnUsage {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
    pub reasoning: Option<u64>,
}

// tool_runtime_adapters::file_part
#[must_use]
pub fn file_part(attachment: &Attachment) -> Option<Value> {}

// tool_runtime_adapters::files_message
#[must_use]
pub fn files_message(files: Vec<Value>) -> Option<Value> {}

// tool_runtime_adapters::is_file
#[must_use]
pub fn is_file(attachment: &Attachment) -> bool {}

