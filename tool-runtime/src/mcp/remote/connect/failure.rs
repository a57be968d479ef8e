//! The causes of a failed request, without the texts that may contain addresses or credentials.

use std::error::Error;

use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use crate::mcp::remote::error::{RemoteError, RemoteErrorKind};
use crate::mcp::remote::findings::clean_text;

/// The most characters of a server's text in an error.
const MAX_TEXT: usize = 400;

/// The cause of a message that could not be sent, or was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum TransportFailure {
    /// No connection could be made: the message was not sent.
    NotConnected,
    /// The server wants other credentials: the message was not processed.
    Unauthorized,
    /// The server has forgotten the session: the message was not processed.
    SessionExpired,
    /// The server answered with this HTTP status.
    Status(u16),
    /// The answer is larger than the limit.
    TooLarge,
    /// The answer is not one of the protocol.
    Unreadable,
    /// The connection ended while the message was sent.
    Lost,
}

impl TransportFailure {
    /// Returns whether a client of another revision of the protocol may be answered.
    pub(super) fn may_be_protocol(self) -> bool {
        match self {
            Self::Unreadable | Self::Lost | Self::SessionExpired => true,
            Self::Status(status) => (400..500).contains(&status) && status != 429,
            Self::NotConnected | Self::Unauthorized | Self::TooLarge => false,
        }
    }

    /// Returns whether the server has certainly not processed the message.
    pub(in super::super) fn is_unprocessed(self) -> bool {
        match self {
            Self::NotConnected | Self::Unauthorized | Self::SessionExpired => true,
            Self::Status(status) => matches!(status, 429 | 503),
            Self::TooLarge | Self::Unreadable | Self::Lost => false,
        }
    }

    /// Describes the failure for models and people.
    pub(in super::super) fn describe(self) -> String {
        match self {
            Self::NotConnected => "the server cannot be reached".to_owned(),
            Self::Unauthorized => "the server does not accept the host's credentials".to_owned(),
            Self::SessionExpired => "the server has ended the session".to_owned(),
            Self::Status(status) => format!("the server answered with HTTP status {status}"),
            Self::TooLarge => "the answer of the server is larger than the limit".to_owned(),
            Self::Unreadable => "the answer of the server cannot be read".to_owned(),
            Self::Lost => "the connection to the server was lost".to_owned(),
        }
    }
}

impl From<TransportFailure> for RemoteError {
    fn from(failure: TransportFailure) -> Self {
        let kind = match failure {
            TransportFailure::Unauthorized => RemoteErrorKind::Unauthorized,
            TransportFailure::TooLarge | TransportFailure::Unreadable => RemoteErrorKind::Protocol,
            TransportFailure::NotConnected
            | TransportFailure::SessionExpired
            | TransportFailure::Status(_)
            | TransportFailure::Lost => RemoteErrorKind::Connection,
        };
        Self::new(kind, failure.describe())
    }
}

/// Finds the cause of an error of a transport.
pub(in super::super) fn transport_failure(error: &DynamicTransportError) -> TransportFailure {
    let mut next: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
    while let Some(cause) = next {
        if let Some(error) = cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            if let Some(failure) = http_failure(error) {
                return failure;
            }
        }
        if cause.is::<AuthRequiredError>() || cause.is::<InsufficientScopeError>() {
            return TransportFailure::Unauthorized;
        }
        next = cause.source();
    }
    TransportFailure::Lost
}

fn http_failure(error: &StreamableHttpError<reqwest::Error>) -> Option<TransportFailure> {
    use StreamableHttpError as Cause;
    Some(match error {
        Cause::Client(error) if error.is_connect() || error.is_builder() => {
            TransportFailure::NotConnected
        }
        Cause::Client(error) => match error.status().map(|status| status.as_u16()) {
            Some(401 | 403) => TransportFailure::Unauthorized,
            Some(status) => TransportFailure::Status(status),
            None => TransportFailure::Lost,
        },
        Cause::HttpStatus(error) => TransportFailure::Status(error.status),
        Cause::AuthRequired(_) | Cause::InsufficientScope(_) => TransportFailure::Unauthorized,
        Cause::SessionExpired => TransportFailure::SessionExpired,
        Cause::ResponseBodyTooLarge { .. } => TransportFailure::TooLarge,
        Cause::UnexpectedServerResponse(text) => match status_in(text) {
            Some(401 | 403) => TransportFailure::Unauthorized,
            Some(status) => TransportFailure::Status(status),
            None => TransportFailure::Unreadable,
        },
        Cause::UnexpectedContentType(_) | Cause::Deserialize(_) => TransportFailure::Unreadable,
        _ => return None,
    })
}

/// Reads the status from the text by which the client reports an unexpected answer, such as
/// `HTTP 404 Not Found: …`.
fn status_in(text: &str) -> Option<u16> {
    let status = text.strip_prefix("HTTP ")?.split_whitespace().next()?;
    status.trim_end_matches(':').parse().ok()
}

/// Bounds a text of a server, and removes its invisible characters.
pub(in super::super) fn server_text(text: &str) -> String {
    let (clean, _) = clean_text(text);
    let mut bounded: String = clean.chars().take(MAX_TEXT).collect();
    if bounded.len() < clean.len() {
        bounded.push('…');
    }
    bounded
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;

    #[track_caller]
    fn check(error: StreamableHttpError<reqwest::Error>, expected: TransportFailure) {
        let error = DynamicTransportError::from_parts("test", TypeId::of::<()>(), Box::new(error));
        assert_eq!(transport_failure(&error), expected);
    }

    #[test]
    fn the_cause_is_found_without_its_text() {
        use StreamableHttpError as Cause;
        let text = |text: &'static str| Cause::UnexpectedServerResponse(text.into());
        check(text("HTTP 404 Not Found: secret"), TransportFailure::Status(404));
        check(text("HTTP 401: x"), TransportFailure::Unauthorized);
        check(text("no JSON"), TransportFailure::Unreadable);
        check(Cause::SessionExpired, TransportFailure::SessionExpired);
        check(Cause::ResponseBodyTooLarge { max_size: 1 }, TransportFailure::TooLarge);
        check(Cause::TransportChannelClosed, TransportFailure::Lost);
        let auth = AuthRequiredError::new("Bearer".to_owned());
        check(Cause::AuthRequired(auth), TransportFailure::Unauthorized);
    }

    #[test]
    fn the_text_of_a_server_is_bounded_and_visible() {
        let text = server_text(&"a\u{202e}".repeat(999));
        assert_eq!(text.chars().count(), MAX_TEXT + 1);
        assert!(!text.contains('\u{202e}'));
    }
}
