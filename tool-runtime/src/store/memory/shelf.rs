//! A bounded map that knows whose its entries are, and which may be forgotten, and when.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use uuid::Uuid;

use crate::store::{StoreError, StoreErrorKind, UnixMillis};

#[cfg(test)]
mod tests;

/// How many entries there are or may be, and how many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Room {
    entries: usize,
    bytes: usize,
}

/// What is kept: a value, whose it is, its cost, and when it may go, if it ever may.
pub(super) struct Entry<V> {
    pub(super) tenant: Uuid,
    pub(super) value: V,
    pub(super) bytes: usize,
    pub(super) over_at: Option<UnixMillis>,
}

/// A bounded, ordered map. What may be forgotten is indexed by its time.
///
/// One tenant may hold the room, and all tenants twice the room. A tenant that takes something more
/// may then hold no more than is still free of the whole: alone it comes to the room, and leaves as
/// much to others; of many that take what they can, none comes to more than the others leave.
pub(super) struct Shelf<K, V> {
    room: Room,
    held: Room,
    held_by: HashMap<Uuid, Room>,
    entries: BTreeMap<K, Entry<V>>,
    over: BTreeSet<(UnixMillis, K)>,
}

impl Room {
    pub(super) const fn new(entries: usize, bytes: usize) -> Self {
        Self { entries, bytes }
    }

    /// Gives what all tenants together may hold.
    const fn whole(self) -> Self {
        Self::new(self.entries.saturating_mul(2), self.bytes.saturating_mul(2))
    }

    /// Gives what it is with one more entry.
    const fn with(self, bytes: usize) -> Self {
        Self::new(self.entries + 1, self.bytes.saturating_add(bytes))
    }

    const fn without(self, bytes: usize) -> Self {
        Self::new(self.entries - 1, self.bytes - bytes)
    }

    const fn minus(self, held: Self) -> Option<Self> {
        match (self.entries.checked_sub(held.entries), self.bytes.checked_sub(held.bytes)) {
            (Some(entries), Some(bytes)) => Some(Self::new(entries, bytes)),
            _ => None,
        }
    }

    const fn is_within(self, other: Self) -> bool {
        self.entries <= other.entries && self.bytes <= other.bytes
    }
}

impl<K: Ord + Clone, V> Shelf<K, V> {
    pub(super) fn new(room: Room) -> Self {
        let (held, held_by) = (Room::default(), HashMap::new());
        Self { room, held, held_by, entries: BTreeMap::new(), over: BTreeSet::new() }
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
        if !self.fits(&key, &entry) {
            return Err(self.full(entry.tenant));
        }
        self.remove(&key);
        self.held = self.held.with(entry.bytes);
        let held = self.held_by.entry(entry.tenant).or_default();
        *held = held.with(entry.bytes);
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
        while !self.fits(&key, &entry) && self.sweep(now, 1) > 0 {}
        self.put(key, entry)
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.remove(key)?;
        self.give_back(&entry);
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

    /// Tells whether an entry may be put. What is kept already may always be put again, smaller or
    /// as large, so that room that was set aside stays there.
    fn fits(&self, key: &K, entry: &Entry<V>) -> bool {
        let before = self.entries.get(key).filter(|before| before.tenant == entry.tenant);
        if before.is_some_and(|before| entry.bytes <= before.bytes) {
            return true;
        }
        let without = |held: Room| before.map_or(held, |before| held.without(before.bytes));
        let held = without(self.held_by(entry.tenant)).with(entry.bytes);
        let free = self.room.whole().minus(without(self.held).with(entry.bytes));
        free.is_some_and(|free| held.is_within(free))
    }

    fn give_back(&mut self, entry: &Entry<V>) {
        self.held = self.held.without(entry.bytes);
        let left = self.held_by(entry.tenant).without(entry.bytes);
        if left.entries == 0 {
            self.held_by.remove(&entry.tenant);
        } else {
            self.held_by.insert(entry.tenant, left);
        }
    }

    fn held_by(&self, tenant: Uuid) -> Room {
        self.held_by.get(&tenant).copied().unwrap_or_default()
    }

    fn full(&self, tenant: Uuid) -> StoreError {
        let (held, Room { entries, bytes }) = (self.held_by(tenant), self.room);
        let log = format!(
            "tenant {tenant} holds {} entries and {} bytes here and may not take more: one tenant \
             may hold {entries} and {bytes}, and no more than is free of twice that for all; sweep, \
             raise the bound in `MemoryLimits`, or keep it on disk",
            held.entries, held.bytes,
        );
        StoreError::new(StoreErrorKind::Full, log)
    }
}
