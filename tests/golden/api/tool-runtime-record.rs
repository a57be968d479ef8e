// tool_runtime_record::evidence::Access
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

// tool_runtime_record::evidence::AccessAction
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

// tool_runtime_record::evidence::AccessLog
pub trait AccessLog: Send + Sync + 'static {
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError>;
}

// tool_runtime_record::evidence::AccessOutcome
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessOutcome {
    Asked,
    Done,
    Redacted,
    Denied,
    Failed(EvidenceErrorKind),
}

// tool_runtime_record::evidence::AccessRecord
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

// tool_runtime_record::evidence::Contents
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

// tool_runtime_record::evidence::ContentsPart
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

// tool_runtime_record::evidence::EvidenceAuthorizer
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

// tool_runtime_record::evidence::EvidenceError
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

// tool_runtime_record::evidence::EvidenceErrorKind
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
impl EvidenceErrorKind {
    #[must_use]
    pub const fn concerns_snapshot(self) -> bool {}
}
impl fmt::Display for EvidenceErrorKind {}

// tool_runtime_record::evidence::EvidenceKeeper
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
impl EvidenceCollector for EvidenceKeeper {}
impl fmt::Debug for EvidenceKeeper {}

// tool_runtime_record::evidence::EvidenceRequest
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

// tool_runtime_record::evidence::EvidenceStore = tool_runtime_core::store::evidence::EvidenceStore

// tool_runtime_record::evidence::EvidenceVerdict
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceVerdict {
    Deny,
    AllowRedacted,
    Allow,
}

// tool_runtime_record::evidence::ListedSnapshot = tool_runtime_core::store::evidence::ListedSnapshot

// tool_runtime_record::evidence::OpenedSnapshot
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenedSnapshot {
    pub snapshot: Snapshot,
    pub contents: Contents,
    pub redacted: bool,
}

// tool_runtime_record::evidence::ParseSnapshotIdError = tool_runtime_core::store::evidence::ParseSnapshotIdError

// tool_runtime_record::evidence::Replay
#[must_use]
pub struct Replay {
    ..
}
impl Replay {
    pub fn after(self, position: impl Into<RecordPosition>) -> Self {}
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

// tool_runtime_record::evidence::ReplayReport
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
    pub fn next(&self) -> Option<RecordPosition> {}
    #[must_use]
    pub fn trace_id(&self) -> &str {}
}

// tool_runtime_record::evidence::ReplayVerdict
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

