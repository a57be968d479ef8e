//! Stores for state that must survive a crash: idempotency keys, budgets, tickets, grants and outputs.
//!
//! A backend implements one trait for each purpose: [`IdempotencyStore`], [`TicketStore`],
//! [`GrantStore`], [`OutputStore`]. A backend of all four is a [`Store`], which
//! `Runtime::builder().store(…)` takes. [`MemoryStore`] keeps everything in the process; `SqliteStore`
//! (feature `sqlite`) is one file, and keeps everything that it has confirmed; `PostgresStore` (feature
//! `postgres`) does so for any number of replicas. All three store [budgets](BudgetStore) beside the keys, and
//! [messages to other systems](OutboxStore) beside the tickets.
//!
//! An operation that depends on the time takes it as an argument, so that a backend needs no clock.
//! Leases and the retention of keys follow the store's own time ([`IdempotencyStore::read_time`]).
//! Steps of the wall clock do not change that time; all other expiry follows the wall clock.
//!
//! Times of expiry are exclusive: a lease until `t` is valid before `t`, and an answer kept until
//! `t` may be swept at `t`. Texts are compared byte by byte.

#[doc(inline)]
pub use tool_runtime_core::store::{
    ArchivedKey, AttemptResult, Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore,
    BudgetUnit, Charge, ClaimDecision, ClaimOutcome, ClaimRequest, Clock, ClockReading,
    CommitOutcome, Currency, DeadReason, Fence, FollowedTicket, GrantScope, GrantStore,
    IdempotencyStore, KeyAnswer, KeyRecord, KeyState, LeasedMessage, LimitAnswer, LimitReport,
    LimitStore, MemoryLimits, MemoryStore, MonotonicTime, OpenBreaker, OutboxBatch, OutboxMessage,
    OutboxStore, OutputSlice, OutputStore, PeriodPosition, PermitReport, RateReport, RateShare,
    Reservation, ReservationPeriod, ReserveOutcome, ReservedAmount, RowCounts, RowKind, ScopedKey,
    Settlement, SettlementDecision, SpendOutcome, StandingGrant, Store, StoreClock, StoreError,
    StoreErrorKind, StoreExport, StoreTransaction, StoredAnswer, StoredMessage, StoredOutput,
    StoredPeriod, StoredRow, StoredSession, SystemClock, TicketEnd, TicketQuota, TicketStore,
    TransactionScope, UnixMillis, WaitingTicket, async_trait,
};
#[cfg(feature = "postgres")]
#[doc(inline)]
pub use tool_runtime_postgres::{
    PostgresOptions, PostgresStore, PostgresTransaction, PostgresTransactionError,
};
// Apart from the other feature, so that the compiler names `sqlite` where both are off.
#[cfg(feature = "sqlite")]
#[doc(inline)]
pub use tool_runtime_sqlite::{
    FileCheck, SqliteOptions, SqliteStore, SqliteTransaction, SqliteTransactionError, rusqlite,
};
#[cfg(all(feature = "sqlite-unbundled", not(feature = "sqlite")))]
#[doc(inline)]
pub use tool_runtime_sqlite::{
    FileCheck, SqliteOptions, SqliteStore, SqliteTransaction, SqliteTransactionError, rusqlite,
};
