//! Why retries cannot be set like that.

use std::fmt;

/// Says which setting is out of its range, what belongs there and what was found.
///
/// # Examples
/// ```
/// use tool_runtime::policy::RetryConfig;
///
/// let error = RetryConfig::new(9, 2.0, 100).expect_err("five attempts are the most");
/// assert_eq!(error.field(), "max_attempts");
/// assert_eq!(error.to_string(), "retry setting `max_attempts`: expected 1 to 5, found 9");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("retry setting `{field}`: expected {expected}, found {found}")]
pub struct RetryConfigError {
    field: &'static str,
    expected: String,
    found: String,
}

impl RetryConfigError {
    /// Names the setting, as it is called on the wire.
    #[must_use]
    pub fn field(&self) -> &str {
        self.field
    }

    /// Says what belongs there.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Says what was found.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Passes a setting that is in its range.
    pub(super) fn unless(
        fits: bool,
        field: &'static str,
        expected: impl fmt::Display,
        found: impl fmt::Debug,
    ) -> Result<(), Self> {
        let error = || Self { field, expected: expected.to_string(), found: format!("{found:?}") };
        if fits { Ok(()) } else { Err(error()) }
    }
}
