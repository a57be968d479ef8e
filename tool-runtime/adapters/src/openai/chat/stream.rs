//! Reads the chunks of a streamed chat completion.

use super::calls::{self, CallPositions, ChatCall, PartialCall};
use super::pieces::{self, ContentText};
use super::read::{ChatMessage, stop};
use super::usage::metadata;
use crate::format::{
    Delta, ParsedResponse, ReadError, ResponseMetadata, ResponseValue, StopReason, StreamAssembler,
};
use crate::names::ToolNames;

#[derive(Debug, Default)]
pub(super) struct ChatStream {
    message: ChatMessage,
    positions: CallPositions,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
}

impl StreamAssembler for ChatStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        let mut deltas = Vec::new();
        // Groq reports an error that ends the stream early in `x_groq.error`.
        if let Some(error) = event.get("x_groq").and_then(|own| own.get("error")) {
            return Err(error.provider_error().into());
        }
        // The last chunk, which reports the usage, has no choices.
        self.metadata.update(metadata(event));
        // Only the first choice is read.
        for choice in
            event.list("choices")?.filter(|choice| choice.number_of("index").unwrap_or(0) == 0)
        {
            if let Some(delta) = choice.get("delta") {
                self.add_delta(delta, &mut deltas)?;
            }
            match stop(choice) {
                StopReason::Interrupted => {}
                stop @ (StopReason::Done
                | StopReason::Length
                | StopReason::Refused(_)
                | StopReason::Other(_)) => self.stop = Some(stop),
            }
        }
        Ok(deltas)
    }

    fn finish(mut self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let index = |call: &ChatCall| match call {
            ChatCall::Function(call) => call.index,
            ChatCall::Other(_) => None,
        };
        if self.message.calls.iter().all(|call| index(call).is_some()) {
            self.message.calls.sort_by_key(index);
        }
        let stop = self.stop.unwrap_or(StopReason::Interrupted);
        let response = self.message.into_response(stop, names);
        ParsedResponse { metadata: self.metadata, ..response }
    }
}

impl ChatStream {
    fn add_delta(
        &mut self,
        delta: ResponseValue<'_>,
        deltas: &mut Vec<Delta>,
    ) -> Result<(), ReadError> {
        let content = delta.get("content").map(ResponseValue::value).transpose()?;
        deltas.extend(content.iter().flat_map(pieces::texts_in).filter_map(shown));
        deltas.extend(delta.label_of("refusal").map(Delta::Refusal));
        let mut fields = delta.fields(&["tool_calls", "function_call", "role"])?;
        deltas.extend(shown(ContentText::Thinking(pieces::reasoning(&fields))));
        // Audio data is not sent back, only the id in the first piece.
        if delta.get("audio").is_some_and(|audio| audio.get("id").is_none()) {
            fields.remove("audio");
        }
        pieces::merge(&mut self.message.fields, fields);
        if let Some(piece) = delta.get("function_call") {
            let piece = PartialCall::read_function_call(piece)?;
            deltas.extend(self.add_function_call(piece));
        }
        for call in delta.list("tool_calls")? {
            let begun = calls::add_piece(
                &mut self.message.calls,
                &mut self.positions,
                PartialCall::read(call)?,
            );
            deltas.extend(begun.map(Delta::CallStarted));
        }
        Ok(())
    }

    /// Adds a piece of the deprecated `function_call`, which begins with its name.
    fn add_function_call(&mut self, piece: PartialCall) -> Option<Delta> {
        let begins = self.message.function_call.is_none();
        let name = piece.name.clone();
        self.message.function_call.get_or_insert_default().append(piece);
        begins.then_some(Delta::CallStarted(name))
    }
}

/// The delta of a text; none if it is empty.
fn shown(text: ContentText) -> Option<Delta> {
    match text {
        ContentText::Text(text) => Some(text).filter(|text| !text.is_empty()).map(Delta::Text),
        ContentText::Thinking(text) => {
            Some(text).filter(|text| !text.is_empty()).map(Delta::Thinking)
        }
    }
}
