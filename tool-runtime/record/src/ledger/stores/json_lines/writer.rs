//! The single writer of a file: appends groups and erases contents.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::files::{self, FileIdentity, WriterLock, system};
use super::line_index::{LineIndex, LinePosition, LineReader};
use super::{line, next};
use crate::ledger::ChainEntry;
use crate::ledger::stores::check_order;

/// The most memory of a group's buffer that is kept for the next.
const MAX_SPARE_BYTES: usize = 1024 * 1024;

#[derive(Debug)]
pub(super) struct FileWriter {
    _lock: WriterLock,
    identity: FileIdentity,
    sync: bool,
    /// True if a failed write may have left bytes after the whole lines.
    failed: bool,
    buffer: Vec<u8>,
    #[cfg(test)]
    pub(super) disk_failure: Option<DiskFailure>,
}

/// A simulated failure of the disk.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) enum DiskFailure {
    /// The disk takes this many bytes of the next group.
    Write(usize),
    /// The disk takes all bytes, but does not confirm them.
    Sync,
}

impl FileWriter {
    /// Takes the lock, and removes a replacement file that a crash may have left.
    pub(super) fn begin(path: &Path, sync: bool) -> Result<Self, StoreError> {
        let lock = WriterLock::take(path)?;
        files::remove_replacement(path)?;
        Ok(Self {
            _lock: lock,
            identity: FileIdentity::from_metadata(&fs::metadata(path).map_err(system)?),
            sync,
            failed: false,
            buffer: Vec::new(),
            #[cfg(test)]
            disk_failure: None,
        })
    }

    /// Appends all entries, or none.
    pub(super) fn append(
        &mut self,
        path: &Path,
        file: &File,
        line_index: &mut LineIndex,
        entries: &[ChainEntry],
    ) -> Result<(), StoreError> {
        check_order(line_index.lines, entries)?;
        self.check_unchanged(path, file, line_index)?;
        let ends = self.write_to_memory(entries)?;
        self.failed = true;
        let written = self.write(file).and_then(|()| self.sync(file));
        self.buffer.clear();
        self.buffer.shrink_to(MAX_SPARE_BYTES);
        match written {
            Ok(()) => {
                self.failed = false;
                let begins = [0].into_iter().chain(ends.iter().copied());
                ends.iter()
                    .zip(begins)
                    .for_each(|(end, begin)| line_index.add((end - begin) as u64));
                Ok(())
            }
            Err(error) => {
                // If this fails too, it is repeated before the next write.
                let _ = self.roll_back(file, line_index);
                Err(system(error))
            }
        }
    }

    /// Checks that the path still leads to this file, and that its length is unchanged.
    fn check_unchanged(
        &mut self,
        path: &Path,
        file: &File,
        line_index: &LineIndex,
    ) -> Result<(), StoreError> {
        let metadata = fs::metadata(path);
        if !metadata
            .as_ref()
            .is_ok_and(|metadata| FileIdentity::from_metadata(metadata) == self.identity)
        {
            return Err(StoreError::new(
                StoreErrorKind::Unavailable,
                "the file is no longer at its path: put it back, or close the ledger and open it \
                 again",
            ));
        }
        if self.failed {
            self.roll_back(file, line_index).map_err(system)?;
        } else if metadata.map_err(system)?.len() != line_index.length {
            return Err(StoreError::new(
                StoreErrorKind::Damaged,
                "the file's length has changed: another process writes to it; find out which, \
                 and verify the ledger",
            ));
        }
        Ok(())
    }

    fn roll_back(&mut self, file: &File, line_index: &LineIndex) -> io::Result<()> {
        file.set_len(line_index.length)?;
        self.failed = false;
        Ok(())
    }

