//! A budget: its limits, the scope of its sums, and the treatment of a call that exceeds it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use tool_contracts::{Effect, ErrorCode, ToolSpec};
use tool_runtime_core::budget_unit::ALLOWANCE;
use tool_runtime_core::policy::{
    ConfiguredLimit, Demand, OverLimit, SpendingCall, SpendingLimit, ToolSpendingLimit,
};
use tool_runtime_core::store::{BudgetAccount, BudgetUnit, Reservation, ReservationPeriod};
use tool_runtime_core::{Failure, RefusalReason};

#[cfg(feature = "mandates")]
use crate::demanded_mandates::Mandates;
use crate::money;
#[cfg(not(feature = "mandates"))]
use crate::no_mandates::Mandates;
use crate::scope::BudgetScope;
use crate::spends::ToolSpending;
use crate::tool_budget::ToolBudget;
use crate::window::{self, LONGEST_ROLLING, SHORTEST_ROLLING, Window};

/// The name under which the sums of mandates are stored: one for all budgets that demand them.
pub(crate) const MANDATE: &str = "mandate";

/// The most limits of one budget.
const MAX_LIMITS: usize = 16;

/// The part of a limit at which the host is warned, in percent.
const WARN_AT: u8 = 80;

/// The longest name of a budget, in bytes.
const MAX_NAME_LENGTH: usize = 64;

/// A limit on what calls spend, which no crash, race or retry exceeds.
///
/// It counts calls, and the money of tools with marked arguments (`#[arg(spends = "EUR")]`) or a `cost`.
/// A budget with limits of money concerns all tools that spend, one with limits of calls concerns all writes, unless
/// [`tools`](Self::tools), [`toolkits`](Self::toolkits) or [`categories`](Self::categories) name others. Money in a
/// currency in which the budget has no limit is refused.
///
/// ```
/// use tool_runtime::budgets::{Budget, BudgetScope, OverLimit};
/// use tool_runtime::policy::Policy;
///
/// let shopping = Budget::new("shopping")
///     .per_day("500.00 EUR")
///     .per_call("100.00 EUR")
///     .scope(BudgetScope::User)
///     .time_zone("Europe/Berlin")
///     .ask_above("50.00 EUR")
///     .over(OverLimit::Ask);
/// let policy = Policy::new().budget(shopping);
/// # let _ = policy;
/// ```
///
/// Amounts and names are checked when the runtime is built, which reports all problems at once.
#[derive(Debug, Clone)]
#[must_use]
pub struct Budget {
    name: String,
    limits: Vec<Limit>,
    ask_above: Vec<(BudgetUnit, u64)>,
    scope: BudgetScope,
    zone: TimeZone,
    over: OverLimit,
    warn_at: u8,
    is_visible: bool,
    mandates: Option<Mandates>,
    coverage: Coverage,
    problems: Vec<String>,
}

/// An amount, and the window in which it is the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit {
    window: Window,
    unit: BudgetUnit,
    amount: u64,
}

impl Limit {
    /// The limit of a budget that has none.
    const NONE: Self = Self { window: Window::Call, unit: BudgetUnit::Calls, amount: u64::MAX };
}

/// The tools that a budget concerns; all that it can count if no set has a name.
#[derive(Debug, Clone, Default)]
struct Coverage {
    tools: BTreeSet<String>,
    toolkits: BTreeSet<String>,
    categories: BTreeSet<String>,
}

