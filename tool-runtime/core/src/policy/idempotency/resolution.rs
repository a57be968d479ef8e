//! Lists unknown outcomes, and resolves them by a person's decision.

use std::sync::Arc;

use thiserror::Error;
use tool_contracts::{ErrorCode, ToolResultMeta};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::Coerce;
use uuid::Uuid;

use crate::policy::store_client::{STORE_TIMEOUT, StoreClient};
use crate::refusal_reason::RefusalReason;
use crate::runtime::Runtime;
use crate::store::{Fence, KeyRecord, KeyState, ScopedKey, Settlement, StoreError, StoredAnswer};

/// The outcome of a keyed call, as a person found it out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The effect happened; repeats get this answer.
    Happened {
        /// The answer as JSON text that fits the tool's output schema.
        answer: String,
    },
    /// The effect did not happen and cannot happen any more; a repeat runs.
    DidNotHappen,
}

/// The reason why an outcome was not resolved. It is still unknown.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No tool has this name.
    #[error("no tool is named `{0}`")]
    UnknownTool(String),
    /// The answer is not JSON, or does not fit the tool's output schema.
    #[error("the answer does not fit the output schema of `{tool}`: {why}")]
    #[non_exhaustive]
    InvalidAnswer {
        /// The tool.
        tool: String,
        /// The violation, and its position.
        why: String,
    },
    /// It was resolved already, or a call runs under the key again.
    #[error("the outcome is not unknown any more: read it again")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ResolveError {
    /// Returns the code of a refusal for this reason, and the reason as records and details name it.
    #[doc(hidden)]
    #[must_use]
    pub const fn refusal(&self) -> (ErrorCode, RefusalReason) {
        match self {
            Self::UnknownTool(_) => (ErrorCode::NotFound, RefusalReason::UnknownTool),
            Self::InvalidAnswer { .. } => {
                (ErrorCode::InvalidArgument, RefusalReason::AnswerNotValid)
            }
            Self::Changed => (ErrorCode::Conflict, RefusalReason::OutcomeChanged),
            Self::Store(_) => (ErrorCode::Unavailable, RefusalReason::StoreUnavailable),
        }
    }
}

/// The outcomes of a runtime's keyed calls, above all the unknown ones.
///
/// [`Runtime::outcomes`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct Outcomes<'r>(pub(super) &'r Runtime);

impl Runtime {
    /// Returns the outcomes of keyed calls: to list and resolve unknown ones, and to count them.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes<'_> {
        Outcomes(self)
    }
}

impl Outcomes<'_> {
    pub(super) fn stores(&self) -> &Arc<StoreClient> {
        &self.0.policy_state().stores
    }

    /// Lists a tenant's keyed calls whose outcome is unknown, at most `limit`, from the first after
    /// `after`. Calls with a damaged record are among them.
    ///
    /// A call whose process crashed is listed only after it was repeated, or its ticket was
    /// resumed, past its lease.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&ScopedKey>,
        limit: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let stores = self.stores();
        let lookup = stores.keys.list_unknown(tenant, after, limit);
        stores.call(STORE_TIMEOUT, lookup).await
    }

    /// Finds the record of a keyed call in any state, including an archived one.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn find(&self, key: &ScopedKey) -> Result<Option<KeyRecord>, StoreError> {
        let stores = self.stores();
        stores.call(STORE_TIMEOUT, stores.keys.find(key)).await
    }

    /// Finds a tenant's keyed call whose outcome is unknown, by its record's fence.
    ///
    /// # Errors
    /// Returns the store's error.
    pub async fn find_unknown(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let stores = self.stores();
        let lookup = stores.keys.find_unknown(tenant, fence);
        stores.call(STORE_TIMEOUT, lookup).await
    }

    /// Resolves an unknown outcome as a person found it out.
    ///
    /// An [archived](KeyState::Archived) record, which [`find`](Self::find)
    /// returns, can be resolved as [`DidNotHappen`](Resolution::DidNotHappen): its key can then be
    /// used again.
    ///
    /// # Errors
    /// Returns an error if the answer does not fit the tool's output schema, the outcome is not
    /// unknown any more, or the store fails.
    pub async fn resolve(
        &self,
        record: &KeyRecord,
        resolution: Resolution,
    ) -> Result<(), ResolveError> {
        let tool = &*record.key.tool;
        let unknown = || ResolveError::UnknownTool(tool.to_owned());
        let stores = self.stores();
        let tool_now = self.0.registered(tool).ok_or_else(unknown)?;
        let plan = &tool_now.plan;
        // A running call is settled by its owner only.
        let releases = record.state == KeyState::Archived && resolution == Resolution::DidNotHappen;
        if !record.is_unknown() && !releases {
            return Err(ResolveError::Changed);
        }
        let settlement = match resolution {
            Resolution::DidNotHappen => Settlement::Released,
            Resolution::Happened { answer } => {
                self.check_answer(tool, &answer)?;
                let keep_until = stores.keys_time(STORE_TIMEOUT).await?.after(plan.retention);
                Settlement::Answered { answer: stored_answer(answer), keep_until }
            }
        };
        let settled = stores.keys.settle(&record.key, record.fence, settlement);
        let is_settled = stores.call(STORE_TIMEOUT, settled).await?;
        if !is_settled {
            return Err(ResolveError::Changed);
        }
        stores.outcomes.record_resolved();
        Ok(())
    }

    fn check_answer(self, tool: &str, answer: &str) -> Result<(), ResolveError> {
        let wrong = |why| ResolveError::InvalidAnswer { tool: tool.to_owned(), why };
        tool_runtime_schema::json::read(answer, &Limits::default())
            .map_err(|error| wrong(error.to_string()))?;
        let tool_now = self.0.registered(tool);
        let output = tool_now.as_ref().and_then(|tool| tool.output.as_ref());
        let Some(output) = output else { return Ok(()) };
        let report = output.check(answer, &Limits::default(), Coerce::Off);
        match report.violations.first() {
            Some(violation) => Err(wrong(violation.to_string())),
            None => Ok(()),
        }
    }
}

/// Returns the stored form of a person's answer, with a warning that repeats get.
fn stored_answer(answer: String) -> StoredAnswer {
    let meta = ToolResultMeta::new(0).with_warnings(["a person found this answer out".to_owned()]);
    let meta = serde_json::to_vec(&meta).unwrap_or_default();
    StoredAnswer::succeeded(answer.into_bytes(), meta)
}
