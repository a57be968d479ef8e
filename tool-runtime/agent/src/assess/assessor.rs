//! The context manager: selects a method, compresses, and measures what is left.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::future::BoxFuture;
use tool_contracts::act::ActResult;
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, ContextData, OptimizedContext,
    OptimizedContextBuilder,
};
use tool_runtime_core::articulate::Articulator;
use tool_runtime_core::tokens::{TokenCounter, TokenEstimate};

use super::compression::{Compressed, LocalCompression, TextScope, first_of_newest, newest};
use super::context_text::{ContextText, INSTRUCTIONS, PrunableParts, QUESTION};
use super::distillation::{Distillation, PaidTokens};
use super::identifiers::Retention;
use super::manager::{CompressionError, ContextCompressor, ContextManager, Embedder, Summarizer};
use super::options::AssessOptions;
use super::pruning::Budget;
use super::raw_context::{RawContext, raw_text};
use super::references::References;
use super::savings::{Savings, dollars, savings};
use super::similarity;
use crate::deadline::Deadline;

/// Compresses contexts: keeps what the question needs, word for word, and leaves out the rest.
///
/// # The text
/// A context is laid out as one text: `# Instructions` (the persistent context), `# Conversation`
/// (one line a message), `# Tool results` (`##` and the tool's id before each), `# Facts` (the
/// transient context) and `# Question` (its `query`). Instructions, facts, question, messages of the
/// system and failures of tools stay word for word. In messages and results, passages that are left
/// out are marked by `…`, and a result in JSON says how many of its rows are kept. Kept passages keep
/// their order and every letter. The result of a tool is never without the tool's id.
///
/// # The method
/// | context | method |
/// | --- | --- |
/// | neither above [`threshold_tokens`](AssessOptions::with_threshold_tokens) nor above its own `max_tokens` | `none` |
/// | it sets a strategy | that |
/// | at least half of its messages and results are older messages | `history_compaction` |
/// | it has no question, and there is a [`Summarizer`] | `knowledge_distillation` |
/// | any other | `semantic_pruning` |
///
/// - **`semantic_pruning`** scores sentences, lines and rows of JSON by the words of the question
///   (BM25), gives each half of its neighbours' scores, and keeps the best. Passages with an
///   identifier, a number or a path that the question or the newest two messages have come first,
///   and error lines if one of them mentions errors; for them the text may exceed the target, up to
///   half of the tokens and to `max_tokens`. Without a question, passages that name something are kept.
/// - **`history_compaction`** keeps the newest rounds of messages word for word, and of older ones the
///   passages that decide, ask or name something, first those that a newer message refers to. Results stay as they are.
/// - **`knowledge_distillation`** has the summarizer write a summary in chunks of at most 4,000 tokens,
///   each with the identifiers that it has to keep: those that the question or the newest two messages
///   have, and without a question the eight most frequent of the chunk. If it fails, loses one or is too
///   long, the context is pruned.
///
/// # Prompt caches
/// A provider reads a cached prefix of the prompt at a fraction of the price. A result is compressed
/// once, before it becomes part of the history. With
/// [`with_prompt_cache`](AssessOptions::with_prompt_cache), pruning therefore leaves the messages as
/// they are, and a compaction that costs more cached tokens than it saves in the remaining turns is
/// not made; `estimated_cost_savings` is then what is saved over these turns, and
/// `savings_without_cache` in the metadata the same as if nothing were cached.
///
/// # What it answers
/// The text takes [`target_ratio`](AssessOptions::with_target_ratio) of the tokens, up to half of
/// them for what is referred to, and never more than `max_tokens`. If that saves less than 5 %, or fails, the context stays as it is, with the
/// method `none` and a `reason` (`failed` says that it is a failure); `exceeds_max_tokens` in the metadata then says that it is too long.
/// The metadata counts the distinct identifiers and numbers of messages and results, and those that
/// are kept: similarity does not tell whether an answer was lost.
///
/// ```
/// use tool_runtime::assess::{Assessor, AssessOptions};
/// use tool_runtime::contracts::act::ActResult;
/// use tool_runtime::contracts::assess::{CompressionMethod, ContextData};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let log: String = (0..500).map(|n| format!("12:00 request {n} was served in 3 ms.\n")).collect();
/// let log = log + "12:01 the cache of tea prices is stale.\n";
/// let result = ActResult::succeeded("log", log, "2026-05-03T12:34:56Z".parse()?).build()?;
/// let context = ContextData::builder()
///     .tool_results([result])
///     .transient("query", "Is the cache of tea prices up to date?")
///     .build()?;
///
/// let options = AssessOptions::default().with_threshold_tokens(1_000);
/// let optimized = Assessor::new().options(options).optimize(&context).await;
/// assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
/// assert!(optimized.compression_ratio() <= 0.35);
/// assert!(optimized.optimized_text().contains("the cache of tea prices is stale"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Assessor {
    pub(super) options: AssessOptions,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) compressors: Vec<Arc<dyn ContextCompressor>>,
    summarizer: Option<Arc<dyn Summarizer>>,
    embedder: Option<Arc<dyn Embedder>>,
    pub(super) serializer: Option<Articulator>,
    /// The end of the time for code of the host.
    pub(super) deadline: Option<Deadline>,
    /// A limit below the one that a context can have.
    pub(super) max_tokens: u64,
}

