//! What head and body say together.

use tool_contracts::ActorType;
use tool_contracts::server::{CallContext, CallContextBuilder, Tenant};

use super::Before;
use super::headers::Field;
use super::refusal::{Place, Refusals};
use crate::http::auth::names::normalized;

type Getter = fn(&CallContext) -> Option<&str>;
type Setter = fn(CallContextBuilder, String) -> CallContextBuilder;

/// What has to be the same in header and body, where both say it.
const AGREEING: [(Field, Getter, Setter); 6] = [
    (Field::Site, CallContext::site_id, CallContextBuilder::site_id),
    (Field::Span, CallContext::span_id, CallContextBuilder::span_id),
    (Field::User, CallContext::user_id, CallContextBuilder::user_id),
    (Field::Session, CallContext::session_id, CallContextBuilder::session_id),
    (Field::Npc, CallContext::npc_id, CallContextBuilder::npc_id),
    (Field::Key, CallContext::idempotency_key, CallContextBuilder::idempotency_key),
];

/// Adds to the body's context what the head says; notes what is missing and what contradicts.
pub(super) fn merged(
    before: &Before<'_>,
    body: CallContext,
    refusals: &mut Refusals,
) -> CallContextBuilder {
    let tenant = tenant(before, body.tenant_id(), refusals);
    let site_is_missing = !before.headers.has(Field::Site) && body.site_id().is_none();
    refusals.missing_if(site_is_missing, Field::Site);
    let trace = trace(before, body.trace_id(), refusals);
    let request = before.headers.text(Field::Request).filter(|_| body.request_id().is_none());
    let added = AGREEING.map(|(field, of_body, _)| added(before, field, of_body(&body), refusals));
    let actor = actor_type(before, body.actor_type(), refusals);
    let mut builder = body.into_builder();
    for ((_, _, set), text) in AGREEING.into_iter().zip(added) {
        if let Some(text) = text {
            builder = set(builder, text.to_owned());
        }
    }
    if let Some(actor) = actor {
        builder = builder.actor_type(actor);
    }
    if let Some(tenant) = tenant {
        builder = builder.tenant_id(tenant);
    }
    if let Some(trace) = trace {
        builder = builder.trace_id(trace);
    }
    if let Some(request) = request {
        builder = builder.request_id(request);
    }
    builder
}

/// What a header adds to the body; nothing where the body says it too.
fn added<'a>(
    before: &'a Before<'_>,
    field: Field,
    in_body: Option<&str>,
    refusals: &mut Refusals,
) -> Option<&'a str> {
    let header = before.headers.text(field)?;
    let Some(in_body) = in_body else { return Some(header) };
    if header != in_body && normalized(header) != normalized(in_body) {
        refusals.contradicted(field);
    }
    None
}

/// Returns the header's type of actor where it adds to the body's.
fn actor_type(
    before: &Before<'_>,
    in_body: Option<ActorType>,
    refusals: &mut Refusals,
) -> Option<ActorType> {
    let header = before.headers.text(Field::Actor)?;
    let Ok(kind) = header.parse::<ActorType>() else {
        refusals.no_actor_type(Place::Header(Field::Actor));
        return None;
    };
    if in_body.is_some_and(|in_body| in_body != kind) {
        refusals.contradicted(Field::Actor);
    }
    Some(kind).filter(|_| in_body.is_none())
}

/// The header's tenant where it adds to the body's; two names of one tenant agree, and the slug of
/// them is kept.
fn tenant(
    before: &Before<'_>,
    in_body: Option<&Tenant>,
    refusals: &mut Refusals,
) -> Option<Tenant> {
    let Some(header) = before.headers.text(Field::Tenant) else {
        let is_missing = !before.headers.has(Field::Tenant) && in_body.is_none();
        refusals.missing_if(is_missing, Field::Tenant);
        return None;
    };
    if in_body.is_some_and(|tenant| tenant.slug() == Some(header)) {
        return None;
    }
    let Ok(tenant) = Tenant::parse(header) else {
        refusals.no_tenant(Place::Header(Field::Tenant));
        return None;
    };
    if in_body.is_some_and(|in_body| *in_body != tenant) {
        refusals.contradicted(Field::Tenant);
    }
    Some(tenant).filter(|tenant| in_body.is_none() || tenant.slug().is_some())
}

/// The first of the places that say the trace, where that is not the body.
fn trace(before: &Before<'_>, in_body: Option<&str>, refusals: &mut Refusals) -> Option<String> {
    let headers = &before.headers;
    let header = headers.text(Field::Trace).or_else(|| headers.text(Field::Request));
    if let Some(first) = header.or(before.asked.as_deref()) {
        return (in_body != Some(first)).then(|| first.to_owned());
    }
    if in_body.is_some() {
        return None;
    }
    let parent = before.parent.as_ref().map(|parent| parent.parent().trace_id().to_string());
    let is_refused = refusals.are_about(Place::Query)
        || headers.has(Field::Trace)
        || headers.has(Field::Request);
    refusals.missing_if(parent.is_none() && !is_refused, Field::Trace);
    parent
}
