//! Whether a call repeats one that was answered: then there is nothing to ask anybody about.

use super::{KeyHold, key, refusals};
use crate::call::{CallScope, Consent};
use crate::dispatch::refusal::Refusal;
use crate::policy::approval::fingerprint;
use crate::policy::governor::State;
use crate::store::{KeyState, Settlement};

impl State {
    /// Tells whether the call gets the answer that is kept under its key, so that it does not run.
    pub(in crate::policy) async fn is_answered(
        &self,
        scope: &CallScope,
        consent: &Consent,
    ) -> Result<bool, Box<Refusal>> {
        let plan = self.plan(scope);
        // What cannot have a key, or no fingerprint, is refused where the key is claimed.
        let key = key::key_of(plan, scope, consent).ok().flatten().filter(|_| plan.writes());
        let (Some(key), Ok(arguments)) = (key, fingerprint(plan, scope)) else { return Ok(false) };
        let found = self.stores.keys.find(&key).await;
        let found = found.map_err(|error| refusals::store_failed(&error))?;
        Ok(found.is_some_and(|record| match record.state {
            KeyState::Answered { keep_until, .. } => {
                record.fingerprint == arguments && self.clock.now() < keep_until
            }
            _ => false,
        }))
    }
}

/// Gives a key back whose answer is gone since the call was let through for it.
pub(super) async fn give_back(mut hold: KeyHold, settlement: Settlement) -> Box<Refusal> {
    // What cannot be stored is told by the lease, when it is over.
    drop(hold.store(settlement).await);
    Refusal::needs_confirmation()
}
