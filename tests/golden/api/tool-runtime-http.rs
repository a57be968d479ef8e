// tool_runtime_http::ApiKey
pub struct ApiKey(_);
impl ApiKey {
    #[must_use]
    pub fn expose(&self) -> &str {}
    pub fn generate() -> Result<Self, ApiKeyError> {}
    #[must_use]
    pub fn hash(&self) -> ApiKeyHash {}
    pub fn new(text: impl Into<String>) -> Result<Self, ApiKeyError> {}
}
impl fmt::Debug for ApiKey {}

// tool_runtime_http::ApiKeyError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    Short { found: usize },
    Uniform,
    Unprintable,
    NoHash,
    Repeated,
    NoRandomness,
}

// tool_runtime_http::ApiKeyHash
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeyHash {
    ..
}
impl FromStr for ApiKeyHash {
    type Err = ApiKeyError;
}
impl fmt::Debug for ApiKeyHash {}
impl fmt::Display for ApiKeyHash {}

// tool_runtime_http::ApiKeySet
#[derive(Debug, Clone, Default)]
pub struct ApiKeySet {
    ..
}
impl ApiKeySet {
    #[must_use]
    pub fn new() -> Self {}
    pub fn with(
        self,
        hash: ApiKeyHash,
        principal: Principal,
    ) -> Result<Self, ApiKeyError> {}
    pub fn with_until(
        self,
        hash: ApiKeyHash,
        principal: Principal,
        not_after: SystemTime,
    ) -> Result<Self, ApiKeyError> {}
}

// tool_runtime_http::ApiKeys
#[derive(Debug, Clone)]
pub struct ApiKeys(_);
impl ApiKeys {
    #[must_use]
    pub fn new(set: ApiKeySet) -> Self {}
    pub fn replace(&self, set: ApiKeySet) {}
}

// tool_runtime_http::Auth
#[derive(Debug, Clone)]
pub struct Auth {
    ..
}
impl Auth {
    #[must_use]
    pub fn anonymous(self, scopes: Scopes) -> Self {}
    #[must_use]
    pub fn api_keys(self, keys: &ApiKeys) -> Self {}
    #[must_use]
    pub fn jwt(self, verifier: JwtVerifier) -> Self {}
    #[must_use]
    pub fn new() -> Self {}
    #[must_use]
    pub fn unauthenticated_as(principal: Principal) -> Self {}
}

// tool_runtime_http::BoundServer
#[must_use = "a server accepts no connection until it runs"]
pub struct BoundServer {
    ..
}
impl BoundServer {
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {}
    pub async fn run(
        self,
        shutdown: impl Future<Output = ()>,
    ) -> Result<ShutdownReport, ServeError> {}
}
impl fmt::Debug for BoundServer {}

// tool_runtime_http::ClientAddress
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAddress {
    Peer,
    #[non_exhaustive]
    Forwarded { trusted: Vec<Network> },
}
impl ClientAddress {
    pub fn forwarded_by<'n>(
        trusted: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, NetworkError> {}
}

// tool_runtime_http::Drain
#[derive(Clone)]
pub struct Drain(_);
impl Drain {
    pub fn begin(&self) {}
    #[must_use]
    pub fn count(&self) -> usize {}
    pub fn finish(&self) {}
    pub async fn finished(&self) {}
    #[must_use]
    pub fn has_begun(&self) -> bool {}
    pub async fn idle(&self) {}
    pub fn track(&self) -> DrainGuard {}
}
impl Default for Drain {}
impl fmt::Debug for Drain {}

// tool_runtime_http::DrainGuard
#[derive(Debug)]
#[must_use = "the shutdown waits only while this is held"]
pub struct DrainGuard(_);
impl Drop for DrainGuard {}

