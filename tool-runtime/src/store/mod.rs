//! What must survive a crash, behind small traits: one need, one trait.
//!
//! A backend implements the traits it can keep: [`IdempotencyStore`], [`TicketStore`],
//! [`GrantStore`], [`OutputStore`]. One that keeps all four is a [`Store`], and
//! `Runtime::builder().store(…)` takes it. `Memory` forgets with its process; `Sqlite` (feature
//! `sqlite`) is one file and forgets nothing that it has confirmed.
//!
//! An operation that depends on the time carries it, so that a backend needs no clock of its own.
//! Leases and the retention of keys follow the store's own time ([`IdempotencyStore::read_time`]),
//! which no setting of the wall clock moves; all else that ends does so by the wall clock.
//!
//! What ends at a moment is over at that moment: a lease that runs out at `t` holds before `t`, and
//! an answer that is kept until `t` may be swept at `t`. Texts are told apart byte by byte.

mod error;
mod grant;
mod idempotency;
mod memory;
mod output;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod steady;
mod ticket;
mod time;
mod timeline;

pub use async_trait::async_trait;

pub use self::error::{StoreError, StoreErrorKind};
pub use self::grant::{GrantScope, GrantStore, StandingGrant};
pub use self::idempotency::{
    ClaimRequest, Claimed, Fence, IdempotencyStore, KeyRecord, KeyScope, KeyState, Settlement,
    StoredAnswer,
};
pub use self::memory::{Memory, MemoryLimits};
pub use self::output::{KeptOutput, OutputSlice, OutputStore};
#[cfg(feature = "sqlite")]
pub use self::sqlite::{FileCheck, Sqlite, SqliteOptions};
pub use self::steady::{ClockReading, SteadyTime};
pub use self::ticket::{TicketEnd, TicketShare, TicketStore, WaitingTicket};
pub use self::time::{Clock, SystemClock, UnixMillis};
pub use self::timeline::Timeline;

/// A backend for everything that must survive.
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}

impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}
