// tool_runtime_core::AnswerOrigin
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AnswerOrigin {
    Call,
    Cache,
    Replay,
}

// tool_runtime_core::ApprovalError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ApprovalError {
    NotPending,
    Refused(Box<ToolErrorDetail>),
    InvalidApprover,
    InvalidArguments(Box<ToolErrorDetail>),
}

// tool_runtime_core::Arguments
#[derive(Clone)]
pub struct Arguments(_);
impl Arguments {
    #[must_use]
    pub fn into_text(self) -> Box<str> {}
}
impl From<&RawValue> for Arguments {}
impl From<&String> for Arguments {}
impl From<&str> for Arguments {}
impl From<Box<RawValue>> for Arguments {}
impl From<String> for Arguments {}
impl From<Value> for Arguments {}
impl std::fmt::Debug for Arguments {}

// tool_runtime_core::Attachment
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
    pub fn from_wire(wire: &WireAttachment) -> Option<Self> {}
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
    pub fn to_wire(&self) -> Result<WireAttachment, ContractError> {}
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

// tool_runtime_core::AttachmentError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttachmentError {
    Invalid(ContractError),
    TooMany { max: usize },
    TooLarge { max: usize },
}
impl ToolFailure for AttachmentError {}

// tool_runtime_core::AttachmentHandle
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttachmentHandle(_);
impl AttachmentHandle {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {}
}
impl fmt::Display for AttachmentHandle {}

// tool_runtime_core::AttachmentLimits
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

// tool_runtime_core::Attachments
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

// tool_runtime_core::BuildError
#[derive(Clone, Error)]
pub struct BuildError {
    ..
}
impl BuildError {
    #[must_use]
    pub fn problems(&self) -> &[BuildProblem] {}
    pub fn unless_empty(problems: Vec<BuildProblem>) -> Result<(), Self> {}
}
impl fmt::Debug for BuildError {}
impl fmt::Display for BuildError {}

