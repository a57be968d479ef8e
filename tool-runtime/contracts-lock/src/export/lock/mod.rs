//! The lock file: the contracts that were given to callers, and removed tools.

mod base_branch;
mod change;
mod conflict;
mod contracts;
mod file;
mod git_history;
mod initial_lock;
mod messages;
mod version;

use std::path::Path;

pub use self::change::{ContractChange, ContractChanges, ContractPart};

pub use self::conflict::markers as conflict_markers;
#[cfg(test)]
pub(super) use self::contracts::compare;
pub(super) use self::file::LockFile;

use self::base_branch::BaseLock;
use self::change::LockRule;
use super::contract::Contract;
use super::files::OutputFolder;
use super::{ExportError, LockMode};

/// Paths of the lock and of the lock of the base branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct LockPaths<'p> {
    pub(super) lock: &'p Path,
    /// Relative to the folder of the lock.
    pub(super) base: Option<&'p Path>,
}

/// Compares the tools with the lock and its base, and writes the lock in `Accept` mode.
pub(super) fn check(
    tools: &[Contract],
    paths: LockPaths<'_>,
    mode: LockMode,
    folder: &OutputFolder<'_>,
) -> Result<ContractChanges, ExportError> {
    let path = paths.lock;
    let base = paths.base.map(|base| BaseLock::read(path, base)).transpose()?;
    let base_lock = base.as_ref().map(|base| &base.lock);
    let before = match LockFile::read(path)? {
        Some(lock) => lock,
        None => without_lock(tools, path, base_lock, mode)?,
    };
    let changes = contracts::compare(&before, tools, "the lock")?;
    let confirmed = &before.removed;
    changes.refuse_breaking(&LockRule { name: path.display().to_string(), mode, confirmed })?;
    if let Some(base) = &base {
        base.refuse_breaking(tools, mode, confirmed)?;
        folder.watch(&base.path);
    }
    bring_up_to_date(&before.followed_by(tools, base_lock), path, mode, folder, &changes)?;
    Ok(changes)
}

/// The contracts to compare with if there is no lock; an error unless they are accepted.
///
/// A lock that was deleted is not replaced by the tools as they are: the last one that was committed
/// must be restored. If git has none, the base lock takes its place, or else the catalogue that was
/// exported next to it.
fn without_lock(
    tools: &[Contract],
    path: &Path,
    base: Option<&LockFile>,
    mode: LockMode,
) -> Result<LockFile, ExportError> {
    let catalogue = initial_lock::catalogue(path, tools);
    if mode != LockMode::Accept {
        return Err(messages::missing(path, catalogue.as_ref().map(|found| found.path.as_path())));
    }
    if let Some(commit) = git_history::last_with_lock(path) {
        return Err(messages::committed(path, &commit));
    }
    match (base, catalogue) {
        (Some(base), _) => Ok(base.clone()),
        (None, Some(catalogue)) => catalogue.into_lock(),
        (None, None) => Ok(LockFile { tools: tools.to_vec(), ..LockFile::default() }),
    }
}

/// Writes the lock if it is accepted, and otherwise reports that it is out of date.
fn bring_up_to_date(
    next: &LockFile,
    path: &Path,
    mode: LockMode,
    folder: &OutputFolder<'_>,
    changes: &ContractChanges,
) -> Result<(), ExportError> {
    let outdated = !next.is_up_to_date(path)?;
    let differs = folder.write_if_changed(path, &next.text())?;
    let note = match mode {
        LockMode::Frozen if outdated => return Err(messages::out_of_date(path, changes)),
        LockMode::Accept if differs => format!("{} was written", path.display()),
        LockMode::Write if outdated => messages::how_to_accept(path),
        LockMode::Accept | LockMode::Frozen | LockMode::Write => return Ok(()),
    };
    if let Some(script) = folder.script {
        script.warn(&note);
        changes.iter().for_each(|change| script.warn(&change.to_string()));
    }
    Ok(())
}
