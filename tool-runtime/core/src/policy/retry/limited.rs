//! Tells whether the retries that an agent's request asks for are limited.

use super::config::RetryConfig;
use tool_contracts::act;

impl RetryConfig {
    /// Returns whether a request asks for more than this type's ranges.
    #[must_use]
    pub fn is_limited(requested: &act::RetryConfig) -> bool {
        act::RetryConfig::try_from(Self::limited(requested)) != Ok(*requested)
    }
}
