//! Reads the id, the model and the token counts of a completion, or of a chunk of one.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};

pub(super) fn metadata(completion: ResponseValue<'_>) -> ResponseMetadata {
    // Groq's chunks have it in an object of its own.
    let in_chunk = || completion.get("x_groq")?.get("usage");
    let usage = completion.get("usage").or_else(in_chunk).map(usage);
    ResponseMetadata { usage, ..ResponseMetadata::read(completion, "id", "model") }
}

/// The counts of `openai.types.CompletionUsage`; both totals include their parts.
fn usage(usage: ResponseValue<'_>) -> TurnUsage {
    let prompt = usage.get("prompt_tokens_details");
    let completion = usage.get("completion_tokens_details");
    let cached = prompt.and_then(|details| details.number_of("cached_tokens"));
    TurnUsage {
        input: usage.number_of("prompt_tokens"),
        output: usage.number_of("completion_tokens"),
        cache_read: cached.or_else(|| usage.number_of("prompt_cache_hit_tokens")),
        cache_write: prompt.and_then(|details| details.number_of("cache_write_tokens")),
        reasoning: completion.and_then(|details| details.number_of("reasoning_tokens")),
    }
}
