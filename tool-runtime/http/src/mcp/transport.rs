//! The transport of a request, and its caller.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::client_channel::cancelled_request;
use super::sessions::SessionUse;
use super::stdio::line_writer::QueuedBytes;
use crate::request::admission::Admitted;
use crate::response::AnswerFacts;
use crate::state::byte_quotas::BodyPermit;
use crate::state::caller::Caller;
use crate::state::quota::Permit;

/// The transport of requests.
#[derive(Debug, Clone)]
pub(super) enum Transport {
    /// Over HTTP: each request has its own caller.
    Http,
    /// Over the program's standard streams: the caller is the program's configuration.
    Streams { caller: Arc<RequestCaller>, input_end: InputEnd, turns: CallTurns },
}

/// The end of a client's input: the client has left.
#[derive(Debug, Clone)]
pub(super) struct InputEnd(Arc<watch::Sender<bool>>);

/// The queue of the calls of one client on streams: a bounded number runs at a time, and none begins
/// while the client does not read the answers of others.
#[derive(Debug, Clone)]
pub(super) struct CallTurns {
    running: Arc<Semaphore>,
    queued: QueuedBytes,
}

/// The most calls of one client on streams that run at a time.
const MAX_RUNNING: usize = 128;

/// The caller of a request, with what the request has in addition to its message.
#[derive(Debug)]
pub(super) struct RequestCaller {
    pub(super) admitted: Admitted,
    pub(super) headers: HeaderMap,
    /// The arguments of its call as they were sent, if they are known.
    pub(super) arguments: Option<Box<RawValue>>,
    pub(super) body_permit: Option<BodyPermit>,
    /// The stream that may answer it.
    pub(super) stream: Option<Arc<AnswerStream>>,
    /// Set for a call of a tool that the caller may not call.
    pub(super) denied: OnceLock<Denied>,
    /// Set for a call, when it is opened.
    ///
    /// This cell and the next one are shared, since `rmcp` runs the call in a task and returns only
    /// its HTTP response.
    pub(super) called: OnceLock<CalledTool>,
    /// True if a call with an effect has run.
    pub(super) has_effect: AtomicBool,
}

/// The call of a request, as the audit of its HTTP response names it.
#[derive(Debug)]
pub(super) struct CalledTool {
    pub(super) name: Box<str>,
    pub(super) trace_id: Box<str>,
}

/// The arguments of a call on standard streams as they were sent, in its request's extensions.
#[derive(Debug, Clone)]
pub(super) struct SentArguments(pub(super) Box<RawValue>);

/// The place of a stream, and the use of its session: both are held while the call runs and while the
/// stream is sent, since a call of a session outlives its stream.
#[derive(Debug)]
pub(super) struct AnswerStream {
    pub(super) _place: Permit<Caller>,
    pub(super) _session: Option<SessionUse>,
}

/// A call that the caller's credential does not cover, as HTTP answers it.
#[derive(Debug)]
pub(super) struct Denied {
    pub(super) status: StatusCode,
    pub(super) challenge: Option<HeaderValue>,
}

impl RequestCaller {
    /// Creates the caller of an HTTP request.
    pub(super) fn new(admitted: Admitted, headers: HeaderMap) -> Self {
        Self { headers, ..Self::without_request(admitted) }
    }

    /// Creates the caller of all messages of a program's standard streams.
    pub(super) fn without_request(admitted: Admitted) -> Self {
        Self {
            admitted,
            headers: HeaderMap::new(),
            arguments: None,
            body_permit: None,
            stream: None,
            denied: OnceLock::new(),
            called: OnceLock::new(),
            has_effect: AtomicBool::new(false),
        }
    }

    /// Returns what is known now of the call whose HTTP response is about to be sent.
    pub(super) fn answer_facts(&self) -> AnswerFacts {
        let called = self.called.get();
        AnswerFacts {
            payload: None,
            trace_id: called.map(|called| called.trace_id.clone()),
            tool_name: called.map(|called| called.name.clone()),
            has_effect: self.has_effect.load(Ordering::Relaxed),
        }
    }
}

impl InputEnd {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(super) fn reach(&self) {
        self.0.send_replace(true);
    }

    async fn reached(&self) {
        // The sender is held here.
        let _ = self.0.subscribe().wait_for(|reached| *reached).await;
    }
}

impl CallTurns {
    /// Creates the turns of a client with these unread answers.
    pub(super) fn new(queued: QueuedBytes) -> Self {
        Self { running: Arc::new(Semaphore::new(MAX_RUNNING)), queued }
    }

    async fn next(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        let turn = self.running.clone().acquire_owned().await.ok();
        self.queued.have_space().await;
        turn
    }
}

impl Transport {
    /// Waits until a call may run, and holds its turn; over HTTP the server's limits decide.
    ///
    /// # Errors
    /// The request was cancelled.
    pub(super) async fn turn(
        &self,
        request: &RequestContext<RoleServer>,
    ) -> Result<Option<OwnedSemaphorePermit>, ErrorData> {
        match self {
            Self::Http => Ok(None),
            Self::Streams { turns, .. } => tokio::select! {
                turn = turns.next() => Ok(turn),
                () = request.ct.cancelled() => Err(cancelled_request()),
            },
        }
    }

    /// Waits until the client has left; never over HTTP, where a request ends with its connection.
    pub(super) async fn client_left(&self) {
        match self {
            Self::Http => std::future::pending().await,
            Self::Streams { input_end, .. } => input_end.reached().await,
        }
    }

    /// Returns the caller of a request.
    pub(super) fn caller(
        &self,
        request: &RequestContext<RoleServer>,
    ) -> Result<Arc<RequestCaller>, ErrorData> {
        match self {
            Self::Streams { caller, .. } => Ok(match request.extensions.get::<SentArguments>() {
                None => caller.clone(),
                Some(SentArguments(arguments)) => Arc::new(RequestCaller {
                    arguments: Some(arguments.clone()),
                    ..RequestCaller::without_request(caller.admitted.clone())
                }),
            }),
            Self::Http => {
                let parts = request.extensions.get::<Parts>();
                let caller = parts.and_then(|parts| parts.extensions.get::<Arc<RequestCaller>>());
                caller.cloned().ok_or_else(|| {
                    ErrorData::internal_error("the request has lost its caller", None)
                })
            }
        }
    }
}
