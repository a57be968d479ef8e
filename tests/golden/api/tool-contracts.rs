// tool_contracts::Actor
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Actor {
    ..
}
impl Actor {
    #[must_use]
    pub fn id(&self) -> &str {}
    #[must_use]
    pub const fn kind(&self) -> ActorType {}
    pub fn new(kind: ActorType, id: impl Into<String>) -> Result<Self, ContractError> {}
}
reads! {
    Actor, "an actor"; required kind = "type", nested ActorType; required id = "id", leaf
    wire::FilledText; => Actor::new(kind, id).map_err(| error | A::Error::custom(error
    .listed()))
}

// tool_contracts::ActorType
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum ActorType {
    User,
    Agent,
    System,
}
words!(ActorType { User = "user", Agent = "agent", System = "system" });

// tool_contracts::Allowance
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Allowance {
    ..
}
impl Allowance {
    #[must_use]
    pub fn amount(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> &str {}
    pub fn new(
        name: impl Into<String>,
        amount: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn per(self, period: AllowancePeriod) -> Self {}
    #[must_use]
    pub const fn period(&self) -> AllowancePeriod {}
}
reads! {
    Allowance, "an allowance"; required name = "name", leaf wire::FilledText; required
    amount = "amount", leaf wire::Text; optional period = "period", nested
    AllowancePeriod; => Allowance { name, amount, period : period.unwrap_or_default() }
    .checked().map_err(| error | A::Error::custom(error.listed()))
}

// tool_contracts::AllowancePeriod
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, JsonSchema)]
pub enum AllowancePeriod {
    Lifetime,
    Hour,
    Day,
    Week,
    Month,
}
words!(
    AllowancePeriod { Lifetime = "lifetime", Hour = "hour", Day = "day", Week = "week",
    Month = "month" }
);

