//! Files that are written whole or not at all, and only if they change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::script::Script;
use super::{ExportError, ExportErrorKind, FREEZE};

/// What [`Export::write_to`](super::Export::write_to) has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    changed: Vec<PathBuf>,
    unchanged: Vec<PathBuf>,
    removed: Vec<PathBuf>,
}

impl Written {
    /// Lists the files that were written: new ones, and those that said something else.
    #[must_use]
    pub fn changed(&self) -> &[PathBuf] {
        &self.changed
    }

    /// Lists the files that were right already, and were left alone.
    #[must_use]
    pub fn unchanged(&self) -> &[PathBuf] {
        &self.unchanged
    }

    /// Lists the files that an earlier export wrote of tools that are no more.
    #[must_use]
    pub fn removed(&self) -> &[PathBuf] {
        &self.removed
    }

    fn is_up_to_date(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// A folder that files are put into, or held against if it is frozen.
pub(super) struct Folder<'f> {
    pub(super) path: &'f Path,
    pub(super) frozen: bool,
    /// Whether a file is waited for until it is on the disk. What can be made again needs no
    /// waiting, which is most of the time that many files take.
    pub(super) durable: bool,
    pub(super) script: Option<&'f Script>,
}

impl Folder<'_> {
    /// Brings the folder up to date: these files, and no longer those.
    pub(super) fn fill(
        &self,
        files: &[(String, String)],
        stale: &[String],
    ) -> Result<Written, ExportError> {
        let mut written = Written::default();
        // Before anything is written: where case is ignored, the old file of a tool whose name
        // changed in case only is its new one, and the catalogue forgets what is stale.
        for name in stale {
            let path = self.path.join(name);
            if self.remove(&path)? {
                written.removed.push(path);
            }
        }
        for (name, text) in files {
            let path = self.path.join(name);
            let changed = self.put(&path, text)?;
            if changed { &mut written.changed } else { &mut written.unchanged }.push(path);
        }
        if self.frozen && !written.is_up_to_date() {
            return Err(stale_files(&written));
        }
        Ok(written)
    }

    /// Writes a file unless it is right already; tells whether it was not.
    pub(super) fn put(&self, path: &Path, text: &str) -> Result<bool, ExportError> {
        let changed = read(path)?.is_none_or(|found| !is_same(&found, text));
        if changed && !self.frozen {
            self.replace(path, text).map_err(|error| ExportError::io("write", path, &error))?;
        }
        if let Some(script) = self.script {
            script.watch(path);
        }
        Ok(changed)
    }

    /// Puts a whole file in place of another, so that a reader sees the one or the other.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = temporary(path);
        let written = self.write(&beside, text).and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            // What is left of it would only be in somebody's way.
            let _ = fs::remove_file(&beside);
        }
        written
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        if let Some(script) = self.script {
            script.settle(&file);
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

/// Reads a file if there is one.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, ExportError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ExportError::io("read", path, &error)),
    }
}

/// Line ends that a checkout has converted are no change.
fn is_same(found: &[u8], text: &str) -> bool {
    found == text.as_bytes()
        || std::str::from_utf8(found).is_ok_and(|found| found.replace("\r\n", "\n") == text)
}

fn temporary(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = NEXT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    path.with_file_name(format!(".tools-{process}-{unique}.tmp"))
}

fn stale_files(written: &Written) -> ExportError {
    let mut message = format!(
        "these files are not what the tools say, and this export is frozen, as `{FREEZE}` makes it:"
    );
    for path in written.changed.iter().chain(&written.removed) {
        message.push_str("\n  - ");
        message.push_str(&path.display().to_string());
    }
    message.push_str("\nbuild without it, and commit what that writes");
    ExportError::new(ExportErrorKind::Stale, message)
}
