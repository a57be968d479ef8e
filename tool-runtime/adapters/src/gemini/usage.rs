//! Reads the id, the model and the token counts of a response, or of a chunk of one.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};
use crate::turn_usage::sum;

pub(super) fn metadata(response: ResponseValue<'_>) -> ResponseMetadata {
    let usage = response.get("usageMetadata").map(usage);
    ResponseMetadata { usage, ..ResponseMetadata::read(response, "responseId", "modelVersion") }
}

/// The counts of `UsageMetadata`, which every chunk reports so far.
///
/// The prompt includes the cached content; the candidates do not include the thoughts.
fn usage(usage: ResponseValue<'_>) -> TurnUsage {
    let (candidates, thoughts) =
        (usage.number_of("candidatesTokenCount"), usage.number_of("thoughtsTokenCount"));
    TurnUsage {
        input: sum(
            usage.number_of("promptTokenCount"),
            [usage.number_of("toolUsePromptTokenCount")],
        ),
        output: candidates.map_or(thoughts, |count| sum(Some(count), [thoughts])),
        cache_read: usage.number_of("cachedContentTokenCount"),
        cache_write: None,
        reasoning: thoughts,
    }
}
