//! The description of a call for the approver.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Value;
use tool_contracts::{Attachment, CallStatus, Effect, ToolErrorDetail, ToolSpec};

use super::ToolCall;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::{PreviewFailure, PreviewResult};
use crate::tool::{AttachmentDescription, CallScope, ToolOutput};

/// The longest answer of a preview function that is shown whole, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The longest contents of attachments that are shown together, in bytes of base64.
const MAX_ATTACHED_BYTES: usize = 256 * 1024;

/// The most characters of the message that are kept of an error that is too long to be kept whole.
const MAX_MESSAGE_CHARS: usize = 1024;

/// The description of a pending call for its approver: the tool and the arguments.
///
/// Secrets are masked. `Display` gives one line, such as
/// `Delete an article: content.delete (destructive) {"id":7}`. It ends with the answer of the tool's
/// `preview` function once that has run: see [`ToolCall::load_preview`].
#[derive(Debug, Clone, Copy)]
pub struct Preview<'c> {
    name: &'c str,
    title: Option<&'c str>,
    effect: Option<Effect>,
    arguments: Option<&'c str>,
    result: Option<&'c PreviewResult>,
    budgets: &'c [String],
}

impl<'c> Preview<'c> {
    pub(super) fn new(call: &'c ToolCall) -> Self {
        let tool = call.tool();
        Self {
            name: call.name(),
            title: tool.and_then(|tool| tool.title()),
            effect: tool.map(ToolSpec::effect),
            arguments: call.scope().and_then(|scope| scope.masked_arguments()),
            result: call.approval.preview_result.as_ref(),
            budgets: &call.approval.budget_notes,
        }
    }

    /// The part that follows from the call alone, to which every ticket is bound.
    #[cfg(feature = "policy")]
    pub(crate) fn without_result(self) -> Self {
        Self { result: None, budgets: &[], ..self }
    }

    /// Returns the tool's name, as the model called it.
    #[must_use]
    pub fn name(&self) -> &'c str {
        self.name
    }

    /// Returns the tool's title for people, if it has one.
    #[must_use]
    pub fn title(&self) -> Option<&'c str> {
        self.title
    }

    /// Returns what the call would do to the world; none if the tool is unknown.
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        self.effect
    }

    /// Returns the arguments as JSON text, secrets masked; none if they are not JSON.
    #[must_use]
    pub fn arguments(&self) -> Option<&'c str> {
        self.arguments
    }

    /// Returns the answer of the tool's `preview` function, or of the dry run to which the approval is
    /// bound, as JSON text, secrets masked; none if it has not run or has failed.
    ///
    /// Of an answer over 64 KiB it is a string with the beginning.
    #[must_use]
    pub fn answer(&self) -> Option<&'c str> {
        self.result?.answer()
    }

    /// Returns what that answer has attached, each with its size and hash.
    ///
    /// Contents of the envelope are kept up to 256 KiB together; attachments beyond are left out. A
    /// stored one has its handle, and belongs to the caller of the call.
    #[must_use]
    pub fn attachments(&self) -> &'c [Attachment] {
        self.result.map(PreviewResult::attachments).unwrap_or_default()
    }

    /// Says for each budget that concerns the call what it uses, and what was left when an approval was requested:
    /// `uses 40.00 of 120.00 EUR left today (shopping)`.
    #[must_use]
    pub fn budgets(&self) -> &'c [String] {
        self.budgets
    }

    /// Returns the error of the tool's `preview` function, if it failed. The call then does not run
    /// even if it is approved: it is answered with this error, unless an earlier run under its
    /// idempotency key answers it.
    #[must_use]
    pub fn failure(&self) -> Option<&'c ToolErrorDetail> {
        self.result?.failure().map(|failure| &failure.detail)
    }
}

