//! Finds what a call needs of its accounts, and what is left of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_contracts::{CallStatus, ErrorCode};
use uuid::Uuid;

use super::warning::BudgetObservers;
use super::{CallSpending, ConfiguredLimit, Demand, LimitState, SpendingCall, ToolSpendingLimit};
use crate::call::ToolCall;
use crate::dispatch::CallApproval;
use crate::dispatch::refusal::Refusal;
use crate::failure::Failure;
use crate::policy::deadline::{time_left, within_deadline};
use crate::policy::events::EventAnnouncer;
use crate::policy::store_client::{STORE_TIMEOUT, StoreClient, store_failure};
use crate::store::{
    Balance, BudgetAccount, BudgetStore, Charge, Reservation, SpendOutcome, StoreError,
    StoreErrorKind,
};
use crate::tool::{CallScope, catch_panic};

/// The budgets of a runtime, as its calls meet them.
pub(in crate::policy) struct SpendingLimits {
    pub(in crate::policy) stores: Arc<StoreClient>,
    pub(in crate::policy) observers: BudgetObservers,
    pub(in crate::policy) events: Arc<EventAnnouncer>,
    /// True if a limit counts the allowances of contexts.
    pub(in crate::policy) counts_allowances: bool,
}

impl SpendingLimits {
    /// Returns what the call needs. Nothing is reserved, and no balance is read.
    pub(in crate::policy) fn plan(&self, scope: &CallScope) -> Result<CallSpending, Box<Refusal>> {
        let has_allowance = scope.plan().writes() && !scope.cx().allowances().is_empty();
        if has_allowance && !self.counts_allowances {
            return Err(Refusal::allowances_not_counted());
        }
        let call = SpendingCall::new(scope, self.stores.now());
        let mut demands: Vec<Demand> = Vec::new();
        for limit in &scope.plan().spending {
            for demand in demands_of(&**limit, &call)? {
                // Two budgets may demand the same of one account, such as that of a mandate: it is one sum.
                let account = &demand.reservation.account;
                let is_same = |it: &Demand| it.reservation.account == *account;
                if !demands.iter().any(is_same) {
                    demands.push(demand);
                }
            }
        }
        Ok(CallSpending::planned(demands))
    }

    /// Returns what a pending call needs, with the balances of the accounts; none if it spends nothing.
    pub(in crate::policy) async fn look(
        &self,
        call: &ToolCall,
    ) -> Result<Option<CallSpending>, Box<Refusal>> {
        let Some(scope) = call.scope().filter(|scope| !scope.plan().spending.is_empty()) else {
            return Ok(None);
        };
        let spending = self.plan(scope)?;
        if spending.is_empty() {
            return Ok(None);
        }
        let balances = self.balances(&spending.reservations(false), STORE_TIMEOUT).await;
        let balances = balances.map_err(|error| unreadable(&error))?;
        Ok(Some(spending.with_balances(balances)))
    }

    /// Describes what calls would use, with one look at the balances of all of them; nothing for a call that cannot be
    /// planned, or has none.
    pub(in crate::policy) async fn notes(
        &self,
        scopes: &[Option<CallScope>],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        let plan = |scope: &Option<CallScope>| {
            let planned = scope.as_ref().map(|scope| self.plan(scope));
            planned.and_then(Result::ok).unwrap_or_default()
        };
        let planned: Vec<CallSpending> = scopes.iter().map(plan).collect();
        let reservations: Vec<_> =
            planned.iter().flat_map(|spending| spending.reservations(false)).collect();
        let mut balances = Vec::new();
        if !reservations.is_empty() {
            balances = self.balances(&reservations, STORE_TIMEOUT).await?;
        }
        let mut balances = balances.into_iter();
        let notes = |spending: CallSpending| spending.with_balances(balances.by_ref()).notes();
        Ok(planned.into_iter().map(notes).collect())
    }

    /// Returns the reason for which a person has to decide about a call: it is above an amount, or beyond a limit that
    /// asks.
    pub(in crate::policy) async fn reason_to_ask(
        &self,
        call: &ToolCall,
    ) -> Result<Option<String>, Box<Refusal>> {
        // One that panics is asked for its demands, and is refused there.
        let may_ask =
            |limit: &Arc<dyn ToolSpendingLimit>| catch_panic(|| limit.may_ask()).unwrap_or(true);
        let may_ask = |scope: &&CallScope| scope.plan().spending.iter().any(may_ask);
        let Some(scope) = call.scope().filter(may_ask) else {
            return Ok(None);
        };
        let mut spending = self.plan(scope)?;
        // Only a limit that asks has to be compared with its balance before the call claims its key.
        if spending.asks_beyond_limits() {
            let balances = self.balances(&spending.reservations(false), STORE_TIMEOUT).await;
            spending = spending.with_balances(balances.map_err(|error| unreadable(&error))?);
        }
        Ok(spending.approval_reason())
    }

    /// Returns what a call needs, if it has the mandates that its approver has seen.
    pub(in crate::policy) fn payable(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
    ) -> Result<CallSpending, Box<Refusal>> {
        let spending = self.plan(scope)?;
        spending.must_have_proofs(approval.proofs.as_deref())?;
        Ok(spending)
    }