/// The metadata's name of what the compression itself cost, in US dollars.
pub(crate) const COMPRESSION_COST: &str = "compression_cost";
/// The metadata's name of what is saved if nothing is cached, in US dollars.
pub(crate) const WITHOUT_CACHE: &str = "savings_without_cache";
/// The largest share of the tokens that a compressed context may take, in percent.
const MAX_PERCENT: u64 = 95;

impl Default for Assessor {
    fn default() -> Self {
        Self::new()
    }
}

impl Assessor {
    /// Creates a context manager with estimated tokens, no summarizer and no embedder.
    #[must_use]
    pub fn new() -> Self {
        Self {
            options: AssessOptions::default(),
            counter: Arc::new(TokenEstimate),
            compressors: Vec::new(),
            summarizer: None,
            embedder: None,
            serializer: None,
            deadline: None,
            max_tokens: u64::MAX,
        }
    }

    /// Sets when contexts are compressed, and by how much.
    #[must_use]
    pub fn options(self, options: AssessOptions) -> Self {
        Self { options, ..self }
    }

    /// Sets the counter of tokens.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {
        Self { counter: Arc::new(counter), ..self }
    }

    /// Replaces the compressor of one method; the last one of a method counts.
    #[must_use]
    pub fn compressor(mut self, compressor: impl ContextCompressor + 'static) -> Self {
        self.compressors.push(Arc::new(compressor));
        self
    }

    /// Sets the smaller model that writes summaries.
    #[must_use]
    pub fn summarizer(self, summarizer: impl Summarizer + 'static) -> Self {
        Self { summarizer: Some(Arc::new(summarizer)), ..self }
    }

    /// Sets the embedder of the similarity, in place of the comparison of words.
    #[must_use]
    pub fn embedder(self, embedder: impl Embedder + 'static) -> Self {
        Self { embedder: Some(Arc::new(embedder)), ..self }
    }

    /// Sets the serializer of results in JSON: tables are then written in TOON where that is shorter,
    /// and every result is written compactly, also if the context is not compressed.
    ///
    /// Nothing is lost by it, so the method is then still `none`.
    #[must_use]
    pub fn result_serializer(self, serializer: Articulator) -> Self {
        Self { serializer: Some(serializer), ..self }
    }

    pub(crate) fn has_summarizer(&self) -> bool {
        self.summarizer.is_some()
    }

    /// Selects the method for a context that takes so many tokens.
    fn select(&self, context: &ContextData, tokens: u64) -> CompressionMethod {
        if tokens <= self.options.threshold_tokens() && tokens <= self.token_limit(context) {
            return CompressionMethod::None;
        }
        if let Some(strategy) = context.compression_strategy() {
            return strategy.method();
        }
        let messages = context.message_history();
        let older = &messages[..first_of_newest(messages, self.options.verbatim_rounds())];
        let older: usize = older.iter().map(|message| message.content().len()).sum();
        let results: usize =
            context.tool_results().iter().map(|result| result.data().get().len()).sum();
        let total_bytes: usize =
            messages.iter().map(|message| message.content().len()).sum::<usize>() + results;
        if older * 2 >= total_bytes && older > 0 {
            CompressionMethod::HistoryCompaction
        } else if context.query().is_none() && self.summarizer.is_some() {
            CompressionMethod::KnowledgeDistillation
        } else {
            CompressionMethod::SemanticPruning
        }
    }

    async fn compress(
        &self,
        context: &ContextData,
        method: CompressionMethod,
        scope: TextScope,
        budget: Budget,
        cost: &mut f64,
    ) -> Result<Compressed, CompressionError> {
        if let Some(own) = self.compressors.iter().rfind(|own| own.method() == method) {
            let text = self.host("compressor", own.compress(context, budget.target)).await?;
            let text =
                if scope == TextScope::Context { with_instructions(context, text) } else { text };
            return Ok(Compressed::new(text, method));
        }
        let local = self.local(scope);
        let tried = if method == CompressionMethod::KnowledgeDistillation {
            let distilled = self.distill(context, budget, cost).await;
            distilled.map_err(|error| format!("distillation: {error}"))
        } else if method == CompressionMethod::HistoryCompaction {
            let compacted = local.run(context, method, budget).await;
            compacted.map_err(|error| format!("history compaction: {error}"))
        } else {
            return local.run(context, method, budget).await;
        };
        match tried {
            Ok(compressed) => Ok(compressed),
            Err(reason) => {
                let method = CompressionMethod::SemanticPruning;
                let pruned = local.run(context, method, budget).await?;
                Ok(Compressed { fallback: Some(reason), ..pruned })
            }
        }
    }

    fn local(&self, scope: TextScope) -> LocalCompression {
        LocalCompression {
            scope,
            options: self.options,
            counter: self.counter.clone(),
            serializer: self.serializer.clone(),
        }
    }

    /// Has the context summarized; adds what that costs, also if the summary is not used.
    async fn distill(
        &self,
        context: &ContextData,
        budget: Budget,
        cost: &mut f64,
    ) -> Result<Compressed, CompressionError> {
        let no_model = || CompressionError::new("there is no summarizer");
        let summarizer = self.summarizer.as_deref().ok_or_else(no_model)?;
        let prunable = PrunableParts::MessagesAndResults;
        let context_text = ContextText::new(context, prunable, &self.options, None);
        let references = References::from_texts(newest(context));
        let fixed = context_text.render(&vec![false; context_text.passages.len()]);
        let room = budget.target.saturating_sub(self.counter.count(&fixed));
        let work = Distillation {
            summarizer,
            counter: &*self.counter,
            query: context.query(),
            references: &references,
            budget: room,
        };
        let pieces = context_text.prunable_pieces();
        let paid = PaidTokens::default();
        let summary = self.host("summarizer", work.summarize(&pieces, &paid)).await;
        *cost += dollars(paid.read(), summarizer.dollars_per_million());
        *cost += dollars(paid.written(), summarizer.dollars_per_million_output());
        let text = with_summary(context, &summary?);
        if self.counter.count(&text) > budget.max_tokens {
            return Err(CompressionError::new(
                "the summary and the parts that stay exceed `max_tokens`",
            ));
        }
        Ok(Compressed::new(text, CompressionMethod::KnowledgeDistillation))
    }

    /// Returns the compressed text, if it pays and fits.
    fn checked(
        &self,
        compressed: Compressed,
        raw: &RawContext,
        context: &ContextData,
    ) -> Result<(Compressed, u64, Savings), String> {
        let tokens = self.counter.count(&compressed.text);
        let max_tokens = self.token_limit(context);
        if tokens > max_tokens {
            return Err(format!("the compressed text takes {tokens} tokens"));
        }
        let original = raw.tokens;
        let is_needed = original > max_tokens;
        if !is_needed && tokens.saturating_mul(100) > original.saturating_mul(MAX_PERCENT) {
            return Err(format!(
                "compression saves {} of {original} tokens",
                original.saturating_sub(tokens)
            ));
        }
        let counts = (raw.original, tokens);
        let savings = savings(context, counts, &compressed, &self.options, &*self.counter);
        if !is_needed && savings.net_tokens <= 0.0 {
            return Err("the lost prompt cache costs more than compression saves".to_owned());
        }
        Ok((compressed, tokens, savings))
    }

    fn unchanged(
        &self,
        raw: RawContext,
        context: &ContextData,
        reason: String,
        cost: f64,
    ) -> OptimizedContextBuilder {
        let RawContext { text, original, tokens, .. } = raw;
        let saved = dollars(original - tokens, self.options.dollars_per_million()) - cost;
        let builder = OptimizedContext::builder(text, CompressionMethod::None)
            .tokens(original, tokens)
            .estimated_cost_savings(saved)
            .metadata("token_method", self.counter.method().as_str())
            .metadata("reason", reason);
        let builder = if cost > 0.0 { builder.metadata(COMPRESSION_COST, cost) } else { builder };
        let is_too_long = tokens > self.token_limit(context);
        if is_too_long { builder.metadata("exceeds_max_tokens", true) } else { builder }
    }

    async fn similarity(&self, raw: &str, text: &str) -> Result<f64, CompressionError> {
        match &self.embedder {
            None => Ok(similarity::lexical(raw, text)),
            Some(embedder) => {
                let compared = similarity::embedded(&**embedder, &*self.counter, raw, text);
                self.host("embedder", compared).await
            }
        }
    }

    async fn measured(
        &self,
        raw: &RawContext,
        (compressed, tokens, savings): (Compressed, u64, Savings),
    ) -> OptimizedContextBuilder {
        let retention = Retention::new(&raw.text, &compressed.text);
        let similarity = self.similarity(&raw.text, &compressed.text).await;
        let mut builder = OptimizedContext::builder(compressed.text, compressed.method)
            .tokens(raw.original, tokens)
            .estimated_cost_savings(savings.net)
            .metadata("token_method", self.counter.method().as_str())
            .metadata("identifiers", retention.identifiers)
            .metadata("identifiers_kept", retention.identifiers_kept)
            .metadata("numbers", retention.numbers)
            .metadata("numbers_kept", retention.numbers_kept);
        if let Some((kept, all)) = compressed.passages {
            builder = builder.metadata("passages", all).metadata("passages_kept", kept);
        }
        if let Some(fallback) = compressed.fallback {
            builder = builder.metadata("fallback", fallback);
        }
        if compressed.cost > 0.0 {
            builder = builder.metadata(COMPRESSION_COST, compressed.cost);
        }
        if self.options.prompt_cache().is_some() {
            builder = builder.metadata(WITHOUT_CACHE, savings.without_cache);
        }
        match similarity {
            Ok(score) => builder.semantic_similarity_score(score),
            Err(error) => builder.metadata("similarity_error", error.message()),
        }
    }
}

