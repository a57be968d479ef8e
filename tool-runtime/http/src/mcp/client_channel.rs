//! The messages between the server and a client while a call runs: progress reports, questions to the
//! user, and cancellation.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;

use futures::future::{join, pending};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tool_runtime_core::{ProgressUpdate, ToolCall};

use super::call::ToolRequest;
use super::input::SessionQuestions;
use super::progress::ProgressReports;
use super::running_calls::RunningCall;
use crate::endpoints::call::running::ends_with_caller;

/// The messages between a running call and its client, except for the answer.
pub(super) struct ClientChannel<'r> {
    link: &'r RequestContext<RoleServer>,
    reports: ProgressReports,
    questions: Option<&'r mut SessionQuestions>,
    ends_with_caller: bool,
    _running: RunningCall,
}

impl<'r> ClientChannel<'r> {
    /// Subscribes to the progress of a call, for the client of this request and for `listen`.
    pub(super) fn new(
        request: &'r ToolRequest<'_>,
        link: &'r RequestContext<RoleServer>,
        call: &ToolCall,
        questions: Option<&'r mut SessionQuestions>,
        listen: impl Fn(&ProgressUpdate) + Send + Sync + 'static,
    ) -> Self {
        Self {
            link,
            reports: ProgressReports::new(call, &request.meta, listen),
            questions,
            ends_with_caller: ends_with_caller(call),
            _running: request.server.running.add(link, call),
        }
    }

    /// Waits for the call, and sends the client its progress and its questions meanwhile. The call is
    /// polled also while the client does not read.
    ///
    /// # Errors
    /// The request was cancelled, or its client has disconnected, and the call has no effect. A call with
    /// an effect runs on: its client may have lost the connection alone.
    pub(super) async fn serve_until<T>(
        &mut self,
        finished: impl Future<Output = T>,
    ) -> Result<T, ErrorData> {
        let Self { link, reports, questions, ends_with_caller, .. } = self;
        let RequestContext { peer: client, ct: cancelled, .. } = link;
        let finished = {
            let question_loop = async {
                match questions {
                    Some(questions) => questions.ask_all(client).await,
                    None => pending::<Infallible>().await,
                }
            };
            let exchange = pin!(join(reports.send_all(client), question_loop));
            tokio::select! {
                biased;
                finished = finished => finished,
                () = cancelled.cancelled(), if *ends_with_caller => return Err(cancelled_request()),
                (never, _) = exchange => match never {},
            }
        };
        reports.send_rest(client).await;
        Ok(finished)
    }
}

/// The answer to a request that its client has cancelled; that client no longer reads it.
pub(super) fn cancelled_request() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}
