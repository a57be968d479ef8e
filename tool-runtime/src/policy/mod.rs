//! What may delay, refuse or repeat a call.
//!
//! A [`Policy`] is given to [`RuntimeBuilder::policy`](crate::RuntimeBuilder::policy); without one
//! the defaults hold, which keep a write from running twice and ask a person where the tool asks for
//! one.

mod access;
mod approval;
mod asking;
mod bounds;
mod claiming;
mod config;
mod deciding;
mod excerpt;
mod fresh;
mod governor;
mod holding;
mod idempotency;
mod limits;
mod out_of_range;
mod plan;
pub(crate) mod principal;
mod retry;
mod retrying;
mod rules;
mod store_time;
mod sweeping;
mod ticket;
mod waiting;

pub use async_trait::async_trait;

pub use self::access::{AccessPolicy, AccessRequest, AccessVerdict};
pub use self::approval::{
    ApprovalRequest, Approver, Decision, GrantError, GrantFor, TicketError, WaitingCall,
    WaitingCalls,
};
pub use self::config::Policy;
pub use self::excerpt::{Cut, ExcerptMark, ModelAnswer, OutputHandle, OutputPage};
pub use self::idempotency::{OutcomeFigures, Resolution, ResolveError};
pub use self::limits::{BreakerConfig, RateLimit};
#[cfg(feature = "http")]
pub(crate) use self::limits::{Key, RateLimiter};
pub use self::out_of_range::OutOfRange;
pub use self::retry::RetryConfig;
pub use self::rules::{Rules, WhenRunning};
#[cfg(feature = "sqlite")]
pub(crate) use self::ticket::RingKey;
pub use self::ticket::{KeyRing, KeyRingError, Ticket, TicketFault};
#[cfg(feature = "evidence")]
pub(crate) use self::ticket::{cipher, frame};
