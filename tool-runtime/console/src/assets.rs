//! The files that the pages use, embedded in the program.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

/// The path of the style, which changes with the version.
pub(crate) const STYLE_PATH: &str = concat!("/console-", env!("CARGO_PKG_VERSION"), ".css");

const STYLE: &str = include_str!("../assets/console.css");

/// Handles a request for the style.
pub(crate) async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")], STYLE)
}
