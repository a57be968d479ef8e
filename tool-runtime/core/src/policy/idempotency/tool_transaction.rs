//! The store's transaction that a tool borrows: one for each attempt, and committed at most once.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::{IdempotencyStore, StoreTransaction, TransactionScope};
use crate::tool::{CallScope, Transaction};

/// The transaction of a call. It is rolled back unless it is committed.
pub(in crate::policy) struct ToolTransaction {
    keys: Arc<dyn IdempotencyStore>,
    scope: TransactionScope,
    current: Mutex<Option<Arc<dyn StoreTransaction>>>,
    is_committing: AtomicBool,
}

impl ToolTransaction {
    /// Makes the transaction of a call and gives it to the tool; none if the tool takes none.
    pub(in crate::policy) fn open(
        keys: &Arc<dyn IdempotencyStore>,
        call: &CallScope,
    ) -> Option<Arc<Self>> {
        if !call.plan().takes_transaction {
            return None;
        }
        let transaction = Arc::new(Self {
            keys: keys.clone(),
            scope: TransactionScope::new(call.cx().tenant_id(), call.budget()),
            current: Mutex::default(),
            is_committing: AtomicBool::new(false),
        });
        call.set_transaction(transaction.clone());
        Some(transaction)
    }

    /// Takes the transaction of the last attempt to commit it, if the tool has used it.
    pub(super) fn take_begun(&self) -> Option<Arc<dyn StoreTransaction>> {
        let current = self.lock().take_if(|transaction| transaction.has_begun())?;
        self.is_committing.store(true, Ordering::Release);
        Some(current)
    }

    /// Records that the transaction was rolled back, although its commit had begun.
    pub(super) fn record_rollback(&self) {
        self.is_committing.store(false, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<dyn StoreTransaction>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transaction for ToolTransaction {
    fn current(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let mut current = self.lock();
        if current.is_none() {
            *current = self.keys.transaction(self.scope);
        }
        current.clone().map(StoreTransaction::into_any)
    }

    fn roll_back(&self) {
        if let Some(transaction) = self.lock().take() {
            transaction.roll_back();
        }
    }

    fn is_committing(&self) -> bool {
        self.is_committing.load(Ordering::Acquire)
    }
}

impl Drop for ToolTransaction {
    fn drop(&mut self) {
        self.roll_back();
    }
}
