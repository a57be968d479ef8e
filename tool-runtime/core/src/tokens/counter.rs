//! The interface of token counters, and the counter of a model.

use std::fmt;
use std::sync::Arc;

use super::{TokenEstimate, TokenMethod};

/// Counts the tokens of texts.
///
/// ```
/// use tool_runtime::tokens::{TokenCounter, TokenMethod};
///
/// /// Counts for a model whose tokens are single characters.
/// #[derive(Debug)]
/// struct Characters;
///
/// impl TokenCounter for Characters {
///     fn count(&self, text: &str) -> u64 {
///         text.chars().count() as u64
///     }
///
///     fn method(&self) -> TokenMethod {
///         TokenMethod::Estimate
///     }
/// }
///
/// assert_eq!(Characters.count("茶 tea"), 5);
/// ```
pub trait TokenCounter: fmt::Debug + Send + Sync {
    /// Counts the tokens of a text.
    ///
    /// The text is counted as text: names of special tokens in it, such as `<|endoftext|>`, have no
    /// special meaning. What a provider adds around a message is not counted.
    fn count(&self, text: &str) -> u64;

    /// Returns how the counts are made: by an encoding, or by an estimate.
    fn method(&self) -> TokenMethod;
}

impl<T: TokenCounter + ?Sized> TokenCounter for &T {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn method(&self) -> TokenMethod {
        (**self).method()
    }
}

impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn method(&self) -> TokenMethod {
        (**self).method()
    }
}

impl<T: TokenCounter + ?Sized> TokenCounter for Box<T> {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn method(&self) -> TokenMethod {
        (**self).method()
    }
}

/// Returns the best counter for a model.
///
/// It is exact where [`Encoding::for_model`](super::Encoding::for_model) knows the model's encoding
/// and the feature `exact-tokens` is on. All other models get the [`TokenEstimate`], and the
/// counter's [`method`](TokenCounter::method) says so.
///
/// ```
/// use tool_runtime::tokens::{TokenMethod, counter_for_model};
///
/// let counter = counter_for_model("claude-sonnet-4-5");
/// assert_eq!(counter.method(), TokenMethod::Estimate);
/// assert!(counter.count("Green tea is made from unfermented leaves.") > 5);
/// ```
#[must_use]
#[cfg_attr(not(feature = "exact-tokens"), expect(unused_variables, reason = "no count is exact"))]
pub fn counter_for_model(model: &str) -> Arc<dyn TokenCounter> {
    #[cfg(feature = "exact-tokens")]
    if let Some(exact) = super::ExactTokens::for_model(model) {
        return Arc::new(exact);
    }
    Arc::new(TokenEstimate)
}
