//! Tries again what failed for a while: how often, how long apart, and when not to.

mod budget;
mod config;
mod delays;

use tool_contracts::ToolErrorType;

pub(crate) use self::budget::RetryBudget;
pub use self::config::RetryConfig;
pub(crate) use self::delays::Delays;

/// Tells whether a failure of this class may pass by itself.
pub(crate) fn is_transient(class: ToolErrorType) -> bool {
    use ToolErrorType::{RateLimit, Retryable, Timeout, Upstream};
    matches!(class, RateLimit | Timeout | Upstream | Retryable)
}

#[cfg(test)]
mod tests {
    use tool_contracts::ToolErrorType;

    use super::is_transient;

    #[test]
    fn what_another_try_cannot_mend_is_not_tried_again() {
        let lasting = [ToolErrorType::Validation, ToolErrorType::Fatal];
        for class in ToolErrorType::ALL {
            assert_eq!(is_transient(*class), !lasting.contains(class), "{class:?}");
        }
    }
}
