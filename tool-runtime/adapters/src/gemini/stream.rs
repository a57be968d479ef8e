//! Reads the responses of `streamGenerateContent`, each with further parts.

use super::parts::{self, ContentPart};
use super::read::{self, blocked, candidate};
use super::usage::metadata;
use crate::format::{
    Delta, ParsedResponse, ReadError, ResponseMetadata, ResponseValue, StopReason, StreamAssembler,
    merge_piece,
};
use crate::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct GenerateStream {
    parts: Vec<ContentPart>,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
}

impl StreamAssembler for GenerateStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        if event.is_list() {
            let deltas = event.items()?.map(|response| self.add(response));
            return Ok(deltas.collect::<Result<Vec<_>, _>>()?.concat());
        }
        self.add(event)
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let stop = self.stop.unwrap_or(StopReason::Interrupted);
        let response = parts::assemble(self.parts, stop, names);
        ParsedResponse { metadata: self.metadata, ..response }
    }
}

impl GenerateStream {
    /// Adds a response with further parts.
    fn add(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        if let Some(error) = event.get("error") {
            return Err(error.provider_error().into());
        }
        self.metadata.update(metadata(event));
        let parts = read::parts(event)?;
        let deltas = parts.iter().filter_map(delta).collect();
        for part in parts {
            self.add_part(part);
        }
        let stop_reason =
            candidate(event)?.map(read::stop).filter(|stop| *stop != StopReason::Interrupted);
        self.stop = stop_reason.or_else(|| blocked(event)).or(self.stop.take());
        Ok(deltas)
    }

    fn add_part(&mut self, part: ContentPart) {
        match self.parts.last_mut() {
            Some(last)
                if last.is_plain() && part.is_plain() && last.is_thought() == part.is_thought() =>
            {
                merge_piece(&mut last.fields, part.fields);
            }
            _ => self.parts.push(part),
        }
    }
}

fn delta(part: &ContentPart) -> Option<Delta> {
    let text = part.text().to_owned();
    match part.called_function() {
        Some(name) => Some(Delta::CallStarted(name.to_owned())),
        None if text.is_empty() => None,
        None if part.is_thought() => Some(Delta::Thinking(text)),
        None => Some(Delta::Text(text)),
    }
}