// tool_runtime_record::evidence::ReplayedCall
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplayedCall {
    ..
}
impl ReplayedCall {
    #[must_use]
    pub fn at(&self) -> &str {}
    #[must_use]
    pub fn position(&self) -> RecordPosition {}
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

// tool_runtime_record::evidence::RewrapReport
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RewrapReport {
    pub changed: usize,
    pub unreadable: usize,
}

// tool_runtime_record::evidence::RotationReport
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationReport {
    pub version: u32,
    pub snapshots: RewrapReport,
    pub destroyed: usize,
}

// tool_runtime_record::evidence::SealedContents = tool_runtime_core::store::evidence::SealedContents

// tool_runtime_record::evidence::SealedDigests = tool_runtime_core::store::evidence::SealedDigests

// tool_runtime_record::evidence::Sealing
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sealing {
    Nothing,
    Arguments,
    Everything,
}

// tool_runtime_record::evidence::SkipReason
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

// tool_runtime_record::evidence::Snapshot
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
    pub fn for_call(
        cx: &ToolContext,
        tool: impl Into<String>,
        version: impl Into<String>,
        at: UnixMillis,
    ) -> Self {}
    #[must_use]
    pub const fn id(&self) -> SnapshotId {}
    #[must_use]
    pub fn input_hash(&self) -> Option<&str> {}
    #[must_use]
    pub fn input_summary(&self) -> Option<&str> {}
    #[must_use]
    pub const fn invocation_id(&self) -> Uuid {}
    #[must_use]
    pub fn output_hash(&self) -> Option<&str> {}
    #[must_use]
    pub fn raw_input_summary(&self) -> Option<&RawValue> {}
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

// tool_runtime_record::evidence::SnapshotId = tool_runtime_core::store::evidence::SnapshotId

// tool_runtime_record::evidence::SnapshotPage
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotPage {
    pub snapshots: Vec<Snapshot>,
    pub next: Option<SnapshotId>,
}

// tool_runtime_record::evidence::SnapshotQuery = tool_runtime_core::store::evidence::SnapshotQuery

// tool_runtime_record::evidence::StoredFacts = tool_runtime_core::store::evidence::StoredFacts

// tool_runtime_record::evidence::StoredSnapshot = tool_runtime_core::store::evidence::StoredSnapshot

// tool_runtime_record::evidence::TenantKey = tool_runtime_core::store::evidence::TenantKey

// tool_runtime_record::evidence::Vault
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
    #[must_use]
    pub fn has_authorizer(&self) -> bool {}
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
    pub async fn record_denied(
        &self,
        action: AccessAction,
        tenant: Option<Uuid>,
        id: Option<SnapshotId>,
        access: &Access,
    ) -> Result<(), EvidenceError> {}
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

// tool_runtime_record::evidence::WrappedKey = tool_runtime_core::store::evidence::WrappedKey

// tool_runtime_record::evidence::async_trait = async_trait::async_trait

// tool_runtime_record::ledger::AuditedChain
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditedChain {
    pub size: u64,
    pub proven: u64,
}

// tool_runtime_record::ledger::Auditor
#[derive(Debug)]
pub struct Auditor {
    ..
}
impl Auditor {
    pub fn finish(self) -> Result<AuditedChain, ChainFault> {}
    pub fn new(expected: impl IntoIterator<Item = TreeHead>) -> Self {}
    pub fn push(&mut self, entry: &ChainEntry) -> Result<(), ChainFault> {}
}

// tool_runtime_record::ledger::CHECKPOINT_CHAIN
pub const CHECKPOINT_CHAIN: Uuid = Uuid::nil();

// tool_runtime_record::ledger::CallsShed
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallsShed {
    pub at: String,
    pub calls: u64,
    pub since: String,
}

// tool_runtime_record::ledger::ChainEntry
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

// tool_runtime_record::ledger::ChainFault
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

// tool_runtime_record::ledger::ChainFaultKind
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

// tool_runtime_record::ledger::ChainHead
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

// tool_runtime_record::ledger::ChainKeys
#[derive(Clone)]
pub struct ChainKeys(_);
impl ChainKeys {
    #[must_use]
    pub fn new(ring: &KeyRing) -> Self {}
}
impl fmt::Debug for ChainKeys {}

// tool_runtime_record::ledger::Checkpoint
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

// tool_runtime_record::ledger::CheckpointFile
#[derive(Debug)]
pub struct CheckpointFile {
    ..
}
impl CheckpointFile {
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {}
}
impl CheckpointSink for CheckpointFile {}

// tool_runtime_record::ledger::CheckpointSink
pub trait CheckpointSink: Send + 'static {
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError>;
    fn newest(&mut self) -> Result<Option<Checkpoint>, StoreError>;
}
impl<F> CheckpointSink for F
where
    F: FnMut(&ExportedCheckpoint) -> Result<(), StoreError> + Send + 'static,
{}

// tool_runtime_record::ledger::ContentsErased
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContentsErased {
    pub at: String,
    pub before: u64,
}

// tool_runtime_record::ledger::ExportedCheckpoint
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedCheckpoint {
    pub checkpoint: Checkpoint,
    pub note: Option<Box<str>>,
}

// tool_runtime_record::ledger::FaultError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub struct FaultError {
    pub fault: ChainFault,
    pub chain: Option<Uuid>,
}

// tool_runtime_record::ledger::InputCapture
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputCapture {
    Hashed,
    Redacted { max_bytes: usize },
}
impl Default for InputCapture {}

// tool_runtime_record::ledger::InvalidChainHead
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct InvalidChainHead;

// tool_runtime_record::ledger::InvalidNote
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNote {
    Format,
    OtherKey,
    Signature,
}

// tool_runtime_record::ledger::InvalidNoteKey
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNoteKey {
    Name,
    Format,
    Seed,
}

// tool_runtime_record::ledger::InvalidRecordPosition
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct InvalidRecordPosition;

// tool_runtime_record::ledger::JsonLinesLedger
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

// tool_runtime_record::ledger::JsonLinesOptions
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

// tool_runtime_record::ledger::Ledger
#[derive(Clone)]
pub struct Ledger(_);
impl Ledger {
    pub fn builder(keys: KeyRing) -> LedgerBuilder {}
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {}
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {}
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
    pub async fn writers(&self) -> Result<Vec<WriterChain>, StoreError> {}
}
impl AccessLog for Ledger {}
impl CallLedger for Ledger {}
impl fmt::Debug for Ledger {}

// tool_runtime_record::ledger::LedgerBuilder
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

