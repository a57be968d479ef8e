//! The host's state: stored by type, and resolved once by `build()`.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A type-erased value of the host: an `Arc<T>` in an `Arc<dyn Any>`, so that `T` may be unsized.
pub(crate) type Slot = Arc<dyn Any + Send + Sync>;

/// The requirement of one borrowed parameter.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct HostNeed {
    kind: RequirementKind,
    type_name: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum RequirementKind {
    Nothing,
    State(TypeId),
    Toolkit(TypeId),
    Transaction(TypeId),
}

impl HostNeed {
    /// Requires no stored value: the parameter is created from the call.
    #[must_use]
    pub fn nothing() -> Self {
        Self { kind: RequirementKind::Nothing, type_name: "" }
    }

    /// Requires a value passed to the builder's `state`.
    #[must_use]
    pub fn state<T: ?Sized + 'static>() -> Self {
        Self { kind: RequirementKind::State(TypeId::of::<T>()), type_name: type_name::<T>() }
    }

    /// Requires a store whose transaction has this type.
    #[must_use]
    pub fn transaction<T: 'static>() -> Self {
        Self { kind: RequirementKind::Transaction(TypeId::of::<T>()), type_name: type_name::<T>() }
    }

    /// Returns the type of the transaction that is required, and its name.
    pub(crate) fn transaction_type(&self) -> Option<(TypeId, &'static str)> {
        match self.kind {
            RequirementKind::Transaction(id) => Some((id, self.type_name)),
            RequirementKind::Nothing | RequirementKind::State(_) | RequirementKind::Toolkit(_) => {
                None
            }
        }
    }

    /// Requires the toolkit of the method.
    #[must_use]
    pub fn toolkit<T: 'static>() -> Self {
        Self { kind: RequirementKind::Toolkit(TypeId::of::<T>()), type_name: type_name::<T>() }
    }
}

/// The host's values by type.
#[derive(Default)]
pub(crate) struct HostState {
    values: HashMap<TypeId, Slot>,
    toolkits: HashMap<TypeId, Slot>,
}

impl fmt::Debug for HostState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostState")
            .field("values", &self.values.len())
            .field("toolkits", &self.toolkits.len())
            .finish()
    }
}

impl HostState {
    /// Stores a value; returns false if the type already had one.
    pub(crate) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.values.insert(TypeId::of::<T>(), Arc::new(value)).is_none()
    }

    pub(crate) fn insert_toolkit<T: Send + Sync + 'static>(&mut self, value: Arc<T>) -> bool {
        self.toolkits.insert(TypeId::of::<T>(), Arc::new(value)).is_none()
    }

    pub(crate) fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Finds the value of each requirement, or returns the names of missing types.
    pub(crate) fn resolve(
        &self,
        needs: &[HostNeed],
    ) -> Result<Box<[Option<Slot>]>, Vec<&'static str>> {
        let mut missing = Vec::new();
        let slots = needs
            .iter()
            .map(|need| {
                let host_value = match need.kind {
                    RequirementKind::Nothing | RequirementKind::Transaction(_) => return None,
                    RequirementKind::State(id) => self.values.get(&id),
                    RequirementKind::Toolkit(id) => self.toolkits.get(&id),
                };
                if host_value.is_none() {
                    missing.push(need.type_name);
                }
                host_value.cloned()
            })
            .collect();
        if missing.is_empty() { Ok(slots) } else { Err(missing) }
    }
}
