//! The file and those beside it: made, locked, told apart, put in each other's place.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};

use super::layout::Layout;
use super::line::{self, BEGINNING, LONGEST, LinePart};
use crate::store::{StoreError, StoreErrorKind};

/// Held by whoever writes the ledger, for as long as it does: the lock of a file beside it.
///
/// The ledger's own file is replaced when contents are given up, and on some systems a locked file
/// cannot be read. The operating system lets go of the lock when the process ends; the file stays.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Which file it is, whatever its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    number: (u64, u64),
}

impl Lock {
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
        Ok(Self { _file: file })
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
        "{holder} writes it (it holds the lock of `{}`), and a ledger has one writer: end that one, \
         give this one a file of its own, or open it to be read",
        path.display()
    );
    StoreError::new(StoreErrorKind::Unavailable, log)
}

impl Identity {
    #[cfg(unix)]
    pub(super) fn of(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { number: (metadata.dev(), metadata.ino()) }
    }

    #[cfg(not(unix))]
    pub(super) fn of(_: &fs::Metadata) -> Self {
        Self {}
    }
}

/// Finds the file behind all links, and makes it if there is none.
pub(super) fn make(path: &Path) -> Result<PathBuf, StoreError> {
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

/// Begins the file that is to take the ledger's place; what a crash had left of one is given up.
pub(super) fn begin_anew(path: &Path, like: &File) -> io::Result<(PathBuf, File)> {
    let new = remainder(path);
    remove(&new)?;
    let file = private().read(true).append(true).create_new(true).open(&new)?;
    file.set_permissions(like.metadata()?.permissions())?;
    Ok((new, file))
}

/// Removes what a crash may have left of a file that was to take the ledger's place.
pub(super) fn remove_remainder(path: &Path) -> Result<(), StoreError> {
    remove(&remainder(path)).map_err(system)
}

fn remainder(path: &Path) -> PathBuf {
    beside(path, ".new")
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reads where the lines stand, and refuses what is no ledger.
pub(super) fn lay_out(file: &File) -> Result<Layout, StoreError> {
    let mut beginning = Vec::new();
    let mut reader = file;
    reader.rewind().map_err(system)?;
    reader.take(BEGINNING.len() as u64).read_to_end(&mut beginning).map_err(system)?;
    if !BEGINNING.starts_with(&beginning) {
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            "it does not begin as a ledger does: name another file, or move this one away",
        ));
    }
    Layout::of(file).map_err(system)
}

/// Checks what a ledger is continued behind: no whole line has zeros in it, as a file has where the
/// disk lost a part of it, and what stands behind the whole lines is the beginning of one.
pub(super) fn check_whole(file: &File, layout: &Layout) -> Result<u64, StoreError> {
    if let Some(line) = layout.first_zero {
        return Err(StoreError::new(
            StoreErrorKind::Damaged,
            format!(
                "line {} has zero bytes in it, and others behind them: restore the file from a \
                 copy; nothing was moved",
                line + 1
            ),
        ));
    }
    torn_bytes(file, layout, file.metadata().map_err(system)?.len())
}

/// Counts the bytes behind the whole lines, up to this length of the file. They have to be what an interrupted write leaves: the
/// beginning of a line, and then nothing, or zeros where the disk never got the rest.
///
/// # Errors
/// They are something else, so that a whole record may be among them.
pub(super) fn torn_bytes(mut file: &File, layout: &Layout, end: u64) -> Result<u64, StoreError> {
    let length = end.saturating_sub(layout.length);
    file.seek(SeekFrom::Start(layout.length)).map_err(system)?;
    let mut tail = io::BufReader::new(file.take(length));
    let mut beginning = Vec::new();
    (&mut tail).take(LONGEST as u64).read_until(0, &mut beginning).map_err(system)?;
    let has_zeros = beginning.last() == Some(&0);
    beginning.truncate(beginning.len() - usize::from(has_zeros));
    let only_zeros_follow = ends_in_zeros(tail).map_err(system)?;
    let is_torn = match line::read_part(&beginning) {
        LinePart::Beginning => only_zeros_follow,
        LinePart::Whole => only_zeros_follow && !has_zeros,
        LinePart::Neither => false,
    };
    if is_torn {
        return Ok(length);
    }
    Err(StoreError::new(
        StoreErrorKind::Damaged,
        format!(
            "line {} (from byte {} on) is damaged: it has no end, and is not what an interrupted \
             write leaves; restore the file from a copy; nothing was moved",
            layout.lines + 1,
            layout.length
        ),
    ))
}

/// Reads to the end; true if there are only zeros.
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

/// Moves what stands behind the whole lines to a file beside it, and returns how many bytes.
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

/// Makes sure that names in its folder survive a crash.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Elsewhere a folder cannot be opened as a file.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(system)?;
    }
    Ok(())
}

/// What is made holds what users said: it is for its owner alone.
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
    StoreError::of_system(&error)
}
