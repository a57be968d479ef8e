//! A single change of a chain, and what must be said of it.

use super::{Entry, FaultKind};

/// A single change. Places are indices of the chain as it was.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// One byte of one stored part is another.
    Alter(usize, Part),
    /// The body is gone.
    Forget(usize),
    Remove(usize),
    Swap(usize, usize),
    /// A copy of one stands before another.
    Repeat(usize, usize),
    /// A record that nobody with the key wrote, of some number, stands before another.
    Forge(usize, u64),
    /// One is taken out, then put in.
    Move(usize, usize),
    /// Only so many are left.
    Cut(usize),
}

/// A byte of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Seq(usize),
    Body(usize),
    Leaf(usize),
    Key(usize),
    Mac(usize),
}

impl Part {
    /// All bytes of an entry.
    pub(super) fn all(entry: &Entry) -> Vec<Self> {
        let body = entry.body().map_or(0, str::len);
        let bytes = (0..8).map(Self::Seq).chain((0..body).map(Self::Body));
        let bytes = bytes.chain((0..32).flat_map(|at| [Self::Leaf(at), Self::Mac(at)]));
        bytes.chain((0..entry.key().len()).map(Self::Key)).collect()
    }

    fn alter(self, entry: &Entry, bit: u8) -> Entry {
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
        let leaf = crate::canonical::Digest::from_bytes(parts.2);
        Entry::from_parts(u64::from_be_bytes(parts.0), Some(body), leaf, key, parts.4)
    }
}

/// What is left behind, from one entry on.
pub(super) struct Changed {
    spare: Vec<Entry>,
    order: Vec<usize>,
}

impl Changed {
    pub(super) fn of(size: usize) -> Self {
        Self { spare: Vec::new(), order: (0..size).collect() }
    }

    /// Applies one more change. Places beyond the end are taken around it.
    pub(super) fn apply(&mut self, change: Change, entries: &[Entry], bit: u8) {
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
                entry.forget();
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
                let forged = Entry::from_parts(seq, like.body(), *like.leaf(), like.key(), [7; 32]);
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
        entries: &'e [Entry],
        first: usize,
    ) -> impl Iterator<Item = &'e Entry> {
        (first..self.order.len()).map(|at| self.at(entries, at))
    }

    fn at<'e>(&'e self, entries: &'e [Entry], at: usize) -> &'e Entry {
        let index = self.order[at];
        entries.get(index).unwrap_or_else(|| &self.spare[index - entries.len()])
    }

    fn keep(&mut self, entries: &[Entry], entry: Entry) -> usize {
        self.spare.push(entry);
        entries.len() + self.spare.len() - 1
    }
}

impl Change {
    /// Where the first wrong record is, and what is wrong, in a chain of this size whose last
    /// checkpoint is known.
    pub(super) fn expected(self, size: usize) -> (usize, FaultKind) {
        match self {
            Self::Alter(at, _) => (at, FaultKind::Altered),
            Self::Remove(at) if at + 1 == size => (at, FaultKind::Truncated),
            Self::Forget(at) | Self::Remove(at) => (at, FaultKind::Removed),
            Self::Swap(one, other) | Self::Move(one, other) => {
                (one.min(other), FaultKind::Reordered)
            }
            // A copy before itself is one behind itself.
            Self::Repeat(of, before) if of == before => (before + 1, FaultKind::Repeated),
            Self::Repeat(_, before) => (before, FaultKind::Repeated),
            Self::Forge(before, seq) if seq < before as u64 => (before, FaultKind::Repeated),
            Self::Forge(before, _) => (before, FaultKind::Inserted),
            Self::Cut(left) => (left, FaultKind::Truncated),
        }
    }
}
