//! The settings of a runtime's policies.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::ToolSpec;
use uuid::Uuid;

use super::access::AccessPolicy;
use super::approval::Approver;
use super::events::{self, EventReceiver};
use super::settings_check;
use super::spending::{self, ObserveBudgets, SpendingLimit};
use super::tool_policy::ToolPolicy;
use crate::key_ring::KeyRing;
use crate::runtime::RuntimeBuilder;
use crate::store::{
    Clock, GrantStore, IdempotencyStore, LimitStore, MemoryStore, OutputStore, Store, SystemClock,
    TicketStore, TransactionScope,
};
use crate::tokens::{TokenCounter, TokenEstimate};
use crate::tool::BuildProblem;

/// Rules that delay, refuse or repeat calls; set with [`RuntimeBuilder::policy`].
///
/// Every setting has a default: keys and tickets are kept in memory, reads are tried up to three
/// times, answers with a `ttl` are cached, and no rate or concurrency is limited.
///
/// ```
/// use tool_runtime::policy::{Policy, RateLimit, ToolPolicy};
/// use tool_runtime::Runtime;
/// # use tool_runtime::prelude::*;
/// # /// Sends a mail.
/// # #[ai_tool(effect = "write")]
/// # async fn send_mail(dry_run: &DryRun) -> bool { !dry_run.is_active() }
///
/// let policy = Policy::new()
///     .rules(ToolPolicy::new().require_idempotency_key(true))
///     .rules_for("send_mail", ToolPolicy::new().rate_limit(RateLimit::per_minute(10)?));
/// let runtime = Runtime::builder().tool::<SendMailTool>().policy(policy).build()?;
/// # let _ = runtime;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Policy {
    pub(super) stores: ChosenStores,
    pub(super) rules: ToolPolicy,
    pub(super) rules_for: BTreeMap<String, ToolPolicy>,
    pub(super) access: Option<Arc<dyn AccessPolicy>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) keys: Option<KeyRing>,
    pub(super) ticket_lifetime: Duration,
    pub(super) output_lifetime: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) correction_budget: u32,
    pub(super) max_in_flight: Option<usize>,
    pub(super) max_queue: usize,
    pub(super) shared_limits: Option<Arc<dyn LimitStore>>,
    pub(super) budgets: Vec<Arc<dyn SpendingLimit>>,
    pub(super) budget_observers: Vec<Arc<dyn ObserveBudgets>>,
    pub(super) event_receivers: Vec<EventReceiver>,
    pub(super) max_queued_events: usize,
    pub(super) event_lifetime: Duration,
    pub(super) cache_bytes: u64,
    pub(super) unknown_per_caller: usize,
    pub(super) tickets_per_caller: usize,
    pub(super) archive_after: Duration,
    pub(super) token_counter: Arc<dyn TokenCounter>,
}

/// The stores of a runtime.
#[derive(Clone)]
pub(super) struct Stores {
    pub(super) keys: Arc<dyn IdempotencyStore>,
    pub(super) tickets: Arc<dyn TicketStore>,
    pub(super) grants: Arc<dyn GrantStore>,
    pub(super) outputs: Arc<dyn OutputStore>,
}

/// The stores that the host set: one for everything, or one for each purpose.
#[derive(Clone, Default)]
pub(super) struct ChosenStores {
    all: Option<Stores>,
    keys: Option<Arc<dyn IdempotencyStore>>,
    tickets: Option<Arc<dyn TicketStore>>,
    grants: Option<Arc<dyn GrantStore>>,
    outputs: Option<Arc<dyn OutputStore>>,
}

impl Stores {
    fn all(store: impl Store) -> Self {
        let store = Arc::new(store);
        Self { keys: store.clone(), tickets: store.clone(), grants: store.clone(), outputs: store }
    }
}

impl ChosenStores {
    /// Returns the store of keys that the host set.
    fn keys(&self) -> Option<&Arc<dyn IdempotencyStore>> {
        self.keys.as_ref().or_else(|| self.all.as_ref().map(|all| &all.keys))
    }

