//! A whole response.

use super::items::{self, Item};
use crate::adapters::place::Place;
use crate::adapters::said::Said;
use crate::adapters::{ProviderError, ReadError, Stop};

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let output = root.need("output", "a list of items")?;
    let items = output.items()?.map(Item::read).collect::<Result<_, _>>()?;
    Ok(items::said(items, stop(root)?))
}

/// Why a response ended; one that has not is interrupted.
pub(super) fn stop(response: Place<'_>) -> Result<Stop, ReadError> {
    let reason = response.get("incomplete_details").and_then(|details| details.word_of("reason"));
    Ok(match (response.word_of("status").as_deref(), reason.as_deref()) {
        (Some("completed"), _) => Stop::Done,
        (Some("incomplete"), Some("max_output_tokens")) => Stop::Length,
        (Some("incomplete"), Some("content_filter")) => Stop::Refused("content_filter".to_owned()),
        (Some("incomplete"), reason) => Stop::Other(reason.unwrap_or("incomplete").to_owned()),
        (Some("failed"), _) => return Err(ProviderError::named(None).into()),
        (Some("queued" | "in_progress") | None, _) => Stop::Interrupted,
        (Some(word), _) => Stop::Other(word.to_owned()),
    })
}
