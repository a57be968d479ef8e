//! Makes a call's context from a request's headers, query and body.
//!
//! | what | header | in the body |
//! | --- | --- | --- |
//! | tenant, required | `X-Tenant-ID` | `context.tenant_id` |
//! | site, required | `X-Site-ID` | `context.site_id` |
//! | trace, required | `X-Trace-ID`, else `X-Request-ID`, else the query's `trace_id` | else `context.trace_id`, else `traceparent` |
//! | request | `X-Request-ID` | before it `context.request_id`, since gateways set the header |
//! | span | `X-Span-ID` | `context.span_id` |
//! | user | `X-User-ID` | `context.user_id` |
//! | actor's type | `X-Actor-Type` | `context.actor_type` |
//! | session | `X-Session-ID` | `context.session_id` |
//! | character | `X-NPC-ID` | `context.npc_id` |
//! | key | `Idempotency-Key` | `context.idempotency_key` |
//!
//! For trace and request the first source wins; for all other fields header and body have to agree.
//! A host may give the tenant, the site and the trace id of requests that name none
//! ([`ContextDefaults`]).
//!
//! A `traceparent` gives the parent span even if the trace id is of the host's own form.

mod envelope;
mod field_problems;
mod head_fields;
mod merging;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use tool_contracts::server::CallContext;
use tool_contracts::trace_context::TraceContext;
use tool_contracts::{Actor, ActorType, ErrorCode, ToolContext, ToolContextBuilder, Trace};

use tool_runtime_core::refusal_reason::RefusalReason;

pub(crate) use self::envelope::context_of_envelope;
use self::field_problems::FieldProblems;
pub(crate) use self::head_fields::decoded;
use self::head_fields::{BodyFields, HeadFields};
use crate::auth::Principal;
use crate::auth::names::normalized;
use crate::problem::Problem;
use crate::state::config::ContextDefaults;

/// The part of a request before its body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestHead<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// Without the `?`.
    pub(crate) query: Option<&'a str>,
}

impl<'a> RequestHead<'a> {
    /// Returns the head of a request.
    pub(crate) fn from_parts(parts: &'a Parts) -> Self {
        Self { headers: &parts.headers, query: parts.uri.query() }
    }
}

/// Makes a call's context from the head, the body's context (`None` if it has none) and the
/// principal.
///
/// An authenticated caller becomes the context's actor, with the id of its principal; a person is
/// the context's user too. An anonymous caller has no actor and no user, so anonymous callers do
/// not share idempotency keys. Ids of users and sessions are converted to normalization form C.
///
/// # Errors
/// 400 with all missing, invalid and contradictory fields; 401 if an anonymous caller names a user
/// or an actor type; 403 if the principal may not act for the tenant or the user, or as this actor
/// type.
pub(crate) fn context(
    head: &RequestHead<'_>,
    body: Option<CallContext>,
    principal: &Principal,
    defaults: &ContextDefaults,
) -> Result<ToolContext, Problem> {
    let fields = if body.is_some() { BodyFields::Context } else { BodyFields::None };
    let body = BodyContext { fields, context: body.unwrap_or_default(), trace: None };
    let builder = context_builder(head, body, principal, defaults)?;
    builder.build().map_err(|error| field_problems::invalid_context(&error))
}

/// The part of a call's context that the request's body gives.
struct BodyContext<'a> {
    /// The names under which the body has the fields of `context`.
    fields: BodyFields,
    context: CallContext,
    /// The caller's span, unless a `traceparent` gives it.
    trace: Option<&'a Trace>,
}

fn context_builder(
    head: &RequestHead<'_>,
    body: BodyContext<'_>,
    principal: &Principal,
    defaults: &ContextDefaults,
) -> Result<ToolContextBuilder, Problem> {
    let mut problems = FieldProblems::new(body.fields);
    let head_fields = HeadFields::read(head, &mut problems);
    let merged = merging::merge_fields(&head_fields, body.context, defaults, &mut problems);
    let requested = merged.build().map_err(|error| field_problems::invalid_context(&error))?;
    problems.finish(requested.trace_id())?;
    let requested = normalized_ids(requested)?;
    let with_trace_id = |problem| field_problems::with_trace_id(problem, requested.trace_id());
    admit(&requested, body.fields, principal).map_err(with_trace_id)?;
    let builder = builder_for_principal(requested, head_fields.parent.as_ref(), principal)?;
    Ok(match body.trace.filter(|_| head_fields.parent.is_none()) {
        Some(trace) => builder.trace(trace.clone()),
        None => builder,
    })
}

