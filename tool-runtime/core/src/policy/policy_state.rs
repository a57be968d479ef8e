//! Implements the traits of authorization and execution with the policies of one runtime.

use std::fmt;
use std::sync::Arc;

use event_listener::Event;
use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext};
use uuid::Uuid;

use super::approval::{Approvals, ticket_end_of};
use super::caller_seals::CallerSeals;
use super::config::Policy;
use super::events::{EventAnnouncer, TicketDecision};
use super::idempotency::KeyClaims;
use super::limits::{CallLimits, ConcurrencyLimit, LimitShares, RejectedCallLimit, RunKey};
use super::read_cache::ReadCache;
use super::retry::call_retries;
use super::spending::{ConfiguredLimit, SpendingLimits};
use super::store_client::{STORE_TIMEOUT, StoreClient, log_store_error};
use super::stored_outputs::Outputs;
use super::tool_plan::ToolPlanner;
use crate::Runtime;
use crate::call::{AuthorizationPolicy, CallServices, ToolCall};
use crate::dispatch::TicketWithdrawal;
use crate::dispatch::execution_policy::{ApprovedCall, ClaimResult, ExecutionPolicy, Retries};
use crate::dispatch::pipeline::PolicyDecision;
use crate::dispatch::refusal::Refusal;
use crate::key_ring::KeyRing;
use crate::timer::Timer;
use crate::tool::registry::{CompiledTool, RegisteredTool};
use crate::tool::{Attachment, CallScope};

/// The handle that calls and the pipeline hold.
#[derive(Debug)]
struct PolicyHandle(Arc<PolicyState>);

/// The policies as execution and authorization use them.
type PolicyHandles = (Option<Arc<dyn ExecutionPolicy>>, Option<Arc<dyn AuthorizationPolicy>>);

/// The policies of one runtime: the services that decide, claim and keep for its calls.
pub struct PolicyState {
    planner: ToolPlanner,
    /// The stores, and their time.
    pub stores: Arc<StoreClient>,
    pub(super) claims: Arc<KeyClaims>,
    pub(super) approvals: Approvals,
    pub(super) events: Arc<EventAnnouncer>,
    pub(super) limits: CallLimits,
    pub(super) spending: Arc<SpendingLimits>,
    pub(super) cache: Arc<ReadCache>,
    /// Long answers, attachments, and other texts of callers.
    pub outputs: Outputs,
    /// Texts that callers and hosts keep, and send back.
    pub seals: CallerSeals,
}