// tool_runtime_core::BuildProblem
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BuildProblem {
    #[non_exhaustive]
    BudgetMismatch { tool: String, why: String },
    #[non_exhaustive]
    InvalidBudget { why: String },
    BudgetsNotStored,
    #[non_exhaustive]
    InvalidReceiver { name: String, why: &'static str },
    EventsNotStored,
    #[non_exhaustive]
    DuplicateName { tool: String, first: SourceLocation, second: SourceLocation },
    #[non_exhaustive]
    NameTaken { tool: String },
    #[non_exhaustive]
    UnknownTool { tool: String },
    #[non_exhaustive]
    MissingState { tool: String, type_name: &'static str },
    #[non_exhaustive]
    MissingTransaction { tool: String, type_name: &'static str },
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

// tool_runtime_core::CallRecord
pub struct CallRecord<'c> {
    pub facts: CallFacts<'c>,
    pub ended: &'c CallOutcome,
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
    pub fn spending(&self) -> Vec<SpendingRecord> {}
    #[must_use]
    pub fn status(&self) -> CallStatus {}
    #[must_use]
    pub fn took(&self) -> Option<Duration> {}
    #[must_use]
    pub fn tool(&self) -> &'c str {}
}
impl fmt::Debug for CallRecord<'_> {}

// tool_runtime_core::CallScope
#[derive(Clone)]
pub struct CallScope(_);
impl CallScope {
    #[must_use]
    pub fn arguments(&self) -> &str {}
    #[must_use]
    pub fn budget(&self) -> Duration {}
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
    pub fn is_approval_dry_run(&self) -> bool {}
    pub fn new(
        environment: Arc<Environment>,
        tool: Arc<RegisteredTool>,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> Self {}
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
    #[must_use]
    pub fn replay_of(&self) -> Option<Uuid> {}
    #[must_use]
    pub fn replaying(&self, earlier: Uuid) -> Self {}
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
    pub fn transaction<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, Failure> {}
}
impl Deref for CallScope {
    type Target = CallState;
}
impl fmt::Debug for CallScope {}

// tool_runtime_core::Cancellation
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

// tool_runtime_core::DataError
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    Failed(Box<ToolErrorDetail>),
    Json(serde_json::Error),
}

// tool_runtime_core::DryRun
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DryRun(_);
impl DryRun {
    #[must_use]
    pub const fn is_active(self) -> bool {}
    #[must_use]
    pub const fn new(active: bool) -> Self {}
}
impl FromCall for DryRun {}

// tool_runtime_core::DynamicTool
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
    pub fn from_async_fn<F, R, O, E>(
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
    pub fn from_fn<F, O, E>(
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
    pub fn keep_wide_numbers(self) -> Self {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn new(name: impl Into<String>, effect: Effect) -> Self {}
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
    pub fn takes_transaction(self) -> Self {}
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

// tool_runtime_core::EvidenceRecorder
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

// tool_runtime_core::Failure
#[derive(Debug, Clone)]
#[must_use]
pub struct Failure(_);
impl Failure {
    #[must_use]
    pub fn code(&self) -> FailureCode {}
    pub fn from_code(code: ErrorCode) -> Self {}
    pub fn leaves_effect_unknown(&self) -> bool {}
    #[must_use]
    pub fn message(&self) -> &str {}
    pub fn new(code: FailureCode) -> Self {}
    pub fn with_detail(self, key: impl Into<String>, value: impl Serialize) -> Self {}
    pub fn with_effect(self, effect: EffectState) -> Self {}
    pub fn with_effect_none(self) -> Self {}
    pub fn with_effect_unknown(self) -> Self {}
    pub fn with_endpoint(self, endpoint: impl Into<String>) -> Self {}
    pub fn with_log(self, text: impl Into<String>) -> Self {}
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {}
    pub fn with_reason(self, reason: RefusalReason) -> Self {}
    pub fn with_retry_after_ms(self, milliseconds: u64) -> Self {}
    pub fn with_upstream_code(self, code: impl Serialize) -> Self {}
    pub fn with_upstream_status(self, status: u16) -> Self {}
}
impl<E: ToolFailure> From<E> for Failure {}
impl From<ErrorCode> for Failure {}

// tool_runtime_core::FailureCode
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

// tool_runtime_core::FromCall
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a call",
    note = "implement `FromCall` for it, or give a value to the builder with `.state(…)`"
)]
pub trait FromCall: Sized + Send + Sync + 'static {
    const IS_TRANSACTION: bool = false;
    fn from_call(call: &CallScope) -> Result<Self, Failure>;
}
impl FromCall for ToolContext {}

// tool_runtime_core::Idempotency
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

// tool_runtime_core::InputAnswer
#[derive(Debug, Clone, PartialEq)]
pub enum InputAnswer {
    Given(Map<String, Value>),
    Declined,
    Dismissed,
}
impl InputAnswer {
    pub fn parse<T: DeserializeOwned>(self) -> Result<Option<T>, Failure> {}
}

// tool_runtime_core::InputError
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    Unavailable,
    Asked,
    Invalid(String),
    Unanswered,
}
impl ToolFailure for InputError {}

// tool_runtime_core::Job
pub type Job = Box<dyn FnOnce() + Send>;

// tool_runtime_core::MetaRecorder
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

// tool_runtime_core::NotPending
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub struct NotPending;

// tool_runtime_core::Observe
pub trait Observe: Send + Sync + 'static {
    fn call_ended(&self, record: &CallRecord<'_>);
}
impl<F: Fn(&CallRecord<'_>) + Send + Sync + 'static> Observe for F {}

// tool_runtime_core::OutputMeta
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

// tool_runtime_core::Preview
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
    pub fn budgets(&self) -> &'c [String] {}
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

// tool_runtime_core::Progress
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

// tool_runtime_core::ProgressUpdate
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    pub fraction: Option<f64>,
    pub message: String,
}

// tool_runtime_core::Reconciled
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reconciled<T> {
    Happened(T),
    DidNotHappen,
    Unknown,
}

// tool_runtime_core::RefusalReason
word_enum! {
    #[non_exhaustive] pub enum RefusalReason { ActorType = "actor_type", AnswerNotValid =
    "answer_not_valid", AnsweredBefore = "answered_before", Answers = "answers", Bodies =
    "bodies", BreakerOpen = "breaker_open", BudgetExceeded = "budget_exceeded", Busy =
    "busy", Cancelled = "cancelled", CutOff = "cut_off", DeniedByPolicy =
    "denied_by_policy", Draining = "draining", Dropped = "dropped", EditNotValid =
    "edit_not_valid", EvidenceAltered = "evidence_altered", EvidenceMissing =
    "evidence_missing", EvidenceNotKept = "evidence_not_kept", EvidenceShredded =
    "evidence_shredded", EvidenceUnavailable = "evidence_unavailable", Expired =
    "expired", Host = "host", InFlight = "in_flight", InputRequired = "input_required",
    KeyNotKept = "key_not_kept", KeyRequired = "key_required", KeyReused = "key_reused",
    LeaseLost = "lease_lost", LedgerClosed = "ledger_closed", LedgerFull = "ledger_full",
    Mandate = "mandate", NoEvidence = "no_evidence", NoLedger = "no_ledger", NoPrincipal
    = "no_principal", NoTicket = "no_ticket", NotCanonical = "not_canonical", Origin =
    "origin", OutcomeArchived = "outcome_archived", OutcomeChanged = "outcome_changed",
    OutcomeUnknown = "outcome_unknown", OwnCall = "own_call", PolicyFailed =
    "policy_failed", PreviewChanged = "preview_changed", QueueFull = "queue_full",
    RateLimit = "rate_limit", Reads = "reads", RecordDamaged = "record_damaged",
    RequesterNotAllowed = "requester_not_allowed", Scope = "scope", Stopped = "stopped",
    StoreFull = "store_full", StoreUnavailable = "store_unavailable", Streams =
    "streams", Superseded = "superseded", TicketArgumentsChanged =
    "ticket_arguments_changed", TicketDeclined = "ticket_declined", TicketExpired =
    "ticket_expired", TicketForeign = "ticket_foreign", TicketMalformed =
    "ticket_malformed", TicketOutdated = "ticket_outdated", TicketOversized =
    "ticket_oversized", TicketSuperseded = "ticket_superseded", TicketTampered =
    "ticket_tampered", TicketUnknown = "ticket_unknown", TicketUnknownKey =
    "ticket_unknown_key", TicketUnreadable = "ticket_unreadable", TicketUsed =
    "ticket_used", TokenKeys = "token_keys", ToolDisabled = "tool_disabled",
    ToolNotCovered = "tool_not_covered", UnknownEvidence = "unknown_evidence", UnknownKey
    = "unknown_key", UnknownOutcome = "unknown_outcome", UnknownOutcomesFull =
    "unknown_outcomes_full", UnknownTool = "unknown_tool", UnknownTrace =
    "unknown_trace", User = "user", WaitingTicketsFull = "waiting_tickets_full", }
}
impl Serialize for RefusalReason {}
impl fmt::Display for RefusalReason {}

// tool_runtime_core::RefusedTool
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

// tool_runtime_core::Registry
#[derive(Debug, Default)]
pub struct Registry {
    ..
}
impl Registry {
    pub fn compile(
        &self,
        settings: &ToolSettings,
        problems: &mut Vec<BuildProblem>,
    ) -> CompiledTools {}
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

// tool_runtime_core::Runtime
#[derive(Clone)]
pub struct Runtime {
    ..
}
impl Runtime {
    #[must_use]
    pub fn bridge<C: ToolClient>(&self, client: C) -> C::Bridge {}
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
    #[must_use]
    pub fn downgrade(&self) -> WeakRuntime {}
    #[must_use]
    pub fn environment(&self) -> &Environment {}
    #[must_use]
    pub fn events(&self) -> Events<'_> {}
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
    pub fn open(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
    ) -> ToolCall {}
    pub fn open_among(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        visible: &dyn Fn(&ToolSpec) -> bool,
    ) -> ToolCall {}
    #[must_use]
    pub fn open_refused(
        &self,
        name: &str,
        call_id: Option<Box<str>>,
        arguments: Box<str>,
        cx: ToolContext,
        refusal: Box<Refusal>,
    ) -> ToolCall {}
    #[must_use]
    pub fn outcomes(&self) -> Outcomes<'_> {}
    #[must_use]
    pub fn outputs(&self) -> StoredOutputs<'_> {}
    #[must_use]
    pub fn policy_state(&self) -> &Arc<PolicyState> {}
    #[must_use]
    pub fn registered(&self, name: &str) -> Option<Arc<RegisteredTool>> {}
    #[must_use]
    pub fn services(&self) -> &Arc<CallServices> {}
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<Arc<ToolSpec>> {}
    pub fn specs(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {}
    pub fn specs_for_model(&self) -> impl Iterator<Item = Arc<ToolSpec>> + use<> {}
    pub async fn sweep(&self) -> Result<usize, StoreError> {}
    #[must_use]
    pub fn tickets(&self) -> Tickets<'_> {}
    #[must_use]
    pub fn timer(&self) -> &dyn Timer {}
    #[must_use]
    pub fn tool_index(&self) -> ToolIndex {}
    #[must_use]
    pub fn tools(&self) -> Tools<'_> {}
    #[must_use]
    pub fn wall_clock_step_counter(&self) -> Arc<AtomicU64> {}
    #[must_use]
    pub fn wall_clock_steps(&self) -> u64 {}
}
impl fmt::Debug for Runtime {}

// tool_runtime_core::RuntimeBuilder
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
    pub fn evidence(self, keeper: impl EvidenceCollector + 'static) -> Self {}
    #[must_use]
    pub fn expect_more_tools(self) -> Self {}
    #[must_use]
    pub fn ledger(self, ledger: &impl CallLedger) -> Self {}
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

// tool_runtime_core::Sleep
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

// tool_runtime_core::SourceLocation
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

// tool_runtime_core::SpendingOutcome
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpendingOutcome {
    Refused,
    Held,
    Spent(u64),
    Replayed(u64),
}

// tool_runtime_core::SpendingRecord
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingRecord {
    pub budget: Arc<str>,
    pub limit: Arc<str>,
    pub unit: BudgetUnit,
    pub amount: u64,
    pub total: u64,
    pub outcome: SpendingOutcome,
    pub key: Option<[u8; 32]>,
    pub mandate: Option<Arc<str>>,
}

// tool_runtime_core::Timer
pub trait Timer: fmt::Debug + Send + Sync + 'static {
    fn now(&self) -> Instant;
    fn is_ready(&self) -> bool {}
    fn sleep(&self, duration: Duration) -> Sleep;
    fn spawn_blocking(&self, job: Job);
}

// tool_runtime_core::TokioTimer
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TokioTimer;
impl Timer for TokioTimer {}

// tool_runtime_core::Tool
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the handle of a tool",
    note = "`#[ai_tool]` over `fn search_content` makes the handle `SearchContentTool`; \
            register that: `.tool::<SearchContentTool>()`"
)]
pub trait Tool: 'static {}

// tool_runtime_core::ToolCall
pub struct ToolCall {
    pub started: Option<Instant>,
    ..
}
impl ToolCall {
    pub fn approval(&self) -> &CallApproval {}
    pub fn approval_mut(&mut self) -> &mut CallApproval {}
    pub fn approve(&mut self, approver: impl Into<String>) -> Result<(), ApprovalError> {}
    pub fn approve_edited(
        &mut self,
        approver: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Result<(), ApprovalError> {}
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {}
    pub async fn attachments_with_content(
        &self,
        reader: Option<Audience>,
    ) -> Vec<Attachment> {}
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
    pub fn exceed_budgets(&mut self) {}
    pub async fn execute(&mut self) -> &ToolOutput {}
    pub async fn execute_unless_approval_needed(&mut self) -> Option<NeededApproval> {}
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
    pub fn open(
        services: Arc<CallServices>,
        scope: CallScope,
        availability: Availability,
    ) -> Self {}
    #[must_use]
    pub fn output(&self) -> Option<&ToolOutput> {}
    #[must_use]
    pub fn preview(&self) -> Preview<'_> {}
    pub fn refuse(
        &mut self,
        refusal: impl FnOnce() -> Box<Refusal>,
    ) -> Result<(), NotPending> {}
    pub fn scope(&self) -> Option<&CallScope> {}
    pub fn services(&self) -> &CallServices {}
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

// tool_runtime_core::ToolChanges
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

// tool_runtime_core::ToolFailure
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `ToolFailure`",
    note = "derive it: `#[derive(ToolFailure)]` with a `#[failure(CODE)]` on each variant"
)]
pub trait ToolFailure {
    fn failure(&self) -> Failure;
    fn codes() -> &'static [FailureCode]
    where
        Self: Sized;
}

// tool_runtime_core::ToolList
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

// tool_runtime_core::ToolOutput
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
    pub fn failed(
        echo: Option<&str>,
        detail: ToolErrorDetail,
        meta: ToolErrorMeta,
    ) -> Self {}
    #[must_use]
    pub fn given_before(echo: Option<&str>, data: &str, meta: ToolResultMeta) -> Self {}
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

// tool_runtime_core::ToolSubscription
#[must_use = "the subscription ends when it is dropped"]
pub struct ToolSubscription {
    ..
}
impl fmt::Debug for ToolSubscription {}

// tool_runtime_core::Toolkit
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolkit",
    note = "write `#[ai_toolkit]` over one `impl {Self}` block and `#[ai_tool(…)]` on its methods"
)]
pub trait Toolkit: Send + Sync + 'static {
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
}