    /// Spends what a read needs, or refuses it.
    pub(in crate::policy) async fn spend(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
        started: Instant,
    ) -> Result<CallSpending, Box<Refusal>> {
        let spending = self.payable(scope, approval)?;
        if spending.is_empty() {
            return Ok(spending);
        }
        let limit = time_left(scope, started);
        let spent = async {
            let now = self.stores.keys_time(limit).await?;
            let reservations = spending.reservations(approval.may_exceed_budgets);
            self.stores.call(limit, self.budgets()?.spend(now, reservations)).await
        };
        let spent = within_deadline(scope, started, spent).await?;
        match spent.map_err(|error| unreadable(&error))? {
            SpendOutcome::Spent(balances) => {
                let spending = spending.reserved(balances);
                spending.record(scope, Some(&Charge::Reserved));
                spending.cite_proofs(scope, self.stores.now());
                self.warn(&spending, scope, started).await;
                Ok(spending)
            }
            SpendOutcome::Exceeded(balances) => {
                Err(spending.with_balances(balances).refusal(scope))
            }
        }
    }

    /// Warns the host of each limit of which a reservation has reached the part that its budget names.
    pub(in crate::policy) async fn warn(
        &self,
        spending: &CallSpending,
        scope: &CallScope,
        started: Instant,
    ) {
        let warnings = spending.warnings();
        if warnings.is_empty() {
            return;
        }
        for warning in &warnings {
            for observer in &self.observers {
                drop(catch_panic(|| observer.nearly_used(warning)));
            }
        }
        let batch = self.events.low_budgets(&warnings);
        let announced = self.events.announce(batch, time_left(scope, started));
        // The next step of the call meets the deadline, too.
        drop(within_deadline(scope, started, announced).await);
    }

    /// Returns what a dry run would need, with the balances.
    pub(in crate::policy) async fn rehearse(
        &self,
        scope: &CallScope,
        started: Instant,
    ) -> Result<CallSpending, Box<Refusal>> {
        let spending = self.plan(scope)?;
        if spending.is_empty() {
            return Ok(spending);
        }
        let limit = time_left(scope, started);
        let balances = self.balances(&spending.reservations(false), limit).await;
        Ok(spending.with_balances(balances.map_err(|error| unreadable(&error))?))
    }

    async fn balances(
        &self,
        reservations: &[Reservation],
        limit: Duration,
    ) -> Result<Vec<Balance>, StoreError> {
        let balances = self.stores.call(limit, self.budgets()?.balances(reservations)).await?;
        if balances.len() == reservations.len() {
            return Ok(balances);
        }
        Err(StoreError::new(StoreErrorKind::Damaged, "a balance is missing"))
    }

    fn budgets(&self) -> Result<&dyn BudgetStore, StoreError> {
        self.stores.budgets()
    }
}

impl StoreClient {
    /// Reads what the host has changed about limits, in their order.
    ///
    /// # Errors
    /// Returns the store's error, or one that the store keeps no budgets.
    pub async fn limit_states(
        &self,
        limits: Vec<ConfiguredLimit>,
    ) -> Result<Vec<LimitState>, StoreError> {
        // The balance of a limit of each call alone has nothing but what was changed.
        let reservation = |limit: &ConfiguredLimit| Reservation {
            account: BudgetAccount {
                tenant: Uuid::nil(),
                budget: limit.budget.clone(),
                limit: limit.limit.clone(),
                scope: "".into(),
                unit: limit.unit,
            },
            period: None,
            amount: 0,
            limit: 0,
            may_exceed: false,
        };
        let reservations: Vec<_> = limits.iter().map(reservation).collect();
        let balances = self.call(STORE_TIMEOUT, self.budgets()?.balances(&reservations)).await?;
        let state = |(limit, balance): (ConfiguredLimit, Balance)| LimitState {
            limit,
            paused: balance.paused,
            changed_to: balance.limit,
        };
        Ok(limits.into_iter().zip(balances).map(state).collect())
    }

    /// Returns the budgets that are stored beside the keys.
    ///
    /// # Errors
    /// Returns an error if the store keeps none.
    pub fn budgets(&self) -> Result<&dyn BudgetStore, StoreError> {
        let missing = || StoreError::new(StoreErrorKind::ReadOnly, "the store has no budgets");
        self.keys.budgets().ok_or_else(missing)
    }
}

/// Asks a limit for the demands of a call. A call with unknown demands does not run.
fn demands_of(
    limit: &dyn ToolSpendingLimit,
    call: &SpendingCall<'_>,
) -> Result<Vec<Demand>, Box<Refusal>> {
    let demands = catch_panic(|| limit.demands(call));
    let demands = demands.unwrap_or_else(|text| {
        let log = format!("a budget panicked: {text}");
        Err(Failure::from_code(ErrorCode::Internal).with_log(log))
    });
    demands.map_err(|failure| Refusal::new(CallStatus::NotExecuted, failure.with_effect_none()))
}

/// Refuses a call, because its budgets cannot be read.
fn unreadable(error: &StoreError) -> Box<Refusal> {
    let message = "the store of budgets failed, and without it this call could spend too much; \
                   it was not run";
    let failure = store_failure(error).with_message(message).with_effect_none();
    Refusal::new(CallStatus::NotExecuted, failure)
}
