// tool_runtime::AnswerOrigin = tool_runtime_core::AnswerOrigin

// tool_runtime::ApprovalError = tool_runtime_core::ApprovalError

// tool_runtime::Arguments = tool_runtime_core::Arguments

// tool_runtime::Attachment = tool_runtime_core::Attachment

// tool_runtime::AttachmentError = tool_runtime_core::AttachmentError

// tool_runtime::AttachmentHandle = tool_runtime_core::AttachmentHandle

// tool_runtime::AttachmentLimits = tool_runtime_core::AttachmentLimits

// tool_runtime::Attachments = tool_runtime_core::Attachments

// tool_runtime::BuildError = tool_runtime_core::BuildError

// tool_runtime::BuildProblem = tool_runtime_core::BuildProblem

// tool_runtime::CallRecord = tool_runtime_core::CallRecord

// tool_runtime::CallScope = tool_runtime_core::CallScope

// tool_runtime::Cancellation = tool_runtime_core::Cancellation

// tool_runtime::DataError = tool_runtime_core::DataError

// tool_runtime::DryRun = tool_runtime_core::DryRun

// tool_runtime::DynamicTool = tool_runtime_core::DynamicTool

// tool_runtime::EvidenceRecorder = tool_runtime_core::EvidenceRecorder

// tool_runtime::Failure = tool_runtime_core::Failure

// tool_runtime::FailureCode = tool_runtime_core::FailureCode

// tool_runtime::FromCall = tool_runtime_core::FromCall

// tool_runtime::Idempotency = tool_runtime_core::Idempotency

// tool_runtime::InputAnswer = tool_runtime_core::InputAnswer

// tool_runtime::InputError = tool_runtime_core::InputError

// tool_runtime::Job = tool_runtime_core::Job

// tool_runtime::Limits = tool_runtime_schema::Limits

// tool_runtime::MetaRecorder = tool_runtime_core::MetaRecorder

// tool_runtime::NotPending = tool_runtime_core::NotPending

// tool_runtime::Observe = tool_runtime_core::Observe

// tool_runtime::OutputMeta = tool_runtime_core::OutputMeta

// tool_runtime::Preview = tool_runtime_core::Preview

// tool_runtime::Progress = tool_runtime_core::Progress

// tool_runtime::ProgressUpdate = tool_runtime_core::ProgressUpdate

// tool_runtime::Reconciled = tool_runtime_core::Reconciled

// tool_runtime::RefusalReason = tool_runtime_core::RefusalReason

// tool_runtime::RefusedTool = tool_runtime_core::RefusedTool

// tool_runtime::Registry = tool_runtime_core::Registry

// tool_runtime::Runtime = tool_runtime_core::Runtime

// tool_runtime::RuntimeBuilder = tool_runtime_core::RuntimeBuilder

// tool_runtime::Sleep = tool_runtime_core::Sleep

// tool_runtime::SourceLocation = tool_runtime_core::SourceLocation

// tool_runtime::SpendingOutcome = tool_runtime_core::SpendingOutcome

// tool_runtime::SpendingRecord = tool_runtime_core::SpendingRecord

// tool_runtime::Timer = tool_runtime_core::Timer

// tool_runtime::TokioTimer = tool_runtime_core::TokioTimer

// tool_runtime::Tool = tool_runtime_core::Tool

// tool_runtime::ToolCall = tool_runtime_core::ToolCall

// tool_runtime::ToolChanges = tool_runtime_core::ToolChanges

// tool_runtime::ToolFailure = tool_runtime_derive::ToolFailure

// tool_runtime::ToolList = tool_runtime_core::ToolList

// tool_runtime::ToolOutput = tool_runtime_core::ToolOutput

// tool_runtime::ToolSubscription = tool_runtime_core::ToolSubscription

// tool_runtime::Toolkit = tool_runtime_core::Toolkit

// tool_runtime::Tools = tool_runtime_core::Tools

// tool_runtime::TypedCall = tool_runtime_core::TypedCall

// tool_runtime::TypedTool = tool_runtime_core::TypedTool

// tool_runtime::UserInput = tool_runtime_core::UserInput

// tool_runtime::Uuid = uuid::Uuid

// tool_runtime::Withdrawal = tool_runtime_core::Withdrawal

// tool_runtime::adapters = tool_runtime_adapters

// tool_runtime::ag_ui = tool_runtime_ag_ui

