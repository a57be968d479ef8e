//! Maps error codes and types to HTTP statuses.

use axum::http::StatusCode;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

#[cfg(test)]
mod tests;

/// Returns the status of a failure: by its code, or by its type if the code is the tool's own.
pub(in crate::http) fn of(detail: &ToolErrorDetail, draining: bool) -> StatusCode {
    match detail.error_code() {
        // The shutdown cancelled the call, so it may be retried on another instance.
        Some(ErrorCode::Cancelled) if draining => StatusCode::SERVICE_UNAVAILABLE,
        Some(code) => of_code(code),
        None => of_class(detail.class()),
    }
}

/// Returns the status of a shared error code.
pub(in crate::http) fn of_code(code: ErrorCode) -> StatusCode {
    known(code.http_status())
}

/// Returns the status of an error type.
pub(in crate::http) fn of_class(class: ToolErrorType) -> StatusCode {
    known(class.http_status())
}

fn known(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
