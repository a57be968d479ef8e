//! Maps error codes and classes to HTTP statuses.

use axum::http::StatusCode;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

#[cfg(test)]
mod tests;

/// Returns the status of a failure: by its code, or by its class if the code is the tool's own.
pub(super) fn of(detail: &ToolErrorDetail, draining: bool) -> StatusCode {
    match detail.error_code() {
        // The shutdown cancelled the call, so it may be retried on another instance.
        Some(ErrorCode::Cancelled) if draining => StatusCode::SERVICE_UNAVAILABLE,
        Some(code) => of_code(code),
        None => of_class(detail.class()),
    }
}

/// Returns the status of a shared error code.
pub(super) fn of_code(code: ErrorCode) -> StatusCode {
    use ErrorCode as Code;
    match code {
        Code::InvalidArgument | Code::AddressInvalid => StatusCode::UNPROCESSABLE_ENTITY,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::Forbidden | Code::ComplianceBlocked | Code::Declined => StatusCode::FORBIDDEN,
        Code::Conflict
        | Code::PriceChanged
        | Code::OutOfStock
        | Code::NeedsUserConfirmation
        | Code::Cancelled => StatusCode::CONFLICT,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Timeout => StatusCode::GATEWAY_TIMEOUT,
        Code::UpstreamError => StatusCode::BAD_GATEWAY,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal | Code::InvalidOutput => StatusCode::INTERNAL_SERVER_ERROR,
        // `ErrorCode` is non-exhaustive: a newer code has the status of its class.
        newer => of_class(newer.class()),
    }
}

/// Returns the status of an error class.
pub(super) fn of_class(class: ToolErrorType) -> StatusCode {
    use ToolErrorType as Class;
    match class {
        Class::Validation => StatusCode::UNPROCESSABLE_ENTITY,
        Class::RateLimit => StatusCode::TOO_MANY_REQUESTS,
        Class::Timeout => StatusCode::GATEWAY_TIMEOUT,
        Class::Upstream => StatusCode::BAD_GATEWAY,
        Class::Retryable => StatusCode::SERVICE_UNAVAILABLE,
        // A retry does not help, and neither the request nor the server is at fault.
        _ => StatusCode::CONFLICT,
    }
}
