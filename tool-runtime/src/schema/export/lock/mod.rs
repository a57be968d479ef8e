//! The lock: the contracts that callers were given, and what has become of them.

mod change;
mod contracts;
mod version;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

pub use self::change::{Change, Changes, Side};

#[cfg(test)]
pub(super) use self::contracts::compare;

use super::contract::{Contract, printed};
use super::files::{self, Folder};
use super::{ACCEPT, ExportError, ExportErrorKind, FORMAT, FREEZE, Mode};

/// Holds the tools against the lock, and writes it where that was asked for.
pub(super) fn check(
    tools: &[Contract],
    path: &Path,
    mode: Mode,
    folder: &Folder<'_>,
) -> Result<Changes, ExportError> {
    let before = match files::read(path)? {
        Some(bytes) => read(&bytes, path)?,
        None if mode == Mode::Accept => {
            Locked { tools: tools.to_vec(), removed: Removed::default() }
        }
        None => return Err(missing(path)),
    };
    let changes = contracts::compare(&before.tools, &before.removed, tools)?;
    changes.refuse_breaking(path, mode)?;
    let stale = folder.put(path, &text(tools, &before.removed_without(tools)))?;
    if stale && mode == Mode::Frozen {
        return Err(out_of_date(path, &changes));
    }
    if let (true, Some(script)) = (stale, folder.script) {
        let accepted = || format!("{} was written", path.display());
        script.warn(&if mode == Mode::Accept { accepted() } else { how_to_accept(path) });
        changes.iter().for_each(|change| script.warn(&change.to_string()));
    }
    Ok(changes)
}

/// What a lock holds.
struct Locked {
    tools: Vec<Contract>,
    removed: Removed,
}

/// The last versions of tools that are no more, by name: one that comes back goes on from there.
pub(super) type Removed = BTreeMap<String, String>;

impl Locked {
    /// The tools that are no more, once these are the ones that there are.
    fn removed_without(&self, tools: &[Contract]) -> Removed {
        let known = self.tools.iter().map(|tool| (tool.name(), tool.spec.version()));
        let known = known.map(|(name, version)| (name.to_owned(), version.to_owned()));
        let mut removed: Removed = self.removed.clone().into_iter().chain(known).collect();
        for tool in tools {
            removed.remove(tool.name());
        }
        removed
    }
}

/// The lock's one form, made to be read in a diff.
fn text(tools: &[Contract], removed: &Removed) -> String {
    let tools: Vec<_> = tools.iter().map(Contract::to_value).collect();
    let mut lock = json!({"format": FORMAT, "tools": tools});
    if !removed.is_empty() {
        lock["removed"] = json!(removed);
    }
    printed(lock)
}

fn read(bytes: &[u8], path: &Path) -> Result<Locked, ExportError> {
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
            return Err(unreadable(
                "is damaged: `format` is not a number that was ever used".into(),
            ));
        }
    }
    let removed = match lock.get_mut("removed") {
        Some(removed) => serde_json::from_value(removed.take()).map_err(damaged)?,
        None => Removed::default(),
    };
    let Value::Array(tools) = lock["tools"].take() else {
        return Err(unreadable("is damaged: `tools` is not a list".into()));
    };
    let tools = tools.into_iter().map(|tool| Contract::from_value(tool).map_err(damaged));
    let tools = tools.collect::<Result<Vec<_>, _>>()?;
    match twice(&tools) {
        Some(name) => Err(unreadable(format!("is damaged: it has `{name}` twice"))),
        None => Ok(Locked { tools, removed }),
    }
}

/// A tool that stands there more than once, as after a merge that kept both sides.
fn twice(tools: &[Contract]) -> Option<&str> {
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

fn out_of_date(path: &Path, changes: &Changes) -> ExportError {
    let message = format!(
        "{} (this export is frozen, as `{FREEZE}` makes it)\n{changes}",
        how_to_accept(path)
    );
    ExportError::new(ExportErrorKind::Stale, message)
}
