//! Commits the transaction that a tool borrowed, together with the settlement of its key.

use super::ClaimedKey;
use super::held_key::{SETTLE_TIMEOUT, lost_to_another_run};
use super::tool_transaction::ToolTransaction;
use crate::dispatch::answer;
use crate::dispatch::outcome::{CallOutcome, EffectOutcome};
use crate::failure::LoggedFailure;
use crate::policy::store_client::{StoreClient, store_failure};
use crate::store::{
    CommitOutcome, KeyAnswer, Settlement, StoreError, StoreErrorKind, StoreTransaction,
};
use crate::tool::{CallScope, Transaction as _};

impl ToolTransaction {
    /// Ends the transaction of a call, and settles its key: together if the tool has answered, else the key alone
    /// after the transaction was rolled back.
    pub(in crate::policy) async fn settle(
        &self,
        stores: &StoreClient,
        key: Option<ClaimedKey>,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> CallOutcome {
        let has_effect = ended.effect == EffectOutcome::Answered && !scope.withholds_effect();
        let transaction = if has_effect { self.take_begun() } else { None };
        let Some(transaction) = transaction else {
            self.roll_back();
            return match key {
                Some(key) => key.settle(scope, ended).await,
                None => ended,
            };
        };
        let Some(key) = key else {
            return match commit(stores, &*transaction, None).await {
                CommitOutcome::Committed => ended,
                CommitOutcome::NotHeld => self.rolled_back(scope, None),
                CommitOutcome::RolledBack(error) => self.rolled_back(scope, Some(&error)),
                CommitOutcome::Unknown(error) | CommitOutcome::EndedByTool(error) => {
                    unknown(scope, &error)
                }
            };
        };
        self.settle_key(stores, &*transaction, key, scope, ended).await
    }

    async fn settle_key(
        &self,
        stores: &StoreClient,
        transaction: &dyn StoreTransaction,
        mut key: ClaimedKey,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> CallOutcome {
        let call_outcome = key.record_spending(scope, ended);
        let Settlement::Answered { answer, keep_until } = key.settlement_of(&call_outcome).await
        else {
            transaction.roll_back();
            let outcome = self.rolled_back(scope, None);
            key.release().await;
            return outcome;
        };
        let settlement = Some(key.hand_over(answer, keep_until));
        let mut outcome = commit(stores, transaction, settlement).await;
        if let CommitOutcome::Unknown(error) = outcome {
            outcome = key.learn_commit(error).await;
        }
        match outcome {
            CommitOutcome::Committed => {
                key.record_commit(true);
                call_outcome
            }
            CommitOutcome::NotHeld => {
                self.record_rollback();
                lost_to_another_run(scope)
            }
            CommitOutcome::RolledBack(error) => {
                let outcome = self.rolled_back(scope, Some(&error));
                key.take_back().release().await;
                outcome
            }
            // The key stays claimed. After its lease a repeat finds the answer, or nothing of this run.
            CommitOutcome::Unknown(error) => {
                key.record_commit(false);
                unknown(scope, &error)
            }
            CommitOutcome::EndedByTool(error) => {
                let mut key = key.take_back();
                // If the store fails, the lease runs out.
                drop(key.store(Settlement::Unknown).await);
                unknown(scope, &error)
            }
        }
    }

    /// Answers that the store did not commit the call's effect.
    fn rolled_back(&self, scope: &CallScope, error: Option<&StoreError>) -> CallOutcome {
        self.record_rollback();
        let unstored = || {
            StoreError::new(
                StoreErrorKind::Unavailable,
                "the answer could not be stored with its key",
            )
        };
        let failure = error.map_or_else(|| store_failure(&unstored()), store_failure);
        answer::failed(scope, LoggedFailure::plain(failure), 0, EffectOutcome::Transient)
    }
}

impl ClaimedKey {
    /// Learns from the key's record whether a transaction was committed whose connection was lost meanwhile.
    async fn learn_commit(&mut self, lost: StoreError) -> CommitOutcome {
        // A release waits until the server has ended the transaction.
        match self.store(Settlement::Released).await {
            Ok(true) => CommitOutcome::RolledBack(lost),
            Ok(false) => match self.is_answered().await {
                Ok(Some(true)) => CommitOutcome::Committed,
                Ok(None) => CommitOutcome::NotHeld,
                Ok(Some(false)) | Err(_) => CommitOutcome::Unknown(lost),
            },
            Err(_) => CommitOutcome::Unknown(lost),
        }
    }
}

/// Commits, and waits no longer than for another settlement.
async fn commit(
    stores: &StoreClient,
    transaction: &dyn StoreTransaction,
    settlement: Option<KeyAnswer>,
) -> CommitOutcome {
    let commit = async { Ok(transaction.commit(settlement).await) };
    stores.call(SETTLE_TIMEOUT, commit).await.unwrap_or_else(CommitOutcome::Unknown)
}

/// Answers that the call's effect may have been committed.
fn unknown(scope: &CallScope, error: &StoreError) -> CallOutcome {
    let failure = store_failure(error).with_effect_unknown();
    answer::failed(scope, LoggedFailure::plain(failure), 0, EffectOutcome::Unknown)
}