// tool_runtime_record::ledger::LedgerPage
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerPage {
    pub records: Vec<(RecordPosition, RecordedCall)>,
    pub next: Option<RecordPosition>,
}

// tool_runtime_record::ledger::LedgerQuery
#[derive(Debug, Clone)]
#[must_use]
pub struct LedgerQuery {
    pub trace_id: Option<String>,
    pub request_id: Option<String>,
    pub tenant_id: Option<Uuid>,
    pub tool: Option<String>,
    pub status: Option<RecordStatus>,
    pub kind: Option<RecordedCallKind>,
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
    pub after: Option<RecordPosition>,
    pub before: Option<u64>,
    pub limit: usize,
}
impl LedgerQuery {
    pub fn after(self, position: impl Into<RecordPosition>) -> Self {}
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

// tool_runtime_record::ledger::LedgerStatus
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

// tool_runtime_record::ledger::LedgerStore
pub trait LedgerStore: Send + 'static {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError>;
    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError>;
    fn count(&mut self) -> Result<u64, StoreError>;
    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError>;
    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {}
    fn search_span(&self, query: &LedgerQuery) -> u64 {}
    fn check(&mut self, range: Range<u64>) -> Result<(), StoreError> {}
    fn erase(&mut self, before: u64) -> Result<u64, StoreError>;
    fn shared(&mut self) -> Option<&mut dyn SharedLedger> {}
    fn torn_bytes(&self) -> u64 {}
}

// tool_runtime_record::ledger::MAX_PAGE_SIZE
pub const MAX_PAGE_SIZE: usize = 1_000;

// tool_runtime_record::ledger::MemoryLedger
pub struct MemoryLedger {
    ..
}
impl MemoryLedger {
    #[must_use]
    pub fn new(max_entries: usize) -> Self {}
}
impl LedgerStore for MemoryLedger {}
impl fmt::Debug for MemoryLedger {}

// tool_runtime_record::ledger::MerkleFrontier
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

// tool_runtime_record::ledger::NoteSigner
pub struct NoteSigner {
    ..
}
impl NoteSigner {
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, InvalidNoteKey> {}
    #[must_use]
    pub fn verifier(&self) -> NoteVerifier {}
}
impl fmt::Debug for NoteSigner {}

// tool_runtime_record::ledger::NoteVerifier
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

// tool_runtime_record::ledger::Overload
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overload {
    Block,
    Shed,
}

// tool_runtime_record::ledger::Record
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

// tool_runtime_record::ledger::RecordDurability
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordDurability {
    Queued,
    Stored,
}

// tool_runtime_record::ledger::RecordPosition
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordPosition {
    ..
}
impl RecordPosition {
    #[must_use]
    pub fn at(&self) -> Option<UnixMillis> {}
    #[must_use]
    pub fn chain(&self) -> Option<Uuid> {}
    #[must_use]
    pub const fn in_chain(chain: Uuid, seq: u64, at: UnixMillis) -> Self {}
    #[must_use]
    pub const fn seq(&self) -> u64 {}
}
impl From<u64> for RecordPosition {}
impl FromStr for RecordPosition {
    type Err = InvalidRecordPosition;
}
impl JsonSchema for RecordPosition {}
impl Serialize for RecordPosition {}
impl fmt::Display for RecordPosition {}

// tool_runtime_record::ledger::RecordStatus
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum RecordStatus {
    Success,
    Error,
}

// tool_runtime_record::ledger::RecordedAccess
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

// tool_runtime_record::ledger::RecordedApproval
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedApproval {
    pub by: Option<String>,
    pub declined_by: Option<String>,
    pub at: Option<String>,
    pub ticket: Option<Uuid>,
}

// tool_runtime_record::ledger::RecordedCall
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
    pub spending: Vec<RecordedSpending>,
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

// tool_runtime_record::ledger::RecordedCallKind
word_enum! {
    #[non_exhaustive] pub enum RecordedCallKind { Run = "run", DryRun = "dry_run",
    Preview = "preview", Replay = "replay", StoredAnswer = "stored_answer", Waiting =
    "waiting", NotRun = "not_run", }
}
impl fmt::Display for RecordedCallKind {}

// tool_runtime_record::ledger::RecordedError
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedError {
    pub error_type: String,
    pub code: Option<String>,
    pub message: Option<String>,
    pub effect: Option<String>,
    pub reason: Option<String>,
}

// tool_runtime_record::ledger::RecordedOrigin
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

// tool_runtime_record::ledger::RecordedOutcome
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedOutcome {
    Asked,
    Done,
    Redacted,
    Refused,
    Failed(String),
}
impl fmt::Display for RecordedOutcome {}

