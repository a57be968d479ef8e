//! The policy for one tool's calls, prepared before the tool is in the catalogue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tool_contracts::{Effect, Permission, ToolSpec, ToolkitSpec};
use tool_runtime_schema::canonical::{Defaults, Digest};
use tool_runtime_schema::json::normalized;

use super::excerpt::ResultFormat;
use super::limits::{ConcurrencyLimit, LimitShares, SharedBreakers, TenantBreakers, ToolRate};
use super::retry::{RetryBudget, RetryConfig};
use super::spending::{self, SpendingLimit, ToolSpendingLimit};
use super::tool_policy::{ConcurrentRepeat, ToolPolicy};
use crate::timer::Timer;
use crate::tool::CallScope;
use crate::tool::registry::{
    CompiledTool, PolicyStages, RegisteredTool, SHORTEST_RETENTION, narrowest_first,
};

/// The default time after which a key's lease runs out unless it is renewed.
const LEASE: Duration = Duration::from_secs(30);
/// The default bound on the queued calls of a tool.
const QUEUE: usize = 64;
/// The longest time for which an answer is cached.
const MAX_TTL: Duration = Duration::from_secs(366 * 24 * 60 * 60);
/// The default bound on an answer for a model, in bytes.
const OUTPUT_BYTES: usize = 64 * 1024;

/// The policy for one tool's calls: facts of the tool, and the rules that apply to it.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one property of the tool or its rules")]
pub(crate) struct ToolPlan {
    pub(crate) tool: Box<str>,
    pub(crate) version: Box<str>,
    pub(crate) effect: Effect,
    pub(crate) permission: Permission,
    pub(crate) idempotent: bool,
    pub(crate) reconciles: bool,
    pub(crate) forwards_key: bool,
    pub(crate) takes_transaction: bool,
    pub(crate) shared: bool,
    pub(crate) ttl: Option<Duration>,
    /// The hash of the tool's version and schemas.
    pub(crate) schema: Digest,
    pub(crate) defaults: Defaults,
    pub(crate) retry: RetryConfig,
    pub(crate) limits: Arc<ToolLimits>,
    pub(crate) retention: Duration,
    pub(crate) lease: Duration,
    pub(crate) on_concurrent_repeat: ConcurrentRepeat,
    pub(crate) require_key: bool,
    pub(crate) bind_preview: bool,
    pub(crate) max_output_bytes: usize,
    pub(super) result_format: ResultFormat,
    /// The budgets that concern its calls.
    pub(super) spending: Vec<Arc<dyn ToolSpendingLimit>>,
}

/// The limits of a tool's calls with their state, which a replaced tool leaves to its successor.
#[derive(Debug)]
pub(crate) struct ToolLimits {
    pub(crate) retry_budget: RetryBudget,
    pub(crate) breaker: Option<TenantBreakers>,
    pub(crate) rate: Option<ToolRate>,
    pub(crate) concurrency: Option<ConcurrencyLimit>,
}

/// Prepares the plans of tools: the rules that the host has set, and what holds for all tools.
pub(super) struct ToolPlanner {
    pub(super) rules: ToolPolicy,
    pub(super) rules_for: BTreeMap<String, ToolPolicy>,
    pub(super) has_access_policy: bool,
    pub(super) has_overall_limit: bool,
    pub(super) timer: Arc<dyn Timer>,
    /// This replica's shares, if limits are shared with other replicas.
    pub(super) shares: Option<Arc<LimitShares>>,
    pub(super) budgets: Vec<Arc<dyn SpendingLimit>>,
}

impl ToolPlanner {
    /// Prepares the plan of a tool, which may replace another one of the same name.
    pub(super) fn plan(
        &self,
        tool: CompiledTool,
        replaced: Option<&RegisteredTool>,
    ) -> RegisteredTool {
        let toolkit = |spec: &ToolSpec| spec.toolkit().map(|it| it.name().to_owned());
        let same_rules = replaced.filter(|replaced| toolkit(&replaced.spec) == toolkit(&tool.spec));
        let rules = self.rules_of(&tool.spec);
        let limits = same_rules.map_or_else(
            || Arc::new(ToolLimits::new(tool.spec.name(), &rules, self)),
            |replaced| replaced.plan.limits.clone(),
        );
        let spending = spending::limits_of(&tool.spec, &self.budgets);
        let plan = ToolPlan { spending, ..ToolPlan::new(&tool, &rules, limits) };
        let stages = plan.policy_stages(self.has_access_policy, self.has_overall_limit);
        RegisteredTool::new(tool, plan, stages)
    }

