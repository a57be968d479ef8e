//! Reads the lines of a streamed response of `/api/chat`.

use super::read::{ChatMessage, OllamaCall, stop};
use super::usage::metadata;
use crate::format::{
    Delta, ParsedResponse, ReadError, ResponseMetadata, ResponseValue, StopReason, StreamAssembler,
    merge_piece, text_in,
};
use crate::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct ChatStream {
    message: ChatMessage,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
}

impl StreamAssembler for ChatStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        self.metadata.update(metadata(event));
        let stop = stop(event);
        if stop != StopReason::Interrupted {
            self.stop = Some(stop);
        }
        let Some(message) = event.get("message") else { return Ok(Vec::new()) };
        let mut piece = ChatMessage::read(message)?;
        piece.fields.remove("role");
        let deltas = deltas(&piece);
        merge_piece(&mut self.message.fields, piece.fields);
        self.message.calls.append(&mut piece.calls);
        Ok(deltas)
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let stop = self.stop.unwrap_or(StopReason::Interrupted);
        let response = self.message.into_response(stop, names);
        ParsedResponse { metadata: self.metadata, ..response }
    }
}

fn deltas(piece: &ChatMessage) -> Vec<Delta> {
    let text = |name| Some(text_in(&piece.fields, name).to_owned()).filter(|text| !text.is_empty());
    let thinking = text("thinking").map(Delta::Thinking);
    let content = text("content").map(Delta::Text);
    let calls =
        piece.calls.iter().map(OllamaCall::name).map(|name| Delta::CallStarted(name.to_owned()));
    thinking.into_iter().chain(content).chain(calls).collect()
}