    /// Returns the store of tickets that the host set.
    fn tickets(&self) -> Option<&Arc<dyn TicketStore>> {
        self.tickets.as_ref().or_else(|| self.all.as_ref().map(|all| &all.tickets))
    }

    /// Takes the store for each purpose, else the one for everything, else memory.
    pub(super) fn resolve(self) -> Stores {
        let default_stores = self.all.unwrap_or_else(|| Stores::all(MemoryStore::new()));
        Stores {
            keys: self.keys.unwrap_or(default_stores.keys),
            tickets: self.tickets.unwrap_or(default_stores.tickets),
            grants: self.grants.unwrap_or(default_stores.grants),
            outputs: self.outputs.unwrap_or(default_stores.outputs),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            stores: ChosenStores::default(),
            rules: ToolPolicy::new(),
            rules_for: BTreeMap::new(),
            access: None,
            approver: None,
            keys: None,
            ticket_lifetime: Duration::from_secs(24 * 60 * 60),
            output_lifetime: Duration::from_secs(60 * 60),
            clock: Arc::new(SystemClock),
            correction_budget: 3,
            max_in_flight: None,
            max_queue: 1_024,
            shared_limits: None,
            budgets: Vec::new(),
            budget_observers: Vec::new(),
            event_receivers: Vec::new(),
            max_queued_events: 10_000,
            event_lifetime: Duration::from_secs(30 * 24 * 60 * 60),
            cache_bytes: 16 * 1024 * 1024,
            unknown_per_caller: 1_000,
            tickets_per_caller: 1_000,
            archive_after: Duration::from_secs(30 * 24 * 60 * 60),
            token_counter: Arc::new(TokenEstimate),
        }
    }
}

impl Policy {
    /// Finds the budgets that do not fit a tool.
    pub(crate) fn check_budgets(&self, tool: &ToolSpec) -> Vec<BuildProblem> {
        spending::check(tool, &self.budgets)
    }

    /// Returns whether a tool can borrow a transaction of this type from the store of keys.
    pub(crate) fn has_transaction(&self, id: TypeId) -> bool {
        let keys = self.stores.keys();
        let scope = TransactionScope::new(Uuid::nil(), Duration::ZERO);
        let transaction = keys.and_then(|keys| keys.transaction(scope));
        transaction.is_some_and(|transaction| (*transaction.into_any()).type_id() == id)
    }

    /// Creates a policy with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores this policy's idempotency keys, tickets, grants and outputs in one store.
    ///
    /// [`RuntimeBuilder::store`] stores the same, and the later of the two applies. A store for one
    /// purpose, such as [`ticket_store`](Self::ticket_store), takes precedence over both.
    pub fn store(mut self, store: impl Store) -> Self {
        self.stores.all = Some(Stores::all(store));
        self
    }

    /// Sets the counter by which results are kept within the context's `budget_tokens`; an
    /// estimate by default. See [`ToolCall::for_model`](crate::ToolCall::for_model).
    pub fn token_counter(mut self, counter: impl TokenCounter + 'static) -> Self {
        self.token_counter = Arc::new(counter);
        self
    }

    /// Keeps idempotency keys in a store of their own.
    pub fn idempotency_store(mut self, store: impl IdempotencyStore) -> Self {
        self.stores.keys = Some(Arc::new(store));
        self
    }

    /// Keeps tickets in a store of their own.
    pub fn ticket_store(mut self, store: impl TicketStore) -> Self {
        self.stores.tickets = Some(Arc::new(store));
        self
    }

    /// Keeps standing grants in a store of their own.
    pub fn grant_store(mut self, store: impl GrantStore) -> Self {
        self.stores.grants = Some(Arc::new(store));
        self
    }

    /// Keeps long outputs in a store of their own.
    pub fn output_store(mut self, store: impl OutputStore) -> Self {
        self.stores.outputs = Some(Arc::new(store));
        self
    }

