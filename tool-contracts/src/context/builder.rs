//! The builder of a context.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeZone, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    Actor, Allowance, Client, ToolContext, Trace,
    fields::{Auth, Fields},
};
use crate::{
    ContractError,
    accessors::text_setters,
    portable::normalized_object,
    trace_context::{TraceContext, TraceId},
};

/// The prefix of a generated run id.
pub(crate) const NEW_RUN: &str = "run_";

/// The prefix of a generated run id of an upload.
const NEW_INGESTION_RUN: &str = "ingest_";

/// Builds a [`ToolContext`]; `build` reports all problems at once.
///
/// `now_iso` defaults to the current time, `invocation_id` to a new UUIDv7.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolContextBuilder {
    /// Boxed because each setter moves the builder, and the fields are large.
    fields: Box<Fields>,
    invocation_id: Option<Uuid>,
    now_iso: Option<DateTime<Utc>>,
}

impl ToolContextBuilder {
    pub(super) fn new(tenant_id: Uuid, trace_id: String) -> Self {
        let fields = Box::new(Fields {
            tenant_id,
            request_id: None,
            trace_id,
            run_id: None,
            ingestion_run_id: None,
            workflow_id: None,
            invocation_id: Uuid::nil(),
            now_iso: DateTime::UNIX_EPOCH,
            collection_id: None,
            document_id: None,
            document_version_id: None,
            case_id: None,
            idempotency_key: None,
            locale: None,
            timeouts_ms: None,
            budget_tokens: None,
            safety_mode: None,
            auth: None,
            actor: None,
            user_id: None,
            session_id: None,
            tenant_slug: None,
            site_id: None,
            currency: None,
            timezone: None,
            attributes: BTreeMap::new(),
            allowances: Vec::new(),
            client: None,
            dry_run: false,
            trace: None,
        });
        Self { fields, invocation_id: None, now_iso: None }
    }

    /// Sets the id of this one invocation of a tool.
    pub fn invocation_id(mut self, invocation_id: Uuid) -> Self {
        self.invocation_id = Some(invocation_id);
        self
    }

    /// Sets a new run: `run_` and a UUIDv7, for a caller that has no run of its own.
    ///
    /// ```
    /// use tool_contracts::ToolContext;
    /// use uuid::Uuid;
    ///
    /// let cx = ToolContext::builder(Uuid::nil(), "trace-123").new_run_id().build()?;
    /// assert!(cx.run_id().is_some_and(|run| run.starts_with("run_")));
    /// # Ok::<(), tool_contracts::ContractError>(())
    /// ```
    pub fn new_run_id(self) -> Self {
        self.run_id(format!("{NEW_RUN}{}", Uuid::now_v7()))
    }

    /// Sets a new run of an upload, `ingest_` and a UUIDv7. A context has this or a `run_id`.
    ///
    /// ```
    /// use tool_contracts::ToolContext;
    /// use uuid::Uuid;
    ///
    /// let cx = ToolContext::builder(Uuid::nil(), "trace-123").new_ingestion_run_id().build()?;
    /// assert!(cx.ingestion_run_id().is_some_and(|run| run.starts_with("ingest_")));
    /// # Ok::<(), tool_contracts::ContractError>(())
    /// ```
    pub fn new_ingestion_run_id(self) -> Self {
        self.ingestion_run_id(format!("{NEW_INGESTION_RUN}{}", Uuid::now_v7()))
    }

    /// Sets a new invocation id, and a new run with the same id for this invocation only.
    pub(crate) fn new_run_of_invocation(self) -> Self {
        let id = Uuid::now_v7();
        let mut run = String::with_capacity(NEW_RUN.len() + uuid::fmt::Hyphenated::LENGTH);
        run.push_str(NEW_RUN);
        run.push_str(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
        self.invocation_id(id).run_id(run)
    }

    /// Sets the caller's current time, converted to UTC.
    #[allow(clippy::needless_pass_by_value, reason = "a point in time is a value")]
    pub fn now_iso<Tz: TimeZone>(mut self, now: DateTime<Tz>) -> Self {
        self.now_iso = Some(now.to_utc());
        self
    }

    /// Sets the total time budget, in milliseconds; more than 0.
    pub fn timeouts_ms(mut self, timeouts_ms: u64) -> Self {
        self.fields.timeouts_ms = Some(timeouts_ms);
        self
    }

    /// Sets the model's budget, in tokens.
    pub fn budget_tokens(mut self, budget_tokens: u64) -> Self {
        self.fields.budget_tokens = Some(budget_tokens);
        self
    }

    /// Sets the forwarded credentials.
    pub fn auth(mut self, auth: Map<String, Value>) -> Self {
        self.fields.auth = Some(Auth(normalized_object(auth)));
        self
    }

    /// Sets the actor that initiated the call.
    pub fn actor(mut self, actor: Actor) -> Self {
        self.fields.actor = Some(actor);
        self
    }

    /// Adds one of the host's own ids; replaces one with the same name.
    ///
    /// A context holds at most 32 of them, with names of 1 to 128 characters and values of at most
    /// 1024.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.fields.attributes.insert(name.into(), value.into());
        self
    }

