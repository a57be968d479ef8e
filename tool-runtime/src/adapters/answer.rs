//! What goes back to a model of one call.

use std::fmt;

use tool_contracts::{ToolErrorDetail, ToolResultMeta};

use crate::call::{ToolCall, ToolOutput};
#[cfg(feature = "policy")]
use crate::policy::ModelAnswer;

/// What goes back to a model of one call.
///
/// Made of an executed [`ToolCall`], or of any [`ToolOutput`]. What the model reads is the answer's
/// `data` as JSON, or its `error` with type, code, message, details and the time to wait. What `meta`
/// says that changes how an answer is to be read goes with it as notes: warnings, coerced and edited
/// arguments, dry runs, replays. The echo of the arguments is not sent.
#[derive(Clone)]
pub struct Answer {
    pub(super) call_id: String,
    pub(super) is_error: bool,
    pub(super) body: Body,
    pub(super) notes: Vec<String>,
}

/// What a model is shown.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// Nothing yet: the call is not executed.
    Pending,
    /// JSON text.
    Data(String),
    Text(String),
    Error(Box<ToolErrorDetail>),
    /// The notes alone.
    Notes,
}

impl Answer {
    /// Answers the call with this id by an output, however it came to be.
    #[must_use]
    pub fn new(call_id: impl Into<String>, output: &ToolOutput) -> Self {
        let body = match (output.data_json(), output.error()) {
            (Some(data), _) => Body::Data(data.to_owned()),
            (None, Some(error)) => Body::Error(Box::new(error.clone())),
            (None, None) => Body::Notes,
        };
        let meta = serde_json::from_str(output.meta_json()).ok().filter(|_| output.is_ok());
        let notes = meta.map(|meta| notes(&meta)).unwrap_or_default();
        Self { call_id: call_id.into(), is_error: !output.is_ok(), body, notes }
    }

    /// Answers the call with this id by a text, where no tool of the runtime is behind it.
    #[must_use]
    pub fn from_text(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let body = Body::Text(text.into());
        Self { call_id: call_id.into(), is_error: false, body, notes: Vec::new() }
    }

    /// Marks the answer as one of a call that failed.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// Shows this text in place of the data; an error stays marked as one.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.body = Body::Text(text.into());
        self
    }

    /// Shows this JSON text in place of the data; an error stays marked as one.
    #[must_use]
    pub fn with_data(mut self, json: impl Into<String>) -> Self {
        self.body = Body::Data(json.into());
        self
    }

    /// Adds a sentence that the model reads beside the answer.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Shows what [`ToolCall::for_model`] leaves of a long answer, and says that it is an excerpt.
    #[cfg(feature = "policy")]
    #[must_use]
    pub fn with_excerpt(mut self, shown: &ModelAnswer) -> Self {
        if let (Body::Data(_), Some(mark)) = (&self.body, shown.excerpt()) {
            self.body = shown.data_json().map_or(Body::Notes, |data| Body::Data(data.to_owned()));
            self.notes.push(mark.to_string());
        }
        self
    }

    /// Returns the id of the call that is answered.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// True if the model is told that the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error
    }
}

/// Takes the call's output; a call that is not executed yet has none to take.
impl From<&ToolCall> for Answer {
    fn from(call: &ToolCall) -> Self {
        let call_id = call.call_id().unwrap_or_default();
        let pending = || Self {
            call_id: call_id.to_owned(),
            is_error: true,
            body: Body::Pending,
            notes: Vec::new(),
        };
        call.output().map_or_else(pending, |output| Self::new(call_id, output))
    }
}

/// Shows which call is answered and how, without the answer.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("call_id", &self.call_id)
            .field("is_error", &self.is_error)
            .finish_non_exhaustive()
    }
}

/// What a model has to know of how an answer came to be.
fn notes(meta: &ToolResultMeta) -> Vec<String> {
    let mut notes = meta.warnings().to_vec();
    notes.extend(meta.coercions().iter().map(|coercion| {
        let (pointer, from, to) = (coercion.pointer(), coercion.from(), coercion.to());
        format!("the argument `{pointer}` was read as {to}, though it was written as {from}")
    }));
    if !meta.edits().is_empty() {
        let places = meta.edits().join("`, `");
        notes.push(format!("a person changed the arguments at `{places}` before the call ran"));
    }
    if meta.dry_run() {
        notes.push("this was a dry run: it only shows what would happen".to_owned());
    }
    if meta.replayed() {
        notes.push("this answers an earlier call with the same key; nothing ran again".to_owned());
    }
    notes
}