impl ToolCall {
    /// Runs the tool's `preview` function, and describes the call with its answer.
    ///
    /// For a person who decides about a call that this program holds. A policy does the same before
    /// it asks an approver or issues a ticket. The function runs as a dry run does: with the host's
    /// values, within the call's deadline, its panics caught. It runs again only after a failure. A
    /// tool without `preview = function`, and a call that is not pending, run nothing.
    pub async fn load_preview(&mut self) -> Preview<'_> {
        if self.needs_preview() {
            let output = self.dry_run().await;
            self.keep_preview(&output);
        }
        self.preview()
    }

    /// Returns whether the call has a preview function that has not succeeded yet.
    pub(crate) fn needs_preview(&self) -> bool {
        let has_preview = |scope: &CallScope| scope.registered().behavior.has_preview;
        let has_answer = matches!(self.approval.preview_result, Some(PreviewResult::Answer(_)));
        self.status == CallStatus::Pending
            && !has_answer
            && self.scope().is_some_and(|scope| has_preview(scope) && !scope.dry_run())
    }

    /// Keeps the answer of a dry run, which an approver is shown.
    pub(crate) fn keep_preview(&mut self, output: &ToolOutput) {
        let Some(scope) = self.scope() else { return };
        let result = match (output.data_json(), output.error()) {
            (Some(data), _) => {
                let answer = shown_answer(scope, data).into();
                match shown_attachments(output) {
                    attachments if attachments.is_empty() => PreviewResult::Answer(answer),
                    attachments => PreviewResult::AnswerWithAttachments(answer, attachments),
                }
            }
            (None, Some(detail)) => {
                let evidence = output.evidence().cloned().map(Box::new);
                let detail = shown_error(detail);
                PreviewResult::Failure(Box::new(PreviewFailure { detail, evidence }))
            }
            (None, None) => return,
        };
        self.approval.preview_result = Some(result);
    }
}

impl PreviewResult {
    /// The refusal of a call whose preview failed.
    pub(crate) fn refusal(&self) -> Option<Box<Refusal>> {
        let failure = self.failure()?;
        let mut refusal = Refusal::not_run(failure.detail.clone());
        refusal.evidence.clone_from(&failure.evidence);
        Some(refusal)
    }
}

/// The answer of a preview function without the secrets of its call, and of bounded length.
fn shown_answer(scope: &CallScope, data: &str) -> String {
    let public_text = scope.scrub_public(data.to_owned());
    // A text in which a number or a name was masked may be no JSON any more.
    let answer_text = match serde_json::from_str::<IgnoredAny>(&public_text) {
        Ok(_) => public_text,
        Err(_) if public_text == data => public_text,
        Err(_) => Value::from(public_text).to_string(),
    };
    if answer_text.len() <= MAX_ANSWER_BYTES {
        return answer_text;
    }
    let end = (0..=MAX_ANSWER_BYTES).rev().find(|end| answer_text.is_char_boundary(*end));
    let beginning = &answer_text[..end.unwrap_or_default()];
    Value::from(format!("{beginning}… ({} bytes)", answer_text.len())).to_string()
}

/// The attachments of a preview function's answer, of bounded length.
fn shown_attachments(output: &ToolOutput) -> Vec<Attachment> {
    let mut left = MAX_ATTACHED_BYTES;
    let mut fits = |attachment: &Attachment| {
        let bytes = attachment.data().map_or(0, str::len);
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    let attachments = output.attachments().iter();
    attachments.filter_map(|it| it.to_wire().ok()).filter(|it| fits(it)).collect()
}

/// The error of a preview function, of bounded length.
fn shown_error(detail: &ToolErrorDetail) -> ToolErrorDetail {
    let size = serde_json::to_string(detail).map_or(usize::MAX, |json| json.len());
    if size <= MAX_ANSWER_BYTES {
        return detail.clone();
    }
    let message: String = detail.message().chars().take(MAX_MESSAGE_CHARS).collect();
    let builder = ToolErrorDetail::builder(detail.error_type(), format!("{message}…"));
    match detail.code() {
        Some(code) => builder.code(code.to_owned()).build(),
        None => builder.build(),
    }
}

impl fmt::Display for Preview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = self.title {
            write!(f, "{title}: ")?;
        }
        f.write_str(self.name)?;
        match self.effect {
            Some(effect) => write!(f, " ({effect})")?,
            None => return f.write_str(" (no such tool)"),
        }
        match self.arguments {
            Some(arguments) => write!(f, " {arguments}")?,
            None => f.write_str(" (arguments are not readable)")?,
        }
        match self.result {
            None => {}
            Some(PreviewResult::Answer(answer)) => write!(f, ": {answer}")?,
            Some(PreviewResult::AnswerWithAttachments(answer, attachments)) => {
                write!(f, ": {answer}")?;
                let mut described = attachments.iter().map(AttachmentDescription::from_wire);
                described.try_for_each(|it| write!(f, "; attached: {it}"))?;
            }
            Some(PreviewResult::Failure(failure)) => {
                write!(f, ": the preview failed: {}", failure.detail.message())?;
            }
        }
        self.budgets.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}
