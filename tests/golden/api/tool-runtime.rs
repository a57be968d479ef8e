// tool_runtime::AnswerOrigin
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AnswerOrigin {
    Call,
    Cache,
    Replay,
}

// tool_runtime::ApprovalError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ApprovalError {
    NotPending,
    Refused(Box<ToolErrorDetail>),
    InvalidApprover,
    InvalidArguments(Box<ToolErrorDetail>),
}

// tool_runtime::Arguments
#[derive(Clone)]
pub struct Arguments(_);
impl From<&RawValue> for Arguments {}
impl From<&String> for Arguments {}
impl From<&str> for Arguments {}
impl From<Box<RawValue>> for Arguments {}
impl From<String> for Arguments {}
impl From<Value> for Arguments {}
impl std::fmt::Debug for Arguments {}

// tool_runtime::Attachment
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    ..
}
impl Attachment {
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {}
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {}
    #[must_use]
    pub fn audience(&self) -> &[Audience] {}
    #[must_use]
    pub fn bytes(media_type: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {}
    #[must_use]
    pub fn description(&self) -> Option<&str> {}
    #[must_use]
    pub fn handle(&self) -> Option<AttachmentHandle> {}
    #[must_use]
    pub fn is_for(&self, reader: Audience) -> bool {}
    #[must_use]
    pub fn link(media_type: impl Into<String>, url: impl Into<String>) -> Self {}
    #[must_use]
    pub fn media_type(&self) -> &str {}
    #[must_use]
    pub fn name(&self) -> Option<&str> {}
    #[must_use]
    pub fn sha256(&self) -> Option<&str> {}
    #[must_use]
    pub fn size(&self) -> Option<u64> {}
    #[must_use]
    pub fn text(media_type: impl Into<String>, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn url(&self) -> Option<&str> {}
    #[must_use]
    pub fn with_audience(self, audience: impl IntoIterator<Item = Audience>) -> Self {}
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {}
}
impl fmt::Debug for Attachment {}
impl fmt::Display for Attachment {}

// tool_runtime::AttachmentError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttachmentError {
    Invalid(ContractError),
    TooMany { max: usize },
    TooLarge { max: usize },
}
impl ToolFailure for AttachmentError {}

// tool_runtime::AttachmentHandle
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttachmentHandle(_);
impl AttachmentHandle {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {}
}
impl fmt::Display for AttachmentHandle {}

// tool_runtime::AttachmentLimits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachmentLimits {
    ..
}
impl AttachmentLimits {
    #[must_use]
    pub const fn max_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_count(&self) -> usize {}
    #[must_use]
    pub const fn max_inline_bytes(&self) -> usize {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn with_max_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_count(self, count: usize) -> Self {}
    #[must_use]
    pub const fn with_max_inline_bytes(self, bytes: usize) -> Self {}
}
impl Default for AttachmentLimits {}

// tool_runtime::Attachments
#[derive(Clone)]
pub struct Attachments {
    ..
}
impl Attachments {
    pub fn add(&self, attachment: Attachment) -> Result<(), AttachmentError> {}
    #[must_use]
    pub const fn detached() -> Self {}
}
impl FromCall for Attachments {}
impl fmt::Debug for Attachments {}

// tool_runtime::BuildError
#[derive(Clone, Error)]
pub struct BuildError {
    ..
}
impl BuildError {
    #[must_use]
    pub fn problems(&self) -> &[BuildProblem] {}
}
impl fmt::Debug for BuildError {}
impl fmt::Display for BuildError {}

// tool_runtime::BuildProblem
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BuildProblem {
    #[non_exhaustive]
    DuplicateName { tool: String, first: SourceLocation, second: SourceLocation },
    #[non_exhaustive]
    NameTaken { tool: String },
    #[non_exhaustive]
    UnknownTool { tool: String },
    #[non_exhaustive]
    MissingState { tool: String, type_name: &'static str },
    #[non_exhaustive]
    StateTwice { type_name: &'static str },
    #[non_exhaustive]
    ToolkitTwice { type_name: &'static str },
    #[non_exhaustive]
    Schema { tool: String, side: &'static str, error: SchemaError },
    #[non_exhaustive]
    Contract { tool: String, error: ContractError },
    #[non_exhaustive]
    ShownValue { tool: String, property: String, what: &'static str },
    #[non_exhaustive]
    InputExample {
        tool: String,
        number: usize,
        malformed: Option<Malformed>,
        violations: Vec<Violation>,
    },
    #[non_exhaustive]
    Incomplete { tool: String, rule: &'static str },
    #[non_exhaustive]
    UnknownPermission { name: String },
    #[non_exhaustive]
    UnknownRules { name: String },
    #[non_exhaustive]
    NoEvidence { tool: String },
    NothingDiscovered,
    #[non_exhaustive]
    ListingTooLarge { bytes: usize, limit: usize, largest: Vec<(String, usize)> },
    #[non_exhaustive]
    OutOfRange { setting: &'static str, min: usize, max: usize, found: usize },
    #[non_exhaustive]
    TimeOutOfRange {
        setting: &'static str,
        min: Duration,
        max: Duration,
        found: Duration,
    },
    PanicAborts,
    NoTimer,
}

// tool_runtime::CallRecord
pub struct CallRecord<'c> {
    ..
}
impl<'c> CallRecord<'c> {
    #[must_use]
    pub fn approver(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn attempts(&self) -> u32 {}
    #[must_use]
    pub fn call_id(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {}
    #[must_use]
    pub fn decliner(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn is_approval_dry_run(&self) -> bool {}
    #[must_use]
    pub fn log(&self) -> &'c str {}
    #[must_use]
    pub fn origin(&self) -> AnswerOrigin {}
    #[must_use]
    pub fn output(&self) -> &'c ToolOutput {}
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {}
    #[must_use]
    pub fn spec(&self) -> Option<&'c ToolSpec> {}
    #[must_use]
    pub fn status(&self) -> CallStatus {}
    #[must_use]
    pub fn took(&self) -> Option<Duration> {}
    #[must_use]
    pub fn tool(&self) -> &'c str {}
}
impl fmt::Debug for CallRecord<'_> {}

// tool_runtime::CallScope
#[derive(Clone)]
pub struct CallScope(_);
impl CallScope {
    #[must_use]
    pub fn arguments(&self) -> &str {}
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn cx(&self) -> &ToolContext {}
    #[must_use]
    pub fn dry_run(&self) -> bool {}
    #[must_use]
    pub fn failed(&self, fault: LoggedFailure) -> Finished {}
    pub fn gate(&self) -> impl Future<Output = ()> + Send + '_ {}
    #[must_use]
    pub fn out_of_bounds(&self) -> Finished {}
    pub fn parse<'s, T: Deserialize<'s>>(&'s self) -> Result<T, Failure> {}
    pub fn read<'s, A>(
        &'s self,
        fields: Fields,
        defaults: A::Defaults,
    ) -> Result<A, Finished>
    where
        A: ReadFields<'s, Defaults: Copy>,
    {}
    pub fn reconciled<T: Serialize>(&self, found: &Reconciled<T>) -> Finished {}
    #[must_use]
    pub fn reconciles(&self) -> bool {}
    pub async fn run_blocking(
        self,
        work: impl FnOnce(&Self) -> Finished + Send + 'static,
    ) -> Finished {}
    pub fn slot<T: ?Sized + 'static>(&self, slot: usize) -> Result<&Arc<T>, Finished> {}
    #[must_use]
    pub fn state<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&T> {}
    pub fn succeeded<T: Serialize + ?Sized>(&self, value: &T) -> Finished {}
    #[must_use]
    pub fn tool(&self) -> &ToolSpec {}
    pub fn toolkit<T: Send + Sync + 'static>(
        &self,
        slot: usize,
    ) -> Result<&Arc<T>, Finished> {}
}
impl fmt::Debug for CallScope {}

// tool_runtime::Cancellation
#[derive(Clone, Default)]
pub struct Cancellation {
    ..
}
impl Cancellation {
    pub fn cancel(&self) {}
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {}
    #[must_use]
    pub fn is_cancelled(&self) -> bool {}
    #[must_use]
    pub fn new() -> Self {}
}
impl FromCall for Cancellation {}
impl fmt::Debug for Cancellation {}

// tool_runtime::DataError
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    Failed(Box<ToolErrorDetail>),
    Json(serde_json::Error),
}

// tool_runtime::DryRun
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DryRun(_);
impl DryRun {
    #[must_use]
    pub const fn is_active(self) -> bool {}
    #[must_use]
    pub const fn new(active: bool) -> Self {}
}
impl FromCall for DryRun {}

// tool_runtime::DynamicTool
pub struct DynamicTool {
    ..
}
impl DynamicTool {
    #[must_use]
    pub fn admit_unknown_fields(self) -> Self {}
    #[must_use]
    pub fn ai_callable(self, ai_callable: bool) -> Self {}
    #[must_use]
    pub fn blocking_handler<F, O, E>(self, handler: F) -> Self
    where
        F: Fn(&CallScope) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize,
        E: Into<Failure>,
    {}
    #[must_use]
    pub fn category(self, category: impl Into<String>) -> Self {}
    pub fn check(&self) -> Result<(), BuildError> {}
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {}
    #[must_use]
    pub fn evidence(self) -> Self {}
    #[must_use]
    pub fn evidence_required(self) -> Self {}
    #[must_use]
    pub fn forwards_key(self) -> Self {}
    #[must_use]
    pub fn handler<F, R, O, E>(self, handler: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {}
    #[must_use]
    pub fn handles_dry_run(self) -> Self {}
    #[must_use]
    pub fn idempotent(self, idempotent: bool) -> Self {}
    #[must_use]
    pub fn input_example(self, example: Value) -> Self {}
    #[must_use]
    pub fn input_schema(self, schema: Value) -> Self {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(name: impl Into<String>, effect: Effect) -> Self {}
    #[must_use]
    pub fn of_async_function<F, R, O, E>(
        name: impl Into<String>,
        effect: Effect,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        F: Fn(Map<String, Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {}
    #[must_use]
    pub fn of_function<F, O, E>(
        name: impl Into<String>,
        effect: Effect,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        F: Fn(Map<String, Value>) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + Send + 'static,
    {}
    #[must_use]
    pub fn open_world(self, open_world: bool) -> Self {}
    #[must_use]
    pub fn output_schema(self, schema: Value) -> Self {}
    #[must_use]
    pub fn preview<F, R, O, E>(self, preview: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {}
    #[must_use]
    pub fn reconcile<F, R, O, E>(self, reconcile: F) -> Self
    where
        F: Fn(CallScope) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Reconciled<O>, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {}
    #[must_use]
    pub fn requires_auth(self, requires_auth: bool) -> Self {}
    #[must_use]
    pub fn retention(self, time: Duration) -> Self {}
    #[must_use]
    pub fn shared(self) -> Self {}
    #[must_use]
    pub fn sync_handler<F, O, E>(self, handler: F) -> Self
    where
        F: Fn(&CallScope) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + Send + 'static,
    {}
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {}
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {}
    #[must_use]
    pub fn toolkit(self, toolkit: ToolkitSpec) -> Self {}
    #[must_use]
    pub fn ttl(self, ttl: Duration) -> Self {}
    #[must_use]
    pub fn version(self, version: impl Into<String>) -> Self {}
}
impl fmt::Debug for DynamicTool {}

// tool_runtime::EvidenceRecorder
#[derive(Clone)]
pub struct EvidenceRecorder {
    ..
}
impl EvidenceRecorder {
    #[must_use]
    pub const fn detached() -> Self {}
    pub fn rule(&self, name: impl Into<String>, version: impl Into<String>) {}
    pub fn source(&self, source: EvidenceSource) {}
}
impl FromCall for EvidenceRecorder {}
impl fmt::Debug for EvidenceRecorder {}

// tool_runtime::Failure
#[derive(Debug, Clone)]
#[must_use]
pub struct Failure(_);
impl Failure {
    #[must_use]
    pub fn code(&self) -> FailureCode {}
    #[must_use]
    pub fn message(&self) -> &str {}
    pub fn new(code: FailureCode) -> Self {}
    pub fn of(code: ErrorCode) -> Self {}
    pub fn with_detail(self, key: impl Into<String>, value: impl Serialize) -> Self {}
    pub fn with_effect_none(self) -> Self {}
    pub fn with_effect_unknown(self) -> Self {}
    pub fn with_endpoint(self, endpoint: impl Into<String>) -> Self {}
    pub fn with_log(self, text: impl Into<String>) -> Self {}
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {}
    pub fn with_retry_after_ms(self, milliseconds: u64) -> Self {}
    pub fn with_upstream_code(self, code: impl Serialize) -> Self {}
    pub fn with_upstream_status(self, status: u16) -> Self {}
}
impl<E: ToolFailure> From<E> for Failure {}
impl From<ErrorCode> for Failure {}

// tool_runtime::FailureCode
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FailureCode(_);
impl FailureCode {
    #[must_use]
    pub fn as_str(&self) -> &'static str {}
    #[must_use]
    pub fn error_type(&self) -> ToolErrorType {}
    #[must_use]
    pub const fn own(code: &'static str, error_type: ToolErrorType) -> Self {}
    #[must_use]
    pub const fn standard(code: ErrorCode) -> Self {}
}

// tool_runtime::FromCall
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a call",
    note = "implement `FromCall` for it, or give a value to the builder with `.state(…)`"
)]
pub trait FromCall: Sized + Send + Sync + 'static {
    fn from_call(call: &CallScope) -> Result<Self, Failure>;
}
impl FromCall for ToolContext {}

// tool_runtime::Idempotency
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Idempotency {
    ..
}
impl Idempotency {
    #[must_use]
    pub fn fence(&self) -> Option<u64> {}
    #[must_use]
    pub fn global_key(&self) -> Option<&str> {}
    #[must_use]
    pub fn key(&self) -> Option<&str> {}
    #[must_use]
    pub fn new(key: impl Into<Box<str>>, fence: u64) -> Self {}
    #[must_use]
    pub fn none() -> Self {}
}
impl FromCall for Idempotency {}

// tool_runtime::InputAnswer
#[derive(Debug, Clone, PartialEq)]
pub enum InputAnswer {
    Given(Map<String, Value>),
    Declined,
    Dismissed,
}
impl InputAnswer {
    pub fn parse<T: DeserializeOwned>(self) -> Result<Option<T>, Failure> {}
}

// tool_runtime::InputError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    Unavailable,
    Asked,
    Invalid(String),
    Unanswered,
}
impl ToolFailure for InputError {}

// tool_runtime::Job
pub type Job = Box<dyn FnOnce() + Send>;

// tool_runtime::Limits = tool_runtime_schema::Limits

// tool_runtime::MetaRecorder
#[derive(Clone)]
pub struct MetaRecorder {
    ..
}
impl MetaRecorder {
    pub fn cache_hit(&self, hit: bool) {}
    #[must_use]
    pub const fn detached() -> Self {}
    pub fn routing(&self, key: impl Into<String>, value: impl Serialize) {}
    pub fn source_count(&self, source: impl Into<String>, count: u64) {}
    pub fn token_usage(&self, kind: impl Into<String>, tokens: u64) {}
    pub fn warning(&self, text: impl Into<String>) {}
}
impl FromCall for MetaRecorder {}
impl fmt::Debug for MetaRecorder {}

// tool_runtime::NotPending
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub struct NotPending;

// tool_runtime::Observe
pub trait Observe: Send + Sync + 'static {
    fn call_ended(&self, record: &CallRecord<'_>);
}
impl<F: Fn(&CallRecord<'_>) + Send + Sync + 'static> Observe for F {}

// tool_runtime::OutputMeta
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputMeta {
    Result(ToolResultMeta),
    Error(ToolErrorMeta),
}
impl OutputMeta {
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {}
    #[must_use]
    pub fn dry_run(&self) -> bool {}
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {}
    #[must_use]
    pub fn replayed(&self) -> bool {}
    #[must_use]
    pub fn took_ms(&self) -> u64 {}
    #[must_use]
    pub fn ttl_seconds(&self) -> Option<u64> {}
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {}
}

// tool_runtime::Preview
#[derive(Debug, Clone, Copy)]
pub struct Preview<'c> {
    ..
}
impl<'c> Preview<'c> {
    #[must_use]
    pub fn answer(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn arguments(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn attachments(&self) -> &'c [Attachment] {}
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {}
    #[must_use]
    pub fn failure(&self) -> Option<&'c ToolErrorDetail> {}
    #[must_use]
    pub fn name(&self) -> &'c str {}
    #[must_use]
    pub fn title(&self) -> Option<&'c str> {}
}
impl fmt::Display for Preview<'_> {}

// tool_runtime::Progress
#[derive(Clone)]
pub struct Progress {
    ..
}
impl Progress {
    pub fn report(&self, fraction: impl Into<Option<f64>>, message: impl Into<String>) {}
    #[must_use]
    pub const fn silent() -> Self {}
}
impl FromCall for Progress {}
impl fmt::Debug for Progress {}

// tool_runtime::ProgressUpdate
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    pub fraction: Option<f64>,
    pub message: String,
}

// tool_runtime::Reconciled
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reconciled<T> {
    Happened(T),
    DidNotHappen,
    Unknown,
}

// tool_runtime::RefusalReason
word_enum! {
    #[non_exhaustive] pub enum RefusalReason { ActorType = "actor_type", AnswerNotValid =
    "answer_not_valid", AnsweredBefore = "answered_before", Answers = "answers", Bodies =
    "bodies", BreakerOpen = "breaker_open", Busy = "busy", Cancelled = "cancelled",
    CutOff = "cut_off", DeniedByPolicy = "denied_by_policy", Draining = "draining",
    Dropped = "dropped", EditNotValid = "edit_not_valid", EvidenceAltered =
    "evidence_altered", EvidenceMissing = "evidence_missing", EvidenceNotKept =
    "evidence_not_kept", EvidenceShredded = "evidence_shredded", EvidenceUnavailable =
    "evidence_unavailable", Expired = "expired", Host = "host", InFlight = "in_flight",
    InputRequired = "input_required", KeyNotKept = "key_not_kept", KeyRequired =
    "key_required", KeyReused = "key_reused", LeaseLost = "lease_lost", LedgerClosed =
    "ledger_closed", LedgerFull = "ledger_full", NoEvidence = "no_evidence", NoLedger =
    "no_ledger", NoPrincipal = "no_principal", NoTicket = "no_ticket", NotCanonical =
    "not_canonical", Origin = "origin", OutcomeArchived = "outcome_archived",
    OutcomeChanged = "outcome_changed", OutcomeUnknown = "outcome_unknown", OwnCall =
    "own_call", PolicyFailed = "policy_failed", PreviewChanged = "preview_changed",
    QueueFull = "queue_full", RateLimit = "rate_limit", Reads = "reads", RecordDamaged =
    "record_damaged", RequesterNotAllowed = "requester_not_allowed", Scope = "scope",
    Stopped = "stopped", StoreFull = "store_full", StoreUnavailable =
    "store_unavailable", Streams = "streams", Superseded = "superseded",
    TicketArgumentsChanged = "ticket_arguments_changed", TicketDeclined =
    "ticket_declined", TicketExpired = "ticket_expired", TicketForeign =
    "ticket_foreign", TicketMalformed = "ticket_malformed", TicketOutdated =
    "ticket_outdated", TicketOversized = "ticket_oversized", TicketSuperseded =
    "ticket_superseded", TicketTampered = "ticket_tampered", TicketUnknown =
    "ticket_unknown", TicketUnknownKey = "ticket_unknown_key", TicketUnreadable =
    "ticket_unreadable", TicketUsed = "ticket_used", TokenKeys = "token_keys",
    ToolDisabled = "tool_disabled", ToolNotCovered = "tool_not_covered", UnknownEvidence
    = "unknown_evidence", UnknownKey = "unknown_key", UnknownOutcome = "unknown_outcome",
    UnknownOutcomesFull = "unknown_outcomes_full", UnknownTool = "unknown_tool",
    UnknownTrace = "unknown_trace", User = "user", WaitingTicketsFull =
    "waiting_tickets_full", }
}
impl Serialize for RefusalReason {}
impl fmt::Display for RefusalReason {}

// tool_runtime::RefusedTool
#[derive(Debug, Clone)]
pub struct RefusedTool {
    ..
}
impl RefusedTool {
    #[must_use]
    pub fn error(&self) -> &BuildError {}
    #[must_use]
    pub fn location(&self) -> &SourceLocation {}
    #[must_use]
    pub fn name(&self) -> &str {}
}
impl fmt::Display for RefusedTool {}

// tool_runtime::Registry
#[derive(Debug, Default)]
pub struct Registry {
    ..
}
impl Registry {
    #[must_use]
    pub fn discover(self) -> Self {}
    #[must_use]
    pub fn dynamic(self, tool: DynamicTool) -> Self {}
    #[must_use]
    pub fn dynamic_if_valid(self, tools: impl IntoIterator<Item = DynamicTool>) -> Self {}
    #[must_use]
    pub fn new() -> Self {}
    pub fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, BuildError> {}
    pub fn specs(&self) -> Result<Vec<ToolSpec>, BuildError> {}
    #[must_use]
    pub fn tool<Handle: Tool>(self) -> Self {}
    #[must_use]
    pub fn toolkit<T: Toolkit>(self) -> Self {}
}

// tool_runtime::Runtime
#[derive(Clone)]
pub struct Runtime {
    ..
}
impl Runtime {
    #[must_use]
    pub fn bridge(&self, dialect: Dialect) -> ClientBridge {}
    #[must_use]
    pub fn builder() -> RuntimeBuilder {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call(
        &self,
        name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_all(
        &self,
        requests: &[ToolCallRequest],
        cx: &ToolContext,
    ) -> Vec<ToolCall> {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_request(&self, request: &ToolCallRequest, cx: &ToolContext) -> ToolCall {}
    pub fn call_typed<T: TypedTool>(
        &self,
        arguments: &impl Serialize,
        cx: &ToolContext,
    ) -> serde_json::Result<TypedCall<T>> {}
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_with_id(
        &self,
        call_id: impl Into<String>,
        name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {}
    pub async fn execute_all<'c>(
        &self,
        calls: &'c mut [ToolCall],
    ) -> Vec<&'c ToolOutput> {}
    #[must_use]
    pub fn grants(&self) -> Grants<'_> {}
    pub async fn handle(
        &self,
        request: RequestEnvelope,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> ResponseEnvelope {}
    pub async fn handle_for(
        &self,
        tenant_id: Uuid,
        request: RequestEnvelope,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> ResponseEnvelope {}
    #[must_use]
    pub fn outcomes(&self) -> Outcomes<'_> {}
    #[must_use]
    pub fn outputs(&self) -> StoredOutputs<'_> {}
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<Arc<ToolSpec>> {}
    pub fn specs(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {}
    pub fn specs_for_model(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {}
    pub async fn sweep(&self) -> Result<usize, StoreError> {}
    #[must_use]
    pub fn tickets(&self) -> Tickets<'_> {}
    #[must_use]
    pub fn tool_index(&self) -> ToolIndex {}
    #[must_use]
    pub fn tools(&self) -> Tools<'_> {}
    #[must_use]
    pub fn wall_clock_steps(&self) -> u64 {}
}
impl fmt::Debug for Runtime {}

// tool_runtime::RuntimeBuilder
pub struct RuntimeBuilder {
    ..
}
impl RuntimeBuilder {
    #[must_use]
    pub fn allow_panic_abort(self) -> Self {}
    #[must_use]
    pub fn attachment_limits(self, limits: AttachmentLimits) -> Self {}
    pub fn build(self) -> Result<Runtime, BuildError> {}
    #[must_use]
    pub fn coerce_reads(self, coerce: Coerce) -> Self {}
    #[must_use]
    pub fn coerce_writes(self, coerce: Coerce) -> Self {}
    #[must_use]
    pub fn default_timeout(self, timeout: Duration) -> Self {}
    #[must_use]
    pub fn discover(self) -> Self {}
    #[must_use]
    pub fn dynamic(self, tool: DynamicTool) -> Self {}
    #[must_use]
    pub fn dynamic_if_valid(self, tools: impl IntoIterator<Item = DynamicTool>) -> Self {}
    #[must_use]
    pub fn evidence(self, keeper: EvidenceKeeper) -> Self {}
    #[must_use]
    pub fn expect_more_tools(self) -> Self {}
    #[must_use]
    pub fn ledger(self, ledger: &Ledger) -> Self {}
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {}
    #[must_use]
    pub fn max_blocking_tools(self, limit: usize) -> Self {}
    #[must_use]
    pub fn max_concurrent_tools(self, limit: usize) -> Self {}
    #[must_use]
    pub fn max_listing_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub fn metrics(self, metrics: Metrics) -> Self {}
    #[must_use]
    pub fn observe(self, observer: impl Observe) -> Self {}
    #[must_use]
    pub fn permission(
        self,
        tool_or_toolkit: impl Into<String>,
        permission: Permission,
    ) -> Self {}
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {}
    #[must_use]
    pub fn registry(self, registry: Registry) -> Self {}
    #[must_use]
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(self, state: Arc<T>) -> Self {}
    #[must_use]
    pub fn shared_toolkit<T: Toolkit>(self, toolkit: Arc<T>) -> Self {}
    #[must_use]
    pub fn span_ids(self, ids: SpanIds) -> Self {}
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {}
    #[must_use]
    pub fn store(self, store: impl Store) -> Self {}
    #[must_use]
    pub fn tenant(self, tenant_id: Uuid) -> Self {}
    #[must_use]
    pub fn timer(self, timer: impl Timer) -> Self {}
    #[must_use]
    pub fn tool<Handle: Tool>(self) -> Self {}
    #[must_use]
    pub fn toolkit<T: Toolkit>(self, toolkit: T) -> Self {}
    #[must_use]
    pub fn without_tracing(self) -> Self {}
}
impl fmt::Debug for RuntimeBuilder {}

// tool_runtime::Sleep
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

// tool_runtime::SourceLocation
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    ..
}
impl SourceLocation {
    #[must_use]
    pub fn file(&self) -> &'static str {}
    #[must_use]
    pub fn line(&self) -> u32 {}
}
impl fmt::Display for SourceLocation {}

// tool_runtime::Timer
pub trait Timer: fmt::Debug + Send + Sync + 'static {
    fn now(&self) -> Instant;
    fn is_ready(&self) -> bool {}
    fn sleep(&self, duration: Duration) -> Sleep;
    fn spawn_blocking(&self, job: Job);
}

// tool_runtime::TokioTimer
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TokioTimer;
impl Timer for TokioTimer {}

// tool_runtime::Tool
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the handle of a tool",
    note = "`#[ai_tool]` over `fn search_content` makes the handle `SearchContentTool`; \
            register that: `.tool::<SearchContentTool>()`"
)]
pub trait Tool: 'static {}

// tool_runtime::ToolCall
pub struct ToolCall {
    ..
}
impl ToolCall {
    pub fn approve(&mut self, approver: impl Into<String>) -> Result<(), ApprovalError> {}
    pub fn approve_edited(
        &mut self,
        approver: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<(), ApprovalError> {}
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {}
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {}
    #[must_use]
    pub fn cancellation(&self) -> Option<Cancellation> {}
    #[must_use]
    pub fn cx(&self) -> &ToolContext {}
    pub fn decline(
        &mut self,
        by: impl Into<String>,
        feedback: impl Into<String>,
    ) -> Result<(), ApprovalError> {}
    pub async fn dry_run(&self) -> ToolOutput {}
    pub async fn execute(&mut self) -> &ToolOutput {}
    pub async fn for_model(&self) -> ModelAnswer {}
    #[must_use]
    pub fn input(&self) -> &str {}
    #[must_use]
    pub fn into_output(self) -> Option<ToolOutput> {}
    pub async fn load_preview(&mut self) -> Preview<'_> {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn needs_approval(&self) -> bool {}
    pub fn on_progress(&self, listen: impl Fn(ProgressUpdate) + Send + Sync + 'static) {}
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {}
    #[must_use]
    pub fn preview(&self) -> Preview<'_> {}
    #[must_use]
    pub fn status(&self) -> CallStatus {}
    pub async fn ticket(&mut self) -> Result<Ticket, TicketIssueError> {}
    #[must_use]
    pub fn tool(&self) -> Option<&ToolSpec> {}
    #[must_use]
    pub fn violations(&self) -> &[Violation] {}
    pub fn withdraw(&mut self, reason: Withdrawal) -> Result<(), NotPending> {}
}
impl Drop for ToolCall {}
impl fmt::Debug for ToolCall {}

// tool_runtime::ToolChanges
#[derive(Debug, Default)]
#[must_use = "the changes are made by `Tools::apply`"]
pub struct ToolChanges(_);
impl ToolChanges {
    pub fn add(self, tool: DynamicTool) -> Self {}
    pub fn disable(self, name: impl Into<String>, reason: impl Into<String>) -> Self {}
    pub fn enable(self, name: impl Into<String>) -> Self {}
    pub fn new() -> Self {}
    pub fn remove(self, name: impl Into<String>) -> Self {}
    pub fn replace(self, tool: DynamicTool) -> Self {}
}

// tool_runtime::ToolFailure = tool_runtime_derive::ToolFailure

// tool_runtime::ToolList
#[derive(Clone)]
pub struct ToolList(_);
impl ToolList {
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<&Arc<ToolSpec>> {}
    pub fn specs(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {}
    pub fn specs_for_model(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {}
    #[must_use]
    pub fn version(&self) -> u64 {}
}
impl fmt::Debug for ToolList {}

// tool_runtime::ToolOutput
#[derive(Clone)]
pub struct ToolOutput {
    ..
}
impl ToolOutput {
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {}
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {}
    pub fn data<'o, T: Deserialize<'o>>(&'o self) -> Result<T, DataError> {}
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {}
    pub fn decode<I, O>(&self) -> serde_json::Result<tool_contracts::ToolOutput<I, O>>
    where
        I: DeserializeOwned,
        O: DeserializeOwned,
    {}
    #[must_use]
    pub fn error(&self) -> Option<&ToolErrorDetail> {}
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {}
    #[must_use]
    pub fn into_envelope(self) -> ResponseEnvelope {}
    #[must_use]
    pub fn is_ok(&self) -> bool {}
    #[must_use]
    pub fn json(&self) -> &str {}
    #[must_use]
    pub fn meta(&self) -> OutputMeta {}
    #[must_use]
    pub fn meta_json(&self) -> &str {}
    #[must_use]
    pub fn to_envelope(&self) -> ResponseEnvelope<&RawValue> {}
}
impl Serialize for ToolOutput {}
impl fmt::Debug for ToolOutput {}
impl fmt::Display for ToolOutput {}

// tool_runtime::ToolSubscription
#[must_use = "the subscription ends when it is dropped"]
pub struct ToolSubscription {
    ..
}
impl fmt::Debug for ToolSubscription {}

// tool_runtime::Toolkit
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolkit",
    note = "write `#[ai_toolkit]` over one `impl {Self}` block and `#[ai_tool(…)]` on its methods"
)]
pub trait Toolkit: Send + Sync + 'static {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
}

// tool_runtime::Tools
#[derive(Debug, Clone, Copy)]
pub struct Tools<'r>(_);
impl<'r> Tools<'r> {
    pub fn add(&self, tool: DynamicTool) -> Result<ToolList, BuildError> {}
    pub fn apply(&self, changes: ToolChanges) -> Result<ToolList, BuildError> {}
    pub fn disable(&self, name: &str, reason: impl Into<String>) -> bool {}
    #[must_use]
    pub fn disabled(&self) -> Vec<(String, Arc<str>)> {}
    pub fn enable(&self, name: &str) -> bool {}
    #[must_use]
    pub fn failure_codes(&self, name: &str) -> Option<Arc<[FailureCode]>> {}
    #[must_use]
    pub fn list(&self) -> ToolList {}
    pub fn refused(&self) -> impl Iterator<Item = &'r RefusedTool> + use<'r> {}
    pub fn remove(&self, name: &str) -> bool {}
    pub fn replace(&self, tool: DynamicTool) -> Result<ToolList, BuildError> {}
    pub fn schema_findings(
        &self,
    ) -> impl Iterator<Item = (String, SchemaFinding)> + use<> {}
    pub fn subscribe(
        &self,
        listen: impl Fn(&ToolList) + Send + Sync + 'static,
    ) -> ToolSubscription {}
    pub fn unchecked_rules(
        &self,
    ) -> impl Iterator<Item = (String, UncheckedRule)> + use<> {}
}

// tool_runtime::TypedCall
pub struct TypedCall<T> {
    ..
}
impl<T: TypedTool> TypedCall<T> {
    #[must_use]
    pub fn as_call(&self) -> &ToolCall {}
    #[must_use]
    pub fn as_call_mut(&mut self) -> &mut ToolCall {}
    pub async fn execute(
        &mut self,
    ) -> serde_json::Result<tool_contracts::ToolOutput<Box<RawValue>, T::Output>>
    where
        T::Output: DeserializeOwned,
    {}
}
impl<T> fmt::Debug for TypedCall<T> {}

// tool_runtime::TypedTool
#[diagnostic::on_unimplemented(
    message = "the answer of `{Self}` has no type that can be named",
    note = "a function that returns `impl Trait` has none; use `runtime.call(…)`"
)]
pub trait TypedTool: Tool {
    type Output;
}

// tool_runtime::UserInput
#[derive(Clone)]
pub struct UserInput(_);
impl UserInput {
    #[must_use]
    pub fn answering(
        answer: impl Fn(&str) -> InputAnswer + Send + Sync + 'static,
    ) -> Self {}
    pub async fn ask(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        form: impl Into<Value>,
    ) -> Result<InputAnswer, InputError> {}
    #[must_use]
    pub fn can_ask(&self) -> bool {}
    #[must_use]
    pub const fn unavailable() -> Self {}
}
impl FromCall for UserInput {}
impl fmt::Debug for UserInput {}

// tool_runtime::Uuid = uuid::Uuid

// tool_runtime::Withdrawal
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withdrawal {
    Superseded,
    Expired,
    CutOff,
}

// tool_runtime::adapters::Adapter
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

// tool_runtime::adapters::AdapterBuilder
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

// tool_runtime::adapters::AnswerError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    Pending { call_id: String },
    Missing { call_id: String },
    Unknown { call_id: String },
    ClientType(ClientTypeError),
    Duplicate { call_id: String },
}

// tool_runtime::adapters::CacheLifetime
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheLifetime {
    FiveMinutes,
    OneHour,
}

// tool_runtime::adapters::CallRules
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

// tool_runtime::adapters::ClientBridge
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

// tool_runtime::adapters::ClientTypeError
#[derive(Clone, PartialEq, Eq, Error)]
pub struct ClientTypeError {
    ..
}
impl ClientTypeError {
    #[must_use]
    pub fn reason(&self) -> &str {}
}
impl fmt::Debug for ClientTypeError {}

// tool_runtime::adapters::CustomToolError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CustomToolError {
    Unsupported { dialect: Dialect },
    UnknownTool { tool: String, closest: Vec<String> },
    NotOneText { tool: String, reason: String },
}

// tool_runtime::adapters::CustomToolFormat
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CustomToolFormat {
    FromSchema,
    Text,
    Lark(String),
    Regex(String),
}

// tool_runtime::adapters::CustomToolsBuilder
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

// tool_runtime::adapters::DeclarationLoss
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

// tool_runtime::adapters::DeclarationReport
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

// tool_runtime::adapters::DeclaredTool
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

// tool_runtime::adapters::Delta
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    Text(String),
    Thinking(String),
    Refusal(String),
    CallStarted(String),
}

// tool_runtime::adapters::Dialect
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
impl fmt::Display for Dialect {}

// tool_runtime::adapters::Disclosure
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

// tool_runtime::adapters::LimitWarning
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

// tool_runtime::adapters::ProviderError
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

// tool_runtime::adapters::ReadError
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

// tool_runtime::adapters::RequestedCall
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

// tool_runtime::adapters::StopReason
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    Done,
    Length,
    Interrupted,
    Refused(String),
    Other(String),
}

// tool_runtime::adapters::ToolAnswer
#[derive(Clone)]
pub struct ToolAnswer {
    ..
}
impl ToolAnswer {
    #[must_use]
    pub fn as_error(self) -> Self {}
    #[must_use]
    pub fn call_id(&self) -> &str {}
    pub async fn for_model(call: &ToolCall) -> Self {}
    #[must_use]
    pub fn from_text(call_id: impl Into<String>, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn is_error(&self) -> bool {}
    #[must_use]
    pub fn new(call_id: impl Into<String>, output: &ToolOutput) -> Self {}
    #[must_use]
    pub fn with_attachments(
        self,
        attachments: impl IntoIterator<Item = Attachment>,
    ) -> Self {}
    #[must_use]
    pub fn with_data(self, json: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_model_answer(self, shown: &ModelAnswer) -> Self {}
    #[must_use]
    pub fn with_note(self, note: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {}
}
impl From<&ToolCall> for ToolAnswer {}
impl fmt::Debug for ToolAnswer {}

// tool_runtime::adapters::ToolChoice
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    Auto,
    Required,
    None,
    Tool(String),
}

// tool_runtime::adapters::ToolChoiceError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolChoiceError {
    UnknownTool { tool: String, closest: Vec<String> },
    NotAllowed { tool: String },
    NoTools,
    Unsupported { dialect: Dialect, rule: &'static str, cure: &'static str },
}

// tool_runtime::adapters::ToolSearch
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolSearch {
    Automatic,
    Provider,
    ProviderRegex,
    ClientExecuted,
    SearchTools,
}

// tool_runtime::adapters::ToolkitText
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolkitText {
    Once,
    EachTool,
    Omitted,
}

// tool_runtime::adapters::Turn
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

// tool_runtime::adapters::TurnStream
pub struct TurnStream<'a> {
    ..
}
impl<'a> TurnStream<'a> {
    pub fn finish(self) -> Result<Turn, ReadError> {}
    pub fn push(&mut self, event: &str) -> Result<Vec<Delta>, ReadError> {}
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ReadError> {}
}
impl TurnStream<'_> {
    pub fn push_event<T: Serialize + ?Sized>(
        &mut self,
        event: &T,
    ) -> Result<Vec<Delta>, ReadError> {}
}
impl fmt::Debug for TurnStream<'_> {}

// tool_runtime::adapters::TurnUsage
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnUsage {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
    pub reasoning: Option<u64>,
}

// tool_runtime::agent::AgentConfig
#[derive(Debug, Clone, PartialEq, Serialize)]
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
impl Default for AgentConfig {}
impl JsonSchema for AgentConfig {}

// tool_runtime::agent::AgentError
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

// tool_runtime::agent::AgentErrorKind
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

// tool_runtime::agent::AgentErrorReason
word_enum! {
    #[non_exhaustive] pub enum AgentErrorReason { AsyncThread = "async_thread",
    Connection = "connection", InvalidRequest = "invalid_request", NotFound =
    "not_found", Panic = "panic", RateLimited = "rate_limited", SessionStore =
    "session_store", Timeout = "timeout", ToolType = "tool_type", Unauthorized =
    "unauthorized", UnansweredCall = "unanswered_call", Unavailable = "unavailable",
    UnknownTool = "unknown_tool", Unreadable = "unreadable", }
}
impl fmt::Display for AgentErrorReason {}

// tool_runtime::agent::AssistantMessage
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

// tool_runtime::agent::ChatModel
pub trait ChatModel: fmt::Debug + Send + Sync {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError>;
    fn accepts(&self, _: &Attachment) -> bool {}
    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {}
}

// tool_runtime::agent::ChatReply
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
    pub const fn is_fallback(&self) -> bool {}
    #[must_use]
    pub const fn latency(&self) -> Duration {}
    #[must_use]
    pub const fn message(&self) -> &AssistantMessage {}
    #[must_use]
    pub fn model(&self) -> &str {}
    #[must_use]
    pub fn new(model: impl Into<String>, text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn of_message(model: impl Into<String>, message: AssistantMessage) -> Self {}
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

// tool_runtime::agent::ChatRequest
#[derive(Clone, Default)]
pub struct ChatRequest {
    ..
}
impl ChatRequest {
    #[must_use]
    pub const fn max_output_tokens(&self) -> Option<u64> {}
    #[must_use]
    pub fn messages(&self) -> &[ModelMessage] {}
    #[must_use]
    pub fn model(&self) -> Option<&str> {}
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {}
    #[must_use]
    pub fn of(messages: impl IntoIterator<Item = ModelMessage>) -> Self {}
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

// tool_runtime::agent::FinishReason
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

// tool_runtime::agent::LogLevel
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
impl Serialize for LogLevel {}
impl fmt::Display for LogLevel {}

// tool_runtime::agent::LoopEnd
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopEnd {
    Answered(ChatReply),
    Suspended(SuspendedRun),
    Stopped(StopCause),
}

// tool_runtime::agent::LoopReport
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

// tool_runtime::agent::LoopSavings
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct LoopSavings {
    pub compressed_results: u32,
    pub compactions: u32,
    pub input_tokens: u64,
    pub net_input_tokens: f64,
}

// tool_runtime::agent::MemorySessions
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

// tool_runtime::agent::ModelCall
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

// tool_runtime::agent::ModelMessage
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

// tool_runtime::agent::ModelPrice
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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

// tool_runtime::agent::OnText
pub type OnText<'t> = dyn Fn(&str) + Send + Sync + 't;

// tool_runtime::agent::OpenAiBuilder
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

// tool_runtime::agent::OpenAiEmbedder
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

// tool_runtime::agent::OpenAiModel
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

// tool_runtime::agent::PendingCall
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCall {
    ..
}
impl PendingCall {
    #[must_use]
    pub fn call_id(&self) -> &str {}
    #[must_use]
    pub fn ticket(&self) -> &str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}

// tool_runtime::agent::PriceTable
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PriceTable(_);
impl PriceTable {
    #[must_use]
    pub fn of(&self, model: &str) -> Option<ModelPrice> {}
    #[must_use]
    pub fn with(self, model: impl Into<String>, price: ModelPrice) -> Self {}
}

// tool_runtime::agent::ProviderPrefix
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ProviderPrefix {
    Kept,
    Removed,
}

// tool_runtime::agent::ProxyAgent
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

// tool_runtime::agent::ProxyAgentBuilder
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

// tool_runtime::agent::RuntimeExecutor
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

// tool_runtime::agent::SessionKey
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    ..
}
impl SessionKey {
    #[must_use]
    pub fn new(cx: &ToolContext, session: &str) -> Self {}
    #[must_use]
    pub fn principal(&self) -> &str {}
    #[must_use]
    pub fn session(&self) -> &str {}
    #[must_use]
    pub const fn tenant(&self) -> Uuid {}
}
impl fmt::Debug for SessionKey {}

// tool_runtime::agent::SessionStore
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

// tool_runtime::agent::SqliteSessions
#[derive(Debug, Clone)]
pub struct SqliteSessions {
    ..
}
impl SqliteSessions {
    #[must_use]
    pub fn clock(self, clock: impl Clock) -> Self {}
    pub async fn delete(&self, key: &SessionKey) -> Result<bool, StoreError> {}
    pub async fn delete_all(&self, cx: &ToolContext) -> Result<usize, StoreError> {}
    #[must_use]
    pub fn new(store: SqliteStore, keys: &KeyRing) -> Self {}
    #[must_use]
    pub fn retention(self, retention: Duration) -> Self {}
    #[must_use]
    pub fn sessions_per_principal(self, limit: usize) -> Self {}
    pub async fn sweep(&self) -> Result<usize, StoreError> {}
}
impl SessionStore for SqliteSessions {}

// tool_runtime::agent::StopCause
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

// tool_runtime::agent::StudentSummarizer
#[derive(Debug, Clone)]
pub struct StudentSummarizer {
    ..
}
impl StudentSummarizer {
    #[must_use]
    pub fn new(model: impl ChatModel + 'static) -> Self {}
    #[must_use]
    pub fn with_dollars_per_million(self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_dollars_per_million_output(self, dollars: f64) -> Self {}
    #[must_use]
    pub fn with_model(self, name: impl Into<String>) -> Self {}
}
impl Summarizer for StudentSummarizer {}

// tool_runtime::agent::SuspendedRun
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
    #[must_use]
    pub fn pending(&self) -> &[PendingCall] {}
}
impl fmt::Debug for SuspendedRun {}

// tool_runtime::agent::TokenUsage
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

// tool_runtime::agent::ToolExecutor
pub trait ToolExecutor: fmt::Debug + Send + Sync {
    fn execute(&self, request: &ToolRequest) -> Result<ActResult, AgentError>;
    async fn execute_async(
        &self,
        request: &ToolRequest,
    ) -> Result<ActResult, AgentError>;
    fn validate_tool(&self, tool_id: &str) -> bool;
}

// tool_runtime::agent::ToolLoop
#[derive(Clone)]
pub struct ToolLoop {
    ..
}
impl ToolLoop {
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
    pub fn timeout(self, timeout: Duration) -> Self {}
}
impl fmt::Debug for ToolLoop {}

// tool_runtime::ai_tool = tool_runtime_derive::ai_tool

// tool_runtime::ai_toolkit = tool_runtime_derive::ai_toolkit

// tool_runtime::ai_type = tool_runtime_derive::ai_type

// tool_runtime::articulate::Articulator
#[derive(Debug, Clone)]
pub struct Articulator {
    ..
}
impl Articulator {
    #[must_use]
    pub fn new() -> Self {}
    #[must_use]
    pub fn table_rows(self, rows: usize) -> Self {}
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {}
}
impl Default for Articulator {}
impl OutputSerializer for Articulator {}

// tool_runtime::articulate::from_toon
pub fn from_toon<T: DeserializeOwned>(text: &str) -> Result<T, SerializationError> {}

// tool_runtime::articulate::to_toon
pub fn to_toon<T: Serialize + ?Sized>(data: &T) -> Result<String, SerializationError> {}

// tool_runtime::assess::AssessOptions
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

// tool_runtime::assess::Assessor
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

// tool_runtime::assess::CompressionError
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

// tool_runtime::assess::ContextCompressor
pub trait ContextCompressor: fmt::Debug + Send + Sync {
    fn method(&self) -> CompressionMethod;
    async fn compress(
        &self,
        context: &ContextData,
        budget_tokens: u64,
    ) -> Result<String, CompressionError>;
}

// tool_runtime::assess::ContextManager
pub trait ContextManager: fmt::Debug + Send + Sync {
    async fn optimize(&self, context: &ContextData) -> OptimizedContext;
    fn estimate_tokens(&self, text: &str) -> u64;
    fn select_strategy(&self, context: &ContextData) -> CompressionMethod;
}

// tool_runtime::assess::Embedder
pub trait Embedder: fmt::Debug + Send + Sync {
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError>;
}

// tool_runtime::assess::Summarizer
pub trait Summarizer: fmt::Debug + Send + Sync {
    async fn summarize(
        &self,
        request: SummaryRequest<'_>,
    ) -> Result<String, CompressionError>;
    fn dollars_per_million(&self) -> f64 {}
    fn dollars_per_million_output(&self) -> f64 {}
}

// tool_runtime::assess::SummaryRequest
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SummaryRequest<'r> {
    pub text: &'r str,
    pub query: Option<&'r str>,
    pub max_tokens: u64,
    pub identifiers: &'r [&'r str],
}

// tool_runtime::canonical = tool_runtime_schema::canonical

// tool_runtime::contracts = tool_contracts

// tool_runtime::evidence::Access
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    ..
}
impl Access {
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {}
    pub fn new(
        reader: impl Into<Box<str>>,
        reason: impl Into<Box<str>>,
    ) -> Result<Self, EvidenceError> {}
    #[must_use]
    pub fn principal(&self) -> &str {}
    #[must_use]
    pub fn reader(&self) -> &str {}
    #[must_use]
    pub fn reason(&self) -> &str {}
    pub fn scopes(&self) -> impl Iterator<Item = &str> {}
    #[must_use]
    pub const fn tenant(&self) -> Option<Uuid> {}
    #[must_use]
    pub fn user(&self) -> Option<&str> {}
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn with_scopes<S: Into<Box<str>>>(
        self,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {}
    #[must_use]
    pub const fn with_tenant(self, tenant: Uuid) -> Self {}
    #[must_use]
    pub fn with_user(self, user: impl Into<Box<str>>) -> Self {}
}

// tool_runtime::evidence::AccessAction
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessAction {
    Find,
    List,
    Read,
    Replay,
    Shred,
    Rotate,
    Rewrap,
}
impl AccessAction {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}
impl fmt::Display for AccessAction {}

// tool_runtime::evidence::AccessLog
pub trait AccessLog: Send + Sync + 'static {
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError>;
}

// tool_runtime::evidence::AccessOutcome
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessOutcome {
    Asked,
    Done,
    Redacted,
    Denied,
    Failed(EvidenceErrorKind),
}

// tool_runtime::evidence::AccessRecord
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessRecord {
    pub action: AccessAction,
    pub tenant: Option<Uuid>,
    pub snapshot: Option<SnapshotId>,
    pub last_snapshot: Option<SnapshotId>,
    pub access: Access,
    pub at: UnixMillis,
    pub outcome: AccessOutcome,
}

// tool_runtime::evidence::Contents
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Contents {
    ..
}
impl Contents {
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {}
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub fn output(&self) -> Option<&str> {}
    #[must_use]
    pub fn part(&self, part: ContentsPart) -> Option<&str> {}
    #[must_use]
    pub fn with_arguments(self, json: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_output(self, json: impl Into<String>) -> Self {}
}
impl fmt::Debug for Contents {}

// tool_runtime::evidence::ContentsPart
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[non_exhaustive]
pub enum ContentsPart {
    Arguments,
    Output,
}
impl ContentsPart {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}

// tool_runtime::evidence::EvidenceAuthorizer
pub trait EvidenceAuthorizer: Send + Sync + 'static {
    async fn authorize(
        &self,
        request: &EvidenceRequest<'_>,
    ) -> Result<EvidenceVerdict, Box<dyn Error + Send + Sync>>;
}
impl<F> EvidenceAuthorizer for F
where
    F: Fn(&EvidenceRequest<'_>) -> EvidenceVerdict + Send + Sync + 'static,
{}

// tool_runtime::evidence::EvidenceError
#[derive(Debug, Clone)]
pub struct EvidenceError {
    ..
}
impl EvidenceError {
    #[must_use]
    pub const fn kind(&self) -> EvidenceErrorKind {}
    #[must_use]
    pub const fn snapshot(&self) -> Option<SnapshotId> {}
}
impl Error for EvidenceError {}
impl From<EvidenceErrorKind> for EvidenceError {}
impl From<StoreError> for EvidenceError {}
impl fmt::Display for EvidenceError {}

// tool_runtime::evidence::EvidenceErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceErrorKind {
    NotFound,
    Shredded,
    Altered,
    NotAsRecorded,
    Missing,
    ReservedTenant,
    UnknownKey,
    InvalidAccess,
    InvalidSnapshot,
    Unrecorded,
    AuthorizerFailed,
    Contended,
    NoRandomness,
    TooLarge,
    Store(StoreErrorKind),
}
impl fmt::Display for EvidenceErrorKind {}

// tool_runtime::evidence::EvidenceKeeper
#[derive(Clone)]
#[must_use]
pub struct EvidenceKeeper {
    ..
}
impl EvidenceKeeper {
    pub fn build_hash(self, build: impl Into<Arc<str>>) -> Self {}
    pub fn new(vault: Vault, ledger: &Ledger) -> Self {}
    pub fn sealing(self, sealing: Sealing) -> Self {}
    #[must_use]
    pub fn vault(&self) -> &Vault {}
}
impl fmt::Debug for EvidenceKeeper {}

// tool_runtime::evidence::EvidenceRequest
#[derive(Debug, Clone, Copy)]
pub struct EvidenceRequest<'a> {
    ..
}
impl<'a> EvidenceRequest<'a> {
    #[must_use]
    pub const fn access(&self) -> &'a Access {}
    #[must_use]
    pub const fn action(&self) -> AccessAction {}
    #[must_use]
    pub const fn id(&self) -> SnapshotId {}
    #[must_use]
    pub const fn snapshot(&self) -> Option<&'a Snapshot> {}
    #[must_use]
    pub const fn tenant(&self) -> Uuid {}
}

// tool_runtime::evidence::EvidenceStore
pub trait EvidenceStore: Send + Sync + 'static {
    async fn put_snapshot(&self, snapshot: StoredSnapshot) -> Result<bool, StoreError>;
    async fn find_snapshot(
        &self,
        tenant: Uuid,
        id: SnapshotId,
    ) -> Result<Option<StoredSnapshot>, StoreError>;
    async fn list_snapshots(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<ListedSnapshot>, StoreError>;
    async fn sweep_snapshots(
        &self,
        before: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError>;
    async fn add_tenant_key(&self, key: TenantKey) -> Result<bool, StoreError>;
    async fn find_tenant_key(
        &self,
        tenant: Uuid,
        version: u32,
    ) -> Result<Option<TenantKey>, StoreError>;
    async fn newest_tenant_key(
        &self,
        tenant: Uuid,
    ) -> Result<Option<TenantKey>, StoreError>;
    async fn list_tenant_keys(
        &self,
        not_by: &str,
        after: Option<(Uuid, u32)>,
        limit: usize,
    ) -> Result<Vec<TenantKey>, StoreError>;
    async fn rewrap_tenant_key(
        &self,
        was: &TenantKey,
        now: TenantKey,
    ) -> Result<bool, StoreError>;
    async fn destroy_unused_tenant_keys(
        &self,
        tenant: Uuid,
    ) -> Result<usize, StoreError>;
    async fn destroy_tenant_keys(&self, tenant: Uuid) -> Result<usize, StoreError>;
    async fn list_data_keys(
        &self,
        tenant: Uuid,
        before_version: u32,
        after: Option<SnapshotId>,
        limit: usize,
    ) -> Result<Vec<(SnapshotId, WrappedKey)>, StoreError>;
    async fn rewrap_data_key(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        was: &WrappedKey,
        now: WrappedKey,
        checksum: Vec<u8>,
    ) -> Result<bool, StoreError>;
}

// tool_runtime::evidence::EvidenceVerdict
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceVerdict {
    Deny,
    AllowRedacted,
    Allow,
}

// tool_runtime::evidence::ListedSnapshot
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedSnapshot {
    pub facts: StoredFacts,
    pub sealed: Option<SealedDigests>,
    pub checksum: Vec<u8>,
}
impl From<StoredSnapshot> for ListedSnapshot {}

// tool_runtime::evidence::OpenedSnapshot
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenedSnapshot {
    pub snapshot: Snapshot,
    pub contents: Contents,
    pub redacted: bool,
}

// tool_runtime::evidence::ParseSnapshotIdError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct ParseSnapshotIdError;

// tool_runtime::evidence::Replay
#[must_use]
pub struct Replay {
    ..
}
impl Replay {
    pub fn after(self, seq: u64) -> Self {}
    pub fn approving(
        self,
        approves: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {}
    pub fn at_most(self, calls: usize) -> Self {}
    pub fn context(
        self,
        change: impl Fn(ToolContext) -> ToolContext + Send + Sync + 'static,
    ) -> Self {}
    pub fn new(runtime: &Runtime, ledger: &Ledger, access: Access) -> Self {}
    pub fn on_call(
        self,
        on_call: impl Fn(&ReplayedCall) + Send + Sync + 'static,
    ) -> Self {}
    pub fn only_tools(
        self,
        may_call: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {}
    pub async fn run(&self, trace_id: &str) -> Result<ReplayReport, EvidenceError> {}
    pub fn tenant(self, tenant_id: Uuid) -> Self {}
    pub fn vault(self, vault: &Vault) -> Self {}
}
impl fmt::Debug for Replay {}

// tool_runtime::evidence::ReplayReport
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayReport {
    ..
}
impl ReplayReport {
    #[must_use]
    pub fn calls(&self) -> &[ReplayedCall] {}
    #[must_use]
    pub fn is_unchanged(&self) -> bool {}
    #[must_use]
    pub fn next(&self) -> Option<u64> {}
    #[must_use]
    pub fn trace_id(&self) -> &str {}
}

// tool_runtime::evidence::ReplayVerdict
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub enum ReplayVerdict {
    Same,
    Changed {
        diff: Option<Value>,
        earlier_error: Option<String>,
        error: Option<String>,
    },
    ToolRemoved,
    Skipped { reason: SkipReason },
}

// tool_runtime::evidence::ReplayedCall
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayedCall {
    ..
}
impl ReplayedCall {
    #[must_use]
    pub fn at(&self) -> &str {}
    #[must_use]
    pub fn recorded_version(&self) -> Option<&str> {}
    #[must_use]
    pub fn replayed_by(&self) -> Option<Uuid> {}
    #[must_use]
    pub fn seq(&self) -> u64 {}
    #[must_use]
    pub fn tool(&self) -> &str {}
    #[must_use]
    pub fn verdict(&self) -> &ReplayVerdict {}
    #[must_use]
    pub fn version(&self) -> Option<&str> {}
    #[must_use]
    pub fn version_changed(&self) -> bool {}
}

// tool_runtime::evidence::RewrapReport
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RewrapReport {
    pub changed: usize,
    pub unreadable: usize,
}

// tool_runtime::evidence::RotationReport
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    pub version: u32,
    pub snapshots: RewrapReport,
    pub destroyed: usize,
}

// tool_runtime::evidence::SealedContents
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedContents {
    pub key: WrappedKey,
    pub arguments: Option<Vec<u8>>,
    pub output: Option<Vec<u8>>,
}
impl SealedContents {
    #[must_use]
    pub const fn new(
        key: WrappedKey,
        arguments: Option<Vec<u8>>,
        output: Option<Vec<u8>>,
    ) -> Self {}
}

// tool_runtime::evidence::SealedDigests
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedDigests {
    pub key: WrappedKey,
    pub arguments: Option<Digest>,
    pub output: Option<Digest>,
}

// tool_runtime::evidence::Sealing
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sealing {
    Nothing,
    Arguments,
    Everything,
}

// tool_runtime::evidence::SkipReason
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[non_exhaustive]
pub enum SkipReason {
    Write,
    NotRun,
    InputNotKept,
    InputSealed,
    InputAltered,
    EvidenceAltered,
    EvidenceMissing,
    Refused,
    NeedsApproval,
    NotAllowed,
    OutputNotKept,
}

// tool_runtime::evidence::Snapshot
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot(_);
impl Snapshot {
    #[must_use]
    pub const fn at(&self) -> UnixMillis {}
    #[must_use]
    pub fn build(&self) -> Option<&str> {}
    pub fn digest(&self) -> Result<Digest, EvidenceError> {}
    #[must_use]
    pub fn error(&self) -> Option<&str> {}
    #[must_use]
    pub const fn id(&self) -> SnapshotId {}
    #[must_use]
    pub fn input_hash(&self) -> Option<&str> {}
    #[must_use]
    pub fn input_summary(&self) -> Option<&str> {}
    #[must_use]
    pub const fn invocation_id(&self) -> Uuid {}
    #[must_use]
    pub fn of_call(
        cx: &ToolContext,
        tool: impl Into<String>,
        version: impl Into<String>,
        at: UnixMillis,
    ) -> Self {}
    #[must_use]
    pub fn output_hash(&self) -> Option<&str> {}
    #[must_use]
    pub const fn rules(&self) -> &BTreeMap<String, String> {}
    #[must_use]
    pub fn sealed(&self) -> &[ContentsPart] {}
    #[must_use]
    pub fn sources(&self) -> &[EvidenceSource] {}
    #[must_use]
    pub const fn tenant_id(&self) -> Uuid {}
    #[must_use]
    pub fn tool(&self) -> &str {}
    #[must_use]
    pub fn trace_id(&self) -> &str {}
    #[must_use]
    pub fn version(&self) -> &str {}
    #[must_use]
    pub fn with_build(self, build: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_error(self, code: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_input_hash(self, hash: impl Into<String>) -> Self {}
    pub fn with_input_summary(
        self,
        summary: impl Into<String>,
    ) -> Result<Self, EvidenceError> {}
    #[must_use]
    pub fn with_output_hash(self, hash: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_rule(self, name: impl Into<String>, version: impl Into<String>) -> Self {}
    #[must_use]
    pub fn with_source(self, source: EvidenceSource) -> Self {}
}
impl TryFrom<SnapshotJson> for Snapshot {
    type Error = &'static str;
}
impl fmt::Debug for Snapshot {}

// tool_runtime::evidence::SnapshotId
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(_);
impl SnapshotId {
    #[must_use]
    pub fn at(moment: UnixMillis) -> Self {}
    #[must_use]
    pub fn created_at(self) -> UnixMillis {}
    #[must_use]
    pub fn from_uuid(uuid: Uuid) -> Option<Self> {}
    #[must_use]
    pub fn least_uuid(moment: UnixMillis) -> Uuid {}
    #[must_use]
    pub const fn uuid(self) -> Uuid {}
}
impl<'de> Deserialize<'de> for SnapshotId {}
impl FromStr for SnapshotId {
    type Err = ParseSnapshotIdError;
}
impl Serialize for SnapshotId {}
impl fmt::Debug for SnapshotId {}
impl fmt::Display for SnapshotId {}

// tool_runtime::evidence::SnapshotPage
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotPage {
    pub snapshots: Vec<Snapshot>,
    pub next: Option<SnapshotId>,
}

// tool_runtime::evidence::SnapshotQuery
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotQuery {
    pub tenant: Uuid,
    pub trace: Option<Box<str>>,
    pub from: Option<UnixMillis>,
    pub until: Option<UnixMillis>,
    pub tool: Option<Box<str>>,
    pub invocation: Option<Uuid>,
}
impl SnapshotQuery {
    #[must_use]
    pub fn ids(&self, after: Option<SnapshotId>) -> Range<Uuid> {}
    #[must_use]
    pub const fn of(tenant: Uuid) -> Self {}
    #[must_use]
    pub const fn with_from(self, moment: UnixMillis) -> Self {}
    #[must_use]
    pub const fn with_invocation(self, invocation: Uuid) -> Self {}
    #[must_use]
    pub fn with_tool(self, tool: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn with_trace(self, trace: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub const fn with_until(self, moment: UnixMillis) -> Self {}
}

// tool_runtime::evidence::StoredFacts
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredFacts {
    pub tenant: Uuid,
    pub id: SnapshotId,
    pub trace: Box<str>,
    pub facts: Vec<u8>,
}
impl StoredFacts {
    pub fn new(
        tenant: Uuid,
        id: SnapshotId,
        trace: impl Into<Box<str>>,
        facts: impl Into<Vec<u8>>,
    ) -> Self {}
}

// tool_runtime::evidence::StoredSnapshot
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredSnapshot {
    pub facts: StoredFacts,
    pub sealed: Option<SealedContents>,
    pub checksum: Vec<u8>,
}
impl StoredSnapshot {
    #[must_use]
    pub fn listed(&self) -> ListedSnapshot {}
    #[must_use]
    pub const fn new(facts: StoredFacts, sealed: Option<SealedContents>) -> Self {}
    #[must_use]
    pub fn with_checksum(self, checksum: impl Into<Vec<u8>>) -> Self {}
}

// tool_runtime::evidence::TenantKey
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TenantKey {
    pub tenant: Uuid,
    pub version: u32,
    pub ring_key: Box<str>,
    pub wrapped: Option<Vec<u8>>,
}
impl TenantKey {
    #[must_use]
    pub fn destroyed(tenant: Uuid, version: u32) -> Self {}
    pub fn new(
        tenant: Uuid,
        version: u32,
        ring_key: impl Into<Box<str>>,
        wrapped: Vec<u8>,
    ) -> Self {}
}

// tool_runtime::evidence::Vault
#[derive(Clone)]
pub struct Vault {
    ..
}
impl Vault {
    pub async fn find(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
    ) -> Result<Option<Snapshot>, EvidenceError> {}
    pub async fn finish_rotation(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<RotationReport, EvidenceError> {}
    pub async fn keep(
        &self,
        snapshot: Snapshot,
        contents: &Contents,
    ) -> Result<Snapshot, EvidenceError> {}
    pub async fn list(
        &self,
        query: &SnapshotQuery,
        after: Option<SnapshotId>,
        limit: usize,
        access: &Access,
    ) -> Result<SnapshotPage, EvidenceError> {}
    pub fn new(store: impl EvidenceStore, keys: impl Into<Arc<KeyRing>>) -> Self {}
    pub async fn read(
        &self,
        tenant: Uuid,
        id: SnapshotId,
        access: &Access,
    ) -> Result<OpenedSnapshot, EvidenceError> {}
    pub async fn rewrap_tenant_keys(
        &self,
        access: &Access,
    ) -> Result<RewrapReport, EvidenceError> {}
    pub async fn rotate(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<RotationReport, EvidenceError> {}
    pub async fn shred(
        &self,
        tenant: Uuid,
        access: &Access,
    ) -> Result<usize, EvidenceError> {}
    pub async fn sweep(
        &self,
        before: UnixMillis,
        limit: usize,
    ) -> Result<usize, EvidenceError> {}
    #[must_use]
    pub fn with_access_log(self, log: impl AccessLog) -> Self {}
    #[must_use]
    pub fn with_authorizer(self, authorizer: impl EvidenceAuthorizer) -> Self {}
    #[must_use]
    pub fn with_clock(self, clock: impl Clock) -> Self {}
    #[must_use]
    pub fn with_ledger(self, ledger: &Ledger) -> Self {}
    #[must_use]
    pub const fn with_retention(self, time: Duration) -> Self {}
}
impl fmt::Debug for Vault {}

// tool_runtime::evidence::WrappedKey
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrappedKey {
    pub version: u32,
    pub wrapped: Vec<u8>,
}
impl WrappedKey {
    #[must_use]
    pub const fn new(version: u32, wrapped: Vec<u8>) -> Self {}
}

// tool_runtime::evidence::async_trait = async_trait::async_trait

// tool_runtime::http::ApiKey
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

// tool_runtime::http::ApiKeyError
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

// tool_runtime::http::ApiKeyHash
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeyHash {
    ..
}
impl FromStr for ApiKeyHash {
    type Err = ApiKeyError;
}
impl fmt::Debug for ApiKeyHash {}
impl fmt::Display for ApiKeyHash {}

// tool_runtime::http::ApiKeySet
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

// tool_runtime::http::ApiKeys
#[derive(Debug, Clone)]
pub struct ApiKeys(_);
impl ApiKeys {
    #[must_use]
    pub fn new(set: ApiKeySet) -> Self {}
    pub fn replace(&self, set: ApiKeySet) {}
}

// tool_runtime::http::Auth
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

// tool_runtime::http::BoundServer
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

// tool_runtime::http::ClientAddress
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

// tool_runtime::http::Drain
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

// tool_runtime::http::DrainGuard
#[derive(Debug)]
#[must_use = "the shutdown waits only while this is held"]
pub struct DrainGuard(_);
impl Drop for DrainGuard {}

// tool_runtime::http::HttpConfig
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

// tool_runtime::http::Jwks
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

// tool_runtime::http::JwksError
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

// tool_runtime::http::JwtConfigError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwtConfigError {
    EmptyIssuerOrAudience,
    LeewayTooLong,
}

// tool_runtime::http::JwtVerifier
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

// tool_runtime::http::Network
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    ..
}
impl FromStr for Network {
    type Err = NetworkError;
}

// tool_runtime::http::NetworkError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct NetworkError {
    ..
}

// tool_runtime::http::Principal
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
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn token_subject(sub: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn trusted(name: impl Into<Box<str>>) -> Self {}
    #[must_use]
    pub fn with_scopes(self, scopes: Scopes) -> Self {}
    #[must_use]
    pub fn with_users(self, users: Users) -> Self {}
}

// tool_runtime::http::RateLimits
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

// tool_runtime::http::Requester
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

// tool_runtime::http::Routers
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Routers {
    pub api: Router,
    pub probes: Router,
}

// tool_runtime::http::Scope
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    Internal,
    Approvals,
    Traces,
    Replay,
    Outcomes,
    Evidence,
    EvidenceContents,
    Metrics,
}
impl Scope {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}

// tool_runtime::http::Scopes
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
    pub fn none() -> Self {}
}
impl FromStr for Scopes {
    type Err = UnknownScope;
}
impl fmt::Display for Scopes {}

// tool_runtime::http::ServeError
#[derive(Debug, Error)]
pub struct ServeError {
    ..
}
impl ServeError {
    #[must_use]
    pub fn kind(&self) -> ServeErrorKind {}
}

// tool_runtime::http::ServeErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServeErrorKind {
    Listen,
    Tls,
    Ledger,
}

// tool_runtime::http::Server
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

// tool_runtime::http::ServerLimits
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

// tool_runtime::http::ShutdownReport
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShutdownReport {
    pub connections: u64,
    pub cancelled: usize,
    pub aborted_connections: usize,
}

// tool_runtime::http::Tls
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

// tool_runtime::http::TokenSubject
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenSubject {
    Person,
    Service,
    TrustedService,
}

// tool_runtime::http::UnknownScope
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct UnknownScope {
    ..
}

// tool_runtime::http::Users
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Users {
    None,
    Only(Box<str>),
    OfItsTenants,
}

// tool_runtime::http::router
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {}

// tool_runtime::http::routers
#[must_use]
pub fn routers(runtime: Runtime, config: HttpConfig) -> Routers {}

// tool_runtime::http::shutdown_signal
pub async fn shutdown_signal() {}

// tool_runtime::ledger::AuditedChain
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedChain {
    pub size: u64,
    pub proven: u64,
}

// tool_runtime::ledger::Auditor
#[derive(Debug)]
pub struct Auditor {
    ..
}
impl Auditor {
    pub fn finish(self) -> Result<AuditedChain, ChainFault> {}
    pub fn new(expected: impl IntoIterator<Item = TreeHead>) -> Self {}
    pub fn push(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {}
}

// tool_runtime::ledger::CallsShed
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallsShed {
    pub at: String,
    pub calls: u64,
    pub since: String,
}

// tool_runtime::ledger::ChainEntry
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainEntry {
    ..
}
impl ChainEntry {
    #[must_use]
    pub fn body(&self) -> Option<&str> {}
    pub fn erase(&mut self) {}
    #[must_use]
    pub fn from_parts(
        seq: u64,
        body: Option<impl Into<Box<str>>>,
        leaf: Digest,
        key: impl Into<Arc<str>>,
        mac: [u8; 32],
    ) -> Self {}
    #[must_use]
    pub fn key(&self) -> &str {}
    #[must_use]
    pub const fn leaf(&self) -> &Digest {}
    #[must_use]
    pub const fn mac(&self) -> &[u8; 32] {}
    #[must_use]
    pub const fn seq(&self) -> u64 {}
}

// tool_runtime::ledger::ChainFault
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainFault {
    ..
}
impl ChainFault {
    #[must_use]
    pub const fn kind(&self) -> ChainFaultKind {}
    #[must_use]
    pub const fn seq(&self) -> u64 {}
}
impl fmt::Display for ChainFault {}
impl std::error::Error for ChainFault {}

// tool_runtime::ledger::ChainFaultKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChainFaultKind {
    Altered,
    Removed,
    Reordered,
    Repeated,
    Inserted,
    Truncated,
    Diverged,
    ForeignKey,
    BadCheckpoint,
}

// tool_runtime::ledger::ChainHead
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    ..
}
impl ChainHead {
    #[must_use = "an entry that is not stored breaks the chain"]
    pub fn append(&mut self, keys: &ChainKeys, body: Box<str>) -> ChainEntry {}
    #[must_use]
    pub fn checkpoint(&self, keys: &ChainKeys, at: UnixMillis) -> Checkpoint {}
    #[must_use]
    pub const fn empty() -> Self {}
    #[must_use]
    pub const fn size(&self) -> u64 {}
    #[must_use]
    pub const fn tree(&self) -> &MerkleFrontier {}
}
impl TryFrom<HeadJson> for ChainHead {
    type Error = InvalidChainHead;
}

// tool_runtime::ledger::ChainKeys
#[derive(Clone)]
pub struct ChainKeys(_);
impl ChainKeys {
    #[must_use]
    pub fn new(ring: &KeyRing) -> Self {}
}
impl fmt::Debug for ChainKeys {}

// tool_runtime::ledger::Checkpoint
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    ..
}
impl Checkpoint {
    #[must_use]
    pub const fn at(&self) -> UnixMillis {}
    #[must_use]
    pub fn key(&self) -> &str {}
    #[must_use]
    pub const fn root(&self) -> &Digest {}
    #[must_use]
    pub const fn size(&self) -> u64 {}
    #[must_use]
    pub const fn tree_head(&self) -> TreeHead {}
    #[must_use]
    pub fn verify_mac(&self, keys: &ChainKeys) -> bool {}
}

// tool_runtime::ledger::CheckpointFile
#[derive(Debug)]
pub struct CheckpointFile {
    ..
}
impl CheckpointFile {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
}
impl CheckpointSink for CheckpointFile {}

// tool_runtime::ledger::CheckpointSink
pub trait CheckpointSink: Send + 'static {
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError>;
    fn newest(&mut self) -> Result<Option<Checkpoint>, StoreError>;
}
impl<F> CheckpointSink for F
where
    F: FnMut(&ExportedCheckpoint) -> Result<(), StoreError> + Send + 'static,
{}

// tool_runtime::ledger::ContentsErased
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContentsErased {
    pub at: String,
    pub before: u64,
}

// tool_runtime::ledger::ExportedCheckpoint
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedCheckpoint {
    pub checkpoint: Checkpoint,
    pub note: Option<Box<str>>,
}

// tool_runtime::ledger::FaultError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub struct FaultError(pub ChainFault);

// tool_runtime::ledger::InputCapture
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputCapture {
    Hashed,
    Redacted { max_bytes: usize },
}
impl Default for InputCapture {}

// tool_runtime::ledger::InvalidChainHead
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct InvalidChainHead;

// tool_runtime::ledger::InvalidNote
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNote {
    Format,
    OtherKey,
    Signature,
}

// tool_runtime::ledger::InvalidNoteKey
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNoteKey {
    Name,
    Format,
    Seed,
}

// tool_runtime::ledger::JsonLinesLedger
#[derive(Debug)]
pub struct JsonLinesLedger {
    ..
}
impl JsonLinesLedger {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
    #[must_use]
    pub fn options() -> JsonLinesOptions {}
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
}
impl LedgerStore for JsonLinesLedger {}

// tool_runtime::ledger::JsonLinesOptions
#[derive(Debug, Clone)]
pub struct JsonLinesOptions {
    ..
}
impl JsonLinesOptions {
    pub fn open(self, path: impl AsRef<Path>) -> Result<JsonLinesLedger, StoreError> {}
    #[must_use]
    pub fn sync(self, sync: bool) -> Self {}
}
impl Default for JsonLinesOptions {}

// tool_runtime::ledger::Ledger
#[derive(Clone)]
pub struct Ledger(_);
impl Ledger {
    pub fn builder(keys: KeyRing) -> LedgerBuilder {}
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {}
    pub async fn close(&self) -> Result<(), StoreError> {}
    pub async fn erase_before(&self, moment: DateTime<Utc>) -> Result<u64, StoreError> {}
    pub async fn find(&self, query: LedgerQuery) -> Result<LedgerPage, StoreError> {}
    pub async fn flush(&self) -> Result<(), StoreError> {}
    pub async fn record_access(&self, access: RecordedAccess) -> Result<(), StoreError> {}
    #[must_use]
    pub fn status(&self) -> LedgerStatus {}
    pub async fn verify(
        &self,
        checkpoints: &[Checkpoint],
    ) -> Result<VerifiedChain, VerifyError> {}
}
impl AccessLog for Ledger {}
impl fmt::Debug for Ledger {}

// tool_runtime::ledger::LedgerBuilder
#[must_use]
pub struct LedgerBuilder {
    ..
}
impl LedgerBuilder {
    pub fn answer_reads_after(self, after: RecordDurability) -> Self {}
    pub fn answer_writes_after(self, after: RecordDurability) -> Self {}
    pub fn capacity(self, calls: usize) -> Self {}
    pub fn capacity_bytes(self, bytes: usize) -> Self {}
    pub fn checkpoint_every(self, records: u64) -> Self {}
    pub fn checkpoint_sink(self, sink: impl CheckpointSink) -> Self {}
    pub fn clock(self, clock: impl Clock) -> Self {}
    pub fn expecting(self, checkpoint: Checkpoint) -> Self {}
    pub fn export_every(self, time: Duration) -> Self {}
    pub fn inputs(self, inputs: InputCapture) -> Self {}
    pub fn note_signer(self, signer: NoteSigner) -> Self {}
    pub fn open(self, store: impl LedgerStore) -> Result<Ledger, StoreError> {}
    pub fn overload(self, overload: Overload) -> Self {}
    pub fn patterns(self, patterns: Patterns) -> Self {}
    pub fn retention(self, time: Duration) -> Self {}
}
impl fmt::Debug for LedgerBuilder {}

// tool_runtime::ledger::LedgerPage
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerPage {
    pub records: Vec<(u64, RecordedCall)>,
    pub next: Option<u64>,
}

// tool_runtime::ledger::LedgerQuery
#[derive(Debug, Clone)]
#[must_use]
pub struct LedgerQuery {
    ..
}
impl LedgerQuery {
    pub fn after(self, seq: u64) -> Self {}
    pub fn kind(self, kind: RecordedCallKind) -> Self {}
    pub fn limit(self, calls: usize) -> Self {}
    #[must_use]
    pub fn matches(&self, call: &RecordedCall) -> bool {}
    pub fn new() -> Self {}
    pub fn request_id(self, request_id: impl Into<String>) -> Self {}
    pub fn since(self, moment: DateTime<Utc>) -> Self {}
    pub fn status(self, status: RecordStatus) -> Self {}
    pub fn tenant(self, tenant_id: Uuid) -> Self {}
    pub fn tool(self, name: impl Into<String>) -> Self {}
    pub fn trace(self, trace_id: impl Into<String>) -> Self {}
    pub fn until(self, moment: DateTime<Utc>) -> Self {}
}
impl Default for LedgerQuery {}

// tool_runtime::ledger::LedgerStatus
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerStatus {
    pub opened: u64,
    pub ended: u64,
    pub written: u64,
    pub shed: u64,
    pub lost: u64,
    pub unconfirmed: u64,
    pub exported: u64,
    pub export_failures: u64,
    pub export_error: Option<StoreError>,
    pub write_error: Option<StoreError>,
    pub maintenance_error: Option<StoreError>,
}
impl LedgerStatus {
    #[must_use]
    pub fn waiting(&self) -> u64 {}
}

// tool_runtime::ledger::LedgerStore
pub trait LedgerStore: Send + 'static {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError>;
    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError>;
    fn count(&mut self) -> Result<u64, StoreError>;
    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError>;
    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {}
    fn search_span(&self, query: &LedgerQuery) -> u64 {}
    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {}
    fn erase(&mut self, before: u64) -> Result<u64, StoreError>;
    fn torn_bytes(&self) -> u64 {}
}

// tool_runtime::ledger::MAX_PAGE_SIZE
pub const MAX_PAGE_SIZE: usize = 1_000;

// tool_runtime::ledger::MemoryLedger
pub struct MemoryLedger {
    ..
}
impl MemoryLedger {
    #[must_use]
    pub fn new(max_entries: usize) -> Self {}
}
impl LedgerStore for MemoryLedger {}
impl fmt::Debug for MemoryLedger {}

// tool_runtime::ledger::MerkleFrontier
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MerkleFrontier {
    ..
}
impl MerkleFrontier {
    #[must_use]
    pub const fn empty() -> Self {}
    pub fn push(&mut self, leaf: Digest) {}
    #[must_use]
    pub fn root(&self) -> Digest {}
    #[must_use]
    pub const fn size(&self) -> u64 {}
}

// tool_runtime::ledger::NoteSigner
pub struct NoteSigner {
    ..
}
impl NoteSigner {
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, InvalidNoteKey> {}
    #[must_use]
    pub fn verifier(&self) -> NoteVerifier {}
}
impl fmt::Debug for NoteSigner {}

// tool_runtime::ledger::NoteVerifier
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteVerifier {
    ..
}
impl NoteVerifier {
    pub fn verify(&self, note: &str) -> Result<TreeHead, InvalidNote> {}
}
impl FromStr for NoteVerifier {
    type Err = InvalidNoteKey;
}
impl fmt::Display for NoteVerifier {}

// tool_runtime::ledger::Overload
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overload {
    Block,
    Shed,
}

// tool_runtime::ledger::Record
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Record {
    Call(Box<RecordedCall>),
    Began(WriterBegan),
    Closed(WriterClosed),
    Shed(CallsShed),
    Erased(ContentsErased),
    Checkpoint(Checkpoint),
    Access(RecordedAccess),
    Unknown,
}
impl Record {
    #[must_use]
    pub fn as_call(&self) -> Option<&RecordedCall> {}
    pub fn read(text: &str) -> serde_json::Result<Self> {}
}

// tool_runtime::ledger::RecordDurability
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordDurability {
    Queued,
    Stored,
}

// tool_runtime::ledger::RecordStatus
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum RecordStatus {
    Success,
    Error,
}

// tool_runtime::ledger::RecordedAccess
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedAccess {
    pub at: String,
    pub action: String,
    pub by: String,
    pub reason: String,
    pub tenant_id: Option<Uuid>,
    pub subject: Option<String>,
    pub outcome: String,
    pub count: Option<u64>,
}
impl RecordedAccess {
    pub fn new(
        at: UnixMillis,
        action: impl Into<String>,
        by: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {}
}

// tool_runtime::ledger::RecordedApproval
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedApproval {
    pub by: Option<String>,
    pub declined_by: Option<String>,
    pub at: Option<String>,
    pub ticket: Option<Uuid>,
}

// tool_runtime::ledger::RecordedCall
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedCall {
    pub at: String,
    pub opened_at: String,
    pub trace_id: String,
    pub run_id: Option<String>,
    pub ingestion_run_id: Option<String>,
    pub tenant_id: Uuid,
    pub tenant_slug: Option<String>,
    pub principal: RecordedPrincipal,
    pub site_id: Option<String>,
    pub request_id: Option<String>,
    pub invocation_id: Uuid,
    pub call_id: Option<String>,
    pub tool: String,
    pub version: Option<String>,
    pub effect: Option<Effect>,
    pub status: RecordStatus,
    pub final_status: CallStatus,
    pub error: Option<RecordedError>,
    pub latency_ms: u64,
    pub attempts: u32,
    pub origin: RecordedOrigin,
    pub dry_run: bool,
    pub approval_dry_run: bool,
    pub replay_of: Option<Uuid>,
    pub approval: Option<RecordedApproval>,
    pub input_hash: Option<String>,
    pub output_hash: Option<String>,
    pub attachments: Vec<String>,
    pub input: Option<Box<RawValue>>,
    pub input_redacted: bool,
    pub evidence: Option<String>,
    pub evidence_digest: Option<String>,
}
impl RecordedCall {
    #[must_use]
    pub fn kind(&self) -> RecordedCallKind {}
}

// tool_runtime::ledger::RecordedCallKind
word_enum! {
    #[non_exhaustive] pub enum RecordedCallKind { Run = "run", DryRun = "dry_run",
    Preview = "preview", Replay = "replay", StoredAnswer = "stored_answer", Waiting =
    "waiting", NotRun = "not_run", }
}
impl fmt::Display for RecordedCallKind {}

// tool_runtime::ledger::RecordedError
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedError {
    pub error_type: String,
    pub code: Option<String>,
    pub message: Option<String>,
    pub effect: Option<String>,
    pub reason: Option<String>,
}

// tool_runtime::ledger::RecordedOrigin
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema
)]
#[non_exhaustive]
pub enum RecordedOrigin {
    Call,
    Cache,
    Replay,
}
impl From<AnswerOrigin> for RecordedOrigin {}

// tool_runtime::ledger::RecordedPrincipal
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedPrincipal {
    pub user_id: Option<String>,
    pub actor_type: Option<ActorType>,
    pub actor_id: Option<String>,
    pub session_id: Option<String>,
}

// tool_runtime::ledger::SqliteLedger
pub struct SqliteLedger {
    ..
}
impl SqliteLedger {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
    pub fn open_with(
        path: impl AsRef<Path>,
        options: &SqliteOptions,
    ) -> Result<Self, StoreError> {}
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
}
impl LedgerStore for SqliteLedger {}
impl fmt::Debug for SqliteLedger {}

// tool_runtime::ledger::TreeHead
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeHead {
    pub size: u64,
    pub root: Digest,
}
impl TreeHead {
    #[must_use]
    pub const fn new(size: u64, root: Digest) -> Self {}
}

// tool_runtime::ledger::VerifiedChain
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain {
    ..
}
impl VerifiedChain {
    #[must_use]
    pub const fn checkpoints(&self) -> u64 {}
    #[must_use]
    pub fn into_head(self) -> ChainHead {}
    #[must_use]
    pub const fn newest_confirmed_checkpoint(&self) -> Option<&Checkpoint> {}
    #[must_use]
    pub const fn size(&self) -> u64 {}
}

// tool_runtime::ledger::Verifier
#[derive(Debug)]
pub struct Verifier {
    ..
}
impl Verifier {
    #[must_use]
    pub fn expecting(self, checkpoint: Checkpoint) -> Self {}
    pub fn finish(self) -> Result<VerifiedChain, ChainFault> {}
    #[must_use]
    pub fn from_head(keys: ChainKeys, head: ChainHead) -> Self {}
    #[must_use]
    pub fn new(keys: ChainKeys) -> Self {}
    pub fn push(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {}
}

// tool_runtime::ledger::VerifyError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum VerifyError {
    Fault(FaultError),
    Store(StoreError),
}

// tool_runtime::ledger::WriterBegan
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterBegan {
    pub at: String,
    pub after_crash: bool,
    pub torn_bytes: u64,
}

// tool_runtime::ledger::WriterClosed
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterClosed {
    pub at: String,
    pub calls: u64,
    pub shed: u64,
}

// tool_runtime::ledger::audit
pub fn audit(
    store: &mut dyn LedgerStore,
    heads: &[TreeHead],
) -> Result<AuditedChain, VerifyError> {}

// tool_runtime::ledger::verify
pub fn verify(
    store: &mut dyn LedgerStore,
    keys: &KeyRing,
    checkpoints: &[Checkpoint],
) -> Result<VerifiedChain, VerifyError> {}

// tool_runtime::mcp::Icon
#[derive(Debug, Clone)]
#[must_use]
pub struct Icon(_);
impl Icon {
    pub fn mime_type(self, mime_type: impl Into<String>) -> Self {}
    pub fn new(src: impl Into<String>) -> Self {}
    pub fn size(self, size: impl Into<String>) -> Self {}
}

// tool_runtime::mcp::McpConfig
#[derive(Debug, Clone)]
#[must_use]
pub struct McpConfig {
    ..
}
impl McpConfig {
    pub fn default_site(self, site: impl Into<String>) -> Result<Self, ContractError> {}
    pub fn default_tenant(self, tenant: Tenant) -> Self {}
    pub fn icon(self, icon: Icon) -> Self {}
    pub fn instructions(self, text: impl Into<String>) -> Self {}
    pub fn list_lifetime(self, time: Duration) -> Self {}
    pub fn max_sessions(self, sessions: usize) -> Self {}
    pub fn max_sessions_per_caller(self, sessions: usize) -> Self {}
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {}
    pub fn open_schemas(self, wanted: bool) -> Self {}
    pub fn page_size(self, tools: usize) -> Self {}
    pub fn protected_resource(self, resource: ProtectedResource) -> Self {}
    pub fn required_task(self, tool: impl Into<Box<str>>) -> Self {}
    pub fn session_idle_time(self, time: Duration) -> Self {}
    pub fn sessions(self, wanted: bool) -> Self {}
    pub fn task(self, tool: impl Into<Box<str>>) -> Self {}
    pub fn task_after(self, time: Duration) -> Self {}
    pub fn task_lifetime(self, time: Duration) -> Self {}
    pub fn title(self, title: impl Into<String>) -> Self {}
    pub fn tool_icon(self, tool: impl Into<Box<str>>, icon: Icon) -> Self {}
    pub fn website(self, url: impl Into<String>) -> Self {}
}

// tool_runtime::mcp::NewTools
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NewTools {
    PinFirst,
    Pin,
    Refuse,
}

// tool_runtime::mcp::PinDifference
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

// tool_runtime::mcp::ProtectedResource
#[derive(Debug, Clone)]
#[must_use]
pub struct ProtectedResource {
    ..
}
impl ProtectedResource {
    pub fn authorization_server(self, issuer: impl Into<String>) -> Self {}
    pub fn documentation(self, url: impl Into<String>) -> Self {}
    #[must_use]
    pub fn metadata(&self) -> Value {}
    #[must_use]
    pub fn metadata_url(&self) -> Option<String> {}
    pub fn new(url: impl Into<String>) -> Self {}
    pub fn scope(self, scope: impl Into<String>) -> Self {}
}

// tool_runtime::mcp::Remote
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

// tool_runtime::mcp::RemoteBuilder
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
    pub fn start(self, runtime: &Runtime) -> Result<Remote, RemoteError> {}
}
impl std::fmt::Debug for RemoteBuilder {}

// tool_runtime::mcp::RemoteConnection
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RemoteConnection {
    Connecting,
    Connected,
    Reconnecting,
    GivenUp,
    Closed,
}

// tool_runtime::mcp::RemoteError
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

// tool_runtime::mcp::RemoteErrorKind
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

// tool_runtime::mcp::RemoteEvent
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

// tool_runtime::mcp::RemoteFinding
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

// tool_runtime::mcp::RemoteFindingKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteFindingKind {
    InvisibleCharacters,
    Instructions,
    RepeatedName,
}
impl fmt::Display for RemoteFindingKind {}

// tool_runtime::mcp::RemoteLimits
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

// tool_runtime::mcp::RemoteProtocol
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RemoteProtocol {
    Automatic,
    Stateless,
    Session,
}

// tool_runtime::mcp::RemoteServer
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

// tool_runtime::mcp::RemoteStatus
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

// tool_runtime::mcp::RemoteTool
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

// tool_runtime::mcp::RemoteToolState
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RemoteToolState {
    Available,
    Changed,
    New,
    Vanished,
    Refused,
}

// tool_runtime::mcp::Stdio
#[derive(Debug)]
#[must_use = "nothing is served before `serve`"]
pub struct Stdio {
    ..
}
impl Stdio {
    pub fn config(self, config: McpConfig) -> Self {}
    pub fn ledger(self, ledger: &Ledger) -> Self {}
    pub fn principal(self, principal: Principal) -> Self {}
    pub async fn serve(self) -> Result<(), StdioError> {}
    pub async fn serve_on<R, W>(self, input: R, output: W) -> Result<(), StdioError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {}
    pub fn tenant(self, tenant: Tenant) -> Self {}
    pub fn user(self, user: impl Into<Box<str>>) -> Self {}
}

// tool_runtime::mcp::StdioError
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StdioError {
    Stream(io::Error),
    Opening(String),
    Ledger(String),
}

// tool_runtime::mcp::router
pub fn router(runtime: Runtime, config: HttpConfig) -> Router {}

// tool_runtime::mcp::stdio
pub fn stdio(runtime: Runtime) -> Stdio {}

// tool_runtime::policy::AccessPolicy
pub trait AccessPolicy: Send + Sync + 'static {
    async fn decide(
        &self,
        request: &AccessRequest<'_>,
    ) -> Result<AccessVerdict, Box<dyn Error + Send + Sync>>;
}

