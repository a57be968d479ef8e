//! Asks the HTTP API for a person: the console has no other source of data.

mod approvals;
mod ledger;
mod outcomes;
mod tools;
mod traces;

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::Response;
use http_body_util::{BodyExt as _, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;
use tower::ServiceExt as _;
use uuid::Uuid;

pub(crate) use self::approvals::{Approval, Approvals, Decided, Decision};
pub(crate) use self::ledger::LedgerVerification;
pub(crate) use self::outcomes::{Resolution, UnknownOutcome};
pub(crate) use self::tools::{ToolDetails, TriedCall};
pub(crate) use self::traces::{RecordedCall, ReplayedCall, TraceRecord, TraceRecords, Verdict};
use crate::session::{Credential, Session};

/// The number of entries on a page.
pub(crate) const PAGE: usize = 50;

/// The longest answer that is read, in bytes: what a tool has returned, or a page of entries.
const MAX_ANSWER: usize = 64 << 20;

/// The site of requests that are for none.
pub(crate) const NO_SITE: &str = "console";

/// The media types of the API's answers.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

const API_KEY: HeaderName = HeaderName::from_static("x-internal-api-key");
const AUTHORIZATION: HeaderName = axum::http::header::AUTHORIZATION;
const TENANT: HeaderName = HeaderName::from_static("x-tenant-id");
const SITE: HeaderName = HeaderName::from_static("x-site-id");
const TRACE: HeaderName = HeaderName::from_static("x-trace-id");
const USER: HeaderName = HeaderName::from_static("x-user-id");

/// The API's router.
#[derive(Debug)]
pub(crate) struct Api(Router);

/// A person's session, and the parts of the browser's request that the API judges too.
pub(crate) struct Caller<'r> {
    pub(crate) session: &'r Session,
    /// The host that the request names.
    pub(crate) host: Option<&'r HeaderValue>,
    /// The address of the browser, which limits count.
    pub(crate) address: Option<ConnectInfo<SocketAddr>>,
    /// The site for which a tool is called.
    pub(crate) site: &'r str,
}

/// The reason why a request of the API has no answer for a page.
#[derive(Debug, Error)]
pub(crate) enum ApiError {
    /// The API refuses the request.
    #[error("the API answers {status}: {message}")]
    Refused {
        status: StatusCode,
        /// The API's own words for a person who calls it.
        message: String,
    },
    /// A value of the session cannot be sent in a header.
    #[error("a value of the session cannot be sent in a header")]
    Header,
    /// The answer is longer than a page may read.
    #[error("the answer of the API is too long for a page")]
    TooLong,
    /// The answer is not as the API's document has it.
    #[error("the answer of the API cannot be read")]
    Unreadable,
}

#[derive(Deserialize)]
struct Answer {
    output: Option<Box<RawValue>>,
    error: Option<String>,
    detail: Option<Box<RawValue>>,
    audit: Option<Audit>,
}

#[derive(Deserialize)]
struct Audit {
    trace_id: String,
}

impl Answer {
    /// Returns the details of an error; null if it has none.
    fn details(&self) -> Value {
        let detail = self.detail.as_ref().map(|detail| serde_json::from_str(detail.get()));
        let detail: Value = detail.and_then(Result::ok).unwrap_or_default();
        detail.get("details").cloned().unwrap_or_default()
    }
}

impl Api {
    pub(crate) const fn new(router: Router) -> Self {
        Self(router)
    }

    /// Asks whether the API knows the person and lets them act for the tenant, whatever their scopes.
    pub(crate) async fn admit(&self, caller: &Caller<'_>) -> Result<(), ApiError> {
        let path = format!("/approvals?ticket={}", Uuid::nil());
        let answer = self.send(caller, Method::GET, &path, None).await?;
        // The answer states a missing scope to known callers alone; the list of tools judges the tenant.
        if answer.0 == StatusCode::FORBIDDEN {
            return self.tools(caller, &[("name", "")]).await.map(drop);
        }
        read::<Approvals>(answer).map(drop)
    }

    /// Reads a page of entries; fewer of them if they are too long for a page.
    async fn page<T: DeserializeOwned>(
        &self,
        caller: &Caller<'_>,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, ApiError> {
        let mut limit = PAGE;
        loop {
            let path = with_query(path, query, limit);
            match self.send(caller, Method::GET, &path, None).await {
                Err(ApiError::TooLong) if limit > 1 => limit /= 7,
                answer => return read(answer?),
            }
        }
    }

    async fn send(
        &self,
        caller: &Caller<'_>,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<(StatusCode, Vec<u8>), ApiError> {
        let response = self.respond(caller, method, path, (body, JSON)).await?;
        let (status, body) = (response.status(), response.into_body());
        let body = Limited::new(body, MAX_ANSWER).collect().await;
        Ok((status, body.map_err(|_| ApiError::TooLong)?.to_bytes().into()))
    }

    /// Sends a request with a body of JSON, if it has one, and the media type that the answer shall have.
    async fn respond(
        &self,
        caller: &Caller<'_>,
        method: Method,
        path: &str,
        (body, media_type): (Option<Vec<u8>>, HeaderValue),
    ) -> Result<Response, ApiError> {
        let mut request = Request::builder().method(method).uri(path);
        let headers = request.headers_mut().ok_or(ApiError::Header)?;
        write_headers(headers, caller)?;
        if body.is_some() {
            headers.insert(CONTENT_TYPE, JSON);
        }
        headers.insert(ACCEPT, media_type);
        if let (Some(extensions), Some(address)) = (request.extensions_mut(), caller.address) {
            extensions.insert(address);
        }
        let request = request
            .body(body.map_or_else(Body::empty, Body::from))
            .map_err(|_| ApiError::Header)?;
        match self.0.clone().oneshot(request).await {
            Ok(response) => Ok(response),
            Err(never) => match never {},
        }
    }
}

fn with_query(path: &str, query: &[(&str, &str)], limit: usize) -> String {
    let mut text = form_urlencoded::Serializer::new(format!("{path}?limit={limit}"));
    for (name, value) in query {
        text.append_pair(name, value);
    }
    text.finish()
}

fn write_headers(headers: &mut HeaderMap, caller: &Caller<'_>) -> Result<(), ApiError> {
    let session = caller.session;
    let mut insert = |name: HeaderName, value: &str| {
        let value = HeaderValue::from_str(value).map_err(|_| ApiError::Header)?;
        headers.insert(name, value);
        Ok(())
    };
    match &session.credential {
        Credential::Nothing => {}
        Credential::Key(key) => insert(API_KEY, key)?,
        Credential::Token(token) => insert(AUTHORIZATION, &format!("Bearer {token}"))?,
    }
    insert(SITE, caller.site)?;
    insert(TRACE, &Uuid::now_v7().to_string())?;
    if !session.tenant.is_empty() {
        insert(TENANT, &session.tenant)?;
    }
    if !session.user.is_empty() {
        insert(USER, &session.user)?;
    }
    if let Some(host) = caller.host {
        headers.insert(HOST, host.clone());
    }
    Ok(())
}

/// Reads the answer of a request that succeeds with 200.
fn read<T: DeserializeOwned>((status, body): (StatusCode, Vec<u8>)) -> Result<T, ApiError> {
    if status == StatusCode::OK {
        return serde_json::from_slice(&body).map_err(|_| ApiError::Unreadable);
    }
    let answer: Option<Answer> = serde_json::from_slice(&body).ok();
    let message = answer.and_then(|answer| answer.error).unwrap_or_default();
    Err(ApiError::Refused { status, message })
}
