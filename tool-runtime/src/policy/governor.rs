//! The one implementation of the pipeline's seam: what governs the calls of one runtime.

use std::any::Any;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ToolContext};
use uuid::Uuid;

use super::access::AccessPolicy;
use super::approval::{Approver, end_of};
use super::config::{Policy, Stores};
use super::fresh::FreshAnswers;
use super::idempotency::OutcomeCounts;
use super::limits::{CorrectionBudget, Places, RunKey};
use super::plan::Plan;
use super::retrying;
use super::store_time::StoreTime;
use super::sweeping::Sweeper;
use super::ticket::KeyRing;
use crate::call::{CallApproval, CallScope, TicketWithdrawal, ToolCall};
use crate::dispatch::Runtime;
use crate::dispatch::call_policy::{CallPolicy, Held, PolicyDecision, Retries};
use crate::dispatch::refusal::Refusal;
use crate::registry::Registered;
use crate::store::Clock;
use crate::timer::Timer;

/// What the pipeline holds: a handle to the state below.
#[derive(Debug)]
pub(crate) struct Governor(Arc<State>);

/// What governs the calls of one runtime.
pub(crate) struct State {
    /// By the tools' places in the catalogue.
    plans: Vec<Plan>,
    pub(super) stores: Stores,
    pub(super) access: Option<Arc<dyn AccessPolicy>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    /// None where the system gives no random bytes and the host no keys.
    pub(super) keys: Option<KeyRing>,
    pub(super) ticket_lifetime: Duration,
    pub(super) output_lifetime: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) places: Option<Arc<Places>>,
    pub(super) fresh: Arc<FreshAnswers>,
    pub(super) store_time: StoreTime,
    pub(super) sweeper: Sweeper,
    pub(super) unknown_per_caller: usize,
    pub(super) tickets_per_caller: usize,
    pub(super) archive_after: Duration,
    pub(super) outcomes: OutcomeCounts,
    corrections: CorrectionBudget,
}

impl Policy {
    /// Works out what holds for each tool.
    pub(crate) fn prepare(
        self,
        tools: &mut [Registered],
        timer: &Arc<dyn Timer>,
    ) -> Arc<dyn CallPolicy> {
        let plan = |tool: &mut Registered| {
            let plan = Plan::new(tool, &self.rules_of(&tool.spec), timer);
            tool.policy_stages =
                plan.policy_stages(self.access.is_some(), self.max_in_flight.is_some());
            plan
        };
        let plans = tools.iter_mut().map(plan).collect();
        Arc::new(Governor(Arc::new(State {
            plans,
            places: self.max_in_flight.and_then(|most| places(most, self.max_queue)),
            fresh: Arc::new(FreshAnswers::new(self.cache_bytes)),
            store_time: StoreTime::default(),
            sweeper: Sweeper::default(),
            unknown_per_caller: self.unknown_per_caller,
            tickets_per_caller: self.tickets_per_caller,
            archive_after: self.archive_after,
            outcomes: OutcomeCounts::default(),
            corrections: CorrectionBudget::new(self.correction_budget),
            keys: self.keys.or_else(|| KeyRing::ephemeral().ok()),
            timer: timer.clone(),
            stores: self.stores.resolve(),
            access: self.access,
            approver: self.approver,
            ticket_lifetime: self.ticket_lifetime,
            output_lifetime: self.output_lifetime,
            clock: self.clock,
        })))
    }
}

impl State {
    /// What holds for the tool of a call.
    pub(super) fn plan(&self, scope: &CallScope) -> &Plan {
        &self.plans[scope.registered().index]
    }

    /// What holds for the tool of this name.
    pub(super) fn plan_of(&self, tool: &str) -> Option<&Plan> {
        let found = self.plans.binary_search_by(|plan| (*plan.tool).cmp(tool)).ok()?;
        self.plans.get(found)
    }

    /// What governs the calls of a runtime.
    pub(super) fn of(runtime: &Runtime) -> Option<&Arc<Self>> {
        let governor = runtime.governor()?.as_any().downcast_ref::<Governor>()?;
        Some(&governor.0)
    }
}

/// Places for so many calls at once; the bounds of settings keep out 0.
pub(super) fn places(most: usize, queue: usize) -> Option<Arc<Places>> {
    NonZeroUsize::new(most).map(|most| Arc::new(Places::new(most, queue)))
}

impl CallPolicy for Governor {
    fn authorize<'c>(
        &'c self,
        call: &'c ToolCall,
    ) -> BoxFuture<'c, Result<PolicyDecision, Box<Refusal>>> {
        self.0.rule(call).boxed()
    }

    fn request_approval<'c>(
        &'c self,
        call: &'c mut ToolCall,
        reason: Option<String>,
    ) -> BoxFuture<'c, Result<(), Box<Refusal>>> {
        self.0.ask(call, reason).boxed()
    }

    fn claim<'c>(
        &'c self,
        scope: &'c CallScope,
        consent: &'c CallApproval,
        started: Instant,
    ) -> BoxFuture<'c, Held> {
        self.0.claim(scope, consent, started).boxed()
    }

    fn retries(&self, scope: &CallScope) -> Option<Box<dyn Retries>> {
        retrying::retries(&self.0, scope)
    }

    fn withdrawn(&self, ticket: Uuid, how: TicketWithdrawal) -> BoxFuture<'static, ()> {
        let tickets = self.0.stores.tickets.clone();
        // A ticket that could not be ended expires by itself.
        async move { drop(tickets.end_ticket(ticket, end_of(how)).await) }.boxed()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn refused(&self, tool: &str, cx: &ToolContext, refusal: &mut Refusal) {
        let corrections = &self.0.corrections;
        if refusal.status != CallStatus::Rejected || corrections.most() == 0 {
            return;
        }
        let refused = corrections.refused(&RunKey::of(cx), tool);
        if refused >= corrections.most() {
            refusal.tell_to_stop(refused);
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("plans", &self.plans.len()).finish_non_exhaustive()
    }
}