    /// Writes the lines of a group one after the other, and returns the end of each.
    fn write_to_memory(&mut self, entries: &[ChainEntry]) -> Result<Vec<usize>, StoreError> {
        self.buffer.clear();
        let (mut ends, mut begin) = (Vec::with_capacity(entries.len()), 0);
        for entry in entries {
            line::write(entry, &mut self.buffer);
            let end = self.buffer.len();
            if end - begin > line::MAX_LINE_BYTES {
                return Err(too_long(entry));
            }
            ends.push(end);
            begin = end;
        }
        Ok(ends)
    }

    fn write(&self, mut file: &File) -> io::Result<()> {
        #[cfg(test)]
        if let Some(DiskFailure::Write(room)) = self.disk_failure {
            file.write_all(&self.buffer[..room])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.write_all(&self.buffer)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        #[cfg(test)]
        if let Some(DiskFailure::Sync) = self.disk_failure {
            return Err(io::ErrorKind::Other.into());
        }
        if self.sync { file.sync_data() } else { Ok(()) }
    }

    /// Erases the contents of lines, and returns how many had contents.
    pub(super) fn erase(
        &mut self,
        path: &Path,
        file: &mut File,
        line_index: &mut LineIndex,
        before: u64,
    ) -> Result<u64, StoreError> {
        self.check_unchanged(path, file, line_index)?;
        if !has_contents(file, line_index, before)? {
            return Ok(0);
        }
        let (name, new) = files::create_replacement(path, file).map_err(system)?;
        let rewritten = rewrite(file, line_index, before, &new).and_then(|rewritten| {
            let identity = FileIdentity::from_metadata(&new.metadata().map_err(system)?);
            fs::rename(&name, path).map_err(system)?;
            Ok((rewritten, identity))
        });
        match rewritten {
            Ok((rewritten, identity)) => {
                (*file, *line_index, self.identity) = (new, rewritten.line_index, identity);
                files::sync_folder(path)?;
                Ok(rewritten.erased)
            }
            Err(error) => {
                // If this fails too, it is repeated when the ledger is opened the next time.
                let _ = files::remove_replacement(path);
                Err(error)
            }
        }
    }
}

/// The result of a rewrite, with the number of contents that were erased.
struct Rewritten {
    line_index: LineIndex,
    erased: u64,
}

fn rewrite(
    old: &File,
    line_index: &LineIndex,
    before: u64,
    new: &File,
) -> Result<Rewritten, StoreError> {
    let mut rewritten = Rewritten { line_index: LineIndex::empty(), erased: 0 };
    let mut lines = LineReader::new(old, LinePosition::START, line_index.length).map_err(system)?;
    let mut out = BufWriter::new(new);
    let mut bare = Vec::new();
    while lines.next.line < before {
        let Some(mut entry) = next(&mut lines)? else { break };
        rewritten.erased += u64::from(entry.body().is_some());
        entry.erase();
        bare.clear();
        line::write(&entry, &mut bare);
        rewritten.add(&bare, &mut out)?;
    }
    while let Some(line) = lines.read().map_err(system)? {
        rewritten.add(line, &mut out)?;
    }
    out.flush().and_then(|()| new.sync_all()).map_err(system)?;
    Ok(rewritten)
}

impl Rewritten {
    fn add(&mut self, line: &[u8], out: &mut impl Write) -> Result<(), StoreError> {
        self.line_index.add(line.len() as u64);
        out.write_all(line).map_err(system)
    }
}

/// Returns whether there are contents to erase. Usually the first lines have none, and the next one has.
fn has_contents(file: &File, line_index: &LineIndex, before: u64) -> Result<bool, StoreError> {
    let mut lines =
        LineReader::new(file, LinePosition::START, line_index.length).map_err(system)?;
    while lines.next.line < before {
        match next(&mut lines)? {
            None => break,
            Some(entry) if entry.body().is_some() => return Ok(true),
            Some(_) => {}
        }
    }
    Ok(false)
}

fn too_long(entry: &ChainEntry) -> StoreError {
    StoreError::new(
        StoreErrorKind::Full,
        format!(
            "record {} is longer than the {} bytes of a line",
            entry.seq(),
            line::MAX_LINE_BYTES
        ),
    )
}
