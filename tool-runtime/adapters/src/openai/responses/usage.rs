//! Reads the id, the model and the token counts of a response.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};

pub(super) fn metadata(response: ResponseValue<'_>) -> ResponseMetadata {
    let usage = response.get("usage").map(usage);
    ResponseMetadata { usage, ..ResponseMetadata::read(response, "id", "model") }
}

/// The counts of `openai.types.responses.ResponseUsage`; both totals include their parts.
fn usage(usage: ResponseValue<'_>) -> TurnUsage {
    let (input, output) = (usage.get("input_tokens_details"), usage.get("output_tokens_details"));
    TurnUsage {
        input: usage.number_of("input_tokens"),
        output: usage.number_of("output_tokens"),
        cache_read: input.and_then(|details| details.number_of("cached_tokens")),
        cache_write: input.and_then(|details| details.number_of("cache_write_tokens")),
        reasoning: output.and_then(|details| details.number_of("reasoning_tokens")),
    }
}
