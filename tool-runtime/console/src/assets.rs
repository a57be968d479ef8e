//! The files that the pages use, embedded in the program.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

/// The path of the style, which changes with the version.
pub(crate) const STYLE_PATH: &str = concat!("/console-", env!("CARGO_PKG_VERSION"), ".css");

/// The path of the script, which changes with the version.
pub(crate) const SCRIPT_PATH: &str = concat!("/console-", env!("CARGO_PKG_VERSION"), ".js");

const STYLE: &str = include_str!("../assets/console.css");

const SCRIPT: &str = include_str!("../assets/console.js");

/// Handles a request for the style.
pub(crate) async fn style() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")], STYLE)
}

/// Handles a request for the script.
pub(crate) async fn script() -> impl IntoResponse {
    let headers =
        [(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")];
    (headers, SCRIPT)
}
