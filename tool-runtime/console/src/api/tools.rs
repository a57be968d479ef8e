//! The tools of the API, and calls of them.

use axum::http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Answer, Api, ApiError, Caller};
use crate::arguments::Arguments;

/// A page of the tools that the person may call.
#[derive(Debug, Deserialize)]
pub(crate) struct Tools {
    pub(crate) tools: Vec<ToolDetails>,
    pub(crate) next: Option<String>,
}

/// A tool.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolDetails {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) category: Option<String>,
    pub(crate) toolkit: Option<String>,
    pub(crate) effect: String,
    pub(crate) input_schema: Box<RawValue>,
    pub(crate) output_schema: Option<Box<RawValue>>,
}

/// A call that a person tries.
#[derive(Debug)]
pub(crate) struct TriedCall<'c> {
    pub(crate) tool: &'c str,
    pub(crate) arguments: &'c Arguments,
    pub(crate) is_dry_run: bool,
    /// The idempotency key, so that a form that is sent twice runs once.
    pub(crate) key: Option<&'c str>,
}

/// The answer to a call.
#[derive(Debug)]
pub(crate) struct CallAnswer {
    pub(crate) status: StatusCode,
    pub(crate) output: Option<Box<RawValue>>,
    pub(crate) error: Option<String>,
    /// The ticket of a call that waits for a decision.
    pub(crate) ticket: Option<Uuid>,
    pub(crate) trace: Option<String>,
}

impl ToolDetails {
    /// Returns whether a call changes nothing.
    pub(crate) fn is_read(&self) -> bool {
        self.effect == "read"
    }

    /// Reads the schema of the arguments.
    pub(crate) fn schema(&self) -> Option<Value> {
        serde_json::from_str(self.input_schema.get()).ok()
    }
}

impl Api {
    /// Finds a page of the tools that the person may call.
    pub(crate) async fn tools(
        &self,
        caller: &Caller<'_>,
        query: &[(&str, &str)],
    ) -> Result<Tools, ApiError> {
        self.page(caller, "/tools", query).await
    }

    /// Finds a tool; `None` if the person may not call it.
    pub(crate) async fn tool(
        &self,
        caller: &Caller<'_>,
        name: &str,
    ) -> Result<Option<ToolDetails>, ApiError> {
        Ok(self.tools(caller, &[("name", name)]).await?.tools.into_iter().next())
    }

    /// Finds the schema of a tool's arguments; `None` if the person may not call it.
    pub(crate) async fn input_schema(
        &self,
        caller: &Caller<'_>,
        tool: &str,
    ) -> Result<Option<Value>, ApiError> {
        let tool = self.tool(caller, tool).await?;
        tool.map(|tool| tool.schema().ok_or(ApiError::Unreadable)).transpose()
    }

    /// Calls a tool.
    pub(crate) async fn call(
        &self,
        caller: &Caller<'_>,
        call: &TriedCall<'_>,
    ) -> Result<CallAnswer, ApiError> {
        let TriedCall { tool, arguments, is_dry_run, key } = call;
        let mut context = json!({ "dry_run": is_dry_run });
        if let Some(key) = key {
            context["idempotency_key"] = (*key).into();
        }
        // Written by hand, so that the arguments keep their digits.
        let [tool, context] = [json!(tool), context].map(|value| value.to_string());
        let input = serde_json::to_string(arguments).map_err(|_| ApiError::Unreadable)?;
        let body = format!(r#"{{"tool_name":{tool},"input":{input},"context":{context}}}"#);
        let body = Some(body.into_bytes());
        let (status, body) = self.send(caller, Method::POST, "/tools/call", body).await?;
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| ApiError::Unreadable)?;
        let details = answer.details();
        let ticket = details.pointer("/ticket/id").and_then(Value::as_str);
        Ok(CallAnswer {
            status,
            ticket: ticket.and_then(|ticket| ticket.parse().ok()),
            trace: answer.audit.map(|audit| audit.trace_id),
            output: answer.output,
            error: answer.error,
        })
    }
}