    /// Sets all of the host's own ids.
    pub fn attributes(mut self, attributes: BTreeMap<String, String>) -> Self {
        self.fields.attributes = attributes;
        self
    }

    /// Adds a limit on what the calls of this context spend; a context has at most eight.
    pub fn allowance(mut self, allowance: Allowance) -> Self {
        self.fields.allowances.push(allowance);
        self
    }

    /// Sets the program that the call came from.
    pub fn client(mut self, client: Client) -> Self {
        self.fields.client = Some(client);
        self
    }

    /// Sets whether this is a dry run.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.fields.dry_run = dry_run;
        self
    }

    /// Sets the position in a distributed trace.
    pub fn trace(mut self, trace: Trace) -> Self {
        self.fields.trace = Some(trace);
        self
    }

    /// Sets the trace id and the position in the trace from a request's headers.
    ///
    /// The call then belongs to the caller's span until it gets a span of its own.
    ///
    /// ```
    /// use tool_contracts::{ToolContext, trace_context::TraceContext};
    /// use uuid::Uuid;
    ///
    /// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let received = TraceContext::from_headers([parent], None::<&str>)?;
    /// let builder = ToolContext::builder(Uuid::nil(), "replaced").run_id("run-1");
    /// let cx = builder.trace_context(&received).build()?;
    /// assert_eq!(cx.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trace_context(mut self, received: &TraceContext) -> Self {
        self.fields.trace_id = received.parent().trace_id().to_string();
        self.trace(received.to_trace())
    }

    /// Sets the position in a received trace, and keeps the host's own trace id.
    ///
    /// ```
    /// use tool_contracts::{ToolContext, trace_context::TraceContext};
    /// use uuid::Uuid;
    ///
    /// let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let received = TraceContext::from_headers([parent], None::<&str>)?;
    /// let builder = ToolContext::builder(Uuid::nil(), "trace-xxx").run_id("run-1");
    /// let cx = builder.parent_trace(&received).build()?;
    /// assert_eq!(cx.trace_id(), "trace-xxx");
    /// assert_eq!(cx.trace_context(), received);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parent_trace(self, received: &TraceContext) -> Self {
        let trace_id = received.parent().trace_id();
        let follows = TraceId::derived_from(&self.fields.trace_id) == trace_id;
        let trace = received.to_trace();
        self.trace(if follows { trace } else { trace.with_trace_id(trace_id) })
    }

    /// Returns the context.
    ///
    /// # Errors
    /// Returns an error if a field breaks its rule, or both or neither of `run_id` and
    /// `ingestion_run_id` are set; it lists all problems.
    pub fn build(self) -> Result<ToolContext, ContractError> {
        let fields = self.completed();
        fields.check().map(|()| ToolContext::from_fields(fields))
    }

    /// Returns the context without checks, for fields that were checked by the same rules before.
    pub(crate) fn build_checked_before(self) -> ToolContext {
        ToolContext::from_fields(self.completed())
    }

    fn completed(self) -> Box<Fields> {
        let Self { mut fields, invocation_id, now_iso } = self;
        fields.invocation_id = invocation_id.unwrap_or_else(Uuid::now_v7);
        fields.now_iso = now_iso.unwrap_or_else(Utc::now);
        fields
    }
}

text_setters! {
    ToolContextBuilder, |builder| builder.fields;
    /// Sets the graph's run; excludes `ingestion_run_id`.
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
    /// Sets the idempotency key.
    idempotency_key;
    /// Sets the language, a BCP 47 tag.
    locale;
    /// Sets the safety profile.
    safety_mode;
    /// Sets the request's id, for audit and replay.
    request_id;
    /// Sets the user.
    user_id;
    /// Sets the session.
    session_id;
    /// Sets the tenant's short name.
    tenant_slug;
    /// Sets the site.
    site_id;
    /// Sets the currency, three capital letters as in ISO 4217.
    currency;
    /// Sets the time zone, a name as in the IANA database.
    timezone;
}
