//! All fields of a context at once, for code that must handle each of them.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Actor, Allowance, Client, ToolContext, Trace, fields::Fields};

/// Borrows every field of a [`ToolContext`].
///
/// A pattern without `..` names each field, so that the code does not compile until it handles a
/// field that is added. A new field therefore changes this type, which is for the crates of this
/// project only.
#[doc(hidden)]
#[allow(clippy::exhaustive_structs, reason = "a new field must not go unnoticed where it is read")]
#[derive(Clone, Copy)]
pub struct ContextFields<'a> {
    pub tenant_id: Uuid,
    pub request_id: Option<&'a str>,
    pub trace_id: &'a str,
    pub run_id: Option<&'a str>,
    pub ingestion_run_id: Option<&'a str>,
    pub workflow_id: Option<&'a str>,
    pub invocation_id: Uuid,
    pub now_iso: DateTime<Utc>,
    pub collection_id: Option<&'a str>,
    pub document_id: Option<&'a str>,
    pub document_version_id: Option<&'a str>,
    pub case_id: Option<&'a str>,
    pub idempotency_key: Option<&'a str>,
    pub locale: Option<&'a str>,
    pub timeouts_ms: Option<u64>,
    pub budget_tokens: Option<u64>,
    pub safety_mode: Option<&'a str>,
    pub auth: Option<&'a Map<String, Value>>,
    pub actor: Option<&'a Actor>,
    pub user_id: Option<&'a str>,
    pub session_id: Option<&'a str>,
    pub tenant_slug: Option<&'a str>,
    pub site_id: Option<&'a str>,
    pub currency: Option<&'a str>,
    pub timezone: Option<&'a str>,
    pub attributes: &'a BTreeMap<String, String>,
    pub allowances: &'a [Allowance],
    pub client: Option<&'a Client>,
    pub dry_run: bool,
    pub trace: Option<&'a Trace>,
}

impl ToolContext {
    /// Borrows every field.
    #[doc(hidden)]
    #[must_use]
    pub fn fields(&self) -> ContextFields<'_> {
        let Fields {
            tenant_id,
            request_id,
            trace_id,
            run_id,
            ingestion_run_id,
            workflow_id,
            // The handle has its own id, which `with_invocation_id` changes.
            invocation_id: _,
            now_iso,
            collection_id,
            document_id,
            document_version_id,
            case_id,
            idempotency_key,
            locale,
            timeouts_ms,
            budget_tokens,
            safety_mode,
            auth,
            actor,
            user_id,
            session_id,
            tenant_slug,
            site_id,
            currency,
            timezone,
            attributes,
            allowances,
            client,
            dry_run,
            trace,
        } = &*self.shared;
        ContextFields {
            tenant_id: *tenant_id,
            request_id: request_id.as_deref(),
            trace_id,
            run_id: run_id.as_deref(),
            ingestion_run_id: ingestion_run_id.as_deref(),
            workflow_id: workflow_id.as_deref(),
            invocation_id: self.invocation_id,
            now_iso: *now_iso,
            collection_id: collection_id.as_deref(),
            document_id: document_id.as_deref(),
            document_version_id: document_version_id.as_deref(),
            case_id: case_id.as_deref(),
            idempotency_key: idempotency_key.as_deref(),
            locale: locale.as_deref(),
            timeouts_ms: *timeouts_ms,
            budget_tokens: *budget_tokens,
            safety_mode: safety_mode.as_deref(),
            auth: auth.as_ref().map(|auth| &auth.0),
            actor: actor.as_ref(),
            user_id: user_id.as_deref(),
            session_id: session_id.as_deref(),
            tenant_slug: tenant_slug.as_deref(),
            site_id: site_id.as_deref(),
            currency: currency.as_deref(),
            timezone: timezone.as_deref(),
            attributes,
            allowances,
            client: client.as_ref(),
            dry_run: *dry_run,
            trace: trace.as_ref(),
        }
    }
}

/// Shows no credentials: only the ids by which a log finds the call.
impl fmt::Debug for ContextFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextFields")
            .field("tenant_id", &self.tenant_id)
            .field("trace_id", &self.trace_id)
            .finish_non_exhaustive()
    }
}
