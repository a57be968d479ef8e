//! `tools/call`: opens a call of the runtime, runs it, and answers with its output.

use std::pin::pin;
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, RequestMetaObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::value::RawValue;
use tool_contracts::{CallStatus, ErrorCode, ToolContext};

use super::answer;
use super::confirmation::{self, Reply};
use super::context;
use super::door::{Denied, RequestCaller};
use super::handler::ToolServer;
use super::progress::ProgressReports;
use super::resource::challenge_parameter;
use super::revision::Revision;
use super::tasks::Begun;
use super::user::ClientUser;
use crate::ToolCall;
use crate::http::endpoints::call::{self, FinishedCall};
use crate::http::problem::Problem;

/// A request for a call.
pub(super) struct ToolRequest<'s> {
    pub(super) server: &'s ToolServer,
    pub(super) caller: Arc<RequestCaller>,
    pub(super) revision: Revision,
    pub(super) meta: RequestMetaObject,
    pub(super) capabilities: Option<ClientCapabilities>,
    /// The connection to the client; none for a request that is answered without one.
    pub(super) link: Option<RequestContext<RoleServer>>,
}

/// A request that gets no result of a tool, and the error that it gets.
pub(super) enum Refused {
    /// An error of the protocol, for the client.
    Protocol(ErrorData),
    /// A failed result, for the model.
    Result(Box<CallToolResult>),
}

impl<'s> ToolRequest<'s> {
    pub(super) fn new(
        server: &'s ToolServer,
        mut context: RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let (caller, revision) = (server.door.caller(&context)?, Revision::of(&context));
        let capabilities = context.client_capabilities();
        let meta = std::mem::take(&mut context.meta);
        Ok(Self { server, caller, revision, meta, capabilities, link: Some(context) })
    }

    /// Answers the request.
    pub(super) async fn answer(
        self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.answered(params).await {
            Ok(response) => Ok(response),
            Err(Refused::Result(result)) => Ok((*result).into()),
            Err(Refused::Protocol(error)) => Err(error),
        }
    }

    async fn answered(&self, params: CallToolRequestParams) -> Result<CallToolResponse, Refused> {
        let app = &self.server.app;
        let cx = context::of_request(&self.caller, &self.meta, app, &self.server.settings)?;
        let name = call::repeatable(params.name.clone().into_owned());
        if let Some(audit) = &self.caller.audit {
            let audit = &mut *audit.lock();
            audit.trace_id = Some(cx.trace_id().into());
            audit.tool_name.clone_from(&name);
        }
        if let Some(reply) = Reply::of(&params)? {
            let call = self.resumed(&reply, &params.name, &cx).await?;
            let finished = self.finished(call).await?;
            return Ok(self.result(&finished).await.into());
        }
        let becomes_task = self.may_become_task(&params.name)?;
        let user = self.user(&params, &cx)?;
        let call = self.opened(&name, &params, cx)?;
        if let (Some(user), Some(scope)) = (&user, call.scope()) {
            scope.set_input_source(user.source());
        }
        let becomes_task = becomes_task && call.status() == CallStatus::Pending;
        let finished = if becomes_task {
            let round = user.as_ref().and_then(ClientUser::of_round);
            match self.begin_task(call, round).await? {
                Begun::Finished(finished) => *finished,
                Begun::Task(task) => return Ok(CallToolResponse::Task(*task)),
            }
        } else {
            self.finished(call).await?
        };
        if let Some(asked) = user.and_then(|user| self.questions(&user, &finished.call)) {
            return Ok(asked.into());
        }
        self.respond(finished).await
    }

    fn opened(
        &self,
        name: &str,
        params: &CallToolRequestParams,
        cx: ToolContext,
    ) -> Result<ToolCall, Refused> {
        let input = match &self.caller.arguments {
            Some(sent) => sent.clone(),
            None => read_arguments(params)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
        };
        call::open_named(&self.server.app, &self.caller.admitted, name, (input, cx))
            .map_err(|problem| self.refused(name, problem))
    }