// tool_runtime_core::Tools
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

// tool_runtime_core::TypedCall
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

// tool_runtime_core::TypedTool
#[diagnostic::on_unimplemented(
    message = "the answer of `{Self}` has no type that can be named",
    note = "a function that returns `impl Trait` has none; use `runtime.call(…)`"
)]
pub trait TypedTool: Tool {
    type Output;
}

// tool_runtime_core::UserInput
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

// tool_runtime_core::Withdrawal
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Withdrawal {
    Superseded,
    Expired,
    CutOff,
}

// tool_runtime_core::articulate::Articulator
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

// tool_runtime_core::articulate::COMPACT
pub const COMPACT: Separators = Separators { item: ",", key: ":" };

// tool_runtime_core::articulate::from_toon
pub fn from_toon<T: DeserializeOwned>(text: &str) -> Result<T, SerializationError> {}

// tool_runtime_core::articulate::json_text_without
pub fn json_text_without(
    view: JsonView<'_>,
    separators: Separators,
    is_left_out: impl Fn(&JsonNode) -> bool,
) -> String {}

// tool_runtime_core::articulate::to_toon
pub fn to_toon<T: Serialize + ?Sized>(data: &T) -> Result<String, SerializationError> {}

// tool_runtime_core::policy::AccessPolicy
pub trait AccessPolicy: Send + Sync + 'static {
    async fn decide(
        &self,
        request: &AccessRequest<'_>,
    ) -> Result<AccessVerdict, Box<dyn Error + Send + Sync>>;
}

// tool_runtime_core::policy::AccessRequest
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

// tool_runtime_core::policy::AccessVerdict
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

// tool_runtime_core::policy::ApprovalRequest
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

// tool_runtime_core::policy::Approver
pub trait Approver: Send + Sync + 'static {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision;
}

// tool_runtime_core::policy::BreakerConfig
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

// tool_runtime_core::policy::BudgetWarning
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetWarning {
    pub account: BudgetAccount,
    pub used: u64,
    pub total: u64,
    pub percent: u8,
}

// tool_runtime_core::policy::ConcurrentRepeat
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ConcurrentRepeat {
    Refuse,
    Wait,
}

// tool_runtime_core::policy::ConfiguredLimit
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredLimit {
    pub budget: Box<str>,
    pub limit: Box<str>,
    pub unit: BudgetUnit,
    pub amount: Option<u64>,
}

// tool_runtime_core::policy::Decision
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision(_);
impl Decision {
    pub fn always(self, calls: GrantFor) -> Self {}
    pub fn approve(approver: impl Into<String>) -> Self {}
    pub fn decline(by: impl Into<String>, feedback: impl Into<String>) -> Self {}
    pub fn defer() -> Self {}
    pub fn exceeding_budgets(self) -> Self {}
    pub fn with_arguments(self, edited: impl Into<Arguments>) -> Self {}
}

// tool_runtime_core::policy::Demand
#[derive(Debug, Clone)]
pub struct Demand {
    pub reservation: Reservation,
    pub asks: Option<String>,
    pub over: OverLimit,
    pub window: Box<str>,
    pub renews_at: Option<UnixMillis>,
    pub warn_at: Option<u8>,
    pub proof: Option<SpendingProof>,
    pub is_visible: bool,
}

// tool_runtime_core::policy::EventDelivery
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventDelivery {
    pub id: Uuid,
    pub receiver: Box<str>,
    pub tenant: Uuid,
    pub failures: u32,
    pub body: String,
    ..
}

// tool_runtime_core::policy::EventReceiver
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct EventReceiver {
    ..
}
impl EventReceiver {
    pub fn events(self, events: impl IntoIterator<Item = EventType>) -> Self {}
    #[must_use]
    pub fn name(&self) -> &str {}
    pub fn new(name: impl Into<String>) -> Self {}
    pub fn tenant(self, tenant: Uuid) -> Self {}
    pub fn with_arguments(self) -> Self {}
    pub fn with_console(self, url: impl Into<String>) -> Self {}
}

// tool_runtime_core::policy::EventType
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventType {
    ApprovalRequested,
    ApprovalDecided,
    ApprovalExpired,
    OutcomeUnknown,
    BudgetLow,
    LedgerDamaged,
}
impl EventType {
    pub const ALL: [Self; 6] = [
        Self::ApprovalRequested,
        Self::ApprovalDecided,
        Self::ApprovalExpired,
        Self::OutcomeUnknown,
        Self::BudgetLow,
        Self::LedgerDamaged,
    ];
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {}
}
impl fmt::Display for EventType {}

