//! What the one writer of a file does: appends groups, gives up contents.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::files::{self, Identity, Lock, system};
use super::layout::{Layout, Lines, Place};
use super::{line, next};
use crate::ledger::Entry;
use crate::ledger::stores::check_order;
use crate::store::{StoreError, StoreErrorKind};

/// How many bytes of a group's memory are kept for the next.
const KEPT: usize = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Writer {
    _lock: Lock,
    identity: Identity,
    sync: bool,
    /// Something that failed may stand behind the whole lines.
    failed: bool,
    buffer: Vec<u8>,
    #[cfg(test)]
    pub(super) broken: Option<Broken>,
}

/// What a disk does not do any more.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(super) enum Broken {
    /// It takes so many bytes of the next group.
    Write(usize),
    /// It takes them, and does not confirm them.
    Sync,
}

impl Writer {
    /// Takes the lock. A crash may have left half of a file that was to take the ledger's place.
    pub(super) fn begin(path: &Path, sync: bool) -> Result<Self, StoreError> {
        let lock = Lock::take(path)?;
        files::remove_remainder(path)?;
        Ok(Self {
            _lock: lock,
            identity: Identity::of(&fs::metadata(path).map_err(system)?),
            sync,
            failed: false,
            buffer: Vec::new(),
            #[cfg(test)]
            broken: None,
        })
    }

    /// Appends all entries, or none.
    pub(super) fn append(
        &mut self,
        path: &Path,
        file: &File,
        layout: &mut Layout,
        entries: &[Entry],
    ) -> Result<(), StoreError> {
        check_order(layout.lines, entries)?;
        self.check_place(path, file, layout)?;
        let ends = self.write_to_memory(entries)?;
        self.failed = true;
        let written = self.write(file).and_then(|()| self.sync(file));
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        match written {
            Ok(()) => {
                self.failed = false;
                let begins = [0].into_iter().chain(ends.iter().copied());
                ends.iter().zip(begins).for_each(|(end, begin)| layout.add((end - begin) as u64));
                Ok(())
            }
            Err(error) => {
                // If this fails too, it is tried again before anything else is written.
                let _ = self.roll_back(file, layout);
                Err(system(error))
            }
        }
    }

    /// Is the file where it was, and as long as it was?
    fn check_place(&mut self, path: &Path, file: &File, layout: &Layout) -> Result<(), StoreError> {
        let found = fs::metadata(path);
        if !found.as_ref().is_ok_and(|found| Identity::of(found) == self.identity) {
            return Err(StoreError::new(
                StoreErrorKind::Unavailable,
                "the file is no longer at its place: put it back, or close the ledger and open it \
                 anew",
            ));
        }
        if self.failed {
            self.roll_back(file, layout).map_err(system)?;
        } else if found.map_err(system)?.len() != layout.length {
            return Err(StoreError::new(
                StoreErrorKind::Damaged,
                "the file is not as long as it was left: somebody else writes to it; see who does, \
                 and verify the ledger",
            ));
        }
        Ok(())
    }

    fn roll_back(&mut self, file: &File, layout: &Layout) -> io::Result<()> {
        file.set_len(layout.length)?;
        self.failed = false;
        Ok(())
    }

    /// Writes the lines of a group one behind the other, and returns where each ends.
    fn write_to_memory(&mut self, entries: &[Entry]) -> Result<Vec<usize>, StoreError> {
        self.buffer.clear();
        let (mut ends, mut begin) = (Vec::with_capacity(entries.len()), 0);
        for entry in entries {
            line::write(entry, &mut self.buffer);
            let end = self.buffer.len();
            if end - begin > line::LONGEST {
                return Err(too_long(entry));
            }
            ends.push(end);
            begin = end;
        }
        Ok(ends)
    }

    fn write(&self, mut file: &File) -> io::Result<()> {
        #[cfg(test)]
        if let Some(Broken::Write(room)) = self.broken {
            file.write_all(&self.buffer[..room])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.write_all(&self.buffer)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        #[cfg(test)]
        if let Some(Broken::Sync) = self.broken {
            return Err(io::ErrorKind::Other.into());
        }
        if self.sync { file.sync_data() } else { Ok(()) }
    }

    /// Gives up the contents of lines, and returns how many had some.
    pub(super) fn forget(
        &mut self,
        path: &Path,
        file: &mut File,
        layout: &mut Layout,
        before: u64,
    ) -> Result<u64, StoreError> {
        self.check_place(path, file, layout)?;
        if !has_contents(file, layout, before)? {
            return Ok(0);
        }
        let (name, new) = files::begin_anew(path, file).map_err(system)?;
        let rewritten = rewrite(file, layout, before, &new).and_then(|rewritten| {
            let identity = Identity::of(&new.metadata().map_err(system)?);
            fs::rename(&name, path).map_err(system)?;
            Ok((rewritten, identity))
        });
        match rewritten {
            Ok((rewritten, identity)) => {
                (*file, *layout, self.identity) = (new, rewritten.layout, identity);
                files::sync_folder(path)?;
                Ok(rewritten.forgotten)
            }
            Err(error) => {
                // If this fails too, the next time that the ledger is opened does it.
                let _ = files::remove_remainder(path);
                Err(error)
            }
        }
    }
}

/// What was written, and how many contents were not.
struct Rewritten {
    layout: Layout,
    forgotten: u64,
}

fn rewrite(old: &File, layout: &Layout, before: u64, new: &File) -> Result<Rewritten, StoreError> {
    let mut rewritten = Rewritten { layout: Layout::empty(), forgotten: 0 };
    let mut lines = Lines::new(old, Place::START, layout.length).map_err(system)?;
    let mut out = BufWriter::new(new);
    let mut bare = Vec::new();
    while lines.next.line < before {
        let Some(mut entry) = next(&mut lines)? else { break };
        rewritten.forgotten += u64::from(entry.body().is_some());
        entry.forget();
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
        self.layout.add(line.len() as u64);
        out.write_all(line).map_err(system)
    }
}

/// Is there anything to give up? Most often the first lines say no, and the next one yes.
fn has_contents(file: &File, layout: &Layout, before: u64) -> Result<bool, StoreError> {
    let mut lines = Lines::new(file, Place::START, layout.length).map_err(system)?;
    while lines.next.line < before {
        match next(&mut lines)? {
            None => break,
            Some(entry) if entry.body().is_some() => return Ok(true),
            Some(_) => {}
        }
    }
    Ok(false)
}

fn too_long(entry: &Entry) -> StoreError {
    StoreError::new(
        StoreErrorKind::Full,
        format!("record {} is longer than the {} bytes of a line", entry.seq(), line::LONGEST),
    )
}
