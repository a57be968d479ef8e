//! The context of a call: tenant, user, actor and limits.

mod all_fields;
mod allowance;
mod builder;
mod caller;
mod fields;
pub(crate) mod syntax;
mod trace;

use std::{collections::BTreeMap, fmt, sync::Arc};

use chrono::{DateTime, Utc};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;

pub(crate) use self::builder::NEW_RUN;
use self::fields::Fields;
pub use self::{
    all_fields::ContextFields,
    allowance::{Allowance, AllowancePeriod},
    builder::ToolContextBuilder,
    caller::{Actor, ActorType, Client, ClientApp},
    trace::Trace,
};
use crate::{
    ContractError, accessors::text_getters, contract_error::Problems, portable::normalized_object,
    trace_context::TraceContext,
};

/// The context of a call: its tenant, its actor and its limits.
///
/// It is a handle: a clone increments a reference count. `Debug` masks `auth`; `Serialize` is the
/// wire form and contains it, so log [`for_log`](Self::for_log) instead.
///
/// ```
/// use tool_contracts::ToolContext;
/// use uuid::Uuid;
///
/// let cx = ToolContext::builder(Uuid::nil(), "trace-123")
///     .run_id("graph_run_cfe213")
///     .locale("de-DE")
///     .timeouts_ms(120_000)
///     .build()?;
/// assert_eq!(cx.run_id(), Some("graph_run_cfe213"));
///
/// let refused = ToolContext::builder(Uuid::nil(), "trace-123").locale("german!").build();
/// let fields: Vec<String> =
///     refused.unwrap_err().problems().iter().map(|problem| problem.field().to_owned()).collect();
/// assert_eq!(fields, ["run_id", "locale"]);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone)]
pub struct ToolContext {
    shared: Arc<Fields>,
    invocation_id: Uuid,
}

impl ToolContext {
    /// Starts a context; `run_id` or `ingestion_run_id` must be set.
    pub fn builder(tenant_id: Uuid, trace_id: impl Into<String>) -> ToolContextBuilder {
        ToolContextBuilder::new(tenant_id, trace_id.into())
    }

    /// Makes the context of a program that has no tenants: a command-line program, an example, a test.
    ///
    /// The tenant is the nil UUID; trace, run and invocation are new. A host that serves several
    /// tenants or users says which, by [`builder`](Self::builder).
    ///
    /// ```
    /// use tool_contracts::ToolContext;
    ///
    /// let cx = ToolContext::local();
    /// assert!(cx.tenant_id().is_nil());
    /// assert!(cx.run_id().is_some_and(|run| run.starts_with("run_")));
    /// assert_ne!(cx.trace_id(), ToolContext::local().trace_id());
    /// ```
    #[must_use]
    pub fn local() -> Self {
        let trace_id = Uuid::new_v4().simple().to_string();
        // Both ids are valid by their form.
        Self::builder(Uuid::nil(), trace_id).new_run_id().build_checked_before()
    }

    /// Returns the same context for another invocation; nothing is copied.
    #[must_use]
    pub fn with_invocation_id(&self, invocation_id: Uuid) -> Self {
        Self { shared: Arc::clone(&self.shared), invocation_id }
    }

    /// Returns a view for logs: everything but `auth`.
    #[must_use]
    pub fn for_log(&self) -> ContextForLog {
        if self.shared.auth.is_none() {
            return ContextForLog(self.clone());
        }
        let shared = Fields { auth: None, ..Fields::clone(&self.shared) };
        ContextForLog(Self { shared: Arc::new(shared), invocation_id: self.invocation_id })
    }

    /// Returns the same context, as a dry run or as a real call.
    #[must_use]
    pub fn with_dry_run(&self, dry_run: bool) -> Self {
        self.changed(|fields| fields.dry_run = dry_run)
    }

    /// Returns the same context with this budget of time, in milliseconds.
    #[must_use]
    pub fn with_timeouts_ms(&self, timeouts_ms: u64) -> Self {
        self.changed(|fields| fields.timeouts_ms = Some(timeouts_ms))
    }