impl Budget {
    /// Creates a budget without limits; its name is that of its sums in the store.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let mut budget = Self {
            limits: Vec::new(),
            ask_above: Vec::new(),
            scope: BudgetScope::default(),
            zone: TimeZone::UTC,
            over: OverLimit::default(),
            warn_at: WARN_AT,
            is_visible: true,
            mandates: None,
            coverage: Coverage::default(),
            problems: Vec::new(),
            name,
        };
        if budget.name.is_empty() || budget.name.len() > MAX_NAME_LENGTH {
            budget.problem(format_args!("its name has 1 to {MAX_NAME_LENGTH} bytes"));
        }
        if budget.name == MANDATE {
            budget.problem(format_args!("the name `{MANDATE}` is that of mandates"));
        }
        if budget.name.starts_with(ALLOWANCE) {
            budget.problem(format_args!(
                "a name that begins with `{ALLOWANCE}` is that of an allowance"
            ));
        }
        budget
    }

    /// Limits each call alone: `100.00 EUR`.
    pub fn per_call(self, amount: &str) -> Self {
        self.limit(Window::Call, amount)
    }

    /// Limits the calls of a run together.
    pub fn per_run(self, amount: &str) -> Self {
        self.limit(Window::Run, amount)
    }

    /// Limits the calls of a session together.
    pub fn per_session(self, amount: &str) -> Self {
        self.limit(Window::Session, amount)
    }

    /// Limits the calls of an hour of the clock.
    pub fn per_hour(self, amount: &str) -> Self {
        self.limit(Window::Hour, amount)
    }

    /// Limits the calls of a day in the budget's [time zone](Self::time_zone).
    pub fn per_day(self, amount: &str) -> Self {
        self.limit(Window::Day, amount)
    }

    /// Limits the calls of a week from Monday in the budget's [time zone](Self::time_zone).
    pub fn per_week(self, amount: &str) -> Self {
        self.limit(Window::Week, amount)
    }

    /// Limits the calls of a month in the budget's [time zone](Self::time_zone).
    pub fn per_month(self, amount: &str) -> Self {
        self.limit(Window::Month, amount)
    }

    /// Limits the calls of the time before each call, of this length: a minute to ten years.
    pub fn rolling(self, window: Duration, amount: &str) -> Self {
        self.limit(Window::Rolling(window), amount)
    }

    /// Limits all calls for ever.
    pub fn lifetime(self, amount: &str) -> Self {
        self.limit(Window::Lifetime, amount)
    }

    /// Adds a limit: an amount of money such as `500.00 EUR`, or a number of calls such as `20 calls`.
    pub fn limit(mut self, window: Window, amount: &str) -> Self {
        if let Window::Rolling(time) = window {
            if !(SHORTEST_ROLLING..=LONGEST_ROLLING).contains(&time) {
                self.problem(format_args!(
                    "a rolling window has a minute to ten years, not {time:?}"
                ));
            }
        }
        let Some((unit, amount)) = self.amount(amount, &window) else { return self };
        if self.limits.iter().any(|limit| (limit.window, limit.unit) == (window, unit)) {
            self.problem(format_args!("the limit `{window}` in {} is given twice", unit.name()));
        } else if self.limits.len() == MAX_LIMITS {
            self.problem(format_args!("it has at most {MAX_LIMITS} limits"));
        } else {
            self.limits.push(Limit { window, unit, amount });
        }
        self
    }

    /// Lets a person decide about each call above this amount, whatever is left.
    pub fn ask_above(mut self, amount: &str) -> Self {
        if let Some(amount) = self.amount(amount, &"ask_above") {
            self.ask_above.push(amount);
        }
        self
    }

    /// Sets the calls that share a sum; all calls of a tenant by default.
    pub fn scope(mut self, scope: BudgetScope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the time zone of the calendar's windows by its name, such as `Europe/Berlin`; UTC by default.
    ///
    /// The rules of all zones are part of this library, so that replicas agree whatever their systems have.
    pub fn time_zone(mut self, name: &str) -> Self {
        match window::time_zone(name) {
            Ok(zone) => self.zone = zone,
            Err(problem) => self.problem(format_args!("{problem}")),
        }
        self
    }

    /// Sets what becomes of a call that exceeds a limit; it is refused by default.
    pub fn over(mut self, over: OverLimit) -> Self {
        self.over = over;
        self
    }

    /// Sets the part of each limit at which the host is warned, in percent: 1 to 100; 80 by default.
    ///
    /// The warning reaches the observers of [`Policy::observe_budgets`], with the call whose reservation reaches the
    /// part.
    ///
    /// [`Policy::observe_budgets`]: tool_runtime_core::policy::Policy::observe_budgets
    pub fn warn_at(mut self, percent: u8) -> Self {
        if !(1..=100).contains(&percent) {
            self.problem(format_args!("`warn_at` is {percent}: expected 1 to 100 percent"));
        }
        self.warn_at = percent;
        self
    }

    /// Hides names and amounts of the budget from callers and models. Approvers see them.
    pub fn hidden(mut self) -> Self {
        self.is_visible = false;
        self
    }

    /// Demands of each call that spends money a mandate that a person has signed for its user: `mandates` returns it
    /// for a call's context, from memory. The mandate's own limits hold in addition to those of the budget.
    ///
    /// The receiver of the money is the text in the call's argument `payee`; a mandate that names payees covers no call
    /// without it. The feature is `mandates`.
    #[cfg(feature = "mandates")]
    pub fn mandated(
        mut self,
        keys: crate::mandate::MandateKeys,
        mandates: impl Fn(&tool_contracts::ToolContext) -> Option<Arc<str>> + Send + Sync + 'static,
    ) -> Self {
        self.mandates = Some(Mandates::new(keys, mandates));
        self
    }

    /// Concerns the calls of these tools.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.coverage.tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Concerns the calls of all tools of these toolkits.
    pub fn toolkits(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.coverage.toolkits.extend(names.into_iter().map(Into::into));
        self
    }

    /// Concerns the calls of all tools of these categories.
    pub fn categories(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.coverage.categories.extend(names.into_iter().map(Into::into));
        self
    }

    fn amount(&mut self, text: &str, place: &impl fmt::Display) -> Option<(BudgetUnit, u64)> {
        match money::limit(text) {
            Ok(amount) => Some(amount),
            Err(why) => {
                self.problem(format_args!("`{place}` is `{text}`: {why}"));
                None
            }
        }
    }

    fn problem(&mut self, text: fmt::Arguments<'_>) {
        self.problems.push(text.to_string());
    }

    fn has_limit_in(&self, is_unit: impl Fn(BudgetUnit) -> bool) -> bool {
        let asks = self.ask_above.iter().map(|(unit, _)| *unit);
        self.limits.iter().map(|limit| limit.unit).chain(asks).any(is_unit)
    }
}