// tool_runtime::agent::AgentConfig = tool_runtime_agent::AgentConfig

// tool_runtime::agent::AgentError = tool_runtime_agent::AgentError

// tool_runtime::agent::AgentErrorKind = tool_runtime_agent::AgentErrorKind

// tool_runtime::agent::AgentErrorReason = tool_runtime_agent::AgentErrorReason

// tool_runtime::agent::AssistantMessage = tool_runtime_agent::AssistantMessage

// tool_runtime::agent::ChatModel = tool_runtime_agent::ChatModel

// tool_runtime::agent::ChatReply = tool_runtime_agent::ChatReply

// tool_runtime::agent::ChatRequest = tool_runtime_agent::ChatRequest

// tool_runtime::agent::ClientCall = tool_runtime_agent::ClientCall

// tool_runtime::agent::FinishReason = tool_runtime_agent::FinishReason

// tool_runtime::agent::LogLevel = tool_runtime_agent::LogLevel

// tool_runtime::agent::LoopEnd = tool_runtime_agent::LoopEnd

// tool_runtime::agent::LoopEvent = tool_runtime_agent::LoopEvent

// tool_runtime::agent::LoopReport = tool_runtime_agent::LoopReport

// tool_runtime::agent::LoopSavings = tool_runtime_agent::LoopSavings

// tool_runtime::agent::MemorySessions = tool_runtime_agent::MemorySessions

// tool_runtime::agent::ModelCall = tool_runtime_agent::ModelCall

// tool_runtime::agent::ModelMessage = tool_runtime_agent::ModelMessage

// tool_runtime::agent::ModelPrice = tool_runtime_agent::ModelPrice

// tool_runtime::agent::ModelSummarizer = tool_runtime_agent::ModelSummarizer

// tool_runtime::agent::OnText = tool_runtime_agent::OnText

// tool_runtime::agent::OpenAiBuilder = tool_runtime_agent::OpenAiBuilder

// tool_runtime::agent::OpenAiEmbedder = tool_runtime_agent::OpenAiEmbedder

// tool_runtime::agent::OpenAiModel = tool_runtime_agent::OpenAiModel

// tool_runtime::agent::PendingCall = tool_runtime_agent::PendingCall

// tool_runtime::agent::PostgresSessions = tool_runtime_postgres::PostgresSessions

// tool_runtime::agent::PriceTable = tool_runtime_agent::PriceTable

// tool_runtime::agent::ProviderPrefix = tool_runtime_agent::ProviderPrefix

// tool_runtime::agent::ProxyAgent = tool_runtime_agent::ProxyAgent

// tool_runtime::agent::ProxyAgentBuilder = tool_runtime_agent::ProxyAgentBuilder

// tool_runtime::agent::RuntimeExecutor = tool_runtime_agent::RuntimeExecutor

// tool_runtime::agent::SealedSessions = tool_runtime_agent::SealedSessions

// tool_runtime::agent::SessionKey = tool_runtime_agent::SessionKey

// tool_runtime::agent::SessionStore = tool_runtime_agent::SessionStore

// tool_runtime::agent::SqliteSessions = tool_runtime_sqlite::SqliteSessions

// tool_runtime::agent::StopCause = tool_runtime_agent::StopCause

// tool_runtime::agent::SuspendedRun = tool_runtime_agent::SuspendedRun

// tool_runtime::agent::TokenUsage = tool_runtime_agent::TokenUsage

// tool_runtime::agent::ToolExecutor = tool_runtime_agent::ToolExecutor

// tool_runtime::agent::ToolLoop = tool_runtime_agent::ToolLoop

// tool_runtime::ai_tool = tool_runtime_derive::ai_tool

// tool_runtime::ai_toolkit = tool_runtime_derive::ai_toolkit

// tool_runtime::ai_type = tool_runtime_derive::ai_type

// tool_runtime::articulate = tool_runtime_core::articulate

// tool_runtime::assess = tool_runtime_agent::assess

// tool_runtime::budgets = tool_runtime_budgets

// tool_runtime::canonical = tool_runtime_schema::canonical

// tool_runtime::console = tool_runtime_console

// tool_runtime::contracts = tool_contracts

// tool_runtime::evidence = tool_runtime_record::evidence

// tool_runtime::http = tool_runtime_http

// tool_runtime::ledger::AuditedChain = tool_runtime_record::ledger::AuditedChain