// tool_runtime_http::HttpConfig
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpConfig {
    ..
}
impl HttpConfig {
    pub fn any_host(self) -> Self {}
    pub fn body_timeout(self, time: Duration) -> Self {}
    pub fn default_site(self, site: impl Into<String>) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn drain(&self) -> Drain {}
    pub fn four_eyes(self, wanted: bool) -> Self {}
    pub fn hosts<N: Into<Box<str>>>(self, names: impl IntoIterator<Item = N>) -> Self {}
    pub fn keep_alive(self, silence: Duration) -> Self {}
    pub fn ledger(self, ledger: &Ledger) -> Self {}
    pub fn look_up_requesters<F, E>(
        self,
        look_up: impl Fn(Requester) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Option<Principal>, E>> + Send + 'static,
        E: Into<LookupError>,
    {}
    pub fn max_body_bytes(self, bytes: usize) -> Self {}
    pub fn max_buffered_bytes(self, bytes: usize) -> Self {}
    pub fn max_buffered_bytes_per_caller(self, bytes: usize) -> Self {}
    pub fn max_replays(self, replays: usize) -> Self {}
    pub fn max_replays_per_caller(self, replays: usize) -> Self {}
    pub fn max_streams(self, streams: usize) -> Self {}
    pub fn max_streams_per_caller(self, streams: usize) -> Self {}
    pub fn max_tasks(self, tasks: usize) -> Self {}
    pub fn max_tasks_per_caller(self, tasks: usize) -> Self {}
    pub fn max_unread_bytes(self, bytes: usize) -> Self {}
    pub fn max_unread_bytes_per_caller(self, bytes: usize) -> Self {}
    pub fn mcp(self, config: McpConfig) -> Self {}
    pub fn min_upload_rate(self, bytes_per_second: u32) -> Self {}
    pub fn new(auth: Auth) -> Self {}
    pub fn new_trace_ids(self) -> Self {}
    pub fn public_metrics(self) -> Self {}
    pub fn rates(self, limits: RateLimits) -> Self {}
    pub fn ready_check<F, C, E>(self, name: impl Into<Box<str>>, check: F) -> Self
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {}
    pub fn ready_timeout(self, time: Duration) -> Self {}
    pub fn request_timeout(self, time: Duration) -> Self {}
    pub fn single_tenant(self, tenant: Tenant) -> Self {}
    pub fn vault(self, vault: &Vault) -> Self {}
    pub fn without_tenants(self) -> Self {}
}

// tool_runtime_http::Jwks
#[derive(Debug, Clone)]
#[must_use]
pub struct Jwks {
    ..
}
impl Jwks {
    pub fn fetch_with<F, R, T, E>(fetch: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<Vec<u8>>,
        E: fmt::Display,
    {}
    pub fn file(path: impl AsRef<Path>) -> Self {}
    pub fn from_json(json: impl AsRef<[u8]>) -> Result<Self, JwksError> {}
    pub fn keep_stale(self, time: Duration) -> Self {}
    pub fn max_age(self, time: Duration) -> Self {}
    pub fn read_at_most_every(self, time: Duration) -> Self {}
    pub fn url(url: &str) -> Result<Self, JwksError> {}
}

// tool_runtime_http::JwksError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwksError {
    NoKeySet,
    NoKey,
    PrivateKey,
    TooLarge,
    Url,
    Insecure,
    Unreadable(Box<str>),
}

// tool_runtime_http::JwtConfigError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwtConfigError {
    EmptyIssuerOrAudience,
    LeewayTooLong,
}

// tool_runtime_http::JwtVerifier
#[derive(Debug, Clone)]
#[must_use]
pub struct JwtVerifier {
    ..
}
impl JwtVerifier {
    pub fn add_audience(self, audience: impl Into<String>) -> Self {}
    pub fn for_every_tenant(self) -> Self {}
    #[must_use]
    pub fn key_failure(&self) -> Option<JwksError> {}
    pub fn leeway(self, time: Duration) -> Result<Self, JwtConfigError> {}
    pub fn max_token_bytes(self, bytes: usize) -> Self {}
    pub fn new(
        keys: Jwks,
        issuer: impl Into<String>,
        audience: impl Into<String>,
    ) -> Result<Self, JwtConfigError> {}
    pub fn subjects(self, subjects: TokenSubject) -> Self {}
    pub fn tenants_claim(self, claim: impl Into<Box<str>>) -> Self {}
}

// tool_runtime_http::Network
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    ..
}
impl FromStr for Network {
    type Err = NetworkError;
}

// tool_runtime_http::NetworkError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct NetworkError {
    ..
}

