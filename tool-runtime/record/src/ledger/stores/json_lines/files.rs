//! File operations of the store: creating, locking, identifying and replacing files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};
use tool_runtime_core::store::{StoreError, StoreErrorKind};

use super::line::{self, BEGINNING, LinePart, MAX_LINE_BYTES};
use super::line_index::LineIndex;

/// The writer's lock, on a file next to the ledger's, held as long as the ledger is open for
/// writing.
///
/// It is not on the ledger's own file, because that file is replaced when contents are erased, and
/// because some systems do not let a locked file be read. The operating system releases the lock
/// when the process ends; the lock file stays.
#[derive(Debug)]
pub(super) struct WriterLock {
    file: File,
}

/// Identifies a file independently of its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    #[cfg(unix)]
    number: (u64, u64),
}

impl WriterLock {
    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, ".lock");
        let mut file = private().write(true).read(true).create(true).open(&path).map_err(system)?;
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(taken(&path, &mut file)),
            Err(TryLockError::Error(error)) => return Err(system(error).at("cannot lock it")),
        }
        let name = format!("{}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(name.as_bytes())).map_err(system)?;
        Ok(Self { file })
    }
}

/// Closing the file alone would not release the lock while a process that this one is just starting has
/// a copy of its descriptor.
impl Drop for WriterLock {
    fn drop(&mut self) {
        // Without the lock there is nothing to release.
        let _ = FileExt::unlock(&self.file);
    }
}

fn taken(path: &Path, file: &mut File) -> StoreError {
    let mut holder = String::new();
    let read = file.take(20).read_to_string(&mut holder);
    let holder = match holder.trim() {
        number if read.is_ok() && !number.is_empty() => format!("process {number}"),
        _ => "a process".to_owned(),
    };
    let log = format!(
        "{holder} writes this ledger (it holds the lock of `{}`), and a ledger has one writer: stop \
         that writer, use another file, or open the ledger read-only",
        path.display()
    );
    StoreError::new(StoreErrorKind::Unavailable, log)
}

impl FileIdentity {
    #[cfg(unix)]
    pub(super) fn from_metadata(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { number: (metadata.dev(), metadata.ino()) }
    }

    #[cfg(not(unix))]
    pub(super) fn from_metadata(_: &fs::Metadata) -> Self {
        Self {}
    }
}

/// Creates the file if there is none, and resolves all links to it.
pub(super) fn create_or_resolve(path: &Path) -> Result<PathBuf, StoreError> {
    match private().append(true).create_new(true).open(path) {
        Ok(_) => sync_folder(path)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(system(error)),
    }
    fs::canonicalize(path).map_err(system)
}

pub(super) fn open_to_write(path: &Path) -> Result<File, StoreError> {
    OpenOptions::new().read(true).append(true).open(path).map_err(system)
}

/// Creates the file that will replace the ledger's; removes one that a crash left.
pub(super) fn create_replacement(path: &Path, like: &File) -> io::Result<(PathBuf, File)> {
    let new = replacement_path(path);
    remove(&new)?;
    let file = private().read(true).append(true).create_new(true).open(&new)?;
    file.set_permissions(like.metadata()?.permissions())?;
    Ok((new, file))
}

/// Removes a replacement file that a crash may have left.
pub(super) fn remove_replacement(path: &Path) -> Result<(), StoreError> {
    remove(&replacement_path(path)).map_err(system)
}

fn replacement_path(path: &Path) -> PathBuf {
    beside(path, ".new")
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads the positions of the lines, and rejects a file that is not a ledger.
pub(super) fn read_line_index(file: &File) -> Result<LineIndex, StoreError> {
    let mut find_start = Vec::new();
    let mut reader = file;
    reader.rewind().map_err(system)?;
    reader.take(BEGINNING.len() as u64).read_to_end(&mut find_start).map_err(system)?;
    if !BEGINNING.starts_with(&find_start) {
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            "the file does not begin like a ledger; use another file, or move this one away",
        ));
    }
    LineIndex::from_file(file).map_err(system)
}

