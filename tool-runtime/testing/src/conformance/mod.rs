//! Conformance suites for stores, to run in your own backend's tests.
//!
//! Each suite checks one trait, promise by promise. It panics at the first broken one, with a text
//! that names the promise and what was found. It needs no executor, reads no clock and never
//! sleeps: times are passed in. A backend that uses its own clock instead of the given time cannot
//! pass, so make its time settable in tests.
//!
//! Run a suite on a separate store, since it sweeps at times far ahead. It works under new
//! tenants and ids, so it can be repeated on the same store. Concurrent operations are made from
//! one task. Durability is not checked: test separately that an operation survives a crash.
//!
//! # Examples
//! ```
//! use tool_runtime::store::MemoryStore;
//! use tool_runtime::testing::conformance;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // In a test, with `#[tokio::test]`, and your own store in place of `MemoryStore`:
//! conformance::all(&MemoryStore::new()).await;
//! # }
//! ```
//!
//! A backend that keeps one need alone runs the one suite:
//! ```
//! # use tool_runtime::store::MemoryStore as MyTickets;
//! use tool_runtime::testing::conformance;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! conformance::tickets(&MyTickets::new()).await;
//! # }
//! ```

mod budgets;
#[cfg(feature = "evidence")]
mod evidence;
mod grants;
mod idempotency;
#[cfg(feature = "ledger")]
mod ledgers;
mod limits;
mod outbox;
mod outputs;
mod quotas;
mod samples;
#[cfg(feature = "agent")]
mod sessions;
mod tickets;

use tool_runtime_core::store::Store;

pub use self::budgets::budgets;
#[cfg(feature = "evidence")]
pub use self::evidence::evidence;
pub use self::grants::grants;
pub use self::idempotency::idempotency;
#[cfg(feature = "ledger")]
pub use self::ledgers::{ledgers, shared_ledgers};
pub use self::limits::limits;
pub use self::outbox::outbox;
pub use self::outputs::outputs;
pub use self::quotas::quotas;
#[cfg(feature = "agent")]
pub use self::sessions::sessions;
pub use self::tickets::tickets;

/// Checks every promise of a [`Store`], those of its [budgets](tool_runtime_core::store::BudgetStore) and of its
/// [outbox](tool_runtime_core::store::OutboxStore) too if it has them.
///
/// # Panics
/// Panics at the first broken promise.
pub async fn all<S: Store>(store: &S) {
    idempotency(store).await;
    if let Some(store) = store.budgets() {
        budgets(store).await;
    }
    tickets(store).await;
    if let Some(store) = store.outbox() {
        outbox(store).await;
    }
    grants(store).await;
    outputs(store).await;
}