fn admit(
    requested: &CallContext,
    fields: BodyFields,
    principal: &Principal,
) -> Result<(), Problem> {
    if !requested.tenant_id().is_some_and(|tenant| principal.may_act_for(tenant.id())) {
        return Err(Problem::forbidden(
            "the caller may not act for this tenant; name a tenant that is granted to it",
        ));
    }
    if principal.is_anonymous() && requested.user_id().is_some() {
        return Err(Problem::unauthorized(
            "an anonymous caller may not act for a user; leave the user out, or send an API key or \
             a token",
        ));
    }
    if requested.user_id().is_some_and(|user| !principal.may_name_user(user)) {
        let problem = Problem::forbidden(
            "this caller may not act for this user; leave the user out, or have the host grant \
             its principal this user or the users of its tenants (`Users`)",
        );
        return Err(problem.with_reason(RefusalReason::User));
    }
    requested.actor_type().map_or(Ok(()), |kind| admit_actor(kind, requested, fields, principal))
}

fn admit_actor(
    kind: ActorType,
    requested: &CallContext,
    fields: BodyFields,
    principal: &Principal,
) -> Result<(), Problem> {
    if principal.is_anonymous() && fields == BodyFields::Envelope {
        return Err(Problem::unauthorized(
            "a request envelope names an actor, and an anonymous caller has none; send an API key or \
             a token, or use `POST /tools/call`",
        ));
    }
    if principal.is_anonymous() {
        return Err(Problem::unauthorized(
            "an anonymous caller has no actor; leave the actor's type out, or send an API key or a \
             token",
        ));
    }
    if !principal.may_act_as(kind) {
        let problem = Problem::forbidden(
            "this caller may not act as this type of actor; leave the type out, or have the host \
             grant it to its principal (`Principal::acting_as`)",
        );
        return Err(problem.with_reason(RefusalReason::ActorType));
    }
    let has_user = requested.user_id().is_some() || principal.own_user().is_some();
    if kind == ActorType::User && !has_user {
        let message = "an actor of the type `user` needs a user; name the user, or send another \
                       type";
        let problem = Problem::from_code(ErrorCode::InvalidArgument, message);
        let problem = Problem { status: StatusCode::BAD_REQUEST, ..problem };
        return Err(problem.with_reason(RefusalReason::ActorType));
    }
    Ok(())
}

/// Converts the ids of user and session to normalization form C.
fn normalized_ids(requested: CallContext) -> Result<CallContext, Problem> {
    let normalized_if_changed = |id: Option<&str>| match normalized(id?) {
        Cow::Borrowed(_) => None,
        Cow::Owned(id) => Some(id),
    };
    let (user, session) =
        (normalized_if_changed(requested.user_id()), normalized_if_changed(requested.session_id()));
    if user.is_none() && session.is_none() {
        return Ok(requested);
    }
    let mut builder = requested.into_builder();
    if let Some(user) = user {
        builder = builder.user_id(user);
    }
    if let Some(session) = session {
        builder = builder.session_id(session);
    }
    builder.build().map_err(|error| field_problems::invalid_context(&error))
}

fn builder_for_principal(
    requested: CallContext,
    parent: Option<&TraceContext>,
    principal: &Principal,
) -> Result<ToolContextBuilder, Problem> {
    let span_id = parent.and(requested.span_id()).map(str::to_owned);
    let own_user =
        principal.own_user().filter(|_| requested.user_id().is_none()).map(str::to_owned);
    let actor = actor_for(principal, requested.actor_type());
    let mut builder = requested
        .into_context_builder()
        .map_err(|error| field_problems::invalid_context(&error))?;
    if let Some(parent) = parent {
        builder = with_parent_span(builder, parent, span_id);
    }
    if let Some(user) = own_user {
        builder = builder.user_id(user);
    }
    if let Some(actor) = actor {
        builder = builder.actor(actor);
    }
    let allowances = principal.allowances().cloned();
    Ok(allowances.fold(builder, ToolContextBuilder::allowance))
}

/// Sets the parent span under the host's own trace id; a different `span_id` becomes an attribute.
fn with_parent_span(
    builder: ToolContextBuilder,
    parent: &TraceContext,
    span_id: Option<String>,
) -> ToolContextBuilder {
    let parent_id = parent.parent().parent_id().to_string();
    let other_span_id = span_id.filter(|span_id| *span_id != parent_id);
    let builder = builder.parent_trace(parent);
    match other_span_id {
        Some(span_id) => builder.attribute("span_id", span_id),
        None => builder,
    }
}

fn actor_for(principal: &Principal, requested: Option<ActorType>) -> Option<Actor> {
    let known_principal = Some(principal).filter(|principal| !principal.is_anonymous())?;
    Actor::new(
        requested.unwrap_or_else(|| known_principal.default_actor_type()),
        &**known_principal.id(),
    )
    .ok()
}
