//! A quota of a resource, bounded overall and by owner, so that no owner can use up all of it.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_contracts::ErrorCode;
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::problem::Problem;

/// Counts the units of a resource that are in use, such as connections, tasks or bytes.
///
/// Only owners that hold units have an entry, so the memory is bounded by the capacity.
pub(crate) struct Quota<K> {
    capacity: usize,
    per_owner: usize,
    /// The units in use, read without the lock.
    used: AtomicUsize,
    by_owner: Mutex<HashMap<K, usize>>,
}

/// Units that an owner holds until this is dropped.
#[must_use = "the units are released when this is dropped"]
pub(crate) struct Permit<K: Eq + Hash> {
    quota: Arc<Quota<K>>,
    owner: K,
    units: usize,
}

/// The bound that refused units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// All owners together hold the capacity.
    Capacity,
    /// The owner holds as many as one owner may.
    Owner,
}

/// The refusal of a request because a quota is exhausted: its reason, and what the caller may do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuotaRefusal {
    pub(crate) reason: RefusalReason,
    /// The message when all callers together hold the capacity: `UNAVAILABLE`.
    pub(crate) capacity: &'static str,
    /// The message when the caller holds its limit: `RATE_LIMITED`.
    pub(crate) caller: &'static str,
}

impl QuotaRefusal {
    /// Makes the problem of a request that was refused by this bound.
    pub(crate) fn problem(&self, exhausted: Exhausted) -> Problem {
        let (code, message) = match exhausted {
            Exhausted::Capacity => (ErrorCode::Unavailable, self.capacity),
            Exhausted::Owner => (ErrorCode::RateLimited, self.caller),
        };
        Problem::from_code(code, message).with_reason(self.reason)
    }
}

/// Returns half of a capacity, rounded up: the default bound of one owner.
pub(crate) const fn half(capacity: usize) -> usize {
    capacity.div_ceil(2)
}

impl<K: Eq + Hash + Clone> Quota<K> {
    pub(crate) fn new(capacity: usize, per_owner: usize) -> Self {
        let (used, by_owner) = (AtomicUsize::new(0), Mutex::default());
        Self { capacity, per_owner, used, by_owner }
    }

    /// Acquires units for an owner.
    pub(crate) fn acquire(
        self: &Arc<Self>,
        owner: K,
        units: usize,
    ) -> Result<Permit<K>, Exhausted> {
        let mut permit = Permit { quota: Arc::clone(self), owner, units: 0 };
        permit.grow(units)?;
        Ok(permit)
    }

    /// Acquires units even above the bounds; they count, so later ones are refused.
    pub(crate) fn acquire_above(self: &Arc<Self>, owner: K, units: usize) -> Permit<K> {
        let mut by_owner = self.lock();
        *by_owner.entry(owner.clone()).or_default() += units;
        self.used.fetch_add(units, Ordering::Relaxed);
        drop(by_owner);
        Permit { quota: Arc::clone(self), owner, units }
    }

    /// Checks whether this many units could be acquired for an owner.
    pub(crate) fn admits(&self, owner: &K, units: usize) -> Result<(), Exhausted> {
        if self.used() == 0 && units <= self.per_owner.min(self.capacity) {
            return Ok(());
        }
        self.check(self.lock().get(owner).copied().unwrap_or_default(), units)
    }

    /// Returns the units in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn check(&self, held: usize, units: usize) -> Result<(), Exhausted> {
        let fits = |used: usize, limit| used.checked_add(units).is_some_and(|sum| sum <= limit);
        // If one owner may hold all of it, the reported bound is the capacity.
        if self.per_owner < self.capacity && !fits(held, self.per_owner) {
            return Err(Exhausted::Owner);
        }
        if fits(self.used(), self.capacity) { Ok(()) } else { Err(Exhausted::Capacity) }
    }
}

impl<K> Quota<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.by_owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Permit<K> {
    /// Acquires further units; if a bound refuses them, the permit stays unchanged.
    pub(crate) fn grow(&mut self, units: usize) -> Result<(), Exhausted> {
        let mut by_owner = self.quota.lock();
        self.quota.check(by_owner.get(&self.owner).copied().unwrap_or_default(), units)?;
        if units > 0 {
            *by_owner.entry(self.owner.clone()).or_default() += units;
            self.quota.used.fetch_add(units, Ordering::Relaxed);
            self.units += units;
        }
        Ok(())
    }

    /// Returns the units that the permit holds.
    pub(crate) fn units(&self) -> usize {
        self.units
    }
}

impl<K: Eq + Hash> Drop for Permit<K> {
    fn drop(&mut self) {
        if self.units == 0 {
            return;
        }
        let mut by_owner = self.quota.lock();
        self.quota.used.fetch_sub(self.units, Ordering::Relaxed);
        if let Some(held) = by_owner.get_mut(&self.owner) {
            *held -= self.units;
            if *held == 0 {
                by_owner.remove(&self.owner);
            }
        }
    }
}

impl<K> fmt::Debug for Quota<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quota")
            .field("capacity", &self.capacity)
            .field("per_owner", &self.per_owner)
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl<K: Eq + Hash> fmt::Debug for Permit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("units", &self.units).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Exhausted, Quota};

    #[test]
    fn an_owner_holds_no_more_than_its_bound_and_all_no_more_than_the_capacity() {
        let quota = Arc::new(Quota::new(10, 6));
        let mut first = quota.acquire("one", 4).expect("there is room");
        assert_eq!(first.grow(3), Err(Exhausted::Owner));
        assert_eq!((first.grow(2), first.units()), (Ok(()), 6));
        assert_eq!(quota.admits(&"one", 1), Err(Exhausted::Owner));
        assert_eq!(quota.acquire("two", 5).err(), Some(Exhausted::Capacity));
        let second = quota.acquire("two", 4).expect("there is room");
        assert_eq!(
            (quota.used(), quota.acquire("three", 1).err()),
            (10, Some(Exhausted::Capacity))
        );
        drop((first, second));
        assert_eq!((quota.used(), quota.lock().len()), (0, 0), "no owner has an entry");
        assert_eq!(quota.acquire("two", usize::MAX).err(), Some(Exhausted::Owner));
        let whole = Arc::new(Quota::new(2, 2));
        assert_eq!(whole.acquire("one", 3).err(), Some(Exhausted::Capacity));
    }

    #[test]
    fn units_above_the_bounds_count_against_later_ones() {
        let quota = Arc::new(Quota::new(10, 10));
        let beyond = quota.acquire_above("one", 15);
        assert_eq!(quota.acquire("two", 1).err(), Some(Exhausted::Capacity));
        drop(beyond);
        assert!(quota.acquire("two", 10).is_ok());
    }

    #[test]
    fn a_quota_without_a_capacity_bounds_each_owner_alone() {
        let reads = Arc::new(Quota::new(usize::MAX, 2));
        let held = [(); 2].map(|()| reads.acquire("dashboard", 1).expect("a permit"));
        assert_eq!(reads.acquire("dashboard", 1).err(), Some(Exhausted::Owner));
        assert!(reads.acquire("auditor", 1).is_ok());
        drop(held);
        assert!(reads.acquire("dashboard", 1).is_ok());
    }
}
