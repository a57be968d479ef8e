//! The content of an answer, as the dialects write it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_contracts::{Audience, ErrorCode, ToolErrorDetail, ToolErrorType};
use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::json::from_text;

use super::parsed_response::ParsedCall;
use super::response_value::value_for_floats;

/// The content of the answer to one call.
#[derive(Debug, Clone)]
pub(crate) struct AnswerContent {
    pub(crate) is_error: bool,
    pub(crate) body: AnswerBody,
    pub(crate) notes: Vec<String>,
    /// Bytes are shared with the output.
    pub(crate) attachments: Vec<Attachment>,
    /// The own names of the tools that a search of ours has found.
    pub(crate) found_tools: Vec<String>,
}

/// The main part of an answer, without its notes.
#[derive(Debug, Clone)]
pub(crate) enum AnswerBody {
    /// The call is not executed yet.
    Pending,
    /// JSON text.
    Data(String),
    Text(String),
    Error(Box<ToolErrorDetail>),
    /// Only the notes.
    Notes,
}

/// An attachment of an answer that is one text: a part of that text, or a part that follows it.
pub(crate) enum ShownPart<T> {
    Text(String),
    Other(T),
}

/// The answer to one call, prepared for a dialect.
#[derive(Debug)]
pub(crate) struct PreparedAnswer<'t> {
    pub(crate) call: &'t ParsedCall,
    pub(crate) content: AnswerContent,
    /// The declarations of the tools that a provider's search, executed here, has found.
    pub(crate) found: Vec<Value>,
}

impl AnswerContent {
    pub(crate) fn new(body: AnswerBody, is_error: bool) -> Self {
        let (notes, attachments, found_tools) = (Vec::new(), Vec::new(), Vec::new());
        Self { is_error, body, notes, attachments, found_tools }
    }

    /// Returns the content with a note for each attachment, and the parts for those that the provider
    /// shows to the model.
    ///
    /// `part` writes one; none if the provider cannot show it.
    pub(crate) fn with_parts<T>(
        &self,
        mut part: impl FnMut(&Attachment) -> Option<T>,
    ) -> (Cow<'_, Self>, Vec<T>) {
        if self.attachments.is_empty() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let (mut content, mut parts) = (self.clone(), Vec::new());
        for attachment in std::mem::take(&mut content.attachments) {
            let is_for_model = attachment.is_for(Audience::Assistant);
            let model_part = is_for_model.then(|| part(&attachment)).flatten();
            let note = match (is_for_model, &model_part) {
                (true, Some(_)) => "attached",
                (true, None) => "attached, but not shown here",
                (false, _) => "attached for the user, and not shown here",
            };
            content.notes.push(format!("{note}: {attachment}"));
            parts.extend(model_part);
        }
        (Cow::Owned(content), parts)
    }

    /// Returns the content as one text, which ends with the attached texts, and the other parts.
    pub(crate) fn to_text_with_parts<T>(
        &self,
        part: impl Fn(&Attachment) -> Option<ShownPart<T>>,
    ) -> (String, Vec<T>) {
        let (content, shown) = self.with_parts(part);
        let (mut text, mut parts) = (content.to_text(), Vec::new());
        for part in shown {
            match part {
                ShownPart::Text(attached) => {
                    text.push_str("\n\n");
                    text.push_str(&attached);
                }
                ShownPart::Other(part) => parts.push(part),
            }
        }
        (text, parts)
    }

    /// Returns the content with a note for each attachment, for a reader of text alone.
    pub(crate) fn without_parts(&self) -> Cow<'_, Self> {
        self.with_parts(|_| None::<()>).0
    }

    /// The content as one text, which is never blank.
    pub(crate) fn to_text(&self) -> String {
        let notes = &*self.notes;
        let text = match &self.body {
            AnswerBody::Data(data) if notes.is_empty() => data.clone(),
            AnswerBody::Data(data) => annotated_data(data, notes),
            AnswerBody::Text(text) if notes.is_empty() => text.clone(),
            AnswerBody::Text(text) => format!("{text}\n\n{}", notes.join("\n")),
            AnswerBody::Error(error) => {
                let error = Some(ErrorSummary::new(error));
                AnnotatedAnswer { data: None, error, notes }.to_json()
            }
            AnswerBody::Pending | AnswerBody::Notes => {
                AnnotatedAnswer { data: None, error: None, notes }.to_json()
            }
        };
        if text.trim().is_empty() { r#""""#.to_owned() } else { text }
    }

    /// The content as an object with the member `output` or `error`. Integers that a float would round
    /// are written as texts, for providers that read every number as a float.
    pub(crate) fn to_object(&self) -> Value {
        let mut object = Map::new();
        let payload = match &self.body {
            AnswerBody::Data(data) => Some(value_for_floats(data)),
            AnswerBody::Text(text) => Some(text.as_str().into()),
            AnswerBody::Error(error) => {
                Some(value_for_floats(&to_value(&ErrorSummary::new(error)).to_string()))
            }
            AnswerBody::Pending | AnswerBody::Notes => None,
        };
        if let Some(payload) = payload {
            object.insert(if self.is_error { "error" } else { "output" }.to_owned(), payload);
        }
        if !self.notes.is_empty() {
            object.insert("notes".to_owned(), to_value(&self.notes));
        }
        object.into()
    }
}

/// Writes JSON data as the model reads them: as they are, or in an object with the notes on them.
#[doc(hidden)]
#[must_use]
pub fn data_with_notes(json: String, notes: &[String]) -> String {
    if notes.is_empty() { json } else { annotated_data(&json, notes) }
}

/// Writes JSON data in an object with the notes on them.
fn annotated_data(json: &str, notes: &[String]) -> String {
    AnnotatedAnswer { data: from_text(json).ok(), error: None, notes }.to_json()
}

/// The object for the model if the answer has notes.
#[derive(Serialize)]
struct AnnotatedAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorSummary<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

impl AnnotatedAnswer<'_> {
    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and JSON are written to memory as JSON")
    }
}

/// An error for the model, without its cause.
#[derive(Serialize)]
struct ErrorSummary<'a> {
    #[serde(rename = "type")]
    error_type: ToolErrorType,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
}

impl<'a> ErrorSummary<'a> {
    fn new(error: &'a ToolErrorDetail) -> Self {
        Self {
            error_type: error.error_type(),
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

fn to_value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("texts and JSON are read from memory as JSON")
}