// tool_runtime_core::policy::Events
#[derive(Debug, Clone, Copy)]
pub struct Events<'r>(_);
impl Events<'_> {
    pub async fn announce_damaged_ledger(&self, fault: &str) -> Result<(), StoreError> {}
    pub async fn delivered(&self, event: &EventDelivery) -> Result<bool, StoreError> {}
    pub async fn give_up(
        &self,
        event: &EventDelivery,
        reason: DeadReason,
    ) -> Result<bool, StoreError> {}
    pub async fn lease(
        &self,
        receiver: &str,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<EventDelivery>, StoreError> {}
    pub async fn redeliver(&self, receiver: &str, id: Uuid) -> Result<bool, StoreError> {}
    pub async fn retry(
        &self,
        event: &EventDelivery,
        after: Duration,
    ) -> Result<bool, StoreError> {}
    pub fn stored(&self) -> impl Future<Output = ()> + Send + use<> {}
    pub async fn undelivered(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<UndeliveredEvent>, StoreError> {}
}

// tool_runtime_core::policy::ExcerptInfo
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptInfo {
    ..
}
impl ExcerptInfo {
    #[must_use]
    pub fn cuts(&self) -> &[TruncatedArray] {}
    #[must_use]
    pub fn handle(&self) -> Option<OutputHandle> {}
    #[must_use]
    pub fn next(&self) -> u64 {}
    #[must_use]
    pub fn total_bytes(&self) -> u64 {}
}
impl fmt::Display for ExcerptInfo {}

// tool_runtime_core::policy::GrantError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum GrantError {
    UnknownTool(String),
    Destructive(String),
    NoPrincipal,
    InvalidApprover,
    Store(StoreError),
}

// tool_runtime_core::policy::GrantFor
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantFor {
    Tool,
    TheseArguments,
}

// tool_runtime_core::policy::Grants
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

// tool_runtime_core::policy::KeyRing
pub struct KeyRing {
    ..
}
impl KeyRing {
    #[must_use]
    pub fn current(&self) -> &RingKey {}
    pub fn ephemeral() -> Result<Self, KeyRingError> {}
    #[must_use]
    pub fn key(&self, id: &str) -> Option<&RingKey> {}
    pub fn keys(&self) -> impl Iterator<Item = &RingKey> {}
    pub fn new(id: impl Into<Box<str>>, secret: &[u8]) -> Result<Self, KeyRingError> {}
    pub fn with_former(
        self,
        id: impl Into<Box<str>>,
        secret: &[u8],
    ) -> Result<Self, KeyRingError> {}
}
impl fmt::Debug for KeyRing {}

// tool_runtime_core::policy::KeyRingError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyRingError {
    ShortSecret { found: usize },
    ZeroSecret,
    InvalidId,
    RepeatedId,
    NoRandomness,
}

// tool_runtime_core::policy::LimitState
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitState {
    pub limit: ConfiguredLimit,
    pub paused: bool,
    pub changed_to: Option<u64>,
}

// tool_runtime_core::policy::ModelAnswer
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    ..
}
impl ModelAnswer {
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {}
    #[must_use]
    pub fn excerpt(&self) -> Option<&ExcerptInfo> {}
    #[must_use]
    pub fn format(&self) -> SerializationFormat {}
    #[must_use]
    pub fn serialized(&self) -> Option<&SerializedOutput> {}
    #[must_use]
    pub fn text(&self) -> Option<&str> {}
}

// tool_runtime_core::policy::ObserveBudgets
pub trait ObserveBudgets: Send + Sync + 'static {
    fn nearly_used(&self, warning: &BudgetWarning);
}
impl<F: Fn(&BudgetWarning) + Send + Sync + 'static> ObserveBudgets for F {}

// tool_runtime_core::policy::OutOfRange
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

// tool_runtime_core::policy::OutcomeCounts
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutcomeCounts {
    pub unknown: u64,
    pub resolved: u64,
    pub archived: u64,
    pub damaged: u64,
    pub over_quota: u64,
}

// tool_runtime_core::policy::Outcomes
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

// tool_runtime_core::policy::OutputHandle
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputHandle(_);
impl OutputHandle {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {}
}
impl fmt::Display for OutputHandle {}

// tool_runtime_core::policy::OutputPage
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

// tool_runtime_core::policy::OverLimit
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverLimit {
    Refuse,
    Ask,
}

// tool_runtime_core::policy::Policy
#[must_use]
pub struct Policy {
    ..
}
impl Policy {
    pub fn access(self, policy: impl AccessPolicy) -> Self {}
    pub fn approver(self, approver: impl Approver) -> Self {}
    pub fn archive_unknown_after(self, time: Duration) -> Self {}
    pub fn budget(self, budget: impl SpendingLimit) -> Self {}
    pub fn budgets(self, budgets: impl IntoIterator<Item = impl SpendingLimit>) -> Self {}
    pub fn cache_bytes(self, bytes: u64) -> Self {}
    pub fn clock(self, clock: impl Clock) -> Self {}
    pub fn correction_budget(self, calls: u32) -> Self {}
    pub fn event_lifetime(self, time: Duration) -> Self {}
    pub fn event_receiver(self, receiver: EventReceiver) -> Self {}
    pub fn event_receivers(
        self,
        receivers: impl IntoIterator<Item = EventReceiver>,
    ) -> Self {}
    pub fn grant_store(self, store: impl GrantStore) -> Self {}
    pub fn idempotency_store(self, store: impl IdempotencyStore) -> Self {}
    pub fn max_in_flight(self, calls: usize) -> Self {}
    pub fn max_queue(self, calls: usize) -> Self {}
    pub fn max_queued_events(self, events: usize) -> Self {}
    pub fn new() -> Self {}
    pub fn observe_budgets(self, observer: impl ObserveBudgets) -> Self {}
    pub fn output_lifetime(self, time: Duration) -> Self {}
    pub fn output_store(self, store: impl OutputStore) -> Self {}
    pub fn rules(self, rules: ToolPolicy) -> Self {}
    pub fn rules_for(
        self,
        tool_or_toolkit: impl Into<String>,
        rules: ToolPolicy,
    ) -> Self {}
    pub fn share_limits(self, store: impl LimitStore) -> Self {}
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

// tool_runtime_core::policy::RateKey
pub trait RateKey: Hash + Eq + Clone {}
impl<K: Hash + Eq + Clone> RateKey for K {}

// tool_runtime_core::policy::RateLimit
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    ..
}
impl RateLimit {
    pub fn burst(self, calls: u32) -> Result<Self, OutOfRange> {}
    pub fn per_minute(calls: u32) -> Result<Self, OutOfRange> {}
    pub fn per_second(calls: u32) -> Result<Self, OutOfRange> {}
}

// tool_runtime_core::policy::RateLimiter
pub struct RateLimiter<K: RateKey> {
    ..
}
impl<K: RateKey> RateLimiter<K> {
    pub fn check(&self, key: &K) -> Result<(), Duration> {}
    pub fn new(limit: RateLimit, timer: Arc<dyn Timer>) -> Self {}
    pub fn peek(&self, key: &K) -> Result<(), Duration> {}
}
impl<K: RateKey> fmt::Debug for RateLimiter<K> {}

// tool_runtime_core::policy::Resolution
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    Happened { answer: String },
    DidNotHappen,
}

// tool_runtime_core::policy::ResolveError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ResolveError {
    UnknownTool(String),
    #[non_exhaustive]
    InvalidAnswer { tool: String, why: String },
    Changed,
    Store(StoreError),
}

// tool_runtime_core::policy::RetryConfig
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
    pub fn is_limited(requested: &act::RetryConfig) -> bool {}
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

// tool_runtime_core::policy::SealError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    NoRandomness,
    TooLong,
}

// tool_runtime_core::policy::SpendingCall
#[derive(Debug, Clone, Copy)]
pub struct SpendingCall<'c> {
    ..
}
impl<'c> SpendingCall<'c> {
    #[must_use]
    pub fn arguments(&self) -> &'c str {}
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {}
    pub fn estimate(&self) -> Result<Option<CostEstimate>, Failure> {}
    #[must_use]
    pub fn now(&self) -> UnixMillis {}
    #[must_use]
    pub fn scope(&self) -> &'c CallScope {}
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {}
}

