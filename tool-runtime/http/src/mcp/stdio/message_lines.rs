//! Messages as lines of the client's streams, with the arguments of each call as they were sent.

use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::{BoxFuture, pending, ready};
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ProtocolVersion,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tool_runtime_schema::json::from_bytes;

use super::limited_lines::LimitedLines;
use super::line_writer::{LineWriter, QueuedBytes};
use super::open_requests::OpenRequests;
use crate::mcp::message::{SentMessage, invalid_request, server_busy};
use crate::mcp::transport::{InputEnd, SentArguments};

/// The streams of one client. Every request is answered: one that is no message of the protocol with
/// an error.
pub(super) struct MessageLines<R> {
    input: BufReader<LimitedLines<R>>,
    /// The bytes of the line that has not ended, kept between reads, which may be dropped.
    line: Vec<u8>,
    output: LineWriter,
    /// The answer to a refused message, while it is being sent.
    answer: Option<BoxFuture<'static, io::Result<()>>>,
    open_requests: OpenRequests,
    /// The client has sent the request that opens the protocol.
    is_open: bool,
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

impl<R: AsyncRead + Send + Unpin> MessageLines<R> {
    pub(super) fn new<W>(
        input: LimitedLines<R>,
        (output, queued): (W, QueuedBytes),
        failure: StreamFailure,
        input_end: InputEnd,
    ) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            output: LineWriter::new(output, queued),
            answer: None,
            open_requests: OpenRequests::default(),
            is_open: false,
            failure,
            input_end,
        }
    }

    /// Reads until the next message of the protocol; `None` at the end of the input. Cancel-safe.
    ///
    /// It waits while the client does not read what was written to it: each request that was read then
    /// would hold its answer.
    async fn next(&mut self) -> io::Result<Option<RxJsonRpcMessage<RoleServer>>> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.await;
                self.answer = None;
                sent?;
            }
            if !self.open_requests.admit_reading() {
                // An answer is sent through this transport, and this is polled anew then.
                pending::<()>().await;
            }
            self.output.has_space().await;
            let read = self.input.read_until(b'\n', &mut self.line).await?;
            if read == 0 && self.line.is_empty() {
                return Ok(None);
            }
            let line = std::mem::take(&mut self.line);
            match message(&line).and_then(|message| self.admitted(message, line.len())) {
                Ok(Some(message)) => return Ok(Some(message)),
                Ok(None) => {}
                Err(refused) => self.answer = Some(self.output.send(refused.into_bytes()).boxed()),
            }
        }
    }

    /// Counts a message as unanswered; `None` for a message that needs no attention.
    fn admitted(
        &mut self,
        message: Option<RxJsonRpcMessage<RoleServer>>,
        length: usize,
    ) -> Result<Option<RxJsonRpcMessage<RoleServer>>, String> {
        let open = &mut self.open_requests;
        match &message {
            Some(JsonRpcMessage::Request(request)) => {
                let id = request.id.clone();
                self.is_open |= opens_protocol(&request.request);
                match &request.request {
                    // A subscription lasts until its client ends it.
                    ClientRequest::CallToolRequest(_)
                    | ClientRequest::SubscriptionsListenRequest(_) => {
                        if !open.add_call(id, length) {
                            let id = serde_json::value::to_raw_value(&request.id).ok();
                            return Err(server_busy(id.as_deref()));
                        }
                    }
                    _ => open.add_short(id),
                }
            }
            Some(JsonRpcMessage::Notification(notification)) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                {
                    cancelled.params.request_id.iter().for_each(|id| open.remove(id));
                }
            }
            Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) | None => {}
        }
        let is_request = matches!(message, Some(JsonRpcMessage::Request(_)));
        // The protocol would end at a message that comes before the one that opens it.
        Ok(message.filter(|_| self.is_open || is_request))
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for MessageLines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => self.open_requests.remove(&response.id),
            JsonRpcMessage::Error(error) => {
                error.id.iter().for_each(|id| self.open_requests.remove(id));
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        match serde_json::to_vec(&message) {
            Ok(line) => self.output.send(line).left_future(),
            Err(error) => ready(Err(error.into())).right_future(),
        }
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

/// Returns whether a request opens the protocol, as `rmcp` decides it: `initialize`, or any other one
/// but a probe with the metadata of revision 2026-07-28.
fn opens_protocol(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|it| ProtocolVersion::KNOWN_VERSIONS.contains(&it))
        }
    }
}

/// Reads the message of a line; `None` for an empty one, and for a notification that the protocol does
/// not know.
///
/// # Errors
/// Returns the answer to a line that is not a message.
fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, String> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let sent = match SentMessage::read(line) {
        Ok(sent) => sent,
        Err(refused) if refused.is_notification => return Ok(None),
        Err(refused) => return Err(refused.body),
    };
    let (id, arguments) = (sent.request_id(), sent.arguments().map(ToOwned::to_owned));
    // The pipeline reads the arguments itself. A tree of them would have lost repeated keys and digits,
    // and has a limit to its depth.
    let read = sent.into_passed(None).and_then(|passed| from_bytes(&passed));
    let mut message: RxJsonRpcMessage<RoleServer> = match read {
        Ok(message) => message,
        Err(_) => return unknown(id),
    };
    if let (JsonRpcMessage::Request(request), Some(arguments)) = (&mut message, arguments) {
        request.request.extensions_mut().insert(SentArguments(arguments));
    }
    Ok(Some(message))
}

/// Answers a message that is none of the protocol; a notification and a response have no answer.
fn unknown<T>(id: Option<&RawValue>) -> Result<Option<T>, String> {
    let words = "the message is no request of this protocol: see its method and `params`";
    id.map_or(Ok(None), |id| Err(invalid_request(Some(id), words)))
}
