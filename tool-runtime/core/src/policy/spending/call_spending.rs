//! The demands of one call on its accounts, with the balances that the store has told.

use chrono::{DateTime, Utc};
use tool_contracts::{
    BudgetUse, CallStatus, ErrorCode, EvidenceSource, ToolErrorDetail, ToolResultMeta,
};
use tool_runtime_schema::canonical::Digest;

use super::warning::BudgetWarning;
use super::{Demand, OverLimit, SpendingProof};
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{SpendingOutcome, SpendingRecord};
use crate::failure::Failure;
use crate::refusal_reason::RefusalReason;
use crate::store::{Balance, Charge, Reservation, ScopedKey, StoredAnswer, UnixMillis};
use crate::tool::CallScope;

/// The demands of a call, and the balances of their accounts in the same order.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct CallSpending {
    demands: Vec<Demand>,
    balances: Vec<Balance>,
    /// True if the balances include the demands.
    is_reserved: bool,
    /// The digest of the key under which the amounts are spent.
    key: Option<Digest>,
}

impl CallSpending {
    /// Makes the spending of a call, before its amounts are reserved and its balances are read.
    pub(super) fn planned(demands: Vec<Demand>) -> Self {
        let balances = vec![Balance::default(); demands.len()];
        Self { demands, balances, is_reserved: false, key: None }
    }

    /// Sets the idempotency key under which the amounts are spent.
    pub(in crate::policy) fn under(mut self, key: &ScopedKey) -> Self {
        if !self.is_empty() {
            self.key = Some(key.digest());
        }
        self
    }

    /// Records the balances after the reservation.
    pub(in crate::policy) fn reserved(self, balances: Vec<Balance>) -> Self {
        Self { is_reserved: true, ..self.with_balances(balances) }
    }

    /// Records the balances of the [reservations](Self::reservations), in their order, without them.
    pub(in crate::policy) fn with_balances(
        mut self,
        balances: impl IntoIterator<Item = Balance>,
    ) -> Self {
        self.balances.iter_mut().zip(balances).for_each(|(stored, balance)| *stored = balance);
        self
    }

    pub(in crate::policy) fn is_empty(&self) -> bool {
        self.demands.is_empty()
    }

    /// Returns the reservations; those that ask may exceed their limit if a person has allowed it.
    pub(in crate::policy) fn reservations(&self, may_exceed: bool) -> Vec<Reservation> {
        let reservation = |demand: &Demand| Reservation {
            may_exceed: may_exceed && demand.over == OverLimit::Ask,
            ..demand.reservation.clone()
        };
        self.demands.iter().map(reservation).collect()
    }

    fn parts(&self) -> impl Iterator<Item = (&Demand, &Balance)> {
        self.demands.iter().zip(&self.balances)
    }

    /// Returns the demands that do not fit.
    fn exceeded(&self) -> impl Iterator<Item = (&Demand, &Balance)> {
        self.parts().filter(|(demand, balance)| {
            let reservation = &demand.reservation;
            !self.is_reserved && !reservation.fits(reservation.amount, balance)
        })
    }

    /// Returns whether a person decides about the call if it exceeds a limit.
    pub(super) fn asks_beyond_limits(&self) -> bool {
        self.demands.iter().any(|demand| demand.over == OverLimit::Ask)
    }

