//! A ledger in a file that people and their tools can read: one line of JSON a record.

mod files;
mod layout;
mod line;
mod options;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub use self::options::JsonLinesOptions;

use self::files::system;
use self::layout::{Layout, Lines, Place};
use self::writer::Writer;
use super::traces::TraceBlocks;
use super::{is_checkpoint, read_only};
use crate::ledger::store::SCAN;
use crate::ledger::{Entry, LedgerQuery, LedgerStore};
use crate::store::{StoreError, StoreErrorKind};

/// Keeps a ledger in a file, as one line of JSON a record.
///
/// Records are appended in groups, and the disk is waited for once a group. A line has the members
/// `seq`, `leaf`, `key`, `mac` and, last and as it was written, `record`: null once it was given
/// up. A record that cannot stand in a line as it is stands there as a string, in `text`.
///
/// # One writer
/// A second one, in this process or another, is refused as
/// [`Unavailable`](StoreErrorKind::Unavailable): the writer holds the lock of the file
/// `<name>.lock`, which stays when it ends. Whoever reads needs no lock
/// ([`read_only`](Self::read_only)). A file that was moved, replaced or written to by others while
/// it is open takes no more records; to rotate it, close the ledger and open another file.
///
/// # What a crash leaves
/// A last record that was written in part is set aside when the file is opened: its bytes are
/// appended to `<name>.torn`, and [`torn_bytes`](LedgerStore::torn_bytes) counts them. Bytes that no
/// interrupted write leaves (zeros with others behind them, a whole record without its line break and
/// with others behind it) are [`Damaged`](StoreErrorKind::Damaged), named with their line, and stay
/// where they are.
///
/// # Giving up contents
/// [`forget`](LedgerStore::forget) writes the whole file anew, as `<name>.new`, and puts it in the
/// place of the old one: a crash leaves one or the other. It needs the room twice.
///
/// # Examples
/// ```
/// use tool_runtime::ledger::{ChainKeys, Head, JsonLines, LedgerStore};
/// use tool_runtime::policy::KeyRing;
///
/// # fn doc(folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// let keys = ChainKeys::new(&KeyRing::ephemeral()?);
/// let mut ledger = JsonLines::open(folder.join("calls.jsonl"))?;
/// let entry = Head::empty().append(&keys, r#"{"kind":"call"}"#.into());
/// ledger.append(&[entry.clone()])?;
/// assert_eq!(ledger.read(0, 10)?, [entry]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    file: File,
    layout: Layout,
    torn: u64,
    /// None if it is only read.
    writer: Option<Writer>,
    /// Where the last page ended.
    resume: Option<Resume>,
    traces: TraceBlocks,
}

/// Where reading goes on from a number.
///
/// Records that were removed or moved stand at other lines than their numbers say. Pages that are
/// read one after another go on where the last one ended, and show the file as it is.
#[derive(Debug)]
struct Resume {
    seq: u64,
    place: Place,
}

