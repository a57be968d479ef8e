//! Who asks for what, for whom: from a request's headers, query and body.
//!
//! | what | header | in the body |
//! | --- | --- | --- |
//! | tenant, required | `X-Tenant-ID` | `context.tenant_id` |
//! | site, required | `X-Site-ID` | `context.site_id` |
//! | trace, required | `X-Trace-ID`, else `X-Request-ID`, else the query's `trace_id` | else `context.trace_id`, else `traceparent` |
//! | request | `X-Request-ID` | before it `context.request_id`, since gateways set the header |
//! | span | `X-Span-ID` | `context.span_id` |
//! | user | `X-User-ID` | `context.user_id` |
//! | session | `X-Session-ID` | `context.session_id` |
//! | character | `X-NPC-ID` | `context.npc_id` |
//! | key | `Idempotency-Key` | `context.idempotency_key` |
//!
//! For trace and request the order decides; for all else header and body have to agree.

mod headers;
mod merging;
mod query;
mod refusal;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use axum::http::HeaderMap;
use tool_contracts::server::CallContext;
use tool_contracts::trace_context::TraceContext;
use tool_contracts::{Actor, ActorType, ToolContext, ToolContextBuilder};

use self::headers::Headers;
use self::refusal::Refusals;
use super::Principal;
use super::problem::Problem;

/// What a request says before its body.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestHead<'a> {
    pub(super) headers: &'a HeaderMap,
    /// Without the `?`.
    pub(super) query: Option<&'a str>,
}

/// Makes a call's context from the head, the body (none where it has no context) and who calls.
///
/// A caller that is known becomes the context's actor. One that nobody knows has none, so that
/// strangers never share a key, and names no user.
///
/// # Errors
/// 400 when something required is missing, does not hold or is contradicted, all at once; 401 when
/// a caller that nobody knows names a user; 403 when the principal may not act for the tenant.
pub(super) fn context(
    head: &RequestHead<'_>,
    body: Option<CallContext>,
    principal: &Principal,
) -> Result<ToolContext, Problem> {
    let mut refusals = Refusals::new(body.is_some());
    let before = Before::read(head, &mut refusals);
    let merged = merging::merged(&before, body.unwrap_or_default(), &mut refusals);
    let said = merged.build().map_err(|error| refusal::broken(&error))?;
    refusals.finish(said.trace_id())?;
    admit(&said, principal).map_err(|problem| refusal::of_trace(problem, said.trace_id()))?;
    built(said, before.parent.as_ref(), principal)
}

/// What a request says of itself before its body.
#[derive(Debug)]
struct Before<'a> {
    headers: Headers<'a>,
    /// The trace that the query asks for.
    asked: Option<Cow<'a, str>>,
    /// The caller's place in a distributed trace.
    parent: Option<TraceContext>,
}

impl<'a> Before<'a> {
    fn read(head: &RequestHead<'a>, refusals: &mut Refusals) -> Self {
        let headers = Headers::read(head.headers, refusals);
        let asked = query::trace_id(head.query, refusals);
        let parent = headers.parent(head.headers);
        Self { headers, asked, parent }
    }
}

fn admit(said: &CallContext, principal: &Principal) -> Result<(), Problem> {
    if !said.tenant_id().is_some_and(|tenant| principal.may_act_for(tenant.id())) {
        return Err(Problem::forbidden(
            "this caller may not act for this tenant; name one of its own, or have it granted",
        ));
    }
    if principal.is_anonymous() && said.user_id().is_some() {
        return Err(Problem::unauthorized(
            "a caller that nobody knows may not act for a user; leave the user out, or send an \
             API key or a token",
        ));
    }
    Ok(())
}

fn built(
    said: CallContext,
    parent: Option<&TraceContext>,
    principal: &Principal,
) -> Result<ToolContext, Problem> {
    let span_id = parent.and(said.span_id()).map(str::to_owned);
    let in_trace = parent.filter(|parent| is_trace(parent, said.trace_id()));
    let mut builder = said.into_context_builder().map_err(|error| refusal::broken(&error))?;
    if let Some(parent) = in_trace {
        builder = within(builder, parent, span_id);
    } else if let Some(parent) = parent {
        // The host's own trace goes on under its own id; what is of another stands beside it.
        builder = builder.attribute("traceparent", parent.parent().to_string());
    }
    if let Some(actor) = actor_of(principal) {
        builder = builder.actor(actor);
    }
    builder.build().map_err(|error| refusal::broken(&error))
}

/// Places the call in the caller's span; another name for that span stands beside it.
fn within(
    builder: ToolContextBuilder,
    parent: &TraceContext,
    span_id: Option<String>,
) -> ToolContextBuilder {
    let trace = parent.to_trace();
    let other = span_id.filter(|span_id| span_id != trace.span_id());
    let builder = builder.trace(trace);
    match other {
        Some(span_id) => builder.attribute("span_id", span_id),
        None => builder,
    }
}

fn is_trace(parent: &TraceContext, trace_id: Option<&str>) -> bool {
    trace_id.is_some_and(|id| id.parse() == Ok(parent.parent().trace_id()))
}

fn actor_of(principal: &Principal) -> Option<Actor> {
    let known = Some(principal).filter(|principal| !principal.is_anonymous())?;
    Actor::new(ActorType::System, known.name()).ok()
}
