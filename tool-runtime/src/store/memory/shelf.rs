//! A bounded map that knows which of its entries may be forgotten, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::store::{StoreError, StoreErrorKind, UnixMillis};

/// How many entries there may be, and how many bytes they may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    entries: usize,
    bytes: usize,
}

/// What is kept: a value, its cost, and when it may go, if it ever may.
pub(super) struct Entry<V> {
    pub(super) value: V,
    pub(super) bytes: usize,
    pub(super) over_at: Option<UnixMillis>,
}

/// A bounded, ordered map. What may be forgotten is indexed by its time.
pub(super) struct Shelf<K, V> {
    room: Room,
    bytes: usize,
    entries: BTreeMap<K, Entry<V>>,
    over: BTreeSet<(UnixMillis, K)>,
}

impl Room {
    pub(super) const fn new(entries: usize, bytes: usize) -> Self {
        Self { entries, bytes }
    }
}

impl<K: Ord + Clone, V> Shelf<K, V> {
    pub(super) fn new(room: Room) -> Self {
        Self { room, bytes: 0, entries: BTreeMap::new(), over: BTreeSet::new() }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Changes a value in place: its cost and its time stay.
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    /// Changes every value in place: their costs and times stay.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|entry| &mut entry.value)
    }

    /// Walks the values in the order of their keys, from the first after `after`.
    pub(super) fn from(&self, after: Bound<K>) -> impl Iterator<Item = &V> {
        self.entries.range((after, Bound::Unbounded)).map(|(_, entry)| &entry.value)
    }

    /// Puts an entry in place of one of the same key; where there is no room, nothing changes.
    pub(super) fn put(&mut self, key: K, entry: Entry<V>) -> Result<(), StoreError> {
        if !self.fits(&key, entry.bytes) {
            return Err(full(self.room));
        }
        self.remove(&key);
        self.bytes += entry.bytes;
        if let Some(moment) = entry.over_at {
            self.over.insert((moment, key.clone()));
        }
        self.entries.insert(key, entry);
        Ok(())
    }

    /// Puts an entry, and first forgets what is over where there is no room.
    pub(super) fn put_at(
        &mut self,
        now: UnixMillis,
        key: K,
        entry: Entry<V>,
    ) -> Result<(), StoreError> {
        while !self.fits(&key, entry.bytes) && self.sweep(now, 1) > 0 {}
        self.put(key, entry)
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.remove(key)?;
        self.bytes -= entry.bytes;
        if let Some(moment) = entry.over_at {
            self.over.remove(&(moment, key.clone()));
        }
        Some(entry.value)
    }

    /// Forgets what is over, the longest over first; returns how many.
    pub(super) fn sweep(&mut self, now: UnixMillis, most: usize) -> usize {
        let mut swept = 0;
        while swept < most && self.over.first().is_some_and(|(moment, _)| *moment <= now) {
            let Some((_, key)) = self.over.pop_first() else { break };
            self.remove(&key);
            swept += 1;
        }
        swept
    }

    fn fits(&self, key: &K, bytes: usize) -> bool {
        let replaced = self.entries.get(key).map(|entry| entry.bytes);
        let others = self.entries.len() - usize::from(replaced.is_some());
        let left = self.room.bytes.saturating_sub(self.bytes - replaced.unwrap_or(0));
        others < self.room.entries && bytes <= left
    }
}

fn full(room: Room) -> StoreError {
    let Room { entries, bytes } = room;
    let log = format!("the memory store is bounded to {entries} entries and {bytes} bytes here");
    StoreError::new(StoreErrorKind::Full, log)
}
