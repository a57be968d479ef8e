//! The failures of calls: errors of a tool, of the protocol and of the connection.

use rmcp::model::{ErrorCode as RpcCode, ErrorData};
use rmcp::service::ServiceError;
use tool_contracts::ErrorCode;
use tool_runtime_core::failure::Failure;

use super::audited::AuditedError;
use crate::remote::connect::{TransportFailure, transport_failure};
use crate::remote::findings::clean_text;
use crate::remote::limits::RemoteLimits;

/// A failed request.
pub(super) struct FailedRequest {
    pub(super) failure: Failure,
    /// True if the connection may be lost.
    pub(super) suspects_connection: bool,
}

/// Describes the error of a request.
pub(super) fn from_service_error(error: &ServiceError, limits: RemoteLimits) -> FailedRequest {
    let (failure, suspects_connection) = match error {
        ServiceError::McpError(error) => match TransportFailure::from_error(error) {
            // The connection works: it carried the answer.
            Some(failure) => (from_transport(&failure), false),
            None => (from_protocol_error(error, limits), TransportFailure::is_suspicious(error)),
        },
        ServiceError::TransportSend(error) => (from_transport(&transport_failure(error)), true),
        ServiceError::TransportClosed => (from_transport(&TransportFailure::Lost), true),
        ServiceError::Cancelled { .. } => {
            let message = "the server has cancelled the call";
            (Failure::from_code(ErrorCode::UpstreamError).with_message(message), false)
        }
        _ => {
            let message = "the server answered with something else than a result";
            (Failure::from_code(ErrorCode::UpstreamError).with_message(message), false)
        }
    };
    FailedRequest { failure, suspects_connection }
}

/// Describes an error of the protocol: the server did not run the tool, or failed itself.
fn from_protocol_error(error: &ErrorData, limits: RemoteLimits) -> Failure {
    let text = bounded(&error.message, limits);
    let text = if text.trim().is_empty() { "it does not say why" } else { &text };
    let (code, message) = match error.code {
        RpcCode::INVALID_PARAMS => {
            (ErrorCode::InvalidArgument, format!("the server does not accept the call: {text}"))
        }
        RpcCode::METHOD_NOT_FOUND | RpcCode::RESOURCE_NOT_FOUND => {
            (ErrorCode::NotFound, format!("the server knows no such tool or resource: {text}"))
        }
        _ => (ErrorCode::UpstreamError, format!("the server failed: {text}")),
    };
    let failure = Failure::from_code(code).with_message(message).with_upstream_code(error.code.0);
    match error.code {
        RpcCode::INVALID_PARAMS | RpcCode::METHOD_NOT_FOUND => failure.with_effect_none(),
        _ => failure,
    }
}

/// Describes a request that could not be sent, or was not answered.
pub(super) fn from_transport(cause: &TransportFailure) -> Failure {
    let code = match cause {
        TransportFailure::NotConnected(_)
        | TransportFailure::SessionExpired
        | TransportFailure::Status(503) => ErrorCode::Unavailable,
        TransportFailure::Status(429) => ErrorCode::RateLimited,
        TransportFailure::TooLarge
        | TransportFailure::Unreadable
        | TransportFailure::MediaType(_) => ErrorCode::InvalidOutput,
        TransportFailure::Unauthorized
        | TransportFailure::Status(_)
        | TransportFailure::NoAnswer
        | TransportFailure::Lost => ErrorCode::UpstreamError,
    };
    let mut failure = Failure::from_code(code).with_message(cause.describe_for_models());
    if let TransportFailure::Status(status) = cause {
        failure = failure.with_upstream_status(*status);
    }
    if cause.is_unprocessed() { failure.with_effect_none() } else { failure.with_effect_unknown() }
}

/// Describes an error of the tool itself, by the server's text for the model, and by what a server of
/// this library says of it.
pub(super) fn from_tool_error(
    text: &str,
    error: Option<&AuditedError<'_>>,
    limits: RemoteLimits,
) -> Failure {
    let text = bounded(text, limits);
    let failure = error.map(AuditedError::failure);
    let failure = failure.unwrap_or_else(|| Failure::from_code(ErrorCode::UpstreamError));
    if text.trim().is_empty() {
        return failure.with_message("the tool of the server failed, and does not say why");
    }
    failure.with_message(text)
}

fn bounded(text: &str, limits: RemoteLimits) -> String {
    let (clean, _) = clean_text(text);
    let mut bounded: String = clean.chars().take(limits.max_error_chars()).collect();
    if bounded.len() < clean.len() {
        bounded.push('…');
    }
    bounded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(error: &ServiceError) -> Failure {
        from_service_error(error, RemoteLimits::new()).failure
    }

    #[test]
    fn errors_of_the_protocol_have_clear_codes() {
        let of = |code: i32| {
            let error = ErrorData::new(RpcCode(code), "x\u{202e}", None);
            failure(&ServiceError::McpError(error))
        };
        for (code, expected) in [
            (-32602, "INVALID_ARGUMENT"),
            (-32601, "NOT_FOUND"),
            (-32603, "UPSTREAM_ERROR"),
            (-32020, "UPSTREAM_ERROR"),
            (7, "UPSTREAM_ERROR"),
        ] {
            let failure = of(code);
            assert_eq!(failure.code().as_str(), expected, "{code}");
            assert!(failure.message().ends_with('x'), "{}", failure.message());
        }
    }

    #[test]
    fn a_lost_connection_leaves_the_effect_unknown_and_one_that_was_never_made_does_not() {
        assert!(failure(&ServiceError::TransportClosed).leaves_effect_unknown());
        assert!(from_transport(&TransportFailure::Status(500)).leaves_effect_unknown());
        for cause in [
            TransportFailure::NotConnected(String::new()),
            TransportFailure::Unauthorized,
            TransportFailure::Status(429),
        ] {
            assert!(!from_transport(&cause).leaves_effect_unknown(), "{cause:?}");
        }
        // Models do not read the address.
        let cause = TransportFailure::NotConnected("the server at tools.example:1 …".to_owned());
        assert_eq!(from_transport(&cause).message(), "the server cannot be reached");
    }

    #[test]
    fn the_text_of_a_tool_s_error_is_bounded() {
        let limits = RemoteLimits::new().with_max_error_chars(5);
        assert_eq!(from_tool_error("123456789", None, limits).message(), "12345…");
        assert!(!from_tool_error(" ", None, limits).message().trim().is_empty());
    }
}
