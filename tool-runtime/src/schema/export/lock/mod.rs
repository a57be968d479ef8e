//! The lock file: the contracts that were given to callers, and removed tools.

mod change;
mod contracts;
mod version;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

pub use self::change::{ContractChange, ContractChanges, ContractPart};

#[cfg(test)]
pub(super) use self::contracts::compare;

use super::contract::{Contract, printed};
use super::files::{self, OutputFolder};
use super::{ACCEPT, ExportError, ExportErrorKind, FORMAT, FREEZE, LockMode};

/// Compares the tools with the lock, and writes it in `Accept` mode.
pub(super) fn check(
    tools: &[Contract],
    path: &Path,
    mode: LockMode,
    folder: &OutputFolder<'_>,
) -> Result<ContractChanges, ExportError> {
    let before = match files::read(path)? {
        Some(bytes) => read(&bytes, path)?,
        None if mode == LockMode::Accept => {
            LockFile { tools: tools.to_vec(), removed: RemovedTools::default() }
        }
        None => return Err(missing(path)),
    };
    let changes = contracts::compare(&before.tools, &before.removed, tools)?;
    changes.refuse_breaking(path, mode)?;
    let stale = folder.write_if_changed(path, &text(tools, &before.removed_without(tools)))?;
    if stale && mode == LockMode::Frozen {
        return Err(out_of_date(path, &changes));
    }
    if let (true, Some(script)) = (stale, folder.script) {
        let accepted = || format!("{} was written", path.display());
        script.warn(&if mode == LockMode::Accept { accepted() } else { how_to_accept(path) });
        changes.iter().for_each(|change| script.warn(&change.to_string()));
    }
    Ok(changes)
}

/// The contents of a lock.
struct LockFile {
    tools: Vec<Contract>,
    removed: RemovedTools,
}

/// The last versions of removed tools, by name; a tool of the same name continues from there.
pub(super) type RemovedTools = BTreeMap<String, String>;

impl LockFile {
    /// The removed tools, given the tools that now exist.
    fn removed_without(&self, tools: &[Contract]) -> RemovedTools {
        let known = self.tools.iter().map(|tool| (tool.name(), tool.spec.version()));
        let known = known.map(|(name, version)| (name.to_owned(), version.to_owned()));
        let mut removed: RemovedTools = self.removed.clone().into_iter().chain(known).collect();
        for tool in tools {
            removed.remove(tool.name());
        }
        removed
    }
}

/// The canonical text of the lock, formatted for diffs.
fn text(tools: &[Contract], removed: &RemovedTools) -> String {
    let tools: Vec<_> = tools.iter().map(Contract::to_value).collect();
    let mut lock = json!({"format": FORMAT, "tools": tools});
    if !removed.is_empty() {
        lock["removed"] = json!(removed);
    }
    printed(lock)
}

fn read(bytes: &[u8], path: &Path) -> Result<LockFile, ExportError> {
    let unreadable = |why: String| {
        let message = format!(
            "{} {why}; take it from version control again, or delete it and run the build with \
             `{ACCEPT}` to lock the contracts as they are",
            path.display()
        );
        ExportError::new(ExportErrorKind::UnreadableLock, message)
    };
    let damaged = |error: serde_json::Error| unreadable(format!("is damaged: {error}"));
    let mut lock: Value = serde_json::from_slice(bytes).map_err(damaged)?;
    match lock["format"].as_u64() {
        Some(FORMAT) => {}
        Some(format) if format > FORMAT => return Err(newer(path, format)),
        _ => {
            return Err(unreadable("is damaged: `format` is not a known version".into()));
        }
    }
    let removed = match lock.get_mut("removed") {
        Some(removed) => serde_json::from_value(removed.take()).map_err(damaged)?,
        None => RemovedTools::default(),
    };
    let Value::Array(tools) = lock["tools"].take() else {
        return Err(unreadable("is damaged: `tools` is not a list".into()));
    };
    let tools = tools.into_iter().map(|tool| Contract::from_value(tool).map_err(damaged));
    let tools = tools.collect::<Result<Vec<_>, _>>()?;
    match duplicate(&tools) {
        Some(name) => Err(unreadable(format!("is damaged: it has `{name}` twice"))),
        None => Ok(LockFile { tools, removed }),
    }
}

/// A tool that is listed more than once, as after a merge that kept both sides.
fn duplicate(tools: &[Contract]) -> Option<&str> {
    let mut seen = BTreeSet::new();
    tools.iter().map(Contract::name).find(|name| !seen.insert(*name))
}

fn newer(path: &Path, format: u64) -> ExportError {
    let message = format!(
        "{} has format {format}, and this version of `tool-runtime` reads up to {FORMAT}; use the \
         version that wrote it, or a later one",
        path.display()
    );
    ExportError::new(ExportErrorKind::UnreadableLock, message)
}

fn missing(path: &Path) -> ExportError {
    let message = format!(
        "there is no lock at {}: run the build once with `{ACCEPT}`, and commit the file",
        path.display()
    );
    ExportError::new(ExportErrorKind::NoLock, message)
}

fn how_to_accept(path: &Path) -> String {
    let path = path.display();
    format!("{path} is not up to date: run the build with `{ACCEPT}`, and commit the file")
}

fn out_of_date(path: &Path, changes: &ContractChanges) -> ExportError {
    let message = format!(
        "{} (this export is frozen, as `{FREEZE}` makes it)\n{changes}",
        how_to_accept(path)
    );
    ExportError::new(ExportErrorKind::Stale, message)
}