impl Coverage {
    fn is_open(&self) -> bool {
        self.tools.is_empty() && self.toolkits.is_empty() && self.categories.is_empty()
    }

    fn names(&self, tool: &ToolSpec) -> bool {
        self.tools.contains(tool.name())
            || tool.toolkit().is_some_and(|it| self.toolkits.contains(it.name()))
            || tool.category().is_some_and(|it| self.categories.contains(it))
    }
}

impl SpendingLimit for Budget {
    fn problems(&self) -> Vec<String> {
        let place = |why: &String| format!("the budget `{}`: {why}", self.name);
        let mut problems: Vec<String> = self.problems.iter().map(place).collect();
        let asks_nothing = self.ask_above.is_empty() && self.mandates.is_none();
        if problems.is_empty() && self.limits.is_empty() && asks_nothing {
            let cure = "it limits nothing: add `per_day(\"500.00 EUR\")` or another limit";
            problems.push(place(&cure.to_owned()));
        }
        problems
    }

    fn for_tool(&self, tool: &ToolSpec) -> Result<Option<Arc<dyn ToolSpendingLimit>>, String> {
        let spending = ToolSpending::read(tool)?;
        let counts_money =
            self.mandates.is_some() || self.has_limit_in(|unit| unit != BudgetUnit::Calls);
        let counts_calls = self.has_limit_in(|unit| unit == BudgetUnit::Calls);
        let writes = tool.effect() != Effect::Read;
        let concerns = if self.coverage.is_open() {
            counts_money && !spending.is_free() || counts_calls && writes
        } else {
            self.coverage.names(tool)
        };
        let limits = || ToolBudget { budget: self.clone(), spending };
        Ok(concerns.then(|| Arc::new(limits()) as Arc<dyn ToolSpendingLimit>))
    }

    fn limits(&self) -> Vec<ConfiguredLimit> {
        let configured = |limit: &Limit| ConfiguredLimit {
            budget: self.name.as_str().into(),
            limit: limit.window.to_string().into(),
            unit: limit.unit,
            amount: (*limit != Limit::NONE).then_some(limit.amount),
        };
        self.limits_or_none().iter().map(configured).collect()
    }
}

impl Budget {
    /// Makes the budget of an allowance: a context has it, so that the caller may see it.
    pub(crate) fn allowance(name: &str, zone: TimeZone) -> Self {
        let name = format!("{ALLOWANCE}{name}");
        Self { name, zone, ..Self::new("allowance") }
    }

    /// Adds a limit, or lowers the one of the same window and unit.
    pub(crate) fn lower_limit(&mut self, window: Window, unit: BudgetUnit, amount: u64) {
        let same = |limit: &&mut Limit| (limit.window, limit.unit) == (window, unit);
        match self.limits.iter_mut().find(same) {
            Some(limit) => limit.amount = limit.amount.min(amount),
            None => self.limits.push(Limit { window, unit, amount }),
        }
    }

    /// Returns the limits, or one that no call exceeds, by which a budget without limits is paused.
    fn limits_or_none(&self) -> &[Limit] {
        if self.limits.is_empty() { &[Limit::NONE] } else { &self.limits }
    }

    /// Returns whether a person may have to decide about a call because of this budget.
    pub(crate) fn may_ask(&self) -> bool {
        self.over == OverLimit::Ask || !self.ask_above.is_empty()
    }

