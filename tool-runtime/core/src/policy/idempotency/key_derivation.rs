//! Derives the idempotency key of a call.

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::refusals;
use crate::dispatch::CallApproval;
use crate::dispatch::refusal::Refusal;
use crate::policy::spending::CallSpending;
use crate::policy::tool_plan::ToolPlan;
use crate::store::principal::principal_of;
use crate::store::{Fence, ScopedKey};
use crate::tool::{CallScope, Idempotency};

/// Returns the key of a write; none if nothing distinguishes its repeat from another call.
///
/// It is the caller's own key, else it is derived from the trace and the call's place or the model's
/// call id, else from the ticket that the call was resumed with.
pub(super) fn key_of(
    plan: &ToolPlan,
    scope: &CallScope,
    approval: &CallApproval,
) -> Result<Option<ScopedKey>, Box<Refusal>> {
    let cx = scope.cx();
    let given = cx.idempotency_key();
    if given.is_none() && plan.require_key {
        return Err(refusals::key_required());
    }
    let principal = principal_of(cx);
    if given.is_some() && principal.is_none() {
        return Err(refusals::no_principal());
    }
    let ticket = || approval.ticket.as_ref().map(|ticket| format!("ticket:{}", ticket.id));
    let key = given.map(|key| format!("{GIVEN}{key}"));
    let key = key.or_else(|| derived(cx, scope)).or_else(ticket);
    let scoped = |key: String| {
        let principal = principal.unwrap_or_default();
        ScopedKey::new(cx.tenant_id(), principal, &*plan.tool, key)
    };
    Ok(key.map(scoped))
}

/// Returns a new key for a write that spends and has no other: its reservation needs one.
pub(super) fn key_of_spender(
    plan: &ToolPlan,
    scope: &CallScope,
    spending: &CallSpending,
) -> Option<ScopedKey> {
    if spending.is_empty() {
        return None;
    }
    let cx = scope.cx();
    let principal = principal_of(cx).unwrap_or_default();
    let key = format!("once:{}", Uuid::now_v7());
    Some(ScopedKey::new(cx.tenant_id(), principal, &*plan.tool, key))
}

/// Prefix of the caller's own keys in the store, which keeps derived keys apart from them.
const GIVEN: &str = "key:";

/// Returns the key that every repeat of one model's call has. The trace's length separates the
/// trace from the place or the call id.
fn derived(cx: &ToolContext, scope: &CallScope) -> Option<String> {
    let trace = cx.trace_id();
    let at = scope.place().map(|place| format!("place:{}:{trace}:{place}", trace.len()));
    let id = || scope.call_id().map(|id| format!("call:{}:{trace}:{id}", trace.len()));
    // The place comes first, because models give one id to several calls: they would share an
    // effect.
    at.or_else(id)
}

/// Returns the view of the key that the tool reads.
pub(super) fn idempotency_for_tool(key: &ScopedKey, fence: Fence) -> Idempotency {
    let own_key = key.key.strip_prefix(GIVEN).unwrap_or(&key.key);
    Idempotency::with_keys(own_key.into(), key.global_key().into(), fence.get())
}