impl JsonLines {
    /// Opens the ledger in a file, or makes it, readable by its owner alone.
    ///
    /// Reads the file once; memory does not grow with it.
    ///
    /// # Errors
    /// `Unavailable` if somebody else writes it, or its folder does not exist; `Damaged` if it is no
    /// ledger; `ReadOnly` if it or its folder may not be written.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::options().open(path)
    }

    /// Starts with the default settings, to change some before opening.
    ///
    /// ```
    /// # fn doc(file: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::JsonLines;
    ///
    /// // Faster; the last records may be missing when the machine dies.
    /// let ledger = JsonLines::options().sync(false).open(file)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn options() -> JsonLinesOptions {
        JsonLinesOptions::default()
    }

    /// Opens a ledger that is there, to read it alone; one may be writing it at the same time.
    ///
    /// It sees the records that were whole when it was opened; what else stood behind them is left
    /// where it is, and counted ([`torn_bytes`](LedgerStore::torn_bytes)). What would change it fails
    /// as [`ReadOnly`](StoreErrorKind::ReadOnly).
    ///
    /// ```
    /// # fn doc(file: &std::path::Path) -> Result<(), tool_runtime::store::StoreError> {
    /// use tool_runtime::ledger::{JsonLines, LedgerStore};
    ///
    /// let first = JsonLines::read_only(file)?.read(0, 100)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Unavailable` if it is not there; `Damaged` if it is no ledger; `ReadOnly` if it may not be
    /// read either.
    pub fn read_only(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let open = || {
            let file = File::open(path).map_err(system)?;
            // Before it is read: a writer may add whole lines meanwhile.
            let length = file.metadata().map_err(system)?.len();
            let layout = files::lay_out(&file)?;
            let torn = files::torn_bytes(&file, &layout, length)?;
            Ok(Self::new(path.into(), file, layout, torn, None))
        };
        open().map_err(|error: StoreError| cannot_open(path, error))
    }

    fn open_with(path: &Path, options: &JsonLinesOptions) -> Result<Self, StoreError> {
        let open = || {
            let path = files::make(path)?;
            let writer = Writer::begin(&path, options.sync)?;
            let file = files::open_to_write(&path)?;
            let layout = files::lay_out(&file)?;
            let behind = files::check_whole(&file, &layout)? > 0;
            let torn = if behind { files::set_torn_aside(&path, &file, layout.length)? } else { 0 };
            Ok(Self::new(path, file, layout, torn, Some(writer)))
        };
        open().map_err(|error: StoreError| cannot_open(path, error))
    }

    fn new(path: PathBuf, file: File, layout: Layout, torn: u64, writer: Option<Writer>) -> Self {
        let traces = TraceBlocks::default();
        Self { path, file, layout, torn, writer, resume: None, traces }
    }

    fn page(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let mut lines = self.lines_from(from).map_err(system)?;
        let mut entries = Vec::new();
        while entries.len() < most {
            let Some(entry) = next(&mut lines)? else { break };
            entries.push(entry);
        }
        let place = lines.next;
        if let Some(last) = entries.last() {
            self.resume = Some(Resume { seq: last.seq().saturating_add(1), place });
        }
        Ok(entries)
    }

    fn lines_from(&self, seq: u64) -> io::Result<Lines<'_>> {
        let lines = |place| Lines::new(&self.file, place, self.layout.length);
        match &self.resume {
            Some(resume) if resume.seq == seq => lines(resume.place),
            _ => {
                let mut lines = lines(self.layout.before(seq))?;
                lines.skip_to(seq)?;
                Ok(lines)
            }
        }
    }

    fn checkpoint_before(&mut self, mut end: u64) -> Result<Option<Entry>, StoreError> {
        while end > 0 {
            let begin = end.saturating_sub(SCAN as u64);
            let most = usize::try_from(end - begin).unwrap_or(SCAN);
            let found = self.page(begin, most)?.into_iter().rfind(is_checkpoint);
            if found.is_some() {
                return Ok(found);
            }
            end = begin;
        }
        Ok(None)
    }

    fn named<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        result.map_err(|error| error.at(format_args!("`{}`", self.path.display())))
    }
}

impl LedgerStore for JsonLines {
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else { return self.named(Err(read_only())) };
        let appended = writer.append(&self.path, &self.file, &mut self.layout, entries);
        self.named(appended)
    }

    fn read(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, StoreError> {
        let page = self.page(from, most);
        self.named(page)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        Ok(self.layout.lines)
    }

    fn last_checkpoint(&mut self) -> Result<Option<Entry>, StoreError> {
        let found = self.checkpoint_before(self.layout.lines);
        self.named(found)
    }

    fn find(&mut self, query: &LedgerQuery) -> Result<Vec<Entry>, StoreError> {
        let mut traces = std::mem::take(&mut self.traces);
        let found = traces.find(self, query);
        self.traces = traces;
        found
    }

    fn forget(&mut self, before: u64) -> Result<u64, StoreError> {
        let Some(writer) = &mut self.writer else { return self.named(Err(read_only())) };
        self.resume = None;
        let forgotten = writer.forget(&self.path, &mut self.file, &mut self.layout, before);
        self.named(forgotten)
    }

    fn torn_bytes(&self) -> u64 {
        self.torn
    }
}

/// Reads the next entry.
fn next(lines: &mut Lines<'_>) -> Result<Option<Entry>, StoreError> {
    let number = lines.next.line + 1;
    let Some(line) = lines.read().map_err(system)? else { return Ok(None) };
    let damaged = || StoreError::new(StoreErrorKind::Damaged, not_an_entry(number));
    line::read(line).ok_or_else(damaged).map(Some)
}

fn not_an_entry(number: u64) -> String {
    format!("line {number} is not as a ledger writes it: restore the file from a copy")
}

fn cannot_open(path: &Path, error: StoreError) -> StoreError {
    error.at(format_args!("cannot open `{}`", path.display()))
}
