//! Reads a complete response.

use super::items::{self, OutputItem};
use super::usage::metadata;
use crate::format::{ParsedResponse, ProviderError, ReadError, ResponseValue, StopReason};
use crate::names::ToolNames;

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    let output = root.required("output", "a list of items")?;
    let items = output.items()?.map(OutputItem::read).collect::<Result<_, _>>()?;
    Ok(ParsedResponse { metadata: metadata(root), ..items::assemble(items, stop(root)?, names) })
}

/// The stop reason of a response; without one, it was interrupted.
pub(super) fn stop(response: ResponseValue<'_>) -> Result<StopReason, ReadError> {
    let reason =
        response.get("incomplete_details").and_then(|details| details.enum_value_of("reason"));
    Ok(match (response.enum_value_of("status").as_deref(), reason.as_deref()) {
        (Some("completed"), _) => StopReason::Done,
        (Some("incomplete"), Some("max_output_tokens")) => StopReason::Length,
        (Some("incomplete"), Some("content_filter")) => {
            StopReason::Refused("content_filter".to_owned())
        }
        (Some("incomplete"), reason) => {
            StopReason::Other(reason.unwrap_or("incomplete").to_owned())
        }
        (Some("failed"), _) => return Err(ProviderError::new(None, None).into()),
        (Some("queued" | "in_progress") | None, _) => StopReason::Interrupted,
        (Some(word), _) => StopReason::Other(word.to_owned()),
    })
}
