//! An estimate of tokens without a vocabulary.

use super::{TokenCounter, TokenMethod};

/// Estimates tokens from the bytes of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenEstimate;

impl TokenCounter for TokenEstimate {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }

    fn method(&self) -> TokenMethod {
        TokenMethod::Estimate
    }
}