// tool_runtime_core::policy::SpendingLimit
pub trait SpendingLimit: Send + Sync + 'static {
    fn problems(&self) -> Vec<String>;
    fn for_tool(
        &self,
        tool: &ToolSpec,
    ) -> Result<Option<Arc<dyn ToolSpendingLimit>>, String>;
    fn limits(&self) -> Vec<ConfiguredLimit>;
    fn counts_allowances(&self) -> bool {}
}

// tool_runtime_core::policy::SpendingProof
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingProof {
    pub name: Box<str>,
    pub sha256: Box<str>,
}

// tool_runtime_core::policy::StateSignature
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateSignature {
    ..
}

// tool_runtime_core::policy::StoredOutputs
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

// tool_runtime_core::policy::Ticket
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

// tool_runtime_core::policy::TicketIssueError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum TicketIssueError {
    NotPending,
    Refused(Box<ToolErrorDetail>),
    Sealing(String),
    Store(StoreError),
}

// tool_runtime_core::policy::TicketRejection
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
    pub fn from_reason(reason: RefusalReason) -> Option<Self> {}
    #[must_use]
    pub const fn reason(self) -> RefusalReason {}
}
impl From<TicketEnd> for TicketRejection {}
impl ToolFailure for TicketRejection {}

// tool_runtime_core::policy::Tickets
#[derive(Debug, Clone, Copy)]
pub struct Tickets<'r>(_);
impl Tickets<'_> {
    pub async fn budget_notes(
        &self,
        calls: &[WaitingCall],
    ) -> Result<Vec<Vec<String>>, StoreError> {}
    pub async fn decline(
        &self,
        id: Uuid,
        call: &ToolCall,
        by: &str,
    ) -> Result<Option<TicketEnd>, StoreError> {}
    pub async fn end_of(
        &self,
        id: Uuid,
        tenant: Uuid,
    ) -> Result<Option<TicketEnd>, StoreError> {}
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
    pub async fn supersede_ticket(&self, ticket: &Ticket) -> Result<(), StoreError> {}
    pub async fn waiting(
        &self,
        tenant: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<WaitingCalls, StoreError> {}
}

// tool_runtime_core::policy::ToolPolicy
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ToolPolicy {
    ..
}
impl ToolPolicy {
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

// tool_runtime_core::policy::ToolSpendingLimit
pub trait ToolSpendingLimit: Send + Sync + fmt::Debug {
    fn demands(&self, call: &SpendingCall<'_>) -> Result<Vec<Demand>, Failure>;
    fn may_ask(&self) -> bool {}
}

// tool_runtime_core::policy::TruncatedArray
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TruncatedArray {
    pub pointer: String,
    pub rows_shown: u64,
    pub rows_total: u64,
}

// tool_runtime_core::policy::UndeliveredEvent
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndeliveredEvent {
    pub id: Uuid,
    pub tenant: Uuid,
    pub reason: DeadReason,
    pub failures: u32,
    pub stored_until: UnixMillis,
    pub body: Option<String>,
}

// tool_runtime_core::policy::WaitingCall
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

// tool_runtime_core::policy::WaitingCalls
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WaitingCalls {
    pub calls: Vec<WaitingCall>,
    pub next: Option<Uuid>,
}

// tool_runtime_core::policy::approver_fn
pub fn approver_fn<F, Answer>(decide: F) -> impl Approver
where
    F: Fn(&ApprovalRequest<'_>) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Decision> + Send + 'static,
{}

// tool_runtime_core::policy::async_trait = async_trait::async_trait

// tool_runtime_core::policy::open_with
pub fn open_with<'k>(
    sealed: &[u8],
    key: impl FnOnce(&str) -> Option<SealingKey<'k>>,
    binding: &[u8],
) -> Option<Vec<u8>> {}

// tool_runtime_core::policy::seal_with
pub fn seal_with(
    plain: &[u8],
    key: SealingKey<'_>,
    binding: &[u8],
) -> Result<Vec<u8>, SealError> {}

// tool_runtime_core::quiet_tool_panics
pub fn quiet_tool_panics() {}

// tool_runtime_core::search::Hit
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

// tool_runtime_core::search::ToolIndex
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

// tool_runtime_core::search::search_tools
#[must_use]
pub fn search_tools() -> DynamicTool {}

// tool_runtime_core::store::ArchivedKey
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedKey {
    pub tenant: Uuid,
    pub digest: Digest,
    pub fingerprint: Digest,
    pub fence: Fence,
    pub reserved: Vec<ReservedAmount>,
}

// tool_runtime_core::store::AttemptResult
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult {
    Delivered,
    Retry { at: UnixMillis, failures: u32 },
    Dead(DeadReason),
}

// tool_runtime_core::store::Balance
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Balance {
    pub spent: u64,
    pub reserved: u64,
    pub raised: u64,
    pub limit: Option<u64>,
    pub paused: bool,
}
impl Balance {
    #[must_use]
    pub fn left(&self, configured: u64) -> u64 {}
    #[must_use]
    pub fn limit(&self, configured: u64) -> u64 {}
    #[must_use]
    pub fn used(&self) -> u64 {}
    #[must_use]
    pub fn with_period(self, period: &Self) -> Self {}
}

// tool_runtime_core::store::BudgetAccount
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BudgetAccount {
    pub tenant: Uuid,
    pub budget: Box<str>,
    pub limit: Box<str>,
    pub scope: Box<str>,
    pub unit: BudgetUnit,
}
impl BudgetAccount {
    #[must_use]
    pub fn digest(&self) -> Digest {}
}

// tool_runtime_core::store::BudgetControl
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetControl {
    pub budget: Box<str>,
    pub limit: Box<str>,
    pub unit: BudgetUnit,
    pub paused: bool,
    pub amount: Option<u64>,
}

// tool_runtime_core::store::BudgetPeriod
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetPeriod {
    pub account: BudgetAccount,
    pub start: UnixMillis,
    pub limit: u64,
    pub balance: Balance,
}
impl BudgetPeriod {
    #[must_use]
    pub fn position(&self) -> PeriodPosition {}
}

// tool_runtime_core::store::BudgetStore
pub trait BudgetStore: IdempotencyStore {
    async fn reserve(
        &self,
        claim: ClaimRequest,
        reservations: Vec<Reservation>,
    ) -> Result<ReserveOutcome, StoreError>;
    async fn settle_with(
        &self,
        key: &ScopedKey,
        fence: Fence,
        settlement: Settlement,
        charge: Charge,
    ) -> Result<bool, StoreError>;
    async fn spend(
        &self,
        now: UnixMillis,
        reservations: Vec<Reservation>,
    ) -> Result<SpendOutcome, StoreError>;
    async fn balances(
        &self,
        reservations: &[Reservation],
    ) -> Result<Vec<Balance>, StoreError>;
    async fn raise(
        &self,
        account: &BudgetAccount,
        start: UnixMillis,
        amount: u64,
        now: UnixMillis,
        keep: Option<Duration>,
    ) -> Result<(), StoreError>;
    async fn set_control(&self, control: BudgetControl) -> Result<(), StoreError>;
    async fn list_periods(
        &self,
        tenant: Uuid,
        after: Option<PeriodPosition>,
        limit: usize,
    ) -> Result<Vec<BudgetPeriod>, StoreError>;
}

// tool_runtime_core::store::BudgetUnit
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetUnit {
    Calls,
    Money(Currency),
}
impl BudgetUnit {
    #[must_use]
    pub fn format(self, amount: u64) -> String {}
    #[must_use]
    pub fn format_number(self, amount: u64) -> String {}
    #[must_use]
    pub fn name(&self) -> &str {}
    #[must_use]
    pub fn parse_number(self, text: &str) -> Option<u64> {}
}
impl FromStr for BudgetUnit {
    type Err = InvalidUnit;
}
impl fmt::Display for BudgetUnit {}

// tool_runtime_core::store::Charge
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Charge {
    Reserved,
    Nothing,
    Reported(Vec<(Box<str>, u64)>),
}
impl Charge {
    #[must_use]
    pub fn amount_in(&self, unit: BudgetUnit, reserved: u64) -> u64 {}
    #[must_use]
    pub fn spent_amounts(&self, reserved: &[ReservedAmount]) -> Vec<u64> {}
    #[must_use]
    pub fn without_effect(&self) -> Self {}
}

// tool_runtime_core::store::ClaimDecision
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimDecision {
    NotClaimed(ClaimOutcome),
    Insert { until: UnixMillis },
    TakeOver { until: UnixMillis },
    ShortenLease { until: UnixMillis },
}

// tool_runtime_core::store::ClaimOutcome
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::ClaimRequest
#[derive(Debug, Clone)]
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

// tool_runtime_core::store::Clock
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    fn now(&self) -> UnixMillis;
    fn monotonic(&self) -> MonotonicTime {}
    fn read(&self) -> ClockReading {}
}

// tool_runtime_core::store::ClockReading
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

// tool_runtime_core::store::CommitOutcome
#[derive(Debug)]
pub enum CommitOutcome {
    Committed,
    NotHeld,
    RolledBack(StoreError),
    Unknown(StoreError),
    EndedByTool(StoreError),
}

// tool_runtime_core::store::Currency
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency {
    ..
}
impl Currency {
    #[must_use]
    pub fn code(&self) -> &str {}
    #[must_use]
    pub const fn digits(self) -> u8 {}
    #[must_use]
    pub fn new(code: &str, digits: u8) -> Option<Self> {}
}
impl fmt::Display for Currency {}

// tool_runtime_core::store::DeadReason
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeadReason {
    QueueFull,
    AttemptsExhausted,
    Gone,
    Unreadable,
}
impl DeadReason {
    pub const ALL: [Self; 4] = [
        Self::QueueFull,
        Self::AttemptsExhausted,
        Self::Gone,
        Self::Unreadable,
    ];
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {}
    #[must_use]
    pub const fn number(self) -> u8 {}
}

// tool_runtime_core::store::Fence
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(_);
impl Fence {
    #[must_use]
    pub const fn get(self) -> u64 {}
    #[must_use]
    pub const fn new(number: u64) -> Self {}
}

// tool_runtime_core::store::FollowedTicket
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowedTicket {
    pub ticket: Uuid,
    pub end: TicketEnd,
}

// tool_runtime_core::store::GrantScope
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

// tool_runtime_core::store::GrantStore
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

// tool_runtime_core::store::IdempotencyStore
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
    fn transaction(&self, scope: TransactionScope) -> Option<Arc<dyn StoreTransaction>> {}
    fn budgets(&self) -> Option<&dyn BudgetStore> {}
}

