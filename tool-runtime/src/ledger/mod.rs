//! What every call leaves on the record, so that nobody can change it unseen.
//!
//! Entries form a chain: each carries an HMAC over its hash and the entry before it. [`Head`]
//! appends to a chain, [`Verifier`] reads one and names the first record that is not as it was
//! written. A [`Checkpoint`] that is kept elsewhere shows that the chain's end was cut off.

mod chain;
mod config;
mod ended;
mod export;
mod handle;
mod keys;
mod notes;
mod query;
mod queue;
mod record;
mod resume;
mod search;
mod stats;
mod store;
mod stores;
mod texts;
mod witness;
mod writer;

pub use self::chain::{
    Audited, Auditor, ChainKeys, Checkpoint, Entry, Fault, FaultKind, Frontier, Head, InvalidHead,
    TreeHead, Verified, Verifier,
};
pub use self::config::{AnswerAfter, Inputs, LedgerBuilder, Overload};
#[cfg(feature = "evidence")]
pub(crate) use self::ended::{digest_of_input, digest_of_output, input_hash, output_hash};
pub use self::export::{CheckpointFile, CheckpointSink, ExportedCheckpoint};
#[cfg(feature = "ed25519")]
pub use self::export::{InvalidNote, InvalidNoteKey, NoteSigner, NoteVerifier};
pub use self::handle::{FaultError, Ledger, VerifyError, audit, verify};
pub use self::query::{LARGEST_PAGE, LedgerQuery, Page};
pub use self::record::{
    Access, Began, Closed, Forgotten, Principal, Record, RecordStatus, RecordedApproval,
    RecordedCall, RecordedError, RecordedOrigin, Shed,
};
pub use self::stats::LedgerStatus;
pub use self::store::LedgerStore;
#[cfg(feature = "sqlite")]
pub use self::stores::SqliteLedger;
pub use self::stores::{JsonLines, JsonLinesOptions, MemoryLedger};
