//! Stores for state that must survive a crash: idempotency keys, budgets, tickets, grants and outputs.
//!
//! `tool_runtime::store`, which has the other backends too, says what each of them promises.

mod budget;
mod error;
#[doc(hidden)]
pub mod evidence;
mod export;
mod grant;
mod idempotency;
mod key_decision;
mod limits;
mod memory;
mod monotonic;
mod outbox;
mod output;
#[doc(hidden)]
pub mod principal;
mod reservation_decision;
#[doc(hidden)]
pub mod session_key;
#[doc(hidden)]
pub mod signed;
mod store_clock;
mod system_error;
mod ticket;
mod time;
mod transaction;

pub use async_trait::async_trait;

pub use self::budget::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, Charge, PeriodPosition,
    Reservation, ReservationPeriod, ReserveOutcome, ReservedAmount, SpendOutcome,
};
pub use self::error::{StoreError, StoreErrorKind};
pub use self::export::{
    ArchivedKey, RowCounts, RowKind, StoreExport, StoredPeriod, StoredRow, StoredSession,
};
pub use self::grant::{GrantScope, GrantStore, StandingGrant};
pub use self::idempotency::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, KeyRecord, KeyState, ScopedKey,
    Settlement, StoredAnswer,
};
pub use self::key_decision::{ClaimDecision, SettlementDecision};
pub use self::limits::{
    LimitAnswer, LimitReport, LimitStore, OpenBreaker, PermitReport, RateReport, RateShare,
};
pub use self::memory::{MemoryLimits, MemoryStore};
pub use self::monotonic::{ClockReading, MonotonicTime};
pub use self::outbox::{
    AttemptResult, DeadReason, FollowedTicket, LeasedMessage, OutboxBatch, OutboxMessage,
    OutboxStore, StoredMessage,
};
pub use self::output::{OutputSlice, OutputStore, StoredOutput};
pub use self::store_clock::StoreClock;
pub use self::ticket::{TicketEnd, TicketQuota, TicketStore, WaitingTicket};
pub use self::time::{Clock, SystemClock, UnixMillis};
pub use self::transaction::{CommitOutcome, KeyAnswer, StoreTransaction, TransactionScope};
pub use crate::budget_unit::{BudgetUnit, Currency, InvalidUnit, MILLIONTHS};

/// A backend that implements all four store traits.
pub trait Store: IdempotencyStore + TicketStore + GrantStore + OutputStore {}

impl<S: IdempotencyStore + TicketStore + GrantStore + OutputStore> Store for S {}
