//! The ledger, as `tool_runtime::ledger` documents it.

mod access_queue;
mod appends;
#[doc(hidden)]
pub mod call_kind;
mod call_snapshot;
mod call_texts;
mod chain;
mod config;
mod evidence_keys;
mod export;
mod handle;
mod keys;
mod position;
#[doc(hidden)]
pub mod query;
mod queue;
mod record;
mod recorder;
mod recovery;
mod search;
mod shared;
mod spending;
mod stats;
mod store;
#[doc(hidden)]
pub mod stores;
mod writer;

pub use self::call_kind::RecordedCallKind;
pub(crate) use self::call_snapshot::{
    digest_of_input, digest_of_output, digest_of_output_text, hash_of_attachment, hash_of_input,
};
pub use self::chain::{
    AuditedChain, Auditor, ChainEntry, ChainFault, ChainFaultKind, ChainHead, ChainKeys,
    Checkpoint, InvalidChainHead, MerkleFrontier, TreeHead, VerifiedChain, Verifier,
};
pub use self::config::{InputCapture, LedgerBuilder, Overload, RecordDurability};
pub use self::export::{CheckpointFile, CheckpointSink, ExportedCheckpoint};
#[cfg(feature = "ed25519")]
pub use self::export::{InvalidNote, InvalidNoteKey, NoteSigner, NoteVerifier};
pub use self::handle::{FaultError, Ledger, VerifyError, audit, verify};
pub use self::position::{InvalidRecordPosition, RecordPosition};
pub use self::query::{LedgerPage, LedgerQuery, MAX_PAGE_SIZE};
pub use self::record::RecordedOutcome;
pub use self::record::{
    CallsShed, ContentsErased, Record, RecordStatus, RecordedAccess, RecordedApproval,
    RecordedCall, RecordedError, RecordedOrigin, RecordedPrincipal, WriterBegan, WriterClosed,
};
pub use self::shared::{CHECKPOINT_CHAIN, SearchedPart, SharedLedger, WriterChain, WriterState};
pub use self::spending::{RecordedSpending, RecordedSpendingOutcome};
pub use self::stats::LedgerStatus;
pub use self::store::LedgerStore;
pub use self::stores::{JsonLinesLedger, JsonLinesOptions, MemoryLedger};
