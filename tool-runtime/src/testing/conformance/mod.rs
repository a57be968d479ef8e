//! What every store must do, as suites that a backend of your own runs in its tests.
//!
//! Each suite checks one trait, promise by promise. It panics at the first that is broken, with a
//! text that names the promise and what was found. It brings no executor, reads no clock and never
//! sleeps: the time is passed in. A backend that uses a clock of its own in place of the time that
//! it is given cannot pass, so give it a way to be told the time in tests.
//!
//! Give a suite a store of its own: it sweeps at times far ahead. It works under new tenants and
//! ids, so that it may be run again on the same store. What many do at the same time, they do from
//! one task. Durability is not checked here: whether an operation survives a crash is the backend's
//! own test.
//!
//! # Examples
//! ```
//! use tool_runtime::store::Memory;
//! use tool_runtime::testing::conformance;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // In a test, with `#[tokio::test]`, and your own store in place of `Memory`:
//! conformance::all(&Memory::new()).await;
//! # }
//! ```
//!
//! A backend that keeps one need alone runs the one suite:
//! ```
//! # use tool_runtime::store::Memory as MyTickets;
//! use tool_runtime::testing::conformance;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! conformance::tickets(&MyTickets::new()).await;
//! # }
//! ```

#[cfg(feature = "evidence")]
mod evidence;
mod grants;
mod idempotency;
#[cfg(feature = "ledger")]
mod ledgers;
mod outputs;
mod samples;
mod shares;
mod tickets;

#[cfg(feature = "evidence")]
pub use self::evidence::evidence;
pub use self::grants::grants;
pub use self::idempotency::idempotency;
#[cfg(feature = "ledger")]
pub use self::ledgers::ledgers;
pub use self::outputs::outputs;
pub use self::shares::shares;
pub use self::tickets::tickets;
use crate::store::Store;

/// Checks everything that a [`Store`] promises.
///
/// # Panics
/// Panics at the first promise that is broken.
pub async fn all<S: Store>(store: &S) {
    idempotency(store).await;
    tickets(store).await;
    grants(store).await;
    outputs(store).await;
}
