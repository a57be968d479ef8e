//! A single change of a chain, and the fault that must be reported for it.

use super::{ChainEntry, ChainFaultKind};

/// A single change. Positions are indices into the unchanged chain.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Flips bits in one byte of one stored part.
    Alter(usize, EntryByte),
    /// Erases the body.
    Forget(usize),
    Remove(usize),
    Swap(usize, usize),
    /// Inserts a copy of one record before another.
    Repeat(usize, usize),
    /// Inserts a record with some number, made without the key, before another.
    Forge(usize, u64),
    /// Takes a record out and inserts it elsewhere.
    Move(usize, usize),
    /// Keeps only the first records.
    Cut(usize),
}

/// One byte of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum EntryByte {
    Seq(usize),
    Body(usize),
    Leaf(usize),
    Key(usize),
    Mac(usize),
}

impl EntryByte {
    /// Returns all bytes of an entry.
    pub(super) fn all(entry: &ChainEntry) -> Vec<Self> {
        let body = entry.body().map_or(0, str::len);
        let bytes = (0..8).map(Self::Seq).chain((0..body).map(Self::Body));
        let bytes = bytes.chain((0..32).flat_map(|at| [Self::Leaf(at), Self::Mac(at)]));
        bytes.chain((0..entry.key().len()).map(Self::Key)).collect()
    }

    fn alter(self, entry: &ChainEntry, bit: u8) -> ChainEntry {
        let mut parts = (
            entry.seq().to_be_bytes(),
            entry.body().unwrap_or_default().as_bytes().to_vec(),
            *entry.leaf().as_bytes(),
            entry.key().as_bytes().to_vec(),
            *entry.mac(),
        );
        match self {
            Self::Seq(at) => parts.0[at] ^= bit,
            Self::Body(at) => parts.1[at] ^= bit,
            Self::Leaf(at) => parts.2[at] ^= bit,
            Self::Key(at) => parts.3[at] ^= bit,
            Self::Mac(at) => parts.4[at] ^= bit,
        }
        let body = String::from_utf8(parts.1).expect("ASCII with another low bit");
        let key = String::from_utf8(parts.3).expect("ASCII with another low bit");
        let leaf = tool_runtime_schema::canonical::Digest::from_bytes(parts.2);
        ChainEntry::from_parts(u64::from_be_bytes(parts.0), Some(body), leaf, key, parts.4)
    }
}

/// A chain after some changes.
pub(super) struct ChangedChain {
    spare: Vec<ChainEntry>,
    order: Vec<usize>,
}

impl ChangedChain {
    pub(super) fn new(size: usize) -> Self {
        Self { spare: Vec::new(), order: (0..size).collect() }
    }

    /// Applies one more change. Positions beyond the end wrap around.
    pub(super) fn apply(&mut self, change: Change, entries: &[ChainEntry], bit: u8) {
        let size = self.order.len();
        if size == 0 {
            return;
        }
        match change {
            Change::Alter(at, part) if self.order[at % size] < entries.len() => {
                let altered = part.alter(&entries[self.order[at % size]], bit);
                self.order[at % size] = self.keep(entries, altered);
            }
            Change::Alter(..) => {}
            Change::Forget(at) => {
                let mut entry = self.at(entries, at % size).clone();
                entry.erase();
                self.order[at % size] = self.keep(entries, entry);
            }
            Change::Remove(at) => {
                self.order.remove(at % size);
            }
            Change::Swap(one, other) => self.order.swap(one % size, other % size),
            Change::Repeat(of, before) => {
                self.order.insert(before % (size + 1), self.order[of % size]);
            }
            Change::Forge(before, seq) => {
                let like = self.at(entries, 0);
                let forged =
                    ChainEntry::from_parts(seq, like.body(), *like.leaf(), like.key(), [7; 32]);
                let forged = self.keep(entries, forged);
                self.order.insert(before % (size + 1), forged);
            }
            Change::Move(from, to) => {
                let moved = self.order.remove(from % size);
                self.order.insert(to % size, moved);
            }
            Change::Cut(left) => self.order.truncate(left),
        }
    }

    pub(super) fn from<'e>(
        &'e self,
        entries: &'e [ChainEntry],
        first: usize,
    ) -> impl Iterator<Item = &'e ChainEntry> {
        (first..self.order.len()).map(|at| self.at(entries, at))
    }

    fn at<'e>(&'e self, entries: &'e [ChainEntry], at: usize) -> &'e ChainEntry {
        let index = self.order[at];
        entries.get(index).unwrap_or_else(|| &self.spare[index - entries.len()])
    }

    fn keep(&mut self, entries: &[ChainEntry], entry: ChainEntry) -> usize {
        self.spare.push(entry);
        entries.len() + self.spare.len() - 1
    }
}

impl Change {
    /// Returns the first wrong record and its fault, for a chain of this size whose last
    /// checkpoint is known.
    pub(super) fn expected(self, size: usize) -> (usize, ChainFaultKind) {
        match self {
            Self::Alter(at, _) => (at, ChainFaultKind::Altered),
            Self::Remove(at) if at + 1 == size => (at, ChainFaultKind::Truncated),
            Self::Forget(at) | Self::Remove(at) => (at, ChainFaultKind::Removed),
            Self::Swap(one, other) | Self::Move(one, other) => {
                (one.min(other), ChainFaultKind::Reordered)
            }
            // A copy before the original is the same as one after it.
            Self::Repeat(of, before) if of == before => (before + 1, ChainFaultKind::Repeated),
            Self::Repeat(_, before) => (before, ChainFaultKind::Repeated),
            Self::Forge(before, seq) if seq < before as u64 => (before, ChainFaultKind::Repeated),
            Self::Forge(before, _) => (before, ChainFaultKind::Inserted),
            Self::Cut(left) => (left, ChainFaultKind::Truncated),
        }
    }
}