// tool_runtime::ledger::Auditor = tool_runtime_record::ledger::Auditor

// tool_runtime::ledger::CHECKPOINT_CHAIN = tool_runtime_record::ledger::CHECKPOINT_CHAIN

// tool_runtime::ledger::CallsShed = tool_runtime_record::ledger::CallsShed

// tool_runtime::ledger::ChainEntry = tool_runtime_record::ledger::ChainEntry

// tool_runtime::ledger::ChainFault = tool_runtime_record::ledger::ChainFault

// tool_runtime::ledger::ChainFaultKind = tool_runtime_record::ledger::ChainFaultKind

// tool_runtime::ledger::ChainHead = tool_runtime_record::ledger::ChainHead

// tool_runtime::ledger::ChainKeys = tool_runtime_record::ledger::ChainKeys

// tool_runtime::ledger::Checkpoint = tool_runtime_record::ledger::Checkpoint

// tool_runtime::ledger::CheckpointFile = tool_runtime_record::ledger::CheckpointFile

// tool_runtime::ledger::CheckpointSink = tool_runtime_record::ledger::CheckpointSink

// tool_runtime::ledger::ContentsErased = tool_runtime_record::ledger::ContentsErased

// tool_runtime::ledger::ExportedCheckpoint = tool_runtime_record::ledger::ExportedCheckpoint

// tool_runtime::ledger::FaultError = tool_runtime_record::ledger::FaultError

// tool_runtime::ledger::InputCapture = tool_runtime_record::ledger::InputCapture

// tool_runtime::ledger::InvalidChainHead = tool_runtime_record::ledger::InvalidChainHead

// tool_runtime::ledger::InvalidNote = tool_runtime_record::ledger::InvalidNote

// tool_runtime::ledger::InvalidNoteKey = tool_runtime_record::ledger::InvalidNoteKey

// tool_runtime::ledger::InvalidRecordPosition = tool_runtime_record::ledger::InvalidRecordPosition

// tool_runtime::ledger::JsonLinesLedger = tool_runtime_record::ledger::JsonLinesLedger

// tool_runtime::ledger::JsonLinesOptions = tool_runtime_record::ledger::JsonLinesOptions

// tool_runtime::ledger::Ledger = tool_runtime_record::ledger::Ledger

// tool_runtime::ledger::LedgerBuilder = tool_runtime_record::ledger::LedgerBuilder

// tool_runtime::ledger::LedgerPage = tool_runtime_record::ledger::LedgerPage

// tool_runtime::ledger::LedgerQuery = tool_runtime_record::ledger::LedgerQuery

// tool_runtime::ledger::LedgerStatus = tool_runtime_record::ledger::LedgerStatus

// tool_runtime::ledger::LedgerStore = tool_runtime_record::ledger::LedgerStore

// tool_runtime::ledger::MAX_PAGE_SIZE = tool_runtime_record::ledger::MAX_PAGE_SIZE

// tool_runtime::ledger::MemoryLedger = tool_runtime_record::ledger::MemoryLedger

// tool_runtime::ledger::MerkleFrontier = tool_runtime_record::ledger::MerkleFrontier

// tool_runtime::ledger::NoteSigner = tool_runtime_record::ledger::NoteSigner

// tool_runtime::ledger::NoteVerifier = tool_runtime_record::ledger::NoteVerifier

// tool_runtime::ledger::Overload = tool_runtime_record::ledger::Overload

// tool_runtime::ledger::PostgresLedger = tool_runtime_postgres::PostgresLedger

// tool_runtime::ledger::Record = tool_runtime_record::ledger::Record

// tool_runtime::ledger::RecordDurability = tool_runtime_record::ledger::RecordDurability

// tool_runtime::ledger::RecordPosition = tool_runtime_record::ledger::RecordPosition

// tool_runtime::ledger::RecordStatus = tool_runtime_record::ledger::RecordStatus

// tool_runtime::ledger::RecordedAccess = tool_runtime_record::ledger::RecordedAccess

// tool_runtime::ledger::RecordedApproval = tool_runtime_record::ledger::RecordedApproval

// tool_runtime::ledger::RecordedCall = tool_runtime_record::ledger::RecordedCall

// tool_runtime::ledger::RecordedCallKind = tool_runtime_record::ledger::RecordedCallKind

// tool_runtime::ledger::RecordedError = tool_runtime_record::ledger::RecordedError