impl Assessor {
    /// Compresses a context by a selected method, and measures what is left.
    pub(super) async fn optimize_by(
        &self,
        method: CompressionMethod,
        context: &ContextData,
        raw: RawContext,
        started: Instant,
    ) -> OptimizedContext {
        let builder = if method == CompressionMethod::None {
            let (tokens, threshold) = (raw.tokens, self.options.threshold_tokens());
            let reason = if threshold == u64::MAX {
                "this context is not to be compressed".to_owned()
            } else {
                format!("{tokens} tokens are not above the threshold of {threshold}")
            };
            self.unchanged(raw, context, reason, 0.0)
        } else {
            let budget =
                budget(self.token_limit(context), raw.original, self.options.target_ratio());
            let mut cost = 0.0;
            match self.compress(context, method, raw.scope, budget, &mut cost).await {
                Ok(compressed) => {
                    let compressed = Compressed { cost, ..compressed };
                    match self.checked(compressed, &raw, context) {
                        Ok(compressed) => self.measured(&raw, compressed).await,
                        Err(reason) => self.unchanged(raw, context, reason, cost),
                    }
                }
                Err(error) => {
                    let reason = error.message().to_owned();
                    self.unchanged(raw, context, reason, cost).metadata("failed", true)
                }
            }
        };
        let builder = builder.time_ms(started.elapsed().as_secs_f64() * 1e3);
        builder.build().expect("durations and savings are finite")
    }
}

