use super::*;

/// A row a code, in the order of the contract.
const CODES: [(ErrorCode, u16); 18] = [
    (ErrorCode::InvalidArgument, 422),
    (ErrorCode::AddressInvalid, 422),
    (ErrorCode::NotFound, 404),
    (ErrorCode::Unauthorized, 401),
    (ErrorCode::Forbidden, 403),
    (ErrorCode::Conflict, 409),
    (ErrorCode::Timeout, 504),
    (ErrorCode::UpstreamError, 502),
    (ErrorCode::NeedsUserConfirmation, 409),
    (ErrorCode::ComplianceBlocked, 403),
    (ErrorCode::PriceChanged, 409),
    (ErrorCode::OutOfStock, 409),
    (ErrorCode::RateLimited, 429),
    (ErrorCode::Internal, 500),
    (ErrorCode::InvalidOutput, 500),
    (ErrorCode::Declined, 403),
    (ErrorCode::Cancelled, 409),
    (ErrorCode::Unavailable, 503),
];

/// A row a type, for the codes that are a tool's own.
const ERROR_TYPES: [(ToolErrorType, u16); 6] = [
    (ToolErrorType::RateLimit, 429),
    (ToolErrorType::Timeout, 504),
    (ToolErrorType::Upstream, 502),
    (ToolErrorType::Validation, 422),
    (ToolErrorType::Retryable, 503),
    (ToolErrorType::Fatal, 409),
];

#[test]
fn each_code_has_its_status() {
    assert_eq!(CODES.map(|(code, _)| code), ErrorCode::ALL);
    for (code, status) in CODES {
        let detail = ToolErrorDetail::from_code(code, "no").build();
        assert_eq!(for_error(&detail, false), status, "{code}");
        let draining = if code == ErrorCode::Cancelled { 503 } else { status };
        assert_eq!(for_error(&detail, true), draining, "{code} while the server ends");
    }
}

#[test]
fn a_code_of_the_tools_own_has_the_status_of_its_type() {
    for (error_type, status) in ERROR_TYPES {
        for code in ["SEAT_TAKEN", ""] {
            let detail = ToolErrorDetail::builder(error_type, "no").code(code).build();
            assert_eq!(for_error(&detail, false), status, "{error_type} {code}");
        }
    }
}

#[test]
fn every_status_of_a_code_and_of_a_type_is_in_the_list_of_failures() {
    for code in ErrorCode::ALL {
        assert!(FAILURES.contains(&for_code(*code)), "{code}");
    }
    for error_type in ToolErrorType::ALL {
        assert!(FAILURES.contains(&for_error_type(*error_type)), "{error_type:?}");
    }
}
