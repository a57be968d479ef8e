//! Compression without a model: pruning and compaction, off the async threads for long contexts.

use std::sync::Arc;

use futures::channel::oneshot;
use tool_contracts::assess::{ChatMessage, ChatRole, CompressionMethod, ContextData};
use tool_runtime_core::articulate::Articulator;
use tool_runtime_core::timer::default_timer;
use tool_runtime_core::tokens::TokenCounter;

use super::context_text::{ContextText, PrunableParts};
use super::manager::CompressionError;
use super::options::AssessOptions;
use super::pruning::{Budget, Focus, PrunedText, prune};
use super::query_terms::QueryTerms;
use super::references::References;

/// The newest messages whose identifiers are kept everywhere.
const NEWEST_MESSAGES: usize = 2;
/// The bytes of messages and results from which the work leaves the async thread.
const BLOCKING_BYTES: usize = 128 * 1024;

/// A compressed text, and how it came about.
#[derive(Debug)]
pub(super) struct Compressed {
    pub(super) text: String,
    pub(super) method: CompressionMethod,
    /// Why another method was used than the selected one.
    pub(super) fallback: Option<String>,
    /// The passages that were kept, and all passages.
    pub(super) passages: Option<(usize, usize)>,
    /// True if every message is in the text as it was.
    pub(super) keeps_messages: bool,
    /// The cost of the compression itself, in US dollars, with that of summaries that are not used.
    pub(super) cost: f64,
}

impl Compressed {
    pub(super) fn new(text: String, method: CompressionMethod) -> Self {
        Self { text, method, fallback: None, passages: None, keeps_messages: false, cost: 0.0 }
    }
}

/// The part of a context that is compressed to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextScope {
    /// All of it.
    Context,
    /// Its results, without headings; the rest says what they are pruned by.
    ResultsAlone,
}

impl TextScope {
    /// Returns the prunable parts, of those that a method would prune in a whole context.
    const fn prunable(self, parts: PrunableParts) -> PrunableParts {
        match self {
            Self::Context => parts,
            Self::ResultsAlone => PrunableParts::ResultsAlone,
        }
    }
}

/// Compresses contexts on this machine.
#[derive(Debug, Clone)]
pub(super) struct LocalCompression {
    pub(super) scope: TextScope,
    pub(super) options: AssessOptions,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) serializer: Option<Articulator>,
}

impl LocalCompression {
    /// Compacts the history, or prunes by the question for every other method.
    pub(super) async fn run(
        &self,
        context: &ContextData,
        method: CompressionMethod,
        budget: Budget,
    ) -> Result<Compressed, CompressionError> {
        let timer =
            default_timer().filter(|timer| timer.is_ready() && bytes(context) > BLOCKING_BYTES);
        let Some(timer) = timer else { return self.compress(context, method, budget) };
        let (work, context) = (self.clone(), context.clone());
        let (send, receive) = oneshot::channel();
        timer.spawn_blocking(Box::new(move || {
            // The receiver is gone if the caller was cancelled.
            drop(send.send(work.compress(&context, method, budget)));
        }));
        receive.await.unwrap_or_else(|_| Err(CompressionError::new("the compression panicked")))
    }

    fn compress(
        &self,
        context: &ContextData,
        method: CompressionMethod,
        budget: Budget,
    ) -> Result<Compressed, CompressionError> {
        let messages = context.message_history();
        if method == CompressionMethod::HistoryCompaction {
            let from = first_of_newest(messages, self.options.verbatim_rounds());
            let newer = messages[from..].iter().map(ChatMessage::content);
            let references = References::from_texts(newest(context).chain(newer));
            let focus = Focus::Message { references: &references };
            return self.choose(
                context,
                PrunableParts::OlderMessages { from },
                focus,
                method,
                budget,
            );
        }
        let terms = QueryTerms::new(context.query().unwrap_or_default());
        let references = References::from_texts(newest(context));
        let focus = Focus::Question { terms: &terms, references: &references };
        let method = CompressionMethod::SemanticPruning;
        if self.options.prompt_cache().is_some() {
            // Messages that a cache may hold are rewritten only if the results alone are too short.
            let results = self.choose(context, PrunableParts::Results, focus, method, budget);
            if results.as_ref().is_ok_and(|it| self.counter.count(&it.text) <= budget.max_tokens) {
                return results;
            }
        }
        self.choose(context, PrunableParts::MessagesAndResults, focus, method, budget)
    }

    fn choose(
        &self,
        context: &ContextData,
        parts: PrunableParts,
        focus: Focus<'_>,
        method: CompressionMethod,
        budget: Budget,
    ) -> Result<Compressed, CompressionError> {
        let prunable = self.scope.prunable(parts);
        let context_text =
            ContextText::new(context, prunable, &self.options, self.serializer.as_ref());
        let pruned = prune(&context_text, focus, budget, &*self.counter);
        let too_long =
            || CompressionError::new("the parts that stay word for word exceed `max_tokens`");
        let PrunedText { text, kept } = pruned.ok_or_else(too_long)?;
        let passages = Some((kept, context_text.passages.len()));
        let keeps_messages =
            matches!(prunable, PrunableParts::Results | PrunableParts::ResultsAlone);
        Ok(Compressed { passages, keeps_messages, ..Compressed::new(text, method) })
    }
}

fn bytes(context: &ContextData) -> usize {
    let messages = context.message_history().iter().map(|message| message.content().len());
    let results = context.tool_results().iter().map(|result| result.data().get().len());
    messages.sum::<usize>() + results.sum::<usize>()
}

/// Returns the question and the newest messages: what they refer to is kept everywhere.
pub(super) fn newest(context: &ContextData) -> impl Iterator<Item = &str> {
    let newest =
        context.message_history().iter().rev().take(NEWEST_MESSAGES).map(ChatMessage::content);
    context.query().into_iter().chain(newest)
}

/// Returns the index of the first message of the newest rounds.
pub(super) fn first_of_newest(messages: &[ChatMessage], rounds: usize) -> usize {
    let is_start = |at: &usize| messages[*at].role() == ChatRole::User;
    match rounds.checked_sub(1) {
        None => messages.len(),
        Some(before) => (0..messages.len()).rev().filter(is_start).nth(before).unwrap_or(0),
    }
}
