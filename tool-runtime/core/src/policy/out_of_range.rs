//! The error of a setting that is out of its range.

use std::fmt;

/// A setting is out of its range: names the setting, the range, and the value that was found.
///
/// # Examples
/// ```
/// use tool_runtime::policy::{RateLimit, RetryConfig};
///
/// let error = RateLimit::per_second(0).expect_err("nothing could ever be called");
/// assert_eq!(error.to_string(), "`calls`: expected 1 to 1000000, found 0");
///
/// let error = RetryConfig::new(9, 2.0, 100).expect_err("five attempts are the most");
/// assert_eq!(error.field(), "max_attempts");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: expected {expected}, found {found}")]
pub struct OutOfRange {
    field: &'static str,
    expected: String,
    found: String,
}

impl OutOfRange {
    /// Returns the name of the setting, as in JSON.
    #[must_use]
    pub fn field(&self) -> &str {
        self.field
    }

    /// Describes the values that are allowed.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns the value that was found.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    pub(super) fn new(
        field: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Debug,
    ) -> Self {
        Self { field, expected: expected.to_string(), found: format!("{found:?}") }
    }

    /// Returns an error unless the setting is in its range.
    pub(super) fn unless(
        fits: bool,
        field: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Debug,
    ) -> Result<(), Self> {
        if fits { Ok(()) } else { Err(Self::new(field, expected, found)) }
    }
}