    /// Returns the reason for which a person has to decide about the call, by the balances as far as they are read.
    pub(super) fn approval_reason(&self) -> Option<String> {
        let asks = self.demands.iter().filter_map(|demand| demand.asks.clone());
        let over = self.exceeded().filter(|(demand, _)| demand.over == OverLimit::Ask);
        let over = over.map(|(demand, balance)| {
            let unit = demand.reservation.account.unit;
            let left = unit.format(balance.left(demand.reservation.limit));
            format!("it exceeds the budget `{}`: {left} left {}", demand.budget(), demand.window)
        });
        let reasons: Vec<String> = asks.chain(over).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// Describes each demand for the approver: `uses 40.00 of 120.00 EUR left today (shopping)`.
    pub(in crate::policy) fn notes(&self) -> Vec<String> {
        self.notes_where(|_| true)
    }

    /// Describes each demand that the caller may see.
    pub(in crate::policy) fn visible_notes(&self) -> Vec<String> {
        self.notes_where(|demand| demand.is_visible)
    }

    fn notes_where(&self, is_included: impl Fn(&Demand) -> bool) -> Vec<String> {
        let note = |(demand, balance): (&Demand, &Balance)| {
            let Reservation { account, amount, limit, period, .. } = &demand.reservation;
            let is_included = self.is_reserved && period.is_some();
            let left = balance.left(*limit).saturating_add(if is_included { *amount } else { 0 });
            format!(
                "uses {} of {} left {} ({})",
                account.unit.format_number(*amount),
                account.unit.format(left),
                demand.window,
                account.budget,
            )
        };
        let parts = self.parts().filter(|(demand, _)| demand.has_limit() && is_included(demand));
        parts.map(note).collect()
    }

    /// Refuses the call if one of its demands does not fit and no person may allow it: no approval exceeds a budget that
    /// is paused.
    pub(in crate::policy) fn must_fit(&self, scope: &CallScope) -> Result<(), Box<Refusal>> {
        let refused = self
            .exceeded()
            .any(|(demand, balance)| demand.over == OverLimit::Refuse || balance.paused);
        if refused { Err(self.refusal(scope)) } else { Ok(()) }
    }

    /// Refuses the call: names each limit that it exceeds, what is left, and when it renews.
    pub(in crate::policy) fn refusal(&self, scope: &CallScope) -> Box<Refusal> {
        let refused = |part| self.entry(part, SpendingOutcome::Refused);
        scope.set_spending(self.exceeded().map(refused).collect());
        let visible = || self.exceeded().filter(|(demand, _)| demand.is_visible);
        let reasons: Vec<String> = visible().map(|(it, balance)| it.reason(balance)).collect();
        let message = match &reasons[..] {
            [] => "this call exceeds a budget of the host".to_owned(),
            reasons => format!("this call exceeds a budget: {}", reasons.join("; ")),
        };
        let limited = visible().filter(|(demand, _)| demand.has_limit());
        let budgets: Vec<BudgetUse> =
            limited.filter_map(|(demand, balance)| demand.budget_use(0, balance)).collect();
        let failure = Failure::from_code(ErrorCode::ComplianceBlocked)
            .with_message(message)
            .with_reason(RefusalReason::BudgetExceeded)
            .with_detail("budget", budgets)
            .with_effect_none();
        Refusal::new(CallStatus::NotExecuted, failure)
    }

    /// Returns the proofs of the limits, each once.
    pub(in crate::policy) fn proofs(&self) -> Vec<SpendingProof> {
        let mut proofs: Vec<SpendingProof> = Vec::new();
        for proof in self.demands.iter().filter_map(|demand| demand.proof.as_ref()) {
            if !proofs.contains(proof) {
                proofs.push(proof.clone());
            }
        }
        proofs
    }

    /// Refuses a call whose proofs are not those that an approver decided about.
    pub(in crate::policy) fn must_have_proofs(
        &self,
        approved: Option<&[Box<str>]>,
    ) -> Result<(), Box<Refusal>> {
        let proofs = self.proofs();
        // Without a proof then or now, as after an edit of the amount, there is none to compare.
        let compared = approved.filter(|approved| !approved.is_empty() && !proofs.is_empty());
        let Some(approved) = compared else { return Ok(()) };
        if proofs.iter().map(|proof| &proof.sha256).eq(approved) {
            return Ok(());
        }
        let failure = Failure::from_code(ErrorCode::ComplianceBlocked)
            .with_message("the mandate of this call has changed since its approval was asked for")
            .with_reason(RefusalReason::Mandate)
            .with_effect_none();
        Err(Refusal::new(CallStatus::NotExecuted, failure))
    }

    /// Names the proofs among the sources of the call's evidence.
    pub(in crate::policy) fn cite_proofs(&self, scope: &CallScope, now: UnixMillis) {
        let Some(time) = datetime(now) else { return };
        let source = |proof: &SpendingProof| {
            let hash = format!("sha256:{}", proof.sha256);
            EvidenceSource::new("mandate", &*proof.name, hash, time).ok()
        };
        let sources: Vec<_> = self.proofs().iter().filter_map(source).collect();
        if !sources.is_empty() {
            scope.set_proofs(sources);
        }
    }

    /// Records the amounts of a call that has reserved some: held, or spent as the charge says.
    pub(in crate::policy) fn record(&self, scope: &CallScope, charge: Option<&Charge>) {
        if !self.is_reserved || self.is_empty() {
            return;
        }
        let limited = self.parts().filter(|(demand, _)| demand.has_limit());
        let record = |part: (&Demand, &Balance)| {
            let Reservation { account, amount, .. } = &part.0.reservation;
            let spent = charge.map(|charge| charge.amount_in(account.unit, *amount));
            self.entry(part, spent.map_or(SpendingOutcome::Held, SpendingOutcome::Spent))
        };
        scope.set_spending(limited.map(record).collect());
    }

    /// Records what the call has spent whose answer a repeat gets, by the answer's `meta.budget`. A budget that is hidden
    /// there has spent what another one has in the same unit.
    pub(in crate::policy) fn record_replay(&self, scope: &CallScope, answer: &StoredAnswer) {
        if self.is_empty() || !answer.succeeded {
            return;
        }
        let Ok(meta) = serde_json::from_slice::<ToolResultMeta>(&answer.meta) else { return };
        let record = |part: (&Demand, &Balance)| {
            let unit = part.0.reservation.account.unit;
            let same = meta.budget().iter().find(|it| it.unit() == unit.name())?;
            let spent = unit.parse_number(same.taken())?;
            Some(self.entry(part, SpendingOutcome::Replayed(spent)))
        };
        let limited = self.parts().filter(|(demand, _)| demand.has_limit());
        scope.set_spending(limited.filter_map(record).collect());
    }

    /// Returns the entry of a demand in the call's record.
    fn entry(
        &self,
        (demand, balance): (&Demand, &Balance),
        outcome: SpendingOutcome,
    ) -> SpendingRecord {
        let Reservation { account, amount, limit, .. } = &demand.reservation;
        let mandate = demand.proof.as_ref();
        SpendingRecord {
            budget: (*account.budget).into(),
            limit: (*account.limit).into(),
            unit: account.unit,
            amount: *amount,
            total: balance.limit(*limit),
            outcome,
            key: self.key.map(|digest| *digest.as_bytes()),
            mandate: mandate.map(|proof| format!("{} {}", proof.name, proof.sha256).into()),
        }
    }

    /// Returns a warning for each limit of which this reservation has reached the part that the budget names.
    pub(super) fn warnings(&self) -> Vec<BudgetWarning> {
        let stored = self.parts().filter(|(demand, _)| demand.reservation.period.is_some());
        let warning = |(demand, balance): (&Demand, &Balance)| {
            let Reservation { account, amount, limit, .. } = &demand.reservation;
            BudgetWarning::for_reservation(account, *amount, *limit, balance, demand.warn_at?)
        };
        stored.filter_map(warning).collect()
    }

    /// Returns what the call has spent, as its outcome and its tool say.
    pub(in crate::policy) fn charge(scope: &CallScope, ended: &CallOutcome) -> Charge {
        let reported = scope.reported_spending();
        if !reported.is_empty() {
            return Charge::Reported(reported);
        }
        // The tool had its effect, and its answer did not match its schema.
        let is_invalid_answer = || {
            let code = ended.output.error().and_then(ToolErrorDetail::error_code);
            code == Some(ErrorCode::InvalidOutput)
        };
        match ended.effect {
            EffectOutcome::Answered | EffectOutcome::Unknown => Charge::Reserved,
            EffectOutcome::Final if is_invalid_answer() => Charge::Reserved,
            EffectOutcome::Final | EffectOutcome::Transient | EffectOutcome::NotRun => {
                Charge::Nothing
            }
        }
    }

    /// Adds to an answer what was taken, and what is left.
    pub(in crate::policy) fn add_to(&self, ended: CallOutcome, charge: &Charge) -> CallOutcome {
        if ended.effect != EffectOutcome::Answered {
            return ended;
        }
        let visible = self.parts().filter(|(demand, _)| demand.is_visible && demand.has_limit());
        let uses = visible.filter_map(|(demand, balance)| {
            let Reservation { account, amount, .. } = &demand.reservation;
            let taken = charge.amount_in(account.unit, *amount);
            // The balance has the reservation in place of what was taken.
            let balance = Balance {
                spent: balance.spent.saturating_add(taken),
                reserved: balance.reserved.saturating_sub(*amount),
                ..*balance
            };
            demand.budget_use(taken, &balance)
        });
        let output = ended.output.with_budget(uses.collect());
        CallOutcome { output, ..ended }
    }

    /// Warns in the answer of a dry run that the call itself would be refused, or that a person would be asked.
    pub(in crate::policy) fn warn_in(&self, ended: CallOutcome) -> CallOutcome {
        let visible = self.exceeded().filter(|(demand, _)| demand.is_visible);
        let warning = |(demand, balance): (&Demand, &Balance)| {
            let end = match demand.over {
                OverLimit::Refuse => "the call would be refused",
                OverLimit::Ask => "a person would be asked",
            };
            format!("{}: {end}", demand.reason(balance))
        };
        let warnings: Vec<String> = visible.map(warning).collect();
        warnings.iter().fold(ended, |ended, warning| ended.with_warning(warning))
    }
}

impl Demand {
    /// Returns whether there is a limit; a budget may only ask.
    fn has_limit(&self) -> bool {
        self.reservation.limit < u64::MAX
    }

