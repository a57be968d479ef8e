//! Limits on what calls spend: the seam for budgets, which are a crate of their own.
//!
//! A limit prepares itself for each tool, and says what a call needs of its accounts. Here these
//! needs are reserved with the call's key, shown, refused, and settled.

mod call_spending;
mod limits;
mod warning;

use std::fmt;
use std::sync::Arc;

use tool_contracts::{ErrorCode, ToolContext, ToolSpec};

pub(super) use self::call_spending::CallSpending;
pub(super) use self::limits::SpendingLimits;
pub use self::warning::{BudgetWarning, ObserveBudgets};
use crate::failure::Failure;
use crate::refusal_reason::RefusalReason;
use crate::store::{BudgetUnit, Reservation, UnixMillis};
use crate::tool::registry::CostEstimate;
use crate::tool::{BuildProblem, CallScope, catch_panic};

/// A limit on what the calls of tools spend, such as `budgets::Budget`.
pub trait SpendingLimit: Send + Sync + 'static {
    /// Lists what is wrong with the limit itself, each with its cure. The runtime is not built with one.
    fn problems(&self) -> Vec<String>;

    /// Prepares the limit for the calls of a tool; none if it does not concern them.
    ///
    /// # Errors
    /// Says what in the tool or in the limit is wrong, and the cure. The runtime is not built.
    fn for_tool(&self, tool: &ToolSpec) -> Result<Option<Arc<dyn ToolSpendingLimit>>, String>;

    /// Lists its limits, which a host lists, changes and pauses.
    fn limits(&self) -> Vec<ConfiguredLimit>;

    /// Returns whether it counts the allowances of contexts. Without such a limit, a write whose context has an
    /// allowance is refused.
    fn counts_allowances(&self) -> bool {
        false
    }
}

/// A limit on what the calls of one tool spend.
pub trait ToolSpendingLimit: Send + Sync + fmt::Debug {
    /// Returns the amounts that a call needs; none if it spends nothing.
    ///
    /// # Errors
    /// The call is refused with the failure: an amount cannot be read, or is in a currency without a limit.
    fn demands(&self, call: &SpendingCall<'_>) -> Result<Vec<Demand>, Failure>;

    /// Returns whether a person may have to decide about a call because of this limit. Where none of a tool's limits can
    /// ask, the demands of a call are computed once, when its key is claimed. The default is true.
    fn may_ask(&self) -> bool {
        true
    }
}

/// A limit of a budget, as the host has configured it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the crate of budgets makes it")]
pub struct ConfiguredLimit {
    /// The budget's name.
    pub budget: Box<str>,
    /// The name of the limit, such as `day`.
    pub limit: Box<str>,
    /// The unit.
    pub unit: BudgetUnit,
    /// The configured amount; none for a budget that has no limit, and only asks or demands mandates.
    pub amount: Option<u64>,
}

/// A limit of a budget with the host's changes of it, which are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the store of budgets makes it")]
pub struct LimitState {
    /// The limit.
    pub limit: ConfiguredLimit,
    /// True if every call that the limit concerns is refused.
    pub paused: bool,
    /// The amount in place of the configured one, if the host has changed it.
    pub changed_to: Option<u64>,
}

/// A call that is about to spend.
#[derive(Debug, Clone, Copy)]
pub struct SpendingCall<'c> {
    scope: &'c CallScope,
    now: UnixMillis,
}

impl<'c> SpendingCall<'c> {
    fn new(scope: &'c CallScope, now: UnixMillis) -> Self {
        Self { scope, now }
    }

    /// Returns the call's context: tenant, user, actor.
    #[must_use]
    pub fn cx(&self) -> &'c ToolContext {
        self.scope.cx()
    }

    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &'c ToolSpec {
        self.scope.tool()
    }

    /// Returns the admitted arguments as JSON text, including secrets.
    #[must_use]
    pub fn arguments(&self) -> &'c str {
        self.scope.arguments()
    }

    /// Estimates the cost of the call by the function that its tool names; none for a call that costs nothing.
    ///
    /// # Errors
    /// Returns an error if the tool names no such function, the arguments cannot be read, or the function panics.
    pub fn estimate(&self) -> Result<Option<CostEstimate>, Failure> {
        let Some(estimate) = self.scope.registered().behavior.estimate else {
            let log = "`x-cost` is `estimated`, and the tool has no function that estimates it: mark an \
                       amount such as `0.02 USD`";
            return Err(Failure::from_code(ErrorCode::ComplianceBlocked)
                .with_message("the cost of this call is not known, so it was not run")
                .with_reason(RefusalReason::BudgetExceeded)
                .with_log(log));
        };
        match catch_panic(|| estimate(self.scope).ok()) {
            Ok(Some(cost)) => Ok(cost),
            Ok(None) => Err(Failure::from_code(ErrorCode::InvalidArgument)
                .with_message("the cost of the call cannot be estimated from its arguments")),
            Err(text) => Err(Failure::from_code(ErrorCode::Internal)
                .with_log(format!("the estimate of a cost panicked: {text}"))),
        }
    }

    /// Returns the whole call, as its tool sees it.
    #[must_use]
    pub fn scope(&self) -> &'c CallScope {
        self.scope
    }

    /// Returns the time of the host's clock, by which windows of the calendar begin and end.
    #[must_use]
    pub fn now(&self) -> UnixMillis {
        self.now
    }
}

