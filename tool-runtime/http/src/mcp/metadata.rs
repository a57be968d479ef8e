//! The endpoint of the metadata of the server as a protected resource (RFC 9728).

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::request::parameters::Bodyless;
use crate::response::ResponseFormat;
use crate::route_builder::no_path_in;
use crate::state::app::SharedApp;
use crate::state::config::mcp::resource_of;

/// Handles a request for the metadata, which needs no credential.
pub(super) async fn metadata(State(app): State<SharedApp>, request: Bodyless) -> Response {
    let Some(resource) = resource_of(&app) else {
        return no_path_in(ResponseFormat::CallResponse, request.parts());
    };
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "max-age=3600")];
    (headers, resource.metadata().to_string()).into_response()
}
