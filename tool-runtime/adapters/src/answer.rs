//! The answer to one call, for a model.

use std::fmt;

use tool_contracts::{Audience, Coercion, ToolResultMeta};
use tool_runtime_core::call::ToolCall;
#[cfg(feature = "policy")]
use tool_runtime_core::policy::ModelAnswer;
use tool_runtime_core::tool::{Attachment, ToolOutput};

use super::disclosure::{SEARCH_TOOLS, found_tools};
use super::format::{AnswerBody, AnswerContent};

/// The answer to one call, for a model.
///
/// It is created from an executed [`ToolCall`], or from any [`ToolOutput`]. The model reads the
/// output's `data` as JSON, or its `error` with type, code, message, details and retry delay. Parts
/// of `meta` that affect the meaning of an answer are added as notes: warnings, coerced and edited
/// arguments, dry runs, replays, attachments. The echo of the arguments is not sent.
///
/// The model sees the [attachments](ToolOutput::attachments) that are meant for it where its provider
/// has a place for them: images, PDF files, texts up to 64 KiB. Of all others it reads the name, the
/// type, the size and the description.
#[derive(Clone)]
pub struct ToolAnswer {
    pub(super) call_id: String,
    pub(super) content: AnswerContent,
}

impl ToolAnswer {
    /// Answers the call with this id by an output.
    #[must_use]
    pub fn new(call_id: impl Into<String>, output: &ToolOutput) -> Self {
        let body = match (output.data_json(), output.error()) {
            (Some(data), _) => AnswerBody::Data(data.to_owned()),
            (None, Some(error)) => AnswerBody::Error(Box::new(error.clone())),
            (None, None) => AnswerBody::Notes,
        };
        let notes = output.result_meta().map(|meta| notes(&meta)).unwrap_or_default();
        let attachments = output.attachments().to_vec();
        let content =
            AnswerContent { notes, attachments, ..AnswerContent::new(body, !output.is_ok()) };
        Self { call_id: call_id.into(), content }
    }

    /// Replaces the attachments, such as by those whose contents were read from the store
    /// (`StoredOutputs::attachment` of the feature `policy`).
    ///
    /// An output that was stored under an idempotency key has the handles of its large attachments,
    /// and not their contents, which a model then does not see. `ToolAnswer::for_model` reads them.
    #[must_use]
    pub fn with_attachments(mut self, attachments: impl IntoIterator<Item = Attachment>) -> Self {
        self.content.attachments = attachments.into_iter().collect();
        self
    }

    /// Answers the call with this id by a text that does not come from a tool of the runtime.
    #[must_use]
    pub fn from_text(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        let body = AnswerBody::Text(text.into());
        Self { call_id: call_id.into(), content: AnswerContent::new(body, false) }
    }

    /// Marks the answer as an error.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.content.is_error = true;
        self
    }

    /// Replaces the data by a text; an error stays an error.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.content.body = AnswerBody::Text(text.into());
        self
    }

    /// Replaces the data by a JSON text; an error stays an error.
    #[must_use]
    pub fn with_data(mut self, json: impl Into<String>) -> Self {
        self.content.body = AnswerBody::Data(json.into());
        self.content.found_tools.clear();
        self
    }

    /// Adds a note for the model.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.content.notes.push(note.into());
        self
    }

    /// Returns the id of the answered call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns whether the answer is marked as that of a failed call.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.content.is_error
    }

    /// Takes the attachments that are meant for the model out; the answer then has no note of them.
    pub fn take_attachments_for_model(&mut self) -> Vec<Attachment> {
        let attachments = std::mem::take(&mut self.content.attachments);
        let is_for_model = |attachment: &Attachment| attachment.is_for(Audience::Assistant);
        let (taken, others) = attachments.into_iter().partition(is_for_model);
        self.content.attachments = others;
        taken
    }

    /// Returns the text that the model reads; none for a call that is not executed.
    #[must_use]
    pub fn into_text(self) -> Option<String> {
        let is_executed = !matches!(self.content.body, AnswerBody::Pending);
        is_executed.then(|| self.content.without_parts().to_text())
    }

    /// Separates JSON data from its notes.
    ///
    /// # Errors
    /// Returns the answer as it is if it has no data in JSON.
    pub fn into_data_and_notes(mut self) -> Result<(String, Vec<String>), Box<Self>> {
        match self.content.body {
            AnswerBody::Data(json) => {
                self.content.body = AnswerBody::Notes;
                Ok((json, self.content.without_parts().into_owned().notes))
            }
            body @ (AnswerBody::Pending
            | AnswerBody::Text(_)
            | AnswerBody::Error(_)
            | AnswerBody::Notes) => {
                self.content.body = body;
                Err(Box::new(self))
            }
        }
    }
}