    /// Shares the limits of tools with all replicas that use the same store: rates, concurrent calls
    /// ([`max_in_flight`](Self::max_in_flight) too) and open circuit breakers. Default: each replica has its own.
    ///
    /// All replicas need the same settings. A replica takes a share of each limit that its calls use, and
    /// exchanges it in the background, so that a call waits for the store only if its replica has no share: one
    /// that has not called for 200 ms, or a rate that allows few calls. While the store fails, the limits count in
    /// each replica alone.
    pub fn share_limits(mut self, store: impl LimitStore) -> Self {
        self.shared_limits = Some(Arc::new(store));
        self
    }

    /// Adds a budget: a limit on what calls spend, which no crash, race or retry exceeds.
    ///
    /// Each budget holds by itself: a call needs room in all that concern it. The amounts are stored beside the
    /// idempotency keys ([`IdempotencyStore::budgets`]), in the store of this policy.
    pub fn budget(mut self, budget: impl SpendingLimit) -> Self {
        self.budgets.push(Arc::new(budget));
        self
    }

    /// Adds several budgets, such as those of a file.
    pub fn budgets(mut self, budgets: impl IntoIterator<Item = impl SpendingLimit>) -> Self {
        let budgets = budgets.into_iter().map(|budget| Arc::new(budget) as Arc<dyn SpendingLimit>);
        self.budgets.extend(budgets);
        self
    }

    /// Adds an observer of budgets, which is warned when most of a limit is used: an [`ObserveBudgets`], or a closure.
    pub fn observe_budgets(mut self, observer: impl ObserveBudgets) -> Self {
        self.budget_observers.push(Arc::new(observer));
        self
    }

    /// Adds a receiver of events, such as of calls that wait for a decision.
    ///
    /// An event is stored in the transaction of what it reports, in the store of tickets, and stays there until it is
    /// delivered: see [`Runtime::events`](crate::Runtime::events). Set [`ticket_keys`](Self::ticket_keys): events are
    /// sealed, and without these keys no later process can read them.
    pub fn event_receiver(mut self, receiver: EventReceiver) -> Self {
        self.event_receivers.push(receiver);
        self
    }

    /// Adds several receivers of events, such as those of webhooks.
    pub fn event_receivers(mut self, receivers: impl IntoIterator<Item = EventReceiver>) -> Self {
        self.event_receivers.extend(receivers);
        self
    }

    /// Sets how many events of one tenant to one receiver may wait for their delivery; 10,000 by default. As many more are
    /// stored as undelivered (see [`Events::undelivered`](crate::policy::Events::undelivered)), and those beyond are lost.
    pub fn max_queued_events(mut self, events: usize) -> Self {
        self.max_queued_events = events;
        self
    }

    /// Sets how long an event is stored that is not delivered; 30 days by default, seven at least.
    pub fn event_lifetime(mut self, time: Duration) -> Self {
        self.event_lifetime = time;
        self
    }

    /// Sets the rules for all tools.
    pub fn rules(mut self, rules: ToolPolicy) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the rules for a tool, or for all tools of a toolkit; a tool's own rules come first.
    pub fn rules_for(mut self, tool_or_toolkit: impl Into<String>, rules: ToolPolicy) -> Self {
        self.rules_for.insert(tool_or_toolkit.into(), rules);
        self
    }

    /// Sets the host's own rule, which decides about each call.
    pub fn access(mut self, policy: impl AccessPolicy) -> Self {
        self.access = Some(Arc::new(policy));
        self
    }

    /// Sets the approver in this process, which decides about calls that need an approval.
    ///
    /// Without one, or if it defers, the call is answered with a ticket.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the keys that tickets are signed and sealed with.
    ///
    /// Without them, tickets are valid in this process only: set them to resume calls in another.
    pub fn ticket_keys(mut self, keys: KeyRing) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets how long a ticket waits for a decision; a day by default.
    pub fn ticket_lifetime(mut self, time: Duration) -> Self {
        self.ticket_lifetime = time;
        self
    }

    /// Sets how long an output that was too long for a model can be read; an hour by default.
    pub fn output_lifetime(mut self, time: Duration) -> Self {
        self.output_lifetime = time;
        self
    }

    /// Sets the clock for leases, expiry and retention.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets after how many rejected calls of one tool in one run the model is told to stop; 3 by
    /// default, 0 for never.
    pub fn correction_budget(mut self, calls: u32) -> Self {
        self.correction_budget = calls;
        self
    }

