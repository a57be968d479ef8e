//! `/ledger/verification`: verifies the whole ledger, of all tenants and writers.

use axum::extract::State;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use tool_contracts::ErrorCode;
use tool_runtime_core::log::log_event;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::store::StoreErrorKind;
use tool_runtime_record::ledger::query::utc_time;
use tool_runtime_record::ledger::{Checkpoint, FaultError, Ledger, VerifiedChain, VerifyError};
use uuid::Uuid;

use crate::auth::Scope;
use crate::problem::Problem;
use crate::request::access_records::ReadAccess;
use crate::request::admission::{Authorized, RequiredScope};
use crate::request::parameters::Bodyless;
use crate::request::time_limit::within_time_limit;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};
use crate::state::quota::QuotaRefusal;

const BUSY: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "the ledger is being verified; retry later",
    caller: "the caller has the ledger verified already; wait for the answer",
};

/// Requires the scope `ledger`.
#[derive(Debug)]
pub(crate) struct VerifyLedger;

impl RequiredScope for VerifyLedger {
    const SCOPE: Scope = Scope::Ledger;
}

/// The result of verifying the ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LedgerVerification {
    /// True if each record is as it was written, and none is missing as far as the checkpoint shows.
    intact: bool,
    /// The number of records; left out with a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    /// The number of signed checkpoints with which the records agree; left out with a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoints: Option<u64>,
    /// The newest checkpoint outside of the ledger with which the records agree: behind it, records that were cut off
    /// the end leave no trace. Left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<ConfirmedCheckpoint>,
    /// The first record that is not as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<LedgerFault>,
}

/// A signed state of the ledger that is kept outside of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConfirmedCheckpoint {
    /// The number of records that it covers.
    records: u64,
    /// The time at which it was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<DateTime<Utc>>,
    /// The Merkle tree hash of the records: 64 hexadecimal digits.
    root: String,
}

/// A fault of the ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LedgerFault {
    /// The number of the record in its chain; left out if the store itself is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// The id of the chain, if several writers share the ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<Uuid>,
    /// The fault, and what to do; for a person.
    message: String,
}

/// Handles a request to verify the ledger.
pub(crate) async fn verify(
    authorized: Authorized<VerifyLedger>,
    State(app): State<SharedApp>,
    _: Bodyless,
) -> Result<JsonResponse, Problem> {
    let ledger = ledger(&app)?;
    let permit = app.verifications.acquire(authorized.caller().clone(), 1);
    let _permit = permit.map_err(|exhausted| BUSY.problem(exhausted))?;
    let verification = within_time_limit(&app, async {
        match ledger.verify(&[]).await {
            Ok(chain) => Ok(LedgerVerification::intact(&chain)),
            Err(VerifyError::Fault(fault)) => Ok(LedgerVerification::damaged(fault.into())),
            Err(VerifyError::Store(error)) if error.kind() == StoreErrorKind::Damaged => {
                Ok(LedgerVerification::damaged(LedgerFault::damaged_store()))
            }
            Err(_) => Err(Problem::store_unavailable()),
        }
    });
    let verification = verification.await?;
    if let Some(fault) = &verification.fault {
        let announced = app.runtime.events().announce_damaged_ledger(&fault.message).await;
        if let Err(error) = announced {
            log_event!(error, target: "tool_runtime::http", %error,
                "the damage of the ledger could not be announced");
        }
    }
    let what = "GET /ledger/verification";
    let access = ReadAccess { action: "verify_ledger", what, subject: None };
    let recorded = access.record(&app, &authorized).await;
    // A ledger with a fault may take no record any more, and the fault is what the caller has to know.
    if verification.intact {
        recorded?;
    }
    Ok(JsonResponse::ok(&verification))
}

/// Returns the server's ledger.
pub(super) fn ledger(app: &App) -> Result<&Ledger, Problem> {
    app.config.ledger.as_ref().ok_or_else(|| {
        Problem::from_code(ErrorCode::NotFound, "this server has no ledger")
            .with_reason(RefusalReason::NoLedger)
    })
}

impl LedgerVerification {
    fn intact(chain: &VerifiedChain) -> Self {
        // The records of a shared ledger are in the chains of its writers, beside that of the checkpoints.
        let records = chain.writers().iter().map(|writer| writer.size).sum::<u64>();
        Self {
            intact: true,
            records: Some(chain.size().saturating_add(records)),
            checkpoints: Some(chain.checkpoints()),
            confirmed: chain.newest_confirmed_checkpoint().map(ConfirmedCheckpoint::new),
            fault: None,
        }
    }

    const fn damaged(fault: LedgerFault) -> Self {
        Self {
            intact: false,
            records: None,
            checkpoints: None,
            confirmed: None,
            fault: Some(fault),
        }
    }
}

impl ConfirmedCheckpoint {
    fn new(checkpoint: &Checkpoint) -> Self {
        let (records, at) = (checkpoint.size(), utc_time(checkpoint.at()));
        Self { records, at, root: checkpoint.root().to_string() }
    }
}

impl LedgerFault {
    fn damaged_store() -> Self {
        let message =
            "the store of the ledger is damaged; its check on the server's machine names the place";
        Self { seq: None, chain: None, message: message.to_owned() }
    }
}

impl From<FaultError> for LedgerFault {
    fn from(error: FaultError) -> Self {
        Self { seq: Some(error.fault.seq()), chain: error.chain, message: error.fault.to_string() }
    }
}