/// The demand of a call on one account.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "the crate of budgets makes it")]
pub struct Demand {
    /// The amount, its account, and the limit.
    pub reservation: Reservation,
    /// The reason for which a person decides about the call, whatever is left.
    pub asks: Option<String>,
    /// The treatment of a call that exceeds the limit.
    pub over: OverLimit,
    /// The words for the window in a sentence, such as `today`.
    pub window: Box<str>,
    /// The time at which a window of the calendar ends.
    pub renews_at: Option<UnixMillis>,
    /// The used part of the limit at which the host is warned, in percent; none for no warning.
    pub warn_at: Option<u8>,
    /// The proof that a person set the limit, if the limit needs one.
    pub proof: Option<SpendingProof>,
    /// False if the caller reads neither amounts nor names of the budget.
    pub is_visible: bool,
}

/// A proof that a person set what a call may spend, such as a signed mandate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the crate of budgets makes it")]
pub struct SpendingProof {
    /// The name under which records have it.
    pub name: Box<str>,
    /// The SHA-256 of the proof's text, as hexadecimal digits.
    pub sha256: Box<str>,
}

/// The treatment of a call that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_enums, reason = "a call runs, waits for a person, or is refused")]
pub enum OverLimit {
    /// It is refused.
    #[default]
    Refuse,
    /// A person with the right to exceed the budget decides.
    Ask,
}

/// Prepares the budgets for a tool. One that does not fit the tool refuses each of its calls.
pub(super) fn limits_of(
    tool: &ToolSpec,
    budgets: &[Arc<dyn SpendingLimit>],
) -> Vec<Arc<dyn ToolSpendingLimit>> {
    let prepared = budgets.iter().filter_map(|budget| match prepare(&**budget, tool) {
        Ok(limit) => limit,
        Err(log) => Some(Arc::new(MisfitLimit { log }) as Arc<dyn ToolSpendingLimit>),
    });
    prepared.collect()
}

/// Finds what is wrong with budgets themselves.
pub(super) fn problems(budgets: &[Arc<dyn SpendingLimit>]) -> Vec<BuildProblem> {
    let problems = budgets.iter().flat_map(|budget| {
        catch_panic(|| budget.problems())
            .unwrap_or_else(|text| vec![format!("a budget panicked: {text}")])
    });
    problems.map(|why| BuildProblem::InvalidBudget { why }).collect()
}

/// Finds the budgets that do not fit a tool.
pub(crate) fn check(tool: &ToolSpec, budgets: &[Arc<dyn SpendingLimit>]) -> Vec<BuildProblem> {
    let wrong = budgets.iter().filter_map(|budget| prepare(&**budget, tool).err());
    wrong.map(|why| BuildProblem::BudgetMismatch { tool: tool.name().to_owned(), why }).collect()
}

fn prepare(
    budget: &dyn SpendingLimit,
    tool: &ToolSpec,
) -> Result<Option<Arc<dyn ToolSpendingLimit>>, String> {
    let prepared = catch_panic(|| budget.for_tool(tool));
    prepared.unwrap_or_else(|text| Err(format!("a budget panicked: {text}")))
}

/// Refuses each call of a tool that came later, and that a budget does not fit.
#[derive(Debug)]
struct MisfitLimit {
    log: String,
}

impl ToolSpendingLimit for MisfitLimit {
    fn demands(&self, _: &SpendingCall<'_>) -> Result<Vec<Demand>, Failure> {
        let failure = Failure::from_code(ErrorCode::ComplianceBlocked)
            .with_message("what this call spends cannot be limited, so it was not run")
            .with_reason(RefusalReason::BudgetExceeded);
        Err(failure.with_log(self.log.clone()))
    }
}
