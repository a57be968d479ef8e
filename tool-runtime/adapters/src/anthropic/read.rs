//! Reads a complete message.

use super::blocks::{self, ContentBlock};
use super::usage::metadata;
use crate::format::{ParsedResponse, ReadError, ResponseValue, StopReason};
use crate::names::ToolNames;

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let content = root.required("content", "a list of content blocks")?;
    let blocks = content.items()?.map(ContentBlock::read).collect::<Result<_, _>>()?;
    let response = blocks::assemble(blocks, stop(root), names);
    Ok(ParsedResponse { refusal: refusal(root), metadata: metadata(root), ..response })
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

/// The explanation of a refusal; empty if there is none.
pub(super) fn refusal(message: ResponseValue<'_>) -> String {
    let details = message.get("stop_details");
    details.and_then(|details| details.label_of("explanation")).unwrap_or_default()
}