// tool_runtime::policy::AccessRequest
#[derive(Clone, Copy)]
pub struct AccessRequest<'c> {
    ..
}
impl<'c> AccessRequest<'c> {
    pub fn arguments<T: Deserialize<'c>>(&self) -> serde_json::Result<T> {}
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {}
    #[must_use]
    pub fn preview(&self) -> Preview<'c> {}
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {}
}
impl fmt::Debug for AccessRequest<'_> {}

// tool_runtime::policy::AccessVerdict
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessVerdict {
    ByPermission,
    Allow,
    Ask { reason: String },
    Deny { reason: String },
}
impl AccessVerdict {
    pub fn ask(reason: impl Into<String>) -> Self {}
    pub fn deny(reason: impl Into<String>) -> Self {}
}

// tool_runtime::policy::ApprovalRequest
#[derive(Clone, Copy)]
pub struct ApprovalRequest<'c> {
    ..
}
impl<'c> ApprovalRequest<'c> {
    #[must_use]
    pub fn arguments_with_secrets(&self) -> &'c str {}
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {}
    #[must_use]
    pub fn dry_run(&self) -> Option<&'c ToolOutput> {}
    #[must_use]
    pub fn preview(&self) -> Preview<'c> {}
    #[must_use]
    pub fn reason(&self) -> Option<&'c str> {}
    #[must_use]
    pub fn refused_edit(&self) -> Option<&'c ToolErrorDetail> {}
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {}
}
impl fmt::Debug for ApprovalRequest<'_> {}

