//! The answers of one turn: every call once, in the model's order, in the names that it knows.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use thiserror::Error;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorType};

use super::answer::Body;
use super::names::Names;
use super::{Answer, Asked, Stop, Turn};
use crate::dispatch::refusal::CUT_OFF;

/// Says why a turn could not be answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Stands for a call that has not run and was not refused.
    #[error("the call `{call_id}` is not executed; run it, or decline it, before it is answered")]
    Pending {
        /// The call's id.
        call_id: String,
    },
    /// Stands for a call that nothing answers.
    #[error("the call `{call_id}` has no answer; a provider wants every call of a turn answered")]
    Missing {
        /// The call's id.
        call_id: String,
    },
    /// Stands for an answer of no call of this turn.
    #[error("no call of this turn has the id `{call_id}`; open calls by `Turn::open`")]
    Unknown {
        /// The id that the answer has; empty if its call was opened without one.
        call_id: String,
    },
    /// Stands for a call that is answered twice.
    #[error("the call `{call_id}` is answered twice; give one answer a call")]
    Twice {
        /// The call's id.
        call_id: String,
    },
}

/// The answer to one call, for the dialect that it is written in.
pub(super) struct Reply<'t> {
    pub(super) asked: &'t Asked,
    pub(super) is_error: bool,
    body: Body,
    notes: Vec<String>,
}

/// Puts the answers in the order of the turn's calls: each once, none left out.
pub(super) fn in_order<'t>(
    turn: &'t Turn,
    answers: Vec<Answer>,
    names: &Names,
) -> Result<Vec<Reply<'t>>, AnswerError> {
    let known: HashSet<_> = turn.asked().iter().map(Asked::call_id).collect();
    let mut by_id = HashMap::with_capacity(answers.len());
    for answer in answers {
        let call_id = answer.call_id.clone();
        if !known.contains(&*call_id) {
            return Err(AnswerError::Unknown { call_id });
        }
        if matches!(answer.body, Body::Pending) {
            return Err(AnswerError::Pending { call_id });
        }
        if by_id.insert(call_id.clone(), answer).is_some() {
            return Err(AnswerError::Twice { call_id });
        }
    }
    let reply = |asked: &'t Asked| match by_id.remove(&asked.call_id) {
        Some(answer) => Ok(Reply::new(asked, answer, &turn.stop, names)),
        None => Err(AnswerError::Missing { call_id: asked.call_id.clone() }),
    };
    turn.asked().iter().map(reply).collect()
}

impl<'t> Reply<'t> {
    fn new(asked: &'t Asked, answer: Answer, stop: &Stop, names: &Names) -> Self {
        let Answer { is_error, mut body, mut notes, .. } = answer;
        if let Body::Error(error) = &mut body {
            let says_so = fact(error, "reason").is_some_and(|reason| reason == "cut_off");
            if matches!(stop, Stop::Length | Stop::Interrupted) && !says_so {
                notes.push(CUT_OFF.to_owned());
            }
            **error = in_its_names(error, names);
        }
        Self { asked, is_error, body, notes }
    }

    /// What a model reads, as one text, which is never blank.
    pub(super) fn text(&self) -> String {
        let text = match &self.body {
            Body::Data(data) if self.notes.is_empty() => data.clone(),
            Body::Text(text) if self.notes.is_empty() => text.clone(),
            Body::Text(text) => format!("{text}\n\n{}", self.notes.join("\n")),
            body => self.noted(body),
        };
        if text.trim().is_empty() { r#""""#.to_owned() } else { text }
    }

    /// What a model reads, as an object with the member `output` or `error`.
    pub(super) fn object(&self) -> Value {
        let mut object = Map::new();
        let shown = match &self.body {
            Body::Data(data) => {
                Some(serde_json::from_str(data).unwrap_or_else(|_| data.as_str().into()))
            }
            Body::Text(text) => Some(text.as_str().into()),
            Body::Error(error) => Some(to_value(&Failed::of(error))),
            Body::Pending | Body::Notes => None,
        };
        if let Some(shown) = shown {
            object.insert(if self.is_error { "error" } else { "output" }.to_owned(), shown);
        }
        if !self.notes.is_empty() {
            object.insert("notes".to_owned(), to_value(&self.notes));
        }
        object.into()
    }

    fn noted(&self, body: &Body) -> String {
        let (mut data, mut error) = (None, None);
        match body {
            Body::Data(text) => data = serde_json::from_str(text).ok(),
            Body::Error(detail) => error = Some(Failed::of(detail)),
            Body::Pending | Body::Text(_) | Body::Notes => {}
        }
        let noted = Noted { data, error, notes: &self.notes };
        serde_json::to_string(&noted).expect("texts and JSON are written to memory as JSON")
    }
}

/// The object that a model reads where there is more to say than the data.
#[derive(Serialize)]
struct Noted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failed<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// What a model is told of an error: nothing of what is behind it.
#[derive(Serialize)]
struct Failed<'a> {
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

impl<'a> Failed<'a> {
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

/// What a model is told beside the message: all but the ticket, which is the host's to keep.
fn details(error: &ToolErrorDetail) -> Option<Map<String, Value>> {
    let mut details = error.details()?.clone();
    if error.code() == Some(ErrorCode::NeedsUserConfirmation.as_str()) {
        details.remove("ticket");
    }
    Some(details).filter(|details| !details.is_empty())
}

/// Says an error in the names that the model knows the tools by.
fn in_its_names(error: &ToolErrorDetail, names: &Names) -> ToolErrorDetail {
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

/// Replaces the tools' names between backticks.
fn renamed(text: &str, names: &Names) -> String {
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
