//! Looks up an earlier run under the same key, so that a repeat needs no approval.

use std::time::{Duration, Instant};

use super::{ClaimedKey, key, refusals};
use crate::dispatch::CallApproval;
use crate::dispatch::outcome::CallOutcome;
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::fingerprint;
use crate::policy::deadline::time_left;
use crate::policy::policy_state::PolicyState;
use crate::policy::store_access::STORE_TIMEOUT;
use crate::policy::ticket::TicketRejection;
use crate::store::{KeyRecord, KeyState};
use crate::tool::CallScope;

/// The earlier run under the key of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) enum EarlierRun {
    None,
    /// It is running, or its outcome is unknown.
    Begun,
    /// It has an answer.
    Answered,
}

impl PolicyState {
    /// Looks up an earlier run under the same key.
    pub(in crate::policy) async fn earlier_run(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
    ) -> Result<EarlierRun, Box<Refusal>> {
        Ok(match self.record_of(scope, consent, STORE_TIMEOUT).await?.map(|record| record.state) {
            None => EarlierRun::None,
            Some(KeyState::Answered { .. }) => EarlierRun::Answered,
            Some(KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived) => {
                EarlierRun::Begun
            }
        })
    }

    /// Answers a repeat whose answer is stored, without claiming anything.
    pub(in crate::policy) async fn stored_answer(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<Option<CallOutcome>, Box<Refusal>> {
        let left = time_left(scope, started);
        let Some(record) = self.record_of(scope, consent, left).await? else { return Ok(None) };
        match record.state {
            KeyState::Answered { answer, .. } => {
                self.replay(scope, &record.key, &answer, left).await.map(Some)
            }
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => Ok(None),
        }
    }

    /// Refuses a call whose used ticket belongs to a run that has an answer: a used ticket leads
    /// only to a run that did not end.
    pub(in crate::policy) async fn must_be_unanswered(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        let found = self.record_of(scope, consent, time_left(scope, started)).await?;
        // The answer in a damaged record is not trusted.
        match found.filter(|record| !record.damaged).map(|record| record.state) {
            Some(KeyState::Answered { .. }) => Err(TicketRejection::Used.into()),
            None | Some(KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived) => {
                Ok(())
            }
        }
    }

    /// Returns the record of the same call. A call without a key or a fingerprint, or with other
    /// arguments, has none here, and is refused when the key is claimed.
    async fn record_of(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        limit: Duration,
    ) -> Result<Option<KeyRecord>, Box<Refusal>> {
        let plan = scope.plan();
        let runs = plan.writes() && !scope.dry_run();
        let key = key::key_of(plan, scope, consent).ok().flatten().filter(|_| runs);
        let (Some(key), Ok(arguments)) = (key, fingerprint(plan, scope.sent())) else {
            return Ok(None);
        };
        let found = self.call_store(limit, self.stores.keys.find(&key)).await;
        let found = found.map_err(|error| refusals::store_failed(&error))?;
        // The fingerprint in a damaged record is not trusted.
        let is_same = |record: &KeyRecord| record.damaged || record.fingerprint == arguments;
        let Some(record) = found.filter(is_same) else { return Ok(None) };
        if let KeyState::Answered { keep_until, .. } = &record.state {
            let now = self.store_time(limit).await;
            if now.map_err(|error| refusals::store_failed(&error))? >= *keep_until {
                return Ok(None);
            }
        }
        Ok(Some(record))
    }
}

/// Releases the key of a repeat that needed no approval, but whose stored answer has expired since.
pub(super) async fn release(key: ClaimedKey) -> Box<Refusal> {
    key.release().await;
    Refusal::needs_confirmation()
}
