//! Makes a call's context from a request envelope.

use axum::http::StatusCode;
use tool_contracts::envelope::RequestEnvelope;
use tool_contracts::server::{CallContext, CallContextBuilder};
use tool_contracts::{ContractError, ErrorCode, ToolContext, Trace};

use super::head_fields::BodyFields;
use super::{BodyContext, RequestHead, context_builder, field_problems};
use crate::auth::Principal;
use crate::problem::Problem;
use crate::state::config::ContextDefaults;

/// The attribute that holds the actor's id as the envelope gives it, which is not proven.
const ACTOR_ID: &str = "actor_id";

/// Makes a call's context from the request's head, its envelope and its principal.
///
/// An envelope has no tenant and no site, so headers give them. The actor has the id of the
/// principal and the type of the envelope; the envelope's id becomes the attribute `actor_id`. The
/// request id is the trace id too, unless a header or the query gives one.
///
/// # Errors
/// As [`context`](super::context); 422 if an id is too long for a server.
pub(crate) fn context_of_envelope(
    head: &RequestHead<'_>,
    request: &RequestEnvelope,
    principal: &Principal,
    defaults: &ContextDefaults,
) -> Result<ToolContext, Problem> {
    let context = call_context(request).map_err(|error| too_long(&error))?;
    let body = BodyContext { fields: BodyFields::Envelope, context, trace: request.trace() };
    let mut builder =
        context_builder(head, body, principal, defaults)?.attribute(ACTOR_ID, request.actor().id());
    if let Some(client) = request.client() {
        builder = builder.client(client.clone());
    }
    builder.build().map_err(|error| field_problems::invalid_context(&error))
}

fn call_context(request: &RequestEnvelope) -> Result<CallContext, ContractError> {
    type Setter = fn(CallContextBuilder, String) -> CallContextBuilder;
    let texts: [(Option<&str>, Setter); 7] = [
        (request.user_id(), |it, text| it.user_id(text)),
        (request.session_id(), |it, text| it.session_id(text)),
        (request.locale(), |it, text| it.locale(text)),
        (request.currency(), |it, text| it.currency(text)),
        (request.timezone(), |it, text| it.timezone(text)),
        (request.idempotency_key(), |it, text| it.idempotency_key(text)),
        (request.trace().map(Trace::span_id), |it, text| it.span_id(text)),
    ];
    let builder = CallContext::builder()
        .request_id(request.request_id())
        .trace_id(request.request_id())
        .actor_type(request.actor().kind())
        .dry_run(request.dry_run());
    let set = |builder, (text, set): (Option<&str>, Setter)| match text {
        Some(text) => set(builder, text.to_owned()),
        None => builder,
    };
    texts.into_iter().fold(builder, set).build()
}

/// Names the envelope's fields that a server does not take, since an envelope's ids have no limit.
fn too_long(error: &ContractError) -> Problem {
    let problem_texts: Vec<String> = error
        .problems()
        .iter()
        .filter(|problem| problem.field() != "trace_id")
        .map(|problem| {
            let field =
                if problem.field() == "span_id" { "trace.span_id" } else { problem.field() };
            format!("`{field}`: {}", problem.message())
        })
        .collect();
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    Problem::new(status, ErrorCode::InvalidArgument, problem_texts.join("; "))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};
    use serde_json::{Value, json};

    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn context(headers: &[(&'static str, &'static str)], fields: &Value) -> ToolContext {
        let mut envelope = json!({"request_id": "req-1", "actor": {"type": "agent", "id": "a"}});
        envelope
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        let envelope: RequestEnvelope = serde_json::from_value(envelope).expect("an envelope");
        let known = [("x-tenant-id", "yantian"), ("x-site-id", "main")];
        let headers: HeaderMap = known
            .iter()
            .chain(headers)
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let head = RequestHead { headers: &headers, query: None };
        let principal = Principal::trusted("laptop");
        context_of_envelope(&head, &envelope, &principal, &ContextDefaults::default())
            .expect("a context")
    }

    fn spans(cx: &ToolContext) -> (&str, Option<&str>) {
        let trace = cx.trace().expect("a trace");
        (trace.span_id(), trace.parent_span_id())
    }

    #[test]
    fn every_field_of_an_envelope_reaches_the_context() {
        let cx = context(
            &[],
            &json!({
                "user_id": "u_1", "session_id": "s_1", "locale": "en-US", "currency": "USD",
                "timezone": "America/Los_Angeles", "client": {"app": "ios", "version": "4"},
                "dry_run": true, "idempotency_key": "k", "trace": {"span_id": "b", "parent_span_id": "a"},
            }),
        );
        assert_eq!((cx.request_id(), cx.trace_id()), (Some("req-1"), "req-1"));
        assert_eq!((cx.user_id(), cx.session_id()), (Some("u_1"), Some("s_1")));
        assert_eq!((cx.locale(), cx.currency()), (Some("en-US"), Some("USD")));
        assert_eq!(cx.timezone(), Some("America/Los_Angeles"));
        assert_eq!(cx.client().map(tool_contracts::Client::version), Some("4"));
        assert_eq!((cx.dry_run(), cx.idempotency_key()), (true, Some("k")));
        assert_eq!(spans(&cx), ("b", Some("a")));
        let actor = cx.actor().expect("an actor");
        assert_eq!((actor.id(), actor.kind().as_str()), ("laptop", "agent"));
        assert_eq!(cx.attributes().get(ACTOR_ID).map(String::as_str), Some("a"));
    }

    #[test]
    fn a_header_gives_the_trace_and_the_envelope_keeps_its_request_id() {
        let cx = context(&[("x-trace-id", "trace-9"), ("x-request-id", "gateway")], &json!({}));
        assert_eq!((cx.trace_id(), cx.request_id()), ("trace-9", Some("req-1")));
    }

    #[test]
    fn a_traceparent_gives_the_parent_span_and_one_that_does_not_hold_is_ignored() {
        let trace = json!({"trace": {"span_id": "b", "parent_span_id": "a"}});
        let cx = context(&[("traceparent", PARENT)], &trace);
        assert_eq!(spans(&cx), ("00f067aa0ba902b7", None));
        assert_eq!(cx.attributes().get("span_id").map(String::as_str), Some("b"));
        let cx = context(&[("traceparent", "00-x")], &trace);
        assert_eq!(spans(&cx), ("b", Some("a")));
    }
}
