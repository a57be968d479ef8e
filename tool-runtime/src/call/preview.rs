//! The description of a call for the person who decides about it.

use std::fmt;

use serde_json::Value;
use tool_contracts::{CallStatus, Effect, ToolErrorDetail, ToolSpec};

use super::ToolCall;
use crate::dispatch::PreviewResult;
use crate::dispatch::refusal::Refusal;
use crate::tool::{CallScope, ToolOutput};

/// The longest answer of a preview function that is shown whole, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// A call as a person sees it before deciding: what would run, with which arguments.
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
}

impl<'c> Preview<'c> {
    pub(super) fn of(call: &'c ToolCall) -> Self {
        let tool = call.tool();
        Self {
            name: call.name(),
            title: tool.and_then(|tool| tool.title()),
            effect: tool.map(ToolSpec::effect),
            arguments: call.scope().and_then(|scope| scope.shown()),
            result: call.approval.preview_result.as_ref(),
        }
    }

    /// The part that follows from the call alone, to which every ticket is bound.
    #[cfg(feature = "policy")]
    pub(crate) fn without_result(self) -> Self {
        Self { result: None, ..self }
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

    /// Returns the answer of the tool's `preview` function as JSON text, secrets masked; none if the
    /// tool has no such function, or it has not run or has failed.
    ///
    /// Of an answer over 64 KiB it is a string with the beginning.
    #[must_use]
    pub fn answer(&self) -> Option<&'c str> {
        match self.result? {
            PreviewResult::Answer(answer) => Some(answer),
            PreviewResult::Failure(_) => None,
        }
    }

    /// Returns the error of the tool's `preview` function, if it failed. The call then does not run
    /// even if it is approved: it is answered with this error.
    #[must_use]
    pub fn failure(&self) -> Option<&'c ToolErrorDetail> {
        match self.result? {
            PreviewResult::Answer(_) => None,
            PreviewResult::Failure(detail) => Some(detail),
        }
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
        let has_preview = |scope: &CallScope| scope.registered().traits.has_preview;
        let has_answer = matches!(self.approval.preview_result, Some(PreviewResult::Answer(_)));
        self.status == CallStatus::Pending
            && !has_answer
            && self.scope().is_some_and(|scope| has_preview(scope) && !scope.dry_run())
    }

    /// Keeps the answer of a dry run, if a preview function has given it.
    pub(crate) fn keep_preview(&mut self, output: &ToolOutput) {
        let Some(scope) = self.scope().filter(|scope| scope.registered().traits.has_preview) else {
            return;
        };
        let result = match (output.data_json(), output.error()) {
            (Some(data), _) => PreviewResult::Answer(shown_answer(scope, data).into()),
            (None, Some(detail)) => PreviewResult::Failure(Box::new(detail.clone())),
            (None, None) => return,
        };
        self.approval.preview_result = Some(result);
    }

    /// The refusal of a call whose preview failed.
    pub(super) fn failed_preview(&self) -> Option<Box<Refusal>> {
        match &self.approval.preview_result {
            Some(PreviewResult::Failure(detail)) => Some(Refusal::not_run((**detail).clone())),
            Some(PreviewResult::Answer(_)) | None => None,
        }
    }
}

/// The answer of a preview function without the secrets of its call, and of bounded length.
fn shown_answer(scope: &CallScope, data: &str) -> String {
    let masked = scope.has_sensitive_values().then(|| serde_json::from_str(data).ok()).flatten();
    let shown = masked.map(|mut value: Value| {
        scope.scrub_json(&mut value);
        value.to_string()
    });
    let shown = shown.unwrap_or_else(|| data.to_owned());
    if shown.len() <= MAX_ANSWER_BYTES {
        return shown;
    }
    let end = (0..=MAX_ANSWER_BYTES).rev().find(|end| shown.is_char_boundary(*end));
    let beginning = &shown[..end.unwrap_or_default()];
    Value::from(format!("{beginning}… ({} bytes)", shown.len())).to_string()
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
            None => Ok(()),
            Some(PreviewResult::Answer(answer)) => write!(f, ": {answer}"),
            Some(PreviewResult::Failure(detail)) => {
                write!(f, ": the preview failed: {}", detail.message())
            }
        }
    }
}
