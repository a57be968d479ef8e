//! A response that comes in pieces.

use std::fmt;

use super::place::{self, Place};
use super::said::Said;
use super::{Adapter, ProviderError, ReadError, Turn};

/// Reads one streamed response, event by event.
///
/// It takes the data of each event: what follows `data:` in server-sent events, one line of Ollama's,
/// one member of Bedrock's event stream with its name around it (`{"contentBlockDelta":…}`). All of
/// them together are bounded by [`max_response_bytes`](super::AdapterBuilder::max_response_bytes).
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
    gathered: Box<dyn Gather>,
    /// How many bytes there is still room for.
    room: usize,
    /// What went wrong: no response is made of the rest.
    failed: Option<ReadError>,
}

/// What an event of a streamed response adds, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More of what the model says.
    Text(String),
    /// More of what it thinks, where the provider shows it.
    Thinking(String),
    /// It begins to call this tool, or what it takes for one; the arguments are still to come.
    Calls(String),
}

/// What has come of a response so far, in one dialect.
pub(super) trait Gather: Send + Sync {
    /// Takes one event; events that say nothing new are passed over.
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError>;

    /// Says what came; a response that was not closed is interrupted.
    fn finish(self: Box<Self>) -> Said;
}

impl<'a> TurnStream<'a> {
    pub(super) fn new(adapter: &'a Adapter, gathered: Box<dyn Gather>) -> Self {
        Self { adapter, gathered, room: adapter.max_response_bytes, failed: None }
    }

    /// Takes the data of one event; returns what it adds, for whoever watches.
    ///
    /// The text `[DONE]` and an empty one are no events and add nothing.
    ///
    /// # Errors
    /// The event is no JSON or none of the dialect, it says that the provider failed, or the response
    /// is too long. What came before is lost then: everything that follows gives the same error.
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
        let tree = place::parse(event, limit)?;
        let event = Place::root(&tree, event);
        if let Some(error) = event.get("error") {
            return Err(ProviderError::of(error).into());
        }
        let deltas = self.gathered.push(event)?;
        Ok(deltas.into_iter().map(|delta| self.named(delta)).collect())
    }

    /// Says what the response was; one that was not closed is
    /// [`Interrupted`](super::Stop::Interrupted), and none of its calls is run.
    ///
    /// # Errors
    /// Nothing came at all, or an event could not be taken.
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

    /// Calls a tool by its own name.
    fn named(&self, delta: Delta) -> Delta {
        match delta {
            Delta::Calls(wire) => {
                let tool = self.adapter.names.tool(&wire).map(str::to_owned);
                Delta::Calls(tool.unwrap_or(wire))
            }
            other => other,
        }
    }
}

/// Shows how much came, and nothing of it.
impl fmt::Debug for TurnStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnStream")
            .field("dialect", &self.adapter.dialect)
            .field("bytes", &(self.adapter.max_response_bytes - self.room))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
