//! The host's values: stored by type, found once at `build()`.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// One value of the host, erased: an `Arc<T>` in an `Arc<dyn Any>`, so that `T` may be unsized.
pub(crate) type Slot = Arc<dyn Any + Send + Sync>;

/// What one borrowed parameter needs from the host.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct HostNeed {
    kind: NeedKind,
    type_name: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum NeedKind {
    Nothing,
    State(TypeId),
    Toolkit(TypeId),
}

impl HostNeed {
    /// Needs nothing stored: the value is made from the call.
    #[must_use]
    pub fn nothing() -> Self {
        Self { kind: NeedKind::Nothing, type_name: "" }
    }

    /// Needs a value given to the builder by `state`.
    #[must_use]
    pub fn state<T: ?Sized + 'static>() -> Self {
        Self { kind: NeedKind::State(TypeId::of::<T>()), type_name: type_name::<T>() }
    }

    /// Needs the toolkit that the method stands on.
    #[must_use]
    pub fn toolkit<T: 'static>() -> Self {
        Self { kind: NeedKind::Toolkit(TypeId::of::<T>()), type_name: type_name::<T>() }
    }
}

/// The host's values by type.
#[derive(Default)]
pub(crate) struct States {
    values: HashMap<TypeId, Slot>,
    toolkits: HashMap<TypeId, Slot>,
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("States")
            .field("values", &self.values.len())
            .field("toolkits", &self.toolkits.len())
            .finish()
    }
}

impl States {
    /// Stores a value; false if there was one of this type already.
    pub(crate) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.values.insert(TypeId::of::<T>(), Arc::new(value)).is_none()
    }

    pub(crate) fn insert_toolkit<T: Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.toolkits.insert(TypeId::of::<T>(), Arc::new(value)).is_none()
    }

    pub(crate) fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Finds each need's value; the names of the types that nobody gave, if any.
    pub(crate) fn resolve(
        &self,
        needs: &[HostNeed],
    ) -> Result<Box<[Option<Slot>]>, Vec<&'static str>> {
        let mut missing = Vec::new();
        let slots = needs
            .iter()
            .map(|need| {
                let found = match need.kind {
                    NeedKind::Nothing => return None,
                    NeedKind::State(id) => self.values.get(&id),
                    NeedKind::Toolkit(id) => self.toolkits.get(&id),
                };
                if found.is_none() {
                    missing.push(need.type_name);
                }
                found.cloned()
            })
            .collect();
        if missing.is_empty() { Ok(slots) } else { Err(missing) }
    }
}