// tool_runtime::ledger::RecordedOrigin = tool_runtime_record::ledger::RecordedOrigin

// tool_runtime::ledger::RecordedPrincipal = tool_runtime_record::ledger::RecordedPrincipal

// tool_runtime::ledger::RecordedSpending = tool_runtime_record::ledger::RecordedSpending

// tool_runtime::ledger::RecordedSpendingOutcome = tool_runtime_record::ledger::RecordedSpendingOutcome

// tool_runtime::ledger::SearchedPart = tool_runtime_record::ledger::SearchedPart

// tool_runtime::ledger::SharedLedger = tool_runtime_record::ledger::SharedLedger

// tool_runtime::ledger::SqliteLedger = tool_runtime_sqlite::SqliteLedger

// tool_runtime::ledger::TreeHead = tool_runtime_record::ledger::TreeHead

// tool_runtime::ledger::VerifiedChain = tool_runtime_record::ledger::VerifiedChain

// tool_runtime::ledger::Verifier = tool_runtime_record::ledger::Verifier

// tool_runtime::ledger::VerifyError = tool_runtime_record::ledger::VerifyError

// tool_runtime::ledger::WriterBegan = tool_runtime_record::ledger::WriterBegan

// tool_runtime::ledger::WriterChain = tool_runtime_record::ledger::WriterChain

// tool_runtime::ledger::WriterClosed = tool_runtime_record::ledger::WriterClosed

// tool_runtime::ledger::WriterState = tool_runtime_record::ledger::WriterState

// tool_runtime::ledger::audit = tool_runtime_record::ledger::audit

// tool_runtime::ledger::verify = tool_runtime_record::ledger::verify

// tool_runtime::mcp::AmountArgument = tool_runtime_mcp_client::AmountArgument

// tool_runtime::mcp::Icon = tool_runtime_http::mcp::Icon

// tool_runtime::mcp::McpConfig = tool_runtime_http::mcp::McpConfig

// tool_runtime::mcp::NewTools = tool_runtime_mcp_client::NewTools

// tool_runtime::mcp::PinDifference = tool_runtime_mcp_client::PinDifference

// tool_runtime::mcp::ProtectedResource = tool_runtime_http::mcp::ProtectedResource

// tool_runtime::mcp::Remote = tool_runtime_mcp_client::Remote

// tool_runtime::mcp::RemoteBuilder = tool_runtime_mcp_client::RemoteBuilder

// tool_runtime::mcp::RemoteConnection = tool_runtime_mcp_client::RemoteConnection

// tool_runtime::mcp::RemoteError = tool_runtime_mcp_client::RemoteError

// tool_runtime::mcp::RemoteErrorKind = tool_runtime_mcp_client::RemoteErrorKind

// tool_runtime::mcp::RemoteEvent = tool_runtime_mcp_client::RemoteEvent

// tool_runtime::mcp::RemoteFinding = tool_runtime_mcp_client::RemoteFinding

// tool_runtime::mcp::RemoteFindingKind = tool_runtime_mcp_client::RemoteFindingKind

// tool_runtime::mcp::RemoteLimits = tool_runtime_mcp_client::RemoteLimits

// tool_runtime::mcp::RemoteProtocol = tool_runtime_mcp_client::RemoteProtocol

// tool_runtime::mcp::RemoteServer = tool_runtime_mcp_client::RemoteServer

// tool_runtime::mcp::RemoteStatus = tool_runtime_mcp_client::RemoteStatus

// tool_runtime::mcp::RemoteTool = tool_runtime_mcp_client::RemoteTool

// tool_runtime::mcp::RemoteToolState = tool_runtime_mcp_client::RemoteToolState

// tool_runtime::mcp::Stdio = tool_runtime_http::mcp::Stdio

// tool_runtime::mcp::StdioError = tool_runtime_http::mcp::StdioError

// tool_runtime::mcp::router = tool_runtime_http::mcp::router

// tool_runtime::mcp::stdio = tool_runtime_http::mcp::stdio

// tool_runtime::policy = tool_runtime_core::policy

// tool_runtime::prelude::Actor = tool_contracts::Actor

// tool_runtime::prelude::ActorType = tool_contracts::ActorType

// tool_runtime::prelude::Attachments = tool_runtime_core::Attachments

// tool_runtime::prelude::CallRecord = tool_runtime_core::CallRecord

// tool_runtime::prelude::CallScope = tool_runtime_core::CallScope

