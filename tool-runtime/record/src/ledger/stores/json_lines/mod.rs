//! A ledger in a text file: one line of JSON per record.

mod files;
mod line;
mod line_index;
mod options;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tool_runtime_core::store::{StoreError, StoreErrorKind};

use self::files::system;
use self::line_index::{LineIndex, LinePosition, LineReader};
pub use self::options::JsonLinesOptions;
use self::writer::FileWriter;
use super::trace_filters::TraceFilters;
use super::{is_checkpoint, read_only};
use crate::ledger::store::SCAN_ENTRIES;
use crate::ledger::{ChainEntry, LedgerQuery, LedgerStore};

/// Keeps a ledger in a file, as one line of JSON per record.
///
/// Records are appended in groups, with one sync to disk per group. A line has the members `seq`,
/// `leaf`, `key`, `mac` and, last and byte for byte as it was recorded, `record`: null once it was
/// erased. A record that cannot be part of a line as it is, is stored as a string in `text`.
///
/// # One writer
/// A second writer, in this process or another, is rejected as
/// [`Unavailable`](StoreErrorKind::Unavailable): the writer holds the lock of the file
/// `<name>.lock`, which is not removed when the writer ends. Readers need no lock
/// ([`read_only`](Self::read_only)). If the file is moved, replaced or written to by others while
/// it is open, appends fail; to rotate it, close the ledger and open another file.
///
/// # After a crash
/// A partly written last record is set aside when the file is opened: its bytes are appended to
/// `<name>.torn`, and [`torn_bytes`](LedgerStore::torn_bytes) counts them. Bytes that no
/// interrupted write leaves (zeros followed by other bytes, or a whole record without its line
/// break and with bytes after it) are reported as [`Damaged`](StoreErrorKind::Damaged) with their
/// line, and are not moved.
///
/// # Erasing contents
/// [`erase`](LedgerStore::erase) writes the whole file anew, as `<name>.new`, and replaces the
/// old one: a crash leaves one or the other. It needs twice the disk space.
///
/// # Examples
/// ```
/// use tool_runtime::ledger::{ChainKeys, ChainHead, JsonLinesLedger, LedgerStore};
/// use tool_runtime::policy::KeyRing;
///
/// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut ledger = JsonLinesLedger::open(folder.join("calls.jsonl"))?;
/// let entry = ChainHead::empty().append(&keys, r#"{"kind":"call"}"#.into());
/// ledger.append(&[entry.clone()])?;
/// assert_eq!(ledger.read(0, 10)?, [entry]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct JsonLinesLedger {
    path: PathBuf,
    file: File,
    line_index: LineIndex,
    torn: u64,
    /// None if the ledger is open read-only.
    writer: Option<FileWriter>,
    /// The position after the last page.
    read_position: Option<ReadPosition>,
    traces: TraceFilters,
}

/// The position at which reading continues, and the number to read from.
///
/// If records were removed or moved, lines are not at the positions that their numbers suggest.
/// Consecutive pages continue where the last one ended, and so return the file as it is.
#[derive(Debug)]
struct ReadPosition {
    seq: u64,
    place: LinePosition,
}

