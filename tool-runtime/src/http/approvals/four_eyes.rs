//! A call is not approved by the caller that asked for it.

use tool_contracts::{CallStatus, ErrorCode, ToolContext};

use crate::Failure;
use crate::dispatch::refusal::Refusal;
use crate::http::Principal;
use crate::http::auth::names::are_alike;
use crate::refusal_reason::RefusalReason;

/// Returns whether a caller is about to approve a call that it asked for itself.
///
/// It is its own call where both name the same user, or where both are the same principal. The same
/// principal may approve for another user only if it is trusted to name users and both requests
/// name one. A principal is told by the actor's id, which is proven and which no request says.
pub(super) fn is_own(asked: &ToolContext, approver: &ToolContext, principal: &Principal) -> bool {
    let users = asked.user_id().zip(approver.user_id());
    if users.is_some_and(|(asked, approving)| are_alike(asked, approving)) {
        return true;
    }
    let is_trusted_with_both = users.is_some() && principal.names_any_user();
    is_same_principal(asked, principal) && !is_trusted_with_both
}

fn is_same_principal(asked: &ToolContext, principal: &Principal) -> bool {
    // A call that waits since before ids had a kind is known by the principal's name alone.
    let is_it = |id: &str| are_alike(id, principal.id()) || are_alike(id, principal.name());
    asked.actor().is_some_and(|actor| is_it(actor.id()))
}

/// The call waits on for somebody else.
pub(super) fn refusal() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Forbidden)
        .with_message(
            "the caller that asked for a call may not approve it; another user has to, by another \
             credential unless this one is trusted to name users",
        )
        .with_reason(RefusalReason::OwnCall);
    Refusal::new(CallStatus::NotExecuted, failure)
}
