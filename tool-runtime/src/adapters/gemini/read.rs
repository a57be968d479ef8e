//! A whole response of `generateContent`.

use super::parts::{self, Part};
use crate::adapters::place::Place;
use crate::adapters::said::Said;
use crate::adapters::{ReadError, Stop};

pub(in crate::adapters) fn read(root: Place<'_>) -> Result<Said, ReadError> {
    let stop = match (candidate(root)?, blocked(root)) {
        (Some(candidate), _) => stop(candidate),
        (None, Some(blocked)) => blocked,
        (None, None) => {
            root.need("candidates", "a list of candidates")?;
            Stop::Interrupted
        }
    };
    Ok(parts::said(parts(root)?, stop))
}

/// The parts of the first candidate.
pub(super) fn parts(root: Place<'_>) -> Result<Vec<Part>, ReadError> {
    let content = candidate(root)?.and_then(|candidate| candidate.get("content"));
    let Some(content) = content else { return Ok(Vec::new()) };
    content.list("parts")?.map(Part::read).collect()
}

pub(super) fn candidate(root: Place<'_>) -> Result<Option<Place<'_>>, ReadError> {
    Ok(root.list("candidates")?.next())
}

/// Why the prompt was not answered at all.
pub(super) fn blocked(root: Place<'_>) -> Option<Stop> {
    root.get("promptFeedback")?.word_of("blockReason").map(Stop::Refused)
}

/// Why a candidate ended; one that has not is interrupted.
pub(super) fn stop(candidate: Place<'_>) -> Stop {
    let Some(word) = candidate.word_of("finishReason") else { return Stop::Interrupted };
    match &*word {
        "STOP" => Stop::Done,
        "MAX_TOKENS" | "CONTINUATION" => Stop::Length,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "MODEL_ARMOR"
        | "ESCALATION" => Stop::Refused(word),
        _ => Stop::Other(word),
    }
}
