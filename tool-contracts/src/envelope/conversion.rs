//! Conversions between a request and a context.

use uuid::Uuid;

use super::RequestEnvelope;
use crate::{
    Actor, ContractError, ToolContext, ToolContextBuilder, context::NEW_RUN,
    contract_error::Problems, wire::set,
};

impl RequestEnvelope {
    /// Returns the context of the call that this tenant requests.
    ///
    /// The request's id is also the trace id. The run, `run_` and a UUIDv7, is new, and so are the
    /// invocation's id and the time. A host that sets its own run, or limits and ids that an
    /// envelope does not have, uses [`into_context_builder`](Self::into_context_builder).
    ///
    /// ```
    /// use tool_contracts::{Actor, ActorType, envelope::RequestEnvelope};
    /// use uuid::Uuid;
    ///
    /// let actor = Actor::new(ActorType::User, "u_123")?;
    /// let request = RequestEnvelope::builder("req-7", actor).build()?;
    /// let cx = request.clone().into_context(Uuid::nil());
    /// assert_eq!((cx.request_id(), cx.trace_id()), (Some("req-7"), "req-7"));
    /// assert_eq!(RequestEnvelope::try_from(&cx)?, request);
    /// # Ok::<(), tool_contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn into_context(self, tenant_id: Uuid) -> ToolContext {
        self.into_context_builder(tenant_id).new_run_id().build_checked_before()
    }

    /// Starts the context of the call that this tenant requests; a run must be set.
    ///
    /// ```
    /// use tool_contracts::{Actor, ActorType, envelope::RequestEnvelope};
    /// use uuid::Uuid;
    ///
    /// let request = RequestEnvelope::builder("req-7", Actor::new(ActorType::User, "u_123")?).build()?;
    /// let cx = request.into_context_builder(Uuid::nil()).run_id("graph-1").timeouts_ms(500).build()?;
    /// assert_eq!((cx.run_id(), cx.timeouts_ms()), (Some("graph-1"), Some(500)));
    /// # Ok::<(), tool_contracts::ContractError>(())
    /// ```
    pub fn into_context_builder(self, tenant_id: Uuid) -> ToolContextBuilder {
        let builder = ToolContext::builder(tenant_id, self.request_id.as_str())
            .request_id(self.request_id)
            .actor(self.actor)
            .dry_run(self.dry_run);
        let builder = set(builder, self.user_id, ToolContextBuilder::user_id);
        let builder = set(builder, self.session_id, ToolContextBuilder::session_id);
        let builder = set(builder, self.locale, ToolContextBuilder::locale);
        let builder = set(builder, self.currency, ToolContextBuilder::currency);
        let builder = set(builder, self.timezone, ToolContextBuilder::timezone);
        let builder = set(builder, self.client, ToolContextBuilder::client);
        let builder = set(builder, self.idempotency_key, ToolContextBuilder::idempotency_key);
        set(builder, self.trace, ToolContextBuilder::trace)
    }
}

/// Converts a context back to its request.
///
/// The tenant is transmitted beside an envelope; the invocation's id, the time and a run of
/// [`new_run_id`](ToolContextBuilder::new_run_id) are generated for each call. Every other field
/// that is set must exist in an envelope.
///
/// ```
/// use tool_contracts::{ToolContext, envelope::RequestEnvelope};
/// use uuid::Uuid;
///
/// let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("graph-1").case_id("crm-7").build()?;
/// let refused = RequestEnvelope::try_from(&cx).unwrap_err();
/// let fields: Vec<&str> = refused.problems().iter().map(|problem| problem.field()).collect();
/// assert_eq!(fields, ["request_id", "actor", "run_id", "case_id"]);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
impl TryFrom<&ToolContext> for RequestEnvelope {
    type Error = ContractError;

    /// # Errors
    /// Returns an error if the context has no request id or no actor, or has a field that an
    /// envelope does not have; it lists all of these fields.
    fn try_from(cx: &ToolContext) -> Result<Self, ContractError> {
        let problems = problems_of(cx);
        match (cx.request_id(), cx.actor()) {
            (Some(request_id), Some(actor)) => {
                problems.finish().map(|()| view(cx, request_id.to_owned(), actor.clone()))
            }
            _ => Err(problems.refusal()),
        }
    }
}

// The fields of a context are already checked, by the same rules.
fn view(cx: &ToolContext, request_id: String, actor: Actor) -> RequestEnvelope {
    RequestEnvelope {
        request_id,
        actor,
        user_id: cx.user_id().map(str::to_owned),
        session_id: cx.session_id().map(str::to_owned),
        locale: cx.locale().map(str::to_owned),
        currency: cx.currency().map(str::to_owned),
        timezone: cx.timezone().map(str::to_owned),
        client: cx.client().cloned(),
        dry_run: cx.dry_run(),
        idempotency_key: cx.idempotency_key().map(str::to_owned),
        trace: cx.trace().cloned(),
    }
}

fn problems_of(cx: &ToolContext) -> Problems {
    let mut problems = Problems::new("RequestEnvelope");
    let needed = "missing; an envelope requires it";
    problems.check(cx.request_id().is_some(), "request_id", needed);
    problems.check(cx.actor().is_some(), "actor", needed);
    problems.check(
        cx.request_id().is_none_or(|id| id == cx.trace_id()),
        "trace_id",
        "expected the request's id; an envelope has one id for both",
    );
    problems.check(
        cx.run_id().is_none_or(is_new_run),
        "run_id",
        "expected the run identifier generated for this call; an envelope cannot carry another one: pass it separately",
    );
    for (field, is_set) in beyond(cx) {
        problems.check(!is_set, field, "an envelope cannot carry this field; pass it separately");
    }
    problems
}

/// Fields of a context that an envelope does not have.
fn beyond(cx: &ToolContext) -> [(&'static str, bool); 14] {
    [
        ("ingestion_run_id", cx.ingestion_run_id().is_some()),
        ("workflow_id", cx.workflow_id().is_some()),
        ("collection_id", cx.collection_id().is_some()),
        ("document_id", cx.document_id().is_some()),
        ("document_version_id", cx.document_version_id().is_some()),
        ("case_id", cx.case_id().is_some()),
        ("timeouts_ms", cx.timeouts_ms().is_some()),
        ("budget_tokens", cx.budget_tokens().is_some()),
        ("safety_mode", cx.safety_mode().is_some()),
        ("auth", cx.auth().is_some()),
        ("tenant_slug", cx.tenant_slug().is_some()),
        ("site_id", cx.site_id().is_some()),
        ("attributes", !cx.attributes().is_empty()),
        ("allowances", !cx.allowances().is_empty()),
    ]
}

fn is_new_run(run: &str) -> bool {
    let id = run.strip_prefix(NEW_RUN).filter(|id| id.len() == uuid::fmt::Hyphenated::LENGTH);
    id.and_then(|id| Uuid::try_parse(id).ok()).is_some_and(|id| id.get_version_num() == 7)
}
