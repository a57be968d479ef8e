//! The interface of token counters.

use std::fmt;
use std::sync::Arc;

/// Counts the tokens of texts.
pub trait TokenCounter: fmt::Debug + Send + Sync {
    /// Returns the number of tokens of a text.
    fn count(&self, text: &str) -> u64;

    /// Returns how the counts are made.
    fn method(&self) -> TokenMethod;
}

impl<T: TokenCounter + ?Sized> TokenCounter for Arc<T> {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn method(&self) -> TokenMethod {
        (**self).method()
    }
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenMethod {
    /// By an estimate.
    Estimate,
    /// By the encoding of a model.
    Exact(Encoding),
}

impl TokenMethod {
    /// Returns the name of the encoding, or `estimate`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Exact(encoding) => encoding.as_str(),
        }
    }
}

/// An encoding of texts as tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`.
    O200kBase,
    /// `cl100k_base`.
    Cl100kBase,
}

impl Encoding {
    /// Returns the encoding's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }
}
