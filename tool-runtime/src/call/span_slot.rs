//! What surrounds a call while it runs, such as a span: the call keeps it, and knows nothing of it.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place for whatever surrounds a call.
#[derive(Default)]
pub(crate) struct SpanSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl SpanSlot {
    /// Looks at what is there, and makes it first if nothing is; none if it is of another type.
    pub(crate) fn with<T: Default + Send + 'static, R>(
        &self,
        look: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let mut place = self.lock();
        let there = place.get_or_insert_with(|| Box::<T>::default());
        there.downcast_mut().map(look)
    }

    /// Takes it out, so that it ends with the call and not with its last handle.
    pub(crate) fn take<T: 'static>(&self) -> Option<T> {
        let there = self.lock().take();
        there?.downcast().ok().map(|there| *there)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
