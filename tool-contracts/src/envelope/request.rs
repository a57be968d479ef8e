//! Request envelopes.

use schemars::JsonSchema;
use serde::Serialize;

use super::RequestEnvelopeBuilder;
use crate::{
    Actor, Client, ContractError, Trace,
    context::syntax,
    contract_error::Problems,
    hidden::VISIBLE,
    wire::{self, is_false, reads},
};

/// The actor, the user and the origin of a request.
///
/// `request_id` and `actor` are required. The id is any text that is not empty; the caller makes it
/// unique, because audit and replay search by it.
///
/// ```
/// use tool_contracts::{Actor, ActorType, envelope::RequestEnvelope};
///
/// let actor = Actor::new(ActorType::Agent, "assistant-1")?;
/// let request = RequestEnvelope::builder("req-7", actor)
///     .user_id("u_123")
///     .locale("en-US")
///     .idempotency_key("order-7")
///     .build()?;
/// assert_eq!(request.user_id(), Some("u_123"));
///
/// let refused = request.into_builder().locale("english!").build().unwrap_err();
/// assert_eq!(refused.problems()[0].field(), "locale");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("request_envelope"))]
pub struct RequestEnvelope {
    /// The request's id, unique across all services; for audit and replay.
    #[schemars(length(min = 1))]
    pub(super) request_id: String,
    /// The actor that initiated the call and is accountable for it.
    pub(super) actor: Actor,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("pattern" = VISIBLE))]
    pub(super) user_id: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("pattern" = VISIBLE))]
    pub(super) session_id: Option<String>,
    /// The language: a BCP 47 tag, well-formed by RFC 5646.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = syntax::LOCALE))]
    pub(super) locale: Option<String>,
    /// The currency: three letters, as in ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = syntax::CURRENCY))]
    pub(super) currency: Option<String>,
    /// The time zone: a name as in the IANA database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), extend("pattern" = syntax::TIMEZONE))]
    pub(super) timezone: Option<String>,
    /// The program that the call came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<Client>,
    /// True for a dry run: the tool only reports what it would do.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) dry_run: bool,
    /// The idempotency key: a repeated call of this user with the same key counts as the same call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) idempotency_key: Option<String>,
    /// The position in a distributed trace, which a tool propagates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Trace>,
}

impl RequestEnvelope {
    /// Starts an envelope.
    pub fn builder(request_id: impl Into<String>, actor: Actor) -> RequestEnvelopeBuilder {
        RequestEnvelopeBuilder::new(request_id.into(), actor)
    }

    /// Returns a builder that starts from this envelope.
    pub fn into_builder(self) -> RequestEnvelopeBuilder {
        RequestEnvelopeBuilder::from(self)
    }

    /// Returns the request's id, for audit and replay.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Returns the actor that initiated the call.
    #[must_use]
    pub const fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Returns the user.
    #[must_use]
    pub fn user_id(&self) -> Option<&str> {
        self.user_id.as_deref()
    }

    /// Returns the session.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns the language, a BCP 47 tag.
    #[must_use]
    pub fn locale(&self) -> Option<&str> {
        self.locale.as_deref()
    }

    /// Returns the currency, three letters of ISO 4217.
    #[must_use]
    pub fn currency(&self) -> Option<&str> {
        self.currency.as_deref()
    }

    /// Returns the time zone, a name of the IANA database.
    #[must_use]
    pub fn timezone(&self) -> Option<&str> {
        self.timezone.as_deref()
    }

    /// Returns the program that the call came from.
    #[must_use]
    pub const fn client(&self) -> Option<&Client> {
        self.client.as_ref()
    }

    /// Returns whether this is a dry run.
    #[must_use]
    pub const fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Returns the idempotency key.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }

    /// Returns the position in a distributed trace.
    #[must_use]
    pub const fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Checks the rules that the types do not enforce: those of a context for these fields.
    pub(super) fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("RequestEnvelope");
        problems.filled("request_id", Some(&self.request_id));
        problems.filled("user_id", self.user_id());
        problems.filled("session_id", self.session_id());
        problems.visible("user_id", self.user_id());
        problems.visible("session_id", self.session_id());
        problems.filled("idempotency_key", self.idempotency_key());
        syntax::check(&mut problems, self.locale(), self.currency(), self.timezone());
        problems.finish().map(|()| self)
    }
}

reads! {
    RequestEnvelope, "a request envelope";
    required request_id = "request_id", leaf wire::FilledText;
    required actor = "actor", nested Actor;
    optional user_id = "user_id", leaf wire::FilledText;
    optional session_id = "session_id", leaf wire::FilledText;
    optional locale = "locale", leaf wire::FilledText;
    optional currency = "currency", leaf wire::FilledText;
    optional timezone = "timezone", leaf wire::FilledText;
    optional client = "client", nested Client;
    optional dry_run = "dry_run", leaf wire::Flag;
    optional idempotency_key = "idempotency_key", leaf wire::FilledText;
    optional trace = "trace", nested Trace;
    => {
        let request = RequestEnvelope {
            request_id,
            actor,
            user_id,
            session_id,
            locale,
            currency,
            timezone,
            client,
            dry_run: dry_run.unwrap_or_default(),
            idempotency_key,
            trace,
        };
        request.checked().map_err(wire::refused)
    }
}