/// The methods of [`ContextManager`], which need no import of the trait.
impl Assessor {
    /// Compresses a context; see [`ContextManager::optimize`].
    #[must_use = "the context is compressed when the future is polled"]
    pub fn optimize<'c>(&'c self, context: &'c ContextData) -> BoxFuture<'c, OptimizedContext> {
        Box::pin(async move {
            let started = Instant::now();
            let raw = RawContext::new(context, TextScope::Context, self);
            let method = self.select(context, raw.tokens);
            self.optimize_by(method, context, raw, started).await
        })
    }

    /// Counts the tokens of a text.
    #[must_use]
    pub fn estimate_tokens(&self, text: &str) -> u64 {
        self.counter.count(text)
    }

    /// Returns the method that [`optimize`](Self::optimize) would use, `none` included.
    #[must_use]
    pub fn select_strategy(&self, context: &ContextData) -> CompressionMethod {
        self.select(context, RawContext::new(context, TextScope::Context, self).tokens)
    }
}

#[async_trait]
impl ContextManager for Assessor {
    async fn optimize(&self, context: &ContextData) -> OptimizedContext {
        Self::optimize(self, context).await
    }

    fn estimate_tokens(&self, text: &str) -> u64 {
        Self::estimate_tokens(self, text)
    }

    fn select_strategy(&self, context: &ContextData) -> CompressionMethod {
        Self::select_strategy(self, context)
    }
}

