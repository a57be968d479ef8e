//! The builder of a call's context.

use super::{CallContext, Tenant};
use crate::{ActorType, ContractError, accessors::text_setters};

/// Builds a [`CallContext`]; `build` reports all problems at once.
#[derive(Debug, Clone, Default)]
#[must_use = "a builder does nothing until `build`"]
// Boxed because each setter moves the builder, and a context is large.
pub struct CallContextBuilder(Box<CallContext>);

impl CallContextBuilder {
    /// Sets the tenant whose data the call accesses.
    pub fn tenant_id(mut self, tenant: Tenant) -> Self {
        self.0.tenant_id = Some(tenant);
        self
    }

    /// Sets the type of the actor that initiates the call.
    pub fn actor_type(mut self, actor_type: ActorType) -> Self {
        self.0.actor_type = Some(actor_type);
        self
    }

    /// Sets the total time budget, in milliseconds; more than 0.
    pub fn timeouts_ms(mut self, timeouts_ms: u64) -> Self {
        self.0.timeouts_ms = Some(timeouts_ms);
        self
    }

    /// Sets the model's budget, in tokens.
    pub fn budget_tokens(mut self, budget_tokens: u64) -> Self {
        self.0.budget_tokens = Some(budget_tokens);
        self
    }

    /// Sets whether this is a dry run.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.0.dry_run = dry_run;
        self
    }

    /// Returns the context.
    ///
    /// # Errors
    /// Returns an error if a field breaks its rule; it lists all problems.
    pub fn build(self) -> Result<CallContext, ContractError> {
        self.0.checked()
    }
}

text_setters! {
    CallContextBuilder, |builder| builder.0;
    /// Sets the site.
    site_id;
    /// Sets the trace id of the request, shared by all services.
    trace_id;
    /// Sets the span that the call belongs to.
    span_id;
    /// Sets the user.
    user_id;
    /// Sets the session.
    session_id;
    /// Sets the character that a model plays.
    npc_id;
    /// Sets the graph's run; excludes `ingestion_run_id`. Without either, the call gets a new run.
    run_id;
    /// Sets the run of an upload; excludes `run_id`.
    ingestion_run_id;
    /// Sets the name of the graph or business process.
    workflow_id;
    /// Sets the document collection.
    collection_id;
    /// Sets the document.
    document_id;
    /// Sets the version of the document.
    document_version_id;
    /// Sets the business case.
    case_id;
    /// Sets the safety profile.
    safety_mode;
    /// Sets the request's id, for audit and replay.
    request_id;
    /// Sets the language, a BCP 47 tag.
    locale;
    /// Sets the currency, three capital letters as in ISO 4217.
    currency;
    /// Sets the time zone, a name as in the IANA database.
    timezone;
    /// Sets the idempotency key.
    idempotency_key;
}

impl From<CallContext> for CallContextBuilder {
    fn from(context: CallContext) -> Self {
        Self(Box::new(context))
    }
}
