//! The waiting calls of the API, and decisions about them.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::Attachment;
use tool_runtime_core::RefusalReason;
use tool_runtime_core::effect_state::EffectState;
use tool_runtime_core::policy::TicketRejection;
use uuid::Uuid;

use super::{Answer, Api, ApiError, Caller, EVENT_STREAM, PAGE, read, with_query};

/// A page of the calls that wait for approval.
#[derive(Debug, Deserialize)]
pub(crate) struct Approvals {
    pub(crate) approvals: Vec<Approval>,
    pub(crate) next: Option<Uuid>,
}

/// A call that waits for approval.
#[derive(Debug, Deserialize)]
pub(crate) struct Approval {
    pub(crate) ticket: Uuid,
    pub(crate) tool_name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) effect: Option<String>,
    pub(crate) arguments: Option<Box<RawValue>>,
    pub(crate) preview: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) preview_attachments: Vec<Attachment>,
    pub(crate) preview_error: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) budgets: Vec<String>,
    pub(crate) principal: String,
    pub(crate) asked_by: Option<String>,
    pub(crate) site_id: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) trace_id: String,
    pub(crate) opened_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
    /// False if the person may only look at it.
    pub(crate) may_decide: bool,
}

/// A decision about a waiting call.
#[derive(Debug, Serialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub(crate) enum Decision {
    Approve { exceed_budgets: bool },
    Edit { arguments: Box<RawValue>, exceed_budgets: bool },
    Decline { feedback: String },
}

/// The answer to a decision.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) status: StatusCode,
    /// The tool's output as JSON, if the call ran.
    pub(crate) output: Option<Box<RawValue>>,
    /// The reason why it has none, in words.
    pub(crate) error: Option<String>,
    /// True if the answer says that the ticket was decided before, has expired, or does not exist.
    pub(crate) is_rejected: bool,
    /// The effect of a call without an output, as the answer states it.
    pub(crate) effect: Option<EffectState>,
}

impl Api {
    /// Lists waiting calls, the oldest first.
    pub(crate) async fn approvals(
        &self,
        caller: &Caller<'_>,
        after: Option<Uuid>,
    ) -> Result<Approvals, ApiError> {
        let after = after.map(|after| after.to_string());
        let query = after.as_deref().map(|after| ("after", after));
        self.page(caller, "/approvals", query.as_slice()).await
    }

    /// Follows the changes of a page of waiting calls; the body is a stream of server-sent events.
    pub(crate) async fn changes(
        &self,
        caller: &Caller<'_>,
        query: &[(&str, &str)],
    ) -> Result<Body, ApiError> {
        let path = with_query("/approvals", query, PAGE);
        let response = self.respond(caller, Method::GET, &path, (None, EVENT_STREAM)).await?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(response.into_body());
        }
        Err(ApiError::Refused { status, message: String::new() })
    }

    /// Finds a waiting call; `None` if it does not wait, or the person may not look at it.
    pub(crate) async fn approval(
        &self,
        caller: &Caller<'_>,
        ticket: Uuid,
    ) -> Result<Option<Approval>, ApiError> {
        let path = format!("/approvals?ticket={ticket}");
        let page: Approvals = read(self.send(caller, Method::GET, &path, None).await?)?;
        Ok(page.approvals.into_iter().next())
    }

    /// Sends a decision, and returns once the call has run.
    pub(crate) async fn decide(
        &self,
        caller: &Caller<'_>,
        ticket: Uuid,
        decision: &Decision,
    ) -> Result<Decided, ApiError> {
        let body = serde_json::to_vec(decision).map_err(|_| ApiError::Unreadable)?;
        let path = format!("/approvals/{ticket}");
        let (status, body) = self.send(caller, Method::POST, &path, Some(body)).await?;
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| ApiError::Unreadable)?;
        let details = answer.details();
        let word = |key: &str| details.get(key).and_then(Value::as_str);
        let is_rejected = word("reason").and_then(RefusalReason::parse).is_some_and(|reason| {
            reason == RefusalReason::AnsweredBefore
                || TicketRejection::from_reason(reason).is_some()
        });
        let effect = word(EffectState::KEY).and_then(EffectState::parse);
        Ok(Decided { status, output: answer.output, error: answer.error, is_rejected, effect })
    }
}
