//! Conversions between the context in a request's body and the core's context.

use super::{CallContext, Tenant};
use crate::{ContractError, ToolContext, ToolContextBuilder, Trace, contract_error::Problems};

/// The attribute that holds the character which a model plays.
const NPC_ID: &str = "npc_id";

/// Sets the values that are present. A macro, since a function would copy the builder.
macro_rules! set_given {
    ($builder:ident: $setter:ident = $value:expr) => {
        if let Some(value) = $value {
            $builder = $builder.$setter(value);
        }
    };
}

impl CallContext {
    /// Returns the context of the requested call.
    ///
    /// The invocation's id and the time are new, and so is the run if none is given: `run_` and the
    /// id of this invocation. `actor_type` is left to the server, which knows the actor's id. A
    /// slug is kept beside the tenant's UUID, `npc_id` among the attributes.
    ///
    /// # Errors
    /// Returns an error if the tenant, the site or the trace is missing; it lists all of the
    /// missing fields.
    pub fn into_context(self) -> Result<ToolContext, ContractError> {
        self.into_context_builder().map(ToolContextBuilder::build_checked_before)
    }

    /// Starts the context of the requested call.
    ///
    /// ```
    /// use tool_contracts::server::CallContext;
    ///
    /// let refused = CallContext::builder().site_id("main").build()?.into_context_builder();
    /// let refused = refused.unwrap_err();
    /// let fields: Vec<&str> = refused.problems().iter().map(|problem| problem.field()).collect();
    /// assert_eq!(fields, ["tenant_id", "trace_id"]);
    /// # Ok::<(), tool_contracts::ContractError>(())
    /// ```
    ///
    /// # Errors
    /// As [`into_context`](Self::into_context).
    pub fn into_context_builder(self) -> Result<ToolContextBuilder, ContractError> {
        let problems = self.missing();
        let (Some(tenant), Some(site_id), Some(trace_id)) =
            (self.tenant_id, self.site_id, self.trace_id)
        else {
            return Err(problems.refusal());
        };
        let mut builder = ToolContext::builder(tenant.id(), trace_id).site_id(site_id);
        builder = match (self.run_id, self.ingestion_run_id) {
            (Some(run_id), _) => builder.run_id(run_id),
            (None, Some(run_id)) => builder.ingestion_run_id(run_id),
            (None, None) => builder.new_run_of_invocation(),
        };
        set_given!(builder: tenant_slug = tenant.into_slug());
        set_given!(builder: trace = self.span_id.map(Trace::at));
        set_given!(builder: user_id = self.user_id);
        set_given!(builder: session_id = self.session_id);
        if let Some(npc_id) = self.npc_id {
            builder = builder.attribute(NPC_ID, npc_id);
        }
        set_given!(builder: request_id = self.request_id);
        set_given!(builder: locale = self.locale);
        set_given!(builder: currency = self.currency);
        set_given!(builder: timezone = self.timezone);
        set_given!(builder: workflow_id = self.workflow_id);
        set_given!(builder: collection_id = self.collection_id);
        set_given!(builder: document_id = self.document_id);
        set_given!(builder: document_version_id = self.document_version_id);
        set_given!(builder: case_id = self.case_id);
        set_given!(builder: timeouts_ms = self.timeouts_ms);
        set_given!(builder: budget_tokens = self.budget_tokens);
        set_given!(builder: safety_mode = self.safety_mode);
        set_given!(builder: idempotency_key = self.idempotency_key);
        Ok(builder.dry_run(self.dry_run))
    }

    fn missing(&self) -> Problems {
        let mut problems = Problems::new("CallContext");
        let needed = "missing; a call requires it";
        problems.check(self.tenant_id.is_some(), "tenant_id", needed);
        problems.check(self.site_id.is_some(), "site_id", needed);
        problems.check(self.trace_id.is_some(), "trace_id", needed);
        problems
    }
}

