//! Whether a call repeats an earlier one: then there may be nothing to ask anybody about.

use std::time::{Duration, Instant};

use super::{KeyHold, key, refusals};
use crate::call::{CallApproval, CallScope};
use crate::dispatch::pipeline::CallOutcome;
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::fingerprint;
use crate::policy::asking::PATIENCE;
use crate::policy::governor::State;
use crate::policy::ticket::TicketFault;
use crate::policy::waiting::left;
use crate::store::{KeyRecord, KeyState};

/// What is known of the key that a call would run under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) enum Known {
    No,
    /// An earlier run is at work, or its outcome is not known.
    Begun,
    /// The same call has an answer.
    Answered,
}

impl State {
    /// Looks up what became of an earlier call under the same key.
    pub(in crate::policy) async fn known(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
    ) -> Result<Known, Box<Refusal>> {
        Ok(match self.record_of(scope, consent, PATIENCE).await?.map(|record| record.state) {
            None => Known::No,
            Some(KeyState::Answered { .. }) => Known::Answered,
            Some(KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived) => Known::Begun,
        })
    }

    /// Answers a repeat whose answer is kept, without taking anything.
    pub(in crate::policy) async fn kept_answer(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<Option<CallOutcome>, Box<Refusal>> {
        let left = left(scope, started);
        let Some(record) = self.record_of(scope, consent, left).await? else { return Ok(None) };
        match record.state {
            KeyState::Answered { answer, .. } => {
                self.replay(scope, &record.key, &answer, left).await.map(Some)
            }
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => Ok(None),
        }
    }

    /// Refuses a call whose ticket was used by a run that is answered: only a run that broke off leads
    /// to what became of it.
    pub(in crate::policy) async fn must_be_unanswered(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        let found = self.record_of(scope, consent, left(scope, started)).await?;
        // What a damaged record says of its answer is not believed.
        match found.filter(|record| !record.damaged).map(|record| record.state) {
            Some(KeyState::Answered { .. }) => Err(TicketFault::Used.into()),
            None | Some(KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived) => {
                Ok(())
            }
        }
    }

    /// The record of the same call. What cannot have a key, or no fingerprint, or belongs to other
    /// arguments, is refused where the key is claimed.
    async fn record_of(
        &self,
        scope: &CallScope,
        consent: &CallApproval,
        limit: Duration,
    ) -> Result<Option<KeyRecord>, Box<Refusal>> {
        let plan = self.plan(scope);
        let runs = plan.writes() && !scope.dry_run();
        let key = key::key_of(plan, scope, consent).ok().flatten().filter(|_| runs);
        let (Some(key), Ok(arguments)) = (key, fingerprint(plan, scope.sent())) else {
            return Ok(None);
        };
        let found = self.ask_store(limit, self.stores.keys.find(&key)).await;
        let found = found.map_err(|error| refusals::store_failed(&error))?;
        // What a damaged record says of its arguments is not believed.
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

/// Gives a key back whose answer is gone since the call was let through for it.
pub(super) async fn give_back(hold: KeyHold) -> Box<Refusal> {
    hold.give_back().await;
    Refusal::needs_confirmation()
}