// tool_runtime_record::ledger::RecordedPrincipal
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedPrincipal {
    pub user_id: Option<String>,
    pub actor_type: Option<ActorType>,
    pub actor_id: Option<String>,
    pub session_id: Option<String>,
}

// tool_runtime_record::ledger::RecordedSpending
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedSpending {
    pub budget: String,
    pub limit: String,
    pub unit: String,
    pub amount: String,
    pub outcome: RecordedSpendingOutcome,
    pub spent: Option<String>,
    pub beyond: Option<String>,
    pub key: Option<String>,
    pub mandate: Option<String>,
}

// tool_runtime_record::ledger::RecordedSpendingOutcome
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum RecordedSpendingOutcome {
    Refused,
    Held,
    Spent,
    Replayed,
}

// tool_runtime_record::ledger::SearchedPart
#[derive(Debug)]
pub struct SearchedPart {
    pub records: Vec<(RecordPosition, Box<str>)>,
    pub next: Option<RecordPosition>,
}

// tool_runtime_record::ledger::SharedLedger
pub trait SharedLedger {
    fn writer(&self) -> (Uuid, &str);
    fn append_signed(
        &mut self,
        entries: &[ChainEntry],
        head: &Checkpoint,
        closes: bool,
    ) -> Result<(), StoreError>;
    fn append_checkpoint(
        &mut self,
        entry: &ChainEntry,
        head: &Checkpoint,
        covered: &[WriterChain],
    ) -> Result<bool, StoreError>;
    fn read_chain(
        &mut self,
        chain: Uuid,
        from: u64,
        limit: usize,
    ) -> Result<Vec<ChainEntry>, StoreError>;
    fn count_chain(&mut self, chain: Uuid) -> Result<u64, StoreError>;
    fn chains(
        &mut self,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<WriterChain>, StoreError>;
    fn uncovered_chains(&mut self, limit: usize) -> Result<Vec<WriterChain>, StoreError>;
    fn beat(&mut self, checkpoint_every: Duration) -> Result<bool, StoreError>;
    fn last_position(&mut self) -> Result<Option<RecordPosition>, StoreError>;
    fn search(
        &mut self,
        query: &LedgerQuery,
        end: RecordPosition,
    ) -> Result<SearchedPart, StoreError>;
    fn check_all(
        &mut self,
        from: Option<UnixMillis>,
    ) -> Result<Option<UnixMillis>, StoreError>;
    fn check_chain(&mut self, chain: Uuid, range: Range<u64>) -> Result<(), StoreError>;
    fn expired(&mut self, before: UnixMillis) -> Result<Vec<(Uuid, u64)>, StoreError>;
    fn erase_expired(&mut self, before: UnixMillis) -> Result<u64, StoreError>;
}

// tool_runtime_record::ledger::TreeHead
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

// tool_runtime_record::ledger::VerifiedChain
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
    #[must_use]
    pub fn writers(&self) -> &[WriterChain] {}
}

// tool_runtime_record::ledger::Verifier
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

// tool_runtime_record::ledger::VerifyError
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum VerifyError {
    Fault(FaultError),
    Store(StoreError),
}

// tool_runtime_record::ledger::WriterBegan
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterBegan {
    pub at: String,
    pub writer: Option<Box<str>>,
    pub after_crash: bool,
    pub torn_bytes: u64,
}

// tool_runtime_record::ledger::WriterChain
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriterChain {
    pub id: Uuid,
    pub writer: Box<str>,
    pub size: u64,
    pub state: WriterState,
    pub seen_at: UnixMillis,
    pub head: Option<Checkpoint>,
}
impl WriterChain {
    #[must_use]
    pub fn new(
        id: Uuid,
        writer: impl Into<Box<str>>,
        size: u64,
        state: WriterState,
    ) -> Self {}
}

// tool_runtime_record::ledger::WriterClosed
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WriterClosed {
    pub at: String,
    pub calls: u64,
    pub shed: u64,
}

// tool_runtime_record::ledger::WriterState
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WriterState {
    Writing,
    Closed,
    Lost,
}
impl fmt::Display for WriterState {}

// tool_runtime_record::ledger::audit
pub fn audit(
    store: &mut dyn LedgerStore,
    heads: &[TreeHead],
) -> Result<AuditedChain, VerifyError> {}

// tool_runtime_record::ledger::verify
pub fn verify(
    store: &mut dyn LedgerStore,
    keys: &KeyRing,
    checkpoints: &[Checkpoint],
) -> Result<VerifiedChain, VerifyError> {}

