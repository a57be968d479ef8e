//! The fields of a call's context that are given before the body, by headers and by the query; and
//! their names in headers and bodies.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue};
use tool_contracts::server::is_id;
use tool_contracts::trace_context::{TRACEPARENT, TRACESTATE, TraceContext};
use tool_runtime_schema::encoding::percent_decoded;

use super::RequestHead;
use super::field_problems::{FieldProblems, FieldSource};

/// The context's fields that are given before the body.
#[derive(Debug)]
pub(super) struct HeadFields<'a> {
    pub(super) headers: Headers<'a>,
    /// The query's `trace_id`.
    pub(super) query_trace_id: Option<Cow<'a, str>>,
    /// The parent span, from `traceparent`.
    pub(super) parent: Option<TraceContext>,
}

impl<'a> HeadFields<'a> {
    pub(super) fn read(head: &RequestHead<'a>, problems: &mut FieldProblems) -> Self {
        let headers = Headers::read(head.headers, problems);
        let query_trace_id = query_trace_id(head.query, problems);
        let parent = headers.parent(head.headers);
        Self { headers, query_trace_id, parent }
    }
}

const FIELDS: usize = 10;

/// The values of the headers, each given at most once and valid as an id.
#[derive(Debug, Default)]
pub(super) struct Headers<'a> {
    texts: [Option<Cow<'a, str>>; FIELDS],
    times: [u8; FIELDS],
    has_parent: bool,
}

impl<'a> Headers<'a> {
    /// Reads all headers in one pass, because a lookup in the map costs more than a comparison.
    pub(super) fn read(headers: &'a HeaderMap, problems: &mut FieldProblems) -> Self {
        let mut fields = Self::default();
        for (name, value) in headers {
            let Some(field) = Field::from_header(name.as_str()) else {
                fields.has_parent |= name.as_str() == TRACEPARENT;
                continue;
            };
            let times = &mut fields.times[field as usize];
            *times = times.saturating_add(1);
            match *times {
                1 => fields.texts[field as usize] = text(field, value, problems),
                2 => problems.repeated(FieldSource::Header(field)),
                _ => {}
            }
        }
        fields
    }

    /// Returns a header's value; `None` if it is missing or invalid.
    pub(super) fn text(&self, field: Field) -> Option<&str> {
        self.texts[field as usize].as_deref()
    }

    /// Returns whether a header is present, even if it is invalid.
    pub(super) fn has(&self, field: Field) -> bool {
        self.times[field as usize] > 0
    }

    /// Returns the parent span of `traceparent`; an invalid one is ignored, as W3C Trace Context
    /// requires.
    pub(super) fn parent(&self, headers: &HeaderMap) -> Option<TraceContext> {
        if !self.has_parent {
            return None;
        }
        let states = headers.get_all(TRACESTATE);
        TraceContext::from_headers(headers.get_all(TRACEPARENT), states).ok()
    }
}

fn text<'a>(
    field: Field,
    value: &'a HeaderValue,
    problems: &mut FieldProblems,
) -> Option<Cow<'a, str>> {
    let text = std::str::from_utf8(value.as_bytes()).ok().map(Cow::Borrowed);
    let text = if field == Field::IdempotencyKey { text.and_then(unquoted) } else { text };
    let text = text.filter(|text| is_id(text));
    if text.is_none() {
        problems.invalid_id(FieldSource::Header(field));
    }
    text
}

/// Returns a key, plain or as the string of a structured field (RFC 9651, section 3.3.3), which is
/// the specified form of `Idempotency-Key`.
fn unquoted(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let Some(rest) = text.strip_prefix('"') else { return Some(text) };
    let inner = rest.strip_suffix('"')?;
    let mut plain = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(next) = chars.next() {
        let escaped = match next {
            '\\' => chars.next().filter(|escaped| matches!(escaped, '"' | '\\'))?,
            '"' => return None,
            ' '..='~' => next,
            _ => return None,
        };
        plain.push(escaped);
    }
    Some(Cow::Owned(plain))
}

/// Reads the form-encoded `trace_id` of a query and ignores other parameters.
fn query_trace_id<'a>(
    query: Option<&'a str>,
    problems: &mut FieldProblems,
) -> Option<Cow<'a, str>> {
    let mut values = query?.split('&').filter_map(|pair| pair.strip_prefix("trace_id="));
    let value = values.next()?;
    if values.next().is_some() {
        problems.repeated(FieldSource::Query);
    }
    let text = decoded(value).filter(|text| is_id(text));
    if text.is_none() {
        problems.invalid_id(FieldSource::Query);
    }
    text
}

/// Decodes a value as a form writes it: percent-encoded, with `+` for a space.
pub(crate) fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('+') {
        return percent_decoded(value);
    }
    let spaced = value.replace('+', " ");
    percent_decoded(&spaced).map(|text| Cow::Owned(text.into_owned()))
}

/// A field of the context that a header gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Tenant,
    Site,
    Trace,
    Request,
    Span,
    User,
    Session,
    /// The id of the non-player character (NPC) that the call is made for.
    Npc,
    IdempotencyKey,
    Actor,
}

impl Field {
    /// Returns the field of a header name in lower case, as `HeaderMap` has it.
    pub(super) fn from_header(name: &str) -> Option<Self> {
        Some(match name {
            "x-tenant-id" => Self::Tenant,
            "x-site-id" => Self::Site,
            "x-trace-id" => Self::Trace,
            "x-request-id" => Self::Request,
            "x-span-id" => Self::Span,
            "x-user-id" => Self::User,
            "x-session-id" => Self::Session,
            "x-npc-id" => Self::Npc,
            "idempotency-key" => Self::IdempotencyKey,
            "x-actor-type" => Self::Actor,
            _ => return None,
        })
    }

    pub(super) const fn header(self) -> &'static str {
        match self {
            Self::Tenant => "X-Tenant-ID",
            Self::Site => "X-Site-ID",
            Self::Trace => "X-Trace-ID",
            Self::Request => "X-Request-ID",
            Self::Span => "X-Span-ID",
            Self::User => "X-User-ID",
            Self::Session => "X-Session-ID",
            Self::Npc => "X-NPC-ID",
            Self::IdempotencyKey => "Idempotency-Key",
            Self::Actor => "X-Actor-Type",
        }
    }
}

/// The kind of a body whose fields may be given by headers instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyFields {
    None,
    /// The `context` of a `CallRequest`.
    Context,
    /// A `CallEnvelope`, which has no tenant, site or character.
    Envelope,
}

impl BodyFields {
    /// Returns the name of the field that gives the same as this header.
    pub(super) const fn name_of(self, field: Field) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Context => Some(in_context(field)),
            Self::Envelope => in_envelope(field),
        }
    }
}

const fn in_context(field: Field) -> &'static str {
    match field {
        Field::Tenant => "context.tenant_id",
        Field::Site => "context.site_id",
        Field::Trace => "context.trace_id",
        Field::Request => "context.request_id",
        Field::Span => "context.span_id",
        Field::User => "context.user_id",
        Field::Session => "context.session_id",
        Field::Npc => "context.npc_id",
        Field::IdempotencyKey => "context.idempotency_key",
        Field::Actor => "context.actor_type",
    }
}

const fn in_envelope(field: Field) -> Option<&'static str> {
    match field {
        Field::Tenant | Field::Site | Field::Npc => None,
        Field::Trace | Field::Request => Some("request_id"),
        Field::Span => Some("trace.span_id"),
        Field::User => Some("user_id"),
        Field::Session => Some("session_id"),
        Field::IdempotencyKey => Some("idempotency_key"),
        Field::Actor => Some("actor.type"),
    }
}
