//! Checkpoints that leave the ledger's store by themselves, so that a cut or an old copy shows.

#[cfg(feature = "ed25519")]
mod base64;
mod exporter;
mod file;
#[cfg(feature = "ed25519")]
mod note;

pub(super) use self::exporter::{Exporter, Kept};
pub use self::file::CheckpointFile;
#[cfg(feature = "ed25519")]
pub use self::note::{InvalidNote, InvalidNoteKey, NoteSigner, NoteVerifier};

use serde::{Deserialize, Serialize};

use super::chain::Checkpoint;
use crate::store::StoreError;

/// A checkpoint as a [`CheckpointSink`] keeps it.
///
/// As JSON it has the members of a [`Checkpoint`], and `note` where the ledger signs notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExportedCheckpoint {
    /// The checkpoint, under the ledger's own key.
    #[serde(flatten)]
    pub checkpoint: Checkpoint,
    /// The same size and root as a signed note, which an auditor can verify without that key; none
    /// unless the ledger has a signer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Box<str>>,
}

/// Keeps exported checkpoints, where the ledger's store cannot be written from.
///
/// Give it to [`LedgerBuilder::checkpoint_sink`](super::LedgerBuilder::checkpoint_sink). The ledger
/// exports a checkpoint after every `checkpoint_every` records, after `export_every` if there is
/// something new, when it is opened and when it is closed. That happens on a thread of its own, so
/// the sink may block; while it does, newer checkpoints take the place of those that wait. One that
/// fails is tried again, and no record waits for it.
///
/// [`CheckpointFile`] is one. A closure is one too, for an object store or a queue:
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
/// A closure cannot read what it kept: fetch the newest one before the ledger is opened, and give it
/// to [`LedgerBuilder::expecting`](super::LedgerBuilder::expecting).
pub trait CheckpointSink: Send + 'static {
    /// Keeps a checkpoint.
    ///
    /// # Errors
    /// It is not kept; it, or a newer one, is tried again.
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError>;

    /// Returns the newest checkpoint that was kept; none if there is none yet.
    ///
    /// It is asked once, when the ledger is opened, which fails if the ledger does not reach to it.
    ///
    /// # Errors
    /// It cannot be read: the ledger is not opened.
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