// tool_runtime::prelude::CallStatus = tool_contracts::CallStatus

// tool_runtime::prelude::Cancellation = tool_runtime_core::Cancellation

// tool_runtime::prelude::DryRun = tool_runtime_core::DryRun

// tool_runtime::prelude::DynamicTool = tool_runtime_core::DynamicTool

// tool_runtime::prelude::Effect = tool_contracts::Effect

// tool_runtime::prelude::Failure = tool_runtime_core::Failure

// tool_runtime::prelude::FromCall = tool_runtime_core::FromCall

// tool_runtime::prelude::Idempotency = tool_runtime_core::Idempotency

// tool_runtime::prelude::MetaRecorder = tool_runtime_core::MetaRecorder

// tool_runtime::prelude::Permission = tool_contracts::Permission

// tool_runtime::prelude::Progress = tool_runtime_core::Progress

// tool_runtime::prelude::RequestEnvelope = tool_contracts::envelope::RequestEnvelope

// tool_runtime::prelude::ResponseEnvelope = tool_contracts::envelope::ResponseEnvelope

// tool_runtime::prelude::Runtime = tool_runtime_core::Runtime

// tool_runtime::prelude::ToolCall = tool_runtime_core::ToolCall

// tool_runtime::prelude::ToolContext = tool_contracts::ToolContext

// tool_runtime::prelude::ToolFailure = tool_runtime_core::ToolFailure

// tool_runtime::prelude::ToolOutput = tool_runtime_core::ToolOutput

// tool_runtime::prelude::Uuid = uuid::Uuid

// tool_runtime::prelude::ai_tool = tool_runtime_derive::ai_tool

// tool_runtime::prelude::ai_toolkit = tool_runtime_derive::ai_toolkit

// tool_runtime::prelude::ai_type = tool_runtime_derive::ai_type

// tool_runtime::prelude::async_trait = tool_runtime_core::policy

// tool_runtime::proxy::AgentConfig = tool_runtime_agent::AgentConfig

// tool_runtime::proxy::AgentError = tool_runtime_agent::AgentError

// tool_runtime::proxy::AgentErrorKind = tool_runtime_agent::AgentErrorKind

// tool_runtime::proxy::LogLevel = tool_runtime_agent::LogLevel

// tool_runtime::proxy::MemorySessions = tool_runtime_agent::MemorySessions

// tool_runtime::proxy::ModelPrice = tool_runtime_agent::ModelPrice

// tool_runtime::proxy::PriceTable = tool_runtime_agent::PriceTable

// tool_runtime::proxy::ProxyAgent = tool_runtime_agent::ProxyAgent

// tool_runtime::proxy::ProxyAgentBuilder = tool_runtime_agent::ProxyAgentBuilder

// tool_runtime::proxy::SessionKey = tool_runtime_agent::SessionKey

// tool_runtime::proxy::SessionStore = tool_runtime_agent::SessionStore

// tool_runtime::proxy::SqliteSessions = tool_runtime_sqlite::SqliteSessions

// tool_runtime::quiet_tool_panics = tool_runtime_core::quiet_tool_panics

// tool_runtime::redact = tool_runtime_schema::redact

// tool_runtime::schema::Coerce = tool_runtime_schema::schema::Coerce

// tool_runtime::schema::ComparedVersion = tool_runtime_contracts_lock::ComparedVersion

// tool_runtime::schema::Compatibility = tool_runtime_contracts_lock::Compatibility

// tool_runtime::schema::ContractChange = tool_runtime_contracts_lock::ContractChange

// tool_runtime::schema::ContractChanges = tool_runtime_contracts_lock::ContractChanges

// tool_runtime::schema::ContractPart = tool_runtime_contracts_lock::ContractPart

// tool_runtime::schema::Export = tool_runtime_contracts_lock::Export

// tool_runtime::schema::ExportError = tool_runtime_contracts_lock::ExportError

// tool_runtime::schema::ExportErrorKind = tool_runtime_contracts_lock::ExportErrorKind

// tool_runtime::schema::InputSchema = tool_runtime_schema::schema::InputSchema

// tool_runtime::schema::JsonSchema = tool_runtime_schema::schema::JsonSchema

// tool_runtime::schema::Malformed = tool_runtime_schema::schema::Malformed

// tool_runtime::schema::Property = tool_runtime_schema::schema::Property

