//! The four-eyes check: a call is not approved by the caller that requested it.

use tool_contracts::{CallStatus, ErrorCode, ToolContext};
use tool_runtime_core::Failure;
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::auth::Principal;
use crate::auth::names::are_alike;

/// Returns whether a caller is about to approve its own call.
///
/// It is its own call if both requests name the same user, or if both have the same principal. The
/// same principal may approve for another user only if it may name any user and both requests name
/// one. The principal is recognised by the actor's id, which is authenticated.
pub(super) fn is_own(request: &ToolContext, approver: &ToolContext, principal: &Principal) -> bool {
    let users = request.user_id().zip(approver.user_id());
    if users.is_some_and(|(requesting, approving)| are_alike(requesting, approving)) {
        return true;
    }
    let is_trusted_with_both = users.is_some() && principal.names_any_user();
    is_same_principal(request, principal) && !is_trusted_with_both
}

fn is_same_principal(request: &ToolContext, principal: &Principal) -> bool {
    // The actor of a call opened before ids had a kind is the principal's name alone.
    let is_it = |id: &str| are_alike(id, principal.id()) || are_alike(id, principal.name());
    request.actor().is_some_and(|actor| is_it(actor.id()))
}

/// Returns the refusal; the call keeps waiting for another approver.
pub(super) fn refusal() -> Box<Refusal> {
    let failure = Failure::from_code(ErrorCode::Forbidden)
        .with_message(
            "the caller that requested a call may not approve it; another user has to approve it, with \
             another credential unless this one may name any user",
        )
        .with_reason(RefusalReason::OwnCall);
    Refusal::new(CallStatus::NotExecuted, failure)
}