    /// Refuses a call before it exists.
    pub(super) fn refused(&self, tool: &str, problem: Problem) -> Refused {
        if matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let is_scope = problem.status == StatusCode::FORBIDDEN
                && self.server.app.config.auth.takes_tokens();
            let mut words = format!(r#"Bearer error="insufficient_scope", scope="tools:{tool}""#);
            if let Some(metadata) = challenge_parameter(&self.server.app) {
                words = format!("{words}, {metadata}");
            }
            let challenge = HeaderValue::from_str(&words).ok().filter(|_| is_scope);
            let _ = self.caller.denied.set(Denied { status: problem.status, challenge });
        }
        problem.into()
    }

    /// Runs a call to its end, and tells the client of its progress.
    pub(super) async fn finished(&self, call: ToolCall) -> Result<FinishedCall, Refused> {
        let app = &self.server.app;
        let caller = self.caller.admitted.caller().clone();
        let Some(RequestContext { peer, id, ct: cancelled, .. }) = &self.link else {
            return Ok(call::executed(app, call, caller).await?);
        };
        let _running = self.server.running.add(id, &call);
        let mut reports = ProgressReports::of(&call, &self.meta);
        let ends_with_caller = call::running::ends_with_caller(&call);
        let mut executed = pin!(call::executed(app, call, caller));
        loop {
            tokio::select! {
                biased;
                finished = executed.as_mut() => {
                    reports.send_rest(peer).await;
                    return Ok(finished?);
                }
                // A call with an effect runs on: its client may have lost the connection alone.
                () = cancelled.cancelled(), if ends_with_caller => {
                    let error = ErrorData::internal_error("the request was cancelled", None);
                    return Err(error.into());
                }
                update = reports.next() => reports.send(update, peer).await,
            }
        }
    }

    /// Writes the result of a call that has ended; one that needs approval may be confirmed first.
    async fn respond(&self, finished: FinishedCall) -> Result<CallToolResponse, Refused> {
        if finished.call.tool().is_none() {
            return Err(unknown_tool(&finished.call).into());
        }
        if let Some(question) = confirmation::question(self, &finished.call) {
            return Box::pin(confirmation::ask(self, question, finished)).await;
        }
        Ok(self.result(&finished).await.into())
    }

    /// Writes the result of a call.
    pub(super) async fn result(&self, finished: &FinishedCall) -> CallToolResult {
        if let Some(audit) = &self.caller.audit {
            audit.lock().has_effect = !call::running::ends_with_caller(&finished.call);
        }
        answer::of_call(self.server, finished, self.revision).await
    }
}

impl From<ErrorData> for Refused {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

/// A problem that passes with time is a failed result, which the model may wait for; any other one is
/// an error of the protocol.
impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        let passes = matches!(
            problem.code,
            ErrorCode::RateLimited | ErrorCode::Unavailable | ErrorCode::Timeout
        );
        if passes {
            Self::Result(Box::new(answer::of_problem(problem)))
        } else {
            Self::Protocol(answer::protocol_error(problem))
        }
    }
}

/// Returns the error for a name that is no tool's, with the closest names that the caller may use.
fn unknown_tool(call: &ToolCall) -> ErrorData {
    debug_assert_ne!(call.status(), CallStatus::Pending);
    let Some(detail) = call.output().and_then(|output| output.error()) else {
        return ErrorData::invalid_params("there is no such tool", None);
    };
    ErrorData::invalid_params(detail.message().to_owned(), answer::public_detail(detail))
}

fn read_arguments(params: &CallToolRequestParams) -> serde_json::Result<Box<RawValue>> {
    match &params.arguments {
        Some(arguments) => serde_json::value::to_raw_value(arguments),
        None => RawValue::from_string("{}".to_owned()),
    }
}
