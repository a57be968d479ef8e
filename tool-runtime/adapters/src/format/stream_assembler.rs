//! Reads the events of one streamed response in one dialect.

use super::parsed_response::ParsedResponse;
use super::read_error::ReadError;
use super::response_value::ResponseValue;
use crate::names::ToolNames;

/// The content that an event adds to a response, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More text.
    Text(String),
    /// More of the model's reasoning, if the provider sends it.
    Thinking(String),
    /// More of a refusal, which is not part of the text.
    Refusal(String),
    /// A call of this tool begins; its arguments follow. The name may be of no tool.
    CallStarted(String),
}

/// The state of a streamed response in one dialect.
pub(crate) trait StreamAssembler: Send + Sync {
    /// Processes one event; events without new content are ignored.
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError>;

    /// Returns the response; one that was not closed is interrupted.
    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse;
}
