//! The lock of the branch that a change will be merged into.

use std::path::{Path, PathBuf};

use super::change::LockRule;
use super::file::{LockFile, RemovedTools};
use super::{contracts, messages};
use crate::export::contract::Contract;
use crate::export::{BASE, ExportError, LockMode, files};

/// A second lock that the tools must not break.
pub(super) struct BaseLock {
    pub(super) path: PathBuf,
    pub(super) lock: LockFile,
}

impl BaseLock {
    /// Reads the base lock; a relative path is relative to the folder of the lock.
    pub(super) fn read(lock: &Path, base: &Path) -> Result<Self, ExportError> {
        let path = lock.parent().unwrap_or(Path::new("")).join(base);
        match files::read(&path)? {
            None => return Err(messages::no_base(&path, "does not exist")),
            Some(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {
                return Err(messages::no_base(&path, "is empty"));
            }
            Some(_) => {}
        }
        let read = LockFile::read(&path).map_err(|error| messages::unreadable_base(&error))?;
        let lock = read.ok_or_else(|| messages::no_base(&path, "does not exist"))?;
        Ok(Self { path, lock })
    }

    /// Returns an error if the tools break the base lock; `confirmed` are the tools whose removal
    /// was accepted since.
    pub(super) fn refuse_breaking(
        &self,
        tools: &[Contract],
        mode: LockMode,
        confirmed: &RemovedTools,
    ) -> Result<(), ExportError> {
        let changes = contracts::compare(&self.lock, tools, "the base lock")?;
        let name = format!("{} (`{BASE}`)", self.path.display());
        changes.refuse_breaking(&LockRule { name, mode, confirmed })
    }
}
