//! The limits of an assessor's work for one request: its tokens, and the time of the host's code.

use std::future::Future;

use super::assessor::Assessor;
use super::compression::TextScope;
use super::context_text::{ContextText, PrunableParts};
use super::manager::CompressionError;
use super::raw_context::RawContext;
use crate::deadline::{Deadline, HostFailure, await_guarded};
use tool_contracts::assess::ContextData;

impl Assessor {
    /// Sets the end of the time for compressors, summarizers and embedders of the host.
    pub(crate) fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets a limit that every context has in addition to its own. The contract allows no limit below 1,000.
    pub(crate) fn max_tokens(mut self, max_tokens: u64) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Leaves out the compressors of the host.
    pub(crate) fn without_compressors(mut self) -> Self {
        self.compressors.clear();
        self
    }

    /// Returns the fewest tokens to which a context can be pruned: the parts that stay word for word.
    pub(crate) fn fewest_tokens(&self, context: &ContextData) -> u64 {
        let (prunable, serializer) = (PrunableParts::MessagesAndResults, self.serializer.as_ref());
        let context_text = ContextText::new(context, prunable, &self.options, serializer);
        let pruned =
            self.counter.count(&context_text.render(&vec![false; context_text.passages.len()]));
        pruned.min(RawContext::new(context, TextScope::Context, self).tokens)
    }

    /// Returns what the text of a context must not exceed.
    pub(super) fn token_limit(&self, context: &ContextData) -> u64 {
        context.max_tokens().min(self.max_tokens)
    }

    /// Waits for a compressor, a summarizer or an embedder of the host.
    pub(super) async fn host<T>(
        &self,
        code: &str,
        work: impl Future<Output = Result<T, CompressionError>>,
    ) -> Result<T, CompressionError> {
        let host_result = match &self.deadline {
            Some(deadline) => deadline.wait_for(work).await,
            None => await_guarded(work).await,
        };
        host_result.unwrap_or_else(|failure| {
            Err(CompressionError::new(match failure {
                HostFailure::TimedOut => format!("the {code} did not end in time"),
                HostFailure::Panicked => format!("the {code} panicked"),
            }))
        })
    }
}
