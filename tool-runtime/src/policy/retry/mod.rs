//! Retries of failed calls: attempts, delays, and a budget for each tool.

mod budget;
pub(super) mod call_retries;
mod config;
mod delays;

use tool_contracts::ToolErrorType;

pub(crate) use self::budget::RetryBudget;
pub use self::config::RetryConfig;
pub(crate) use self::delays::Delays;

/// Returns whether a retry may succeed after a failure of this type.
pub(crate) fn is_transient(class: ToolErrorType) -> bool {
    use ToolErrorType::{RateLimit, Retryable, Timeout, Upstream};
    matches!(class, RateLimit | Timeout | Upstream | Retryable)
}

#[cfg(test)]
mod tests {
    use tool_contracts::ToolErrorType;

    use super::is_transient;

    #[test]
    fn a_class_that_a_retry_cannot_fix_is_not_transient() {
        let lasting = [ToolErrorType::Validation, ToolErrorType::Fatal];
        for class in ToolErrorType::ALL {
            assert_eq!(is_transient(*class), !lasting.contains(class), "{class:?}");
        }
    }
}