    fn budget(&self) -> &str {
        &self.reservation.account.budget
    }

    /// Says for a model which limit a call exceeds, how much is left, and when it renews.
    fn reason(&self, balance: &Balance) -> String {
        let Reservation { account, amount, limit, .. } = &self.reservation;
        let (budget, unit) = (&account.budget, account.unit);
        let needed = unit.format(*amount);
        if balance.paused {
            return format!("it needs {needed}, and the budget `{budget}` is paused");
        }
        let left = unit.format_number(balance.left(*limit));
        let total = unit.format(balance.limit(*limit));
        let window = &self.window;
        let renews = self.renews_at.and_then(datetime).map(|time| time.to_rfc3339());
        let renews = renews.map_or(String::new(), |time| format!("; it renews at {time}"));
        format!("it needs {needed}, and {left} of {total} are left of `{budget}` {window}{renews}")
    }

    /// Returns the use of the limit in the form of the envelope; none if a name of the host is empty.
    fn budget_use(&self, taken: u64, balance: &Balance) -> Option<BudgetUse> {
        let Reservation { account, limit, .. } = &self.reservation;
        let unit = account.unit;
        let number = |amount| unit.format_number(amount);
        let (left, total) = (balance.left(*limit), balance.limit(*limit));
        let (taken, left, total) = (number(taken), number(left), number(total));
        let (budget, limit) = (&*account.budget, &*account.limit);
        let budget_use = BudgetUse::new(budget, limit, unit.name(), taken, left, total).ok()?;
        match self.renews_at.and_then(datetime) {
            Some(time) => budget_use.with_renews_at(time).ok(),
            None => Some(budget_use),
        }
    }
}

fn datetime(time: UnixMillis) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(i64::try_from(time.get()).ok()?)
}
