//! The builder of a request.

use super::RequestEnvelope;
use crate::{Actor, Client, ContractError, Trace, accessors::text_setters};

/// Builds a [`RequestEnvelope`]; `build` reports all problems at once.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct RequestEnvelopeBuilder(RequestEnvelope);

impl RequestEnvelopeBuilder {
    pub(super) fn new(request_id: String, actor: Actor) -> Self {
        Self(RequestEnvelope {
            request_id,
            actor,
            user_id: None,
            session_id: None,
            locale: None,
            currency: None,
            timezone: None,
            client: None,
            dry_run: false,
            idempotency_key: None,
            trace: None,
        })
    }

    /// Sets the program that the call came from.
    pub fn client(mut self, client: Client) -> Self {
        self.0.client = Some(client);
        self
    }

    /// Sets whether this is a dry run.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.0.dry_run = dry_run;
        self
    }

    /// Sets the position in a distributed trace.
    pub fn trace(mut self, trace: Trace) -> Self {
        self.0.trace = Some(trace);
        self
    }

    /// Returns the envelope.
    ///
    /// # Errors
    /// Returns an error if a field breaks its rule; it lists all problems.
    pub fn build(self) -> Result<RequestEnvelope, ContractError> {
        self.0.checked()
    }
}

text_setters! {
    RequestEnvelopeBuilder, |builder| builder.0;
    /// Sets the user.
    user_id;
    /// Sets the session.
    session_id;
    /// Sets the language, a BCP 47 tag.
    locale;
    /// Sets the currency, three capital letters as in ISO 4217.
    currency;
    /// Sets the time zone, a name as in the IANA database.
    timezone;
    /// Sets the idempotency key.
    idempotency_key;
}

impl From<RequestEnvelope> for RequestEnvelopeBuilder {
    fn from(request: RequestEnvelope) -> Self {
        Self(request)
    }
}
