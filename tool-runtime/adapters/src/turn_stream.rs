//! Reads streamed responses.

use std::fmt;

use super::format::{CallNamespace, ParsedResponse, ResponseValue, StreamAssembler, parse};
use super::framing::EventDecoder;
use super::response_digest::ResponseHasher;
use super::{Adapter, Delta, ReadError, Turn};

/// Reads one streamed response, from its bytes or event by event.
///
/// [`push_bytes`](Self::push_bytes) takes the body's bytes as they come from the connection.
/// [`push`](Self::push) is for clients that split the events: it takes the data of each event, the
/// text after `data:` in server-sent events, one line of Ollama's stream, one member of Bedrock's
/// event stream including its name (`{"contentBlockDelta":…}`). The total size of the events is
/// limited by [`max_response_bytes`](super::AdapterBuilder::max_response_bytes).
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
    decoder: EventDecoder,
    remaining_bytes: usize,
    hasher: ResponseHasher,
    /// True once an event has added content for display.
    has_content: bool,
    /// The first event of a body that is JSON in place of a stream, while it may be a whole response.
    body: Option<String>,
    /// A whole response in place of a stream.
    whole: Option<ParsedResponse>,
    /// The first error; later events return it again.
    failed: Option<ReadError>,
}

impl<'a> TurnStream<'a> {
    pub(super) fn new(adapter: &'a Adapter, assembler: Box<dyn StreamAssembler>) -> Self {
        let decoder = EventDecoder::new(adapter.dialect.format().framing());
        let remaining_bytes = adapter.max_response_bytes;
        Self {
            adapter,
            assembler,
            decoder,
            remaining_bytes,
            hasher: ResponseHasher::default(),
            has_content: false,
            body: None,
            whole: None,
            failed: None,
        }
    }

    /// Processes more bytes of the response's body; returns the added content for display.
    ///
    /// Bytes may be split anywhere, also within a character. They are framed as the provider sends
    /// them: server-sent events, with comments, several lines of data and any line ends; JSON objects
    /// in lines (Ollama) or in a list (Gemini without `alt=sse`); Amazon's event stream with its
    /// checksums (Bedrock). A body that is a JSON object in place of a stream is read too: providers
    /// report failures so, and servers that do not stream send the whole response. Only an incomplete event is held, and no longer than the limit
    /// of one response.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Delta, Dialect};
    ///
    /// let adapter = Adapter::new(Dialect::OpenAiChat, &[]);
    /// let mut stream = adapter.stream();
    /// let body = ": ping\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Thé\"}}]}\n\n".as_bytes();
    /// let (first, rest) = body.split_at(50);
    /// assert_eq!(stream.push_bytes(first)?, []);
    /// assert_eq!(stream.push_bytes(rest)?, [Delta::Text("Thé".to_owned())]);
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// As [`push`](Self::push), and if the bytes are not framed so, or a checksum is wrong.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, ReadError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let (mut events, mut deltas) = (Vec::new(), Vec::new());
        let framed = self.decoder.push(bytes, self.adapter.max_response_bytes, &mut events);
        for event in events {
            let is_first = self.remaining_bytes == self.adapter.max_response_bytes;
            deltas.extend(self.push(&event)?);
            self.body = Some(event).filter(|_| is_first && self.decoder.is_json_body());
        }
        match framed {
            Ok(()) => Ok(deltas),
            Err(error) => Err(self.failed.insert(error).clone()),
        }
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
        self.hasher.push(event);
        let tree = parse(event, limit)?;
        let event = ResponseValue::root(&tree, event);
        if let Some(error) = event.get("error") {
            return Err(error.provider_error().into());
        }
        if self.whole.is_some() {
            // Some servers report the usage after it.
            return Ok(Vec::new());
        }
        let format = self.adapter.dialect.format();
        let deltas = if !self.has_content && format.is_whole(event) {
            let response = format.read(event, &self.adapter.names)?;
            deltas_from(self.whole.insert(response))
        } else {
            self.assembler.push(event)?
        };
        self.has_content |= !deltas.is_empty();
        Ok(deltas.into_iter().map(|delta| self.with_own_name(delta)).collect())
    }

    /// Returns the response. One that was not closed is
    /// [`Interrupted`](super::StopReason::Interrupted), and none of its calls is run.
    ///
    /// # Errors
    /// Returns an error if there was no event, or if an event failed.
    pub fn finish(mut self) -> Result<Turn, ReadError> {
        // A failure is kept in `failed`.
        let _ = self.push_last_event();
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.remaining_bytes == self.adapter.max_response_bytes {
            let position = 0;
            return Err(ReadError::Malformed(tool_runtime_schema::schema::Malformed::Truncated {
                position,
            }));
        }
        if let Some(whole) = self.whole {
            return Ok(self.adapter.turn(whole, self.hasher.finish()));
        }
        // A body without content is no answer unless it is a response of the dialect.
        if let Some(body) = self.body.filter(|_| !self.has_content) {
            return self.adapter.read(&body);
        }
        let parsed = self.assembler.finish(&self.adapter.names);
        Ok(self.adapter.turn(parsed, self.hasher.finish()))
    }

    /// Processes an event whose end was not marked, if it is whole; returns the added content.
    ///
    /// # Errors
    /// Returns an error if the event cannot be read.
    pub fn push_last_event(&mut self) -> Result<Vec<Delta>, ReadError> {
        let framing = self.adapter.dialect.format().framing();
        let decoder = std::mem::replace(&mut self.decoder, EventDecoder::new(framing));
        let is_whole = |event: &String| parse(event, self.adapter.max_response_bytes).is_ok();
        decoder.finish().filter(is_whole).map_or_else(|| Ok(Vec::new()), |event| self.push(&event))
    }

    /// Replaces a declared name by the tool's own name.
    fn with_own_name(&self, delta: Delta) -> Delta {
        match delta {
            Delta::CallStarted(name) => {
                Delta::CallStarted(self.adapter.shown_tool(&name).to_owned())
            }
            shown @ (Delta::Text(_) | Delta::Thinking(_) | Delta::Refusal(_)) => shown,
        }
    }
}

/// Returns the content of a whole response for display.
fn deltas_from(whole: &ParsedResponse) -> Vec<Delta> {
    let text_delta =
        |text: &str, delta: fn(String) -> Delta| (!text.is_empty()).then(|| delta(text.to_owned()));
    let texts = whole.texts.iter().filter_map(|text| text_delta(text, Delta::Text));
    let calls = whole.calls.iter().map(|call| {
        Delta::CallStarted(CallNamespace::qualified(call.namespace.as_ref(), &call.name))
    });
    text_delta(&whole.thinking, Delta::Thinking)
        .into_iter()
        .chain(texts)
        .chain(text_delta(&whole.refusal, Delta::Refusal))
        .chain(calls)
        .collect()
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
