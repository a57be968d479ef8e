//! A whole message.

use super::blocks::{self, Block};
use crate::adapters::place::Place;
use crate::adapters::said::Said;
use crate::adapters::{ReadError, Stop};

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let content = root.need("content", "a list of content blocks")?;
    let blocks = content.items()?.map(Block::read).collect::<Result<_, _>>()?;
    Ok(blocks::said(blocks, stop(root)))
}

/// Why a message ended; one that has not is interrupted.
pub(super) fn stop(message: Place<'_>) -> Stop {
    match message.word_of("stop_reason").as_deref() {
        Some("end_turn" | "tool_use" | "stop_sequence") => Stop::Done,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
        Some("refusal") => Stop::Refused("refusal".to_owned()),
        Some(word) => Stop::Other(word.to_owned()),
        None => Stop::Interrupted,
    }
}
