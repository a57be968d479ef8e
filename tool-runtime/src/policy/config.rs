//! What a host says about how its tools may be used.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::{ToolSpec, ToolkitSpec};

use super::access::AccessPolicy;
use super::approval::Approver;
use super::bounds;
use super::rules::Rules;
use super::ticket::KeyRing;
use crate::dispatch::{BuildProblem, RuntimeBuilder};
use crate::registry::narrowest_first;
use crate::store::{
    Clock, GrantStore, IdempotencyStore, Memory, OutputStore, Store, SystemClock, TicketStore,
};

/// What may delay, refuse or repeat calls: given to [`RuntimeBuilder::policy`].
///
/// Without one, everything here has a sensible default: keys and tickets are kept in memory, reads
/// are tried up to three times, an answer with a `ttl` is kept fresh, and nobody is limited.
///
/// ```
/// use tool_runtime::policy::{Policy, RateLimit, Rules};
/// use tool_runtime::Runtime;
/// # use tool_runtime::prelude::*;
/// # /// Sends a mail.
/// # #[ai_tool(effect = "write")]
/// # async fn send_mail(dry_run: &DryRun) -> bool { !dry_run.is_active() }
///
/// let policy = Policy::new()
///     .rules(Rules::new().require_idempotency_key(true))
///     .rules_for("send_mail", Rules::new().rate_limit(RateLimit::per_minute(10)?));
/// let runtime = Runtime::builder().tool::<SendMail>().policy(policy).build()?;
/// # let _ = runtime;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Policy {
    pub(super) stores: ChosenStores,
    pub(super) rules: Rules,
    pub(super) rules_for: BTreeMap<String, Rules>,
    pub(super) access: Option<Arc<dyn AccessPolicy>>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) keys: Option<KeyRing>,
    pub(super) ticket_lifetime: Duration,
    pub(super) output_lifetime: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) correction_budget: u32,
    pub(super) max_in_flight: Option<usize>,
    pub(super) max_queue: usize,
    pub(super) cache_bytes: u64,
    pub(super) unknown_per_caller: usize,
    pub(super) tickets_per_caller: usize,
    pub(super) archive_after: Duration,
}

/// Where what must survive is kept.
#[derive(Clone)]
pub(super) struct Stores {
    pub(super) keys: Arc<dyn IdempotencyStore>,
    pub(super) tickets: Arc<dyn TicketStore>,
    pub(super) grants: Arc<dyn GrantStore>,
    pub(super) outputs: Arc<dyn OutputStore>,
}

/// What the host chose, each or all at once.
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
    /// Each one's own, else the one for all, else memory.
    pub(super) fn resolve(self) -> Stores {
        let all = self.all.unwrap_or_else(|| Stores::all(Memory::new()));
        Stores {
            keys: self.keys.unwrap_or(all.keys),
            tickets: self.tickets.unwrap_or(all.tickets),
            grants: self.grants.unwrap_or(all.grants),
            outputs: self.outputs.unwrap_or(all.outputs),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            stores: ChosenStores::default(),
            rules: Rules::new(),
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
            cache_bytes: 16 * 1024 * 1024,
            unknown_per_caller: 1_000,
            tickets_per_caller: 1_000,
            archive_after: Duration::from_secs(30 * 24 * 60 * 60),
        }
    }
}

impl Policy {
    /// Starts with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps keys, tickets, grants and long answers in one store.
    pub fn store(mut self, store: impl Store) -> Self {
        self.stores.all = Some(Stores::all(store));
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

    /// Keeps long answers in a store of their own.
    pub fn output_store(mut self, store: impl OutputStore) -> Self {
        self.stores.outputs = Some(Arc::new(store));
        self
    }

    /// Sets the rules for all tools.
    pub fn rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the rules for a tool, or for all tools of a toolkit; a tool's own win.
    pub fn rules_for(mut self, tool_or_toolkit: impl Into<String>, rules: Rules) -> Self {
        self.rules_for.insert(tool_or_toolkit.into(), rules);
        self
    }

    /// Lets a rule of the host's decide about each call.
    pub fn access(mut self, policy: impl AccessPolicy) -> Self {
        self.access = Some(Arc::new(policy));
        self
    }

    /// Lets somebody in this process decide about calls that ask for permission.
    ///
    /// Without one, or if they defer, the call is answered with a ticket.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the keys that tickets are signed and sealed with.
    ///
    /// Without them, tickets end with this process: set them where another one shall resume calls.
    pub fn ticket_keys(mut self, keys: KeyRing) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets how long a ticket waits for a decision; a day if it is not set.
    pub fn ticket_lifetime(mut self, time: Duration) -> Self {
        self.ticket_lifetime = time;
        self
    }

    /// Sets how long an answer that was too long for a model can be read; an hour if it is not set.
    pub fn output_lifetime(mut self, time: Duration) -> Self {
        self.output_lifetime = time;
        self
    }

    /// Sets the clock for leases, expiry and retention.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets at which refused call of one tool in one run the model is told to stop; the third if it
    /// is not set, 0 for never.
    pub fn correction_budget(mut self, calls: u32) -> Self {
        self.correction_budget = calls;
        self
    }

    /// Sets how many calls are under way at once, of all tools together; without bound if it is
    /// not set.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = Some(calls);
        self
    }

