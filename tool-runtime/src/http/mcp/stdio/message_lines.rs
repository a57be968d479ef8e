//! Messages as lines of the client's streams, with the arguments of each call as they were sent.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty, empty};

use super::limited_lines::LimitedLines;
use crate::http::mcp::message::SentMessage;
use crate::http::mcp::transport::{InputEnd, SentArguments};
use crate::json::from_bytes;

/// The streams of one client. Every request is answered: one that is no message of the protocol with
/// an error.
pub(super) struct MessageLines<R, W: AsyncWrite> {
    input: BufReader<LimitedLines<R>>,
    /// The bytes of the line that has not ended, kept between reads, which may be dropped.
    line: Vec<u8>,
    output: AsyncRwTransport<RoleServer, Empty, W>,
    /// The answer to a refused message, while it is being sent.
    answer: Option<BoxFuture<'static, io::Result<()>>>,
    failure: StreamFailure,
    input_end: InputEnd,
}

/// The error that ended the streams, if one did.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamFailure(Arc<OnceLock<io::Error>>);

impl StreamFailure {
    pub(super) fn into_error(self) -> Option<io::Error> {
        let error = self.0.get()?;
        Some(io::Error::new(error.kind(), error.to_string()))
    }
}

impl<R, W> MessageLines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(
        input: LimitedLines<R>,
        output: W,
        failure: StreamFailure,
        input_end: InputEnd,
    ) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            output: AsyncRwTransport::new(empty(), output),
            answer: None,
            failure,
            input_end,
        }
    }

    /// Reads until the next message of the protocol; `None` at the end of the input. Cancel-safe.
    async fn next(&mut self) -> io::Result<Option<RxJsonRpcMessage<RoleServer>>> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.await;
                self.answer = None;
                sent?;
            }
            let read = self.input.read_until(b'\n', &mut self.line).await?;
            if read == 0 && self.line.is_empty() {
                return Ok(None);
            }
            match message(&std::mem::take(&mut self.line)) {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => {}
                Err(refused) => self.answer = Some(self.output.send(*refused).boxed()),
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for MessageLines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.next().await.unwrap_or_else(|error| {
            // The first error has ended the streams.
            let _ = self.failure.0.set(error);
            None
        });
        if message.is_none() {
            self.input_end.reach();
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.close().await
    }
}

/// Reads the message of a line; `None` for an empty one, and for a notification that the protocol does
/// not know.
///
/// # Errors
/// Returns the answer to a line that is no message.
fn message(
    line: &[u8],
) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Box<TxJsonRpcMessage<RoleServer>>> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let sent = SentMessage::read(line).map_err(|refused| Box::new(error_of(&refused.0)))?;
    let id = sent.request_id().map(|id| serde_json::from_str::<RequestId>(id).ok());
    let arguments = sent.into_arguments();
    let read = match &arguments {
        // The pipeline reads them itself. A tree of them would have lost repeated keys and digits, and
        // has a limit to its depth.
        Some(_) => without_arguments(line).and_then(|line| from_bytes(&line)),
        None => from_bytes(line),
    };
    let mut message: RxJsonRpcMessage<RoleServer> = match (read, id) {
        (Ok(message), _) => message,
        (Err(_), Some(id)) => {
            let words = "the message is no request of this protocol: see its method and `params`";
            let error = ErrorData::invalid_request(words, None);
            return Err(Box::new(JsonRpcMessage::error(error, id)));
        }
        (Err(_), None) => return Ok(None),
    };
    if let (JsonRpcMessage::Request(request), Some(arguments)) = (&mut message, arguments) {
        request.request.extensions_mut().insert(SentArguments(arguments));
    }
    Ok(Some(message))
}

/// Reads the error that answers a refused message; one without an id if that is none of the protocol.
fn error_of(json: &str) -> TxJsonRpcMessage<RoleServer> {
    if let Ok(error) = serde_json::from_str(json) {
        return JsonRpcMessage::Error(error);
    }
    let error = ErrorData::invalid_request("`id`: expected a string or an integer", None);
    JsonRpcMessage::error(error, None)
}

/// Writes a call without its arguments.
fn without_arguments(line: &[u8]) -> serde_json::Result<Vec<u8>> {
    let mut message: BTreeMap<String, &RawValue> = serde_json::from_slice(line)?;
    let params = message.get("params").copied().unwrap_or(RawValue::NULL);
    let mut params: BTreeMap<String, &RawValue> = serde_json::from_str(params.get())?;
    let empty = to_raw_value(&serde_json::Map::new())?;
    params.insert("arguments".to_owned(), &empty);
    let params = to_raw_value(&params)?;
    message.insert("params".to_owned(), &params);
    serde_json::to_vec(&message)
}
