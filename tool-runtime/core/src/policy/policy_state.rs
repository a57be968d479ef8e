//! Implements the traits of authorization and execution with the policies of one runtime.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext};
use uuid::Uuid;

use super::access::AccessPolicy;
use super::approval::{Approver, ticket_end_of};
use super::config::{Policy, Stores};
use super::idempotency::OutcomeCounters;
use super::limits::{ConcurrencyLimiter, RejectedCallLimit, RunKey};
use super::read_cache::ReadCache;
use super::retry::call_retries;
use super::store_access::{STORE_TIMEOUT, log_store_error};
use super::store_time::StoreTime;
use super::sweeper::Sweeper;
use super::tool_plan::ToolPlanner;
use crate::Runtime;
use crate::call::{AuthorizationPolicy, CallServices, ToolCall};
use crate::dispatch::TicketWithdrawal;
use crate::dispatch::execution_policy::{ApprovedCall, ClaimResult, ExecutionPolicy, Retries};
use crate::dispatch::pipeline::PolicyDecision;
use crate::dispatch::refusal::Refusal;
use crate::key_ring::KeyRing;
use crate::store::Clock;
use crate::timer::Timer;
use crate::tokens::TokenCounter;
use crate::tool::registry::RegisteredTool;
use crate::tool::{Attachment, CallScope};

/// The handle that calls and the pipeline hold.
#[derive(Debug)]
struct PolicyHandle(Arc<PolicyState>);

/// The policies as execution and authorization use them.
type PolicyHandles = (Option<Arc<dyn ExecutionPolicy>>, Option<Arc<dyn AuthorizationPolicy>>);

/// The policies of one runtime, and the state that they keep.
pub struct PolicyState {
    planner: ToolPlanner,
    pub(super) stores: Stores,
    pub(super) access: Option<Arc<dyn AccessPolicy>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// None if the host sets no keys and the system has no random bytes.
    pub(super) keys: Option<KeyRing>,
    pub(super) ticket_lifetime: Duration,
    pub(super) output_lifetime: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timer: Arc<dyn Timer>,
    /// Bounds the calls of all tools together.
    pub(super) concurrency: Option<Arc<ConcurrencyLimiter>>,
    pub(super) read_cache: Arc<ReadCache>,
    pub(super) store_time: StoreTime,
    pub(super) sweeper: Sweeper,
    pub(super) unknown_per_caller: usize,
    pub(super) tickets_per_caller: usize,
    pub(super) archive_after: Duration,
    pub(super) outcomes: OutcomeCounters,
    pub(super) token_counter: Arc<dyn TokenCounter>,
    rejected_calls: RejectedCallLimit,
}

impl Policy {
    /// Prepares the plan of each tool, and the state of the policies.
    pub(crate) fn prepare(
        self,
        tools: &mut [RegisteredTool],
        timer: &Arc<dyn Timer>,
    ) -> Arc<PolicyState> {
        let planner = ToolPlanner {
            rules: self.rules,
            rules_for: self.rules_for,
            has_access_policy: self.access.is_some(),
            has_overall_limit: self.max_in_flight.is_some(),
            timer: timer.clone(),
        };
        for tool in tools {
            planner.plan(tool, None);
        }
        Arc::new(PolicyState {
            planner,
            concurrency: self
                .max_in_flight
                .and_then(|limit| concurrency_limiter(limit, self.max_queue)),
            read_cache: Arc::new(ReadCache::new(self.cache_bytes)),
            store_time: StoreTime::default(),
            sweeper: Sweeper::default(),
            unknown_per_caller: self.unknown_per_caller,
            tickets_per_caller: self.tickets_per_caller,
            archive_after: self.archive_after,
            outcomes: OutcomeCounters::default(),
            token_counter: self.token_counter,
            rejected_calls: RejectedCallLimit::new(self.correction_budget),
            keys: self.keys.or_else(|| KeyRing::ephemeral().ok()),
            timer: timer.clone(),
            stores: self.stores.resolve(),
            access: self.access,
            approver: self.approver,
            ticket_lifetime: self.ticket_lifetime,
            output_lifetime: self.output_lifetime,
            clock: self.clock,
        })
    }
}

impl PolicyState {
    /// Prepares the plan of a tool that is added to the catalogue, or replaces this one there.
    pub(crate) fn plan_tool(&self, tool: &mut RegisteredTool, replaced: Option<&RegisteredTool>) {
        self.planner.plan(tool, replaced);
    }

    /// Returns the policies as calls and the pipeline use them.
    pub(crate) fn handles(state: &Arc<Self>) -> PolicyHandles {
        let handle = Arc::new(PolicyHandle(state.clone()));
        (Some(handle.clone()), Some(handle))
    }
}

/// Limits calls to `limit` at once; `build()` refuses a limit of 0.
pub(super) fn concurrency_limiter(limit: usize, queue: usize) -> Option<Arc<ConcurrencyLimiter>> {
    NonZeroUsize::new(limit).map(|limit| Arc::new(ConcurrencyLimiter::new(limit, queue)))
}

impl ExecutionPolicy for PolicyHandle {
    fn claim<'c>(&'c self, call: ApprovedCall<'c>) -> BoxFuture<'c, ClaimResult> {
        self.0.claim(call).boxed()
    }

    fn retries(&self, scope: &CallScope) -> Option<Box<dyn Retries>> {
        call_retries::retries(scope)
    }

    fn store_attachments<'c>(
        &'c self,
        scope: &'c CallScope,
        attachments: &'c mut [Attachment],
    ) -> BoxFuture<'c, ()> {
        self.0.store_attachments(scope, attachments).boxed()
    }
}

impl AuthorizationPolicy for PolicyHandle {
    fn authorize<'c>(
        &'c self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<PolicyDecision, Box<Refusal>>> {
        self.0.authorize(call).boxed()
    }

    fn request_approval<'c>(
        &'c self,
        call: &'c mut ToolCall,
        reason: Option<String>,
    ) -> BoxFuture<'c, Result<(), Box<Refusal>>> {
        self.0.request_approval(call, reason).boxed()
    }

    fn withdrawn(&self, ticket: Uuid, how: TicketWithdrawal) -> BoxFuture<'static, ()> {
        let state = Arc::clone(&self.0);
        let end = async move {
            let end_request = state.stores.tickets.end_ticket(ticket, ticket_end_of(how));
            if let Err(error) = state.call_store(STORE_TIMEOUT, end_request).await {
                log_store_error(
                    "a withdrawn ticket was not ended and is valid until it expires",
                    &error,
                );
            }
        };
        end.boxed()
    }

    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal) {
        let rejected_calls = &self.0.rejected_calls;
        if refusal.status != CallStatus::Rejected || rejected_calls.limit() == 0 {
            return;
        }
        let refused = rejected_calls.record_refusal(&RunKey::from_context(cx), tool);
        if refused >= rejected_calls.limit() {
            refusal.tell_to_stop(refused);
        }
    }
}

impl CallServices {
    /// Returns the state of the policies.
    pub fn policy_state(&self) -> &Arc<PolicyState> {
        &self.policy_state
    }
}

impl Runtime {
    /// Returns the state of the policies.
    #[must_use]
    pub fn policy_state(&self) -> &Arc<PolicyState> {
        self.services().policy_state()
    }

    /// Finds a registered tool by its name.
    #[must_use]
    pub fn registered(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        self.environment().tools().find(name).map(|entry| entry.tool.clone())
    }
}

impl fmt::Debug for PolicyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyState").finish_non_exhaustive()
    }
}
