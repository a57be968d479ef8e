//! The lock file: the contracts that were given to callers, and removed tools.

mod change;
mod conflict;
mod contracts;
mod file;
mod messages;
mod version;

use std::path::Path;

pub use self::change::{ContractChange, ContractChanges, ContractPart};

#[cfg(test)]
pub(super) use self::contracts::compare;
pub(super) use self::file::LockFile;

use super::contract::Contract;
use super::files::OutputFolder;
use super::{ExportError, LockMode};

/// Compares the tools with the lock, and writes it in `Accept` mode.
pub(super) fn check(
    tools: &[Contract],
    path: &Path,
    mode: LockMode,
    folder: &OutputFolder<'_>,
) -> Result<ContractChanges, ExportError> {
    let before = match LockFile::read(path)? {
        Some(lock) => lock,
        None if mode == LockMode::Accept => {
            LockFile { tools: tools.to_vec(), ..LockFile::default() }
        }
        None => return Err(messages::missing(path)),
    };
    let changes = contracts::compare(&before, tools)?;
    changes.refuse_breaking(path, mode)?;
    bring_up_to_date(&before.followed_by(tools), path, mode, folder, &changes)?;
    Ok(changes)
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
