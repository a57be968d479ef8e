//! Reads the id, the model and the token counts of a message.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};

/// Reads a message whose counts are final.
pub(super) fn metadata(message: ResponseValue<'_>) -> ResponseMetadata {
    let mut metadata = reported(message);
    metadata.usage = metadata.usage.map(TurnUsage::with_cached_input);
    metadata
}

/// Reads a message, or an event with further counts, which do not include each other yet.
pub(super) fn reported(message: ResponseValue<'_>) -> ResponseMetadata {
    let usage = message.get("usage").map(usage);
    ResponseMetadata { usage, ..ResponseMetadata::read(message, "id", "model") }
}

/// The counts of `anthropic.types.Usage` and `MessageDeltaUsage`; `input_tokens` does not include the
/// cached ones.
fn usage(usage: ResponseValue<'_>) -> TurnUsage {
    let output = usage.get("output_tokens_details");
    TurnUsage {
        input: usage.number_of("input_tokens"),
        output: usage.number_of("output_tokens"),
        cache_read: usage.number_of("cache_read_input_tokens"),
        cache_write: usage.number_of("cache_creation_input_tokens"),
        reasoning: output.and_then(|details| details.number_of("thinking_tokens")),
    }
}
