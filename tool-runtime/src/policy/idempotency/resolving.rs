//! What a person does about an outcome that nobody knows.

use thiserror::Error;
use tool_contracts::ToolResultMeta;
use uuid::Uuid;

use crate::dispatch::Runtime;
use crate::limits::Limits;
use crate::policy::asking::PATIENCE;
use crate::policy::governor::State;
use crate::schema::Coerce;
use crate::store::{Fence, KeyRecord, KeyScope, KeyState, Settlement, StoreError, StoredAnswer};

/// What a person found out about an outcome that nobody knew.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The effect happened; repeats get this answer.
    Happened {
        /// The answer as JSON text, by the tool's output schema.
        answer: String,
    },
    /// The effect did not happen and cannot happen any more: a repeat runs.
    DidNotHappen,
}

/// Says why an outcome was not resolved. It is unknown as it was.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No tool has this name any more.
    #[error("no tool is named `{0}`")]
    UnknownTool(String),
    /// The answer is no JSON, or breaks the tool's output schema.
    #[error("the answer is not one that `{tool}` could give: {why}")]
    #[non_exhaustive]
    Answer {
        /// The tool.
        tool: String,
        /// What is wrong, and where.
        why: String,
    },
    /// Somebody else has resolved it, or runs under the key again.
    #[error("the outcome is not unknown any more: look at it again")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Runtime {
    /// Lists a tenant's keyed calls whose outcome nobody knows, at most `most`, from the first after
    /// `after`. Those whose stored record is damaged are among them.
    ///
    /// A call whose process crashed is among them once somebody has repeated it, or has resumed its
    /// ticket, after its lease: until then nobody has looked.
    ///
    /// # Errors
    /// The store's.
    pub async fn unknown_outcomes(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        match State::of(self) {
            Some(state) => {
                state.ask_store(PATIENCE, state.stores.keys.unknown(tenant, after, most)).await
            }
            None => Ok(Vec::new()),
        }
    }

    /// Finds the record of a keyed call, in whatever state it is: an archived one too.
    ///
    /// # Errors
    /// The store's.
    pub async fn find_outcome(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError> {
        match State::of(self) {
            Some(state) => state.ask_store(PATIENCE, state.stores.keys.find(key)).await,
            None => Ok(None),
        }
    }

    /// Finds a tenant's keyed call whose outcome is not known, by the number of its record's fence.
    ///
    /// # Errors
    /// The store's.
    pub async fn unknown_outcome(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        let Some(state) = State::of(self) else { return Ok(None) };
        let found = state.stores.keys.unknown_of_fence(tenant, fence);
        state.ask_store(PATIENCE, found).await
    }

    /// Says what became of a keyed call whose outcome nobody knew, as a person found it out.
    ///
    /// An [archived](KeyState::Archived) record, as [`find_outcome`](Self::find_outcome) returns
    /// it, can be resolved as [`DidNotHappen`](Resolution::DidNotHappen): then its key is free
    /// again.
    ///
    /// # Errors
    /// The answer is not one that the tool could give, the outcome is not unknown any more, or the
    /// store fails.
    pub async fn resolve_outcome(
        &self,
        record: &KeyRecord,
        resolution: Resolution,
    ) -> Result<(), ResolveError> {
        let tool = &*record.key.tool;
        let unknown = || ResolveError::UnknownTool(tool.to_owned());
        let state = State::of(self).ok_or_else(unknown)?;
        let plan = state.plan_of(tool).ok_or_else(unknown)?;
        // What still runs is settled by its owner alone.
        let forgets = record.state == KeyState::Archived && resolution == Resolution::DidNotHappen;
        if !record.is_unknown() && !forgets {
            return Err(ResolveError::Changed);
        }
        let settlement = match resolution {
            Resolution::DidNotHappen => Settlement::Released,
            Resolution::Happened { answer } => {
                self.check_answer(tool, &answer)?;
                let keep_until = state.store_time(PATIENCE).await?.after(plan.retention);
                Settlement::Answered { answer: found_out(answer), keep_until }
            }
        };
        let settled = state.stores.keys.settle(&record.key, record.fence, settlement);
        let held = state.ask_store(PATIENCE, settled).await?;
        if !held {
            return Err(ResolveError::Changed);
        }
        state.outcomes.resolved();
        Ok(())
    }

    fn check_answer(&self, tool: &str, answer: &str) -> Result<(), ResolveError> {
        let wrong = |why| ResolveError::Answer { tool: tool.to_owned(), why };
        crate::json::read(answer, &Limits::default()).map_err(|error| wrong(error.to_string()))?;
        let output = self.registered(tool).and_then(|tool| tool.output.as_ref());
        let Some(output) = output else { return Ok(()) };
        let report = output.check(answer, &Limits::default(), Coerce::Off);
        match report.violations.first() {
            Some(violation) => Err(wrong(violation.to_string())),
            None => Ok(()),
        }
    }
}

/// The answer as a repeat gets it.
fn found_out(answer: String) -> StoredAnswer {
    let meta = ToolResultMeta::new(0).with_warnings(["a person found this answer out".to_owned()]);
    let meta = serde_json::to_vec(&meta).unwrap_or_default();
    StoredAnswer::succeeded(answer.into_bytes(), meta)
}
