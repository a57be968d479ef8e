//! Reads a complete response of `Converse`.

use super::blocks::{self, ContentBlock};
use super::usage::metadata;
use crate::format::{ParsedResponse, ProviderError, ReadError, ResponseValue, StopReason};
use crate::names::ToolNames;

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let is_error = root.get("output").is_none()
        && (root.get("message").is_some() || root.get("__type").is_some());
    if is_error {
        return Err(ProviderError::new(root.enum_value_of("__type"), None).into());
    }
    let output = root.required("output", "the output")?;
    let content =
        output.required("message", "a message")?.required("content", "a list of content blocks")?;
    let blocks = content.items()?.map(ContentBlock::read).collect::<Result<_, _>>()?;
    let response = blocks::assemble(blocks, stop(root), names);
    Ok(ParsedResponse { metadata: metadata(root), ..response })
}

/// The stop reason of a message; without one, it was interrupted.
pub(super) fn stop(root: ResponseValue<'_>) -> StopReason {
    let Some(word) = root.enum_value_of("stopReason") else { return StopReason::Interrupted };
    match &*word {
        "end_turn" | "tool_use" | "stop_sequence" => StopReason::Done,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "guardrail_intervened" | "content_filtered" => StopReason::Refused(word),
        _ => StopReason::Other(word),
    }
}