// tool_contracts::Attachment
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attachment {
    ..
}
impl Attachment {
    #[must_use]
    pub fn audience(&self) -> &[Audience] {}
    pub fn builder(media_type: impl Into<String>) -> AttachmentBuilder {}
    #[must_use]
    pub fn data(&self) -> Option<&str> {}
    #[must_use]
    pub fn description(&self) -> Option<&str> {}
    #[must_use]
    pub fn id(&self) -> Option<&str> {}
    #[must_use]
    pub fn media_type(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> Option<&str> {}
    #[must_use]
    pub fn sha256(&self) -> Option<&str> {}
    #[must_use]
    pub const fn size(&self) -> Option<u64> {}
    #[must_use]
    pub fn url(&self) -> Option<&str> {}
}
impl fmt::Debug for Attachment {}
reads! {
    Attachment, "an attachment"; required media_type = "media_type", leaf wire::Text;
    optional name = "name", leaf wire::Text; optional description = "description", leaf
    wire::FilledText; optional audience = "audience", nested Vec < Audience >; optional
    size = "size", leaf wire::Whole < u64 >; optional sha256 = "sha256", leaf wire::Text;
    optional data = "data", leaf wire::Text; optional id = "id", leaf wire::Text;
    optional url = "url", leaf wire::Text; => {}
}

// tool_contracts::AttachmentBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct AttachmentBuilder(_);
impl AttachmentBuilder {
    pub fn audience(self, audience: impl IntoIterator<Item = Audience>) -> Self {}
    pub fn build(self) -> Result<Attachment, ContractError> {}
    pub fn data(self, data: impl Into<String>) -> Self {}
    pub fn description(self, description: impl Into<String>) -> Self {}
    pub fn id(self, id: impl Into<String>) -> Self {}
    pub fn name(self, name: impl Into<String>) -> Self {}
    pub fn sha256(self, sha256: impl Into<String>) -> Self {}
    pub fn size(self, size: u64) -> Self {}
    pub fn url(self, url: impl Into<String>) -> Self {}
}

// tool_contracts::Audience
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum Audience {
    Assistant,
    User,
}
words!(Audience { Assistant = "assistant", User = "user" });

// tool_contracts::BudgetUse
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetUse {
    ..
}
impl BudgetUse {
    #[must_use]
    pub fn budget(&self) -> &str {}
    #[must_use]
    pub fn left(&self) -> &str {}
    #[must_use]
    pub fn limit(&self) -> &str {}
    pub fn new(
        budget: impl Into<String>,
        limit: impl Into<String>,
        unit: impl Into<String>,
        taken: impl Into<String>,
        left: impl Into<String>,
        total: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub const fn renews_at(&self) -> Option<DateTime<Utc>> {}
    #[must_use]
    pub fn taken(&self) -> &str {}
    #[must_use]
    pub fn total(&self) -> &str {}
    #[must_use]
    pub fn unit(&self) -> &str {}
    pub fn with_renews_at(self, time: DateTime<Utc>) -> Result<Self, ContractError> {}
}
reads! {
    BudgetUse, "the use of a budget"; required budget = "budget", leaf wire::FilledText;
    required limit = "limit", leaf wire::FilledText; required unit = "unit", leaf
    wire::FilledText; required taken = "taken", leaf wire::Text; required left = "left",
    leaf wire::Text; required total = "total", leaf wire::Text; optional renews_at =
    "renews_at", leaf wire::Instant; => BudgetUse { budget, limit, unit, taken, left,
    total, renews_at } .checked().map_err(wire::refused)
}

// tool_contracts::CallStatus
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum CallStatus {
    Pending,
    Executing,
    Executed,
    Failed,
    Interrupted,
    Rejected,
    Declined,
    NotExecuted,
}
impl CallStatus {
    #[must_use]
    pub const fn has_run(self) -> bool {}
    #[must_use]
    pub const fn is_final(self) -> bool {}
}
words!(
    CallStatus { Pending = "pending", Executing = "executing", Executed = "executed",
    Failed = "failed", Interrupted = "interrupted", Rejected = "rejected", Declined =
    "declined", NotExecuted = "not_executed", }
);

// tool_contracts::Client
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Client {
    ..
}
impl Client {
    #[must_use]
    pub const fn app(&self) -> ClientApp {}
    pub fn new(
        app: ClientApp,
        version: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn version(&self) -> &str {}
}
reads! {
    Client, "a client"; required app = "app", nested ClientApp; required version =
    "version", leaf wire::FilledText; => Ok(Client { app, version })
}

// tool_contracts::ClientApp
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum ClientApp {
    Web,
    Ios,
    Android,
}
words!(ClientApp { Web = "web", Ios = "ios", Android = "android" });

// tool_contracts::Coercion
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coercion {
    ..
}
impl Coercion {
    #[must_use]
    pub fn from(&self) -> &str {}
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        from: impl Into<Cow<'static, str>>,
        to: impl Into<Cow<'static, str>>,
    ) -> Self {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn to(&self) -> &str {}
}
reads! {
    Coercion, "a coercion"; required pointer = "pointer", leaf wire::Text; required from
    = "from", leaf wire::Text; required to = "to", leaf wire::Text; => Ok(Coercion {
    pointer, from : from.into(), to : to.into() })
}

// tool_contracts::ContextForLog
#[derive(Clone)]
pub struct ContextForLog(_);
impl Serialize for ContextForLog {}
impl fmt::Debug for ContextForLog {}

// tool_contracts::ContractError
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ContractError {
    ..
}
impl ContractError {
    #[must_use]
    pub fn problems(&self) -> &[Problem] {}
}

// tool_contracts::Effect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
pub enum Effect {
    Read,
    Write,
    Destructive,
}
impl Effect {
    #[must_use]
    pub const fn default_permission(self) -> Permission {}
}
words!(Effect { Read = "read", Write = "write", Destructive = "destructive" });

// tool_contracts::ErrorCode
error_codes! {
    pub enum ErrorCode { InvalidArgument = "INVALID_ARGUMENT" : Validation, 422,
    "an argument is not valid"; AddressInvalid = "ADDRESS_INVALID" : Validation, 422,
    "the address is not valid"; NotFound = "NOT_FOUND" : Validation, 404,
    "the requested resource does not exist"; Unauthorized = "UNAUTHORIZED" : Fatal, 401,
    "the caller is not authenticated"; Forbidden = "FORBIDDEN" : Fatal, 403,
    "the caller is not permitted to do this"; Conflict = "CONFLICT" : Retryable, 409,
    "the call conflicts with another one; try again later"; Timeout = "TIMEOUT" :
    Timeout, 504, "the tool ran out of time"; UpstreamError = "UPSTREAM_ERROR" :
    Upstream, 502, "a service that the tool depends on failed"; NeedsUserConfirmation =
    "NEEDS_USER_CONFIRMATION" : Fatal, 409, "a person must confirm this call first";
    ComplianceBlocked = "COMPLIANCE_BLOCKED" : Fatal, 403, "a rule forbids this";
    PriceChanged = "PRICE_CHANGED" : Fatal, 409, "the price has changed"; OutOfStock =
    "OUT_OF_STOCK" : Fatal, 409, "the item is out of stock"; RateLimited = "RATE_LIMITED"
    : RateLimit, 429, "too many calls; try again later"; Internal = "INTERNAL" : Fatal,
    500, "the tool failed"; InvalidOutput = "INVALID_OUTPUT" : Validation, 500,
    "the tool's output does not match its output schema; it was not delivered"; Declined
    = "DECLINED" : Fatal, 403, "a person declined this call"; Cancelled = "CANCELLED" :
    Fatal, 409, "the call was cancelled"; Unavailable = "UNAVAILABLE" : Retryable, 503,
    "the tool is not available now; try again later"; }
}
impl ErrorCode {
    #[must_use]
    pub const fn is_before_run(self) -> bool {}
    #[must_use]
    pub const fn relayed(self) -> Self {}
}

// tool_contracts::Evidence
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    ..
}
impl Evidence {
    pub fn new(
        snapshot_id: impl Into<String>,
        sources: Vec<EvidenceSource>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn snapshot_id(&self) -> &str {}
    #[must_use]
    pub fn sources(&self) -> &[EvidenceSource] {}
}
reads! {
    Evidence, "evidence"; required snapshot_id = "snapshot_id", leaf wire::FilledText;
    required sources = "sources", nested Vec < EvidenceSource >; => Ok(Evidence {
    snapshot_id, sources })
}

// tool_contracts::EvidenceSource
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceSource {
    ..
}
impl EvidenceSource {
    #[must_use]
    pub fn hash(&self) -> &str {}
    #[must_use]
    pub fn kind(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> &str {}
    pub fn new(
        kind: impl Into<String>,
        name: impl Into<String>,
        hash: impl Into<String>,
        timestamp: DateTime<Utc>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {}
}
reads! {
    EvidenceSource, "a source of evidence"; required kind = "type", leaf
    wire::FilledText; required name = "name", leaf wire::FilledText; required hash =
    "hash", leaf wire::FilledText; required timestamp = "ts", leaf wire::Instant; =>
    Ok(EvidenceSource { kind, name, hash, timestamp })
}

// tool_contracts::Permission
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
pub enum Permission {
    Allow,
    Ask,
    Deny,
}
words!(Permission { Allow = "allow", Ask = "ask", Deny = "deny" });

// tool_contracts::Problem
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    ..
}
impl Problem {
    #[must_use]
    pub fn field(&self) -> &str {}
    #[must_use]
    pub fn message(&self) -> &str {}
}
impl fmt::Display for Problem {}

// tool_contracts::ToolAnnotations
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct ToolAnnotations {
    ..
}
impl ToolAnnotations {
    #[must_use]
    pub const fn idempotent(self) -> bool {}
    #[must_use]
    pub fn new() -> Self {}
    #[must_use]
    pub const fn open_world(self) -> bool {}
    #[must_use]
    pub fn with_idempotent(self, idempotent: bool) -> Self {}
    #[must_use]
    pub fn with_open_world(self, open_world: bool) -> Self {}
}
reads! {
    ToolAnnotations, "a tool's annotations"; optional idempotent = "idempotent", leaf
    wire::Flag; optional open_world = "open_world", leaf wire::Flag; =>
    Ok(ToolAnnotations { idempotent : idempotent.unwrap_or_default(), open_world :
    open_world.unwrap_or_default(), })
}

// tool_contracts::ToolCallRequest
#[derive(Clone, Serialize, JsonSchema)]
pub struct ToolCallRequest {
    ..
}
impl ToolCallRequest {
    #[must_use]
    pub fn arguments(&self) -> &RawValue {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub fn into_arguments(self) -> Box<RawValue> {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: Box<RawValue>,
    ) -> Self {}
}
impl Eq for ToolCallRequest {}
impl PartialEq for ToolCallRequest {}
impl TryFrom<ToolRequest> for ToolCallRequest {
    type Error = ContractError;
}
impl fmt::Debug for ToolCallRequest {}
reads! {
    ToolCallRequest, "a tool call request"; required call_id = "call_id", leaf
    wire::Text; required name = "name", leaf wire::Text; required arguments =
    "arguments", raw Box < RawValue >; => Ok(ToolCallRequest { call_id, name, arguments
    })
}

// tool_contracts::ToolContext
#[derive(Clone)]
pub struct ToolContext {
    ..
}
impl ToolContext {
    #[must_use]
    pub fn actor(&self) -> Option<&Actor> {}
    #[must_use]
    pub fn allowances(&self) -> &[Allowance] {}
    #[must_use]
    pub fn attributes(&self) -> &BTreeMap<String, String> {}
    #[must_use]
    pub fn auth(&self) -> Option<&Map<String, Value>> {}
    #[must_use]
    pub fn budget_tokens(&self) -> Option<u64> {}
    pub fn builder(tenant_id: Uuid, trace_id: impl Into<String>) -> ToolContextBuilder {}
    #[must_use]
    pub fn client(&self) -> Option<&Client> {}
    #[must_use]
    pub fn dry_run(&self) -> bool {}
    #[must_use]
    pub fn for_log(&self) -> ContextForLog {}
    #[must_use]
    pub const fn invocation_id(&self) -> Uuid {}
    #[must_use]
    pub fn local() -> Self {}
    #[must_use]
    pub fn now_iso(&self) -> DateTime<Utc> {}
    #[must_use]
    pub fn tenant_id(&self) -> Uuid {}
    #[must_use]
    pub fn timeouts_ms(&self) -> Option<u64> {}
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {}
    #[must_use]
    pub fn trace_context(&self) -> TraceContext {}
    #[must_use]
    pub fn trace_id(&self) -> &str {}
    pub fn with_allowance(&self, allowance: Allowance) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn with_auth(&self, auth: Option<Map<String, Value>>) -> Self {}
    #[must_use]
    pub fn with_authority_of(&self, other: &Self) -> Self {}
    #[must_use]
    pub fn with_dry_run(&self, dry_run: bool) -> Self {}
    pub fn with_idempotency_key(
        &self,
        key: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn with_invocation_id(&self, invocation_id: Uuid) -> Self {}
    #[must_use]
    pub fn with_timeouts_ms(&self, timeouts_ms: u64) -> Self {}
}
impl Eq for ToolContext {}
impl JsonSchema for ToolContext {}
impl PartialEq for ToolContext {}
impl Serialize for ToolContext {}
impl fmt::Debug for ToolContext {}
reads! {
    ToolContext, "a tool context"; required tenant_id = "tenant_id", leaf wire::Id;
    optional request_id = "request_id", leaf wire::FilledText; required trace_id =
    "trace_id", leaf wire::FilledText; optional run_id = "run_id", leaf wire::FilledText;
    optional ingestion_run_id = "ingestion_run_id", leaf wire::FilledText; optional
    workflow_id = "workflow_id", leaf wire::FilledText; required invocation_id =
    "invocation_id", leaf wire::Id; required now_iso = "now_iso", leaf wire::Instant;
    optional collection_id = "collection_id", leaf wire::FilledText; optional document_id
    = "document_id", leaf wire::FilledText; optional document_version_id =
    "document_version_id", leaf wire::FilledText; optional case_id = "case_id", leaf
    wire::FilledText; optional idempotency_key = "idempotency_key", leaf
    wire::FilledText; optional locale = "locale", leaf wire::FilledText; optional
    timeouts_ms = "timeouts_ms", leaf wire::Whole < u64 >; optional budget_tokens =
    "budget_tokens", leaf wire::Whole < u64 >; optional safety_mode = "safety_mode", leaf
    wire::FilledText; optional auth = "auth", leaf wire::Object; optional actor =
    "actor", nested Actor; optional user_id = "user_id", leaf wire::FilledText; optional
    session_id = "session_id", leaf wire::FilledText; optional tenant_slug =
    "tenant_slug", leaf wire::FilledText; optional site_id = "site_id", leaf
    wire::FilledText; optional currency = "currency", leaf wire::FilledText; optional
    timezone = "timezone", leaf wire::FilledText; optional attributes = "attributes",
    leaf wire::Labels; optional allowances = "allowances", nested Vec < Allowance >;
    optional client = "client", nested Client; optional dry_run = "dry_run", leaf
    wire::Flag; optional trace = "trace", nested Trace; => {}
}
text_getters! {
    ToolContext, | cx | cx.shared; run_id; ingestion_run_id; workflow_id; collection_id;
    document_id; document_version_id; case_id; idempotency_key; locale; safety_mode;
    request_id; user_id; session_id; tenant_slug; site_id; currency; timezone;
}

// tool_contracts::ToolContextBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolContextBuilder {
    ..
}
impl ToolContextBuilder {
    pub fn actor(self, actor: Actor) -> Self {}
    pub fn allowance(self, allowance: Allowance) -> Self {}
    pub fn attribute(self, name: impl Into<String>, value: impl Into<String>) -> Self {}
    pub fn attributes(self, attributes: BTreeMap<String, String>) -> Self {}
    pub fn auth(self, auth: Map<String, Value>) -> Self {}
    pub fn budget_tokens(self, budget_tokens: u64) -> Self {}
    pub fn build(self) -> Result<ToolContext, ContractError> {}
    pub fn client(self, client: Client) -> Self {}
    pub fn dry_run(self, dry_run: bool) -> Self {}
    pub fn invocation_id(self, invocation_id: Uuid) -> Self {}
    pub fn new_ingestion_run_id(self) -> Self {}
    pub fn new_run_id(self) -> Self {}
    pub fn now_iso<Tz: TimeZone>(self, now: DateTime<Tz>) -> Self {}
    pub fn parent_trace(self, received: &TraceContext) -> Self {}
    pub fn timeouts_ms(self, timeouts_ms: u64) -> Self {}
    pub fn trace(self, trace: Trace) -> Self {}
    pub fn trace_context(self, received: &TraceContext) -> Self {}
}
text_setters! {
    ToolContextBuilder, | builder | builder.fields; run_id; ingestion_run_id;
    workflow_id; collection_id; document_id; document_version_id; case_id;
    idempotency_key; locale; safety_mode; request_id; user_id; session_id; tenant_slug;
    site_id; currency; timezone;
}

// tool_contracts::ToolError
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolError<I> {
    ..
}
impl<I> ToolError<I> {
    #[must_use]
    pub const fn error(&self) -> &ToolErrorDetail {}
    #[must_use]
    pub const fn input(&self) -> &I {}
    #[must_use]
    pub fn into_parts(self) -> (I, ToolErrorDetail, ToolErrorMeta) {}
    #[must_use]
    pub const fn meta(&self) -> &ToolErrorMeta {}
    #[must_use]
    pub const fn new(input: I, error: ToolErrorDetail, meta: ToolErrorMeta) -> Self {}
}
impl<'de, I: Deserialize<'de>> Deserialize<'de> for ToolError<I> {}

// tool_contracts::ToolErrorDetail
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolErrorDetail {
    ..
}
impl ToolErrorDetail {
    #[must_use]
    pub const fn attempt(&self) -> Option<u32> {}
    pub fn builder(
        error_type: ToolErrorType,
        message: impl Into<String>,
    ) -> ToolErrorDetailBuilder {}
    #[must_use]
    pub fn cause(&self) -> Option<&str> {}
    #[must_use]
    pub fn code(&self) -> Option<&str> {}
    #[must_use]
    pub const fn details(&self) -> Option<&Map<String, Value>> {}
    #[must_use]
    pub fn endpoint(&self) -> Option<&str> {}
    #[must_use]
    pub fn error_code(&self) -> Option<ErrorCode> {}
    #[must_use]
    pub const fn error_type(&self) -> ToolErrorType {}
    pub fn from_code(
        code: ErrorCode,
        message: impl Into<String>,
    ) -> ToolErrorDetailBuilder {}
    pub fn into_builder(self) -> ToolErrorDetailBuilder {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {}
    #[must_use]
    pub const fn upstream_status(&self) -> Option<u16> {}
}
impl From<ResponseError> for ToolErrorDetail {}
reads! {
    ToolErrorDetail, "an error's detail"; required error_type = "type", nested
    ToolErrorType; required message = "message", leaf wire::Text; optional code = "code",
    leaf wire::FilledText; optional cause = "cause", leaf wire::Text; optional details =
    "details", leaf wire::Object; optional retry_after_ms = "retry_after_ms", leaf
    wire::Whole < u64 >; optional upstream_status = "upstream_status", leaf wire::Whole <
    u16 >; optional endpoint = "endpoint", leaf wire::Text; optional attempt = "attempt",
    leaf wire::Whole < u32 >; => {}
}

// tool_contracts::ToolErrorDetailBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolErrorDetailBuilder(_);
impl ToolErrorDetailBuilder {
    pub fn attempt(self, attempt: u32) -> Self {}
    #[must_use]
    pub fn build(self) -> ToolErrorDetail {}
    pub fn cause(self, cause: impl Into<Cow<'static, str>>) -> Self {}
    pub fn code(self, code: impl Into<Cow<'static, str>>) -> Self {}
    pub fn detail(self, name: impl Into<String>, fact: impl Into<Value>) -> Self {}
    pub fn details(self, details: Map<String, Value>) -> Self {}
    pub fn endpoint(self, endpoint: impl Into<Cow<'static, str>>) -> Self {}
    pub fn message(self, message: impl Into<String>) -> Self {}
    pub fn retry_after_ms(self, retry_after_ms: u64) -> Self {}
    pub fn upstream_status(self, status: u16) -> Self {}
    pub fn without_cause(self) -> Self {}
}

// tool_contracts::ToolErrorMeta
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolErrorMeta {
    ..
}
impl ToolErrorMeta {
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {}
    #[must_use]
    pub const fn dry_run(&self) -> bool {}
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {}
    #[must_use]
    pub fn new(took_ms: u64) -> Self {}
    #[must_use]
    pub const fn replayed(&self) -> bool {}
    #[must_use]
    pub const fn took_ms(&self) -> u64 {}
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {}
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {}
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {}
    #[must_use]
    pub fn with_dry_run(self, dry_run: bool) -> Self {}
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {}
    #[must_use]
    pub fn with_replayed(self, replayed: bool) -> Self {}
    #[must_use]
    pub fn with_ttl_seconds(self, ttl_seconds: u64) -> Self {}
    #[must_use]
    pub fn with_warnings(self, warnings: impl IntoIterator<Item = Warning>) -> Self {}
}
reads! {
    ToolErrorMeta, "the meta of an error"; required took_ms = "took_ms", leaf wire::Whole
    < u64 >; optional attempts = "attempts", leaf wire::Whole < u32 >; optional replayed
    = "replayed", leaf wire::Flag; optional dry_run = "dry_run", leaf wire::Flag;
    optional warnings = "warnings", leaf wire::Texts; optional ttl_seconds =
    "ttl_seconds", leaf wire::Whole < u64 >; optional evidence = "evidence", nested
    Evidence; => Ok(ToolErrorMeta { took_ms, attempts, replayed : replayed
    .unwrap_or_default(), dry_run : dry_run.unwrap_or_default(), warnings : warnings
    .unwrap_or_default(), ttl_seconds, evidence, })
}

// tool_contracts::ToolErrorType
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum ToolErrorType {
    RateLimit,
    Timeout,
    Upstream,
    Validation,
    Retryable,
    Fatal,
}
impl ToolErrorType {
    #[must_use]
    pub const fn http_status(self) -> u16 {}
    #[must_use]
    pub const fn is_transient(self) -> bool {}
}
words!(
    ToolErrorType { RateLimit = "RATE_LIMIT", Timeout = "TIMEOUT", Upstream = "UPSTREAM",
    Validation = "VALIDATION", Retryable = "RETRYABLE", Fatal = "FATAL", }
);

// tool_contracts::ToolOutput
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum ToolOutput<I = Box<RawValue>, O = Box<RawValue>> {
    Ok(ToolResult<I, O>),
    Error(ToolError<I>),
}
impl<I, O> ToolOutput<I, O> {
    pub const fn as_result(&self) -> Result<&ToolResult<I, O>, &ToolError<I>> {}
    #[must_use]
    pub const fn data(&self) -> Option<&O> {}
    #[must_use]
    pub const fn error(&self) -> Option<&ToolErrorDetail> {}
    #[must_use]
    pub const fn input(&self) -> &I {}
    pub fn into_result(self) -> Result<ToolResult<I, O>, ToolError<I>> {}
    #[must_use]
    pub const fn is_ok(&self) -> bool {}
    #[must_use]
    pub const fn status(&self) -> &'static str {}
    #[must_use]
    pub const fn took_ms(&self) -> u64 {}
}
impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Deserialize<'de>
for ToolOutput<I, O> {}
impl<I, O> From<ToolError<I>> for ToolOutput<I, O> {}
impl<I, O> From<ToolResult<I, O>> for ToolOutput<I, O> {}
impl<I: JsonSchema, O: JsonSchema> JsonSchema for ToolOutput<I, O> {}
impl TryFrom<ActResult> for ToolOutput<Value, Box<RawValue>> {
    type Error = ContractError;
}

// tool_contracts::ToolResult
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolResult<I, O> {
    ..
}
impl<I, O> ToolResult<I, O> {
    #[must_use]
    pub const fn data(&self) -> &O {}
    #[must_use]
    pub const fn input(&self) -> &I {}
    #[must_use]
    pub fn into_parts(self) -> (I, O, ToolResultMeta) {}
    #[must_use]
    pub const fn meta(&self) -> &ToolResultMeta {}
    #[must_use]
    pub const fn new(input: I, data: O, meta: ToolResultMeta) -> Self {}
}
impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Deserialize<'de>
for ToolResult<I, O> {}

// tool_contracts::ToolResultMeta
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolResultMeta {
    ..
}
impl ToolResultMeta {
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {}
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {}
    #[must_use]
    pub fn budget(&self) -> &[BudgetUse] {}
    #[must_use]
    pub const fn cache_hit(&self) -> Option<bool> {}
    #[must_use]
    pub fn coercions(&self) -> &[Coercion] {}
    #[must_use]
    pub const fn dry_run(&self) -> bool {}
    #[must_use]
    pub fn edits(&self) -> &[String] {}
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {}
    #[must_use]
    pub fn new(took_ms: u64) -> Self {}
    #[must_use]
    pub const fn replayed(&self) -> bool {}
    #[must_use]
    pub const fn routing(&self) -> Option<&Map<String, Value>> {}
    #[must_use]
    pub const fn source_counts(&self) -> Option<&BTreeMap<String, u64>> {}
    #[must_use]
    pub const fn token_usage(&self) -> Option<&BTreeMap<String, u64>> {}
    #[must_use]
    pub const fn took_ms(&self) -> u64 {}
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {}
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {}
    #[must_use]
    pub fn with_attachments(
        self,
        attachments: impl IntoIterator<Item = Attachment>,
    ) -> Self {}
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {}
    #[must_use]
    pub fn with_budget(self, budget: impl IntoIterator<Item = BudgetUse>) -> Self {}
    #[must_use]
    pub fn with_cache_hit(self, cache_hit: bool) -> Self {}
    #[must_use]
    pub fn with_coercions(self, coercions: impl IntoIterator<Item = Coercion>) -> Self {}
    #[must_use]
    pub fn with_dry_run(self, dry_run: bool) -> Self {}
    #[must_use]
    pub fn with_edits(self, edits: impl IntoIterator<Item = String>) -> Self {}
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {}
    #[must_use]
    pub fn with_replayed(self, replayed: bool) -> Self {}
    #[must_use]
    pub fn with_routing(self, routing: Map<String, Value>) -> Self {}
    #[must_use]
    pub fn with_source_counts(self, counts: BTreeMap<String, u64>) -> Self {}
    #[must_use]
    pub fn with_token_usage(self, usage: BTreeMap<String, u64>) -> Self {}
    #[must_use]
    pub fn with_took_ms(self, took_ms: u64) -> Self {}
    #[must_use]
    pub fn with_ttl_seconds(self, ttl_seconds: u64) -> Self {}
    #[must_use]
    pub fn with_warnings(self, warnings: impl IntoIterator<Item = Warning>) -> Self {}
}
reads! {
    ToolResultMeta, "the meta of a result"; required took_ms = "took_ms", leaf
    wire::Whole < u64 >; optional source_counts = "source_counts", leaf wire::Counts;
    optional routing = "routing", leaf wire::Object; optional cache_hit = "cache_hit",
    leaf wire::Flag; optional token_usage = "token_usage", leaf wire::Counts; optional
    warnings = "warnings", leaf wire::Texts; optional coercions = "coercions", nested Vec
    < Coercion >; optional ttl_seconds = "ttl_seconds", leaf wire::Whole < u64 >;
    optional evidence = "evidence", nested Evidence; optional replayed = "replayed", leaf
    wire::Flag; optional attempts = "attempts", leaf wire::Whole < u32 >; optional
    dry_run = "dry_run", leaf wire::Flag; optional edits = "edits", leaf wire::Texts;
    optional budget = "budget", nested Vec < BudgetUse >; optional attachments =
    "attachments", nested Vec < Attachment >; => Ok(ToolResultMeta { took_ms,
    source_counts, routing, cache_hit, token_usage, warnings : warnings
    .unwrap_or_default(), coercions : coercions.unwrap_or_default(), ttl_seconds,
    evidence, replayed : replayed.unwrap_or_default(), attempts, dry_run : dry_run
    .unwrap_or_default(), edits : edits.unwrap_or_default(), budget : budget
    .unwrap_or_default(), attachments : attachments.unwrap_or_default(), })
}

// tool_contracts::ToolSpec
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolSpec {
    ..
}
impl ToolSpec {
    #[must_use]
    pub const fn ai_callable(&self) -> bool {}
    #[must_use]
    pub const fn annotations(&self) -> ToolAnnotations {}
    pub fn builder(name: impl Into<String>, effect: Effect) -> ToolSpecBuilder {}
    #[must_use]
    pub fn category(&self) -> Option<&str> {}
    #[must_use]
    pub fn description(&self) -> &str {}
    #[must_use]
    pub const fn effect(&self) -> Effect {}
    #[must_use]
    pub fn input_examples(&self) -> &[Map<String, Value>] {}
    #[must_use]
    pub const fn input_schema(&self) -> &Map<String, Value> {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Map<String, Value>> {}
    #[must_use]
    pub const fn permission(&self) -> Permission {}
    #[must_use]
    pub const fn requires_auth(&self) -> bool {}
    #[must_use]
    pub const fn timeout_ms(&self) -> Option<u64> {}
    #[must_use]
    pub fn title(&self) -> Option<&str> {}
    #[must_use]
    pub const fn toolkit(&self) -> Option<&ToolkitSpec> {}
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {}
    #[must_use]
    pub fn version(&self) -> &str {}
}
reads! {
    ToolSpec, "a tool's description"; required name = "name", leaf wire::Text; optional
    title = "title", leaf wire::Text; required version = "version", leaf wire::Text;
    required description = "description", leaf wire::Text; optional category =
    "category", leaf wire::Text; optional toolkit = "toolkit", nested ToolkitSpec;
    required effect = "effect", nested Effect; required annotations = "annotations",
    nested ToolAnnotations; required permission = "permission", nested Permission;
    required input_schema = "input_schema", leaf wire::Object; optional input_examples =
    "input_examples", leaf wire::Objects; optional output_schema = "output_schema", leaf
    wire::Object; optional ttl_seconds = "ttl_seconds", leaf wire::Whole < u64 >;
    optional timeout_ms = "timeout_ms", leaf wire::Whole < u64 >; optional requires_auth
    = "requires_auth", leaf wire::Flag; optional ai_callable = "ai_callable", leaf
    wire::Flag; => {}
}

// tool_contracts::ToolSpecBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolSpecBuilder {
    ..
}
impl ToolSpecBuilder {
    pub fn ai_callable(self, ai_callable: bool) -> Self {}
    pub fn annotations(self, annotations: ToolAnnotations) -> Self {}
    pub fn build(self) -> Result<ToolSpec, ContractError> {}
    pub fn category(self, category: impl Into<String>) -> Self {}
    pub fn description(self, description: impl Into<String>) -> Self {}
    pub fn input_example(self, example: Value) -> Self {}
    pub fn input_schema(self, schema: Value) -> Self {}
    pub fn output_schema(self, schema: Value) -> Self {}
    pub fn permission(self, permission: Permission) -> Self {}
    pub fn requires_auth(self, requires_auth: bool) -> Self {}
    pub fn timeout_ms(self, timeout_ms: u64) -> Self {}
    pub fn title(self, title: impl Into<String>) -> Self {}
    pub fn toolkit(self, toolkit: ToolkitSpec) -> Self {}
    pub fn ttl_seconds(self, ttl_seconds: u64) -> Self {}
    pub fn version(self, version: impl Into<String>) -> Self {}
}

// tool_contracts::ToolkitSpec
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolkitSpec {
    ..
}
impl ToolkitSpec {
    #[must_use]
    pub fn description(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> &str {}
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<Self, ContractError> {}
}
reads! {
    ToolkitSpec, "a toolkit's description"; required name = "name", leaf wire::Text;
    required description = "description", leaf wire::Text; => {}
}

// tool_contracts::Trace
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trace {
    ..
}
impl Trace {
    #[must_use]
    pub const fn flags(&self) -> Option<TraceFlags> {}
    pub fn new(span_id: impl Into<String>) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn parent_span_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn span_id(&self) -> &str {}
    #[must_use]
    pub const fn state(&self) -> Option<&TraceState> {}
    #[must_use]
    pub const fn trace_id(&self) -> Option<TraceId> {}
    #[must_use]
    pub fn with_flags(self, flags: TraceFlags) -> Self {}
    pub fn with_parent_span_id(
        self,
        span_id: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn with_state(self, state: TraceState) -> Self {}
    #[must_use]
    pub fn with_trace_id(self, trace_id: TraceId) -> Self {}
}
reads! {
    Trace, "a place in a trace"; required span_id = "span_id", leaf wire::FilledText;
    optional parent_span_id = "parent_span_id", leaf wire::FilledText; optional trace_id
    = "trace_id", leaf wire::FilledText; optional flags = "flags", leaf wire::FilledText;
    optional state = "state", leaf wire::FilledText; => Ok(Trace { span_id,
    parent_span_id, trace_id : trace_id.map(| text | text.parse().map_err(| _ |
    A::Error::custom(NO_TRACE_ID))).transpose() ?, flags : flags.map(| text | text
    .parse().map_err(| _ | A::Error::custom(NO_FLAGS))).transpose() ?, state : state
    .map(| text | state_of(& text).ok_or_else(|| A::Error::custom(NO_STATE))).transpose()
    ?, })
}

// tool_contracts::Violation
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    ..
}
impl Violation {
    #[must_use]
    pub fn expected(&self) -> &str {}
    #[must_use]
    pub fn hint(&self) -> Option<&str> {}
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        rule: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        received: impl Into<Cow<'static, str>>,
    ) -> Self {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn received(&self) -> &str {}
    #[must_use]
    pub fn rule(&self) -> &str {}
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Self {}
}
impl fmt::Display for Violation {}
reads! {
    Violation, "a violation"; required pointer = "pointer", leaf wire::Text; required
    rule = "rule", leaf wire::Text; required expected = "expected", leaf wire::Text;
    required received = "received", leaf wire::Text; optional hint = "hint", leaf
    wire::Text; => Ok(Violation { pointer, rule : rule.into(), expected : expected
    .into(), received : received.into(), hint : hint.map(Into::into), })
}

// tool_contracts::Warning
pub type Warning = String;

// tool_contracts::act::ActResult
#[derive(Clone, Serialize, JsonSchema)]
pub struct ActResult {
    ..
}
impl ActResult {
    #[must_use]
    pub fn data(&self) -> &RawValue {}
    #[must_use]
    pub fn error(&self) -> Option<&str> {}
    #[must_use]
    pub const fn execution_time_ms(&self) -> f64 {}
    pub fn failed(
        tool_id: impl Into<String>,
        error: impl Into<String>,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {}
    pub fn from_output<I>(
        tool_id: impl Into<String>,
        output: &ToolOutput<I, Box<RawValue>>,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {}
    #[must_use]
    pub const fn metadata(&self) -> &Map<String, Value> {}
    #[must_use]
    pub const fn retry_count(&self) -> u32 {}
    pub fn succeeded(
        tool_id: impl Into<String>,
        data: impl Serialize,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {}
    #[must_use]
    pub const fn success(&self) -> bool {}
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {}
    #[must_use]
    pub fn to_text(&self) -> String {}
    #[must_use]
    pub const fn token_estimate(&self) -> u64 {}
    #[must_use]
    pub fn tool_id(&self) -> &str {}
}
impl PartialEq for ActResult {}
impl fmt::Debug for ActResult {}
reads! {
    ActResult, "the result of a tool"; required tool_id = "tool_id", leaf wire::Text;
    required success = "success", leaf wire::Flag; required data = "data", raw Box <
    RawValue >; optional error = "error", leaf wire::Text; required execution_time_ms =
    "execution_time_ms", leaf wire::Finite; required timestamp = "timestamp", leaf
    wire::Instant; required token_estimate = "token_estimate", leaf wire::Whole < u64 >;
    optional retry_count = "retry_count", leaf wire::Whole < u32 >; optional metadata =
    "metadata", leaf wire::Object; => {}
}

// tool_contracts::act::ActResultBuilder
#[derive(Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ActResultBuilder {
    ..
}
impl ActResultBuilder {
    pub fn build(self) -> Result<ActResult, ContractError> {}
    pub fn execution_time_ms(self, milliseconds: f64) -> Self {}
    pub fn metadata(self, name: impl Into<String>, value: impl Into<Value>) -> Self {}
    pub fn retry_count(self, retries: u32) -> Self {}
    pub fn token_estimate(self, tokens: u64) -> Self {}
}
impl fmt::Debug for ActResultBuilder {}

// tool_contracts::act::RetryConfig
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RetryConfig {
    ..
}
impl RetryConfig {
    #[must_use]
    pub const fn backoff_multiplier(&self) -> f64 {}
    #[must_use]
    pub const fn initial_delay_ms(&self) -> u64 {}
    #[must_use]
    pub const fn max_attempts(&self) -> u32 {}
    pub fn new(
        max_attempts: u32,
        backoff_multiplier: f64,
        initial_delay_ms: u64,
    ) -> Result<Self, ContractError> {}
}
impl Default for RetryConfig {}
reads! {
    RetryConfig, "the settings of retries"; optional max_attempts = "max_attempts", leaf
    wire::Whole < wire::MaxAttempts >; optional backoff_multiplier =
    "backoff_multiplier", leaf wire::Finite; optional initial_delay_ms =
    "initial_delay_ms", leaf wire::Whole < wire::DelayMilliseconds >; => {}
}

// tool_contracts::act::ToolRequest
#[derive(Clone, Serialize, JsonSchema)]
pub struct ToolRequest {
    ..
}
impl ToolRequest {
    pub fn builder(
        tool_id: impl Into<String>,
        tool_type: ToolType,
        function_name: impl Into<String>,
    ) -> ToolRequestBuilder {}
    #[must_use]
    pub fn function_name(&self) -> &str {}
    #[must_use]
    pub fn parameters(&self) -> &RawValue {}
    #[must_use]
    pub const fn retry_config(&self) -> Option<&RetryConfig> {}
    #[must_use]
    pub const fn timeout_seconds(&self) -> u32 {}
    #[must_use]
    pub fn tool_id(&self) -> &str {}
    #[must_use]
    pub const fn tool_type(&self) -> ToolType {}
}
impl PartialEq for ToolRequest {}
impl fmt::Debug for ToolRequest {}
reads! {
    ToolRequest, "a request to run a tool"; required tool_id = "tool_id", leaf
    wire::Text; required tool_type = "tool_type", nested ToolType; required function_name
    = "function_name", leaf wire::Text; optional parameters = "parameters", raw Box <
    RawValue >; optional timeout_seconds = "timeout_seconds", leaf wire::Whole <
    wire::TimeoutSeconds >; optional retry_config = "retry_config", nested RetryConfig;
    => {}
}

// tool_contracts::act::ToolRequestBuilder
#[derive(Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolRequestBuilder {
    ..
}
impl ToolRequestBuilder {
    pub fn build(self) -> Result<ToolRequest, ContractError> {}
    pub fn parameters(self, parameters: impl Serialize) -> Self {}
    pub fn retry_config(self, config: RetryConfig) -> Self {}
    pub fn timeout_seconds(self, seconds: u32) -> Self {}
}
impl fmt::Debug for ToolRequestBuilder {}

// tool_contracts::act::ToolType
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum ToolType {
    DatabaseQuery,
    ApiCall,
    RagRetrieval,
    FileOperation,
    PythonFunction,
}
words!(
    ToolType { DatabaseQuery = "database_query", ApiCall = "api_call", RagRetrieval =
    "rag_retrieval", FileOperation = "file_operation", PythonFunction =
    "python_function", }
);

// tool_contracts::articulate::OutputSerializer
pub trait OutputSerializer {
    fn serialize<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializedOutput, SerializationError>;
    fn deserialize<T: DeserializeOwned>(
        &self,
        text: &str,
        format: SerializationFormat,
    ) -> Result<T, SerializationError>;
    fn negotiate_format<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializationFormat, SerializationError>;
}

// tool_contracts::articulate::SchemaComplexity
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum SchemaComplexity {
    Simple,
    Tabular,
    Nested,
    Complex,
}
words!(
    SchemaComplexity { Simple = "simple", Tabular = "tabular", Nested = "nested", Complex
    = "complex", }
);

// tool_contracts::articulate::SerializationError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerializationError {
    ..
}
impl SerializationError {
    #[must_use]
    pub fn at(self, line: u64, column: u64) -> Self {}
    #[must_use]
    pub fn column(&self) -> Option<u64> {}
    #[must_use]
    pub fn line(&self) -> Option<u64> {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {}
}
impl fmt::Display for SerializationError {}
impl std::error::Error for SerializationError {}

// tool_contracts::articulate::SerializationFormat
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum SerializationFormat {
    Toon,
    CompactJson,
}
impl SerializationFormat {
    #[must_use]
    pub const fn is_json(self) -> bool {}
    #[must_use]
    pub const fn model_note(self) -> Option<&'static str> {}
}
words!(SerializationFormat { Toon = "toon", CompactJson = "compact_json" });

// tool_contracts::articulate::SerializationMetadata
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SerializationMetadata {
    ..
}
impl SerializationMetadata {
    #[must_use]
    pub const fn compact_json_tokens(&self) -> u64 {}
    #[must_use]
    pub fn fallback(&self) -> Option<&str> {}
    pub fn new(
        token_method: impl Into<String>,
        compact_json_tokens: u64,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub const fn table_share(&self) -> Option<f64> {}
    #[must_use]
    pub fn token_method(&self) -> &str {}
    #[must_use]
    pub fn with_fallback(self, reason: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_table_share(self, share: f64) -> Self {}
}
reads! {
    SerializationMetadata, "the metadata of serialized data"; required token_method =
    "token_method", leaf wire::FilledText; required compact_json_tokens =
    "compact_json_tokens", leaf wire::Whole < u64 >; optional table_share =
    "table_share", leaf wire::Share; optional fallback = "fallback", leaf
    wire::FilledText; => Ok(SerializationMetadata { token_method, compact_json_tokens,
    table_share, fallback })
}

// tool_contracts::articulate::SerializationRequest
#[derive(Clone, PartialEq, Serialize)]
pub struct SerializationRequest<T = Value> {
    ..
}
impl<T> SerializationRequest<T> {
    #[must_use]
    pub const fn data(&self) -> &T {}
    #[must_use]
    pub fn for_model(data: T) -> Self
    where
        T: JsonSchema,
    {}
    #[must_use]
    pub const fn force_format(&self) -> Option<SerializationFormat> {}
    #[must_use]
    pub const fn include_length_markers(&self) -> bool {}
    #[must_use]
    pub fn into_data(self) -> T {}
    #[must_use]
    pub const fn new(data: T) -> Self {}
    #[must_use]
    pub const fn schema(&self) -> Option<&Schema> {}
    #[must_use]
    pub const fn validate_output(&self) -> bool {}
    #[must_use]
    pub fn with_format(self, format: SerializationFormat) -> Self {}
    #[must_use]
    pub fn with_length_markers(self, include_length_markers: bool) -> Self {}
    #[must_use]
    pub fn with_schema(self, schema: Schema) -> Self {}
    #[must_use]
    pub fn with_validation(self, validate_output: bool) -> Self {}
}
impl<T> JsonSchema for SerializationRequest<T> {}
impl<T> fmt::Debug for SerializationRequest<T> {}
reads! {
    SerializationRequest < T >, "a request to serialize data"; required data = "data",
    raw T; optional force_format = "force_format", nested SerializationFormat; optional
    include_length_markers = "include_length_markers", leaf wire::Flag; optional
    validate_output = "validate_output", leaf wire::Flag; => {}
}

// tool_contracts::articulate::SerializedOutput
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct SerializedOutput {
    ..
}
impl SerializedOutput {
    pub fn builder(
        text: impl Into<String>,
        format: SerializationFormat,
    ) -> SerializedOutputBuilder {}
    #[must_use]
    pub const fn format_used(&self) -> SerializationFormat {}
    #[must_use]
    pub fn into_text(self) -> String {}
    #[must_use]
    pub const fn is_valid(&self) -> bool {}
    #[must_use]
    pub const fn metadata(&self) -> Option<&SerializationMetadata> {}
    #[must_use]
    pub const fn optimized_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn original_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn savings_ratio(&self) -> f64 {}
    #[must_use]
    pub const fn schema_complexity(&self) -> SchemaComplexity {}
    #[must_use]
    pub const fn serialization_time_ms(&self) -> f64 {}
    #[must_use]
    pub fn serialized_text(&self) -> &str {}
}
impl fmt::Debug for SerializedOutput {}
reads! {
    SerializedOutput, "serialized data"; required serialized_text = "serialized_text",
    leaf wire::Text; required format_used = "format_used", nested SerializationFormat;
    required original_tokens = "original_tokens", leaf wire::Whole < u64 >; required
    optimized_tokens = "optimized_tokens", leaf wire::Whole < u64 >; required
    savings_ratio = "savings_ratio", leaf wire::Finite; required is_valid = "is_valid",
    leaf wire::Flag; required serialization_time_ms = "serialization_time_ms", leaf
    wire::Finite; required schema_complexity = "schema_complexity", nested
    SchemaComplexity; optional metadata = "metadata", nested SerializationMetadata; => {}
}

// tool_contracts::articulate::SerializedOutputBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct SerializedOutputBuilder(_);
impl SerializedOutputBuilder {
    pub fn build(self) -> Result<SerializedOutput, ContractError> {}
    pub const fn complexity(self, complexity: SchemaComplexity) -> Self {}
    pub fn metadata(self, metadata: SerializationMetadata) -> Self {}
    pub const fn time_ms(self, time: f64) -> Self {}
    pub const fn tokens(self, original: u64, optimized: u64) -> Self {}
    pub const fn valid(self, is_valid: bool) -> Self {}
}

// tool_contracts::assess::ChatMessage
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChatMessage {
    ..
}
impl ChatMessage {
    #[must_use]
    pub fn content(&self) -> &str {}
    pub fn new(
        role: ChatRole,
        content: impl Into<String>,
        timestamp: DateTime<Utc>,
        tokens: u64,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub const fn role(&self) -> ChatRole {}
    #[must_use]
    pub const fn timestamp(&self) -> DateTime<Utc> {}
    #[must_use]
    pub const fn tokens(&self) -> u64 {}
}
impl fmt::Debug for ChatMessage {}
reads! {
    ChatMessage, "a message"; required role = "role", nested ChatRole; required content =
    "content", leaf wire::Text; required timestamp = "timestamp", leaf wire::Instant;
    required tokens = "tokens", leaf wire::Whole < u64 >; => Ok(ChatMessage { role,
    content, timestamp, tokens })
}

// tool_contracts::assess::ChatRole
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum ChatRole {
    User,
    Assistant,
    System,
}
words!(ChatRole { User = "user", Assistant = "assistant", System = "system" });

// tool_contracts::assess::CompressionMethod
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum CompressionMethod {
    SemanticPruning,
    KnowledgeDistillation,
    HistoryCompaction,
    None,
}
words!(
    CompressionMethod { SemanticPruning = "semantic_pruning", KnowledgeDistillation =
    "knowledge_distillation", HistoryCompaction = "history_compaction", None = "none", }
);

// tool_contracts::assess::CompressionStrategy
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum CompressionStrategy {
    SemanticPruning,
    Distillation,
    HistoryCompaction,
}
impl CompressionStrategy {
    #[must_use]
    pub const fn method(self) -> CompressionMethod {}
}
words!(
    CompressionStrategy { SemanticPruning = "semantic_pruning", Distillation =
    "distillation", HistoryCompaction = "history_compaction", }
);

// tool_contracts::assess::ContextData
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextData {
    ..
}
impl ContextData {
    pub const QUERY: &'static str = "query";
    pub fn builder() -> ContextDataBuilder {}
    #[must_use]
    pub const fn compression_strategy(&self) -> Option<CompressionStrategy> {}
    pub fn into_builder(self) -> ContextDataBuilder {}
    #[must_use]
    pub const fn max_tokens(&self) -> u64 {}
    #[must_use]
    pub fn message_history(&self) -> &[ChatMessage] {}
    #[must_use]
    pub fn persistent_context(&self) -> Option<&str> {}
    #[must_use]
    pub fn query(&self) -> Option<&str> {}
    #[must_use]
    pub fn tool_results(&self) -> &[ActResult] {}
    #[must_use]
    pub const fn transient_context(&self) -> &Map<String, Value> {}
}
impl fmt::Debug for ContextData {}
reads! {
    ContextData, "the context of a turn"; required tool_results = "tool_results", nested
    Vec < ActResult >; optional transient_context = "transient_context", leaf
    wire::Object; optional persistent_context = "persistent_context", leaf wire::Text;
    optional message_history = "message_history", nested Vec < ChatMessage >; optional
    max_tokens = "max_tokens", leaf wire::Whole < wire::ContextTokens >; optional
    compression_strategy = "compression_strategy", nested CompressionStrategy; => {}
}

// tool_contracts::assess::ContextDataBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ContextDataBuilder(_);
impl ContextDataBuilder {
    pub fn build(self) -> Result<ContextData, ContractError> {}
    pub fn max_tokens(self, tokens: u64) -> Self {}
    pub fn message_history(
        self,
        messages: impl IntoIterator<Item = ChatMessage>,
    ) -> Self {}
    pub fn persistent_context(self, text: impl Into<String>) -> Self {}
    pub fn strategy(self, strategy: CompressionStrategy) -> Self {}
    pub fn tool_results(self, results: impl IntoIterator<Item = ActResult>) -> Self {}
    pub fn transient(self, name: impl Into<String>, value: impl Into<Value>) -> Self {}
}
impl Default for ContextDataBuilder {}

// tool_contracts::assess::OptimizedContext
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct OptimizedContext {
    ..
}
impl OptimizedContext {
    pub fn builder(
        text: impl Into<String>,
        method: CompressionMethod,
    ) -> OptimizedContextBuilder {}
    #[must_use]
    pub const fn compression_ratio(&self) -> f64 {}
    #[must_use]
    pub const fn compression_time_ms(&self) -> f64 {}
    #[must_use]
    pub const fn estimated_cost_savings(&self) -> f64 {}
    pub fn into_builder(self) -> OptimizedContextBuilder {}
    #[must_use]
    pub fn into_text(self) -> String {}
    #[must_use]
    pub const fn metadata(&self) -> &Map<String, Value> {}
    #[must_use]
    pub const fn method_used(&self) -> CompressionMethod {}
    #[must_use]
    pub fn optimized_text(&self) -> &str {}
    #[must_use]
    pub const fn optimized_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn original_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn semantic_similarity_score(&self) -> Option<f64> {}
}
impl fmt::Debug for OptimizedContext {}
reads! {
    OptimizedContext, "a context in few tokens"; required optimized_text =
    "optimized_text", leaf wire::Text; required original_tokens = "original_tokens", leaf
    wire::Whole < u64 >; required optimized_tokens = "optimized_tokens", leaf wire::Whole
    < u64 >; required compression_ratio = "compression_ratio", leaf wire::Finite;
    required method_used = "method_used", nested CompressionMethod; required
    compression_time_ms = "compression_time_ms", leaf wire::Finite; required
    estimated_cost_savings = "estimated_cost_savings", leaf wire::Finite; optional
    semantic_similarity_score = "semantic_similarity_score", leaf wire::Share; optional
    metadata = "metadata", leaf wire::Object; => {}
}

// tool_contracts::assess::OptimizedContextBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct OptimizedContextBuilder(_);
impl OptimizedContextBuilder {
    pub fn build(self) -> Result<OptimizedContext, ContractError> {}
    pub const fn estimated_cost_savings(self, dollars: f64) -> Self {}
    pub fn metadata(self, name: impl Into<String>, value: impl Into<Value>) -> Self {}
    pub fn semantic_similarity_score(self, score: f64) -> Self {}
    pub const fn time_ms(self, milliseconds: f64) -> Self {}
    pub const fn tokens(self, original: u64, optimized: u64) -> Self {}
}

// tool_contracts::envelope::CallEnvelope
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct CallEnvelope<I = Box<RawValue>> {
    ..
}
impl<I> CallEnvelope<I> {
    #[must_use]
    pub const fn input(&self) -> &I {}
    #[must_use]
    pub fn into_parts(self) -> (RequestEnvelope, I) {}
    #[must_use]
    pub const fn new(request: RequestEnvelope, input: I) -> Self {}
    #[must_use]
    pub const fn request(&self) -> &RequestEnvelope {}
}
impl<I: Serialize> fmt::Debug for CallEnvelope<I> {}
impl<I> JsonSchema for CallEnvelope<I> {}
reads! {
    CallEnvelope < I >, "a request envelope with an input"; required request_id =
    "request_id", leaf wire::FilledText; required actor = "actor", nested Actor; optional
    user_id = "user_id", leaf wire::FilledText; optional session_id = "session_id", leaf
    wire::FilledText; optional locale = "locale", leaf wire::FilledText; optional
    currency = "currency", leaf wire::FilledText; optional timezone = "timezone", leaf
    wire::FilledText; optional client = "client", nested Client; optional dry_run =
    "dry_run", leaf wire::Flag; optional idempotency_key = "idempotency_key", leaf
    wire::FilledText; optional trace = "trace", nested Trace; optional input = "input",
    raw Option < I >; => {}
}

// tool_contracts::envelope::RequestEnvelope
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestEnvelope {
    ..
}
impl RequestEnvelope {
    #[must_use]
    pub const fn actor(&self) -> &Actor {}
    pub fn builder(
        request_id: impl Into<String>,
        actor: Actor,
    ) -> RequestEnvelopeBuilder {}
    #[must_use]
    pub const fn client(&self) -> Option<&Client> {}
    #[must_use]
    pub fn currency(&self) -> Option<&str> {}
    #[must_use]
    pub const fn dry_run(&self) -> bool {}
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {}
    pub fn into_builder(self) -> RequestEnvelopeBuilder {}
    #[must_use]
    pub fn into_context(self, tenant_id: Uuid) -> ToolContext {}
    pub fn into_context_builder(self, tenant_id: Uuid) -> ToolContextBuilder {}
    #[must_use]
    pub fn locale(&self) -> Option<&str> {}
    #[must_use]
    pub fn request_id(&self) -> &str {}
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn timezone(&self) -> Option<&str> {}
    #[must_use]
    pub const fn trace(&self) -> Option<&Trace> {}
    #[must_use]
    pub fn user_id(&self) -> Option<&str> {}
}
impl TryFrom<&ToolContext> for RequestEnvelope {
    type Error = ContractError;
}
reads! {
    RequestEnvelope, "a request envelope"; required request_id = "request_id", leaf
    wire::FilledText; required actor = "actor", nested Actor; optional user_id =
    "user_id", leaf wire::FilledText; optional session_id = "session_id", leaf
    wire::FilledText; optional locale = "locale", leaf wire::FilledText; optional
    currency = "currency", leaf wire::FilledText; optional timezone = "timezone", leaf
    wire::FilledText; optional client = "client", nested Client; optional dry_run =
    "dry_run", leaf wire::Flag; optional idempotency_key = "idempotency_key", leaf
    wire::FilledText; optional trace = "trace", nested Trace; => {}
}

// tool_contracts::envelope::RequestEnvelopeBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct RequestEnvelopeBuilder(_);
impl RequestEnvelopeBuilder {
    pub fn build(self) -> Result<RequestEnvelope, ContractError> {}
    pub fn client(self, client: Client) -> Self {}
    pub fn dry_run(self, dry_run: bool) -> Self {}
    pub fn trace(self, trace: Trace) -> Self {}
}
impl From<RequestEnvelope> for RequestEnvelopeBuilder {}
text_setters! {
    RequestEnvelopeBuilder, | builder | builder.0; user_id; session_id; locale; currency;
    timezone; idempotency_key;
}

// tool_contracts::envelope::ResponseEnvelope
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResponseEnvelope<O = Box<RawValue>>(_);
impl<O> ResponseEnvelope<O> {
    pub const fn as_result(&self) -> Result<&O, &ResponseError> {}
    #[must_use]
    pub const fn data(&self) -> Option<&O> {}
    #[must_use]
    pub const fn error(&self) -> Option<&ResponseError> {}
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {}
    #[must_use]
    pub fn failure(error: impl Into<ResponseError>, meta: ToolErrorMeta) -> Self {}
    #[must_use]
    pub fn into_output<I>(self, input: I) -> ToolOutput<I, O> {}
    #[must_use]
    pub const fn is_ok(&self) -> bool {}
    #[must_use]
    pub fn success(data: O, meta: ToolResultMeta) -> Self {}
    #[must_use]
    pub const fn took_ms(&self) -> u64 {}
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {}
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {}
}
impl<I, O> From<ToolOutput<I, O>> for ResponseEnvelope<O> {}
impl<O: JsonSchema> JsonSchema for ResponseEnvelope<O> {}
reads! {
    ResponseEnvelope < O >, "a response envelope, an object with `ok`"; required ok =
    "ok", leaf wire::Flag; optional data = "data", raw Option < O >; optional warnings =
    "warnings", leaf wire::Texts; optional error = "error", nested ResponseError;
    optional ttl_seconds = "ttl_seconds", leaf wire::Whole < u64 >; optional evidence =
    "evidence", nested Evidence; optional meta = "meta", nested Buffered; => {}
}

// tool_contracts::envelope::ResponseError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseError(_);
impl ResponseError {
    #[must_use]
    pub const fn as_detail(&self) -> &ToolErrorDetail {}
    #[must_use]
    pub fn code(&self) -> ErrorCode {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn tool_code(&self) -> Option<&str> {}
}
impl From<ToolErrorDetail> for ResponseError {}
impl JsonSchema for ResponseError {}
impl Serialize for ResponseError {}
reads! {
    ResponseError, "an error"; required code = "code", nested ErrorCode; required message
    = "message", leaf wire::Text; optional details = "details", nested ReadDetails; => {}
}

// tool_contracts::has_bidirectional_controls
#[must_use]
pub fn has_bidirectional_controls(text: &str) -> bool {}

// tool_contracts::has_hidden_characters
#[must_use]
pub fn has_hidden_characters(text: &str) -> bool {}

// tool_contracts::proxy::CostReport
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CostReport {
    ..
}
impl CostReport {
    #[must_use]
    pub const fn actual_cost(&self) -> f64 {}
    #[must_use]
    pub const fn baseline_cost(&self) -> f64 {}
    pub fn builder() -> CostReportBuilder {}
    #[must_use]
    pub const fn input_compression_ratio(&self) -> f64 {}
    #[must_use]
    pub const fn optimized_input_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn output_compression_ratio(&self) -> f64 {}
    #[must_use]
    pub const fn output_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn raw_input_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn savings(&self) -> f64 {}
    #[must_use]
    pub const fn savings_percentage(&self) -> f64 {}
    #[must_use]
    pub const fn total_tokens(&self) -> u64 {}
}
reads! {
    CostReport, "the cost of a request"; required raw_input_tokens = "raw_input_tokens",
    leaf wire::Whole < u64 >; required optimized_input_tokens = "optimized_input_tokens",
    leaf wire::Whole < u64 >; required output_tokens = "output_tokens", leaf wire::Whole
    < u64 >; required total_tokens = "total_tokens", leaf wire::Whole < u64 >; required
    baseline_cost = "baseline_cost", leaf wire::Finite; required actual_cost =
    "actual_cost", leaf wire::Finite; required savings = "savings", leaf wire::Finite;
    required savings_percentage = "savings_percentage", leaf wire::Finite; required
    input_compression_ratio = "input_compression_ratio", leaf wire::Finite; required
    output_compression_ratio = "output_compression_ratio", leaf wire::Finite; => {}
}

// tool_contracts::proxy::CostReportBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct CostReportBuilder(_);
impl CostReportBuilder {
    pub fn build(self) -> Result<CostReport, ContractError> {}
    pub const fn costs(self, baseline: f64, actual: f64) -> Self {}
    pub const fn input_tokens(self, raw: u64, optimized: u64) -> Self {}
    pub const fn output_compression_ratio(self, ratio: f64) -> Self {}
    pub const fn output_tokens(self, tokens: u64) -> Self {}
}

// tool_contracts::proxy::LatencyBreakdown
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct LatencyBreakdown {
    ..
}
impl LatencyBreakdown {
    #[must_use]
    pub const fn context_compression_ms(&self) -> f64 {}
    #[must_use]
    pub const fn llm_inference_ms(&self) -> f64 {}
    pub fn new(
        tool_execution_ms: f64,
        context_compression_ms: f64,
        llm_inference_ms: f64,
        output_serialization_ms: f64,
        overhead_ms: f64,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub const fn output_serialization_ms(&self) -> f64 {}
    #[must_use]
    pub const fn overhead_ms(&self) -> f64 {}
    #[must_use]
    pub const fn tool_execution_ms(&self) -> f64 {}
    #[must_use]
    pub fn total_ms(&self) -> f64 {}
}
reads! {
    LatencyBreakdown, "the durations of a request's steps"; required tool_execution_ms =
    "tool_execution_ms", leaf wire::Finite; required context_compression_ms =
    "context_compression_ms", leaf wire::Finite; required llm_inference_ms =
    "llm_inference_ms", leaf wire::Finite; required output_serialization_ms =
    "output_serialization_ms", leaf wire::Finite; required overhead_ms = "overhead_ms",
    leaf wire::Finite; => LatencyBreakdown::new(tool_execution_ms,
    context_compression_ms, llm_inference_ms, output_serialization_ms, overhead_ms,)
    .map_err(wire::refused)
}

// tool_contracts::proxy::LlmResponse
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct LlmResponse {
    ..
}
impl LlmResponse {
    pub fn builder(
        model: impl Into<String>,
        content: impl Into<Value>,
    ) -> LlmResponseBuilder {}
    #[must_use]
    pub const fn content(&self) -> &Value {}
    #[must_use]
    pub fn finish_reason(&self) -> &str {}
    #[must_use]
    pub const fn input_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn latency_ms(&self) -> f64 {}
    #[must_use]
    pub fn model(&self) -> &str {}
    #[must_use]
    pub const fn output_tokens(&self) -> u64 {}
}
impl fmt::Debug for LlmResponse {}
reads! {
    LlmResponse, "the answer of a model"; required model = "model", leaf wire::Text;
    required content = "content", raw Value; required input_tokens = "input_tokens", leaf
    wire::Whole < u64 >; required output_tokens = "output_tokens", leaf wire::Whole < u64
    >; required latency_ms = "latency_ms", leaf wire::Finite; required finish_reason =
    "finish_reason", leaf wire::Text; => LlmResponse::builder(model, content)
    .tokens(input_tokens, output_tokens).latency_ms(latency_ms)
    .finish_reason(finish_reason).build().map_err(wire::refused)
}

// tool_contracts::proxy::LlmResponseBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct LlmResponseBuilder(_);
impl LlmResponseBuilder {
    pub fn build(self) -> Result<LlmResponse, ContractError> {}
    pub fn finish_reason(self, reason: impl Into<String>) -> Self {}
    pub fn latency_ms(self, milliseconds: f64) -> Self {}
    pub fn tokens(self, input: u64, output: u64) -> Self {}
}

// tool_contracts::proxy::ProxyRequest
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProxyRequest {
    ..
}
impl ProxyRequest {
    pub fn builder(query: impl Into<String>) -> ProxyRequestBuilder {}
    #[must_use]
    pub const fn enable_compression(&self) -> bool {}
    #[must_use]
    pub const fn enable_toon(&self) -> bool {}
    #[must_use]
    pub const fn max_total_tokens(&self) -> u64 {}
    #[must_use]
    pub const fn optimization_level(&self) -> u8 {}
    #[must_use]
    pub fn query(&self) -> &str {}
    #[must_use]
    pub fn required_tools(&self) -> &[ToolRequest] {}
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn target_model(&self) -> Option<&str> {}
    #[must_use]
    pub const fn user_context(&self) -> &Map<String, Value> {}
}
impl fmt::Debug for ProxyRequest {}
reads! {
    ProxyRequest, "a request to the agent"; required query = "query", leaf wire::Text;
    required required_tools = "required_tools", nested Vec < ToolRequest >; optional
    session_id = "session_id", leaf wire::Text; optional user_context = "user_context",
    leaf wire::Object; optional target_model = "target_model", leaf wire::Text; optional
    max_total_tokens = "max_total_tokens", leaf wire::Whole < wire::TotalTokens >;
    optional enable_compression = "enable_compression", leaf wire::Flag; optional
    enable_toon = "enable_toon", leaf wire::Flag; optional optimization_level =
    "optimization_level", leaf wire::Whole < wire::OptimizationLevel >; => {}
}

// tool_contracts::proxy::ProxyRequestBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyRequestBuilder(_);
impl ProxyRequestBuilder {
    pub fn build(self) -> Result<ProxyRequest, ContractError> {}
    pub fn enable_compression(self, enable: bool) -> Self {}
    pub fn enable_toon(self, enable: bool) -> Self {}
    pub fn max_total_tokens(self, tokens: u64) -> Self {}
    pub fn optimization_level(self, level: u8) -> Self {}
    pub fn required_tools(self, tools: impl IntoIterator<Item = ToolRequest>) -> Self {}
    pub fn session_id(self, id: impl Into<String>) -> Self {}
    pub fn target_model(self, model: impl Into<String>) -> Self {}
    pub fn user_context(self, name: impl Into<String>, value: impl Into<Value>) -> Self {}
}

// tool_contracts::proxy::ProxyResponse
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProxyResponse {
    ..
}
impl ProxyResponse {
    #[must_use]
    pub const fn breakdown(&self) -> &LatencyBreakdown {}
    pub fn builder(
        result: SerializedOutput,
        context: OptimizedContext,
        llm_response: LlmResponse,
    ) -> ProxyResponseBuilder {}
    #[must_use]
    pub const fn context_optimization(&self) -> &OptimizedContext {}
    #[must_use]
    pub const fn cost_analysis(&self) -> &CostReport {}
    #[must_use]
    pub const fn llm_response(&self) -> &LlmResponse {}
    #[must_use]
    pub const fn result(&self) -> &SerializedOutput {}
    #[must_use]
    pub fn tool_results(&self) -> &[ActResult] {}
    #[must_use]
    pub const fn total_latency_ms(&self) -> f64 {}
}
reads! {
    ProxyResponse, "the agent's answer"; required result = "result", nested
    SerializedOutput; required tool_results = "tool_results", nested Vec < ActResult >;
    required context_optimization = "context_optimization", nested OptimizedContext;
    required llm_response = "llm_response", nested LlmResponse; required total_latency_ms
    = "total_latency_ms", leaf wire::Finite; required breakdown = "breakdown", nested
    LatencyBreakdown; required cost_analysis = "cost_analysis", nested CostReport; => {}
}

// tool_contracts::proxy::ProxyResponseBuilder
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyResponseBuilder {
    ..
}
impl ProxyResponseBuilder {
    pub fn breakdown(self, breakdown: LatencyBreakdown) -> Self {}
    pub fn build(self) -> Result<ProxyResponse, ContractError> {}
    pub fn cost_analysis(self, cost: CostReport) -> Self {}
    pub fn tool_results(self, results: impl IntoIterator<Item = ActResult>) -> Self {}
}

// tool_contracts::server::Audit
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Audit {
    ..
}
impl Audit {
    #[must_use]
    pub fn error_message(&self) -> Option<&str> {}
    #[must_use]
    pub fn error_type(&self) -> Option<&str> {}
    #[must_use]
    pub const fn latency_ms(&self) -> u64 {}
    pub fn new(
        trace_id: impl Into<String>,
        tool_name: impl Into<String>,
        latency_ms: u64,
        request_payload_hash: impl Into<String>,
    ) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn request_payload_hash(&self) -> &str {}
    #[must_use]
    pub const fn status(&self) -> AuditStatus {}
    #[must_use]
    pub fn tool_name(&self) -> &str {}
    #[must_use]
    pub fn trace_id(&self) -> &str {}
}
reads! {
    Audit, "an audit"; required trace_id = "trace_id", leaf wire::FilledText; required
    tool_name = "tool_name", leaf wire::Text; required status = "status", nested
    AuditStatus; required latency_ms = "latency_ms", leaf wire::Whole < u64 >; required
    request_payload_hash = "request_payload_hash", leaf wire::FilledText; optional
    error_type = "error_type", leaf wire::FilledText; optional error_message =
    "error_message", leaf wire::Text; => {}
}

// tool_contracts::server::AuditStatus
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[non_exhaustive]
pub enum AuditStatus {
    Success,
    Error,
}
words!(AuditStatus { Success = "success", Error = "error" });

// tool_contracts::server::CallContext
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallContext {
    ..
}
impl CallContext {
    #[must_use]
    pub const fn actor_type(&self) -> Option<ActorType> {}
    #[must_use]
    pub const fn budget_tokens(&self) -> Option<u64> {}
    pub fn builder() -> CallContextBuilder {}
    #[must_use]
    pub const fn dry_run(&self) -> bool {}
    pub fn into_builder(self) -> CallContextBuilder {}
    pub fn into_context(self) -> Result<ToolContext, ContractError> {}
    pub fn into_context_builder(self) -> Result<ToolContextBuilder, ContractError> {}
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    #[must_use]
    pub const fn tenant_id(&self) -> Option<&Tenant> {}
    #[must_use]
    pub const fn timeouts_ms(&self) -> Option<u64> {}
}
impl TryFrom<&ToolContext> for CallContext {
    type Error = ContractError;
}
reads! {
    CallContext, "a call's context"; optional tenant_id = "tenant_id", nested Tenant;
    optional site_id = "site_id", leaf wire::FilledText; optional trace_id = "trace_id",
    leaf wire::FilledText; optional span_id = "span_id", leaf wire::FilledText; optional
    user_id = "user_id", leaf wire::FilledText; optional actor_type = "actor_type",
    nested ActorType; optional session_id = "session_id", leaf wire::FilledText; optional
    npc_id = "npc_id", leaf wire::FilledText; optional run_id = "run_id", leaf
    wire::FilledText; optional ingestion_run_id = "ingestion_run_id", leaf
    wire::FilledText; optional workflow_id = "workflow_id", leaf wire::FilledText;
    optional collection_id = "collection_id", leaf wire::FilledText; optional document_id
    = "document_id", leaf wire::FilledText; optional document_version_id =
    "document_version_id", leaf wire::FilledText; optional case_id = "case_id", leaf
    wire::FilledText; optional request_id = "request_id", leaf wire::FilledText; optional
    locale = "locale", leaf wire::FilledText; optional currency = "currency", leaf
    wire::FilledText; optional timezone = "timezone", leaf wire::FilledText; optional
    timeouts_ms = "timeouts_ms", leaf wire::Whole < u64 >; optional budget_tokens =
    "budget_tokens", leaf wire::Whole < u64 >; optional safety_mode = "safety_mode", leaf
    wire::FilledText; optional idempotency_key = "idempotency_key", leaf
    wire::FilledText; optional dry_run = "dry_run", leaf wire::Flag; => {}
}
text_getters! {
    CallContext, | cx | cx; site_id; trace_id; span_id; user_id; session_id; npc_id;
    run_id; ingestion_run_id; workflow_id; collection_id; document_id;
    document_version_id; case_id; safety_mode; request_id; locale; currency; timezone;
    idempotency_key;
}

// tool_contracts::server::CallContextBuilder
#[derive(Debug, Clone, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct CallContextBuilder(_);
impl CallContextBuilder {
    pub fn actor_type(self, actor_type: ActorType) -> Self {}
    pub fn budget_tokens(self, budget_tokens: u64) -> Self {}
    pub fn build(self) -> Result<CallContext, ContractError> {}
    pub fn dry_run(self, dry_run: bool) -> Self {}
    pub fn tenant_id(self, tenant: Tenant) -> Self {}
    pub fn timeouts_ms(self, timeouts_ms: u64) -> Self {}
}
impl From<CallContext> for CallContextBuilder {}
text_setters! {
    CallContextBuilder, | builder | builder.0; site_id; trace_id; span_id; user_id;
    session_id; npc_id; run_id; ingestion_run_id; workflow_id; collection_id;
    document_id; document_version_id; case_id; safety_mode; request_id; locale; currency;
    timezone; idempotency_key;
}

// tool_contracts::server::CallRequest
#[derive(Clone, Serialize)]
pub struct CallRequest<I = Box<RawValue>> {
    ..
}
impl<I> CallRequest<I> {
    #[must_use]
    pub const fn context(&self) -> &CallContext {}
    #[must_use]
    pub const fn input(&self) -> &I {}
    #[must_use]
    pub fn into_parts(self) -> (String, I, CallContext) {}
    #[must_use]
    pub fn new(tool_name: impl Into<String>, input: I, context: CallContext) -> Self {}
    #[must_use]
    pub fn tool_name(&self) -> &str {}
}
impl<I: Serialize> fmt::Debug for CallRequest<I> {}
impl<I> JsonSchema for CallRequest<I> {}
reads! {
    CallRequest < I >, "a request for a call"; required tool_name = "tool_name", leaf
    wire::Text; optional input = "input", raw Option < I >; optional context = "context",
    nested CallContext; => {}
}

// tool_contracts::server::CallResponse
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResponse<O = Box<RawValue>> {
    ..
}
impl<O> CallResponse<O> {
    pub const fn as_result(&self) -> Result<&O, &ToolErrorDetail> {}
    #[must_use]
    pub const fn audit(&self) -> &Audit {}
    #[must_use]
    pub const fn detail(&self) -> Option<&ToolErrorDetail> {}
    #[must_use]
    pub fn error_type(&self) -> Option<&str> {}
    #[must_use]
    pub fn failure(detail: ToolErrorDetail, meta: ToolErrorMeta, audit: Audit) -> Self {}
    #[must_use]
    pub fn from_output<I>(output: ToolOutput<I, O>, audit: Audit) -> Self {}
    #[must_use]
    pub fn into_output<I>(self, input: I) -> ToolOutput<I, O> {}
    #[must_use]
    pub const fn is_success(&self) -> bool {}
    #[must_use]
    pub const fn output(&self) -> Option<&O> {}
    #[must_use]
    pub fn success(output: O, meta: ToolResultMeta, audit: Audit) -> Self {}
}
impl<O: JsonSchema> JsonSchema for CallResponse<O> {}
impl<O: Serialize> Serialize for CallResponse<O> {}
reads! {
    CallResponse < O >, "an answer to a call, an object with `success`"; required success
    = "success", leaf wire::Flag; optional output = "output", raw Option < O >; optional
    error = "error", leaf wire::Text; optional error_type = "error_type", leaf
    wire::FilledText; optional detail = "detail", nested ToolErrorDetail; optional meta =
    "meta", nested Buffered; required audit = "audit", nested Audit; => {}
}

// tool_contracts::server::ID_PATTERN
pub const ID_PATTERN: &str = crate::hidden::VISIBLE;

// tool_contracts::server::ListRequest
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListRequest {
    ..
}
impl ListRequest {
    #[must_use]
    pub fn admits(&self, spec: &ToolSpec) -> bool {}
    #[must_use]
    pub const fn ai_callable_only(&self) -> bool {}
    #[must_use]
    pub fn category(&self) -> Option<&str> {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub fn with_ai_callable_only(self, ai_callable_only: bool) -> Self {}
    #[must_use]
    pub fn with_category(self, category: impl Into<String>) -> Self {}
}
impl Default for ListRequest {}
reads! {
    ListRequest, "a request for the list of tools"; optional category = "category", leaf
    wire::Text; optional ai_callable_only = "ai_callable_only", leaf wire::Flag; =>
    Ok(ListRequest { category, ai_callable_only : ai_callable_only.unwrap_or(true) })
}

// tool_contracts::server::ListResponse
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListResponse {
    ..
}
impl ListResponse {
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = ToolListing>) -> Self {}
    #[must_use]
    pub fn tools(&self) -> &[ToolListing] {}
    #[must_use]
    pub const fn total(&self) -> u64 {}
}
reads! {
    ListResponse, "a list of tools"; required tools = "tools", nested Vec < ToolListing
    >; required total = "total", leaf wire::Whole < u64 >; => {}
}

// tool_contracts::server::MAX_CHARACTERS
pub const MAX_CHARACTERS: usize = 256;

// tool_contracts::server::Tenant
#[derive(Clone)]
pub struct Tenant {
    ..
}
impl Tenant {
    pub const NAMESPACE: Uuid = Uuid::from_u128(
        0x5d74_8bdd_b649_4c47_aad0_e658_ae4a_55f7,
    );
    #[must_use]
    pub const fn id(&self) -> Uuid {}
    pub fn parse(name: &str) -> Result<Self, ContractError> {}
    #[must_use]
    pub fn slug(&self) -> Option<&str> {}
}
impl<'de> Deserialize<'de> for Tenant {}
impl Eq for Tenant {}
impl From<Uuid> for Tenant {}
impl FromStr for Tenant {
    type Err = ContractError;
}
impl Hash for Tenant {}
impl JsonSchema for Tenant {}
impl PartialEq for Tenant {}
impl Serialize for Tenant {}
impl fmt::Debug for Tenant {}
impl fmt::Display for Tenant {}

// tool_contracts::server::ToolListing
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolListing {
    ..
}
impl ToolListing {
    #[must_use]
    pub const fn ai_callable(&self) -> bool {}
    #[must_use]
    pub fn category(&self) -> Option<&str> {}
    #[must_use]
    pub fn description(&self) -> &str {}
    #[must_use]
    pub const fn input_schema(&self) -> &Map<String, Value> {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Map<String, Value>> {}
    #[must_use]
    pub const fn requires_auth(&self) -> bool {}
    #[must_use]
    pub const fn toolkit(&self) -> Option<&ToolkitSpec> {}
    #[must_use]
    pub fn version(&self) -> &str {}
}
impl From<&ToolSpec> for ToolListing {}
reads! {
    ToolListing, "a tool's description"; required name = "name", leaf wire::Text;
    required version = "version", leaf wire::Text; required description = "description",
    leaf wire::Text; optional category = "category", leaf wire::Text; optional toolkit =
    "toolkit", nested ToolkitSpec; required input_schema = "input_schema", leaf
    wire::Object; optional output_schema = "output_schema", leaf wire::Object; required
    requires_auth = "requires_auth", leaf wire::Flag; required ai_callable =
    "ai_callable", leaf wire::Flag; => {}
}

// tool_contracts::server::is_id
#[must_use]
pub fn is_id(text: &str) -> bool {}

// tool_contracts::trace_context::SpanId
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(_);
impl SpanId {
    #[must_use]
    pub fn derived_from(host_id: &str) -> Self {}
    pub fn from_bytes(bytes: [u8; 8]) -> Result<Self, TraceContextError> {}
    #[must_use]
    pub fn random() -> Self {}
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 8] {}
}

// tool_contracts::trace_context::TRACEPARENT
pub const TRACEPARENT: &str = "traceparent";

// tool_contracts::trace_context::TRACESTATE
pub const TRACESTATE: &str = "tracestate";

// tool_contracts::trace_context::TraceContext
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceContext {
    ..
}
impl TraceContext {
    #[must_use]
    pub fn child(&self, span_id: SpanId) -> Self {}
    pub fn from_fields(
        fields: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<[u8]>)>,
    ) -> Result<Self, TraceContextError> {}
    pub fn from_headers(
        traceparent: impl IntoIterator<Item: AsRef<[u8]>>,
        tracestate: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<Self, TraceContextError> {}
    #[must_use]
    pub fn new(parent: TraceParent) -> Self {}
    #[must_use]
    pub const fn parent(&self) -> &TraceParent {}
    #[must_use]
    pub fn start() -> Self {}
    #[must_use]
    pub const fn state(&self) -> &TraceState {}
    pub fn to_headers(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {}
    #[must_use]
    pub fn to_trace(&self) -> Trace {}
    #[must_use]
    pub fn with_sampled(self, sampled: bool) -> Self {}
    #[must_use]
    pub fn with_state(self, state: TraceState) -> Self {}
}

// tool_contracts::trace_context::TraceContextError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TraceContextError {
    Missing,
    Repeated,
    Form,
    Version,
    TraceId,
    SpanId,
    Flags,
    Member,
    Key,
    Value,
    TooManyMembers,
}

// tool_contracts::trace_context::TraceFlags
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TraceFlags(_);
impl TraceFlags {
    pub const RANDOM: Self = Self(0b10);
    pub const SAMPLED: Self = Self(0b01);
    #[must_use]
    pub const fn bits(self) -> u8 {}
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {}
    #[must_use]
    pub const fn is_random(self) -> bool {}
    #[must_use]
    pub const fn is_sampled(self) -> bool {}
    #[must_use]
    pub const fn with_sampled(self, sampled: bool) -> Self {}
}
impl FromStr for TraceFlags {
    type Err = TraceContextError;
}
impl fmt::Display for TraceFlags {}

// tool_contracts::trace_context::TraceId
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(_);
impl TraceId {
    pub const NAMESPACE: Uuid = Uuid::from_u128(
        0x5f1b_93eb_c010_41d2_8a4e_dad4_8008_a2b2,
    );
    #[must_use]
    pub fn derived_from(host_id: &str) -> Self {}
    pub fn from_bytes(bytes: [u8; 16]) -> Result<Self, TraceContextError> {}
    #[must_use]
    pub fn random() -> Self {}
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {}
}
written_in_hex! {
    TraceId : u128, 32 digits; SpanId : u64, 16 digits;
}

// tool_contracts::trace_context::TraceParent
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    ..
}
impl TraceParent {
    #[must_use]
    pub const fn child(&self, span_id: SpanId) -> Self {}
    #[must_use]
    pub const fn flags(&self) -> TraceFlags {}
    #[must_use]
    pub const fn new(trace_id: TraceId, parent_id: SpanId, flags: TraceFlags) -> Self {}
    #[must_use]
    pub const fn parent_id(&self) -> SpanId {}
    pub fn parse(value: impl AsRef<[u8]>) -> Result<Self, TraceContextError> {}
    #[must_use]
    pub fn start() -> Self {}
    #[must_use]
    pub const fn trace_id(&self) -> TraceId {}
    #[must_use]
    pub const fn with_sampled(&self, sampled: bool) -> Self {}
}
impl FromStr for TraceParent {
    type Err = TraceContextError;
}
impl fmt::Display for TraceParent {}

// tool_contracts::trace_context::TraceState
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct TraceState(_);
impl TraceState {
    #[must_use]
    pub fn as_str(&self) -> &str {}
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {}
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {}
    #[must_use]
    pub fn len(&self) -> usize {}
    pub fn parse(
        values: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<Self, TraceContextError> {}
    pub fn with(&self, key: &str, value: &str) -> Result<Self, TraceContextError> {}
    #[must_use]
    pub fn within(&self, longest: usize) -> Self {}
    #[must_use]
    pub fn without(&self, key: &str) -> Self {}
}
impl FromStr for TraceState {
    type Err = TraceContextError;
}
impl fmt::Display for TraceState {}

