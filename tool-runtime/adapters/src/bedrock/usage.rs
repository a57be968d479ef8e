//! Reads the token counts of a response or of the event `metadata`.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};

/// The body has no id; it names a model only in the trace of a prompt router.
pub(super) fn metadata(response: ResponseValue<'_>) -> ResponseMetadata {
    let router = response.get("trace").and_then(|trace| trace.get("promptRouter"));
    let model = router.and_then(|router| router.label_of("invokedModelId"));
    ResponseMetadata { id: None, model, usage: response.get("usage").map(usage) }
}

/// The counts of `TokenUsage`; `inputTokens` does not include the cached ones.
fn usage(usage: ResponseValue<'_>) -> TurnUsage {
    let usage = TurnUsage {
        input: usage.number_of("inputTokens"),
        output: usage.number_of("outputTokens"),
        cache_read: usage.number_of("cacheReadInputTokens"),
        cache_write: usage.number_of("cacheWriteInputTokens"),
        reasoning: None,
    };
    usage.with_cached_input()
}
