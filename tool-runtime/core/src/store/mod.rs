//! Stores for state that must survive a crash: idempotency keys, tickets, grants and outputs.
//!
//! A backend implements one trait for each purpose: [`IdempotencyStore`], [`TicketStore`],
//! [`GrantStore`], [`OutputStore`]. A backend of all four is a [`Store`], which
//! `Runtime::builder().store(…)` takes. [`MemoryStore`] keeps everything in the process; `SqliteStore`
//! (feature `sqlite`) is one file, and keeps everything that it has confirmed.
//!
//! An operation that depends on the time takes it as an argument, so that a backend needs no clock.
//! Leases and the retention of keys follow the store's own time ([`IdempotencyStore::read_time`]).
//! Steps of the wall clock do not change that time; all other expiry follows the wall clock.
//!
//! Times of expiry are exclusive: a lease until `t` is valid before `t`, and an answer kept until
//! `t` may be swept at `t`. Texts are compared byte by byte.

mod error;
#[doc(hidden)]
pub mod evidence;
mod grant;
mod idempotency;
mod key_decision;
mod memory;
mod monotonic;
mod output;
#[doc(hidden)]
pub mod principal;
#[doc(hidden)]
pub mod session_key;
mod store_clock;
mod system_error;
mod ticket;
mod time;

pub use async_trait::async_trait;

pub use self::error::{StoreError, StoreErrorKind};
pub use self::grant::{GrantScope, GrantStore, StandingGrant};
pub use self::idempotency::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, KeyRecord, KeyState, ScopedKey,
    Settlement, StoredAnswer,
};
pub use self::key_decision::{ClaimDecision, SettlementDecision};
pub use self::memory::{MemoryLimits, MemoryStore};
pub use self::monotonic::{ClockReading, MonotonicTime};
pub use self::output::{OutputSlice, OutputStore, StoredOutput};
pub use self::store_clock::StoreClock;
pub use self::ticket::{TicketEnd, TicketQuota, TicketStore, WaitingTicket};
pub use self::time::{Clock, SystemClock, UnixMillis};

/// A backend that implements all four store traits.
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}

impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}
