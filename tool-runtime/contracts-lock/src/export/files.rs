//! Writes files atomically, and only if they change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::script::BuildScript;
use super::{ExportError, ExportErrorKind, FREEZE};

/// Lists the files that [`Export::write_to`](super::Export::write_to) has handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    changed: Vec<PathBuf>,
    unchanged: Vec<PathBuf>,
    removed: Vec<PathBuf>,
}

impl WrittenFiles {
    /// Lists the files that were created or updated.
    #[must_use]
    pub fn changed(&self) -> &[PathBuf] {
        &self.changed
    }

    /// Lists the files that were up to date.
    #[must_use]
    pub fn unchanged(&self) -> &[PathBuf] {
        &self.unchanged
    }

    /// Lists the removed files of tools that no longer exist.
    #[must_use]
    pub fn removed(&self) -> &[PathBuf] {
        &self.removed
    }

    fn is_up_to_date(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// A folder to write files to, or to compare with them if it is frozen.
pub(super) struct OutputFolder<'f> {
    pub(super) path: &'f Path,
    pub(super) frozen: bool,
    /// Sync each file to disk. Generated files do not need it, and syncing takes most of
    /// the time of an export with many files.
    pub(super) durable: bool,
    pub(super) script: Option<&'f BuildScript>,
}

impl OutputFolder<'_> {
    /// Brings the folder up to date: writes these files, and removes stale ones.
    pub(super) fn update(
        &self,
        files: &[(String, String)],
        stale: &[String],
    ) -> Result<WrittenFiles, ExportError> {
        let mut written = WrittenFiles::default();
        // Stale files are removed first: on a case-insensitive file system, the old file of a tool
        // that was renamed only in case is also its new one, and the new catalogue no longer lists
        // it.
        for name in stale {
            let path = self.path.join(name);
            if self.remove(&path)? {
                written.removed.push(path);
            }
        }
        for (name, text) in files {
            let path = self.path.join(name);
            let changed = self.write_if_changed(&path, text)?;
            if changed { &mut written.changed } else { &mut written.unchanged }.push(path);
        }
        if self.frozen && !written.is_up_to_date() {
            return Err(stale_files(&written));
        }
        Ok(written)
    }

    /// Writes a file unless it is up to date; returns whether it was written.
    pub(super) fn write_if_changed(&self, path: &Path, text: &str) -> Result<bool, ExportError> {
        let changed = read(path)?.is_none_or(|found| !same_content(&found, text));
        if changed && !self.frozen {
            self.replace(path, text).map_err(|error| ExportError::io("write", path, &error))?;
        }
        self.watch(path);
        Ok(changed)
    }

    /// Makes cargo rerun a build script when this file changes.
    pub(super) fn watch(&self, path: &Path) {
        if let Some(script) = self.script {
            script.watch(path);
        }
    }

    /// Replaces a file atomically.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = temporary(path);
        let written = self.write(&beside, text).and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            // Do not leave the temporary file behind.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        if let Some(script) = self.script {
            script.backdate(&file);
        }
        if self.durable { file.sync_all() } else { Ok(()) }
    }

    fn remove(&self, path: &Path) -> Result<bool, ExportError> {
        if self.frozen {
            return Ok(path.exists());
        }
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(ExportError::io("remove", path, &error)),
        }
    }
}

/// Reads a file, if it exists.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, ExportError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ExportError::io("read", path, &error)),
    }
}

/// Replaces a file atomically, and syncs it to disk.
pub fn replace(path: &Path, text: &str) -> Result<(), ExportError> {
    let folder = path.parent().unwrap_or(path);
    let folder = OutputFolder { path: folder, frozen: false, durable: true, script: None };
    folder.write_if_changed(path, text).map(drop)
}

/// Compares contents; line endings that a checkout has converted do not count.
fn same_content(found: &[u8], text: &str) -> bool {
    found == text.as_bytes()
        || std::str::from_utf8(found).is_ok_and(|found| found.replace("\r\n", "\n") == text)
}

fn temporary(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = NEXT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    path.with_file_name(format!(".tools-{process}-{unique}.tmp"))
}

fn stale_files(written: &WrittenFiles) -> ExportError {
    let mut message = format!(
        "these files are not up to date, and this export is frozen, as `{FREEZE}` makes it:"
    );
    for path in written.changed.iter().chain(&written.removed) {
        message.push_str("\n  - ");
        message.push_str(&path.display().to_string());
    }
    message.push_str("\nbuild without it, and commit what that writes");
    ExportError::new(ExportErrorKind::Stale, message)
}
