//! Limits reads of an inbox or a trace, and records each in the ledger before it is answered; names
//! callers for records.

use std::sync::Arc;

use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_record::ledger::{RecordedAccess, RecordedOutcome};

use super::admission::AuthorizedCaller;
use super::time_limit::within_time_limit;
use crate::auth::Principal;
use crate::problem::Problem;
use crate::state::app::App;
use crate::state::quota::{Permit, QuotaRefusal};

/// The quota of reads bounds each caller, not all of them together.
const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Reads,
    capacity: "too many reads are in progress; retry later",
    caller: "the caller has too many reads in progress; wait for their answers",
};

/// The longest name in a record, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// A read that is about to be answered.
#[derive(Debug)]
pub(crate) struct ReadAccess {
    pub(crate) action: &'static str,
    /// The method and path template of the request.
    pub(crate) what: &'static str,
    /// The subject: a trace's id, or the first and the last ticket.
    pub(crate) subject: Option<String>,
}

/// Acquires a permit for one read of a principal.
pub(crate) fn acquire_read(app: &App, principal: &Principal) -> Result<Permit<Arc<str>>, Problem> {
    app.reads.acquire(Arc::clone(principal.id()), 1).map_err(|exhausted| REFUSAL.problem(exhausted))
}

impl ReadAccess {
    /// Records the read and waits until the record is written. A read that cannot be recorded is
    /// refused.
    ///
    /// A server without a ledger records nothing.
    pub(crate) async fn record(
        self,
        app: &App,
        authorized: &AuthorizedCaller,
    ) -> Result<(), Problem> {
        let Some(ledger) = &app.config.ledger else { return Ok(()) };
        let mut access =
            RecordedAccess::new(ledger.clock().now(), self.action, authorized.name(), self.what);
        access.tenant_id = Some(authorized.tenant());
        access.subject = self.subject;
        access.outcome = RecordedOutcome::Done.to_string();
        let recorded =
            async { ledger.record_access(access).await.map_err(|_| Problem::store_unavailable()) };
        within_time_limit(app, recorded).await
    }
}

/// Names a user and the principal that named it, within the length limit of records.
///
/// The principal is authenticated and the user is not, so a long user name is cut and the principal
/// always follows it.
pub(crate) fn recorded_name(user: Option<&str>, principal: &str) -> String {
    let Some(user) = user else { return truncated(principal, MAX_NAME_LENGTH).to_owned() };
    let principal = truncated(principal, MAX_NAME_LENGTH / 2);
    let user_limit = MAX_NAME_LENGTH - "user: by ".len() - principal.len();
    format!("user:{} by {principal}", truncated(user, user_limit))
}

/// Cuts a name to this many bytes, at a character boundary.
fn truncated(name: &str, limit: usize) -> &str {
    let mut end = name.len().min(limit);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_LENGTH, recorded_name};

    #[test]
    fn the_principal_is_named_however_long_the_users_name_is() {
        assert_eq!(recorded_name(Some("boss"), "desk"), "user:boss by desk");
        assert_eq!(recorded_name(None, "desk"), "desk");
        for user in ["x".repeat(256), "名".repeat(256), format!("boss by other{}", " ".repeat(300))]
        {
            let name = recorded_name(Some(&user), "desk");
            assert!(name.ends_with(" by desk") && name.len() <= MAX_NAME_LENGTH, "{name}");
        }
        let long = recorded_name(Some("boss"), &"名".repeat(256));
        assert!(long.starts_with("user:boss by 名") && long.len() <= MAX_NAME_LENGTH, "{long}");
    }
}
