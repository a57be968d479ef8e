//! The data of server-sent events: each provider repeats the name of an event in it.

use tool_runtime_schema::event_stream::{EventParser, EventTooLong};

use super::{decoded, length};
use crate::ReadError;

/// The state of a stream of server-sent events.
#[derive(Debug, Default)]
pub(super) struct ServerSentEvents {
    parser: EventParser,
    /// The number of bytes that were taken.
    position: u64,
}

impl ServerSentEvents {
    /// Takes more bytes, and adds the data of completed events.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        limit: usize,
        events: &mut Vec<String>,
    ) -> Result<(), ReadError> {
        let mut completed = Vec::new();
        let end = self.parser.push(bytes, limit, &mut completed);
        for data in completed.into_iter().filter_map(|event| event.data) {
            events.push(decoded(data, self.position)?);
        }
        end.map_err(|EventTooLong| ReadError::TooLong { limit })?;
        self.position = self.position.saturating_add(length(bytes));
        Ok(())
    }

    /// Returns the data of an event without a blank line after it.
    pub(super) fn finish(self) -> Option<String> {
        decoded(self.parser.finish()?.data?, self.position).ok()
    }
}
