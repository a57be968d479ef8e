// tool_runtime_testing::AnsweredCall
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

// tool_runtime_testing::EffectCounter
pub trait EffectCounter: 'static {
    fn count(&self) -> u64;
}
impl<F, N> EffectCounter for F
where
    F: Fn() -> N + 'static,
    N: TryInto<u64>,
{}

// tool_runtime_testing::ExpectedData
#[derive(Debug, Clone, Copy)]
pub struct ExpectedData<'o> {
    ..
}
impl ExpectedData<'_> {
    pub fn data(self, expected: impl Serialize) -> Self {}
    pub fn data_has(self, expected: impl Serialize) -> Self {}
}

// tool_runtime_testing::ExpectedError
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

// tool_runtime_testing::ExpectedOutput
#[derive(Debug, Clone, Copy)]
#[must_use = "an expectation must be added"]
pub struct ExpectedOutput<'o> {
    ..
}
impl<'o> ExpectedOutput<'o> {
    pub fn failed(self) -> ExpectedError<'o> {}
    pub fn ok(self) -> ExpectedData<'o> {}
}

// tool_runtime_testing::FaultyStore
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
impl OutboxStore for FaultyStore {}
impl OutputStore for FaultyStore {}
impl TicketStore for FaultyStore {}
impl std::fmt::Debug for FaultyStore {}

// tool_runtime_testing::Ids
#[derive(Debug, Clone)]
pub struct Ids(_);
impl Ids {
    pub fn next_id(&mut self) -> Uuid {}
}
impl Iterator for Ids {
    type Item = Uuid;
}

// tool_runtime_testing::Instances = tool_runtime_schema::instances::Instances

// tool_runtime_testing::InstancesError = tool_runtime_schema::instances::InstancesError

// tool_runtime_testing::InvalidInstance = tool_runtime_schema::instances::InvalidInstance

// tool_runtime_testing::ManualClock
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

// tool_runtime_testing::ModelTurn
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

// tool_runtime_testing::Mutation = tool_runtime_schema::instances::Mutation

// tool_runtime_testing::RecordedEffects
#[derive(Debug, Clone, Default)]
pub struct RecordedEffects(_);
impl RecordedEffects {
    #[must_use]
    pub fn new() -> Self {}
    pub fn record(&self) {}
}
impl EffectCounter for RecordedEffects {}

// tool_runtime_testing::ScriptedApprover
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

// tool_runtime_testing::ScriptedMessage
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

// tool_runtime_testing::ScriptedModel
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

// tool_runtime_testing::StoreFault
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreFault {
    Fails,
    ResponseLost,
    Hangs,
}

// tool_runtime_testing::StoreOperation
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

// tool_runtime_testing::ToolTrial
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
    pub fn for_method<K: Toolkit>(method: &str) -> Self {}
    pub fn for_tool<T: Tool>() -> Self {}
    pub fn input(self, input: impl Serialize) -> Self {}
    pub fn named(name: impl Into<String>) -> Self {}
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

// tool_runtime_testing::TrialCheck
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

// tool_runtime_testing::TrialFinding
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

// tool_runtime_testing::TrialReport
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

// tool_runtime_testing::assert_tool = tool_runtime_derive::assert_tool

// tool_runtime_testing::conformance::all
pub async fn all<S: Store>(store: &S) {}

// tool_runtime_testing::conformance::budgets
pub async fn budgets(store: &dyn BudgetStore) {}

// tool_runtime_testing::conformance::evidence
pub async fn evidence(store: &dyn EvidenceStore) {}

// tool_runtime_testing::conformance::grants
pub async fn grants(store: &dyn GrantStore) {}

// tool_runtime_testing::conformance::idempotency
pub async fn idempotency(store: &dyn IdempotencyStore) {}

// tool_runtime_testing::conformance::ledgers
pub fn ledgers<S: LedgerStore>(new: impl FnMut() -> S) {}

// tool_runtime_testing::conformance::limits
pub async fn limits(store: &dyn LimitStore) {}

// tool_runtime_testing::conformance::outbox
pub async fn outbox(store: &dyn OutboxStore) {}

// tool_runtime_testing::conformance::outputs
pub async fn outputs(store: &dyn OutputStore) {}

// tool_runtime_testing::conformance::quotas
pub async fn quotas<S: IdempotencyStore + TicketStore>(store: &S) {}

// tool_runtime_testing::conformance::sessions
pub async fn sessions(store: &dyn SessionStore) {}

// tool_runtime_testing::conformance::shared_ledgers
pub fn shared_ledgers<S: LedgerStore>(new: impl FnMut() -> [S; 2]) {}

// tool_runtime_testing::conformance::tickets
pub async fn tickets(store: &dyn TicketStore) {}

// tool_runtime_testing::context
pub fn context() -> ToolContextBuilder {}

// tool_runtime_testing::expect_output
pub fn expect_output(output: &ToolOutput) -> ExpectedOutput<'_> {}

// tool_runtime_testing::expect_status
pub fn expect_status(call: &ToolCall, status: CallStatus) {}

// tool_runtime_testing::ids
#[must_use]
pub fn ids(seed: u64) -> Ids {}

