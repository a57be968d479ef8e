//! Reads a complete response of `Converse`.

use super::blocks::{self, ContentBlock};
use crate::adapters::parsed_response::ParsedResponse;
use crate::adapters::response_value::ResponseValue;
use crate::adapters::{ProviderError, ReadError, StopReason};

pub(in crate::adapters) fn read(root: ResponseValue<'_>) -> Result<ParsedResponse, ReadError> {
    let is_error = root.get("output").is_none()
        && (root.get("message").is_some() || root.get("__type").is_some());
    if is_error {
        return Err(ProviderError::named(root.word_of("__type")).into());
    }
    let output = root.need("output", "the output")?;
    let content =
        output.need("message", "a message")?.need("content", "a list of content blocks")?;
    let blocks = content.items()?.map(ContentBlock::read).collect::<Result<_, _>>()?;
    Ok(blocks::said(blocks, stop(root)))
}

/// The stop reason of a message; without one, it was interrupted.
pub(super) fn stop(root: ResponseValue<'_>) -> StopReason {
    let Some(word) = root.word_of("stopReason") else { return StopReason::Interrupted };
    match &*word {
        "end_turn" | "tool_use" | "stop_sequence" => StopReason::Done,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "guardrail_intervened" | "content_filtered" => StopReason::Refused(word),
        _ => StopReason::Other(word),
    }
}