#[cfg(feature = "policy")]
impl ToolAnswer {
    /// Answers an executed call by what [`ToolCall::for_model`] returns: in the format of the
    /// tool's serializer, and shortened to its limits.
    ///
    /// Contents of attachments that only the output store has, as of an answer that is given again
    /// under its idempotency key, are read from there.
    ///
    /// ```
    /// use tool_runtime::adapters::{Dialect, ToolAnswer};
    /// use tool_runtime::articulate::Articulator;
    /// use tool_runtime::policy::{Policy, ToolPolicy};
    /// use tool_runtime::prelude::*;
    ///
    /// /// Lists the squares of the first numbers.
    /// #[ai_tool(effect = "read")]
    /// fn squares(
    ///     /// How many.
    ///     count: u32,
    /// ) -> Vec<Square> {
    ///     (0..count).map(|n| Square { n, square: n * n }).collect()
    /// }
    ///
    /// /// A number and its square.
    /// #[ai_type]
    /// struct Square { n: u32, square: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = Policy::new().rules(ToolPolicy::new().result_serializer(Articulator::new()));
    /// let runtime = Runtime::builder().tool::<SquaresTool>().policy(policy).build()?;
    /// let bridge = runtime.bridge(Dialect::OpenAiChat);
    /// let mut call = bridge.call("squares", r#"{"count":30}"#, &ToolContext::local());
    /// call.execute().await;
    /// let text = bridge.answer_text(ToolAnswer::for_model(&call).await)?;
    /// # #[cfg(feature = "toon")]
    /// assert!(text.starts_with("The data is in TOON") && text.contains("\n[30]{n,square}:\n  0,0\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_model(call: &ToolCall) -> Self {
        let attachments = call.attachments_with_content(Some(Audience::Assistant)).await;
        Self::from(call).with_attachments(attachments).with_model_answer(&call.for_model().await)
    }

    /// Replaces the data by what [`ToolCall::for_model`] returned. A format other than JSON is
    /// named in one line before the data, and an excerpt is described in a note.
    #[must_use]
    pub fn with_model_answer(mut self, shown: &ModelAnswer) -> Self {
        if !matches!(self.content.body, AnswerBody::Data(_)) {
            return self;
        }
        self.content.body = match (shown.text(), shown.format().model_note()) {
            (Some(text), Some(note)) => AnswerBody::Text(format!("{note}\n{text}")),
            (Some(text), None) if shown.data_json().is_some() => AnswerBody::Data(text.to_owned()),
            // The first part of a long text, which is no JSON.
            (Some(text), None) => AnswerBody::Text(text.to_owned()),
            (None, _) => AnswerBody::Notes,
        };
        self.content.notes.extend(shown.excerpt().map(ToString::to_string));
        self
    }
}

/// Converts the call's output; a call that is not executed has none.
impl From<&ToolCall> for ToolAnswer {
    fn from(call: &ToolCall) -> Self {
        let call_id = call.call_id().unwrap_or_default();
        let content = || AnswerContent::new(AnswerBody::Pending, true);
        let pending = || Self { call_id: call_id.to_owned(), content: content() };
        let answer = |output| {
            let mut answer = Self::new(call_id, output);
            if call.name() == SEARCH_TOOLS {
                answer.content.found_tools = found_tools(output);
            }
            answer
        };
        call.output().map_or_else(pending, answer)
    }
}

/// Prints the call id and the kind of answer, without content.
impl fmt::Debug for ToolAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolAnswer")
            .field("call_id", &self.call_id)
            .field("is_error", &self.content.is_error)
            .finish_non_exhaustive()
    }
}

/// Notes on the circumstances of an answer.
fn notes(meta: &ToolResultMeta) -> Vec<String> {
    let mut notes = meta.warnings().to_vec();
    // A model that writes nothing for a tool without arguments has made no mistake.
    let is_note = |coercion: &&Coercion| {
        !(coercion.pointer().is_empty()
            && coercion.to() == "object"
            && ["nothing", "null"].contains(&coercion.from()))
    };
    notes.extend(meta.coercions().iter().filter(is_note).map(|coercion| {
        let (pointer, from, to) = (coercion.pointer(), coercion.from(), coercion.to());
        format!("the argument `{pointer}` was converted from {from} to {to}")
    }));
    if !meta.edits().is_empty() {
        let places = meta.edits().join("`, `");
        notes.push(format!("a person changed the arguments at `{places}` before the call ran"));
    }
    if meta.dry_run() {
        notes.push("this was a dry run; nothing was changed".to_owned());
    }
    if meta.replayed() {
        notes.push("this is the stored result of an earlier call with the same idempotency key; the tool was not run again".to_owned());
    }
    notes
}
