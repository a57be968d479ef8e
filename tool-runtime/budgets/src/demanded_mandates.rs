//! The mandates that a budget demands of its calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tool_contracts::{ErrorCode, ToolContext};
use tool_runtime_core::policy::{Demand, OverLimit, SpendingCall, SpendingProof};
use tool_runtime_core::store::{
    BudgetAccount, BudgetUnit, Reservation, ReservationPeriod, UnixMillis,
};
use tool_runtime_core::{Failure, RefusalReason};
use tool_runtime_schema::encoding::hex_digits;

use crate::budget::MANDATE;
use crate::mandate::{Mandate, MandateError, MandateKeys};
use crate::window::KEEP_ENDED;

/// The argument that names the receiver of the money.
const PAYEE: &str = "payee";

/// Returns the mandate of a call, from its context.
type MandateSource = dyn Fn(&ToolContext) -> Option<Arc<str>> + Send + Sync;

/// The mandates that a budget demands, and the keys that verify them.
#[derive(Clone)]
pub(crate) struct Mandates {
    keys: MandateKeys,
    source: Arc<MandateSource>,
}

impl Mandates {
    pub(crate) fn new(
        keys: MandateKeys,
        source: impl Fn(&ToolContext) -> Option<Arc<str>> + Send + Sync + 'static,
    ) -> Self {
        Self { keys, source: Arc::new(source) }
    }

    /// Adds the limits of the call's mandate to its demands, and the proof to each of them.
    ///
    /// # Errors
    /// The call spends money, and has no mandate that covers it.
    pub(crate) fn prove(
        &self,
        budget: &str,
        is_visible: bool,
        call: &SpendingCall<'_>,
        amounts: &BTreeMap<BudgetUnit, u64>,
        mut demands: Vec<Demand>,
    ) -> Result<Vec<Demand>, Failure> {
        if amounts.keys().all(|unit| *unit == BudgetUnit::Calls) {
            return Ok(demands);
        }
        let mandate = self.mandate_for(call).map_err(|error| refused(budget, error))?;
        let spent = amounts.iter().filter(|(unit, _)| **unit != BudgetUnit::Calls);
        for (unit, amount) in spent {
            let demand = total(call, &mandate, *unit, *amount);
            let demand = demand.map_err(|error| refused(budget, error))?;
            demands.push(Demand { is_visible, ..demand });
        }
        let proof = proof(&mandate);
        for demand in &mut demands {
            demand.proof = Some(proof.clone());
        }
        Ok(demands)
    }

    /// Verifies the mandate of a call, and everything in it but the amounts.
    fn mandate_for(&self, call: &SpendingCall<'_>) -> Result<Mandate, MandateError> {
        let text = (self.source)(call.cx()).ok_or(MandateError::Missing)?;
        let mandate = self.keys.verify(&text)?;
        let payee = payee(call.arguments());
        mandate.claims.check(call.cx(), call.tool().name(), payee.as_deref(), call.now())?;
        Ok(mandate)
    }
}

/// Returns the demand on the sum of a mandate.
fn total(
    call: &SpendingCall<'_>,
    mandate: &Mandate,
    unit: BudgetUnit,
    amount: u64,
) -> Result<Demand, MandateError> {
    let (per_call, total) = mandate.claims.limit_in(unit.name()).ok_or(MandateError::Currency)?;
    if per_call.is_some_and(|most| amount > most.millionths()) {
        return Err(MandateError::Amount);
    }
    let end = UnixMillis::new(mandate.claims.ends_at().saturating_mul(1_000));
    let keep = end.since(call.now()).saturating_add(KEEP_ENDED);
    Ok(Demand {
        reservation: Reservation {
            account: BudgetAccount {
                tenant: call.cx().tenant_id(),
                budget: MANDATE.into(),
                limit: MANDATE.into(),
                scope: format!("mandate:{}", mandate.claims.name()).into(),
                unit,
            },
            period: Some(ReservationPeriod::calendar(UnixMillis::new(0), Some(keep))),
            amount,
            limit: total.millionths(),
            may_exceed: false,
        },
        asks: None,
        over: OverLimit::Refuse,
        window: "in all".into(),
        renews_at: None,
        warn_at: None,
        proof: None,
        is_visible: true,
    })
}

fn proof(mandate: &Mandate) -> SpendingProof {
    let digest = Sha256::digest(mandate.text.as_bytes());
    let digits: String = hex_digits(&digest).collect();
    SpendingProof { name: mandate.claims.name().into(), sha256: digits.into() }
}

fn payee(arguments: &str) -> Option<String> {
    let arguments: BTreeMap<String, Value> = serde_json::from_str(arguments).ok()?;
    Some(arguments.get(PAYEE)?.as_str()?.to_owned())
}

fn refused(budget: &str, error: MandateError) -> Failure {
    Failure::from_code(ErrorCode::ComplianceBlocked)
        .with_message(format!("this call needs a mandate: {error}"))
        .with_reason(RefusalReason::Mandate)
        .with_log(format!("refused by the mandates of the budget `{budget}`: {error}"))
}

impl fmt::Debug for Mandates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mandates").field("keys", &self.keys).finish_non_exhaustive()
    }
}
