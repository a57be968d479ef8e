//! Exact counts by the vocabularies of OpenAI's encodings, with the crate `toktok-rs`.
//!
//! It agrees with OpenAI's own library, takes linear time on every text, and has no dependencies.
//! The alternative, `tiktoken-rs`, is ten times slower and panics on a long run of spaces.

use std::fmt;
use std::sync::LazyLock;

use toktok::Tokenizer;

use super::{Encoding, TokenCounter, TokenMethod};

/// Counts tokens by the encoding of a model of OpenAI.
///
/// The vocabulary is part of the program. It is prepared once in a program, by the first
/// [`new`](Self::new) for its encoding: that takes about 0.3 seconds and 60 MB of memory, so create
/// the counter when the program starts.
///
/// ```
/// use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter};
///
/// let counter = ExactTokens::new(Encoding::O200kBase);
/// assert_eq!(counter.count("hello world"), 2);
/// assert!(counter.method().is_exact());
/// ```
#[derive(Clone, Copy)]
pub struct ExactTokens {
    encoding: Encoding,
    tokenizer: &'static Tokenizer,
}

static O200K_BASE: LazyLock<Tokenizer> = LazyLock::new(|| embedded(Encoding::O200kBase));
static CL100K_BASE: LazyLock<Tokenizer> = LazyLock::new(|| embedded(Encoding::Cl100kBase));

fn embedded(encoding: Encoding) -> Tokenizer {
    Tokenizer::builtin(encoding.as_str()).expect("the vocabulary is embedded in the crate")
}

impl ExactTokens {
    /// Creates a counter for an encoding.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        let tokenizer = match encoding {
            Encoding::O200kBase => &*O200K_BASE,
            Encoding::Cl100kBase => &*CL100K_BASE,
        };
        Self { encoding, tokenizer }
    }

    /// Creates a counter for a model of OpenAI; `None` for other and for unknown models.
    #[must_use]
    pub fn for_model(model: &str) -> Option<Self> {
        Encoding::for_model(model).map(Self::new)
    }
}

impl TokenCounter for ExactTokens {
    fn count(&self, text: &str) -> u64 {
        self.tokenizer.count(text.as_bytes()) as u64
    }

    fn method(&self) -> TokenMethod {
        TokenMethod::Exact(self.encoding)
    }
}

impl fmt::Debug for ExactTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExactTokens").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::counter_for_model;

    #[test]
    fn counts_are_those_of_the_encodings() {
        let count = |encoding, text| ExactTokens::new(encoding).count(text);
        for (text, o200k, cl100k) in [
            ("", 0, 0),
            ("hello world", 2, 2),
            ("tiktoken is great!", 6, 6),
            ("<|endoftext|>", 7, 7),
            ("严田古村", 4, 8),
            ("       ", 1, 1),
        ] {
            assert_eq!(count(Encoding::O200kBase, text), o200k, "{text}");
            assert_eq!(count(Encoding::Cl100kBase, text), cl100k, "{text}");
        }
    }

    #[test]
    fn a_model_of_openai_is_counted_exactly() {
        let method = |model| counter_for_model(model).method();
        assert_eq!(method("gpt-4o"), TokenMethod::Exact(Encoding::O200kBase));
        assert_eq!(method("gpt-4"), TokenMethod::Exact(Encoding::Cl100kBase));
        assert_eq!(method("claude-sonnet-4-5"), TokenMethod::Estimate);
        assert!(ExactTokens::for_model("gemini-2.5-pro").is_none());
    }
}
