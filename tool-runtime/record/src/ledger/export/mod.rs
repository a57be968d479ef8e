//! Exports checkpoints out of the ledger's store, which shows if the ledger is truncated or rolled
//! back.

mod exporter;
mod file;
#[cfg(feature = "ed25519")]
mod note;

use serde::{Deserialize, Serialize};
use tool_runtime_core::store::StoreError;

pub(super) use self::exporter::{Exporter, NewestExport};
pub use self::file::CheckpointFile;
#[cfg(feature = "ed25519")]
pub use self::note::{InvalidNote, InvalidNoteKey, NoteSigner, NoteVerifier};
use super::chain::{Checkpoint, TreeHead};

/// Signs a tree head as a note, with the host's key.
pub(super) type SignNote = Box<dyn Fn(&TreeHead) -> Box<str> + Send + Sync>;

/// A checkpoint as a [`CheckpointSink`] keeps it.
///
/// Its JSON form has the members of a [`Checkpoint`], and `note` if the ledger signs notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedCheckpoint {
    /// The checkpoint, under the ledger's own key.
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    /// The same size and root as a signed note, which an auditor can verify without that key; none
    /// if the ledger has no signer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Box<str>>,
}

/// Keeps exported checkpoints where the ledger's writer cannot write.
///
/// Pass it to [`LedgerBuilder::checkpoint_sink`](super::LedgerBuilder::checkpoint_sink). The
/// ledger exports a checkpoint every `checkpoint_every` records, every `export_every` if there are
/// new records, and when it is opened and closed. Exports run on a thread of their own, so the
/// sink may block; meanwhile a newer checkpoint replaces one that waits. A failed export is
/// retried, and no record waits for it.
///
/// [`CheckpointFile`] is a sink. A closure is one too, for example for an object store or a queue:
///
/// ```
/// use tool_runtime::ledger::{ExportedCheckpoint, Ledger, MemoryLedger};
/// use tool_runtime::policy::KeyRing;
/// use tool_runtime::store::StoreError;
///
/// # fn upload(_: &str, _: Vec<u8>) -> Result<(), StoreError> { Ok(()) }
/// let sink = |exported: &ExportedCheckpoint| -> Result<(), StoreError> {
///     let body = serde_json::to_vec(exported).map_err(|error| {
///         StoreError::new(tool_runtime::store::StoreErrorKind::Damaged, error.to_string())
///     })?;
///     upload(&format!("checkpoints/{:020}.json", exported.checkpoint.size()), body)
/// };
/// let ledger = Ledger::builder(KeyRing::ephemeral()?).checkpoint_sink(sink);
/// let ledger = ledger.open(MemoryLedger::new(10_000))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A closure cannot return the newest checkpoint: fetch it before the ledger is opened, and pass
/// it to [`LedgerBuilder::expecting`](super::LedgerBuilder::expecting).
pub trait CheckpointSink: Send + 'static {
    /// Keeps a checkpoint.
    ///
    /// # Errors
    /// The checkpoint was not kept; the export of it, or of a newer one, is retried.
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError>;

    /// Returns the newest checkpoint that was kept; none if there is none yet.
    ///
    /// It is called once, when the ledger is opened. Opening fails if the ledger does not contain
    /// it.
    ///
    /// # Errors
    /// The checkpoint cannot be read; the ledger is not opened.
    fn newest(&mut self) -> Result<Option<Checkpoint>, StoreError>;
}

impl<F> CheckpointSink for F
where
    F: FnMut(&ExportedCheckpoint) -> Result<(), StoreError> + Send + 'static,
{
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError> {
        self(exported)
    }

    fn newest(&mut self) -> Result<Option<Checkpoint>, StoreError> {
        Ok(None)
    }
}
