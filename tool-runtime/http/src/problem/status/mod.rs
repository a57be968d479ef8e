//! Maps error codes and types to HTTP statuses.

use axum::http::StatusCode;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

#[cfg(test)]
mod tests;

/// The statuses of all failures: those that endpoints answer, and 431 of the server before them.
pub(crate) static FAILURES: [StatusCode; 19] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::GONE,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::MISDIRECTED_REQUEST,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// Returns the status of a failure: by its code, or by its type if the code is the tool's own.
pub(crate) fn for_error(detail: &ToolErrorDetail, draining: bool) -> StatusCode {
    match detail.error_code() {
        // The shutdown cancelled the call, so it may be retried on another instance.
        Some(ErrorCode::Cancelled) if draining => StatusCode::SERVICE_UNAVAILABLE,
        Some(code) => for_code(code),
        None => for_error_type(detail.error_type()),
    }
}

/// Returns the status of a shared error code.
pub(crate) fn for_code(code: ErrorCode) -> StatusCode {
    from_u16(code.http_status())
}

/// Returns the status of an error type.
pub(crate) fn for_error_type(error_type: ToolErrorType) -> StatusCode {
    from_u16(error_type.http_status())
}

fn from_u16(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
