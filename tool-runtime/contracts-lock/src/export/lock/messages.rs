//! Errors and warnings about locks: each says what is wrong, where, and what to do.

use std::path::Path;

use super::change::ContractChanges;
use crate::export::{ACCEPT, BASE, ExportError, ExportErrorKind, FREEZE};

/// The most conflict markers that are listed.
const MAX_MARKERS: usize = 12;

/// A missing lock. `catalogue` lists contracts that were exported before.
pub(super) fn missing(path: &Path, catalogue: Option<&Path>) -> ExportError {
    let (restore, path) = (restore(path), path.display());
    let message = match catalogue {
        Some(catalogue) => format!(
            "there is no lock at {path}, but {} lists contracts that were exported before: \
             {restore}; if version control has no lock, run the build once with `{ACCEPT}`, which \
             compares the tools with that list, and commit the file",
            catalogue.display()
        ),
        None => format!(
            "there is no lock at {path}: if version control has it, {restore}; otherwise run the \
             build once with `{ACCEPT}`, and commit the file"
        ),
    };
    ExportError::new(ExportErrorKind::NoLock, message)
}

/// The error for a lock that a commit has but the working tree lacks.
pub(super) fn committed(path: &Path, commit: &str) -> ExportError {
    let path = path.display();
    let message = format!(
        "there is no lock at {path}, but the commit `{commit}` has one, with the contracts that callers \
         were given: restore it by `git checkout {commit} -- {path}`, and run the build with \
         `{ACCEPT}` again"
    );
    ExportError::new(ExportErrorKind::NoLock, message)
}

/// A lock with these conflict markers.
pub(super) fn conflicted(path: &Path, markers: &[(usize, char)]) -> ExportError {
    let first_markers = markers.iter().take(MAX_MARKERS);
    let marker_lines =
        first_markers.map(|(line, sign)| format!("line {line} (`{}`)", sign.to_string().repeat(7)));
    let mut marker_list: Vec<_> = marker_lines.collect();
    if markers.len() > MAX_MARKERS {
        marker_list.push(format!("{} more", markers.len() - MAX_MARKERS));
    }
    let message = format!(
        "{} has the conflict markers of a merge: {}; take the whole file from the branch that you \
         merge into, whose contracts callers were given, for example by `git checkout origin/main \
         -- {}`, then run the build with `{ACCEPT}`, which adds the changes of the tools again, and \
         commit the lock",
        path.display(),
        marker_list.join(", "),
        path.display()
    );
    ExportError::new(ExportErrorKind::Conflict, message)
}

/// A lock that lists a tool more than once, as after a merge that kept both sides.
pub(super) fn duplicate(path: &Path, name: &str) -> ExportError {
    let message = format!(
        "{} has `{name}` twice, as a merge leaves it that keeps the lines of both sides: {}, then \
         run the build with `{ACCEPT}`, and commit the lock",
        path.display(),
        restore(path)
    );
    ExportError::new(ExportErrorKind::Conflict, message)
}

pub(super) fn damaged(path: &Path, why: &str) -> ExportError {
    let message = format!("{} is damaged: {why}; {}", path.display(), restore(path));
    ExportError::new(ExportErrorKind::UnreadableLock, message)
}

pub(super) fn newer(path: &Path, format: u64, known: u64) -> ExportError {
    let message = format!(
        "{} has format {format}, and this version of `tool-runtime` reads up to {known}; use the \
         version that wrote it, or a later one",
        path.display()
    );
    ExportError::new(ExportErrorKind::UnreadableLock, message)
}

/// A base lock that does not exist or has no contents.
pub(super) fn no_base(path: &Path, found: &str) -> ExportError {
    let message = format!(
        "`{BASE}` names {}, which {found}: write it from the base branch, for example by `git show \
         origin/main:tools.lock.json`, with the lock's path in the repository, or unset `{BASE}` if \
         that branch has no lock yet; a relative path is relative to the folder of the lock",
        path.display()
    );
    ExportError::new(ExportErrorKind::Base, message)
}

/// A base lock that cannot be read.
pub(super) fn unreadable_base(error: &ExportError) -> ExportError {
    ExportError::new(ExportErrorKind::Base, format!("the base lock (`{BASE}`): {error}"))
}

pub(super) fn how_to_accept(path: &Path) -> String {
    let path = path.display();
    format!("{path} is not up to date: run the build with `{ACCEPT}`, and commit the file")
}

pub(super) fn out_of_date(path: &Path, changes: &ContractChanges) -> ExportError {
    let message = format!(
        "{} (this export is frozen, as `{FREEZE}` makes it)\n{changes}",
        how_to_accept(path)
    );
    ExportError::new(ExportErrorKind::Stale, message)
}

fn restore(path: &Path) -> String {
    format!("restore it, for example by `git checkout origin/main -- {}`", path.display())
}
