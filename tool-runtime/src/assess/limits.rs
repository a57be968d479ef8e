//! The limits of an assessor's work for one request: its tokens, and the time of the host's code.

use std::future::Future;

use super::assessor::Assessor;
use super::compression::TextScope;
use super::host_code::{Deadline, HostFailure, await_guarded};
use super::layout::{Layout, OpenParts};
use super::manager::CompressionError;
use super::raw_context::RawContext;
use crate::contracts::assess::ContextData;

impl Assessor {
    /// Sets the end of the time for compressors, summarizers and embedders of the host.
    pub(crate) fn deadline(mut self, deadline: Deadline) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets a limit of every context beside its own, which the contract does not let be below 1,000.
    pub(crate) fn most_tokens(mut self, most_tokens: u64) -> Self {
        self.most_tokens = most_tokens;
        self
    }

    /// Leaves out the compressors of the host.
    pub(crate) fn without_compressors(mut self) -> Self {
        self.compressors.clear();
        self
    }

    /// Returns the fewest tokens to which a context can be pruned: the parts that stay word for word.
    pub(crate) fn fewest_tokens(&self, context: &ContextData) -> u64 {
        let (open, serializer) = (OpenParts::MessagesAndResults, self.serializer.as_ref());
        let layout = Layout::of(context, open, &self.options, serializer);
        let pruned = self.counter.count(&layout.render(&vec![false; layout.passages.len()]));
        pruned.min(RawContext::of(context, TextScope::Context, self).tokens)
    }

    /// Returns what the text of a context must not exceed.
    pub(super) fn most(&self, context: &ContextData) -> u64 {
        context.max_tokens().min(self.most_tokens)
    }

    /// Waits for a compressor, a summarizer or an embedder of the host.
    pub(super) async fn host<T>(
        &self,
        code: &str,
        work: impl Future<Output = Result<T, CompressionError>>,
    ) -> Result<T, CompressionError> {
        let ended = match &self.deadline {
            Some(deadline) => deadline.wait_for(work).await,
            None => await_guarded(work).await,
        };
        ended.unwrap_or_else(|failure| {
            Err(CompressionError::new(match failure {
                HostFailure::Late => format!("the {code} did not end in time"),
                HostFailure::Panicked => format!("the {code} panicked"),
            }))
        })
    }
}
