//! The answers to one turn: one per call, in the model's order, with declared tool names.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use thiserror::Error;
use tool_contracts::ToolErrorDetail;
use tool_runtime_core::dispatch::refusal::CUT_OFF;
use tool_runtime_core::refusal_reason::RefusalReason;

use super::format::{AnswerBody, AnswerContent, PreparedAnswer};
use super::names::ToolNames;
use super::{ClientTypeError, RequestedCall, StopReason, ToolAnswer, Turn};

/// Describes why a turn could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// A call has not been executed or rejected.
    #[error("the call `{call_id}` is not executed; execute or decline it before answering")]
    Pending {
        /// The call's id.
        call_id: String,
    },
    /// A call has no answer.
    #[error(
        "the call `{call_id}` has no answer; providers require an answer to every call of a turn"
    )]
    Missing {
        /// The call's id.
        call_id: String,
    },
    /// An answer belongs to no call of this turn.
    #[error("no call of this turn has the id `{call_id}`; open calls by `Turn::open_calls`")]
    Unknown {
        /// The answer's call id; empty if its call was opened without one.
        call_id: String,
    },
    /// The messages cannot be converted to a type of a client library.
    #[error(transparent)]
    ClientType(ClientTypeError),
    /// A call has two answers.
    #[error("the call `{call_id}` is answered twice; each call takes one answer")]
    Duplicate {
        /// The call's id.
        call_id: String,
    },
}

/// Sorts the answers by the turn's calls, and checks that each call has exactly one.
pub(super) fn match_to_calls<'t>(
    turn: &'t Turn,
    answers: Vec<ToolAnswer>,
    names: &ToolNames,
) -> Result<Vec<PreparedAnswer<'t>>, AnswerError> {
    let call_ids: HashSet<_> = turn.calls().iter().map(RequestedCall::call_id).collect();
    let mut by_id = HashMap::with_capacity(answers.len());
    for answer in answers {
        let call_id = answer.call_id.clone();
        if !call_ids.contains(&*call_id) {
            return Err(AnswerError::Unknown { call_id });
        }
        if matches!(answer.content.body, AnswerBody::Pending) {
            return Err(AnswerError::Pending { call_id });
        }
        if by_id.insert(call_id.clone(), answer).is_some() {
            return Err(AnswerError::Duplicate { call_id });
        }
    }
    let prepare = |call: &'t RequestedCall| match by_id.remove(call.call_id()) {
        Some(ToolAnswer { content, .. }) => {
            let content = prepared_content(content, &turn.stop, names);
            Ok(PreparedAnswer { call: &call.parsed, content, found: Vec::new() })
        }
        None => Err(AnswerError::Missing { call_id: call.call_id().to_owned() }),
    };
    turn.calls().iter().map(prepare).collect()
}

/// Names tools as they were declared, and adds the remedy for a call that was cut off.
fn prepared_content(
    mut content: AnswerContent,
    stop: &StopReason,
    names: &ToolNames,
) -> AnswerContent {
    if let AnswerBody::Error(error) = &mut content.body {
        let has_remedy =
            detail(error, "reason").is_some_and(|reason| reason == RefusalReason::CutOff.as_str());
        if stop.is_cut_off() && !has_remedy {
            content.notes.push(CUT_OFF.to_owned());
        }
    }
    with_declared_names_in(&mut content, names);
    content
}

/// Names tools in an error as they were declared.
pub(super) fn with_declared_names_in(content: &mut AnswerContent, names: &ToolNames) {
    if let AnswerBody::Error(error) = &mut content.body {
        **error = with_declared_names(error, names);
    }
}

/// Replaces tool names in an error by their declared names.
fn with_declared_names(error: &ToolErrorDetail, names: &ToolNames) -> ToolErrorDetail {
    let message = with_declared_names_in_text(error.message(), names);
    let mut builder = error.clone().into_builder().message(message);
    if let Some(Value::Array(closest)) = detail(error, "closest") {
        let wire = |name: &Value| {
            let wire_name = name.as_str().and_then(|name| names.wire(name));
            wire_name.map_or_else(|| name.clone(), Value::from)
        };
        builder = builder.detail("closest", closest.iter().map(wire).collect::<Vec<_>>());
    }
    builder.build()
}

/// Replaces tool names between backticks.
fn with_declared_names_in_text(text: &str, names: &ToolNames) -> String {
    let parts = text.split('`').enumerate().map(|(place, part)| match names.wire(part) {
        Some(wire) if place % 2 == 1 => wire,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("`")
}

fn detail<'e>(error: &'e ToolErrorDetail, name: &str) -> Option<&'e Value> {
    error.details().and_then(|details| details.get(name))
}
