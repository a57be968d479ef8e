//! Reads a complete response.

use super::items::{self, OutputItem};
use crate::adapters::parsed_response::ParsedResponse;
use crate::adapters::response_value::ResponseValue;
use crate::adapters::{ProviderError, ReadError, StopReason};

pub(in crate::adapters) fn read(root: ResponseValue<'_>) -> Result<ParsedResponse, ReadError> {
    let output = root.need("output", "a list of items")?;
    let items = output.items()?.map(OutputItem::read).collect::<Result<_, _>>()?;
    Ok(items::said(items, stop(root)?))
}

/// The stop reason of a response; without one, it was interrupted.
pub(super) fn stop(response: ResponseValue<'_>) -> Result<StopReason, ReadError> {
    let reason = response.get("incomplete_details").and_then(|details| details.word_of("reason"));
    Ok(match (response.word_of("status").as_deref(), reason.as_deref()) {
        (Some("completed"), _) => StopReason::Done,
        (Some("incomplete"), Some("max_output_tokens")) => StopReason::Length,
        (Some("incomplete"), Some("content_filter")) => {
            StopReason::Refused("content_filter".to_owned())
        }
        (Some("incomplete"), reason) => {
            StopReason::Other(reason.unwrap_or("incomplete").to_owned())
        }
        (Some("failed"), _) => return Err(ProviderError::named(None).into()),
        (Some("queued" | "in_progress") | None, _) => StopReason::Interrupted,
        (Some(word), _) => StopReason::Other(word.to_owned()),
    })
}
