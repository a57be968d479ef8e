//! The interfaces of context managers, of compressors, of summarizers and of embedders.

use std::fmt;

use async_trait::async_trait;

use tool_contracts::assess::{CompressionMethod, ContextData, OptimizedContext};

/// Compresses contexts.
///
/// [`Assessor`](super::Assessor) is the implementation of this crate.
#[async_trait]
pub trait ContextManager: fmt::Debug + Send + Sync {
    /// Compresses a context.
    ///
    /// It always answers: a compression that fails leaves the context as it is, with the method
    /// `none` and the reason in the metadata.
    async fn optimize(&self, context: &ContextData) -> OptimizedContext;

    /// Counts the tokens of a text.
    fn estimate_tokens(&self, text: &str) -> u64;

    /// Returns the method that [`optimize`](Self::optimize) would use, `none` included.
    fn select_strategy(&self, context: &ContextData) -> CompressionMethod;
}

/// Compresses contexts by one method, in place of the built-in compressor of that method.
///
/// ```
/// use async_trait::async_trait;
/// use tool_runtime::assess::{Assessor, CompressionError, ContextCompressor};
/// use tool_runtime::contracts::assess::{CompressionMethod, ContextData};
///
/// /// Keeps the question alone.
/// #[derive(Debug)]
/// struct QuestionOnly;
///
/// #[async_trait]
/// impl ContextCompressor for QuestionOnly {
///     fn method(&self) -> CompressionMethod {
///         CompressionMethod::SemanticPruning
///     }
///
///     async fn compress(
///         &self,
///         context: &ContextData,
///         _budget_tokens: u64,
///     ) -> Result<String, CompressionError> {
///         context.query().map(str::to_owned).ok_or_else(|| CompressionError::new("no question"))
///     }
/// }
///
/// let assessor = Assessor::new().compressor(QuestionOnly);
/// # let _ = assessor;
/// ```
#[async_trait]
pub trait ContextCompressor: fmt::Debug + Send + Sync {
    /// Returns the method that this compressor implements.
    fn method(&self) -> CompressionMethod;

    /// Compresses a context to one text of at most so many tokens.
    ///
    /// The text is all that the model reads of the context. [`Assessor`](super::Assessor) puts the
    /// persistent context in front, as `# Instructions`, if the text does not begin with that. A text
    /// that is not shorter than the context is not used.
    ///
    /// # Errors
    /// Returns an error if the context cannot be compressed; it then stays as it is.
    async fn compress(
        &self,
        context: &ContextData,
        budget_tokens: u64,
    ) -> Result<String, CompressionError>;
}

/// Summarizes texts, usually by a small model.
#[async_trait]
pub trait Summarizer: fmt::Debug + Send + Sync {
    /// Writes a summary.
    ///
    /// # Errors
    /// Returns an error if the model fails; the text is then pruned instead. If the model has answered all
    /// the same, the error has the tokens of that
    /// ([`with_written_tokens`](CompressionError::with_written_tokens)).
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError>;

    /// Returns the price of what the model reads, in US dollars for a million tokens.
    fn dollars_per_million(&self) -> f64 {
        0.0
    }

    /// Returns the price of the summaries that it writes, in US dollars for a million tokens.
    fn dollars_per_million_output(&self) -> f64 {
        0.0
    }
}

/// A text to be summarized.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SummaryRequest<'r> {
    /// The text.
    pub text: &'r str,
    /// The question that the summary has to answer, if there is one.
    pub query: Option<&'r str>,
    /// The most tokens of the summary.
    pub max_tokens: u64,
    /// The identifiers that the summary has to contain, letter for letter.
    pub identifiers: &'r [&'r str],
}

/// Computes vectors of texts, whose cosine is the similarity of the texts.
#[async_trait]
pub trait Embedder: fmt::Debug + Send + Sync {
    /// Returns one vector for each text, all of the same length. A text has at most 1,000 bytes, and a
    /// request 64 of them: longer texts come in pieces, and their vector is the mean.
    ///
    /// # Errors
    /// Returns an error if the service fails; the context then has no similarity.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError>;
}

/// Why a context could not be compressed.
///
/// The message quotes nothing of the context, so it may go into a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompressionError {
    message: String,
    written_tokens: Option<u64>,
}

impl CompressionError {
    /// Creates an error.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), written_tokens: None }
    }

    /// Says that a model has answered, with so many tokens: they are part of the cost of the compression,
    /// with those that it read.
    #[must_use]
    pub fn with_written_tokens(self, tokens: u64) -> Self {
        Self { written_tokens: Some(tokens), ..self }
    }

    /// Returns the tokens that a model has written although it is an error.
    #[must_use]
    pub fn written_tokens(&self) -> Option<u64> {
        self.written_tokens
    }

    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}