    /// Returns the same context with these credentials, or with none.
    #[must_use]
    pub fn with_auth(&self, auth: Option<Map<String, Value>>) -> Self {
        self.changed(|fields| fields.auth = auth.map(|auth| fields::Auth(normalized_object(auth))))
    }

    /// Returns the same context with the credentials and the attributes of another.
    #[must_use]
    pub fn with_authority_of(&self, other: &Self) -> Self {
        self.changed(|fields| {
            fields.auth.clone_from(&other.shared.auth);
            fields.attributes.clone_from(&other.shared.attributes);
        })
    }

    /// Returns the same context with this idempotency key.
    ///
    /// # Errors
    /// Returns an error if the key is empty.
    pub fn with_idempotency_key(&self, key: impl Into<String>) -> Result<Self, ContractError> {
        let key = key.into();
        let mut problems = Problems::new("ToolContext");
        problems.filled("idempotency_key", Some(&key));
        problems.finish()?;
        Ok(self.changed(|fields| fields.idempotency_key = Some(key)))
    }

    /// Returns the same context with one more allowance: a limit on what its calls spend.
    ///
    /// # Errors
    /// Returns an error if it has eight already.
    pub fn with_allowance(&self, allowance: Allowance) -> Result<Self, ContractError> {
        let mut allowances = self.shared.allowances.clone();
        allowances.push(allowance);
        let mut problems = Problems::new("ToolContext");
        fields::check_allowances(&mut problems, &allowances);
        problems.finish()?;
        Ok(self.changed(|fields| fields.allowances = allowances))
    }

    fn changed(&self, change: impl FnOnce(&mut Fields)) -> Self {
        let mut fields = Fields::clone(&self.shared);
        change(&mut fields);
        Self { shared: Arc::new(fields), invocation_id: self.invocation_id }
    }

    fn from_fields(fields: impl Into<Arc<Fields>>) -> Self {
        let shared = fields.into();
        Self { invocation_id: shared.invocation_id, shared }
    }

    /// Returns the tenant.
    #[must_use]
    pub fn tenant_id(&self) -> Uuid {
        self.shared.tenant_id
    }

    /// Returns the id of this one invocation of a tool.
    #[must_use]
    pub const fn invocation_id(&self) -> Uuid {
        self.invocation_id
    }

    /// Returns the caller's current time.
    #[must_use]
    pub fn now_iso(&self) -> DateTime<Utc> {
        self.shared.now_iso
    }

