//! What must survive a crash, behind small traits: one need, one trait.
//!
//! A backend implements the traits it can keep: [`IdempotencyStore`], [`TicketStore`],
//! [`GrantStore`], [`OutputStore`]. One that keeps all four is a [`Store`], and
//! `Runtime::builder().store(…)` takes it. `Memory` forgets with its process; `Sqlite` (feature
//! `sqlite`) is one file and forgets nothing that it has confirmed.
//!
//! Every operation carries the time, so that a backend needs no clock of its own. A backend whose
//! processes do not share a clock may use its own in place of it.

mod error;
mod grant;
mod idempotency;
mod memory;
mod output;
#[cfg(feature = "sqlite")]
mod sqlite;
mod ticket;
mod time;

pub use self::error::{StoreError, StoreErrorKind};
pub use self::grant::{GrantScope, GrantStore, StandingGrant};
pub use self::idempotency::{
    ClaimRequest, Claimed, Fence, IdempotencyStore, KeyRecord, KeyScope, KeyState, Settlement,
    StoredAnswer,
};
pub use self::output::{KeptOutput, OutputSlice, OutputStore};
pub use self::ticket::{TicketEnd, TicketStore, WaitingTicket};
pub use self::time::{Clock, SystemClock, UnixMillis};

/// A backend for everything that must survive.
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}

impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}