// tool_runtime::policy::Approver
pub trait Approver: Send + Sync + 'static {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision;
}

// tool_runtime::policy::BreakerConfig
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakerConfig {
    ..
}
impl BreakerConfig {
    pub fn failure_ratio(
        ratio: f64,
        min_calls: u32,
        window: Duration,
    ) -> Result<Self, OutOfRange> {}
    pub fn failures_in_a_row(failures: u32) -> Result<Self, OutOfRange> {}
    #[must_use]
    pub const fn open_for(&self) -> Duration {}
    #[must_use]
    pub const fn probes(&self) -> u32 {}
    pub fn with_open_for(self, time: Duration) -> Result<Self, OutOfRange> {}
    pub fn with_probes(self, probes: u32) -> Result<Self, OutOfRange> {}
}
impl Default for BreakerConfig {}

// tool_runtime::policy::ConcurrentRepeat
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ConcurrentRepeat {
    Refuse,
    Wait,
}

// tool_runtime::policy::Cut
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    pub pointer: String,
    pub rows_shown: u64,
    pub rows_total: u64,
}

// tool_runtime::policy::Decision
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision(_);
impl Decision {
    pub fn always(self, calls: GrantFor) -> Self {}
    pub fn approve(approver: impl Into<String>) -> Self {}
    pub fn decline(by: impl Into<String>, feedback: impl Into<String>) -> Self {}
    pub fn defer() -> Self {}
    pub fn with_arguments(self, edited: impl Into<Arguments>) -> Self {}
}