/// Checks that a ledger can be continued: no whole line contains zeros, which a file has where the
/// disk lost a part of it, and the whole lines are followed by at most the beginning of one.
pub(super) fn check_whole(file: &File, line_index: &LineIndex) -> Result<u64, StoreError> {
    if let Some(line) = line_index.first_zero {
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            format!(
                "line {} contains zero bytes, and other bytes follow; restore the file from a copy; \
                 nothing was moved",
                line + 1
            ),
        ));
    }
    torn_bytes(file, line_index, file.metadata().map_err(system)?.len())
}

/// Returns the number of bytes after the whole lines, in a file of this length. They have to be
/// the remains of an interrupted write: the beginning of a line, followed by nothing or by zeros that
/// the disk never overwrote.
///
/// # Errors
/// The bytes are something else, so a whole record may be among them.
pub(super) fn torn_bytes(
    mut file: &File,
    line_index: &LineIndex,
    end: u64,
) -> Result<u64, StoreError> {
    let length = end.saturating_sub(line_index.length);
    file.seek(SeekFrom::Start(line_index.length)).map_err(system)?;
    let mut tail = io::BufReader::new(file.take(length));
    let mut find_start = Vec::new();
    (&mut tail).take(MAX_LINE_BYTES as u64).read_until(0, &mut find_start).map_err(system)?;
    let has_zeros = find_start.last() == Some(&0);
    find_start.truncate(find_start.len() - usize::from(has_zeros));
    let only_zeros_follow = ends_in_zeros(tail).map_err(system)?;
    let is_torn = match line::read_part(&find_start) {
        LinePart::Beginning => only_zeros_follow,
        LinePart::Whole => only_zeros_follow && !has_zeros,
        LinePart::Invalid => false,
    };
    if is_torn {
        return Ok(length);
    }
    Err(StoreError::new(
        StoreErrorKind::Damaged,
        format!(
            "line {} (from byte {} on) is damaged: it has no line break, and is not what an \
             interrupted write leaves; restore the file from a copy; nothing was moved",
            line_index.lines + 1,
            line_index.length
        ),
    ))
}

/// Returns whether the rest of the file is zeros.
fn ends_in_zeros(mut rest: impl BufRead) -> io::Result<bool> {
    loop {
        let chunk = rest.fill_buf()?;
        if chunk.is_empty() || chunk.iter().any(|byte| *byte != 0) {
            return Ok(chunk.is_empty());
        }
        let length = chunk.len();
        rest.consume(length);
    }
}

/// Moves the bytes after the whole lines to a file next to it, and returns their number.
pub(super) fn set_torn_aside(path: &Path, file: &File, whole: u64) -> Result<u64, StoreError> {
    let set_aside = || -> io::Result<u64> {
        let mut torn = private().append(true).create(true).open(beside(path, ".torn"))?;
        let mut reader = file;
        reader.seek(SeekFrom::Start(whole))?;
        let bytes = io::copy(&mut reader, &mut torn)?;
        torn.write_all(b"\n")?;
        torn.sync_all()?;
        file.set_len(whole)?;
        file.sync_all()?;
        Ok(bytes)
    };
    let bytes = set_aside().map_err(system)?;
    sync_folder(path).map(|()| bytes)
}

/// Makes renames and new files in the file's folder durable.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Other systems cannot open a folder as a file.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(system)?;
    }
    Ok(())
}

/// Files are created for their owner alone, since they hold users' data.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` gives it so")]
pub(super) fn system(error: io::Error) -> StoreError {
    StoreError::from_io_error(&error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_ledger_though_another_process_has_the_descriptor() {
        let ledger = std::env::temp_dir().join(format!("writer-lock-{}", uuid::Uuid::now_v7()));
        let lock = WriterLock::take(&ledger).expect("it is the first one");
        // As a process has it that is being started, until it runs its program.
        let inherited = lock.file.try_clone().expect("a copy");
        assert!(WriterLock::take(&ledger).is_err(), "there is one writer");
        drop(lock);
        let next = WriterLock::take(&ledger).expect("the first one has ended");
        drop((inherited, next));
        remove(&beside(&ledger, ".lock")).expect("the file goes");
    }
}