// tool_runtime::schema::SchemaChange = tool_runtime_contracts_lock::SchemaChange

// tool_runtime::schema::SchemaError = tool_runtime_schema::schema::SchemaError

// tool_runtime::schema::SchemaFinding = tool_runtime_schema::schema::SchemaFinding

// tool_runtime::schema::SchemaKind = tool_runtime_schema::schema::SchemaKind

// tool_runtime::schema::SchemaReader = tool_runtime_contracts_lock::SchemaReader

// tool_runtime::schema::UncheckedRule = tool_runtime_schema::schema::UncheckedRule

// tool_runtime::schema::ValidationReport = tool_runtime_schema::schema::ValidationReport

// tool_runtime::schema::Validator = tool_runtime_schema::schema::Validator

// tool_runtime::schema::WrittenFiles = tool_runtime_contracts_lock::WrittenFiles

// tool_runtime::schema::compare = tool_runtime_contracts_lock::compare

// tool_runtime::schema::open = tool_runtime_schema::schema::open

// tool_runtime::schema::title = tool_runtime_schema::schema::title

// tool_runtime::schemars = schemars

// tool_runtime::search = tool_runtime_core::search

// tool_runtime::serde = serde

// tool_runtime::serde_json = serde_json

// tool_runtime::store::ArchivedKey = tool_runtime_core::store::ArchivedKey

// tool_runtime::store::AttemptResult = tool_runtime_core::store::AttemptResult

// tool_runtime::store::Balance = tool_runtime_core::store::Balance

// tool_runtime::store::BudgetAccount = tool_runtime_core::store::BudgetAccount

// tool_runtime::store::BudgetControl = tool_runtime_core::store::BudgetControl

// tool_runtime::store::BudgetPeriod = tool_runtime_core::store::BudgetPeriod

// tool_runtime::store::BudgetStore = tool_runtime_core::store::BudgetStore

// tool_runtime::store::BudgetUnit = tool_runtime_core::store::BudgetUnit

// tool_runtime::store::Charge = tool_runtime_core::store::Charge

// tool_runtime::store::ClaimDecision = tool_runtime_core::store::ClaimDecision

// tool_runtime::store::ClaimOutcome = tool_runtime_core::store::ClaimOutcome

// tool_runtime::store::ClaimRequest = tool_runtime_core::store::ClaimRequest

// tool_runtime::store::Clock = tool_runtime_core::store::Clock

// tool_runtime::store::ClockReading = tool_runtime_core::store::ClockReading

// tool_runtime::store::CommitOutcome = tool_runtime_core::store::CommitOutcome

// tool_runtime::store::Currency = tool_runtime_core::store::Currency

// tool_runtime::store::DeadReason = tool_runtime_core::store::DeadReason

// tool_runtime::store::Fence = tool_runtime_core::store::Fence

// tool_runtime::store::FileCheck = tool_runtime_sqlite::FileCheck

// tool_runtime::store::FollowedTicket = tool_runtime_core::store::FollowedTicket

// tool_runtime::store::GrantScope = tool_runtime_core::store::GrantScope

// tool_runtime::store::GrantStore = tool_runtime_core::store::GrantStore

// tool_runtime::store::IdempotencyStore = tool_runtime_core::store::IdempotencyStore

// tool_runtime::store::KeyAnswer = tool_runtime_core::store::KeyAnswer

// tool_runtime::store::KeyRecord = tool_runtime_core::store::KeyRecord

// tool_runtime::store::KeyState = tool_runtime_core::store::KeyState

// tool_runtime::store::LeasedMessage = tool_runtime_core::store::LeasedMessage

// tool_runtime::store::LimitAnswer = tool_runtime_core::store::LimitAnswer

// tool_runtime::store::LimitReport = tool_runtime_core::store::LimitReport

// tool_runtime::store::LimitStore = tool_runtime_core::store::LimitStore

// tool_runtime::store::MemoryLimits = tool_runtime_core::store::MemoryLimits

// tool_runtime::store::MemoryStore = tool_runtime_core::store::MemoryStore

// tool_runtime::store::MonotonicTime = tool_runtime_core::store::MonotonicTime

// tool_runtime::store::OpenBreaker = tool_runtime_core::store::OpenBreaker

// tool_runtime::store::OutboxBatch = tool_runtime_core::store::OutboxBatch

// tool_runtime::store::OutboxMessage = tool_runtime_core::store::OutboxMessage