// tool_runtime_http::Principal
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    ..
}
impl Principal {
    #[must_use]
    pub fn acting_as(self, kinds: impl IntoIterator<Item = ActorType>) -> Self {}
    #[must_use]
    pub fn approving(self, tools: Scopes) -> Self {}
    #[must_use]
    pub fn for_every_tenant(self) -> Self {}
    #[must_use]
    pub fn for_tenants(self, tenants: impl IntoIterator<Item = Uuid>) -> Self {}
    #[must_use]
    pub fn is_anonymous(&self) -> bool {}
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {}
    #[must_use]
    pub fn may_act_as(&self, kind: ActorType) -> bool {}
    #[must_use]
    pub fn may_act_for(&self, tenant: Uuid) -> bool {}
    #[must_use]
    pub fn may_call(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn may_decide(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn may_name_user(&self, user: &str) -> bool {}
    #[must_use]
    pub fn may_view(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn token_subject(sub: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn trusted(name: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn with_allowance(self, allowance: Allowance) -> Self {}
    #[must_use]
    pub fn with_scopes(self, scopes: Scopes) -> Self {}
    #[must_use]
    pub fn with_users(self, users: Users) -> Self {}
}

// tool_runtime_http::RateLimits
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct RateLimits {
    ..
}
impl RateLimits {
    pub fn calls(self, limit: RateLimit) -> Self {}
    pub fn failed_authentications(self, limit: RateLimit) -> Self {}
    pub fn new() -> Self {}
    pub fn none() -> Self {}
    pub fn requests(self, limit: RateLimit) -> Self {}
}
impl Default for RateLimits {}

// tool_runtime_http::Requester
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    ..
}
impl Requester {
    #[must_use]
    pub fn has_token(&self) -> bool {}
    #[must_use]
    pub fn name(&self) -> &str {}
}

// tool_runtime_http::Routers
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Routers {
    pub api: Router,
    pub probes: Router,
}

// tool_runtime_http::Scope
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    Internal,
    Approvals,
    ViewApprovals,
    ExceedBudgets,
    Budgets,
    Traces,
    Replay,
    Ledger,
    Outcomes,
    Evidence,
    EvidenceContents,
    Metrics,
}
impl Scope {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}

// tool_runtime_http::Scopes
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    ..
}
impl Scopes {
    #[must_use]
    pub fn all() -> Self {}
    #[must_use]
    pub fn has(&self, scope: Scope) -> bool {}
    #[must_use]
    pub fn may_call(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn may_decide(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn may_view(&self, tool: &ToolSpec) -> bool {}
    #[must_use]
    pub fn none() -> Self {}
}
impl FromStr for Scopes {
    type Err = UnknownScope;
}
impl fmt::Display for Scopes {}

// tool_runtime_http::ServeError
#[derive(Debug, Error)]
pub struct ServeError {
    ..
}
impl ServeError {
    #[must_use]
    pub fn kind(&self) -> ServeErrorKind {}
}

// tool_runtime_http::ServeErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeErrorKind {
    Listen,
    Tls,
    Ledger,
}

// tool_runtime_http::Server
#[must_use = "a server does nothing until it is bound"]
pub struct Server {
    ..
}
impl Server {
    pub async fn bind(
        self,
        address: impl ToSocketAddrs + fmt::Debug,
    ) -> Result<BoundServer, ServeError> {}
    pub fn limits(self, limits: ServerLimits) -> Self {}
    pub fn listener(
        self,
        listener: std::net::TcpListener,
    ) -> Result<BoundServer, ServeError> {}
    pub fn new(app: Router, drain: Drain) -> Self {}
    pub fn probes_on(self, probes: Router, listener: std::net::TcpListener) -> Self {}
    pub fn tls(self, tls: &Tls) -> Self {}
}
impl fmt::Debug for Server {}

// tool_runtime_http::ServerLimits
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerLimits {
    pub connections: usize,
    pub connections_per_address: Option<usize>,
    pub client_address: ClientAddress,
    pub headers: usize,
    pub header_bytes: usize,
    pub header_timeout: Duration,
    pub request_body_timeout: Duration,
    pub idle_timeout: Duration,
    pub write_timeout: Duration,
    pub read_rate: u32,
    pub unread_bytes: usize,
    pub max_connection_age: Duration,
    pub streams: u32,
    pub resets: usize,
    pub ping: Duration,
    pub handshake_timeout: Duration,
    pub drain_delay: Duration,
    pub shutdown_timeout: Duration,
    pub cancel_timeout: Duration,
}
impl Default for ServerLimits {}

// tool_runtime_http::ShutdownReport
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShutdownReport {
    pub connections: u64,
    pub cancelled: usize,
    pub aborted_connections: usize,
}

// tool_runtime_http::Tls
#[derive(Clone)]
pub struct Tls(_);
impl Tls {
    pub fn files(
        chain: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, ServeError> {}
    pub fn pem(chain: &[u8], key: &[u8]) -> Result<Self, ServeError> {}
    pub async fn reload(&self) -> Result<(), ServeError> {}
    pub fn replace(&self, chain: &[u8], key: &[u8]) -> Result<(), ServeError> {}
}
impl fmt::Debug for Tls {}

// tool_runtime_http::TokenSubject
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenSubject {
    Person,
    Service,
    TrustedService,
}

// tool_runtime_http::UnknownScope
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct UnknownScope {
    ..
}

// tool_runtime_http::Users
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Users {
    None,
    Only(Box<str>),
    OfItsTenants,
}

// tool_runtime_http::router
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {}

// tool_runtime_http::routers
#[must_use]
pub fn routers(runtime: Runtime, config: HttpConfig) -> Routers {}

// tool_runtime_http::shutdown_signal
pub async fn shutdown_signal() {}

