//! Takes a request apart, for the endpoint of the Model Context Protocol, which passes bodies on.

use axum::body::Bytes;
use axum::http::request::Parts;

use super::ReceivedRequest;
use crate::response::PayloadHash;
use crate::state::body_quota::BodyPermit;

impl ReceivedRequest {
    /// Returns the head, the body with its hash, and the permit of the body.
    pub(crate) fn into_parts(self) -> (Parts, (Bytes, PayloadHash), BodyPermit) {
        (self.parts, (self.body.bytes, self.payload), self.body.permit)
    }
}
