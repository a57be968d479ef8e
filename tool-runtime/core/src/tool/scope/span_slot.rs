//! Stores the state of a call's instrument, such as its span, without knowing the type.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::CallState;

/// A slot for one value of the call's instrument.
#[derive(Default)]
pub(crate) struct SpanSlot(Mutex<Option<Box<dyn Any + Send>>>);

impl SpanSlot {
    /// Accesses the value, which is created on first use; none if it has another type.
    pub(crate) fn with<T: Default + Send + 'static, R>(
        &self,
        access: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let mut slot = self.lock();
        let value = slot.get_or_insert_with(|| Box::<T>::default());
        value.downcast_mut().map(access)
    }

    /// Takes the value, so that it is dropped with the call and not with the last handle.
    pub(crate) fn take<T: 'static>(&self) -> Option<T> {
        let value = self.lock().take();
        value?.downcast().ok().map(|value| *value)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallState {
    pub(crate) fn span_slot(&self) -> &SpanSlot {
        &self.optional_or_new().span_slot
    }
}
