//! The causes of a failed request, without the texts that may contain addresses or credentials.

use std::error::Error;
use std::fmt;

use rmcp::model::{ErrorData, ServerJsonRpcMessage};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::json;

use crate::remote::error::{RemoteError, RemoteErrorKind};
use crate::remote::findings::clean_text;

/// The most characters of a server's text in an error.
const MAX_TEXT: usize = 400;

/// The member of an error's data with the failure that this client has found. What servers send as data is
/// removed.
const FAILURE: &str = "tool-runtime/failure";
const UNREADABLE: &str = "unreadable";
/// The text of a failed connection without its address.
pub(super) const UNREACHED: &str = "the server cannot be reached";
const TOO_LARGE: &str = "too large";
/// The member of an error's data with the status of its HTTP response.
const STATUS: &str = "tool-runtime/status";

/// The cause of a message that could not be sent, or was not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum TransportFailure {
    /// No connection could be made, for this reason: the message was not sent.
    NotConnected(String),
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
    /// The answer has this media type, in which the protocol has no messages.
    MediaType(Option<String>),
    /// The server took a request, and sends no answer.
    NoAnswer,
    /// The connection ended while the message was sent.
    Lost,
}

impl TransportFailure {
    /// Returns whether a client of another revision of the protocol may be answered.
    pub(super) fn may_be_protocol(&self) -> bool {
        match self {
            Self::Unreadable
            | Self::MediaType(_)
            | Self::NoAnswer
            | Self::Lost
            | Self::SessionExpired => true,
            Self::Status(status) => (400..500).contains(status) && *status != 429,
            Self::NotConnected(_) | Self::Unauthorized | Self::TooLarge => false,
        }
    }

    /// Returns whether the server has certainly not processed the message.
    pub(in super::super) fn is_unprocessed(&self) -> bool {
        match self {
            Self::NotConnected(_) | Self::Unauthorized | Self::SessionExpired => true,
            Self::Status(status) => matches!(status, 429 | 503),
            Self::TooLarge
            | Self::Unreadable
            | Self::MediaType(_)
            | Self::NoAnswer
            | Self::Lost => false,
        }
    }

    /// Describes the failure for models, which do not read where the host's servers are.
    pub(in super::super) fn describe_for_models(&self) -> String {
        match self {
            Self::NotConnected(_) => UNREACHED.to_owned(),
            Self::Unauthorized
            | Self::SessionExpired
            | Self::Status(_)
            | Self::TooLarge
            | Self::Unreadable
            | Self::MediaType(_)
            | Self::NoAnswer
            | Self::Lost => self.describe(),
        }
    }

    /// Describes the failure for people.
    pub(in super::super) fn describe(&self) -> String {
        match self {
            Self::NotConnected(reason) => reason.clone(),
            Self::Unauthorized => "the server does not accept the host's credentials".to_owned(),
            Self::SessionExpired => "the server has ended the session".to_owned(),
            Self::Status(status) => format!("the server answered with HTTP status {status}"),
            Self::TooLarge => "the answer of the server is larger than the limit".to_owned(),
            Self::Unreadable => "the answer of the server cannot be read".to_owned(),
            Self::MediaType(listed) => {
                let content_type = listed.as_deref().map(server_text);
                let type_text = content_type.map_or_else(
                    || "no content type".to_owned(),
                    |content_type| format!("the content type `{content_type}`"),
                );
                format!(
                    "the answer of the server cannot be read: it has {type_text}, expected \
                     `application/json` or `text/event-stream`"
                )
            }
            Self::NoAnswer => "the server accepted the request, and sent no answer".to_owned(),
            Self::Lost => "the connection to the server was lost".to_owned(),
        }
    }

    /// Makes the error by which rmcp ends a request whose answer cannot be used.
    pub(super) fn to_error(&self) -> ErrorData {
        let name = if *self == Self::TooLarge { TOO_LARGE } else { UNREADABLE };
        ErrorData::internal_error(self.describe(), Some(json!({ FAILURE: name })))
    }

    /// Reads the failure of an error that [`to_error`](Self::to_error) has made.
    pub(in super::super) fn from_error(error: &ErrorData) -> Option<Self> {
        match error.data.as_ref()?.get(FAILURE)?.as_str()? {
            UNREADABLE => Some(Self::Unreadable),
            TOO_LARGE => Some(Self::TooLarge),
            _ => None,
        }
    }

    /// Marks an error of a session by the HTTP status that it came with.
    pub(super) fn mark(message: &mut ServerJsonRpcMessage, status: u16) {
        if let ServerJsonRpcMessage::Error(error) = message {
            error.error.data = Some(json!({ STATUS: status }));
        }
    }

    /// Returns whether an error came with an HTTP status that may mean that the session is lost.
    pub(in super::super) fn is_suspicious(error: &ErrorData) -> bool {
        error.data.as_ref().is_some_and(|data| data.get(STATUS).is_some())
    }
}

impl Error for TransportFailure {}

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl From<TransportFailure> for RemoteError {
    fn from(failure: TransportFailure) -> Self {
        let kind = match failure {
            TransportFailure::Unauthorized => RemoteErrorKind::Unauthorized,
            TransportFailure::TooLarge
            | TransportFailure::Unreadable
            | TransportFailure::MediaType(_)
            | TransportFailure::NoAnswer => RemoteErrorKind::Protocol,
            TransportFailure::NotConnected(_)
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
        if let Some(error) = cause.downcast_ref::<StreamableHttpError<TransportFailure>>() {
            if let Some(failure) = http_failure(error) {
                return failure;
            }
        }
        next = cause.source();
    }
    TransportFailure::Lost
}

fn http_failure(error: &StreamableHttpError<TransportFailure>) -> Option<TransportFailure> {
    use StreamableHttpError as Cause;
    match error {
        Cause::Client(failure) => Some(failure.clone()),
        Cause::SessionExpired => Some(TransportFailure::SessionExpired),
        Cause::Deserialize(_) | Cause::UnexpectedServerResponse(_) => {
            Some(TransportFailure::Unreadable)
        }
        _ => None,
    }
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
    fn check(error: StreamableHttpError<TransportFailure>, expected: &TransportFailure) {
        let error = DynamicTransportError::from_parts("test", TypeId::of::<()>(), Box::new(error));
        assert_eq!(transport_failure(&error), *expected);
    }

    #[test]
    fn the_cause_is_found_without_its_text() {
        use StreamableHttpError as Cause;
        check(Cause::Client(TransportFailure::Status(404)), &TransportFailure::Status(404));
        check(Cause::Client(TransportFailure::Unauthorized), &TransportFailure::Unauthorized);
        check(Cause::UnexpectedServerResponse("secret".into()), &TransportFailure::Unreadable);
        check(Cause::SessionExpired, &TransportFailure::SessionExpired);
        check(Cause::TransportChannelClosed, &TransportFailure::Lost);
    }

    #[test]
    fn a_failure_passes_through_an_error_of_rmcp() {
        for failure in [TransportFailure::TooLarge, TransportFailure::Unreadable] {
            assert_eq!(TransportFailure::from_error(&failure.to_error()), Some(failure));
        }
        let plain = ErrorData::internal_error("x", None);
        assert_eq!(TransportFailure::from_error(&plain), None);
        assert!(!TransportFailure::is_suspicious(&plain));
    }

    #[test]
    fn the_text_of_a_server_is_bounded_and_visible() {
        let text = server_text(&"a\u{202e}".repeat(999));
        assert_eq!(text.chars().count(), MAX_TEXT + 1);
        assert!(!text.contains('\u{202e}'));
    }
}
