//! Token counts of one response, with the same meaning in every dialect.

/// Token counts of one response, with the same meaning in every dialect.
///
/// A provider that does not report a count leaves it `None`. [`input`](Self::input) includes the
/// tokens that were read from a cache and written to it, and [`output`](Self::output) includes
/// reasoning: the other counts are parts of these two, so a price is computed from the differences.
///
/// | dialect | `input` | `output` | `cache_read` | `cache_write` | `reasoning` |
/// | --- | --- | --- | --- | --- | --- |
/// | OpenAI Chat Completions | `prompt_tokens` | `completion_tokens` | `prompt_tokens_details.cached_tokens`, `prompt_cache_hit_tokens` of `DeepSeek` | `prompt_tokens_details.cache_write_tokens` | `completion_tokens_details.reasoning_tokens` |
/// | OpenAI Responses | `input_tokens` | `output_tokens` | `input_tokens_details.cached_tokens` | `input_tokens_details.cache_write_tokens` | `output_tokens_details.reasoning_tokens` |
/// | Anthropic | the sum of `input_tokens`, `cache_read_input_tokens` and `cache_creation_input_tokens` | `output_tokens` | `cache_read_input_tokens` | `cache_creation_input_tokens` | `output_tokens_details.thinking_tokens` |
/// | Gemini | the sum of `promptTokenCount` and `toolUsePromptTokenCount` | the sum of `candidatesTokenCount` and `thoughtsTokenCount` | `cachedContentTokenCount` | not reported | `thoughtsTokenCount` |
/// | Bedrock Converse | the sum of `inputTokens`, `cacheReadInputTokens` and `cacheWriteInputTokens` | `outputTokens` | `cacheReadInputTokens` | `cacheWriteInputTokens` | not reported |
/// | Ollama | `prompt_eval_count` | `eval_count` | not reported | not reported | not reported |
///
/// OpenAI's Chat Completions API streams the counts only if the request has
/// `"stream_options": {"include_usage": true}`.
///
/// ```
/// use tool_runtime::adapters::{Adapter, Dialect};
///
/// let response = r#"{"content":[],"stop_reason":"end_turn","usage":{
///     "input_tokens":10,"cache_read_input_tokens":900,"output_tokens":5}}"#;
/// let usage = Adapter::new(Dialect::Anthropic, &[]).read(response)?.usage().unwrap();
/// assert_eq!((usage.input, usage.cache_read, usage.output), (Some(910), Some(900), Some(5)));
/// # Ok::<(), tool_runtime::adapters::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnUsage {
    /// All tokens of the request: the tools, the conversation, cached or not.
    pub input: Option<u64>,
    /// All tokens that the model wrote, with its reasoning.
    pub output: Option<u64>,
    /// The part of `input` that was read from the provider's prompt cache.
    pub cache_read: Option<u64>,
    /// The part of `input` that was written to the provider's prompt cache.
    pub cache_write: Option<u64>,
    /// The part of `output` that is reasoning.
    pub reasoning: Option<u64>,
}

impl TurnUsage {
    /// The counts, replaced by those that a later event reports.
    pub(super) fn updated(self, later: Self) -> Self {
        Self {
            input: later.input.or(self.input),
            output: later.output.or(self.output),
            cache_read: later.cache_read.or(self.cache_read),
            cache_write: later.cache_write.or(self.cache_write),
            reasoning: later.reasoning.or(self.reasoning),
        }
    }

    /// Adds the cached tokens to an input that the provider counts without them.
    pub(super) fn with_cached_input(mut self) -> Self {
        self.input = sum(self.input, [self.cache_read, self.cache_write]);
        self
    }
}

/// The sum of a count and of further ones that may be unknown; `None` without the first.
pub(super) fn sum(
    count: Option<u64>,
    further: impl IntoIterator<Item = Option<u64>>,
) -> Option<u64> {
    count.map(|count| further.into_iter().flatten().fold(count, u64::saturating_add))
}
