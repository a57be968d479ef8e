//! Records reads of an inbox or a trace in the ledger, before what was read is sent.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_contracts::ErrorCode;

use super::app::App;
use super::auth::Principal;
use super::desk::{self, Clerk};
use super::problem::Problem;
use crate::ledger::RecordedAccess;
use crate::refusal_reason::RefusalReason;

/// How many reads one principal may have under way, so that none takes what others need of the
/// ledger's room for records.
const MOST_OF_ONE: usize = 16;

/// A read that is about to be answered.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) action: &'static str,
    /// The request, without anything that its caller chose.
    pub(super) what: &'static str,
    /// What is shown: a trace's id, the first ticket and the last one.
    pub(super) subject: Option<String>,
}

/// The reads that are under way, by principal.
#[derive(Debug, Default)]
pub(super) struct ReadShares {
    under_way: Mutex<HashMap<Arc<str>, usize>>,
}

/// The place of one read, until it is dropped.
#[derive(Debug)]
#[must_use = "the place is given back when this is dropped"]
pub(super) struct ReadPlace<'a> {
    shares: &'a ReadShares,
    principal: Arc<str>,
}

impl Read {
    /// Records the read, and waits until the record is written: what cannot be recorded is not shown.
    ///
    /// A server without a ledger records nothing.
    pub(super) async fn recorded(self, app: &App, clerk: &Clerk) -> Result<(), Problem> {
        let Some(ledger) = &app.config.ledger else { return Ok(()) };
        let mut access =
            RecordedAccess::new(ledger.clock().now(), self.action, clerk.name(), self.what);
        access.tenant_id = Some(clerk.tenant());
        access.subject = self.subject;
        "done".clone_into(&mut access.outcome);
        let noted = async { ledger.record_access(access).await.map_err(|_| desk::store_down()) };
        desk::within(app, noted).await
    }
}

impl ReadShares {
    /// Takes a place for a read of this principal's, if it has not too many under way.
    pub(super) fn take(&self, principal: &Principal) -> Result<ReadPlace<'_>, Problem> {
        let principal = Arc::clone(principal.id());
        let mut under_way = self.under_way();
        let of_principal = under_way.entry(Arc::clone(&principal)).or_default();
        if *of_principal >= MOST_OF_ONE {
            return Err(too_many());
        }
        *of_principal += 1;
        drop(under_way);
        Ok(ReadPlace { shares: self, principal })
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReadPlace<'_> {
    fn drop(&mut self) {
        let mut under_way = self.shares.under_way();
        if let Some(of_principal) = under_way.get_mut(&self.principal) {
            *of_principal -= 1;
            if *of_principal == 0 {
                under_way.remove(&self.principal);
            }
        }
    }
}

fn too_many() -> Problem {
    let message = "this caller reads too much at once; wait for the answers that are under way";
    Problem::of(ErrorCode::RateLimited, message).with_reason(RefusalReason::Reads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_principal_has_so_many_reads_under_way_and_takes_no_place_of_another() {
        let shares = ReadShares::default();
        let (dashboard, auditor) = (Principal::new("dashboard"), Principal::new("auditor"));
        let take = |principal| shares.take(principal);
        let mut taken: Vec<_> =
            (0..MOST_OF_ONE).map(|_| take(&dashboard).expect("a place")).collect();
        assert_eq!(take(&dashboard).expect_err("too many").code, ErrorCode::RateLimited);
        drop(take(&auditor).expect("a place of its own"));
        taken.pop();
        taken.push(take(&dashboard).expect("the place is free again"));
        drop(taken);
        assert!(shares.under_way().is_empty(), "nothing is kept of those that read nothing");
    }
}
