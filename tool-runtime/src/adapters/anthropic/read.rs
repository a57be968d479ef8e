//! Reads a complete message.

use super::blocks::{self, ContentBlock};
use crate::adapters::format::{ParsedResponse, ReadError, ResponseValue, StopReason};
use crate::adapters::names::ToolNames;

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let content = root.required("content", "a list of content blocks")?;
    let blocks = content.items()?.map(ContentBlock::read).collect::<Result<_, _>>()?;
    Ok(blocks::assemble(blocks, stop(root), names))
}

/// The stop reason of a message; without one, it was interrupted.
pub(super) fn stop(message: ResponseValue<'_>) -> StopReason {
    match message.enum_value_of("stop_reason").as_deref() {
        Some("end_turn" | "tool_use" | "stop_sequence") => StopReason::Done,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refused("refusal".to_owned()),
        Some(word) => StopReason::Other(word.to_owned()),
        None => StopReason::Interrupted,
    }
}
