// tool_runtime_mcp_client::AmountArgument
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AmountArgument {
    Decimal(String),
    MinorUnits(String),
    DecimalBeside(String),
    Money,
}

// tool_runtime_mcp_client::NewTools
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NewTools {
    PinFirst,
    Pin,
    Refuse,
}

// tool_runtime_mcp_client::PinDifference
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinDifference {
    ..
}
impl PinDifference {
    #[must_use]
    pub fn accepted(&self) -> Option<&str> {}
    #[must_use]
    pub fn listed(&self) -> Option<&str> {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
}
impl fmt::Display for PinDifference {}

// tool_runtime_mcp_client::Remote
#[derive(Clone)]
#[must_use = "the connection is closed when the last handle is dropped"]
pub struct Remote {
    ..
}
impl Remote {
    pub async fn accept(&self, tool: &str) -> Result<(), RemoteError> {}
    pub async fn accept_all(&self) -> Result<(), RemoteError> {}
    pub async fn accept_digest(
        &self,
        tool: &str,
        digest: Digest,
    ) -> Result<(), RemoteError> {}
    pub async fn close(&self) {}
    pub fn command<P, A>(program: P, arguments: A) -> RemoteBuilder
    where
        P: Into<OsString>,
        A: IntoIterator,
        A::Item: Into<OsString>,
    {}
    pub fn http(url: impl Into<String>) -> RemoteBuilder {}
    #[must_use]
    pub fn prefix(&self) -> &str {}
    pub async fn refresh(&self) -> Result<(), RemoteError> {}
    #[must_use]
    pub fn status(&self) -> Arc<RemoteStatus> {}
    pub fn stream<F, R, S>(open: F) -> RemoteBuilder
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = io::Result<S>> + Send + 'static,
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {}
}
impl fmt::Debug for Remote {}

// tool_runtime_mcp_client::RemoteBuilder
#[must_use = "the server is connected by `connect` or `start`"]
pub struct RemoteBuilder {
    ..
}
impl RemoteBuilder {
    pub fn allow_plain_http(self) -> Self {}
    pub fn bearer_token(self, token: impl Into<String>) -> Self {}
    pub fn call_timeout(self, timeout: Duration) -> Self {}
    pub async fn connect(self, runtime: &Runtime) -> Result<Remote, RemoteError> {}
    pub fn connect_timeout(self, timeout: Duration) -> Self {}
    pub fn cost(self, tool: impl Into<String>, cost: impl Into<String>) -> Self {}
    pub fn current_dir(self, folder: impl Into<PathBuf>) -> Self {}
    pub fn describe(self, description: impl Into<String>) -> Self {}
    pub fn effect(self, tool: impl Into<String>, effect: Effect) -> Self {}
    pub fn env(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {}
    pub fn exit_timeout(self, timeout: Duration) -> Self {}
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {}
    pub fn idempotent(self, tool: impl Into<String>, idempotent: bool) -> Self {}
    pub fn inherit_env(self) -> Self {}
    pub fn limits(self, limits: RemoteLimits) -> Self {}
    pub fn lock(self, path: impl Into<PathBuf>) -> Self {}
    pub fn max_reconnects(self, attempts: usize) -> Self {}
    pub fn new_tools(self, new_tools: NewTools) -> Self {}
    pub fn on_event(
        self,
        listen: impl Fn(&RemoteEvent) + Send + Sync + 'static,
    ) -> Self {}
    pub fn only<T: Into<String>>(self, tools: impl IntoIterator<Item = T>) -> Self {}
    pub fn open_world(self, tool: impl Into<String>, open_world: bool) -> Self {}
    pub fn prefix(self, prefix: impl Into<String>) -> Self {}
    pub fn protocol(self, protocol: RemoteProtocol) -> Self {}
    pub fn reconnect_delays(self, first: Duration, longest: Duration) -> Self {}
    pub fn refresh_every(self, period: Option<Duration>) -> Self {}
    pub fn spends(
        self,
        tool: impl Into<String>,
        argument: impl Into<String>,
        amount: AmountArgument,
    ) -> Self {}
    pub fn start(self, runtime: &Runtime) -> Result<Remote, RemoteError> {}
}
impl std::fmt::Debug for RemoteBuilder {}

// tool_runtime_mcp_client::RemoteConnection
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RemoteConnection {
    Connecting,
    Connected,
    Reconnecting,
    GivenUp,
    Closed,
}

// tool_runtime_mcp_client::RemoteError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteError {
    ..
}
impl RemoteError {
    #[must_use]
    pub fn kind(&self) -> RemoteErrorKind {}
    #[must_use]
    pub fn server(&self) -> Option<&str> {}
}
impl From<TransportFailure> for RemoteError {}
impl fmt::Display for RemoteError {}
impl std::error::Error for RemoteError {}

// tool_runtime_mcp_client::RemoteErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteErrorKind {
    Setting,
    Connection,
    Unauthorized,
    Timeout,
    Protocol,
    Lock,
    UnknownTool,
    Refused,
    Closed,
}
impl fmt::Display for RemoteErrorKind {}

