//! The unknown outcomes of the API, and their resolution.

use axum::http::{Method, StatusCode};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Answer, Api, ApiError, Caller, read};

/// A page of the calls whose outcome is unknown.
#[derive(Debug, Deserialize)]
pub(crate) struct Outcomes {
    pub(crate) outcomes: Vec<UnknownOutcome>,
    pub(crate) next: Option<String>,
}

/// A call whose outcome is unknown.
#[derive(Debug, Deserialize)]
pub(crate) struct UnknownOutcome {
    pub(crate) id: u64,
    pub(crate) tool_name: String,
    pub(crate) principal: String,
    pub(crate) asked_by: String,
    pub(crate) key: String,
    pub(crate) global_key: String,
    pub(crate) since: Option<DateTime<Utc>>,
    pub(crate) damaged: bool,
}

/// The resolution of an unknown outcome.
#[derive(Debug, Serialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub(crate) enum Resolution {
    Happened { answer: Box<RawValue>, reason: String },
    DidNotHappen { reason: String },
}

impl Api {
    /// Lists the calls whose outcome is unknown.
    pub(crate) async fn outcomes(
        &self,
        caller: &Caller<'_>,
        after: Option<&str>,
    ) -> Result<Outcomes, ApiError> {
        let query = after.map(|after| ("after", after));
        self.page(caller, "/outcomes", query.as_slice()).await
    }

    /// Finds an unknown outcome; `None` if it is not unknown any more.
    pub(crate) async fn outcome(
        &self,
        caller: &Caller<'_>,
        id: u64,
    ) -> Result<Option<UnknownOutcome>, ApiError> {
        let path = format!("/outcomes?id={id}");
        let page: Outcomes = read(self.send(caller, Method::GET, &path, None).await?)?;
        Ok(page.outcomes.into_iter().next())
    }

    /// Resolves an unknown outcome.
    ///
    /// # Errors
    /// A refusal has the API's words for it.
    pub(crate) async fn resolve(
        &self,
        caller: &Caller<'_>,
        id: u64,
        resolution: &Resolution,
    ) -> Result<(), ApiError> {
        let body = serde_json::to_vec(resolution).map_err(|_| ApiError::Unreadable)?;
        let path = format!("/outcomes/{id}");
        let (status, body) = self.send(caller, Method::POST, &path, Some(body)).await?;
        if status == StatusCode::OK {
            return Ok(());
        }
        let answer: Answer = serde_json::from_slice(&body).map_err(|_| ApiError::Unreadable)?;
        Err(ApiError::Refused { status, message: answer.error.unwrap_or_default() })
    }
}
