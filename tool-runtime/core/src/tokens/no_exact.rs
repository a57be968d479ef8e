//! A stub of exact counts for builds without the feature `exact-tokens`: there is none.

use super::TokenEstimate;

/// No exact counter.
pub(super) struct ExactTokens;

impl ExactTokens {
    pub(super) fn for_model(_: &str) -> Option<TokenEstimate> {
        None
    }
}
