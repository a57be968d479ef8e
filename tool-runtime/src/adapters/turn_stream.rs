//! Reads streamed responses.

use std::fmt;

use super::format::{ResponseValue, StreamAssembler, parse};
use super::{Adapter, Delta, ReadError, Turn};

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
    assembler: Box<dyn StreamAssembler>,
    remaining_bytes: usize,
    /// The first error; later events return it again.
    failed: Option<ReadError>,
}

impl<'a> TurnStream<'a> {
    pub(super) fn new(adapter: &'a Adapter, assembler: Box<dyn StreamAssembler>) -> Self {
        Self { adapter, assembler, remaining_bytes: adapter.max_response_bytes, failed: None }
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
        let deltas = self.process(event);
        self.failed = deltas.as_ref().err().cloned();
        deltas
    }

    fn process(&mut self, event: &str) -> Result<Vec<Delta>, ReadError> {
        if matches!(event.trim(), "" | "[DONE]") {
            return Ok(Vec::new());
        }
        let limit = self.adapter.max_response_bytes;
        self.remaining_bytes =
            self.remaining_bytes.checked_sub(event.len()).ok_or(ReadError::TooLong { limit })?;
        let tree = parse(event, limit)?;
        let event = ResponseValue::root(&tree, event);
        if let Some(error) = event.get("error") {
            return Err(error.provider_error().into());
        }
        let deltas = self.assembler.push(event)?;
        Ok(deltas.into_iter().map(|delta| self.with_own_name(delta)).collect())
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
        if self.remaining_bytes == self.adapter.max_response_bytes {
            let position = 0;
            return Err(ReadError::Malformed(crate::schema::Malformed::Truncated { position }));
        }
        Ok(self.adapter.turn(self.assembler.finish(&self.adapter.names)))
    }

    /// Replaces a declared name by the tool's own name.
    fn with_own_name(&self, delta: Delta) -> Delta {
        match delta {
            Delta::CallStarted(wire) => {
                let tool = self.adapter.names.tool(&wire).map(str::to_owned);
                Delta::CallStarted(tool.unwrap_or(wire))
            }
            shown @ (Delta::Text(_) | Delta::Thinking(_)) => shown,
        }
    }
}

/// Prints the size, without content.
impl fmt::Debug for TurnStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnStream")
            .field("dialect", &self.adapter.dialect)
            .field("bytes", &(self.adapter.max_response_bytes - self.remaining_bytes))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
