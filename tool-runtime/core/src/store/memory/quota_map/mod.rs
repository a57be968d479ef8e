//! An ordered map with quotas for each tenant, and entries that expire.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use uuid::Uuid;

use crate::store::{StoreError, StoreErrorKind, UnixMillis};

#[cfg(test)]
mod tests;

/// A number of entries and of bytes, used or allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StoreQuota {
    entries: usize,
    bytes: usize,
}

/// A value with its tenant, its size, and its time of expiry, if it expires.
pub(super) struct QuotaEntry<V> {
    pub(super) tenant: Uuid,
    pub(super) value: V,
    pub(super) bytes: usize,
    pub(super) expires_at: Option<UnixMillis>,
}

/// An ordered map with a quota for each tenant, and an index of the entries that expire.
///
/// Each tenant may use the quota, and all tenants together twice the quota. After an insertion, a
/// tenant may use no more than is still free in total: a single tenant can use its whole quota and
/// leaves as much free, and tenants that insert all they can end up with equal parts.
pub(super) struct QuotaMap<K, V> {
    quota: StoreQuota,
    used: StoreQuota,
    used_by: HashMap<Uuid, StoreQuota>,
    entries: BTreeMap<K, QuotaEntry<V>>,
    expiries: BTreeSet<(UnixMillis, K)>,
}

impl StoreQuota {
    pub(super) const fn new(entries: usize, bytes: usize) -> Self {
        Self { entries, bytes }
    }

    /// Returns the quota of all tenants together.
    const fn for_all_tenants(self) -> Self {
        Self::new(self.entries.saturating_mul(2), self.bytes.saturating_mul(2))
    }

    /// Adds one entry.
    const fn with(self, bytes: usize) -> Self {
        Self::new(self.entries + 1, self.bytes.saturating_add(bytes))
    }

    /// Removes one entry.
    const fn without(self, bytes: usize) -> Self {
        Self::new(self.entries - 1, self.bytes - bytes)
    }

    const fn minus(self, used: Self) -> Option<Self> {
        match (self.entries.checked_sub(used.entries), self.bytes.checked_sub(used.bytes)) {
            (Some(entries), Some(bytes)) => Some(Self::new(entries, bytes)),
            _ => None,
        }
    }

    const fn is_within(self, other: Self) -> bool {
        self.entries <= other.entries && self.bytes <= other.bytes
    }
}

impl<K: Ord + Clone, V> QuotaMap<K, V> {
    pub(super) fn new(quota: StoreQuota) -> Self {
        let (used, used_by) = (StoreQuota::default(), HashMap::new());
        Self { quota, used, used_by, entries: BTreeMap::new(), expiries: BTreeSet::new() }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Changes a value in place, without its size and expiry.
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    /// Changes every value in place, without their sizes and expiries.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|entry| &mut entry.value)
    }

    /// Iterates over the values in the order of their keys, starting at a bound.
    pub(super) fn from(&self, after: Bound<K>) -> impl Iterator<Item = &V> {
        self.entries.range((after, Bound::Unbounded)).map(|(_, entry)| &entry.value)
    }

    /// Inserts or replaces an entry; an error, and no change, if it exceeds the quota.
    pub(super) fn put(&mut self, key: K, entry: QuotaEntry<V>) -> Result<(), StoreError> {
        if !self.fits(&key, &entry) {
            return Err(self.full(entry.tenant));
        }
        self.remove(&key);
        self.used = self.used.with(entry.bytes);
        let used = self.used_by.entry(entry.tenant).or_default();
        *used = used.with(entry.bytes);
        if let Some(time) = entry.expires_at {
            self.expiries.insert((time, key.clone()));
        }
        self.entries.insert(key, entry);
        Ok(())
    }

    /// Inserts or replaces an entry; deletes expired entries first if it exceeds the quota.
    pub(super) fn put_after_sweep(
        &mut self,
        now: UnixMillis,
        key: K,
        entry: QuotaEntry<V>,
    ) -> Result<(), StoreError> {
        while !self.fits(&key, &entry) && self.sweep(now, 1) > 0 {}
        self.put(key, entry)
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let entry = self.entries.remove(key)?;
        self.release(&entry);
        if let Some(time) = entry.expires_at {
            self.expiries.remove(&(time, key.clone()));
        }
        Some(entry.value)
    }

    /// Deletes expired entries, the earliest expiry first; returns how many.
    pub(super) fn sweep(&mut self, now: UnixMillis, limit: usize) -> usize {
        self.sweep_each(now, limit, drop)
    }

    /// Deletes expired entries as [`sweep`](Self::sweep) does, and passes each value on.
    pub(super) fn sweep_each(
        &mut self,
        now: UnixMillis,
        limit: usize,
        mut receive: impl FnMut(V),
    ) -> usize {
        let mut swept = 0;
        while swept < limit && self.expiries.first().is_some_and(|(time, _)| *time <= now) {
            let Some((_, key)) = self.expiries.pop_first() else { break };
            self.remove(&key).map_or_else(|| {}, &mut receive);
            swept += 1;
        }
        swept
    }

    /// Returns whether an entry fits. An entry may always be replaced by one that is not larger,
    /// so that reserved space stays reserved.
    fn fits(&self, key: &K, entry: &QuotaEntry<V>) -> bool {
        let before = self.entries.get(key).filter(|before| before.tenant == entry.tenant);
        if before.is_some_and(|before| entry.bytes <= before.bytes) {
            return true;
        }
        let without = |used: StoreQuota| before.map_or(used, |before| used.without(before.bytes));
        let used = without(self.used_by(entry.tenant)).with(entry.bytes);
        let free = self.quota.for_all_tenants().minus(without(self.used).with(entry.bytes));
        free.is_some_and(|free| used.is_within(free))
    }

    fn release(&mut self, entry: &QuotaEntry<V>) {
        self.used = self.used.without(entry.bytes);
        let left = self.used_by(entry.tenant).without(entry.bytes);
        if left.entries == 0 {
            self.used_by.remove(&entry.tenant);
        } else {
            self.used_by.insert(entry.tenant, left);
        }
    }

    fn used_by(&self, tenant: Uuid) -> StoreQuota {
        self.used_by.get(&tenant).copied().unwrap_or_default()
    }

    fn full(&self, tenant: Uuid) -> StoreError {
        let (used, StoreQuota { entries, bytes }) = (self.used_by(tenant), self.quota);
        let log = format!(
            "tenant {tenant} has reached its quota with {} entries and {} bytes: one tenant may use \
             {entries} and {bytes}, and at most what is still free of twice that for all tenants; \
             sweep, raise the limit in `MemoryLimits`, or use a store on disk",
            used.entries, used.bytes,
        );
        StoreError::new(StoreErrorKind::Full, log)
    }
}