// tool_runtime::policy::ExcerptMark
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptMark {
    ..
}
impl ExcerptMark {
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {}
    #[must_use]
    pub fn handle(&self) -> Option<OutputHandle> {}
    #[must_use]
    pub fn next(&self) -> u64 {}
    #[must_use]
    pub fn total_bytes(&self) -> u64 {}
}
impl fmt::Display for ExcerptMark {}

// tool_runtime::policy::GrantError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum GrantError {
    UnknownTool(String),
    Destructive(String),
    NoPrincipal,
    InvalidApprover,
    Store(StoreError),
}

// tool_runtime::policy::GrantFor
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantFor {
    Tool,
    TheseArguments,
}

// tool_runtime::policy::Grants
#[derive(Debug, Clone, Copy)]
pub struct Grants<'r>(_);
impl Grants<'_> {
    pub async fn give(
        &self,
        tool: &str,
        cx: &ToolContext,
        granted_by: &str,
    ) -> Result<StandingGrant, GrantError> {}
    pub async fn list(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError> {}
    pub async fn revoke(&self, scope: &GrantScope) -> Result<bool, StoreError> {}
}

// tool_runtime::policy::KeyRing
pub struct KeyRing {
    ..
}
impl KeyRing {
    pub fn ephemeral() -> Result<Self, KeyRingError> {}
    pub fn new(id: impl Into<Box<str>>, secret: &[u8]) -> Result<Self, KeyRingError> {}
    pub fn with_former(
        self,
        id: impl Into<Box<str>>,
        secret: &[u8],
    ) -> Result<Self, KeyRingError> {}
}
impl fmt::Debug for KeyRing {}

