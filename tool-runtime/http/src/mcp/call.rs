//! `tools/call`: opens a call of the runtime, runs it, and answers with its output.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::http::{HeaderValue, StatusCode};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, RequestMetaObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::value::RawValue;
use tool_contracts::{CallStatus, ErrorCode, ToolContext};
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::{ToolCall, ToolOutput};

use super::answer;
use super::client_channel::ClientChannel;
use super::confirmation;
use super::context;
use super::handler::ToolServer;
use super::request_state::StatedCall;
use super::revision::Revision;
use super::tasks::TaskStart;
use super::transport::{CalledTool, Denied, RequestCaller};
use super::user::ClientUser;
use crate::endpoints::call::{self, FinishedCall};
use crate::problem::Problem;
use crate::state::config::mcp::challenge_parameter;

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

/// The settings of a call's run.
pub(super) struct RunOptions {
    /// The call becomes a task if it takes longer than other calls.
    pub(super) becomes_task: bool,
    /// The client's user, whom the tool may ask.
    pub(super) user: Option<ClientUser>,
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
        let (caller, revision) =
            (server.transport.caller(&context)?, Revision::from_request(&context));
        let capabilities = context.client_capabilities();
        let meta = std::mem::take(&mut context.meta);
        Ok(Self { server, caller, revision, meta, capabilities, link: Some(context) })
    }

    /// Answers the request.
    pub(super) async fn answer(
        self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.try_answer(params).await {
            Ok(response) => Ok(response),
            Err(Refused::Result(result)) => Ok((*result).into()),
            Err(Refused::Protocol(error)) => Err(error),
        }
    }

    async fn try_answer(&self, params: CallToolRequestParams) -> Result<CallToolResponse, Refused> {
        let app = &self.server.app;
        let cx = context::for_request(&self.caller, &self.meta, app, &self.server.settings)?;
        let name = call::truncated_tool_name(params.name.clone().into_owned());
        let called = CalledTool { name: name.clone(), trace_id: cx.trace_id().into() };
        let _ = self.caller.called.set(called);
        let input = self.arguments(&params)?;
        let stated = StatedCall { app, tool: &params.name, arguments: input.get() };
        let earlier = stated.read_earlier_rounds(&params, &cx)?;
        let becomes_task = self.may_become_task(&params.name)?;
        let mut run = RunOptions { becomes_task, user: self.user(earlier.answers) };
        let call = match &earlier.reply {
            Some(reply) => self.resumed(reply, &params.name, &cx).await?,
            None => self.open_call(&name, (*input).to_owned(), cx)?,
        };
        let finished = match self.run(call, &mut run).await? {
            TaskStart::Finished(finished) => *finished,
            TaskStart::Task(task) => return Ok(CallToolResponse::Task(*task)),
        };
        if earlier.reply.is_none() && finished.call.tool().is_none() {
            return Err(unknown_tool(&finished.call).into());
        }
        let is_success = finished.call.output().is_some_and(ToolOutput::is_ok);
        let round = run.user.as_ref().and_then(ClientUser::as_round).filter(|_| !is_success);
        if let Some(questions) = round.and_then(|user| user.round(&stated, finished.call.cx())) {
            return Ok(questions.into());
        }
        let question = confirmation::question(self, &finished.call);
        match question.filter(|_| earlier.reply.is_none()) {
            Some(question) => {
                confirmation::confirm_with_user(self, question, (finished, run), &stated).await
            }
            None => Ok(self.result(&finished).await.into()),
        }
    }

    /// Returns the arguments as they were sent.
    fn arguments(&self, params: &CallToolRequestParams) -> Result<Cow<'_, RawValue>, ErrorData> {
        match &self.caller.arguments {
            Some(sent) => Ok(Cow::Borrowed(sent)),
            None => read_arguments(params)
                .map(Cow::Owned)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None)),
        }
    }

    fn open_call(
        &self,
        name: &str,
        input: Box<RawValue>,
        cx: ToolContext,
    ) -> Result<ToolCall, Refused> {
        call::open_named(&self.server.app, &self.caller.admitted, name, (input, cx))
            .map_err(|problem| self.refused(name, problem))
    }

    /// Refuses a call before it exists.
    pub(super) fn refused(&self, tool: &str, problem: Problem) -> Refused {
        if matches!(problem.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let needs_scope = problem.reason() == Some(RefusalReason::Scope)
                && self.server.app.config.auth.takes_tokens();
            let challenge = needs_scope.then(|| self.scope_challenge(tool)).flatten();
            let _ = self.caller.denied.set(Denied { status: problem.status, challenge });
        }
        problem.into()
    }

    /// Names the scopes that a call of the tool needs: RFC 6750, section 3.1.
    fn scope_challenge(&self, tool: &str) -> Option<HeaderValue> {
        let app = &self.server.app;
        let for_models = app.runtime.spec(tool).is_none_or(|spec| spec.ai_callable());
        let internal = if for_models { "" } else { " internal" };
        let mut words =
            format!(r#"Bearer error="insufficient_scope", scope="tools:{tool}{internal}""#);
        if let Some(metadata) = challenge_parameter(app) {
            words = format!("{words}, {metadata}");
        }
        HeaderValue::from_str(&words).ok()
    }

    /// Runs a call; if it may become a task and takes long, returns before its end.
    pub(super) async fn run(
        &self,
        call: ToolCall,
        run: &mut RunOptions,
    ) -> Result<TaskStart, Refused> {
        if let (Some(user), Some(scope)) = (&run.user, call.scope()) {
            scope.set_input_source(user.source());
        }
        let is_pending = call.status() == CallStatus::Pending;
        match &self.link {
            Some(link) if run.becomes_task && is_pending => {
                self.begin_task(call, link, run.user.as_mut()).await
            }
            Some(_) | None => {
                let finished = self.finished(call, run.user.as_mut()).await?;
                Ok(TaskStart::Finished(Box::new(finished)))
            }
        }
    }

    /// Runs a call to its end, and exchanges messages with the client meanwhile.
    async fn finished(
        &self,
        call: ToolCall,
        user: Option<&mut ClientUser>,
    ) -> Result<FinishedCall, Refused> {
        let app = &self.server.app;
        let caller = self.caller.admitted.caller().clone();
        let Some(link) = &self.link else { return Ok(call::execute(app, call, caller).await?) };
        let questions = user.and_then(ClientUser::questions);
        let mut channel = ClientChannel::new(self, link, &call, questions, |_| ());
        Ok(channel.serve_until(call::execute(app, call, caller)).await??)
    }

    /// Writes the result of a call.
    pub(super) async fn result(&self, finished: &FinishedCall) -> CallToolResult {
        let has_effect = !call::running::ends_with_caller(&finished.call);
        self.caller.has_effect.store(has_effect, Ordering::Relaxed);
        answer::for_call(self.server, finished, self.revision).await
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
            Self::Result(Box::new(answer::for_problem(problem)))
        } else {
            Self::Protocol(answer::protocol_error(problem))
        }
    }
}

/// Returns the error for the name of an unknown tool, with the closest names that the caller may use.
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
