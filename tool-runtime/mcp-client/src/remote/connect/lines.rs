//! The messages of a server on a stream of bytes: one a line.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, Empty};
use tool_runtime_schema::json::ShallowScan;

use super::failure::TransportFailure;
use super::message::{IncomingAnswer, IncomingMessage, MessageReader, RequestKind};
use super::replies::ReplyTasks;
use crate::remote::limits::RemoteLimits;

/// The messages of a server, one a line. An answer that cannot be read ends the request that waits for
/// it; a line that is no message is skipped, since some programs write their log among the messages.
pub(super) struct LineTransport<R, W: AsyncWrite> {
    input: BufReader<R>,
    output: AsyncRwTransport<RoleClient, Empty, W>,
    line: Vec<u8>,
    max_bytes: usize,
    /// The scan of a line that is too long to be kept.
    skipped: Option<ShallowScan>,
    reader: MessageReader,
    pending: PendingRequests,
    /// Messages of one line, and errors of requests that end together.
    ready: VecDeque<ServerJsonRpcMessage>,
    replies: ReplyTasks,
}

/// The requests that wait for an answer.
#[derive(Debug, Default)]
struct PendingRequests {
    requests: HashMap<RequestId, (RequestKind, u64)>,
    /// The number of messages that were sent.
    sent: u64,
    last_notification: u64,
    /// The latest message up to which the server has read, as its answers show.
    read_until: u64,
}

/// A line that was read.
enum Line {
    Complete,
    /// The line was longer than the limit.
    TooLong(ShallowScan),
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W, limits: RemoteLimits) -> Self {
        Self {
            input: BufReader::new(input),
            output: AsyncRwTransport::new_client(tokio::io::empty(), output),
            line: Vec::new(),
            max_bytes: limits.max_message_bytes(),
            skipped: None,
            reader: MessageReader::new(limits),
            pending: PendingRequests::default(),
            ready: VecDeque::new(),
            replies: ReplyTasks::default(),
        }
    }

    /// Reads a line. Cancel-safe: what was read of it stays.
    async fn read_line(&mut self) -> Line {
        loop {
            let Ok(bytes) = self.input.fill_buf().await else { return Line::End };
            if bytes.is_empty() {
                return Line::End;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            let consumed = piece.len() + usize::from(end.is_some());
            if let Some(skipped) = &mut self.skipped {
                skipped.push(piece);
            } else if self.line.len() + piece.len() > self.max_bytes {
                let mut skipped = MessageReader::skim();
                skipped.push(&std::mem::take(&mut self.line));
                skipped.push(piece);
                self.skipped = Some(skipped);
            } else {
                self.line.extend_from_slice(piece);
            }
            self.input.consume(consumed);
            if end.is_some() {
                return self.skipped.take().map_or(Line::Complete, Line::TooLong);
            }
        }
    }

    /// Takes the messages of the line that was read.
    fn take_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        for message in self.reader.read_all(&line) {
            self.take_message(message);
        }
    }

    fn take_message(&mut self, message: IncomingMessage<'_>) {
        match message {
            IncomingMessage::Ignored => {}
            IncomingMessage::FromServer(message) => self.ready.push_back(*message),
            IncomingMessage::Refused(reply) => {
                let sent = self.output.send(*reply);
                // The end of the connection is seen by its reader.
                self.replies.spawn(async move { drop(sent.await) });
            }
            IncomingMessage::Answer { id, answer } => self.take_answer(id, answer),
        }
    }

    fn take_answer(&mut self, id: Option<RequestId>, answer: IncomingAnswer<'_>) {
        if let Some(id) = id {
            let answered = self.pending.take(&id);
            self.ready.extend(answered.map(|(id, kind)| answer.into_message(id, kind)));
            return;
        }
        let is_error = matches!(answer, IncomingAnswer::Error(_));
        if is_error && self.pending.may_answer_notification() {
            return;
        }
        let mut waiting = self.pending.take_all();
        if is_error && waiting.len() == 1 {
            let answered = waiting.pop();
            self.ready.extend(answered.map(|(id, kind)| answer.into_message(id, kind)));
            return;
        }
        let failure = match answer {
            IncomingAnswer::Unusable(failure) => failure,
            IncomingAnswer::Result(_) | IncomingAnswer::Error(_) => TransportFailure::Unreadable,
        };
        // Of several requests any one may be meant, so that none can go on.
        let unusable = || IncomingAnswer::Unusable(failure.clone());
        self.ready.extend(waiting.into_iter().map(|(id, kind)| unusable().into_message(id, kind)));
    }
}

impl<R, W> Transport<RoleClient> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.pending.on_sent(&message);
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.read_line().await {
                Line::Complete => self.take_line(),
                Line::TooLong(skipped) => {
                    self.take_message(MessageReader::read_skimmed(&skipped.finish()));
                }
                Line::End => return None,
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.output.close()
    }
}

impl PendingRequests {
    fn on_sent(&mut self, message: &ClientJsonRpcMessage) {
        self.sent += 1;
        if let Some((id, kind)) = RequestKind::from_message(message) {
            self.requests.insert(id, (kind, self.sent));
        }
        let JsonRpcMessage::Notification(notification) = message else { return };
        self.last_notification = self.sent;
        if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
            if let Some(id) = &cancelled.params.request_id {
                self.requests.remove(id);
            }
        }
    }

    /// Takes the request that an answer names; some servers write its number as a text.
    fn take(&mut self, id: &RequestId) -> Option<(RequestId, RequestKind)> {
        let id = match id {
            RequestId::String(text) if !self.requests.contains_key(id) => {
                RequestId::Number(text.parse().ok()?)
            }
            RequestId::String(_) | RequestId::Number(_) => id.clone(),
        };
        let (kind, sent) = self.requests.remove(&id)?;
        self.read_until = self.read_until.max(sent);
        Some((id, kind))
    }

    fn take_all(&mut self) -> Vec<(RequestId, RequestKind)> {
        self.requests.drain().map(|(id, (kind, _))| (id, kind)).collect()
    }

    /// Returns whether an error that names no request may be about a notification, which some servers
    /// answer.
    fn may_answer_notification(&self) -> bool {
        self.last_notification > self.read_until
    }
}
