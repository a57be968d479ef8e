//! Rules that delay, refuse or repeat calls: permission, idempotency, limits, retries, caching.
//!
//! Set a [`Policy`] with [`RuntimeBuilder::policy`](crate::RuntimeBuilder::policy). Without one the
//! defaults hold: a write never runs twice, and a tool whose permission is `Ask` waits for an
//! approval.

mod access;
mod approval;
mod attached_content;
mod attachments;
mod claim;
mod config;
mod deadline;
mod excerpt;
mod held_resources;
mod http_access;
mod idempotency;
mod limits;
mod out_of_range;
mod policy_state;
mod private_blobs;
mod read_cache;
mod refusal;
mod retry;
mod rules;
mod sealed_tokens;
mod settings_check;
mod state_signature;
mod store_access;
mod store_time;
mod stored_outputs;
mod sweeper;
mod ticket;
mod ticket_use;
mod tool_plan;

pub use async_trait::async_trait;

pub use self::access::{AccessPolicy, AccessRequest, AccessVerdict};
pub use self::approval::{
    ApprovalRequest, Approver, Decision, GrantError, GrantFor, Grants, TicketIssueError, Tickets,
    WaitingCall, WaitingCalls, approver_fn,
};
pub use self::config::Policy;
pub use self::excerpt::{Cut, ExcerptInfo, ModelAnswer, OutputHandle, OutputPage};
pub use self::idempotency::{OutcomeCounts, Outcomes, Resolution, ResolveError};
pub use self::limits::{BreakerConfig, RateLimit};
pub use self::limits::{RateKey, RateLimiter};
pub use self::out_of_range::OutOfRange;
pub use self::policy_state::PolicyState;
pub use self::retry::RetryConfig;
pub use self::rules::{ConcurrentRepeat, Rules};
pub use self::state_signature::StateSignature;
pub use self::store_access::STORE_TIMEOUT;
pub use self::stored_outputs::StoredOutputs;
#[doc(hidden)]
pub use self::ticket::RejectionClass;
pub use self::ticket::{SealError, open_with, seal_with};
pub use self::ticket::{Ticket, TicketRejection};
pub use crate::key_ring::{KeyRing, KeyRingError};