// tool_runtime::policy::KeyRingError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyRingError {
    ShortSecret { found: usize },
    ZeroSecret,
    InvalidId,
    RepeatedId,
    NoRandomness,
}

// tool_runtime::policy::ModelAnswer
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    ..
}
impl ModelAnswer {
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {}
    #[must_use]
    pub fn excerpt(&self) -> Option<&ExcerptMark> {}
    #[must_use]
    pub fn format(&self) -> SerializationFormat {}
    #[must_use]
    pub fn serialized(&self) -> Option<&SerializedOutput> {}
    #[must_use]
    pub fn text(&self) -> Option<&str> {}
}

// tool_runtime::policy::OutOfRange
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct OutOfRange {
    ..
}
impl OutOfRange {
    #[must_use]
    pub fn expected(&self) -> &str {}
    #[must_use]
    pub fn field(&self) -> &str {}
    #[must_use]
    pub fn found(&self) -> &str {}
}

// tool_runtime::policy::OutcomeCounts
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeCounts {
    pub unknown: u64,
    pub resolved: u64,
    pub archived: u64,
    pub damaged: u64,
    pub over_quota: u64,
}

// tool_runtime::policy::Outcomes
#[derive(Debug, Clone, Copy)]
pub struct Outcomes<'r>(_);
impl Outcomes<'_> {
    #[must_use]
    pub fn counts(&self) -> OutcomeCounts {}
    pub async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {}
    pub async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {}
    pub async fn resolve(
        &self,
        record: &KeyRecord,
        resolution: Resolution,
    ) -> Result<(), ResolveError> {}
    pub async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {}
}

