//! Describes a server that no connection could be made to, without what its URL may have of credentials.

use std::error::Error;

use reqwest::Url;

/// The most characters of the cause of a failed connection.
const CAUSE: usize = 200;

/// Describes a failed connection by the host, the port and the cause.
#[must_use]
pub fn unreached(url: &Url, error: &reqwest::Error) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("the server at {host}:{port} cannot be reached: {}", cause(error))
}

/// Returns the text of the innermost source of an error, which has no URL in it.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().chars().take(CAUSE).collect()
}