// tool_runtime::store::OutboxStore = tool_runtime_core::store::OutboxStore

// tool_runtime::store::OutputSlice = tool_runtime_core::store::OutputSlice

// tool_runtime::store::OutputStore = tool_runtime_core::store::OutputStore

// tool_runtime::store::PeriodPosition = tool_runtime_core::store::PeriodPosition

// tool_runtime::store::PermitReport = tool_runtime_core::store::PermitReport

// tool_runtime::store::PostgresOptions = tool_runtime_postgres::PostgresOptions

// tool_runtime::store::PostgresStore = tool_runtime_postgres::PostgresStore

// tool_runtime::store::PostgresTransaction = tool_runtime_postgres::PostgresTransaction

// tool_runtime::store::PostgresTransactionError = tool_runtime_postgres::PostgresTransactionError

// tool_runtime::store::RateReport = tool_runtime_core::store::RateReport

// tool_runtime::store::RateShare = tool_runtime_core::store::RateShare

// tool_runtime::store::Reservation = tool_runtime_core::store::Reservation

// tool_runtime::store::ReservationPeriod = tool_runtime_core::store::ReservationPeriod

// tool_runtime::store::ReserveOutcome = tool_runtime_core::store::ReserveOutcome

// tool_runtime::store::ReservedAmount = tool_runtime_core::store::ReservedAmount

// tool_runtime::store::RowCounts = tool_runtime_core::store::RowCounts

// tool_runtime::store::RowKind = tool_runtime_core::store::RowKind

// tool_runtime::store::ScopedKey = tool_runtime_core::store::ScopedKey

// tool_runtime::store::Settlement = tool_runtime_core::store::Settlement

// tool_runtime::store::SettlementDecision = tool_runtime_core::store::SettlementDecision

// tool_runtime::store::SpendOutcome = tool_runtime_core::store::SpendOutcome

// tool_runtime::store::SqliteOptions = tool_runtime_sqlite::SqliteOptions

// tool_runtime::store::SqliteStore = tool_runtime_sqlite::SqliteStore

// tool_runtime::store::SqliteTransaction = tool_runtime_sqlite::SqliteTransaction

// tool_runtime::store::SqliteTransactionError = tool_runtime_sqlite::SqliteTransactionError

// tool_runtime::store::StandingGrant = tool_runtime_core::store::StandingGrant

// tool_runtime::store::Store = tool_runtime_core::store::Store

// tool_runtime::store::StoreClock = tool_runtime_core::store::StoreClock

// tool_runtime::store::StoreError = tool_runtime_core::store::StoreError

// tool_runtime::store::StoreErrorKind = tool_runtime_core::store::StoreErrorKind

// tool_runtime::store::StoreExport = tool_runtime_core::store::StoreExport

// tool_runtime::store::StoreTransaction = tool_runtime_core::store::StoreTransaction

// tool_runtime::store::StoredAnswer = tool_runtime_core::store::StoredAnswer

// tool_runtime::store::StoredMessage = tool_runtime_core::store::StoredMessage

// tool_runtime::store::StoredOutput = tool_runtime_core::store::StoredOutput

// tool_runtime::store::StoredPeriod = tool_runtime_core::store::StoredPeriod

// tool_runtime::store::StoredRow = tool_runtime_core::store::StoredRow

// tool_runtime::store::StoredSession = tool_runtime_core::store::StoredSession

// tool_runtime::store::SystemClock = tool_runtime_core::store::SystemClock

// tool_runtime::store::TicketEnd = tool_runtime_core::store::TicketEnd

// tool_runtime::store::TicketQuota = tool_runtime_core::store::TicketQuota

// tool_runtime::store::TicketStore = tool_runtime_core::store::TicketStore

// tool_runtime::store::TransactionScope = tool_runtime_core::store::TransactionScope

// tool_runtime::store::UnixMillis = tool_runtime_core::store::UnixMillis

// tool_runtime::store::WaitingTicket = tool_runtime_core::store::WaitingTicket

// tool_runtime::store::async_trait = tool_runtime_core::store::async_trait

// tool_runtime::store::rusqlite = tool_runtime_sqlite::rusqlite

// tool_runtime::testing = tool_runtime_testing

// tool_runtime::tokens = tool_runtime_core::tokens

// tool_runtime::trace = tool_runtime_core::trace

// tool_runtime::webhooks = tool_runtime_webhooks