// tool_runtime::policy::OutputHandle
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputHandle(_);
impl OutputHandle {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {}
}
impl fmt::Display for OutputHandle {}

// tool_runtime::policy::OutputPage
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPage {
    ..
}
impl OutputPage {
    #[must_use]
    pub fn next(&self) -> Option<u64> {}
    #[must_use]
    pub fn text(&self) -> &str {}
    #[must_use]
    pub fn total_bytes(&self) -> u64 {}
}

// tool_runtime::policy::Policy
#[must_use]
pub struct Policy {
    ..
}
impl Policy {
    pub fn access(self, policy: impl AccessPolicy) -> Self {}
    pub fn approver(self, approver: impl Approver) -> Self {}
    pub fn archive_unknown_after(self, time: Duration) -> Self {}
    pub fn cache_bytes(self, bytes: u64) -> Self {}
    pub fn clock(self, clock: impl Clock) -> Self {}
    pub fn correction_budget(self, calls: u32) -> Self {}
    pub fn grant_store(self, store: impl GrantStore) -> Self {}
    pub fn idempotency_store(self, store: impl IdempotencyStore) -> Self {}
    pub fn max_in_flight(self, calls: usize) -> Self {}
    pub fn max_queue(self, calls: usize) -> Self {}
    pub fn new() -> Self {}
    pub fn output_lifetime(self, time: Duration) -> Self {}
    pub fn output_store(self, store: impl OutputStore) -> Self {}
    pub fn rules(self, rules: Rules) -> Self {}
    pub fn rules_for(self, tool_or_toolkit: impl Into<String>, rules: Rules) -> Self {}
    pub fn store(self, store: impl Store) -> Self {}
    pub fn ticket_keys(self, keys: KeyRing) -> Self {}
    pub fn ticket_lifetime(self, time: Duration) -> Self {}
    pub fn ticket_store(self, store: impl TicketStore) -> Self {}
    pub fn tickets_per_caller(self, tickets: usize) -> Self {}
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {}
    pub fn unknown_per_caller(self, outcomes: usize) -> Self {}
}
impl Default for Policy {}
impl fmt::Debug for Policy {}

// tool_runtime::policy::RateLimit
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    ..
}
impl RateLimit {
    pub fn burst(self, calls: u32) -> Result<Self, OutOfRange> {}
    pub fn per_minute(calls: u32) -> Result<Self, OutOfRange> {}
    pub fn per_second(calls: u32) -> Result<Self, OutOfRange> {}
}

// tool_runtime::policy::Resolution
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    Happened { answer: String },
    DidNotHappen,
}

// tool_runtime::policy::ResolveError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ResolveError {
    UnknownTool(String),
    #[non_exhaustive]
    InvalidAnswer { tool: String, why: String },
    Changed,
    Store(StoreError),
}

// tool_runtime::policy::RetryConfig
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    #[must_use]
    pub const fn max_delay(&self) -> Duration {}
    #[must_use]
    pub const fn never() -> Self {}
    pub fn new(
        max_attempts: u32,
        backoff_multiplier: f64,
        initial_delay_ms: u64,
    ) -> Result<Self, OutOfRange> {}
    pub fn with_backoff_multiplier(self, multiplier: f64) -> Result<Self, OutOfRange> {}
    pub fn with_initial_delay_ms(self, milliseconds: u64) -> Result<Self, OutOfRange> {}
    pub fn with_max_attempts(self, attempts: u32) -> Result<Self, OutOfRange> {}
    pub fn with_max_delay(self, delay: Duration) -> Result<Self, OutOfRange> {}
}
impl Default for RetryConfig {}
impl TryFrom<RetryConfigJson> for RetryConfig {
    type Error = OutOfRange;
}
impl TryFrom<act::RetryConfig> for RetryConfig {
    type Error = OutOfRange;
}

// tool_runtime::policy::Rules
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Rules {
    ..
}
impl Rules {
    pub fn bind_preview(self, bind: bool) -> Self {}
    pub fn breaker(self, breaker: BreakerConfig) -> Self {}
    pub fn json_results(self) -> Self {}
    pub fn lease(self, time: Duration) -> Self {}
    pub fn max_concurrent(self, calls: usize) -> Self {}
    pub fn max_output_bytes(self, bytes: usize) -> Self {}
    pub fn max_queue(self, calls: usize) -> Self {}
    pub fn new() -> Self {}
    pub fn on_concurrent_repeat(self, answer: ConcurrentRepeat) -> Self {}
    pub fn rate_limit(self, limit: RateLimit) -> Self {}
    pub fn require_idempotency_key(self, require: bool) -> Self {}
    pub fn result_serializer(
        self,
        serializer: impl OutputSerializer + fmt::Debug + Send + Sync + 'static,
    ) -> Self {}
    pub fn retention(self, time: Duration) -> Self {}
    pub fn retry(self, retry: RetryConfig) -> Self {}
}

// tool_runtime::policy::StoredOutputs
#[derive(Debug, Clone, Copy)]
pub struct StoredOutputs<'r>(_);
impl StoredOutputs<'_> {
    pub async fn attachment(
        &self,
        handle: AttachmentHandle,
        cx: &ToolContext,
    ) -> Result<Option<Attachment>, StoreError> {}
    pub async fn page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {}
    pub async fn text_page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {}
}

// tool_runtime::policy::Ticket
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket {
    ..
}
impl Ticket {
    #[must_use]
    pub const fn arguments(&self) -> Digest {}
    #[must_use]
    pub const fn bound_preview(&self) -> bool {}
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {}
    #[must_use]
    pub const fn expires_at(&self) -> UnixMillis {}
    #[must_use]
    pub const fn id(&self) -> Uuid {}
    #[must_use]
    pub const fn issued_at(&self) -> UnixMillis {}
    #[must_use]
    pub fn key(&self) -> &str {}
    pub fn parse(json: &str) -> Result<Self, TicketRejection> {}
    #[must_use]
    pub const fn preview(&self) -> Digest {}
    #[must_use]
    pub fn principal(&self) -> &str {}
    #[must_use]
    pub const fn schema(&self) -> Digest {}
    #[must_use]
    pub const fn tenant(&self) -> Uuid {}
    #[must_use]
    pub fn to_json(&self) -> String {}
    #[must_use]
    pub fn tool(&self) -> &str {}
    #[must_use]
    pub fn tool_version(&self) -> &str {}
}
impl<'de> Deserialize<'de> for Ticket {}
impl FromStr for Ticket {
    type Err = TicketRejection;
}
impl Serialize for Ticket {}
impl fmt::Debug for Ticket {}
impl fmt::Display for Ticket {}

// tool_runtime::policy::TicketIssueError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum TicketIssueError {
    NotPending,
    Refused(Box<ToolErrorDetail>),
    Sealing(String),
    Store(StoreError),
}

// tool_runtime::policy::TicketRejection
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum TicketRejection {
    Malformed,
    Oversized,
    Tampered,
    UnknownKey,
    Expired,
    Used,
    Declined,
    Superseded,
    Foreign,
    Outdated,
    Unknown,
    ArgumentsChanged,
    Unreadable,
}
impl TicketRejection {
    #[must_use]
    pub const fn code(self) -> ErrorCode {}
    #[must_use]
    pub const fn reason(self) -> RefusalReason {}
}
impl From<TicketEnd> for TicketRejection {}
impl ToolFailure for TicketRejection {}

// tool_runtime::policy::Tickets
#[derive(Debug, Clone, Copy)]
pub struct Tickets<'r>(_);
impl Tickets<'_> {
    pub async fn find_waiting(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<WaitingCall>, StoreError> {}
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume(&self, ticket: &str, cx: &ToolContext) -> ToolCall {}
    #[must_use = "a call runs nothing until it is executed"]
    pub async fn resume_by_id(&self, id: Uuid, approver: &ToolContext) -> ToolCall {}
    pub async fn supersede(&self, cx: &ToolContext) -> Result<usize, StoreError> {}
    pub async fn waiting(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<WaitingCalls, StoreError> {}
}

// tool_runtime::policy::WaitingCall
#[derive(Clone)]
pub struct WaitingCall {
    ..
}
impl WaitingCall {
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {}
    #[must_use]
    pub fn cx(&self) -> &ToolContext {}
    #[must_use]
    pub fn preview(&self) -> Option<&str> {}
    #[must_use]
    pub fn preview_attachments(&self) -> &[Attachment] {}
    #[must_use]
    pub fn preview_failure(&self) -> Option<&ToolErrorDetail> {}
    #[must_use]
    pub fn reason(&self) -> Option<&str> {}
    #[must_use]
    pub fn ticket(&self) -> &Ticket {}
}
impl fmt::Debug for WaitingCall {}

// tool_runtime::policy::WaitingCalls
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WaitingCalls {
    pub calls: Vec<WaitingCall>,
    pub next: Option<Uuid>,
}

// tool_runtime::policy::approver_fn
pub fn approver_fn<F, Answer>(decide: F) -> impl Approver
where
    F: Fn(&ApprovalRequest<'_>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Decision> + Send + 'static,
{}

// tool_runtime::policy::async_trait = async_trait::async_trait

// tool_runtime::prelude::Actor = tool_contracts::Actor

// tool_runtime::prelude::ActorType = tool_contracts::ActorType

// tool_runtime::prelude::Attachments = tool_runtime::Attachments

// tool_runtime::prelude::CallRecord = tool_runtime::CallRecord

// tool_runtime::prelude::CallScope = tool_runtime::CallScope

// tool_runtime::prelude::CallStatus = tool_contracts::CallStatus

// tool_runtime::prelude::Cancellation = tool_runtime::Cancellation

// tool_runtime::prelude::DryRun = tool_runtime::DryRun

// tool_runtime::prelude::DynamicTool = tool_runtime::DynamicTool

// tool_runtime::prelude::Effect = tool_contracts::Effect

// tool_runtime::prelude::Failure = tool_runtime::Failure

// tool_runtime::prelude::FromCall = tool_runtime::FromCall

// tool_runtime::prelude::Idempotency = tool_runtime::Idempotency

// tool_runtime::prelude::MetaRecorder = tool_runtime::MetaRecorder

// tool_runtime::prelude::Permission = tool_contracts::Permission

// tool_runtime::prelude::Progress = tool_runtime::Progress

// tool_runtime::prelude::RequestEnvelope = tool_contracts::envelope::RequestEnvelope

// tool_runtime::prelude::ResponseEnvelope = tool_contracts::envelope::ResponseEnvelope

// tool_runtime::prelude::Runtime = tool_runtime::Runtime

// tool_runtime::prelude::ToolCall = tool_runtime::ToolCall

// tool_runtime::prelude::ToolContext = tool_contracts::ToolContext

// tool_runtime::prelude::ToolFailure = tool_runtime::ToolFailure

// tool_runtime::prelude::ToolOutput = tool_runtime::ToolOutput

// tool_runtime::prelude::Uuid = uuid::Uuid

// tool_runtime::prelude::ai_tool = tool_runtime_derive::ai_tool

// tool_runtime::prelude::ai_toolkit = tool_runtime_derive::ai_toolkit

// tool_runtime::prelude::ai_type = tool_runtime_derive::ai_type

// tool_runtime::prelude::async_trait = async_trait::async_trait

// tool_runtime::proxy::AgentConfig = tool_runtime::agent::AgentConfig

// tool_runtime::proxy::AgentError = tool_runtime::agent::AgentError

// tool_runtime::proxy::AgentErrorKind = tool_runtime::agent::AgentErrorKind

// tool_runtime::proxy::LogLevel = tool_runtime::agent::LogLevel

// tool_runtime::proxy::MemorySessions = tool_runtime::agent::MemorySessions

// tool_runtime::proxy::ModelPrice = tool_runtime::agent::ModelPrice

// tool_runtime::proxy::PriceTable = tool_runtime::agent::PriceTable

// tool_runtime::proxy::ProxyAgent = tool_runtime::agent::ProxyAgent

// tool_runtime::proxy::ProxyAgentBuilder = tool_runtime::agent::ProxyAgentBuilder

// tool_runtime::proxy::SessionKey = tool_runtime::agent::SessionKey

// tool_runtime::proxy::SessionStore = tool_runtime::agent::SessionStore

// tool_runtime::proxy::SqliteSessions = tool_runtime::agent::SqliteSessions

// tool_runtime::quiet_tool_panics
pub fn quiet_tool_panics() {}

// tool_runtime::redact = tool_runtime_schema::redact

// tool_runtime::schema::Coerce = tool_runtime_schema::schema::Coerce

// tool_runtime::schema::ComparedVersion
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ComparedVersion {
    Before,
    After,
}

// tool_runtime::schema::Compatibility
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compatibility {
    None,
    Compatible,
    Breaking,
}

// tool_runtime::schema::ContractChange
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractChange {
    ..
}
impl ContractChange {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {}
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn part(&self) -> ContractPart {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn rule(&self) -> &'static str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}
impl fmt::Display for ContractChange {}

// tool_runtime::schema::ContractChanges
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractChanges(_);
impl ContractChanges {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    pub fn iter(&self) -> std::slice::Iter<'_, ContractChange> {}
    #[must_use]
    pub fn len(&self) -> usize {}
}
impl<'c> IntoIterator for &'c ContractChanges {
    type Item = &'c ContractChange;
    type IntoIter = std::slice::Iter<'c, ContractChange>;
}
impl fmt::Display for ContractChanges {}

// tool_runtime::schema::ContractPart
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ContractPart {
    Contract,
    Input,
    Output,
}
impl fmt::Display for ContractPart {}

// tool_runtime::schema::Export
#[derive(Debug)]
pub struct Export {
    ..
}
impl Export {
    #[must_use]
    pub fn accepting(self) -> Self {}
    #[must_use]
    pub fn base(self, lock: impl Into<PathBuf>) -> Self {}
    pub fn check(&self, lock: impl AsRef<Path>) -> Result<ContractChanges, ExportError> {}
    #[must_use]
    pub fn frozen(self) -> Self {}
    #[must_use]
    pub fn inputs_only(self) -> Self {}
    #[must_use]
    pub fn new(registry: Registry) -> Self {}
    #[must_use]
    pub fn shared_envelopes(self) -> Self {}
    pub fn write_to(
        &self,
        folder: impl AsRef<Path>,
    ) -> Result<WrittenFiles, ExportError> {}
}

// tool_runtime::schema::ExportError
#[derive(Clone)]
pub struct ExportError {
    ..
}
impl ExportError {
    #[must_use]
    pub fn kind(&self) -> ExportErrorKind {}
}
impl From<BuildError> for ExportError {}
impl error::Error for ExportError {}
impl fmt::Debug for ExportError {}
impl fmt::Display for ExportError {}

// tool_runtime::schema::ExportErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportErrorKind {
    Registry,
    Io,
    Setting,
    Base,
    NoLock,
    UnreadableLock,
    Conflict,
    Version,
    Breaking,
    Stale,
}

// tool_runtime::schema::InputSchema = tool_runtime_schema::schema::InputSchema

// tool_runtime::schema::JsonSchema = tool_runtime_schema::schema::JsonSchema

// tool_runtime::schema::Malformed = tool_runtime_schema::schema::Malformed

// tool_runtime::schema::Property = tool_runtime_schema::schema::Property

// tool_runtime::schema::SchemaChange
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    ..
}
impl SchemaChange {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {}
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn rule(&self) -> &'static str {}
}

// tool_runtime::schema::SchemaError = tool_runtime_schema::schema::SchemaError

// tool_runtime::schema::SchemaFinding = tool_runtime_schema::schema::SchemaFinding

// tool_runtime::schema::SchemaKind = tool_runtime_schema::schema::SchemaKind

// tool_runtime::schema::SchemaReader
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaReader {
    Callee,
    Caller,
}

// tool_runtime::schema::UncheckedRule = tool_runtime_schema::schema::UncheckedRule

// tool_runtime::schema::ValidationReport = tool_runtime_schema::schema::ValidationReport

// tool_runtime::schema::Validator = tool_runtime_schema::schema::Validator

// tool_runtime::schema::WrittenFiles
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    ..
}
impl WrittenFiles {
    #[must_use]
    pub fn changed(&self) -> &[PathBuf] {}
    #[must_use]
    pub fn removed(&self) -> &[PathBuf] {}
    #[must_use]
    pub fn unchanged(&self) -> &[PathBuf] {}
}

// tool_runtime::schema::compare
#[must_use]
pub fn compare(
    before: &Value,
    after: &Value,
    reader: SchemaReader,
) -> Vec<SchemaChange> {}

// tool_runtime::schema::open = tool_runtime_schema::schema::open

// tool_runtime::schema::title = tool_runtime_schema::schema::title

// tool_runtime::schemars = schemars

// tool_runtime::search::Hit
#[derive(Debug, Clone)]
pub struct Hit {
    ..
}
impl Hit {
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn score(&self) -> f64 {}
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {}
}

// tool_runtime::search::ToolIndex
#[derive(Clone)]
pub struct ToolIndex(_);
impl ToolIndex {
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    #[must_use]
    pub fn len(&self) -> usize {}
    #[must_use]
    pub fn new<S: Borrow<ToolSpec>>(specs: impl IntoIterator<Item = S>) -> Self {}
    #[must_use]
    pub fn search(&self, query: &str, k: usize) -> Vec<Hit> {}
}
impl fmt::Debug for ToolIndex {}

// tool_runtime::search::search_tools
#[must_use]
pub fn search_tools() -> DynamicTool {}

// tool_runtime::serde = serde

// tool_runtime::serde_json = serde_json

// tool_runtime::store::ClaimDecision
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimDecision {
    NotClaimed(ClaimOutcome),
    Insert { until: UnixMillis },
    TakeOver { until: UnixMillis },
    ShortenLease { until: UnixMillis },
}

// tool_runtime::store::ClaimOutcome
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimOutcome {
    Acquired(Fence),
    TakenOver(Fence),
    Running { until: UnixMillis },
    Settled(StoredAnswer),
    Unknown(Fence),
    Mismatch,
    Damaged(Fence),
    Archived,
    QuotaExceeded,
}

// tool_runtime::store::ClaimRequest
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClaimRequest {
    pub key: ScopedKey,
    pub fingerprint: Digest,
    pub now: UnixMillis,
    pub lease: Duration,
    pub resolves: bool,
    pub caller: Box<str>,
    pub max_unknown: Option<usize>,
}
impl ClaimRequest {
    #[must_use]
    pub fn decide(&self, record: Option<&KeyRecord>) -> ClaimDecision {}
    #[must_use]
    pub fn new(
        key: ScopedKey,
        fingerprint: Digest,
        now: UnixMillis,
        lease: Duration,
    ) -> Self {}
    #[must_use]
    pub fn resolves(self, resolves: bool) -> Self {}
    #[must_use]
    pub fn with_quota(self, caller: impl Into<Box<str>>, max_unknown: usize) -> Self {}
}

// tool_runtime::store::Clock
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    fn now(&self) -> UnixMillis;
    fn monotonic(&self) -> MonotonicTime {}
    fn read(&self) -> ClockReading {}
}

