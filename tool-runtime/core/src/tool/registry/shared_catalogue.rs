//! The catalogue that the calls of a runtime share, which changes while they run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::{ArcSwap, Guard};

use super::catalogue::{CatalogueEntry, ToolCatalogue};
use crate::tool::catch_panic;

/// A function that learns of each change.
pub(crate) type Listener = dyn Fn(&Arc<ToolCatalogue>) + Send + Sync;

/// The current catalogue of a runtime: readers take no lock, and changes are made one by one.
pub(crate) struct SharedCatalogue {
    // The standard library has no pointer that is replaced while others read it without a lock. A
    // call keeps its own tool, so a change never waits for calls.
    current: ArcSwap<ToolCatalogue>,
    /// Held while a change is made.
    changing: Mutex<()>,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

impl SharedCatalogue {
    pub(crate) fn new(first: ToolCatalogue) -> Self {
        Self {
            current: ArcSwap::from_pointee(first),
            changing: Mutex::default(),
            listeners: Mutex::default(),
        }
    }

    /// Returns the current catalogue, for a short use.
    pub(crate) fn load(&self) -> Guard<Arc<ToolCatalogue>> {
        self.current.load()
    }

    /// Returns the current catalogue, to keep.
    pub(crate) fn snapshot(&self) -> Arc<ToolCatalogue> {
        self.current.load_full()
    }

    /// Builds the next catalogue, unless the change fails, and notifies the listeners.
    pub(crate) fn change<E>(
        &self,
        change: impl FnOnce(&mut BTreeMap<Box<str>, CatalogueEntry>) -> Result<(), E>,
    ) -> Result<Arc<ToolCatalogue>, E> {
        let changing = locked(&self.changing);
        let before = self.snapshot();
        let mut entries = before.entries();
        change(&mut entries)?;
        let next = Arc::new(before.followed_by(entries));
        self.current.store(Arc::clone(&next));
        drop(changing);
        self.tell(&next);
        Ok(next)
    }

    /// Tells a listener of each change from now on, while it is kept.
    pub(crate) fn listen(&self, listener: &Arc<Listener>) {
        let mut listeners = locked(&self.listeners);
        // Clients subscribe and leave also while no tool changes.
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(listener));
    }

    /// Calls the listeners outside of the locks, so that they may change tools.
    fn tell(&self, next: &Arc<ToolCatalogue>) {
        let mut weak_listeners = locked(&self.listeners);
        weak_listeners.retain(|listener| listener.strong_count() > 0);
        let listeners: Vec<_> = weak_listeners.iter().filter_map(Weak::upgrade).collect();
        drop(weak_listeners);
        // The change is made: a panic of a listener must not look as if it were not.
        for listener in &listeners {
            drop(catch_panic(|| listener(next)));
        }
    }
}

/// Locks; a panic of another holder leaves nothing half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_that_were_dropped_are_not_kept() {
        let catalogue = SharedCatalogue::new(ToolCatalogue::new(Vec::new()));
        for _ in 0..100 {
            let listener: Arc<Listener> = Arc::new(|_| ());
            catalogue.listen(&listener);
        }
        assert_eq!(locked(&catalogue.listeners).len(), 1);
    }
}
