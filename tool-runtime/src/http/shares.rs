//! Bounds a resource of the server overall and by owner, so that no owner can use up all of it.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The units of a resource that are in use: connections, tasks, bytes.
///
/// Only owners that hold units are remembered, so that the memory is bounded by the capacity.
pub(super) struct Shares<K> {
    capacity: usize,
    per_owner: usize,
    /// The units in use, read without the lock.
    used: AtomicUsize,
    by_owner: Mutex<HashMap<K, usize>>,
}

/// Units that an owner holds until this is dropped.
#[must_use = "the units are given back when this is dropped"]
pub(super) struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    owner: K,
    units: usize,
}

/// The bound that refuses units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exhausted {
    /// All owners together hold the capacity.
    Capacity,
    /// The owner holds its share.
    Owner,
}

/// Returns half of a capacity: the share of one owner unless the host sets another.
pub(super) const fn half(capacity: usize) -> usize {
    capacity.div_ceil(2)
}

impl<K: Eq + Hash + Clone> Shares<K> {
    pub(super) fn new(capacity: usize, per_owner: usize) -> Self {
        let (used, by_owner) = (AtomicUsize::new(0), Mutex::default());
        Self { capacity, per_owner, used, by_owner }
    }

    /// Takes units for an owner, if both bounds leave that many.
    pub(super) fn take(self: &Arc<Self>, owner: K, units: usize) -> Result<Share<K>, Exhausted> {
        let mut share = Share { shares: Arc::clone(self), owner, units: 0 };
        share.grow(units)?;
        Ok(share)
    }

    /// Takes units beyond the bounds: they count, and keep later ones from being taken.
    pub(super) fn take_beyond(self: &Arc<Self>, owner: K, units: usize) -> Share<K> {
        let mut by_owner = self.lock();
        *by_owner.entry(owner.clone()).or_default() += units;
        self.used.fetch_add(units, Ordering::Relaxed);
        drop(by_owner);
        Share { shares: Arc::clone(self), owner, units }
    }

    /// Returns whether the bounds leave this many units for an owner.
    pub(super) fn admits(&self, owner: &K, units: usize) -> Result<(), Exhausted> {
        if self.used() == 0 && units <= self.per_owner.min(self.capacity) {
            return Ok(());
        }
        self.check(self.lock().get(owner).copied().unwrap_or_default(), units)
    }

    /// Returns how many units are in use.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn check(&self, held: usize, units: usize) -> Result<(), Exhausted> {
        let fits = |used: usize, most| used.checked_add(units).is_some_and(|sum| sum <= most);
        // A share as large as the capacity is no bound of its own.
        if self.per_owner < self.capacity && !fits(held, self.per_owner) {
            return Err(Exhausted::Owner);
        }
        if fits(self.used(), self.capacity) { Ok(()) } else { Err(Exhausted::Capacity) }
    }
}

impl<K> Shares<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.by_owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Share<K> {
    /// Takes further units; where a bound refuses them, the share stays as it is.
    pub(super) fn grow(&mut self, units: usize) -> Result<(), Exhausted> {
        let mut by_owner = self.shares.lock();
        self.shares.check(by_owner.get(&self.owner).copied().unwrap_or_default(), units)?;
        if units > 0 {
            *by_owner.entry(self.owner.clone()).or_default() += units;
            self.shares.used.fetch_add(units, Ordering::Relaxed);
            self.units += units;
        }
        Ok(())
    }

    /// Returns how many units the share holds.
    pub(super) fn units(&self) -> usize {
        self.units
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        if self.units == 0 {
            return;
        }
        let mut by_owner = self.shares.lock();
        self.shares.used.fetch_sub(self.units, Ordering::Relaxed);
        if let Some(held) = by_owner.get_mut(&self.owner) {
            *held -= self.units;
            if *held == 0 {
                by_owner.remove(&self.owner);
            }
        }
    }
}

impl<K> fmt::Debug for Shares<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shares")
            .field("capacity", &self.capacity)
            .field("per_owner", &self.per_owner)
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> fmt::Debug for Share<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").field("units", &self.units).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Exhausted, Shares};

    #[test]
    fn an_owner_holds_no_more_than_its_share_and_all_no_more_than_the_capacity() {
        let shares = Arc::new(Shares::new(10, 6));
        let mut first = shares.take("one", 4).expect("there is room");
        assert_eq!(first.grow(3), Err(Exhausted::Owner));
        assert_eq!((first.grow(2), first.units()), (Ok(()), 6));
        assert_eq!(shares.admits(&"one", 1), Err(Exhausted::Owner));
        assert_eq!(shares.take("two", 5).err(), Some(Exhausted::Capacity));
        let second = shares.take("two", 4).expect("there is room");
        assert_eq!((shares.used(), shares.take("three", 1).err()), (10, Some(Exhausted::Capacity)));
        drop((first, second));
        assert_eq!((shares.used(), shares.lock().len()), (0, 0), "no owner is remembered");
        assert_eq!(shares.take("two", usize::MAX).err(), Some(Exhausted::Owner));
        let whole = Arc::new(Shares::new(2, 2));
        assert_eq!(whole.take("one", 3).err(), Some(Exhausted::Capacity));
    }

    #[test]
    fn units_beyond_the_bounds_keep_others_from_being_taken() {
        let shares = Arc::new(Shares::new(10, 10));
        let beyond = shares.take_beyond("one", 15);
        assert_eq!(shares.take("two", 1).err(), Some(Exhausted::Capacity));
        drop(beyond);
        assert!(shares.take("two", 10).is_ok());
    }
}
