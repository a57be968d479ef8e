//! The fields of a call's context, and their names in headers and bodies.

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

/// The fields of a body that give what a header may give too.
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