impl JsonLinesLedger {
    /// Opens the ledger in a file, or creates it, readable by its owner alone.
    ///
    /// Reads the file once; memory use does not depend on its size.
    ///
    /// # Errors
    /// `Unavailable` if another writer has it open, or its folder does not exist; `Damaged` if it
    /// is not a ledger; `ReadOnly` if it or its folder cannot be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path)
    }

    /// Returns the default options, to change some before opening.
    ///
    /// ```
    /// # fn doc(file: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::JsonLinesLedger;
    ///
    /// // Faster, but the last records may be lost in a power failure.
    /// let ledger = JsonLinesLedger::options().sync(false).open(file)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn options() -> JsonLinesOptions {
        JsonLinesOptions::default()
    }

    /// Opens an existing ledger read-only; a writer may have it open at the same time.
    ///
    /// It sees the records that were whole when it was opened. Bytes after them stay, and are
    /// counted ([`torn_bytes`](LedgerStore::torn_bytes)). Changes fail with
    /// [`ReadOnly`](StoreErrorKind::ReadOnly).
    ///
    /// ```
    /// # fn doc(file: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::{JsonLinesLedger, LedgerStore};
    ///
    /// let first = JsonLinesLedger::read_only(file)?.read(0, 100)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if the file does not exist; `Damaged` if it is not a ledger; `ReadOnly` if it
    /// cannot be read.
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(system)?;
            // Taken before reading, since a writer may add whole lines meanwhile.
            let length = file.metadata().map_err(system)?.len();
            let line_index = files::read_line_index(&file)?;
            let torn = files::torn_bytes(&file, &line_index, length)?;
            Ok(Self::new(path.into(), file, line_index, torn, None))
        };
        open().map_err(|error: StoreError| cannot_open(path, error))
    }

    fn open_with(path: &Path, options: &JsonLinesOptions) -> Result<Self, StoreError> {
        let open = || {
            let path = files::create_or_resolve(path)?;
            let writer = FileWriter::begin(&path, options.sync)?;
            let file = files::open_to_write(&path)?;
            let line_index = files::read_line_index(&file)?;
            let behind = files::check_whole(&file, &line_index)? > 0;
            let torn =
                if behind { files::set_torn_aside(&path, &file, line_index.length)? } else { 0 };
            Ok(Self::new(path, file, line_index, torn, Some(writer)))
        };
        open().map_err(|error: StoreError| cannot_open(path, error))
    }

    fn new(
        path: PathBuf,
        file: File,
        line_index: LineIndex,
        torn: u64,
        writer: Option<FileWriter>,
    ) -> Self {
        let traces = TraceFilters::default();
        Self { path, file, line_index, torn, writer, read_position: None, traces }
    }

    fn page(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let mut lines = self.lines_from(from).map_err(system)?;
        let mut entries = Vec::new();
        while entries.len() < limit {
            let Some(entry) = next(&mut lines)? else { break };
            entries.push(entry);
        }
        let place = lines.next;
        if let Some(last) = entries.last() {
            self.read_position = Some(ReadPosition { seq: last.seq().saturating_add(1), place });
        }
        Ok(entries)
    }

    fn lines_from(&self, seq: u64) -> io::Result<LineReader<'_>> {
        let lines = |place| LineReader::new(&self.file, place, self.line_index.length);
        match &self.read_position {
            Some(read_position) if read_position.seq == seq => lines(read_position.place),
            _ => {
                let mut lines = lines(self.line_index.before(seq))?;
                lines.skip_to(seq)?;
                Ok(lines)
            }
        }
    }

    fn checkpoint_before(&mut self, mut end: u64) -> Result<Option<ChainEntry>, StoreError> {
        while end > 0 {
            let begin = end.saturating_sub(SCAN_ENTRIES as u64);
            let limit = usize::try_from(end - begin).unwrap_or(SCAN_ENTRIES);
            let checkpoint = self.page(begin, limit)?.into_iter().rfind(is_checkpoint);
            if checkpoint.is_some() {
                return Ok(checkpoint);
            }
            end = begin;
        }
        Ok(None)
    }

    fn with_path<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        result.map_err(|error| error.at(format_args!("`{}`", self.path.display())))
    }
}

impl LedgerStore for JsonLinesLedger {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else { return self.with_path(Err(read_only())) };
        let appended = writer.append(&self.path, &self.file, &mut self.line_index, entries);
        self.with_path(appended)
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        let page = self.page(from, limit);
        self.with_path(page)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        Ok(self.line_index.lines)
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        let checkpoint = self.checkpoint_before(self.line_index.lines);
        self.with_path(checkpoint)
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<ChainEntry>, StoreError> {
        let mut traces = std::mem::take(&mut self.traces);
        let entries = traces.find(self, query);
        self.traces = traces;
        entries
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        let Some(writer) = &mut self.writer else { return self.with_path(Err(read_only())) };
        self.read_position = None;
        let erased = writer.erase(&self.path, &mut self.file, &mut self.line_index, before);
        self.with_path(erased)
    }

    fn torn_bytes(&self) -> u64 {
        self.torn
    }
}

/// Reads the next entry.
fn next(lines: &mut LineReader<'_>) -> Result<Option<ChainEntry>, StoreError> {
    let number = lines.next.line + 1;
    let Some(line) = lines.read().map_err(system)? else { return Ok(None) };
    let damaged = || StoreError::new(StoreErrorKind::Damaged, not_an_entry(number));
    line::read(line).ok_or_else(damaged).map(Some)
}

fn not_an_entry(number: u64) -> String {
    format!("line {number} is not a ledger's line; restore the file from a copy")
}

fn cannot_open(path: &Path, error: StoreError) -> StoreError {
    error.at(format_args!("cannot open `{}`", path.display()))
}
