//! The verification of the ledger in the API.

use axum::http::Method;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::{Api, ApiError, Caller, read};

/// The result of verifying the ledger.
#[derive(Debug, Deserialize)]
pub(crate) struct LedgerVerification {
    pub(crate) intact: bool,
    pub(crate) records: Option<u64>,
    pub(crate) checkpoints: Option<u64>,
    pub(crate) confirmed: Option<ConfirmedCheckpoint>,
    pub(crate) fault: Option<LedgerFault>,
}

/// The newest checkpoint outside of the ledger with which its records agree.
#[derive(Debug, Deserialize)]
pub(crate) struct ConfirmedCheckpoint {
    pub(crate) records: u64,
    pub(crate) at: Option<DateTime<Utc>>,
    pub(crate) root: String,
}

/// The first record that is not as it was written.
#[derive(Debug, Deserialize)]
pub(crate) struct LedgerFault {
    pub(crate) seq: Option<u64>,
    pub(crate) chain: Option<Uuid>,
    pub(crate) message: String,
}

impl Api {
    /// Verifies the ledger of all tenants.
    pub(crate) async fn verify_ledger(
        &self,
        caller: &Caller<'_>,
    ) -> Result<LedgerVerification, ApiError> {
        read(self.send(caller, Method::GET, "/ledger/verification", None).await?)
    }
}
