//! A request whose body is not read.

use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;

use crate::problem::Problem;
use crate::response::ReportFacts;
use crate::state::app::SharedApp;

/// A request whose body is not read.
#[derive(Debug)]
pub(crate) struct Bodyless(Parts);

impl FromRequest<SharedApp> for Bodyless {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &SharedApp) -> Result<Self, Problem> {
        Ok(Self(request.into_parts().0))
    }
}

impl ReportFacts for Bodyless {}

impl Bodyless {
    /// Returns the query, without its `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        self.0.uri.query()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }
}
