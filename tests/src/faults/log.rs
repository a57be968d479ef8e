//! The log of effects, which stands for the outside world: it is only appended to.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

/// One effect, with the process and the fence of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// The fence of its run.
    pub fence: u64,
    /// The process.
    pub pid: u32,
}

/// The repeats that a downstream service rejects by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Downstream {
    /// None: every request has an effect.
    Naive,
    /// Requests with an older fence than the greatest one of their key.
    Fences,
    /// Repeated requests with the same key: they get the first one's effect.
    Keys,
}

/// A log of effects that several processes append to; each line is synced to disk before it counts.
#[derive(Debug)]
pub struct EffectLog {
    file: File,
    downstream: Downstream,
    known: Mutex<LogState>,
}

#[derive(Debug, Default)]
struct LogState {
    /// The offset up to which the file was read.
    end: u64,
    effects: BTreeMap<String, Vec<Effect>>,
    /// The greatest fence of each key.
    fences: BTreeMap<String, u64>,
}

impl EffectLog {
    /// Opens the log, or creates it.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path, downstream: Downstream) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        Ok(Self { file, downstream, known: Mutex::default() })
    }

    /// Appends an effect; none if a later run under the key came first.
    pub(super) fn perform(&self, key: &str, fence: u64) -> io::Result<Option<Effect>> {
        let known = self.lock()?;
        match self.downstream {
            Downstream::Naive => {}
            Downstream::Fences => {
                if known.fences.get(key).is_some_and(|greatest| *greatest > fence) {
                    return Ok(None);
                }
            }
            Downstream::Keys => {
                if let Some(first) = known.first(key) {
                    return Ok(Some(first));
                }
            }
        }
        let effect = Effect { fence, pid: std::process::id() };
        self.append(&format!("effect {key} {fence} {}\n", effect.pid))?;
        self.file.sync_data()?;
        Ok(Some(effect))
    }

    /// Finds the effect under a key, and rejects effects of earlier runs from now on.
    pub(super) fn find(&self, key: &str, fence: u64) -> io::Result<Option<Effect>> {
        let known = self.lock()?;
        self.append(&format!("look {key} {fence}\n"))?;
        Ok(known.first(key))
    }

    /// Reads all effects, by key.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn effects(&self) -> io::Result<BTreeMap<String, Vec<Effect>>> {
        Ok(self.lock()?.effects.clone())
    }

    /// Locks the file, and reads the lines that other processes have appended.
    fn lock(&self) -> io::Result<Locked<'_>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        flock(&self.file, FlockOperation::LockExclusive)?;
        let mut known = Locked { file: &self.file, known };
        let length = self.file.metadata()?.len().saturating_sub(known.end);
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, known.end)?;
        // A killed process may have left half a line, which does not count.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        text.lines().for_each(|line| known.read(line));
        known.end += whole as u64;
        Ok(known)
    }

    fn append(&self, line: &str) -> io::Result<()> {
        (&self.file).write_all(line.as_bytes())
    }
}

/// The locked log: no other process reads or appends meanwhile.
struct Locked<'l> {
    file: &'l File,
    known: MutexGuard<'l, LogState>,
}

impl std::ops::Deref for Locked<'_> {
    type Target = LogState;

    fn deref(&self) -> &LogState {
        &self.known
    }
}

impl std::ops::DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut LogState {
        &mut self.known
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = flock(self.file, FlockOperation::Unlock);
    }
}

impl LogState {
    fn first(&self, key: &str) -> Option<Effect> {
        self.effects.get(key).and_then(|effects| effects.first()).copied()
    }

    fn read(&mut self, line: &str) {
        let words: Vec<_> = line.split(' ').collect();
        let (key, fence): (_, u64) = match words.as_slice() {
            ["effect" | "look", key, fence, ..] => (*key, fence.parse().unwrap_or_default()),
            _ => return,
        };
        let greatest = self.fences.entry(key.to_owned()).or_default();
        *greatest = fence.max(*greatest);
        if let ["effect", _, _, pid] = words.as_slice() {
            let effect = Effect { fence, pid: pid.parse().unwrap_or_default() };
            self.effects.entry(key.to_owned()).or_default().push(effect);
        }
    }
}
