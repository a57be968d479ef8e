//! Under which key a call runs.

use tool_contracts::ToolContext;

use super::refusals;
use crate::call::{CallApproval, CallScope, Idempotency};
use crate::dispatch::refusal::Refusal;
use crate::policy::plan::Plan;
use crate::policy::principal::principal_of;
use crate::store::{Fence, KeyScope};

/// Says under which key a write runs; none if nothing tells its repeat from another call.
///
/// The caller's own key, else what a repeat of the same model's call has in common with it, else
/// the ticket that it came back by.
pub(super) fn key_of(
    plan: &Plan,
    scope: &CallScope,
    consent: &CallApproval,
) -> Result<Option<KeyScope>, Box<Refusal>> {
    let cx = scope.cx();
    let given = cx.idempotency_key();
    if given.is_none() && plan.require_key {
        return Err(refusals::key_required());
    }
    let principal = principal_of(cx);
    if given.is_some() && principal.is_none() {
        return Err(refusals::nobody());
    }
    let ticket = || consent.ticket.as_ref().map(|ticket| format!("ticket:{}", ticket.id));
    let key = given.map(|key| format!("{GIVEN}{key}"));
    let key = key.or_else(|| derived(cx, scope.call_id())).or_else(ticket);
    let scoped = |key: String| {
        let principal = principal.unwrap_or_default();
        KeyScope::new(cx.tenant_id(), principal, &*plan.tool, key)
    };
    Ok(key.map(scoped))
}

/// How the caller's own keys begin in the store, so that no other is ever one of them.
const GIVEN: &str = "key:";

/// The key that every repeat of one model's call has; its length keeps the trace from running into
/// the id.
fn derived(cx: &ToolContext, call_id: Option<&str>) -> Option<String> {
    let trace = cx.trace_id();
    call_id.map(|id| format!("call:{}:{trace}:{id}", trace.len()))
}

/// What the tool reads of its key.
pub(super) fn shown_to_tool(key: &KeyScope, fence: Fence) -> Idempotency {
    let own = key.key.strip_prefix(GIVEN).unwrap_or(&key.key);
    Idempotency::of(own.into(), key.global_key().into(), fence.get())
}