// tool_runtime_core::store::InvalidUnit
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct InvalidUnit;

// tool_runtime_core::store::KeyAnswer
#[derive(Debug, Clone)]
pub struct KeyAnswer {
    pub key: ScopedKey,
    pub fence: Fence,
    pub answer: StoredAnswer,
    pub keep_until: UnixMillis,
    pub charge: Charge,
}

// tool_runtime_core::store::KeyRecord
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    pub key: ScopedKey,
    pub fingerprint: Digest,
    pub fence: Fence,
    pub state: KeyState,
    pub caller: Box<str>,
    pub since: Option<UnixMillis>,
    pub reserved: Vec<ReservedAmount>,
    pub damaged: bool,
}
impl KeyRecord {
    pub fn add_reserved(
        &mut self,
        reservations: &[Reservation],
        accounts: &[Digest],
        missing: &[u64],
    ) {}
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
    pub fn missing_amounts(
        record: Option<&Self>,
        reservations: &[Reservation],
    ) -> Vec<u64> {}
    #[must_use]
    pub fn new(
        key: ScopedKey,
        fingerprint: Digest,
        fence: Fence,
        state: KeyState,
    ) -> Self {}
}

// tool_runtime_core::store::KeyState
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyState {
    Running { until: UnixMillis },
    Answered { answer: StoredAnswer, keep_until: UnixMillis },
    Unknown,
    Archived,
}

// tool_runtime_core::store::LeasedMessage
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedMessage {
    pub message: OutboxMessage,
    pub lease: u32,
    pub failures: u32,
}

// tool_runtime_core::store::LimitAnswer
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitAnswer {
    pub rates: Vec<RateShare>,
    pub permits: Vec<u32>,
    pub open: Vec<OpenBreaker>,
}

// tool_runtime_core::store::LimitReport
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitReport {
    pub rates: Vec<RateReport>,
    pub permits: Vec<PermitReport>,
    pub opened: Vec<OpenBreaker>,
}

// tool_runtime_core::store::LimitStore
pub trait LimitStore: Send + Sync + 'static {
    async fn exchange(
        &self,
        replica: Uuid,
        report: LimitReport,
    ) -> Result<LimitAnswer, StoreError>;
    fn spawn(&self, task: BoxFuture<'static, ()>);
}

// tool_runtime_core::store::MILLIONTHS
pub const MILLIONTHS: u64 = 1_000_000;