/// Converts a context back to that of a request's body.
///
/// The invocation's id and the time are generated for each call, so they are dropped. Every other
/// field that is set must exist in a body.
///
/// ```
/// use tool_contracts::{ToolContext, server::CallContext};
/// use uuid::Uuid;
///
/// let builder = ToolContext::builder(Uuid::nil(), "trace-1").site_id("main").run_id("run-1");
/// let cx = builder.clone().user_id("u-1").build()?;
/// assert_eq!(CallContext::try_from(&cx)?.user_id(), Some("u-1"));
///
/// let refused = CallContext::try_from(&builder.attribute("shop", "7").build()?).unwrap_err();
/// assert_eq!(refused.problems()[0].field(), "attributes");
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
impl TryFrom<&ToolContext> for CallContext {
    type Error = ContractError;

    /// # Errors
    /// Returns an error if the context has no site, has a field that a body does not have, or has a
    /// value longer than a body allows; it lists all of these fields.
    fn try_from(cx: &ToolContext) -> Result<Self, ContractError> {
        problems_of(cx).finish()?;
        view(cx).checked()
    }
}

fn view(cx: &ToolContext) -> CallContext {
    let text = |text: Option<&str>| text.map(str::to_owned);
    CallContext {
        tenant_id: tenant_of(cx),
        site_id: text(cx.site_id()),
        trace_id: Some(cx.trace_id().to_owned()),
        span_id: text(cx.trace().map(Trace::span_id)),
        user_id: text(cx.user_id()),
        // An actor has an id beside its type, and a body has no field for the id.
        actor_type: None,
        session_id: text(cx.session_id()),
        npc_id: cx.attributes().get(NPC_ID).cloned(),
        run_id: text(cx.run_id()),
        ingestion_run_id: text(cx.ingestion_run_id()),
        workflow_id: text(cx.workflow_id()),
        collection_id: text(cx.collection_id()),
        document_id: text(cx.document_id()),
        document_version_id: text(cx.document_version_id()),
        case_id: text(cx.case_id()),
        request_id: text(cx.request_id()),
        locale: text(cx.locale()),
        currency: text(cx.currency()),
        timezone: text(cx.timezone()),
        timeouts_ms: cx.timeouts_ms(),
        budget_tokens: cx.budget_tokens(),
        safety_mode: text(cx.safety_mode()),
        idempotency_key: text(cx.idempotency_key()),
        dry_run: cx.dry_run(),
    }
}

/// The tenant by its slug or UUID; `None` if the slug belongs to another tenant.
fn tenant_of(cx: &ToolContext) -> Option<Tenant> {
    let Some(slug) = cx.tenant_slug() else { return Some(Tenant::from(cx.tenant_id())) };
    Tenant::parse(slug).ok().filter(|tenant| tenant.id() == cx.tenant_id())
}

fn problems_of(cx: &ToolContext) -> Problems {
    let mut problems = Problems::new("CallContext");
    problems.check(cx.site_id().is_some(), "site_id", "missing; a call requires it");
    let of_slug = "expected the slug whose UUID of version 5 is the tenant's; leave it out";
    problems.check(
        tenant_of(cx).is_some_and(|tenant| tenant.slug() == cx.tenant_slug()),
        "tenant_slug",
        of_slug,
    );
    for (field, is_set) in beyond(cx) {
        let no_place = "the body of a call cannot carry this field; pass it separately";
        problems.check(!is_set, field, no_place);
    }
    problems
}

/// Fields of a context that a body does not have.
fn beyond(cx: &ToolContext) -> [(&'static str, bool); 6] {
    let span_id_only = |trace: &Trace| {
        trace.parent_span_id().is_none()
            && trace.trace_id().is_none()
            && trace.flags().is_none()
            && trace.state().is_none()
    };
    [
        ("auth", cx.auth().is_some()),
        ("actor", cx.actor().is_some()),
        ("client", cx.client().is_some()),
        ("attributes", cx.attributes().keys().any(|name| name != NPC_ID)),
        ("allowances", !cx.allowances().is_empty()),
        ("trace", !cx.trace().is_none_or(span_id_only)),
    ]
}