    /// Sets how many calls of all tools together run at once; unbounded by default.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = Some(calls);
        self
    }

    /// Sets how many calls may queue for [`max_in_flight`](Self::max_in_flight), 1,024 by default;
    /// further calls are answered `UNAVAILABLE`.
    pub fn max_queue(mut self, calls: usize) -> Self {
        self.max_queue = calls;
        self
    }

    /// Sets how many unknown outcomes one caller may have in a tenant; 1,000 by default.
    ///
    /// The caller is the call's actor, which over HTTP is the authenticated service or key, else
    /// its user. Beyond this quota, the caller's writes under new keys are answered
    /// `RATE_LIMITED`, reason `unknown_outcomes_full`, until some are
    /// [resolved](crate::policy::Outcomes::resolve) or [archived](Self::archive_unknown_after).
    /// Other callers are not affected.
    pub fn unknown_per_caller(mut self, outcomes: usize) -> Self {
        self.unknown_per_caller = outcomes;
        self
    }

    /// Sets how many tickets of one caller may wait in a tenant; 1,000 by default. Their sealed
    /// calls have at most 8 MiB.
    ///
    /// Beyond this quota, a call that needs a ticket is answered `RATE_LIMITED`, reason
    /// `waiting_tickets_full`, until some tickets are decided or expire.
    pub fn tickets_per_caller(mut self, tickets: usize) -> Self {
        self.tickets_per_caller = tickets;
        self
    }

    /// Sets the time after which an unresolved unknown outcome is archived; 30 days by default.
    ///
    /// An archived record is small, still refuses a repeat (reason `outcome_archived`), and counts
    /// against no quota.
    pub fn archive_unknown_after(mut self, time: Duration) -> Self {
        self.archive_after = time;
        self
    }

    /// Sets the size of the cache for answers with a `ttl`, in bytes; 16 MiB by default.
    ///
    /// Above it, the least used answers of all tenants are evicted; the next call runs its tool.
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Returns the problems of the settings, given the names of all tools and toolkits; none if
    /// rules may name tools that come later.
    pub(crate) fn check(&self, known: Option<&BTreeSet<&str>>) -> Vec<BuildProblem> {
        let is_unknown = |name: &&String| known.is_some_and(|known| !known.contains(&***name));
        let unknown = self.rules_for.keys().filter(is_unknown);
        let unknown = unknown.map(|name| BuildProblem::UnknownRules { name: name.clone() });
        let rules = self.rules_for.values().chain([&self.rules]).flat_map(settings_check::check);
        let has_no_budgets = self.stores.keys().is_some_and(|keys| keys.budgets().is_none());
        let unstored =
            (!self.budgets.is_empty() && has_no_budgets).then_some(BuildProblem::BudgetsNotStored);
        let has_outbox = self.stores.tickets().is_none_or(|tickets| tickets.outbox().is_some());
        let receivers = events::check(&self.event_receivers, has_outbox);
        let unknown = unknown.chain(unstored).chain(spending::problems(&self.budgets));
        let unknown = unknown.chain(receivers);
        unknown.chain(rules).chain(settings_check::check_policy(self)).collect()
    }
}

impl RuntimeBuilder {
    /// Sets the policies: permission, idempotency, limits, retries, caching.
    ///
    /// It replaces an earlier policy. The builder's [store](Self::store) stays, unless the policy
    /// has one of its own.
    #[must_use]
    pub fn policy(mut self, mut policy: Policy) -> Self {
        policy.stores.all = policy.stores.all.or(self.policy.stores.all);
        self.policy = policy;
        self
    }

    /// Stores idempotency keys, tickets, grants and outputs; in memory by default.
    ///
    /// [`Policy::store`] stores the same for a policy: a policy that is set later replaces this
    /// store only if it has a store of its own.
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.policy = self.policy.store(store);
        self
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("rules", &self.rules)
            .field("rules_for", &self.rules_for)
            .field("ticket_lifetime", &self.ticket_lifetime)
            .finish_non_exhaustive()
    }
}
