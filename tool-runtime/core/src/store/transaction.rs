//! Transactions of a store, in which a tool's effect is committed together with the settlement of its key.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::{Charge, Fence, ScopedKey, StoreError, StoredAnswer, UnixMillis};

/// A transaction that a tool's effect and the settlement of its key share: both are committed, or neither is.
///
/// A backend whose database may hold the host's own data implements it, and returns a new one for each attempt of
/// a call from [`IdempotencyStore::transaction`](super::IdempotencyStore::transaction). A tool borrows the
/// backend's own type, whose [`FromCall`](crate::FromCall) is [`CallScope::transaction`](crate::CallScope::transaction).
#[async_trait]
pub trait StoreTransaction: Send + Sync + 'static {
    /// Returns the transaction as the type that a tool borrows.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    /// Returns whether the tool has used it. One that it has not used has no effect to commit.
    fn has_begun(&self) -> bool;

    /// Commits the transaction, and in it settles the call's key, if it has one.
    ///
    /// # Cancellation
    /// If the future is dropped, the commit goes on.
    async fn commit(&self, settlement: Option<KeyAnswer>) -> CommitOutcome;

    /// Ends the transaction without its effect. After a commit, also one in progress, it changes nothing.
    fn roll_back(&self);
}

/// The call that a transaction is for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TransactionScope {
    /// The tenant.
    pub tenant: Uuid,
    /// The time that the tool has.
    pub time_limit: Duration,
}

impl TransactionScope {
    /// Creates a scope.
    #[must_use]
    pub const fn new(tenant: Uuid, time_limit: Duration) -> Self {
        Self { tenant, time_limit }
    }
}

/// The answer that a transaction stores under the key of its call.
#[derive(Debug, Clone)]
pub struct KeyAnswer {
    /// The key.
    pub key: ScopedKey,
    /// The fence under which the key has to be held.
    pub fence: Fence,
    /// The answer.
    pub answer: StoredAnswer,
    /// The time until which it is kept at least, by the store's time.
    pub keep_until: UnixMillis,
    /// The part of its reservations that the call has spent.
    pub charge: Charge,
}

/// The outcome of a commit.
#[derive(Debug)]
pub enum CommitOutcome {
    /// The effect and the settlement are durable.
    Committed,
    /// The key is no longer held under the fence: the transaction was rolled back.
    NotHeld,
    /// The transaction was rolled back.
    RolledBack(StoreError),
    /// The transaction is committed, or will never be: the record of its key says which.
    Unknown(StoreError),
    /// The tool ended the transaction itself: its effect may be durable without the settlement.
    EndedByTool(StoreError),
}