// tool_runtime_mcp_client::RemoteEvent
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RemoteEvent {
    Connected(RemoteServer),
    Disconnected { reason: String, retry_after: Option<Duration> },
    Available { tool: String },
    Disabled { tool: RemoteTool },
    Finding(RemoteFinding),
    Failed { reason: String },
    Closed,
}
impl fmt::Display for RemoteEvent {}

// tool_runtime_mcp_client::RemoteFinding
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFinding {
    ..
}
impl RemoteFinding {
    #[must_use]
    pub fn detail(&self) -> &str {}
    #[must_use]
    pub fn kind(&self) -> RemoteFindingKind {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}
impl fmt::Display for RemoteFinding {}

// tool_runtime_mcp_client::RemoteFindingKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteFindingKind {
    InvisibleCharacters,
    Instructions,
    RepeatedName,
}
impl fmt::Display for RemoteFindingKind {}

// tool_runtime_mcp_client::RemoteLimits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteLimits {
    ..
}
impl RemoteLimits {
    #[must_use]
    pub const fn max_definition_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_error_chars(&self) -> usize {}
    #[must_use]
    pub const fn max_listing_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_message_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_message_nodes(&self) -> usize {}
    #[must_use]
    pub const fn max_pages(&self) -> usize {}
    #[must_use]
    pub const fn max_tools(&self) -> usize {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn with_max_definition_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_error_chars(self, chars: usize) -> Self {}
    #[must_use]
    pub const fn with_max_listing_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_message_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_message_nodes(self, nodes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_pages(self, pages: usize) -> Self {}
    #[must_use]
    pub const fn with_max_tools(self, tools: usize) -> Self {}
}
impl Default for RemoteLimits {}

// tool_runtime_mcp_client::RemoteProtocol
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RemoteProtocol {
    Automatic,
    Stateless,
    Session,
}

// tool_runtime_mcp_client::RemoteServer
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteServer {
    ..
}
impl RemoteServer {
    #[must_use]
    pub fn announces_changes(&self) -> bool {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn protocol(&self) -> &str {}
    #[must_use]
    pub fn version(&self) -> &str {}
}
impl fmt::Display for RemoteServer {}

// tool_runtime_mcp_client::RemoteStatus
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RemoteStatus {
    pub connection: RemoteConnection,
    pub server: Option<RemoteServer>,
    pub tools: Vec<RemoteTool>,
    pub findings: Vec<RemoteFinding>,
}
impl RemoteStatus {
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&RemoteTool> {}
}

// tool_runtime_mcp_client::RemoteTool
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteTool {
    pub name: String,
    pub registered_as: Option<String>,
    pub state: RemoteToolState,
    pub reason: Option<String>,
    pub digest: Option<Digest>,
    pub differences: Vec<PinDifference>,
}
impl fmt::Display for RemoteTool {}

// tool_runtime_mcp_client::RemoteToolState
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteToolState {
    Available,
    Changed,
    New,
    Vanished,
    Refused,
}

