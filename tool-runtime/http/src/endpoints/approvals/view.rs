//! The bodies of `/approvals`.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use tool_contracts::{Attachment, Effect, ToolSpec};
use tool_runtime_core::Runtime;
use tool_runtime_core::policy::WaitingCall;
use tool_runtime_record::ledger::query::utc_time;
use uuid::Uuid;

/// Lists the calls of a tenant that wait for approval, the oldest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Approvals", deny_unknown_fields)]
pub(crate) struct Approvals {
    /// The waiting calls.
    pub(super) approvals: Vec<Approval>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<Uuid>,
}

/// Describes a call that waits for approval.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Approval", deny_unknown_fields)]
pub(crate) struct Approval {
    /// The id for the decision.
    ticket: Uuid,
    /// The tool.
    tool_name: String,
    /// The tool's version.
    version: String,
    /// The tool's title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The effect of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<Effect>,
    /// The arguments, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Box<RawValue>>,
    /// The answer of the tool's preview function, secrets masked: what the call would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Box<RawValue>>,
    /// The attachments of that answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Attachment>>")]
    preview_attachments: Vec<Attachment>,
    /// The reason why there is no preview: the call does not run unless its arguments are
    /// edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview_error: Option<String>,
    /// The reason for the approval, if a rule of the host gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// For each budget, the amount that the call would use, and what is left now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    budgets: Vec<String>,
    /// The principal of the call, such as `user:42`.
    principal: String,
    /// The caller that requested it: the name of a service or of its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_by: Option<String>,
    /// The site.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_id: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The trace that the call belongs to.
    trace_id: String,
    /// The time at which the call was opened.
    opened_at: DateTime<Utc>,
    /// The time at which the ticket expires.
    expires_at: DateTime<Utc>,
    /// True if the caller may decide about the call; false if it may only look at it.
    may_decide: bool,
}

/// Says that a call was declined.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Declined", deny_unknown_fields)]
pub(crate) struct Declined<'a> {
    /// The ticket of the call.
    pub(super) ticket: Uuid,
    /// The decision.
    pub(super) decision: DeclinedDecision,
    /// The tool that will not run.
    pub(super) tool_name: &'a str,
    /// The reason, which the requester of the call is told.
    pub(super) feedback: &'a str,
}

/// The decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeclinedDecision {
    /// The call was declined.
    Declined,
}

impl Approval {
    pub(super) fn new(
        waiting: &WaitingCall,
        budgets: Vec<String>,
        may_decide: bool,
        runtime: &Runtime,
    ) -> Self {
        let (ticket, cx) = (waiting.ticket(), waiting.cx());
        let tool = runtime.spec(ticket.tool());
        let arguments = waiting.arguments().map(str::to_owned);
        Self {
            ticket: ticket.id(),
            tool_name: ticket.tool().to_owned(),
            version: ticket.tool_version().to_owned(),
            title: tool.as_deref().and_then(ToolSpec::title).map(str::to_owned),
            effect: tool.as_deref().map(ToolSpec::effect),
            arguments: arguments.and_then(|it| RawValue::from_string(it).ok()),
            preview: waiting.preview().and_then(|it| RawValue::from_string(it.to_owned()).ok()),
            preview_attachments: waiting.preview_attachments().to_vec(),
            preview_error: waiting.preview_failure().map(|error| error.message().to_owned()),
            reason: waiting.reason().map(str::to_owned),
            budgets,
            principal: ticket.principal().to_owned(),
            asked_by: cx.actor().map(|actor| actor.id().to_owned()),
            site_id: cx.site_id().map(str::to_owned),
            session_id: cx.session_id().map(str::to_owned),
            trace_id: cx.trace_id().to_owned(),
            opened_at: utc_time(ticket.issued_at()).unwrap_or(DateTime::<Utc>::MAX_UTC),
            expires_at: utc_time(ticket.expires_at()).unwrap_or(DateTime::<Utc>::MAX_UTC),
            may_decide,
        }
    }
}
