//! Has a smaller model summarize the open parts of a context, in chunks side by side.

use futures::StreamExt;
use futures::stream;

use super::identifiers::distinct;
use super::manager::{CompressionError, Summarizer, SummaryRequest};
use super::references::References;
use crate::tokens::TokenCounter;

/// The size of a chunk, in tokens.
const CHUNK_TOKENS: u64 = 4_000;
/// The most chunks that are summarized at once.
const AT_ONCE: usize = 4;

/// The work of a distillation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distillation<'d> {
    pub(super) summarizer: &'d dyn Summarizer,
    pub(super) counter: &'d dyn TokenCounter,
    pub(super) query: Option<&'d str>,
    pub(super) references: &'d References<'d>,
    /// The tokens of all summaries together.
    pub(super) budget: u64,
}

impl Distillation<'_> {
    /// Summarizes pieces of a text; the summaries are in their order.
    ///
    /// # Errors
    /// Returns an error if the summarizer fails, writes more than its budget, or loses an identifier
    /// that is referred to.
    pub(super) async fn summarize(&self, pieces: &[String]) -> Result<String, CompressionError> {
        let chunks = self.chunks(pieces);
        let total: u64 = chunks.iter().map(|(_, tokens)| tokens).sum();
        let summaries = chunks.into_iter().map(|(text, tokens)| {
            let share = self.budget.saturating_mul(tokens) / total.max(1);
            async move { self.summarize_chunk(&text, share.max(32)).await }
        });
        let summaries: Vec<_> = stream::iter(summaries).buffered(AT_ONCE).collect().await;
        let summaries = summaries.into_iter().collect::<Result<Vec<String>, _>>()?;
        Ok(summaries.join("\n"))
    }

    async fn summarize_chunk(&self, text: &str, tokens: u64) -> Result<String, CompressionError> {
        let identifiers = self.references.within(text);
        let query = self.query;
        let request = SummaryRequest { text, query, max_tokens: tokens, identifiers: &identifiers };
        let summary = self.summarizer.summarize(request).await?;
        let kept = distinct(&summary);
        let lost = identifiers.iter().filter(|word| !kept.contains(**word)).count();
        if lost > 0 {
            let text = format!("the summary lost {lost} identifiers that the question refers to");
            return Err(CompressionError::new(text));
        }
        // A model counts its tokens with another encoding.
        if self.counter.count(&summary) > tokens + tokens / 4 {
            return Err(CompressionError::new("the summary is longer than its budget"));
        }
        Ok(summary)
    }

    /// Joins pieces to chunks of about the same size.
    fn chunks(&self, pieces: &[String]) -> Vec<(String, u64)> {
        let mut chunks: Vec<(String, u64)> = Vec::new();
        for piece in pieces {
            let tokens = self.counter.count(piece);
            match chunks.last_mut() {
                Some((text, size)) if *size + tokens <= CHUNK_TOKENS => {
                    text.push_str(piece);
                    *size += tokens;
                }
                _ => chunks.push((piece.clone(), tokens)),
            }
        }
        chunks
    }
}
