//! A whole response of `Converse`.

use super::blocks::{self, Block};
use crate::adapters::place::Place;
use crate::adapters::said::Said;
use crate::adapters::{ProviderError, ReadError, Stop};

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let is_error = root.get("output").is_none()
        && (root.get("message").is_some() || root.get("__type").is_some());
    if is_error {
        return Err(ProviderError::named(root.word_of("__type")).into());
    }
    let output = root.need("output", "the output")?;
    let content =
        output.need("message", "a message")?.need("content", "a list of content blocks")?;
    let blocks = content.items()?.map(Block::read).collect::<Result<_, _>>()?;
    Ok(blocks::said(blocks, stop(root)))
}

/// Why a message ended; one that has not is interrupted.
pub(super) fn stop(root: Place<'_>) -> Stop {
    let Some(word) = root.word_of("stopReason") else { return Stop::Interrupted };
    match &*word {
        "end_turn" | "tool_use" | "stop_sequence" => Stop::Done,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "guardrail_intervened" | "content_filtered" => Stop::Refused(word),
        _ => Stop::Other(word),
    }
}
