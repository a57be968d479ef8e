//! `POST /tools/call`: one call, answered as JSON or as a stream of events.

mod accept;
mod envelope;
mod events;
mod running;
mod streams;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::value::RawValue;
use tool_contracts::server::CallRequest;
use tool_contracts::{CallStatus, ErrorCode, ToolContext, ToolSpec};

use self::accept::Form;
pub(super) use self::envelope::envelope_call;
use self::running::End;
pub(super) use self::running::Ran;
use super::answer::{Heard, Outcome, ResponseFormat, told_meta};
use super::app::{App, Shared};
use super::auth::{Asker, Principal};
use super::flood::RefusalKind;
use super::problem::Problem;
use super::rate::Caller;
use super::{body, caller, receiving, status};
use crate::ToolCall;

#[cfg(test)]
mod tests;

/// The longest name that a tool may have.
const LONGEST_NAME: usize = 128;

/// Answers a request for a call.
pub(super) async fn call(State(app): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| serve(&app, &parts, body, heard).await).await
}

async fn serve(
    app: &Shared,
    parts: &Parts,
    body: Body,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    let form = accept::form(&parts.headers)
        .ok_or_else(|| not_acceptable("`application/json` or `text/event-stream`"))?;
    let (call, _share) = {
        let body = body::read(app, parts, body, heard).await?;
        heard.body(&body);
        (open(app, parts, &body, &principal, heard)?, body.into_share())
    };
    // What was refused has nothing to tell on the way.
    if form == Form::Events && call.status() == CallStatus::Pending {
        let place = streams::place(app, heard.caller(parts))?;
        return events::stream(app, call, (heard.caller(parts), place), heard);
    }
    let ran = executed(app, call, heard.caller(parts)).await?;
    Ok(outcome(app, &ran, heard).into_response())
}

/// Executes a call: with its caller, or where it may have an effect in a task of its own.
pub(super) async fn executed(app: &Shared, call: ToolCall, caller: Caller) -> Result<Ran, Problem> {
    if call.status() != CallStatus::Pending || running::ends_with_caller(&call) {
        return Ok(running::run(app, call).await);
    }
    running::spawn(app, call, caller)?.await
}

/// Opens the call that a body asks for, if this caller may make it.
fn open(
    app: &App,
    parts: &Parts,
    body: &[u8],
    principal: &Principal,
    heard: &mut Heard,
) -> Result<ToolCall, Problem> {
    let request: CallRequest = body::parse(body)?;
    let (name, input, context) = request.into_parts();
    heard.tool_name = repeatable(name);
    let cx = caller::context(&receiving::head(parts), Some(context), principal)?;
    open_named(app, parts, (input, cx), principal, heard)
}

/// Opens a call of the tool that `heard` names, if the caller may call it.
fn open_named(
    app: &App,
    parts: &Parts,
    (input, cx): (Box<RawValue>, ToolContext),
    principal: &Principal,
    heard: &Heard,
) -> Result<ToolCall, Problem> {
    let may_know = |tool: &ToolSpec| principal.may_call(tool);
    if let Some(tool) = app.runtime.spec(&heard.tool_name) {
        require(principal, tool)?;
        app.rates.call(tool.name(), cx.tenant_id(), principal)?;
    } else if !app.refusal_counts.is_recorded(&heard.caller(parts), RefusalKind::Call) {
        let refusal = app.runtime.refusal_of_name(&heard.tool_name, &may_know);
        return Err(Problem::from_detail(&refusal.detail));
    }
    let input = Box::<str>::from(input);
    let mut call = app.runtime.open_knowing(&heard.tool_name, None, input, cx, &may_know);
    call.set_asker(|| Asker::of(principal).to_json());
    Ok(call)
}

/// Gives a name as it is repeated in answers, records and logs: no longer than a tool's may be.
///
/// What is cut ends so that no tool has the name.
fn repeatable(name: String) -> Box<str> {
    if name.chars().nth(LONGEST_NAME).is_none() {
        return name.into_boxed_str();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect::<String>().into()
}

/// Refuses a tool that this caller may not call, before its arguments are looked at.
///
/// It is not answered as one that does not exist: a model that is told so tries other names, and
/// whoever has the contract knows the tool anyway.
fn require(principal: &Principal, tool: &ToolSpec) -> Result<(), Problem> {
    if principal.may_call(tool) {
        return Ok(());
    }
    if principal.is_anonymous() {
        return Err(Problem::unauthorized(
            "this tool is not for callers that nobody knows; send an API key or a token",
        ));
    }
    let message = if tool.ai_callable() {
        "this caller may not call this tool; it takes a scope that covers it"
    } else {
        "this caller may not call this tool; it takes a scope that covers it, and `internal`, \
         because it is not meant for models"
    };
    Err(Problem::forbidden(message))
}

/// Says a call's answer in HTTP's words.
pub(super) fn outcome(app: &App, ran: &Ran, heard: &mut Heard) -> Outcome {
    let trace_id = ran.call.cx().trace_id();
    heard.has_effect = !running::ends_with_caller(&ran.call);
    let Some(output) = ran.call.output() else {
        return Problem::internal().outcome(heard);
    };
    if let Some(data) = output.data_json() {
        return match heard.format {
            ResponseFormat::CallResponse => {
                Outcome::success(data, told_meta(output), trace_id, heard)
            }
            ResponseFormat::Envelope => Outcome::envelope(output),
        };
    }
    heard.trace_id = Some(trace_id.into());
    let Some(detail) = output.error() else { return Problem::internal().outcome(heard) };
    if ran.end == End::Time {
        let detail = detail.clone().into_builder().code(ErrorCode::Timeout.as_str());
        let limit = app.config.bounds.request_time.as_millis();
        let message = format!("the call did not end within the {limit} ms that a request has");
        let detail = detail.message(message).build();
        return Outcome::failure(status::of(&detail, false), &detail, told_meta(output), heard);
    }
    let draining = ran.end == End::Server || app.config.drain.has_begun();
    Outcome::failure(status::of(detail, draining), detail, told_meta(output), heard)
}

fn not_acceptable(types: &str) -> Problem {
    let message = format!("accept: expected {types} among the types");
    Problem::new(StatusCode::NOT_ACCEPTABLE, ErrorCode::InvalidArgument, message)
}