// tool_runtime::store::ClockReading
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockReading {
    ..
}
impl ClockReading {
    #[must_use]
    pub const fn monotonic(self) -> MonotonicTime {}
    #[must_use]
    pub const fn new(wall: UnixMillis, monotonic: MonotonicTime) -> Self {}
    #[must_use]
    pub const fn wall(self) -> UnixMillis {}
}

// tool_runtime::store::Fence
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(_);
impl Fence {
    #[must_use]
    pub const fn get(self) -> u64 {}
    #[must_use]
    pub const fn new(number: u64) -> Self {}
}

// tool_runtime::store::FileCheck
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCheck {
    pub rows: usize,
    pub damaged: usize,
}

// tool_runtime::store::GrantScope
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct GrantScope {
    pub tenant: Uuid,
    pub principal: Box<str>,
    pub tool: Box<str>,
    pub schema: Digest,
    pub arguments: Option<Digest>,
}
impl GrantScope {
    pub fn new(
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        tool: impl Into<Box<str>>,
        schema: Digest,
    ) -> Self {}
    #[must_use]
    pub fn with_arguments(self, arguments: Digest) -> Self {}
}

// tool_runtime::store::GrantStore
pub trait GrantStore: Send + Sync + 'static {
    async fn put_grant(&self, grant: StandingGrant) -> Result<(), StoreError>;
    async fn find_grant(
        &self,
        scope: &GrantScope,
    ) -> Result<Option<StandingGrant>, StoreError>;
    async fn revoke_grant(&self, scope: &GrantScope) -> Result<bool, StoreError>;
    async fn grants(
        &self,
        tenant: Uuid,
        after: Option<&GrantScope>,
        limit: usize,
    ) -> Result<Vec<StandingGrant>, StoreError>;
}

// tool_runtime::store::IdempotencyStore
pub trait IdempotencyStore: Send + Sync + 'static {
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError>;
    async fn claim(&self, request: ClaimRequest) -> Result<ClaimOutcome, StoreError>;
    async fn renew(
        &self,
        key: &ScopedKey,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError>;
    async fn settle(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError>;
    async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError>;
    async fn list_unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError>;
    async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {}
    async fn invalidate_answer(&self, key: &ScopedKey) -> Result<bool, StoreError> {}
    async fn archive_unknown(
        &self,
        before: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError> {}
    async fn sweep_keys(
        &self,
        now: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

// tool_runtime::store::KeyRecord
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRecord {
    pub key: ScopedKey,
    pub fingerprint: Digest,
    pub fence: Fence,
    pub state: KeyState,
    pub caller: Box<str>,
    pub since: Option<UnixMillis>,
    pub damaged: bool,
}
impl KeyRecord {
    #[must_use]
    pub fn invalidate_answer(&mut self) -> bool {}
    #[must_use]
    pub fn is_unknown(&self) -> bool {}
    #[must_use]
    pub fn lease_after_renewal(
        &self,
        fence: Fence,
        until: UnixMillis,
    ) -> Option<UnixMillis> {}
    #[must_use]
    pub fn new(
        key: ScopedKey,
        fingerprint: Digest,
        fence: Fence,
        state: KeyState,
    ) -> Self {}
}

// tool_runtime::store::KeyState
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyState {
    Running { until: UnixMillis },
    Answered { answer: StoredAnswer, keep_until: UnixMillis },
    Unknown,
    Archived,
}

// tool_runtime::store::MemoryLimits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    ..
}
impl MemoryLimits {
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn with_grants(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_keys(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_outputs(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_reserved_answer_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_snapshots(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_tenant_keys(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_tickets(self, limit: usize, bytes: usize) -> Self {}
}
impl Default for MemoryLimits {}

// tool_runtime::store::MemoryStore
#[derive(Clone)]
pub struct MemoryStore {
    ..
}
impl MemoryStore {
    #[must_use]
    pub fn bounded(limits: MemoryLimits) -> Self {}
    #[must_use]
    pub fn new() -> Self {}
}
impl Default for MemoryStore {}
impl EvidenceStore for MemoryStore {}
impl GrantStore for MemoryStore {}
impl IdempotencyStore for MemoryStore {}
impl OutputStore for MemoryStore {}
impl TicketStore for MemoryStore {}
impl fmt::Debug for MemoryStore {}

// tool_runtime::store::MonotonicTime
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MonotonicTime {
    ..
}
impl MonotonicTime {
    #[must_use]
    pub const fn boot(self) -> Uuid {}
    #[must_use]
    pub const fn new(boot: Uuid, up_ms: u64) -> Self {}
    #[must_use]
    pub fn now() -> Self {}
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Duration> {}
    #[must_use]
    pub const fn up_ms(self) -> u64 {}
}

// tool_runtime::store::OutputSlice
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputSlice {
    pub bytes: Vec<u8>,
    pub total: u64,
}
impl OutputSlice {
    #[must_use]
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {}
}

// tool_runtime::store::OutputStore
pub trait OutputStore: Send + Sync + 'static {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError>;
    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError>;
    async fn sweep_outputs(
        &self,
        now: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

// tool_runtime::store::ScopedKey
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct ScopedKey {
    pub tenant: Uuid,
    pub principal: Box<str>,
    pub tool: Box<str>,
    pub key: Box<str>,
}
impl ScopedKey {
    #[must_use]
    pub fn digest(&self) -> Digest {}
    #[must_use]
    pub fn global_key(&self) -> String {}
    pub fn new(
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        tool: impl Into<Box<str>>,
        key: impl Into<Box<str>>,
    ) -> Self {}
}

// tool_runtime::store::Settlement
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Settlement {
    Answered { answer: StoredAnswer, keep_until: UnixMillis },
    Unknown,
    Released,
}
impl Settlement {
    #[must_use]
    pub fn decide(
        &self,
        fence: Fence,
        record: Option<&KeyRecord>,
    ) -> SettlementDecision {}
}

// tool_runtime::store::SettlementDecision
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettlementDecision {
    Unchanged { is_settled: bool },
    Store { state: KeyState, since: Option<UnixMillis> },
    Delete,
}

// tool_runtime::store::SqliteOptions
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    ..
}
impl SqliteOptions {
    #[must_use]
    pub fn adopt_rows(self, adopt: bool) -> Self {}
    #[must_use]
    pub fn allow_wal_reset_bug(self, allow: bool) -> Self {}
    #[must_use]
    pub fn busy_timeout(self, timeout: Duration) -> Self {}
    #[must_use]
    pub fn check_on_open(self, check: bool) -> Self {}
    #[must_use]
    pub fn checksum_keys(self, keys: &KeyRing) -> Self {}
    #[must_use]
    pub fn max_queued(self, limit: usize) -> Self {}
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {}
    #[must_use]
    pub fn sync_commits(self, sync: bool) -> Self {}
}
impl Default for SqliteOptions {}

// tool_runtime::store::SqliteStore
#[derive(Clone)]
pub struct SqliteStore {
    ..
}
impl SqliteStore {
    #[must_use]
    pub const fn check(&self) -> FileCheck {}
    pub async fn close(&self) {}
    pub async fn damaged_keys(
        &self,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {}
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
    #[must_use]
    pub fn options() -> SqliteOptions {}
}
impl EvidenceStore for SqliteStore {}
impl GrantStore for SqliteStore {}
impl IdempotencyStore for SqliteStore {}
impl OutputStore for SqliteStore {}
impl TicketStore for SqliteStore {}
impl fmt::Debug for SqliteStore {}

// tool_runtime::store::StandingGrant
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StandingGrant {
    pub scope: GrantScope,
    pub granted_by: Box<str>,
    pub granted_at: UnixMillis,
    pub expires_at: Option<UnixMillis>,
}
impl StandingGrant {
    pub fn new(
        scope: GrantScope,
        granted_by: impl Into<Box<str>>,
        granted_at: UnixMillis,
    ) -> Self {}
    #[must_use]
    pub fn until(self, end: UnixMillis) -> Self {}
}

// tool_runtime::store::Store
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}
impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}

// tool_runtime::store::StoreClock
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreClock {
    ..
}
impl StoreClock {
    pub fn advance(&mut self, reading: ClockReading) -> UnixMillis {}
    #[must_use]
    pub const fn new(time: UnixMillis, read: ClockReading) -> Self {}
    #[must_use]
    pub const fn read(&self) -> ClockReading {}
    #[must_use]
    pub const fn start(reading: ClockReading) -> Self {}
    #[must_use]
    pub const fn time(&self) -> UnixMillis {}
}

// tool_runtime::store::StoreError
#[derive(Debug, Clone)]
pub struct StoreError {
    ..
}
impl StoreError {
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {}
    #[must_use]
    pub fn log(&self) -> &str {}
    pub fn new(kind: StoreErrorKind, log: impl Into<String>) -> Self {}
}
impl fmt::Display for StoreError {}
impl std::error::Error for StoreError {}

// tool_runtime::store::StoreErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    Unavailable,
    Full,
    ReadOnly,
    Damaged,
}
impl fmt::Display for StoreErrorKind {}

// tool_runtime::store::StoredAnswer
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredAnswer {
    pub succeeded: bool,
    pub body: Vec<u8>,
    pub meta: Vec<u8>,
}
impl StoredAnswer {
    #[must_use]
    pub fn failed(body: Vec<u8>, meta: Vec<u8>) -> Self {}
    #[must_use]
    pub fn succeeded(body: Vec<u8>, meta: Vec<u8>) -> Self {}
}

// tool_runtime::store::StoredOutput
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredOutput {
    pub id: Uuid,
    pub tenant: Uuid,
    pub principal: Box<str>,
    pub text: Vec<u8>,
    pub expires_at: UnixMillis,
}
impl StoredOutput {
    pub fn new(
        id: Uuid,
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        text: Vec<u8>,
        expires_at: UnixMillis,
    ) -> Self {}
}

// tool_runtime::store::SystemClock
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SystemClock;
impl Clock for SystemClock {}

// tool_runtime::store::TicketEnd
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TicketEnd {
    Used,
    Declined,
    Superseded,
    Expired,
}

// tool_runtime::store::TicketQuota
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TicketQuota {
    pub tickets: usize,
    pub bytes: usize,
}
impl TicketQuota {
    #[must_use]
    pub const fn new(tickets: usize, bytes: usize) -> Self {}
}

// tool_runtime::store::TicketStore
pub trait TicketStore: Send + Sync + 'static {
    async fn put_ticket(&self, ticket: WaitingTicket) -> Result<(), StoreError>;
    async fn put_ticket_within(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {}
    async fn find_ticket(&self, id: Uuid) -> Result<Option<WaitingTicket>, StoreError>;
    async fn end_ticket(
        &self,
        id: Uuid,
        end: TicketEnd,
    ) -> Result<Option<TicketEnd>, StoreError>;
    async fn waiting_tickets(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Vec<WaitingTicket>, StoreError>;
    async fn supersede_tickets(
        &self,
        tenant: Uuid,
        conversation: &str,
    ) -> Result<usize, StoreError>;
    async fn sweep_tickets(
        &self,
        now: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

// tool_runtime::store::UnixMillis
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize
)]
pub struct UnixMillis(_);
impl UnixMillis {
    #[must_use]
    pub fn after(self, time: Duration) -> Self {}
    #[must_use]
    pub fn before(self, time: Duration) -> Self {}
    #[must_use]
    pub const fn get(self) -> u64 {}
    #[must_use]
    pub const fn new(milliseconds: u64) -> Self {}
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {}
}

// tool_runtime::store::WaitingTicket
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingTicket {
    pub id: Uuid,
    pub tenant: Uuid,
    pub conversation: Box<str>,
    pub payload: Vec<u8>,
    pub expires_at: UnixMillis,
    pub end: Option<TicketEnd>,
    pub caller: Box<str>,
}
impl WaitingTicket {
    pub fn new(
        id: Uuid,
        tenant: Uuid,
        conversation: impl Into<Box<str>>,
        payload: Vec<u8>,
        expires_at: UnixMillis,
    ) -> Self {}
    #[must_use]
    pub fn with_quota_owner(self, caller: impl Into<Box<str>>) -> Self {}
}

// tool_runtime::store::async_trait = async_trait::async_trait

// tool_runtime::testing::AnsweredCall
#[derive(Debug, Clone)]
pub struct AnsweredCall {
    ..
}
impl AnsweredCall {
    #[must_use]
    pub fn output(&self) -> &ToolOutput {}
    #[must_use]
    pub fn request(&self) -> &ToolCallRequest {}
}

// tool_runtime::testing::EffectCounter
pub trait EffectCounter: 'static {
    fn count(&self) -> u64;
}
impl<F, N> EffectCounter for F
where
    F: Fn() -> N + 'static,
    N: TryInto<u64>,
{}

// tool_runtime::testing::ExpectedData
#[derive(Debug, Clone, Copy)]
pub struct ExpectedData<'o> {
    ..
}
impl ExpectedData<'_> {
    pub fn data(self, expected: impl Serialize) -> Self {}
    pub fn data_has(self, expected: impl Serialize) -> Self {}
}

// tool_runtime::testing::ExpectedError
#[derive(Debug, Clone, Copy)]
pub struct ExpectedError<'o> {
    ..
}
impl ExpectedError<'_> {
    pub fn code(self, code: &str) -> Self {}
    pub fn error_type(self, error_type: ToolErrorType) -> Self {}
    pub fn message_has(self, part: &str) -> Self {}
    pub fn violation(self, pointer: &str, rule: &str) -> Self {}
}

// tool_runtime::testing::ExpectedOutput
#[derive(Debug, Clone, Copy)]
#[must_use = "an expectation must be added"]
pub struct ExpectedOutput<'o> {
    ..
}
impl<'o> ExpectedOutput<'o> {
    pub fn failed(self) -> ExpectedError<'o> {}
    pub fn ok(self) -> ExpectedData<'o> {}
}

// tool_runtime::testing::FaultyStore
#[derive(Clone)]
pub struct FaultyStore {
    ..
}
impl FaultyStore {
    pub fn clear_faults(&self) {}
    pub fn fail_always(&self, operation: StoreOperation, fault: StoreFault) {}
    pub fn fail_next(&self, operation: StoreOperation, fault: StoreFault) {}
    #[must_use]
    pub fn new() -> Self {}
}
impl Default for FaultyStore {}
impl GrantStore for FaultyStore {}
impl IdempotencyStore for FaultyStore {}
impl OutputStore for FaultyStore {}
impl TicketStore for FaultyStore {}
impl std::fmt::Debug for FaultyStore {}

// tool_runtime::testing::Ids
#[derive(Debug, Clone)]
pub struct Ids(_);
impl Ids {
    pub fn next_id(&mut self) -> Uuid {}
}
impl Iterator for Ids {
    type Item = Uuid;
}

// tool_runtime::testing::Instances
#[derive(Debug, Clone)]
pub struct Instances {
    ..
}
impl Instances {
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {}
    #[must_use]
    pub fn invalid(&self, seed: u64) -> InvalidInstance {}
    pub fn of(schema: &Value) -> Result<Self, InstancesError> {}
    #[must_use]
    pub fn simpler(&self, value: &Value) -> Vec<Value> {}
    #[must_use]
    pub fn valid(&self, seed: u64) -> Value {}
}

// tool_runtime::testing::InstancesError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstancesError {
    ..
}
impl InstancesError {
    #[must_use]
    pub fn pointer(&self) -> &str {}
}
impl From<SchemaError> for InstancesError {}
impl fmt::Display for InstancesError {}
impl std::error::Error for InstancesError {}

