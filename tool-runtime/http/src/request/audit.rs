//! Extracts the facts of a request, which the router puts into its extensions.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::problem::Problem;
use crate::response::Audit;
use crate::state::app::SharedApp;

impl FromRequestParts<SharedApp> for Audit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &SharedApp) -> Result<Self, Problem> {
        audit_of(parts).cloned()
    }
}

/// Returns the facts of a request.
pub(super) fn audit_of(parts: &Parts) -> Result<&Audit, Problem> {
    // Every route of the router is served with them.
    parts.extensions.get().ok_or_else(Problem::internal)
}
