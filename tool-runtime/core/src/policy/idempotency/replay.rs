//! Converts answers to their stored form under a key, and back for a repeat.

use std::str;

use serde::de::DeserializeOwned;
use tool_contracts::{ToolErrorDetail, ToolErrorMeta, ToolResultMeta};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json;

use crate::dispatch::AnswerOrigin;
use crate::dispatch::outcome::CallOutcome;
use crate::store::StoredAnswer;
use crate::tool::{CallScope, ToolOutput};

/// Returns the stored form of an answer.
pub(super) fn stored(output: &ToolOutput) -> Option<StoredAnswer> {
    let meta = output.meta_json().as_bytes().to_vec();
    match (output.data_json(), output.error()) {
        (Some(data), _) => Some(StoredAnswer::succeeded(data.into(), meta)),
        (None, Some(error)) => Some(StoredAnswer::failed(serde_json::to_vec(error).ok()?, meta)),
        (None, None) => None,
    }
}

/// Answers a repeat: `data` or `error` byte for byte, and `meta.replayed`.
///
/// # Errors
/// Returns a text for the log if the tool could not have given this answer.
pub(super) fn replayed(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    if answer.succeeded { success(scope, answer) } else { failure(scope, answer) }
}

/// Checks the stored data against the tool's output schema before it is written into an envelope.
fn success(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    let meta: ToolResultMeta = parsed(&answer.meta)?;
    let data = text(&answer.body)?;
    match scope.registered().check_output(data) {
        Some(report) => {
            let malformed = report.malformed.map(|error| error.to_string());
            // A violation names types and pointers, and no value.
            let wrong = || report.violations.first().map(ToString::to_string);
            if let Some(wrong) = malformed.or_else(wrong) {
                return Err(format!("it does not fit the tool's output schema: {wrong}"));
            }
        }
        None => {
            json::read(data, &Limits::WIDEST).map_err(|error| error.to_string())?;
        }
    }
    // The edits are those of the run that was stored; the repeat's own edits did not run.
    // A repeat takes nothing of a budget.
    let meta = meta.with_replayed(true).with_budget([]);
    // Not the whole envelope: `input` echoes what this caller sent, and `meta` marks the replay.
    let output = ToolOutput::given_before(scope.echo(), data, meta);
    Ok(CallOutcome::from_earlier(output, AnswerOrigin::Replay))
}

fn failure(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    let detail: ToolErrorDetail = parsed(&answer.body)?;
    let meta: ToolErrorMeta = parsed(&answer.meta)?;
    let output = ToolOutput::failed(scope.echo(), detail, meta.with_replayed(true));
    Ok(CallOutcome::from_earlier(output, AnswerOrigin::Replay))
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_str(text(bytes)?).map_err(|error| {
        format!("it cannot be parsed: {:?} error at column {}", error.classify(), error.column())
    })
}
