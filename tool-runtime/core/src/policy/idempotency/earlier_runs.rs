//! Looks up an earlier run under the same key, so that a repeat needs no approval.

use std::time::{Duration, Instant};

use tool_runtime_schema::canonical::Digest;

use super::{KeyClaims, key_derivation, refusals};
use crate::dispatch::CallApproval;
use crate::dispatch::outcome::CallOutcome;
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::fingerprint;
use crate::policy::deadline::time_left;
use crate::policy::store_client::STORE_TIMEOUT;
use crate::policy::ticket::TicketRejection;
use crate::store::{KeyRecord, KeyState, ScopedKey};
use crate::tool::CallScope;

/// The earlier run under the key of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) enum EarlierRun {
    None,
    /// It is running, or its outcome is unknown.
    Begun,
    /// It has an answer.
    Answered,
    /// It had other arguments, so that this call cannot run under the key.
    OtherArguments,
}

impl KeyClaims {
    /// Looks up an earlier run under the same key.
    pub(in crate::policy) async fn earlier_run(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
    ) -> Result<EarlierRun, Box<Refusal>> {
        let Some((key, arguments)) = key_and_arguments(scope, approval) else {
            return Ok(EarlierRun::None);
        };
        let Some(record) = self.live_record(&key, STORE_TIMEOUT).await? else {
            return Ok(EarlierRun::None);
        };
        if !is_same(&record, arguments) {
            return Ok(EarlierRun::OtherArguments);
        }
        Ok(match record.state {
            KeyState::Answered { .. } => EarlierRun::Answered,
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => EarlierRun::Begun,
        })
    }

    /// Answers a repeat whose answer is stored, without claiming anything.
    pub(in crate::policy) async fn stored_answer(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
        started: Instant,
    ) -> Result<Option<CallOutcome>, Box<Refusal>> {
        let left = time_left(scope, started);
        let Some(record) = self.record_of(scope, approval, left).await? else { return Ok(None) };
        match record.state {
            KeyState::Answered { answer, .. } => {
                let replayed = self.replay(scope, &record.key, &answer, left).await?;
                if let Ok(spending) = self.spending.plan(scope) {
                    spending.under(&record.key).record_replay(scope, &answer);
                }
                Ok(Some(replayed))
            }
            KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived => Ok(None),
        }
    }

    /// Refuses a call whose used ticket belongs to a run that has an answer: a used ticket leads
    /// only to a run that did not end.
    pub(in crate::policy) async fn must_be_unanswered(
        &self,
        scope: &CallScope,
        approval: &CallApproval,
        started: Instant,
    ) -> Result<(), Box<Refusal>> {
        let key_record = self.record_of(scope, approval, time_left(scope, started)).await?;
        // The answer in a damaged record is not trusted.
        match key_record.filter(|record| !record.damaged).map(|record| record.state) {
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
        approval: &CallApproval,
        limit: Duration,
    ) -> Result<Option<KeyRecord>, Box<Refusal>> {
        let Some((key, arguments)) = key_and_arguments(scope, approval) else { return Ok(None) };
        let key_record = self.live_record(&key, limit).await?;
        Ok(key_record.filter(|record| is_same(record, arguments)))
    }

    /// Returns the record of a key, unless its answer has expired.
    async fn live_record(
        &self,
        key: &ScopedKey,
        limit: Duration,
    ) -> Result<Option<KeyRecord>, Box<Refusal>> {
        let lookup = self.stores.call(limit, self.stores.keys.find(key)).await;
        let key_record = lookup.map_err(|error| refusals::store_failed(&error))?;
        let Some(record) = key_record else { return Ok(None) };
        if let KeyState::Answered { keep_until, .. } = &record.state {
            let now = self.stores.keys_time(limit).await;
            if now.map_err(|error| refusals::store_failed(&error))? >= *keep_until {
                return Ok(None);
            }
        }
        Ok(Some(record))
    }
}

/// Returns whether a record is of a call with these arguments; the fingerprint in a damaged record is
/// not trusted.
fn is_same(record: &KeyRecord, arguments: Digest) -> bool {
    record.damaged || record.fingerprint == arguments
}

/// Returns the key that a write runs under, and the hash of its arguments.
fn key_and_arguments(scope: &CallScope, approval: &CallApproval) -> Option<(ScopedKey, Digest)> {
    let plan = scope.plan();
    let runs = plan.writes() && !scope.dry_run();
    let key = key_derivation::key_of(plan, scope, approval).ok().flatten().filter(|_| runs)?;
    Some((key, fingerprint(plan, scope.original_call()).ok()?))
}
