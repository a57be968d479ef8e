//! Rules that delay, refuse or repeat calls: permission, idempotency, limits, retries, caching.
//!
//! Set a [`Policy`] with [`RuntimeBuilder::policy`](crate::RuntimeBuilder::policy). Without one the
//! defaults hold: a write never runs twice, and a tool whose permission is `Ask` waits for an
//! approval.

mod access;
mod approval;
mod attached_content;
mod attachments;
mod caller_seals;
mod claim;
mod config;
mod deadline;
mod events;
mod excerpt;
mod held_resources;
mod http_access;
mod idempotency;
mod limits;
mod out_of_range;
mod policy_state;
mod read_cache;
mod refusal;
mod retry;
mod settings_check;
mod spending;
mod store_client;
mod stored_outputs;
mod ticket;
mod ticket_use;
mod tool_plan;
mod tool_policy;

pub use async_trait::async_trait;

pub use self::access::{AccessPolicy, AccessRequest, AccessVerdict};
pub use self::approval::{
    ApprovalRequest, Approver, Decision, GrantError, GrantFor, Grants, TicketIssueError, Tickets,
    WaitingCall, WaitingCalls, approver_fn,
};
#[doc(hidden)]
pub use self::caller_seals::CallerSeals;
pub use self::caller_seals::StateSignature;
pub use self::config::Policy;
pub use self::events::{EventDelivery, EventReceiver, EventType, Events, UndeliveredEvent};
pub use self::excerpt::{ExcerptInfo, ModelAnswer, OutputHandle, OutputPage, TruncatedArray};
pub use self::idempotency::{OutcomeCounts, Outcomes, Resolution, ResolveError};
pub use self::limits::{BreakerConfig, RateLimit};
pub use self::limits::{RateKey, RateLimiter};
pub use self::out_of_range::OutOfRange;
#[doc(hidden)]
pub use self::policy_state::PolicyState;
pub use self::retry::RetryConfig;
pub use self::spending::{
    BudgetWarning, ConfiguredLimit, Demand, LimitState, ObserveBudgets, OverLimit, SpendingCall,
    SpendingLimit, SpendingProof, ToolSpendingLimit,
};
#[doc(hidden)]
pub use self::store_client::{STORE_TIMEOUT, StoreClient};
#[doc(hidden)]
pub use self::stored_outputs::Outputs;
pub use self::stored_outputs::StoredOutputs;
#[doc(hidden)]
pub use self::ticket::RejectionClass;
pub use self::ticket::{SealError, open_with, seal_with};
pub use self::ticket::{Ticket, TicketRejection};
pub(crate) use self::tool_plan::ToolPlan;
pub use self::tool_policy::{ConcurrentRepeat, ToolPolicy};
pub use crate::key_ring::{KeyRing, KeyRingError};