    /// Returns the trace id of the request, shared by all services.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.shared.trace_id
    }

    /// Returns the total time budget, in milliseconds; more than 0.
    #[must_use]
    pub fn timeouts_ms(&self) -> Option<u64> {
        self.shared.timeouts_ms
    }

    /// Returns the model's budget, in tokens.
    #[must_use]
    pub fn budget_tokens(&self) -> Option<u64> {
        self.shared.budget_tokens
    }

    /// Returns the forwarded credentials. Never log them.
    #[must_use]
    pub fn auth(&self) -> Option<&Map<String, Value>> {
        self.shared.auth.as_ref().map(|auth| &auth.0)
    }

    /// Returns the actor that initiated the call.
    #[must_use]
    pub fn actor(&self) -> Option<&Actor> {
        self.shared.actor.as_ref()
    }

    /// Returns the host's own ids.
    #[must_use]
    pub fn attributes(&self) -> &BTreeMap<String, String> {
        &self.shared.attributes
    }

    /// Returns the limits on what the calls of this context spend, in addition to the host's budgets.
    #[must_use]
    pub fn allowances(&self) -> &[Allowance] {
        &self.shared.allowances
    }

    /// Returns the program that the call came from.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.shared.client.as_ref()
    }

    /// Returns whether this is a dry run.
    #[must_use]
    pub fn dry_run(&self) -> bool {
        self.shared.dry_run
    }

    /// Returns the position in a distributed trace.
    #[must_use]
    pub fn trace(&self) -> Option<&Trace> {
        self.shared.trace.as_ref()
    }

    /// Returns the trace in the form of W3C Trace Context, to be sent on.
    ///
    /// Its parent is the span that the call belongs to; a request that the tool sends is a
    /// [`child`](TraceContext::child) of it. Ids that do not have the form of the specification are
    /// [derived](crate::trace_context::TraceId::derived_from) from the host's, the same ones each
    /// time and in each service; a context without a [`trace`](Self::trace) has the span that is
    /// derived from its trace id. Without flags the trace is sampled: only a caller can decide
    /// against recording. Each call of this method computes the result again.
    ///
    /// ```
    /// use tool_contracts::{ToolContext, trace_context::{SpanId, TraceContext}};
    /// use uuid::Uuid;
    ///
    /// let received = TraceContext::start().with_state("congo=t61rcWkgMzE".parse()?);
    /// let builder = ToolContext::builder(Uuid::nil(), "replaced").run_id("run-1");
    /// let cx = builder.trace_context(&received).build()?;
    /// assert_eq!(cx.trace_context(), received);
    ///
    /// let sent = cx.trace_context().child(SpanId::random());
    /// assert_eq!(sent.parent().trace_id(), received.parent().trace_id());
    ///
    /// let own = ToolContext::builder(Uuid::nil(), "trace-xxx").run_id("run-1").build()?;
    /// let parent = own.trace_context().parent().to_string();
    /// assert_eq!(parent, "00-34aabfe00e795e30b672c958634a953b-b672c958634a953b-01");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn trace_context(&self) -> TraceContext {
        let host_id = self.trace_id();
        match self.trace() {
            Some(trace) => trace.to_trace_context(host_id),
            None => trace::trace_context_of(host_id),
        }
    }
}

text_getters! {
    ToolContext, |cx| cx.shared;
    /// Returns the graph's run; either this or `ingestion_run_id` is set.
    run_id;
    /// Returns the run of an upload; either this or `run_id` is set.
    ingestion_run_id;
    /// Returns the name of the graph or business process.
    workflow_id;
    /// Returns the document collection.
    collection_id;
    /// Returns the document.
    document_id;
    /// Returns the version of the document.
    document_version_id;
    /// Returns the business case.
    case_id;
    /// Returns the idempotency key.
    idempotency_key;
    /// Returns the language, a BCP 47 tag.
    locale;
    /// Returns the safety profile.
    safety_mode;
    /// Returns the request's id, for audit and replay.
    request_id;
    /// Returns the user.
    user_id;
    /// Returns the session.
    session_id;
    /// Returns the tenant's short name.
    tenant_slug;
    /// Returns the site.
    site_id;
    /// Returns the currency, three letters of ISO 4217.
    currency;
    /// Returns the time zone, a name of the IANA database.
    timezone;
}

impl PartialEq for ToolContext {
    fn eq(&self, other: &Self) -> bool {
        // Compares the handle's own id, not the id in the shared fields.
        self.wire().as_ref() == other.wire().as_ref()
    }
}

impl Eq for ToolContext {}

impl fmt::Debug for ToolContext {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire().fmt(to)
    }
}

impl Serialize for ToolContext {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.wire().serialize(to)
    }
}

impl ToolContext {
    fn wire(&self) -> std::borrow::Cow<'_, Fields> {
        if self.shared.invocation_id == self.invocation_id {
            return std::borrow::Cow::Borrowed(&self.shared);
        }
        let invocation_id = self.invocation_id;
        std::borrow::Cow::Owned(Fields { invocation_id, ..Fields::clone(&self.shared) })
    }
}

impl JsonSchema for ToolContext {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Fields::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        Fields::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Fields::json_schema(generator)
    }
}

/// A view of a [`ToolContext`] for logs: everything but `auth`, which is omitted entirely.
#[derive(Clone)]
pub struct ContextForLog(ToolContext);

impl Serialize for ContextForLog {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl fmt::Debug for ContextForLog {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}
