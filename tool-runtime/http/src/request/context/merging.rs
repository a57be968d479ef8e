//! Merges the context fields of headers, query and body.

use tool_contracts::ActorType;
use tool_contracts::server::{CallContext, CallContextBuilder, Tenant};
use uuid::Uuid;

use super::field_problems::{FieldProblems, FieldSource};
use super::head_fields::{Field, HeadFields};
use crate::auth::names::normalized;
use crate::state::config::ContextDefaults;

type Getter = fn(&CallContext) -> Option<&str>;
type Setter = fn(CallContextBuilder, String) -> CallContextBuilder;

/// The fields that have to be the same in header and body if both give them.
const AGREEING: [(Field, Getter, Setter); 6] = [
    (Field::Site, CallContext::site_id, CallContextBuilder::site_id),
    (Field::Span, CallContext::span_id, CallContextBuilder::span_id),
    (Field::User, CallContext::user_id, CallContextBuilder::user_id),
    (Field::Session, CallContext::session_id, CallContextBuilder::session_id),
    (Field::Npc, CallContext::npc_id, CallContextBuilder::npc_id),
    (Field::IdempotencyKey, CallContext::idempotency_key, CallContextBuilder::idempotency_key),
];

/// Adds the head's fields to the body's context; collects missing and contradictory ones.
pub(super) fn merge_fields(
    head_fields: &HeadFields<'_>,
    body: CallContext,
    defaults: &ContextDefaults,
    problems: &mut FieldProblems,
) -> CallContextBuilder {
    let tenant = tenant(head_fields, body.tenant_id(), defaults.tenant.as_ref(), problems);
    let names_no_site = !head_fields.headers.has(Field::Site) && body.site_id().is_none();
    problems.missing_if(names_no_site && defaults.site.is_none(), Field::Site);
    let trace = trace(head_fields, body.trace_id(), defaults.new_trace_ids, problems);
    let request = request(head_fields, &body, trace.as_deref());
    let header_texts = AGREEING.map(|(field, text_in_body, _)| {
        header_unless_in_body(head_fields, field, text_in_body(&body), problems)
    });
    let actor = actor_type(head_fields, body.actor_type(), problems);
    let mut builder = body.into_builder();
    for ((_, _, set), text) in AGREEING.into_iter().zip(header_texts) {
        if let Some(text) = text {
            builder = set(builder, text.to_owned());
        }
    }
    if let Some(site) = defaults.site.as_deref().filter(|_| names_no_site) {
        builder = builder.site_id(site);
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

/// Returns the request id if the body does not give one: the body's trace id, if the trace is another,
/// so that the call's record has both; else the id of the header.
fn request(
    head_fields: &HeadFields<'_>,
    body: &CallContext,
    trace: Option<&str>,
) -> Option<String> {
    let other_trace_id = body.trace_id().filter(|_| trace.is_some());
    let id = other_trace_id.or_else(|| head_fields.headers.text(Field::Request));
    id.filter(|_| body.request_id().is_none()).map(str::to_owned)
}

/// Returns a header's value if the body does not give the field.
fn header_unless_in_body<'a>(
    head_fields: &'a HeadFields<'_>,
    field: Field,
    in_body: Option<&str>,
    problems: &mut FieldProblems,
) -> Option<&'a str> {
    let header = head_fields.headers.text(field)?;
    let Some(in_body) = in_body else { return Some(header) };
    if header != in_body && normalized(header) != normalized(in_body) {
        problems.contradicted(field);
    }
    None
}

/// Returns the header's actor type if the body does not give one.
fn actor_type(
    head_fields: &HeadFields<'_>,
    in_body: Option<ActorType>,
    problems: &mut FieldProblems,
) -> Option<ActorType> {
    let header = head_fields.headers.text(Field::Actor)?;
    let Ok(kind) = header.parse::<ActorType>() else {
        problems.invalid_actor_type(FieldSource::Header(Field::Actor));
        return None;
    };
    if in_body.is_some_and(|in_body| in_body != kind) {
        problems.contradicted(Field::Actor);
    }
    Some(kind).filter(|_| in_body.is_none())
}

/// Returns the header's tenant if the body gives none, or if only the header has the slug. The UUID
/// and the slug of one tenant agree.
///
/// The only tenant of a server is returned if neither names one; another one is a problem.
fn tenant(
    head_fields: &HeadFields<'_>,
    in_body: Option<&Tenant>,
    only: Option<&Tenant>,
    problems: &mut FieldProblems,
) -> Option<Tenant> {
    if only.is_some_and(|only| in_body.is_some_and(|in_body| in_body != only)) {
        problems.not_the_tenant_of_body();
    }
    let Some(header) = head_fields.headers.text(Field::Tenant) else {
        let names_none = !head_fields.headers.has(Field::Tenant) && in_body.is_none();
        problems.missing_if(names_none && only.is_none(), Field::Tenant);
        return only.filter(|_| names_none).cloned();
    };
    if in_body.is_some_and(|tenant| tenant.slug() == Some(header)) {
        return None;
    }
    let Ok(tenant) = Tenant::parse(header) else {
        problems.invalid_tenant(FieldSource::Header(Field::Tenant));
        return None;
    };
    if only.is_some_and(|only| *only != tenant) {
        problems.not_the_tenant(FieldSource::Header(Field::Tenant));
    }
    if in_body.is_some_and(|in_body| *in_body != tenant) {
        problems.contradicted(Field::Tenant);
    }
    Some(tenant).filter(|tenant| in_body.is_none() || tenant.slug().is_some())
}

/// Returns the trace id of the first source that gives one, unless that is the body; a new one if
/// none does and `may_be_new` is true.
fn trace(
    head_fields: &HeadFields<'_>,
    in_body: Option<&str>,
    may_be_new: bool,
    problems: &mut FieldProblems,
) -> Option<String> {
    let headers = &head_fields.headers;
    let header = headers.text(Field::Trace).or_else(|| headers.text(Field::Request));
    if let Some(first) = header.or(head_fields.query_trace_id.as_deref()) {
        return (in_body != Some(first)).then(|| first.to_owned());
    }
    if in_body.is_some() {
        return None;
    }
    let parent = head_fields.parent.as_ref().map(|parent| parent.parent().trace_id().to_string());
    let is_refused = problems.has_problem_of(FieldSource::Query)
        || headers.has(Field::Trace)
        || headers.has(Field::Request);
    let is_missing = parent.is_none() && !is_refused;
    if is_missing && may_be_new {
        return Some(Uuid::now_v7().to_string());
    }
    problems.missing_if(is_missing, Field::Trace);
    parent
}
