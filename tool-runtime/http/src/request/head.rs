//! The part of a request before its body, for endpoints that read no body.

use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;

use crate::problem::Problem;
use crate::response::ReportFacts;
use crate::state::app::SharedApp;

/// A request whose body is not read.
#[derive(Debug)]
pub(crate) struct Head(Parts);

impl FromRequest<SharedApp> for Head {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &SharedApp) -> Result<Self, Problem> {
        Ok(Self(request.into_parts().0))
    }
}

impl ReportFacts for Head {}

impl Head {
    /// Returns the query, without its `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        self.0.uri.query()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }
}