// tool_runtime_core::store::MemoryLimits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    ..
}
impl MemoryLimits {
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn with_budget_periods(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_grants(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_keys(self, limit: usize, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_messages(self, limit: usize, bytes: usize) -> Self {}
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

// tool_runtime_core::store::MemoryStore
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
impl BudgetStore for MemoryStore {}
impl Default for MemoryStore {}
impl GrantStore for MemoryStore {}
impl IdempotencyStore for MemoryStore {}
impl OutboxStore for MemoryStore {}
impl OutputStore for MemoryStore {}
impl TicketStore for MemoryStore {}
impl fmt::Debug for MemoryStore {}

// tool_runtime_core::store::MonotonicTime
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

// tool_runtime_core::store::OpenBreaker
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenBreaker {
    pub key: Digest,
    pub left: Duration,
}

// tool_runtime_core::store::OutboxBatch
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutboxBatch {
    pub messages: Vec<OutboxMessage>,
    pub max_queued: usize,
}

// tool_runtime_core::store::OutboxMessage
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    pub id: Uuid,
    pub receiver: Box<str>,
    pub tenant: Uuid,
    pub follows: Option<FollowedTicket>,
    pub payload: Vec<u8>,
    pub due_at: UnixMillis,
    pub delete_at: UnixMillis,
}

// tool_runtime_core::store::OutboxStore
pub trait OutboxStore: TicketStore {
    async fn put_ticket_with(
        &self,
        ticket: WaitingTicket,
        quota: TicketQuota,
        now: UnixMillis,
        batch: OutboxBatch,
    ) -> Result<bool, StoreError>;
    async fn end_ticket_with(
        &self,
        id: Uuid,
        end: TicketEnd,
        batch: OutboxBatch,
    ) -> Result<Option<TicketEnd>, StoreError>;
    async fn put_messages(&self, batch: OutboxBatch) -> Result<(), StoreError>;
    async fn lease_messages(
        &self,
        receiver: &str,
        now: UnixMillis,
        lease_until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<LeasedMessage>, StoreError>;
    async fn settle_message(
        &self,
        receiver: &str,
        id: Uuid,
        lease: u32,
        result: AttemptResult,
    ) -> Result<bool, StoreError>;
    async fn dead_messages(
        &self,
        receiver: &str,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, StoreError>;
    async fn requeue_message(
        &self,
        receiver: &str,
        id: Uuid,
        now: UnixMillis,
    ) -> Result<bool, StoreError>;
    async fn sweep_messages(
        &self,
        now: UnixMillis,
        limit: usize,
    ) -> Result<usize, StoreError>;
}

// tool_runtime_core::store::OutputSlice
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSlice {
    pub bytes: Vec<u8>,
    pub total: u64,
}
impl OutputSlice {
    #[must_use]
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {}
}

// tool_runtime_core::store::OutputStore
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

// tool_runtime_core::store::PeriodPosition
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodPosition {
    pub account: Digest,
    pub start: UnixMillis,
}

// tool_runtime_core::store::PermitReport
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitReport {
    pub key: Digest,
    pub permits: u32,
    pub in_use: u32,
    pub waiting: u32,
}

// tool_runtime_core::store::RateReport
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateReport {
    pub key: Digest,
    pub interval: Duration,
    pub burst: u32,
    pub wanted: u32,
    pub unused: u32,
}

// tool_runtime_core::store::RateShare
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateShare {
    pub granted: u32,
    pub wait: Duration,
}

// tool_runtime_core::store::Reservation
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub account: BudgetAccount,
    pub period: Option<ReservationPeriod>,
    pub amount: u64,
    pub limit: u64,
    pub may_exceed: bool,
}
impl Reservation {
    #[must_use]
    pub fn account_digests(reservations: &[Self]) -> Vec<Digest> {}
    #[must_use]
    pub fn fits(&self, amount: u64, balance: &Balance) -> bool {}
}

// tool_runtime_core::store::ReservationPeriod
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservationPeriod {
    pub start: UnixMillis,
    pub since: UnixMillis,
    pub keep: Option<Duration>,
}
impl ReservationPeriod {
    #[must_use]
    pub fn calendar(start: UnixMillis, keep: Option<Duration>) -> Self {}
    #[must_use]
    pub fn counted_starts(&self) -> (UnixMillis, Option<UnixMillis>) {}
    #[must_use]
    pub fn counts(&self, start: UnixMillis) -> bool {}
}

// tool_runtime_core::store::ReserveOutcome
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReserveOutcome {
    Claimed { outcome: ClaimOutcome, balances: Vec<Balance> },
    Exceeded(Vec<Balance>),
}

// tool_runtime_core::store::ReservedAmount
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservedAmount {
    pub account: Digest,
    pub start: UnixMillis,
    pub unit: BudgetUnit,
    pub amount: u64,
}
impl ReservedAmount {
    #[must_use]
    pub fn from_text(text: &str) -> Option<Vec<Self>> {}
    #[must_use]
    pub fn to_text(reserved: &[Self]) -> Option<String> {}
}

// tool_runtime_core::store::RowCounts
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowCounts(_);
impl RowCounts {
    pub fn add(&mut self, kind: RowKind, rows: u64) {}
    #[must_use]
    pub fn total(&self) -> u64 {}
}
impl Index<RowKind> for RowCounts {
    type Output = u64;
}
impl fmt::Display for RowCounts {}

// tool_runtime_core::store::RowKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    Key,
    ArchivedKey,
    Ticket,
    Grant,
    Output,
    TenantKey,
    Snapshot,
    Session,
    BudgetPeriod,
    BudgetControl,
    Message,
}
impl RowKind {
    pub const ALL: [Self; 11] = [
        Self::Key,
        Self::ArchivedKey,
        Self::Ticket,
        Self::Grant,
        Self::Output,
        Self::TenantKey,
        Self::Snapshot,
        Self::Session,
        Self::BudgetPeriod,
        Self::BudgetControl,
        Self::Message,
    ];
}
impl fmt::Display for RowKind {}

// tool_runtime_core::store::ScopedKey
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

// tool_runtime_core::store::Settlement
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::SettlementDecision
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementDecision {
    Unchanged { is_settled: bool },
    Store { state: KeyState, since: Option<UnixMillis> },
    Delete,
}

// tool_runtime_core::store::SpendOutcome
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpendOutcome {
    Spent(Vec<Balance>),
    Exceeded(Vec<Balance>),
}

// tool_runtime_core::store::StandingGrant
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::Store
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}
impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}

// tool_runtime_core::store::StoreClock
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

// tool_runtime_core::store::StoreError
#[derive(Debug, Clone)]
pub struct StoreError {
    ..
}
impl StoreError {
    #[must_use]
    pub fn at(self, context: impl fmt::Display) -> Self {}
    pub fn for_settings(kind: StoreErrorKind, log: impl Into<String>) -> Self {}
    #[must_use]
    pub fn from_io_error(error: &io::Error) -> Self {}
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {}
    #[must_use]
    pub fn log(&self) -> &str {}
    pub fn new(kind: StoreErrorKind, log: impl Into<String>) -> Self {}
}
impl fmt::Display for StoreError {}
impl std::error::Error for StoreError {}

// tool_runtime_core::store::StoreErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    Unavailable,
    Full,
    ReadOnly,
    Damaged,
}
impl fmt::Display for StoreErrorKind {}

// tool_runtime_core::store::StoreExport
pub struct StoreExport {
    pub time: UnixMillis,
    pub next_fence: Fence,
    pub counts: RowCounts,
    pub rows: Box<dyn Iterator<Item = Result<StoredRow, StoreError>> + Send>,
}
impl fmt::Debug for StoreExport {}

// tool_runtime_core::store::StoreTransaction
pub trait StoreTransaction: Send + Sync + 'static {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
    fn has_begun(&self) -> bool;
    async fn commit(&self, settlement: Option<KeyAnswer>) -> CommitOutcome;
    fn roll_back(&self);
}

// tool_runtime_core::store::StoredAnswer
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::StoredMessage
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    pub message: OutboxMessage,
    pub leases: u32,
    pub failures: u32,
    pub dead: Option<DeadReason>,
}

// tool_runtime_core::store::StoredOutput
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::StoredPeriod
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPeriod {
    pub period: BudgetPeriod,
    pub delete_at: Option<UnixMillis>,
}

// tool_runtime_core::store::StoredRow
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredRow {
    Key(KeyRecord),
    ArchivedKey(ArchivedKey),
    Ticket(WaitingTicket),
    Grant(StandingGrant),
    Output(StoredOutput),
    TenantKey(TenantKey),
    Snapshot(StoredSnapshot),
    Session(StoredSession),
    BudgetPeriod(StoredPeriod),
    BudgetControl(BudgetControl),
    Message(StoredMessage),
}
impl StoredRow {
    #[must_use]
    pub const fn kind(&self) -> RowKind {}
    #[must_use]
    pub fn long_bytes(&self) -> usize {}
}

// tool_runtime_core::store::StoredSession
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    pub tenant: Uuid,
    pub principal: Box<str>,
    pub session: Box<str>,
    pub used_at: UnixMillis,
    pub messages: Vec<Vec<u8>>,
}

// tool_runtime_core::store::SystemClock
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;
impl Clock for SystemClock {}

// tool_runtime_core::store::TicketEnd
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TicketEnd {
    Used,
    Declined,
    Superseded,
    Expired,
}

// tool_runtime_core::store::TicketQuota
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TicketQuota {
    pub tickets: usize,
    pub bytes: usize,
}
impl TicketQuota {
    #[must_use]
    pub const fn admits(self, waiting: usize, bytes: usize, more: usize) -> bool {}
    #[must_use]
    pub const fn new(tickets: usize, bytes: usize) -> Self {}
}

