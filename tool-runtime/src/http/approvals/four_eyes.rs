//! Whoever asked for a call does not approve it.

use tool_contracts::{CallStatus, ErrorCode, ToolContext};

use crate::Failure;
use crate::dispatch::refusal::Refusal;
use crate::http::Principal;

/// Tells whether somebody is about to approve what they asked for themselves.
///
/// Users of a tenant are told apart by their ids, whichever service speaks for them. A service that
/// names nobody speaks for itself, so it approves nothing that it has asked for itself, for whomever.
pub(super) fn is_own(asked: &ToolContext, approver: &ToolContext, principal: &Principal) -> bool {
    match (asked.user_id(), approver.user_id()) {
        (asked, Some(user)) => asked == Some(user),
        (_, None) => asked.actor().is_some_and(|actor| actor.id() == principal.name()),
    }
}

/// The call waits on for somebody else.
pub(super) fn refusal() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Forbidden)
        .with_message("whoever asked for a call may not approve it; somebody else has to")
        .with_detail("reason", "own_call");
    Refusal::new(CallStatus::NotExecuted, failure)
}
