//! The answers to one turn: one per call, in the model's order, with declared tool names.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use thiserror::Error;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

use super::answer::AnswerBody;
use super::names::ToolNames;
use super::{Answer, RequestedCall, StopReason, Turn};
use crate::dispatch::refusal::CUT_OFF;

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
    /// A call has two answers.
    #[error("the call `{call_id}` is answered twice; each call takes one answer")]
    Duplicate {
        /// The call's id.
        call_id: String,
    },
}

/// The answer to one call, prepared for a dialect.
pub(super) struct PreparedAnswer<'t> {
    pub(super) asked: &'t RequestedCall,
    pub(super) is_error: bool,
    body: AnswerBody,
    notes: Vec<String>,
}

/// Sorts the answers by the turn's calls, and checks that each call has exactly one.
pub(super) fn match_to_calls<'t>(
    turn: &'t Turn,
    answers: Vec<Answer>,
    names: &ToolNames,
) -> Result<Vec<PreparedAnswer<'t>>, AnswerError> {
    let known: HashSet<_> = turn.calls().iter().map(RequestedCall::call_id).collect();
    let mut by_id = HashMap::with_capacity(answers.len());
    for answer in answers {
        let call_id = answer.call_id.clone();
        if !known.contains(&*call_id) {
            return Err(AnswerError::Unknown { call_id });
        }
        if matches!(answer.body, AnswerBody::Pending) {
            return Err(AnswerError::Pending { call_id });
        }
        if by_id.insert(call_id.clone(), answer).is_some() {
            return Err(AnswerError::Duplicate { call_id });
        }
    }
    let reply = |asked: &'t RequestedCall| match by_id.remove(&asked.call_id) {
        Some(answer) => Ok(PreparedAnswer::new(asked, answer, &turn.stop, names)),
        None => Err(AnswerError::Missing { call_id: asked.call_id.clone() }),
    };
    turn.calls().iter().map(reply).collect()
}

impl<'t> PreparedAnswer<'t> {
    fn new(asked: &'t RequestedCall, answer: Answer, stop: &StopReason, names: &ToolNames) -> Self {
        let Answer { is_error, mut body, mut notes, .. } = answer;
        if let AnswerBody::Error(error) = &mut body {
            let says_so = fact(error, "reason").is_some_and(|reason| reason == "cut_off");
            if matches!(stop, StopReason::Length | StopReason::Interrupted) && !says_so {
                notes.push(CUT_OFF.to_owned());
            }
            **error = with_declared_names(error, names);
        }
        Self { asked, is_error, body, notes }
    }

    /// The content as one text, which is never blank.
    pub(super) fn text(&self) -> String {
        let text = match &self.body {
            AnswerBody::Data(data) if self.notes.is_empty() => data.clone(),
            AnswerBody::Text(text) if self.notes.is_empty() => text.clone(),
            AnswerBody::Text(text) => format!("{text}\n\n{}", self.notes.join("\n")),
            body => self.noted(body),
        };
        if text.trim().is_empty() { r#""""#.to_owned() } else { text }
    }

    /// The content as an object with the member `output` or `error`.
    pub(super) fn object(&self) -> Value {
        let mut object = Map::new();
        let shown = match &self.body {
            AnswerBody::Data(data) => {
                Some(serde_json::from_str(data).unwrap_or_else(|_| data.as_str().into()))
            }
            AnswerBody::Text(text) => Some(text.as_str().into()),
            AnswerBody::Error(error) => Some(to_value(&ErrorSummary::of(error))),
            AnswerBody::Pending | AnswerBody::Notes => None,
        };
        if let Some(shown) = shown {
            object.insert(if self.is_error { "error" } else { "output" }.to_owned(), shown);
        }
        if !self.notes.is_empty() {
            object.insert("notes".to_owned(), to_value(&self.notes));
        }
        object.into()
    }

    fn noted(&self, body: &AnswerBody) -> String {
        let (mut data, mut error) = (None, None);
        match body {
            AnswerBody::Data(text) => data = serde_json::from_str(text).ok(),
            AnswerBody::Error(detail) => error = Some(ErrorSummary::of(detail)),
            AnswerBody::Pending | AnswerBody::Text(_) | AnswerBody::Notes => {}
        }
        let noted = AnnotatedAnswer { data, error, notes: &self.notes };
        serde_json::to_string(&noted).expect("texts and JSON are written to memory as JSON")
    }
}

/// The object for the model if there are notes beside the data.
#[derive(Serialize)]
struct AnnotatedAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorSummary<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// An error for the model, without its cause.
#[derive(Serialize)]
struct ErrorSummary<'a> {
    #[serde(rename = "type")]
    class: ToolErrorType,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
}

impl<'a> ErrorSummary<'a> {
    fn of(error: &'a ToolErrorDetail) -> Self {
        Self {
            class: error.class(),
            code: error.code(),
            message: error.message(),
            retry_after_ms: error.retry_after_ms(),
            details: details(error),
        }
    }
}

/// The details for the model: all except the approval ticket, which belongs to the host.
fn details(error: &ToolErrorDetail) -> Option<Map<String, Value>> {
    let mut details = error.details()?.clone();
    if error.code() == Some(ErrorCode::NeedsUserConfirmation.as_str()) {
        details.remove("ticket");
    }
    Some(details).filter(|details| !details.is_empty())
}

/// Replaces tool names in an error by their declared names.
fn with_declared_names(error: &ToolErrorDetail, names: &ToolNames) -> ToolErrorDetail {
    let message = renamed(error.message(), names);
    let mut said = error.clone().into_builder().message(message);
    if let Some(Value::Array(closest)) = fact(error, "closest") {
        let wire = |name: &Value| {
            let known = name.as_str().and_then(|name| names.wire(name));
            known.map_or_else(|| name.clone(), Value::from)
        };
        said = said.detail("closest", closest.iter().map(wire).collect::<Vec<_>>());
    }
    said.build()
}

/// Replaces tool names between backticks.
fn renamed(text: &str, names: &ToolNames) -> String {
    let parts = text.split('`').enumerate().map(|(place, part)| match names.wire(part) {
        Some(wire) if place % 2 == 1 => wire,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("`")
}

fn fact<'e>(error: &'e ToolErrorDetail, name: &str) -> Option<&'e Value> {
    error.details().and_then(|details| details.get(name))
}

fn to_value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("texts and JSON are read from memory as JSON")
}