// tool_runtime_core::store::TicketStore
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
    fn outbox(&self) -> Option<&dyn OutboxStore> {}
}

// tool_runtime_core::store::TransactionScope
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TransactionScope {
    pub tenant: Uuid,
    pub time_limit: Duration,
}
impl TransactionScope {
    #[must_use]
    pub const fn new(tenant: Uuid, time_limit: Duration) -> Self {}
}

// tool_runtime_core::store::UnixMillis
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

// tool_runtime_core::store::WaitingTicket
#[derive(Debug, Clone, PartialEq, Eq)]
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

// tool_runtime_core::store::async_trait = async_trait::async_trait

// tool_runtime_core::tokens::Encoding
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
    pub fn for_model(model: &str) -> Option<Self> {}
}
impl fmt::Display for Encoding {}

// tool_runtime_core::tokens::ExactTokens
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

// tool_runtime_core::tokens::TokenCounter
pub trait TokenCounter: fmt::Debug + Send + Sync {
    fn count(&self, text: &str) -> u64;
    fn method(&self) -> TokenMethod;
}
impl<T: TokenCounter + ?Sized> TokenCounter for &T {}
impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {}
impl<T: TokenCounter + ?Sized> TokenCounter for Box<T> {}

// tool_runtime_core::tokens::TokenEstimate
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TokenEstimate;
impl TokenCounter for TokenEstimate {}

// tool_runtime_core::tokens::TokenMethod
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

// tool_runtime_core::tokens::counter_for_model
#[must_use]
pub fn counter_for_model(model: &str) -> Arc<dyn TokenCounter> {}

// tool_runtime_core::trace::JsonLog
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

// tool_runtime_core::trace::LogLine
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
    pub fn new(record: &CallRecord<'r>) -> Self {}
}

// tool_runtime_core::trace::Metrics
#[derive(Clone)]
pub struct Metrics(_);
impl Metrics {
    #[must_use]
    pub fn new(meter: &opentelemetry::metrics::Meter) -> Self {}
}
impl fmt::Debug for Metrics {}

// tool_runtime_core::trace::SpanIds
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

// tool_runtime_core::trace::TraceHeaders
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

// tool_runtime_core::trace::conventions::ACTIVE_CALLS
pub const ACTIVE_CALLS: &str = "tool_runtime.active_calls";

// tool_runtime_core::trace::conventions::AGENT_TARGET
pub const AGENT_TARGET: &str = "tool_runtime::agent";

// tool_runtime_core::trace::conventions::CACHE_HITS
pub const CACHE_HITS: &str = "tool_runtime.cache_hits";

// tool_runtime_core::trace::conventions::CALLS
pub const CALLS: &str = "tool_runtime.calls";

// tool_runtime_core::trace::conventions::CALL_ATTEMPTS
pub const CALL_ATTEMPTS: &str = "tool_runtime.call.attempts";

// tool_runtime_core::trace::conventions::CALL_DURATION
pub const CALL_DURATION: &str = "tool_runtime.call.duration";

// tool_runtime_core::trace::conventions::CALL_ORIGIN
pub const CALL_ORIGIN: &str = "tool_runtime.call.origin";

// tool_runtime_core::trace::conventions::CALL_STATUS
pub const CALL_STATUS: &str = "tool_runtime.call.status";

// tool_runtime_core::trace::conventions::DETAIL_TARGET
pub const DETAIL_TARGET: &str = "tool_runtime::detail";

// tool_runtime_core::trace::conventions::DRY_RUN
pub const DRY_RUN: &str = "tool_runtime.call.dry_run";

// tool_runtime_core::trace::conventions::DURATION
pub const DURATION: &str = "gen_ai.execute_tool.duration";

// tool_runtime_core::trace::conventions::DURATION_BOUNDARIES
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

// tool_runtime_core::trace::conventions::ERROR_TYPE
pub const ERROR_TYPE: &str = "error.type";

// tool_runtime_core::trace::conventions::EXECUTE_TOOL
pub const EXECUTE_TOOL: &str = "execute_tool";

// tool_runtime_core::trace::conventions::FUNCTION
pub const FUNCTION: &str = "function";

// tool_runtime_core::trace::conventions::INGESTION_RUN_ID
pub const INGESTION_RUN_ID: &str = "tool_runtime.ingestion_run.id";

// tool_runtime_core::trace::conventions::INVOCATION_ID
pub const INVOCATION_ID: &str = "tool_runtime.invocation.id";

// tool_runtime_core::trace::conventions::LANGFUSE_INGESTION_RUN_ID
pub const LANGFUSE_INGESTION_RUN_ID: &str = "langfuse.trace.metadata.ingestion_run_id";

// tool_runtime_core::trace::conventions::LANGFUSE_RUN_ID
pub const LANGFUSE_RUN_ID: &str = "langfuse.trace.metadata.run_id";

// tool_runtime_core::trace::conventions::LANGFUSE_SITE_ID
pub const LANGFUSE_SITE_ID: &str = "langfuse.trace.metadata.site_id";

// tool_runtime_core::trace::conventions::OPERATION_NAME
pub const OPERATION_NAME: &str = "gen_ai.operation.name";

// tool_runtime_core::trace::conventions::OTHER
pub const OTHER: &str = "_OTHER";

// tool_runtime_core::trace::conventions::REFUSALS
pub const REFUSALS: &str = "tool_runtime.refusals";

// tool_runtime_core::trace::conventions::REFUSAL_TARGET
pub const REFUSAL_TARGET: &str = "tool_runtime::refusals";

// tool_runtime_core::trace::conventions::REPLAYS
pub const REPLAYS: &str = "tool_runtime.replays";

// tool_runtime_core::trace::conventions::REPLAY_OF
pub const REPLAY_OF: &str = "tool_runtime.call.replay_of";

// tool_runtime_core::trace::conventions::RETRIES
pub const RETRIES: &str = "tool_runtime.retries";

// tool_runtime_core::trace::conventions::RUN_ID
pub const RUN_ID: &str = "tool_runtime.run.id";

// tool_runtime_core::trace::conventions::SESSION_ID
pub const SESSION_ID: &str = "session.id";

// tool_runtime_core::trace::conventions::SITE_ID
pub const SITE_ID: &str = "tool_runtime.site.id";

// tool_runtime_core::trace::conventions::TARGET
pub const TARGET: &str = "tool_runtime";

// tool_runtime_core::trace::conventions::TENANT_ID
pub const TENANT_ID: &str = "tool_runtime.tenant.id";

// tool_runtime_core::trace::conventions::TOOL_CALL_ID
pub const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";

// tool_runtime_core::trace::conventions::TOOL_DESCRIPTION
pub const TOOL_DESCRIPTION: &str = "gen_ai.tool.description";

// tool_runtime_core::trace::conventions::TOOL_EFFECT
pub const TOOL_EFFECT: &str = "tool_runtime.tool.effect";

// tool_runtime_core::trace::conventions::TOOL_NAME
pub const TOOL_NAME: &str = "gen_ai.tool.name";

// tool_runtime_core::trace::conventions::TOOL_TYPE
pub const TOOL_TYPE: &str = "gen_ai.tool.type";

// tool_runtime_core::trace::conventions::TOOL_VERSION
pub const TOOL_VERSION: &str = "tool_runtime.tool.version";

// tool_runtime_core::trace::conventions::TRACE_ID
pub const TRACE_ID: &str = "tool_runtime.trace.id";

// tool_runtime_core::trace::conventions::USER_ID
pub const USER_ID: &str = "user.id";

