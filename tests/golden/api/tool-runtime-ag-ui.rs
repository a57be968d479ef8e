// tool_runtime_ag_ui::AgUi
#[derive(Clone)]
pub struct AgUi {
    ..
}
impl AgUi {
    pub async fn idle(&self) {}
    #[must_use]
    pub fn limits(self, limits: AgUiLimits) -> Self {}
    #[must_use]
    pub fn new(agent: ToolLoop, authenticator: impl Authenticator + 'static) -> Self {}
    pub fn router(self, path: &str) -> Router {}
    pub fn run(
        &self,
        caller: AgUiCaller,
        body: &[u8],
    ) -> Result<EventStream, InputRefusal> {}
    #[must_use]
    pub fn run_store(self, store: impl RunStore + 'static) -> Self {}
}
impl fmt::Debug for AgUi {}

// tool_runtime_ag_ui::AgUiCaller
#[derive(Debug, Clone)]
pub struct AgUiCaller {
    ..
}
impl AgUiCaller {
    #[must_use]
    pub fn approver(&self) -> Option<&str> {}
    #[must_use]
    pub const fn cx(&self) -> &ToolContext {}
    #[must_use]
    pub const fn new(cx: ToolContext) -> Self {}
    #[must_use]
    pub fn with_approver(self, name: impl Into<String>) -> Self {}
}

// tool_runtime_ag_ui::AgUiLimits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgUiLimits {
    ..
}
impl AgUiLimits {
    #[must_use]
    pub const fn max_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_depth(&self) -> usize {}
    #[must_use]
    pub const fn max_messages(&self) -> usize {}
    #[must_use]
    pub const fn max_runs(&self) -> usize {}
    #[must_use]
    pub const fn max_runs_of_caller(&self) -> usize {}
    #[must_use]
    pub const fn max_tools(&self) -> usize {}
    #[must_use]
    pub const fn max_unread_bytes(&self) -> usize {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn request_time(&self) -> Duration {}
    #[must_use]
    pub const fn with_max_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_depth(self, depth: usize) -> Self {}
    #[must_use]
    pub const fn with_max_messages(self, messages: usize) -> Self {}
    #[must_use]
    pub const fn with_max_runs(self, runs: usize) -> Self {}
    #[must_use]
    pub const fn with_max_runs_of_caller(self, runs: usize) -> Self {}
    #[must_use]
    pub const fn with_max_tools(self, tools: usize) -> Self {}
    #[must_use]
    pub const fn with_max_unread_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_request_time(self, time: Duration) -> Self {}
}
impl Default for AgUiLimits {}

// tool_runtime_ag_ui::Authenticator
pub trait Authenticator: fmt::Debug + Send + Sync {
    async fn authenticate(&self, head: &Parts) -> Result<AgUiCaller, Unauthenticated>;
}

// tool_runtime_ag_ui::EventStream
pub struct EventStream {
    ..
}
impl Drop for EventStream {}
impl Stream for EventStream {
    type Item = Result<Bytes, Infallible>;
}
impl fmt::Debug for EventStream {}

// tool_runtime_ag_ui::InputRefusal
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct InputRefusal {
    ..
}
impl InputRefusal {
    #[must_use]
    pub const fn code(&self) -> &'static str {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub const fn status(&self) -> StatusCode {}
}

// tool_runtime_ag_ui::MemoryRuns
#[derive(Default)]
pub struct MemoryRuns {
    ..
}
impl MemoryRuns {
    #[must_use]
    pub fn new() -> Self {}
}
impl RunStore for MemoryRuns {}
impl fmt::Debug for MemoryRuns {}

// tool_runtime_ag_ui::RunStore
pub trait RunStore: fmt::Debug + Send + Sync {
    async fn load(&self, key: &ThreadKey) -> Result<Option<String>, StoreError>;
    async fn save(&self, key: &ThreadKey, run: String) -> Result<(), StoreError>;
    async fn remove(&self, key: &ThreadKey) -> Result<(), StoreError>;
}

// tool_runtime_ag_ui::ThreadKey
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThreadKey {
    ..
}
impl ThreadKey {
    #[must_use]
    pub fn principal(&self) -> &str {}
    #[must_use]
    pub const fn tenant(&self) -> Uuid {}
    #[must_use]
    pub fn thread(&self) -> &str {}
}

// tool_runtime_ag_ui::Unauthenticated
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Error)]
#[non_exhaustive]
pub struct Unauthenticated;
impl Unauthenticated {
    #[must_use]
    pub const fn new() -> Self {}
}