    /// Returns the rules for a tool: its own, then its toolkit's, then those for all tools.
    fn rules_of(&self, tool: &ToolSpec) -> ToolPolicy {
        let names = narrowest_first(tool.name(), tool.toolkit().map(ToolkitSpec::name));
        let rules = names.filter_map(|name| self.rules_for.get(name));
        rules.fold(ToolPolicy::new(), ToolPolicy::or).or(&self.rules)
    }
}

impl ToolLimits {
    fn new(tool: &str, rules: &ToolPolicy, planner: &ToolPlanner) -> Self {
        let (timer, shares) = (&planner.timer, planner.shares.as_ref());
        let queue = rules.max_queue.unwrap_or(QUEUE);
        let breakers = || shares.map(|shares| SharedBreakers::new(shares, tool));
        let permits = |limit| ConcurrencyLimit::new(limit, queue, tool, shares);
        Self {
            retry_budget: RetryBudget::new(timer.clone()),
            breaker: rules.breaker.map(|config| TenantBreakers::new(config, breakers())),
            rate: rules.rate.map(|rate| ToolRate::new(rate, timer.clone(), tool, shares)),
            concurrency: rules.max_concurrent.and_then(permits),
        }
    }

    fn is_limited(&self) -> bool {
        self.breaker.is_some() || self.rate.is_some() || self.concurrency.is_some()
    }
}

impl CallScope {
    /// Returns the plan for the call's tool.
    pub(super) fn plan(&self) -> &ToolPlan {
        &self.registered().plan
    }
}

impl ToolPlan {
    fn new(tool: &CompiledTool, rules: &ToolPolicy, limits: Arc<ToolLimits>) -> Self {
        let spec = &tool.spec;
        Self {
            tool: spec.name().into(),
            version: spec.version().into(),
            effect: spec.effect(),
            permission: spec.permission(),
            idempotent: spec.annotations().idempotent(),
            reconciles: tool.behavior.reconciles,
            forwards_key: tool.behavior.forwards_key,
            takes_transaction: tool.behavior.takes_transaction,
            shared: tool.behavior.shared,
            ttl: spec.ttl_seconds().map(Duration::from_secs).map(|ttl| ttl.min(MAX_TTL)),
            schema: fingerprint(spec),
            defaults: Defaults::compile(&Value::Object(spec.input_schema().clone())),
            retry: rules.retry.unwrap_or_default(),
            limits,
            retention: tool.behavior.retention.or(rules.retention).unwrap_or(SHORTEST_RETENTION),
            lease: rules.lease.unwrap_or(LEASE),
            on_concurrent_repeat: rules.on_concurrent_repeat.unwrap_or_default(),
            require_key: rules.require_key.unwrap_or_default(),
            bind_preview: rules.bind_preview.unwrap_or_default(),
            max_output_bytes: rules.max_output_bytes.unwrap_or(OUTPUT_BYTES),
            result_format: rules.result_format.clone().unwrap_or_default(),
            spending: Vec::new(),
        }
    }

    pub(crate) fn writes(&self) -> bool {
        self.effect != Effect::Read
    }

    pub(crate) fn is_limited(&self) -> bool {
        self.limits.is_limited()
    }

    /// Returns the stages that apply to this tool's calls.
    pub(super) fn policy_stages(
        &self,
        has_access_policy: bool,
        has_overall_limit: bool,
    ) -> PolicyStages {
        let limited = self.is_limited();
        PolicyStages {
            authorize: has_access_policy
                || self.permission == Permission::Ask
                || !self.spending.is_empty(),
            claim: self.writes()
                || self.ttl.is_some()
                || limited
                || has_overall_limit
                || !self.spending.is_empty(),
            retry: self.retry.max_attempts() > 1,
        }
    }

    /// Returns whether another attempt may follow one that failed, whether or not that one had its effect.
    pub(crate) fn may_retry(&self) -> bool {
        !self.writes() || self.may_repeat() || self.takes_transaction
    }

    /// Returns whether the tool may run again after a run whose outcome is unknown.
    pub(crate) fn may_repeat(&self) -> bool {
        self.idempotent || self.forwards_key
    }
}

const SCHEMA: &str = "tool-runtime/schema/v1";

/// Hashes the contract that a caller relies on: name, version and both schemas.
fn fingerprint(spec: &ToolSpec) -> Digest {
    let contract = serde_json::json!({
        "name": spec.name(),
        "version": spec.version(),
        "input": spec.input_schema(),
        "output": spec.output_schema(),
    });
    let contract = normalized(contract).to_string();
    // A bound beyond 2^53 has no canonical form; such a contract is hashed as it is written.
    Digest::from_json(SCHEMA, &contract)
        .unwrap_or_else(|_| Digest::compute(SCHEMA, contract.as_bytes()))
}
