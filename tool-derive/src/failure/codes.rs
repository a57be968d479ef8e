//! The standard codes and types, as users write them.

/// A standard code: as written, and its variant of `ErrorCode`.
pub(crate) const CODES: [(&str, &str); 16] = [
    ("ADDRESS_INVALID", "AddressInvalid"),
    ("CANCELLED", "Cancelled"),
    ("COMPLIANCE_BLOCKED", "ComplianceBlocked"),
    ("CONFLICT", "Conflict"),
    ("FORBIDDEN", "Forbidden"),
    ("INTERNAL", "Internal"),
    ("INVALID_ARGUMENT", "InvalidArgument"),
    ("NEEDS_USER_CONFIRMATION", "NeedsUserConfirmation"),
    ("NOT_FOUND", "NotFound"),
    ("OUT_OF_STOCK", "OutOfStock"),
    ("PRICE_CHANGED", "PriceChanged"),
    ("RATE_LIMITED", "RateLimited"),
    ("TIMEOUT", "Timeout"),
    ("UNAUTHORIZED", "Unauthorized"),
    ("UNAVAILABLE", "Unavailable"),
    ("UPSTREAM_ERROR", "UpstreamError"),
];

/// Codes that only the runtime itself returns.
pub(crate) const RESERVED: [&str; 2] = ["DECLINED", "INVALID_OUTPUT"];

/// A type: as written, and its variant of `ToolErrorType`.
pub(crate) const ERROR_TYPES: [(&str, &str); 6] = [
    ("FATAL", "Fatal"),
    ("RATE_LIMIT", "RateLimit"),
    ("RETRYABLE", "Retryable"),
    ("TIMEOUT", "Timeout"),
    ("UPSTREAM", "Upstream"),
    ("VALIDATION", "Validation"),
];