/// Puts the instructions in front of a text of the host's compressor that does not begin with them.
fn with_instructions(context: &ContextData, text: String) -> String {
    match context.persistent_context() {
        Some(instructions) if !text.starts_with(INSTRUCTIONS) => {
            [INSTRUCTIONS, instructions, "\n\n", &text].concat()
        }
        Some(_) | None => text,
    }
}

/// Writes a context with a summary in place of its messages and results.
fn with_summary(context: &ContextData, summary: &str) -> String {
    let ids: Vec<&str> = context.tool_results().iter().map(ActResult::tool_id).collect();
    let system = |message: &&ChatMessage| message.role() == ChatRole::System;
    let system_messages = context.message_history().iter().filter(system).cloned();
    let failures = context.tool_results().iter().filter(|result| !result.success()).cloned();
    let builder =
        context.clone().into_builder().message_history(system_messages).tool_results(failures);
    let context_text = builder.build().map(|builder| raw_text(&builder)).unwrap_or_default();
    let of = if ids.is_empty() { String::new() } else { format!(" of {}", ids.join(", ")) };
    let summary = format!("# Summary{of}\n{summary}\n\n");
    // The question stays last. Its own text may have any line.
    let question = context.query().map_or(0, |query| QUESTION.len() + query.len());
    let at = context_text.len().saturating_sub(question);
    [&context_text[..at], &summary, &context_text[at..]].concat()
}

fn budget(max_tokens: u64, original: u64, ratio: f64) -> Budget {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    let target = (original as f64 * ratio) as u64;
    Budget {
        target: target.min(max_tokens),
        max_tokens,
        references: (original / 2).min(max_tokens),
    }
}
