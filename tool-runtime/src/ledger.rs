//! Records every call in an append-only ledger that shows when it was changed.
//!
//! Entries form a chain: each carries an HMAC over its hash and the entry before it. [`ChainHead`]
//! appends to a chain, [`Verifier`] reads one and names the first record that is not as it was
//! written. A [`Checkpoint`] that is kept elsewhere shows that the chain's end was cut off.

#[cfg(feature = "postgres")]
#[doc(inline)]
pub use tool_runtime_postgres::PostgresLedger;
#[doc(inline)]
pub use tool_runtime_record::ledger::{
    AuditedChain, Auditor, CHECKPOINT_CHAIN, CallsShed, ChainEntry, ChainFault, ChainFaultKind,
    ChainHead, ChainKeys, Checkpoint, CheckpointFile, CheckpointSink, ContentsErased,
    ExportedCheckpoint, FaultError, InputCapture, InvalidChainHead, InvalidRecordPosition,
    JsonLinesLedger, JsonLinesOptions, Ledger, LedgerBuilder, LedgerPage, LedgerQuery,
    LedgerStatus, LedgerStore, MAX_PAGE_SIZE, MemoryLedger, MerkleFrontier, Overload, Record,
    RecordDurability, RecordPosition, RecordStatus, RecordedAccess, RecordedApproval, RecordedCall,
    RecordedCallKind, RecordedError, RecordedOrigin, RecordedPrincipal, RecordedSpending,
    RecordedSpendingOutcome, SearchedPart, SharedLedger, TreeHead, VerifiedChain, Verifier,
    VerifyError, WriterBegan, WriterChain, WriterClosed, WriterState, audit, verify,
};
#[cfg(feature = "ed25519")]
#[doc(inline)]
pub use tool_runtime_record::ledger::{InvalidNote, InvalidNoteKey, NoteSigner, NoteVerifier};
#[cfg(feature = "sqlite-unbundled")]
#[doc(inline)]
pub use tool_runtime_sqlite::SqliteLedger;
