//! A sink that appends checkpoints to a file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::{CheckpointSink, ExportedCheckpoint};
use crate::ledger::chain::Checkpoint;

/// The number of bytes at the end that are read to find the newest checkpoint: many lines.
const END: u64 = 64 * 1024;

/// Appends exported checkpoints to a file, one line of JSON each.
///
/// Put it on another volume or machine than the ledger: if both can be replaced together, the file
/// proves nothing. The ledger only appends to the file and reads its end, so the file may be
/// append-only (`chattr +a`), and older lines may be moved away. Each ledger needs a file of its
/// own.
///
/// ```
/// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// use tool_runtime::ledger::{CheckpointFile, JsonLinesLedger, Ledger};
/// use tool_runtime::policy::KeyRing;
///
/// let ledger = Ledger::builder(KeyRing::new("2026-11", &[7; 32])?)
///     .checkpoint_sink(CheckpointFile::open("/mnt/audit/ledger.checkpoints")?)
///     .open(JsonLinesLedger::open(folder.join("calls.jsonl"))?)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    file: File,
}

impl CheckpointFile {
    /// Opens the file, or creates it, readable by its owner alone.
    ///
    /// # Errors
    /// The file cannot be opened for reading and writing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| {
            let place = format_args!("cannot open `{}`", path.display()).to_string();
            StoreError::from_io_error(&error).at(place)
        })?;
        Ok(Self { path, file })
    }

    fn system(&self, error: &std::io::Error) -> StoreError {
        StoreError::from_io_error(error).at(format_args!("`{}`", self.path.display()))
    }

    fn end(&mut self) -> std::io::Result<Vec<u8>> {
        let length = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        let mut end = Vec::new();
        (&self.file).take(END).read_to_end(&mut end)?;
        Ok(end)
    }
}

impl CheckpointSink for CheckpointFile {
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError> {
        // Ends a line that a crash cut off; the cut line is no checkpoint.
        let torn = self.end().map_err(|error| self.system(&error))?;
        let mut line = Vec::new();
        if torn.last().is_some_and(|last| *last != b'\n') {
            line.push(b'\n');
        }
        let written = serde_json::to_writer(&mut line, exported);
        written.map_err(|error| self.system(&error.into()))?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(|error| self.system(&error))
    }

    fn newest(&mut self) -> Result<Option<Checkpoint>, StoreError> {
        let end = self.end().map_err(|error| self.system(&error))?;
        let read = |line: &[u8]| serde_json::from_slice::<ExportedCheckpoint>(line).ok();
        let mut lines = end.split(|byte| *byte == b'\n').rev().filter(|line| !line.is_empty());
        match lines.find_map(read) {
            Some(newest) => Ok(Some(newest.checkpoint)),
            None if end.is_empty() => Ok(None),
            None => Err(StoreError::new(
                StoreErrorKind::Damaged,
                format!(
                    "`{}` holds no checkpoint; use another file, or restore this one",
                    self.path.display()
                ),
            )),
        }
    }
}