    /// Sets how many calls may queue for [`max_in_flight`](Self::max_in_flight), 1,024 if it is not
    /// set; further ones are answered `UNAVAILABLE`.
    pub fn max_queue(mut self, calls: usize) -> Self {
        self.max_queue = calls;
        self
    }

    /// Sets how many unknown outcomes one caller may have in a tenant, 1,000 if it is not set.
    ///
    /// The caller is the call's actor, which over HTTP is the service or the key that was proven,
    /// else its user. Beyond it, its keyed writes under new keys are answered `RATE_LIMITED`, reason
    /// `unknown_outcomes_full`, until some are [resolved](crate::Runtime::resolve_outcome) or
    /// [archived](Self::archive_unknown_after). No other caller is refused for it.
    pub fn unknown_per_caller(mut self, outcomes: usize) -> Self {
        self.unknown_per_caller = outcomes;
        self
    }

    /// Sets how many tickets of one caller may wait in a tenant, 1,000 if it is not set, and with
    /// them at most 8 MiB of sealed calls.
    ///
    /// Beyond it, a call that needs a ticket is answered `RATE_LIMITED`, reason
    /// `waiting_tickets_full`, until some are decided or have expired.
    pub fn tickets_per_caller(mut self, tickets: usize) -> Self {
        self.tickets_per_caller = tickets;
        self
    }

    /// Sets after what time an unknown outcome that stays unresolved is archived, 30 days if it is
    /// not set.
    ///
    /// An archived record is small, goes on refusing a repeat (reason `outcome_archived`), and counts
    /// against no share.
    pub fn archive_unknown_after(mut self, time: Duration) -> Self {
        self.archive_after = time;
        self
    }

    /// Sets how many bytes of fresh answers are kept to be served again; 16 MiB if it is not set.
    ///
    /// Beyond that those that are asked for least go, of whichever tenant: that costs the tool a
    /// call, and refuses nobody.
    pub fn cache_bytes(mut self, bytes: u64) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// The rules for a tool: its own, its toolkit's, those for all.
    pub(super) fn rules_of(&self, tool: &ToolSpec) -> Rules {
        let narrower = narrowest_first(tool.name(), tool.toolkit().map(ToolkitSpec::name));
        let said = narrower.filter_map(|name| self.rules_for.get(name));
        said.fold(Rules::new(), Rules::or).or(&self.rules)
    }

    /// Everything that is out of place, given the names of all tools and toolkits.
    pub(crate) fn check(&self, known: &BTreeSet<&str>) -> Vec<BuildProblem> {
        let unknown = self.rules_for.keys().filter(|name| !known.contains(&***name));
        let unknown = unknown.map(|name| BuildProblem::UnknownRules { name: name.clone() });
        let rules = self.rules_for.values().chain([&self.rules]).flat_map(bounds::check);
        unknown.chain(rules).chain(bounds::check_policy(self)).collect()
    }
}

impl RuntimeBuilder {
    /// Sets what may delay, refuse or repeat calls.
    ///
    /// It replaces a policy that was given before. The [store](Self::store) that the builder was
    /// given stays, unless the policy brings one of its own.
    #[must_use]
    pub fn policy(mut self, mut policy: Policy) -> Self {
        policy.stores.all = policy.stores.all.or(self.policy.stores.all);
        self.policy = policy;
        self
    }

    /// Keeps idempotency keys, tickets, grants and long answers in this store; in memory if there is
    /// none.
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
