//! Reads a complete response of `generateContent`.

use super::parts::{self, ContentPart};
use super::stream::GenerateStream;
use super::usage::metadata;
use crate::format::{ParsedResponse, ReadError, ResponseValue, StopReason, StreamAssembler as _};
use crate::names::ToolNames;

pub(super) fn read(
    root: ResponseValue<'_>,
    names: &ToolNames,
) -> Result<ParsedResponse, ReadError> {
    if root.is_list() {
        return read_streamed(root, names);
    }
    let stop = match (candidate(root)?, blocked(root)) {
        (Some(candidate), _) => stop(candidate),
        (None, Some(blocked)) => blocked,
        (None, None) => {
            root.required("candidates", "a list of candidates")?;
            StopReason::Interrupted
        }
    };
    let response = parts::assemble(parts(root)?, stop, names);
    Ok(ParsedResponse { metadata: metadata(root), ..response })
}

/// Reads the body of `streamGenerateContent` without `alt=sse`: a list of responses.
fn read_streamed(root: ResponseValue<'_>, names: &ToolNames) -> Result<ParsedResponse, ReadError> {
    if root.items()?.next().is_none() {
        return Err(root.unexpected("a response, or a list of responses"));
    }
    let mut stream = Box::<GenerateStream>::default();
    stream.push(root)?;
    Ok(stream.finish(names))
}

/// The parts of the first candidate.
pub(super) fn parts(root: ResponseValue<'_>) -> Result<Vec<ContentPart>, ReadError> {
    let content = candidate(root)?.and_then(|candidate| candidate.get("content"));
    let Some(content) = content else { return Ok(Vec::new()) };
    content.list("parts")?.map(ContentPart::read).collect()
}

pub(super) fn candidate(root: ResponseValue<'_>) -> Result<Option<ResponseValue<'_>>, ReadError> {
    Ok(root.list("candidates")?.next())
}

/// The reason for which the prompt was blocked.
pub(super) fn blocked(root: ResponseValue<'_>) -> Option<StopReason> {
    root.get("promptFeedback")?.enum_value_of("blockReason").map(StopReason::Refused)
}

/// The stop reason of a candidate; without one, it was interrupted.
pub(super) fn stop(candidate: ResponseValue<'_>) -> StopReason {
    let Some(word) = candidate.enum_value_of("finishReason") else {
        return StopReason::Interrupted;
    };
    match &*word {
        "STOP" => StopReason::Done,
        "MAX_TOKENS" | "CONTINUATION" => StopReason::Length,
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
        | "ESCALATION" => StopReason::Refused(word),
        _ => StopReason::Other(word),
    }
}