    /// Returns the amounts that a call of a tool needs.
    pub(crate) fn demands(
        &self,
        spending: &ToolSpending,
        call: &SpendingCall<'_>,
    ) -> Result<Vec<Demand>, Failure> {
        let mut amounts = spending.amounts(call)?;
        amounts.retain(|_, amount| *amount > 0);
        if self.has_limit_in(|unit| unit != BudgetUnit::Calls) {
            let is_limited = |unit: &BudgetUnit| self.has_limit_in(|limited| limited == *unit);
            if let Some(unit) = amounts.keys().find(|unit| !is_limited(unit)) {
                return Err(self.refused(&format!(
                    "the budget `{}` has no limit in {}",
                    self.public_name(),
                    unit.name()
                )));
            }
        }
        amounts.insert(BudgetUnit::Calls, 1);
        let scope = self.scope.value(call.cx(), call.tool()).ok_or_else(|| {
            let missing = self.scope.missing_part();
            self.refused(&format!("its budget belongs to {missing}, and the call has none"))
        })?;
        let limits = self.limits_or_none().iter();
        let limits = limits.filter_map(|limit| Some((limit, amounts.get(&limit.unit)?)));
        let mut demands = limits
            .map(|(limit, amount)| self.demand(call, &scope, *limit, *amount))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some(reason) = self.reason_to_ask(&amounts) {
            if demands.is_empty() {
                // Its limits are in other units.
                demands.push(self.demand(call, &scope, Limit::NONE, 1)?);
            }
            if let Some(demand) = demands.first_mut() {
                demand.asks = Some(reason);
            }
        }
        match &self.mandates {
            Some(mandates) => mandates.prove(&self.name, self.is_visible, call, &amounts, demands),
            None => Ok(demands),
        }
    }

    fn demand(
        &self,
        call: &SpendingCall<'_>,
        scope: &str,
        limit: Limit,
        amount: u64,
    ) -> Result<Demand, Failure> {
        let missing = |part: &str| {
            self.refused(&format!("its budget is for each {part}, and the call has no {part}_id"))
        };
        let scope = match limit.window {
            Window::Run => {
                format!("{scope}/run:{}", call.cx().run_id().ok_or_else(|| missing("run"))?)
            }
            Window::Session => {
                let session = call.cx().session_id().ok_or_else(|| missing("session"))?;
                format!("{scope}/session:{session}")
            }
            Window::Call
            | Window::Hour
            | Window::Day
            | Window::Week
            | Window::Month
            | Window::Rolling(_)
            | Window::Lifetime => scope.to_owned(),
        };
        let period = limit
            .window
            .period(call.now(), &self.zone)
            .ok_or_else(|| self.refused("the calendar has no such time"))?;
        let reserved =
            ReservationPeriod { start: period.start, since: period.since, keep: period.keep };
        let account = BudgetAccount {
            tenant: call.cx().tenant_id(),
            budget: self.name.as_str().into(),
            limit: limit.window.to_string().into(),
            scope: scope.into(),
            unit: limit.unit,
        };
        let reservation = Reservation {
            account,
            period: (limit.window != Window::Call).then_some(reserved),
            amount,
            limit: limit.amount,
            may_exceed: false,
        };
        Ok(Demand {
            reservation,
            asks: None,
            over: self.over,
            window: limit.window.words().into(),
            renews_at: period.end,
            warn_at: Some(self.warn_at),
            proof: None,
            is_visible: self.is_visible,
        })
    }

    /// Returns the reason for which a person decides, if the call spends more than an amount.
    fn reason_to_ask(&self, amounts: &BTreeMap<BudgetUnit, u64>) -> Option<String> {
        let above = |(unit, most): &(BudgetUnit, u64)| {
            let amount = *amounts.get(unit)?;
            (amount > *most).then(|| {
                let (amount, most) = (unit.format(amount), unit.format(*most));
                format!("it spends {amount}, and a person decides above {most} (`{}`)", self.name)
            })
        };
        self.ask_above.iter().find_map(above)
    }

    fn public_name(&self) -> &str {
        if self.is_visible { &self.name } else { "of the host" }
    }

    fn refused(&self, why: &str) -> Failure {
        Failure::from_code(ErrorCode::ComplianceBlocked)
            .with_message(format!("this call cannot be paid: {why}"))
            .with_reason(RefusalReason::BudgetExceeded)
            .with_log(format!("refused by the budget `{}`", self.name))
    }
}
