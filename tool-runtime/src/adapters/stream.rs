//! Reads streamed responses.

use std::fmt;

use super::parsed_response::ParsedResponse;
use super::response_value::{self, ResponseValue};
use super::{Adapter, ProviderError, ReadError, Turn};

/// Reads one streamed response, event by event.
///
/// It takes the data of each event: the text after `data:` in server-sent events, one line of
/// Ollama's stream, one member of Bedrock's event stream including its name
/// (`{"contentBlockDelta":…}`). Their total size is limited by
/// [`max_response_bytes`](super::AdapterBuilder::max_response_bytes).
///
/// ```
/// use tool_runtime::adapters::{Adapter, Delta, Dialect};
///
/// let adapter = Adapter::new(Dialect::Ollama, &[]);
/// let mut stream = adapter.stream();
/// let shown = stream.push(r#"{"message":{"role":"assistant","content":"Hel"},"done":false}"#)?;
/// assert_eq!(shown, [Delta::Text("Hel".to_owned())]);
/// stream.push(r#"{"message":{"role":"assistant","content":"lo"},"done":true}"#)?;
/// assert_eq!(stream.finish()?.text(), "Hello");
/// # Ok::<(), tool_runtime::adapters::ReadError>(())
/// ```
pub struct TurnStream<'a> {
    adapter: &'a Adapter,
    gathered: Box<dyn StreamAssembler>,
    /// Remaining bytes.
    room: usize,
    /// The first error; later events return it again.
    failed: Option<ReadError>,
}

/// The content that an event adds to a response, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More text.
    Text(String),
    /// More of the model's reasoning, if the provider sends it.
    Thinking(String),
    /// A call of this tool begins; its arguments follow. The name may be of no tool.
    CallStarted(String),
}

/// The state of a streamed response in one dialect.
pub(super) trait StreamAssembler: Send + Sync {
    /// Processes one event; events without new content are ignored.
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError>;

    /// Returns the response; one that was not closed is interrupted.
    fn finish(self: Box<Self>) -> ParsedResponse;
}

impl<'a> TurnStream<'a> {
    pub(super) fn new(adapter: &'a Adapter, gathered: Box<dyn StreamAssembler>) -> Self {
        Self { adapter, gathered, room: adapter.max_response_bytes, failed: None }
    }

    /// Processes the data of one event; returns the added content for display.
    ///
    /// An empty text and `[DONE]` are ignored.
    ///
    /// # Errors
    /// Returns an error if the event is not JSON or not of the dialect, if it reports a failure of
    /// the provider, or if the response is too long. The response is then lost: all later calls
    /// return the same error.
    pub fn push(&mut self, event: &str) -> Result<Vec<Delta>, ReadError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let taken = self.take(event);
        self.failed = taken.as_ref().err().cloned();
        taken
    }

    fn take(&mut self, event: &str) -> Result<Vec<Delta>, ReadError> {
        if matches!(event.trim(), "" | "[DONE]") {
            return Ok(Vec::new());
        }
        let limit = self.adapter.max_response_bytes;
        self.room = self.room.checked_sub(event.len()).ok_or(ReadError::TooLong { limit })?;
        let tree = response_value::parse(event, limit)?;
        let event = ResponseValue::root(&tree, event);
        if let Some(error) = event.get("error") {
            return Err(ProviderError::of(error).into());
        }
        let deltas = self.gathered.push(event)?;
        Ok(deltas.into_iter().map(|delta| self.named(delta)).collect())
    }

    /// Returns the response. One that was not closed is
    /// [`Interrupted`](super::StopReason::Interrupted), and none of its calls is run.
    ///
    /// # Errors
    /// Returns an error if there was no event, or if an event failed.
    pub fn finish(self) -> Result<Turn, ReadError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.room == self.adapter.max_response_bytes {
            let position = 0;
            return Err(ReadError::Malformed(crate::schema::Malformed::Truncated { position }));
        }
        Ok(self.adapter.turn(self.gathered.finish()))
    }

    /// Replaces a declared name by the tool's own name.
    fn named(&self, delta: Delta) -> Delta {
        match delta {
            Delta::CallStarted(wire) => {
                let tool = self.adapter.names.tool(&wire).map(str::to_owned);
                Delta::CallStarted(tool.unwrap_or(wire))
            }
            other => other,
        }
    }
}

/// Prints the size, without content.
impl fmt::Debug for TurnStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnStream")
            .field("dialect", &self.adapter.dialect)
            .field("bytes", &(self.adapter.max_response_bytes - self.room))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