// tool_runtime::testing::InvalidInstance
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidInstance {
    ..
}
impl InvalidInstance {
    #[must_use]
    pub fn mutation(&self) -> Mutation {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn text(&self) -> &str {}
}

// tool_runtime::testing::ManualClock
#[derive(Debug, Clone)]
pub struct ManualClock(_);
impl ManualClock {
    pub fn advance(&self, time: Duration) {}
    #[must_use]
    pub fn at(moment: UnixMillis) -> Self {}
    pub fn reboot(&self) {}
    pub fn set(&self, moment: UnixMillis) {}
}
impl Clock for ManualClock {}

// tool_runtime::testing::ModelTurn
pub struct ModelTurn(_);
impl ModelTurn {
    pub fn after(
        turn: impl FnOnce(&[AnsweredCall]) -> ModelTurn + Send + 'static,
    ) -> Self {}
    #[must_use]
    pub fn and(self, tool: impl Into<String>, arguments: impl Serialize) -> Self {}
    pub fn call(tool: impl Into<String>, arguments: impl Serialize) -> Self {}
    pub fn text(text: impl Into<String>) -> Self {}
}
impl fmt::Debug for ModelTurn {}

// tool_runtime::testing::Mutation
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mutation {
    Truncated,
    DuplicateKey,
    RequiredAbsent,
    UnknownField,
    WrongType,
    UnknownValue,
    BelowRange,
    AboveRange,
    NotAMultiple,
    TooShort,
    TooLong,
    PatternBroken,
    TooFewItems,
    TooManyItems,
    RepeatedItem,
    TooFewProperties,
    TooManyProperties,
}

// tool_runtime::testing::RecordedEffects
#[derive(Debug, Clone, Default)]
pub struct RecordedEffects(_);
impl RecordedEffects {
    #[must_use]
    pub fn new() -> Self {}
    pub fn record(&self) {}
}
impl EffectCounter for RecordedEffects {}

// tool_runtime::testing::ScriptedApprover
#[derive(Debug, Clone)]
pub struct ScriptedApprover(_);
impl ScriptedApprover {
    #[must_use]
    pub fn is_done(&self) -> bool {}
    #[must_use]
    pub fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {}
    #[must_use]
    pub fn requests(&self) -> Vec<String> {}
}
impl Approver for ScriptedApprover {}

// tool_runtime::testing::ScriptedMessage
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedMessage {
    ..
}
impl ScriptedMessage {
    #[must_use]
    pub fn calls(&self) -> &[ToolCallRequest] {}
    #[must_use]
    pub fn text(&self) -> Option<&str> {}
}

// tool_runtime::testing::ScriptedModel
pub struct ScriptedModel {
    ..
}
impl ScriptedModel {
    pub fn answer(&mut self, call_id: &str, output: &ToolOutput) {}
    #[must_use]
    pub fn answers(&self) -> &[AnsweredCall] {}
    #[must_use]
    pub fn new(turns: impl IntoIterator<Item = ModelTurn>) -> Self {}
    pub fn next_turn(&mut self) -> Option<ScriptedMessage> {}
    pub async fn play(&mut self, runtime: &Runtime, cx: &ToolContext) -> Option<String> {}
}
impl fmt::Debug for ScriptedModel {}

// tool_runtime::testing::StoreFault
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    Fails,
    ResponseLost,
    Hangs,
}

// tool_runtime::testing::StoreOperation
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreOperation {
    Claim,
    Renew,
    Settle,
    FindKeys,
    Tickets,
    Grants,
    Outputs,
    Sweep,
}

// tool_runtime::testing::ToolTrial
#[must_use = "nothing is tried before `check`, `run` or `assert`"]
pub struct ToolTrial {
    ..
}
impl ToolTrial {
    pub fn assert(self) {}
    pub fn budget(self, budget: Duration) -> Self {}
    pub fn cases(self, cases: u32) -> Self {}
    #[must_use = "an unread report fails no test"]
    pub fn check(self) -> TrialReport {}
    pub fn context(self, cx: ToolContext) -> Self {}
    pub fn effects(self, effects: impl EffectCounter) -> Self {}
    pub fn input(self, input: impl Serialize) -> Self {}
    pub fn named(name: impl Into<String>) -> Self {}
    pub fn of<T: Tool>() -> Self {}
    pub fn of_method<K: Toolkit>(method: &str) -> Self {}
    pub fn real_time(self, real_time: bool) -> Self {}
    pub async fn run(self) -> TrialReport {}
    pub fn seed(self, seed: u64) -> Self {}
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(self, state: Arc<T>) -> Self {}
    pub fn shared_toolkit<K: Toolkit>(self, toolkit: Arc<K>) -> Self {}
    pub fn snapshots_in(self, folder: impl Into<PathBuf>) -> Self {}
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {}
    pub fn toolkit<K: Toolkit>(self, toolkit: K) -> Self {}
    pub fn with(self, change: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {}
}
impl fmt::Debug for ToolTrial {}

// tool_runtime::testing::TrialCheck
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TrialCheck {
    Registration,
    Snapshot,
    Metaschema,
    Inputs,
    Panics,
    Output,
    Deadline,
    Refusal,
    DryRun,
    Idempotency,
    Secrets,
}
impl fmt::Display for TrialCheck {}

// tool_runtime::testing::TrialFinding
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialFinding {
    ..
}
impl TrialFinding {
    #[must_use]
    pub fn check(&self) -> TrialCheck {}
    #[must_use]
    pub fn text(&self) -> &str {}
}
impl fmt::Display for TrialFinding {}

// tool_runtime::testing::TrialReport
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an unread report fails no test"]
pub struct TrialReport {
    ..
}
impl TrialReport {
    pub fn assert(&self) {}
    #[must_use]
    pub fn cases(&self) -> u32 {}
    #[must_use]
    pub fn findings(&self) -> &[TrialFinding] {}
    #[must_use]
    pub fn is_ok(&self) -> bool {}
    #[must_use]
    pub fn notes(&self) -> &[String] {}
}
impl fmt::Display for TrialReport {}

// tool_runtime::testing::assert_tool = tool_runtime_derive::assert_tool

// tool_runtime::testing::conformance::all
pub async fn all<S: Store>(store: &S) {}

// tool_runtime::testing::conformance::evidence
pub async fn evidence(store: &dyn EvidenceStore) {}

// tool_runtime::testing::conformance::grants
pub async fn grants(store: &dyn GrantStore) {}

// tool_runtime::testing::conformance::idempotency
pub async fn idempotency(store: &dyn IdempotencyStore) {}

// tool_runtime::testing::conformance::ledgers
pub fn ledgers<S: LedgerStore>(new: impl FnMut() -> S) {}

// tool_runtime::testing::conformance::outputs
pub async fn outputs(store: &dyn OutputStore) {}

// tool_runtime::testing::conformance::quotas
pub async fn quotas<S: IdempotencyStore + TicketStore>(store: &S) {}

// tool_runtime::testing::conformance::sessions
pub async fn sessions(store: &dyn SessionStore) {}

// tool_runtime::testing::conformance::tickets
pub async fn tickets(store: &dyn TicketStore) {}

// tool_runtime::testing::context
pub fn context() -> ToolContextBuilder {}

// tool_runtime::testing::expect_output
pub fn expect_output(output: &ToolOutput) -> ExpectedOutput<'_> {}

// tool_runtime::testing::expect_status
pub fn expect_status(call: &ToolCall, status: CallStatus) {}

// tool_runtime::testing::ids
#[must_use]
pub fn ids(seed: u64) -> Ids {}

// tool_runtime::tokens::Encoding
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    O200kBase,
    Cl100kBase,
}
impl Encoding {
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
    #[must_use]
    pub fn of_model(model: &str) -> Option<Self> {}
}
impl fmt::Display for Encoding {}

// tool_runtime::tokens::ExactTokens
#[derive(Clone, Copy)]
pub struct ExactTokens {
    ..
}
impl ExactTokens {
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {}
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {}
}
impl TokenCounter for ExactTokens {}
impl fmt::Debug for ExactTokens {}

// tool_runtime::tokens::TokenCounter
pub trait TokenCounter: fmt::Debug + Send + Sync {
    fn count(&self, text: &str) -> u64;
    fn method(&self) -> TokenMethod;
}
impl<T: TokenCounter + ?Sized> TokenCounter for &T {}
impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {}
impl<T: TokenCounter + ?Sized> TokenCounter for Box<T> {}

// tool_runtime::tokens::TokenEstimate
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TokenEstimate;
impl TokenCounter for TokenEstimate {}

// tool_runtime::tokens::TokenMethod
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenMethod {
    Estimate,
    Exact(Encoding),
}
impl TokenMethod {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
    #[must_use]
    pub const fn is_exact(self) -> bool {}
}
impl fmt::Display for TokenMethod {}

// tool_runtime::tokens::counter_for_model
#[must_use]
pub fn counter_for_model(model: &str) -> Arc<dyn TokenCounter> {}

// tool_runtime::trace::JsonLog
#[derive(Clone)]
pub struct JsonLog {
    ..
}
impl JsonLog {
    #[must_use]
    pub fn dropped(&self) -> u64 {}
    pub fn flush(&self) {}
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<Self> {}
    pub fn with_capacity(
        writer: impl Write + Send + 'static,
        lines: usize,
    ) -> io::Result<Self> {}
}
impl Observe for JsonLog {}
impl fmt::Debug for JsonLog {}

// tool_runtime::trace::LogLine
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogLine<'r> {
    pub event: &'static str,
    pub timestamp: DateTime<Utc>,
    pub trace_id: &'r str,
    pub run_id: Option<&'r str>,
    pub ingestion_run_id: Option<&'r str>,
    pub tool_name: &'r str,
    pub tenant_id: Uuid,
    pub tenant_slug: Option<&'r str>,
    pub site_id: Option<&'r str>,
    pub latency_ms: u64,
    pub error_type: Option<&'static str>,
    pub error_code: Option<&'r str>,
    pub call_id: Option<&'r str>,
    pub dry_run: bool,
    pub replay_of: Option<Uuid>,
    pub detail: &'r str,
}
impl<'r> LogLine<'r> {
    #[must_use]
    pub fn of(record: &CallRecord<'r>) -> Self {}
}

// tool_runtime::trace::Metrics
#[derive(Clone)]
pub struct Metrics(_);
impl Metrics {
    #[must_use]
    pub fn new(meter: &opentelemetry::metrics::Meter) -> Self {}
}
impl fmt::Debug for Metrics {}

// tool_runtime::trace::SpanIds
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanIds(_);
impl SpanIds {
    #[must_use]
    pub const fn langfuse_metadata(self) -> Self {}
    #[must_use]
    pub const fn none() -> Self {}
    #[must_use]
    pub const fn session(self) -> Self {}
    #[must_use]
    pub const fn site(self) -> Self {}
    #[must_use]
    pub const fn user(self) -> Self {}
}

// tool_runtime::trace::TraceHeaders
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceHeaders {
    ..
}
impl TraceHeaders {
    #[must_use]
    pub fn context(&self) -> Option<&TraceContext> {}
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {}
    #[must_use]
    pub fn new(context: impl Into<Option<TraceContext>>) -> Self {}
}
impl FromCall for TraceHeaders {}

// tool_runtime::trace::conventions::ACTIVE_CALLS
pub const ACTIVE_CALLS: &str = "tool_runtime.active_calls";

// tool_runtime::trace::conventions::AGENT_TARGET
pub const AGENT_TARGET: &str = "tool_runtime::agent";

// tool_runtime::trace::conventions::CACHE_HITS
pub const CACHE_HITS: &str = "tool_runtime.cache_hits";

// tool_runtime::trace::conventions::CALLS
pub const CALLS: &str = "tool_runtime.calls";

// tool_runtime::trace::conventions::CALL_ATTEMPTS
pub const CALL_ATTEMPTS: &str = "tool_runtime.call.attempts";

// tool_runtime::trace::conventions::CALL_DURATION
pub const CALL_DURATION: &str = "tool_runtime.call.duration";

// tool_runtime::trace::conventions::CALL_ORIGIN
pub const CALL_ORIGIN: &str = "tool_runtime.call.origin";

// tool_runtime::trace::conventions::CALL_STATUS
pub const CALL_STATUS: &str = "tool_runtime.call.status";

// tool_runtime::trace::conventions::DETAIL_TARGET
pub const DETAIL_TARGET: &str = "tool_runtime::detail";

// tool_runtime::trace::conventions::DRY_RUN
pub const DRY_RUN: &str = "tool_runtime.call.dry_run";

// tool_runtime::trace::conventions::DURATION
pub const DURATION: &str = "gen_ai.execute_tool.duration";

// tool_runtime::trace::conventions::DURATION_BOUNDARIES
pub const DURATION_BOUNDARIES: [f64; 14] = [
    0.01,
    0.02,
    0.04,
    0.08,
    0.16,
    0.32,
    0.64,
    1.28,
    2.56,
    5.12,
    10.24,
    20.48,
    40.96,
    81.92,
];

// tool_runtime::trace::conventions::ERROR_TYPE
pub const ERROR_TYPE: &str = "error.type";

// tool_runtime::trace::conventions::EXECUTE_TOOL
pub const EXECUTE_TOOL: &str = "execute_tool";

// tool_runtime::trace::conventions::FUNCTION
pub const FUNCTION: &str = "function";

// tool_runtime::trace::conventions::INGESTION_RUN_ID
pub const INGESTION_RUN_ID: &str = "tool_runtime.ingestion_run.id";

// tool_runtime::trace::conventions::INVOCATION_ID
pub const INVOCATION_ID: &str = "tool_runtime.invocation.id";

// tool_runtime::trace::conventions::LANGFUSE_INGESTION_RUN_ID
pub const LANGFUSE_INGESTION_RUN_ID: &str = "langfuse.trace.metadata.ingestion_run_id";

// tool_runtime::trace::conventions::LANGFUSE_RUN_ID
pub const LANGFUSE_RUN_ID: &str = "langfuse.trace.metadata.run_id";

// tool_runtime::trace::conventions::LANGFUSE_SITE_ID
pub const LANGFUSE_SITE_ID: &str = "langfuse.trace.metadata.site_id";

// tool_runtime::trace::conventions::OPERATION_NAME
pub const OPERATION_NAME: &str = "gen_ai.operation.name";

// tool_runtime::trace::conventions::OTHER
pub const OTHER: &str = "_OTHER";

// tool_runtime::trace::conventions::REFUSALS
pub const REFUSALS: &str = "tool_runtime.refusals";

// tool_runtime::trace::conventions::REFUSAL_TARGET
pub const REFUSAL_TARGET: &str = "tool_runtime::refusals";

// tool_runtime::trace::conventions::REPLAYS
pub const REPLAYS: &str = "tool_runtime.replays";

// tool_runtime::trace::conventions::REPLAY_OF
pub const REPLAY_OF: &str = "tool_runtime.call.replay_of";

// tool_runtime::trace::conventions::RETRIES
pub const RETRIES: &str = "tool_runtime.retries";

// tool_runtime::trace::conventions::RUN_ID
pub const RUN_ID: &str = "tool_runtime.run.id";

// tool_runtime::trace::conventions::SESSION_ID
pub const SESSION_ID: &str = "session.id";

// tool_runtime::trace::conventions::SITE_ID
pub const SITE_ID: &str = "tool_runtime.site.id";

// tool_runtime::trace::conventions::TARGET
pub const TARGET: &str = "tool_runtime";

// tool_runtime::trace::conventions::TENANT_ID
pub const TENANT_ID: &str = "tool_runtime.tenant.id";

// tool_runtime::trace::conventions::TOOL_CALL_ID
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";

// tool_runtime::trace::conventions::TOOL_DESCRIPTION
pub const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";

// tool_runtime::trace::conventions::TOOL_EFFECT
pub const TOOL_EFFECT: &str = "tool_runtime.tool.effect";

// tool_runtime::trace::conventions::TOOL_NAME
pub const TOOL_NAME: &str = "gen_ai.tool.name";

// tool_runtime::trace::conventions::TOOL_TYPE
pub const TOOL_TYPE: &str = "gen_ai.tool.type";

// tool_runtime::trace::conventions::TOOL_VERSION
pub const TOOL_VERSION: &str = "tool_runtime.tool.version";

// tool_runtime::trace::conventions::TRACE_ID
pub const TRACE_ID: &str = "tool_runtime.trace.id";

// tool_runtime::trace::conventions::USER_ID
pub const USER_ID: &str = "user.id";