impl Policy {
    /// Prepares the plan of each tool, and the state of the policies.
    pub(crate) fn prepare(
        self,
        tools: Vec<CompiledTool>,
        timer: &Arc<dyn Timer>,
    ) -> (Vec<RegisteredTool>, Arc<PolicyState>) {
        let shares = self.shared_limits.map(|store| LimitShares::start(store, timer));
        let counts_allowances = self.budgets.iter().any(|budget| budget.counts_allowances());
        let planner = ToolPlanner {
            rules: self.rules,
            rules_for: self.rules_for,
            has_access_policy: self.access.is_some(),
            has_overall_limit: self.max_in_flight.is_some(),
            timer: timer.clone(),
            shares: shares.clone(),
            budgets: self.budgets,
        };
        let tools = tools.into_iter().map(|tool| planner.plan(tool, None)).collect();
        let keys = self.keys.or_else(|| KeyRing::ephemeral().ok()).map(Arc::new);
        let stores =
            StoreClient::new(self.stores.resolve(), self.clock, timer.clone(), self.archive_after);
        let stores = Arc::new(stores);
        let events = Arc::new(EventAnnouncer {
            stores: stores.clone(),
            keys: keys.clone(),
            receivers: self.event_receivers,
            max_queued: self.max_queued_events,
            lifetime: self.event_lifetime,
            stored: Event::new(),
        });
        let spending = Arc::new(SpendingLimits {
            stores: stores.clone(),
            observers: self.budget_observers,
            events: events.clone(),
            counts_allowances,
        });
        let claims = Arc::new(KeyClaims {
            stores: stores.clone(),
            spending: spending.clone(),
            events: events.clone(),
            unknown_per_caller: self.unknown_per_caller,
        });
        let state = PolicyState {
            planner,
            approvals: Approvals {
                stores: stores.clone(),
                claims: claims.clone(),
                spending: spending.clone(),
                events: events.clone(),
                keys: keys.clone(),
                access: self.access,
                approver: self.approver,
                ticket_lifetime: self.ticket_lifetime,
                tickets_per_caller: self.tickets_per_caller,
            },
            events,
            limits: CallLimits {
                timer: timer.clone(),
                concurrency: self.max_in_flight.and_then(|limit| {
                    ConcurrencyLimit::new(limit, self.max_queue, "", shares.as_ref())
                }),
                rejected_calls: RejectedCallLimit::new(self.correction_budget),
            },
            spending,
            cache: Arc::new(ReadCache::new(self.cache_bytes, timer.clone())),
            outputs: Outputs {
                stores: stores.clone(),
                lifetime: self.output_lifetime,
                token_counter: self.token_counter,
            },
            seals: CallerSeals { stores: stores.clone(), keys, lifetime: self.ticket_lifetime },
            claims,
            stores,
        };
        (tools, Arc::new(state))
    }
}

impl PolicyState {
    /// Prepares the plan of a tool that is added to the catalogue, or replaces this one there.
    pub(crate) fn plan_tool(
        &self,
        tool: CompiledTool,
        replaced: Option<&RegisteredTool>,
    ) -> RegisteredTool {
        self.planner.plan(tool, replaced)
    }

    /// Lists the limits of budgets.
    #[must_use]
    pub fn budget_limits(&self) -> Vec<ConfiguredLimit> {
        self.planner.budgets.iter().flat_map(|budget| budget.limits()).collect()
    }

    /// Returns the policies as calls and the pipeline use them.
    pub(crate) fn handles(state: &Arc<Self>) -> PolicyHandles {
        let handle = Arc::new(PolicyHandle(state.clone()));
        (Some(handle.clone()), Some(handle))
    }
}

/// Limits calls to `limit` at once; `build()` refuses a limit of 0.
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
        self.0.outputs.store_attachments(scope, attachments).boxed()
    }
}

impl AuthorizationPolicy for PolicyHandle {
    fn authorize<'c>(
        &'c self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<PolicyDecision, Box<Refusal>>> {
        self.0.approvals.authorize(call).boxed()
    }

    fn request_approval<'c>(
        &'c self,
        call: &'c mut ToolCall,
        reason: Option<String>,
    ) -> BoxFuture<'c, Result<(), Box<Refusal>>> {
        self.0.approvals.request_approval(call, reason).boxed()
    }

    fn withdrawn(
        &self,
        call: &ToolCall,
        ticket: Uuid,
        how: TicketWithdrawal,
    ) -> BoxFuture<'static, ()> {
        let events = Arc::clone(&self.0.events);
        let batch = match how {
            TicketWithdrawal::Declined => {
                let decision = TicketDecision::Declined { by: call.approval().decliner.as_deref() };
                events.decided(ticket, call.cx().tenant_id(), call.name(), decision)
            }
            // The messages of these ends are stored with the ticket.
            TicketWithdrawal::Superseded | TicketWithdrawal::Expired => events.none(),
        };
        let end = async move {
            let end = events.end_ticket(ticket, ticket_end_of(how), batch, STORE_TIMEOUT).await;
            if let Err(error) = end {
                log_store_error(
                    "a withdrawn ticket was not ended and is valid until it expires",
                    &error,
                );
            }
        };
        end.boxed()
    }

    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal) {
        let rejected_calls = &self.0.limits.rejected_calls;
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
