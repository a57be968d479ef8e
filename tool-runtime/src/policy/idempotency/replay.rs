//! An answer as it is stored under a key, and as a repeat gets it.

use std::str;

use serde::de::DeserializeOwned;
use tool_contracts::{CallStatus, ToolErrorDetail, ToolErrorMeta, ToolResultMeta};

use crate::call::{CallScope, ToolOutput};
use crate::dispatch::Origin;
use crate::dispatch::pipeline::{CallOutcome, EffectOutcome};
use crate::json;
use crate::limits::Limits;
use crate::schema::Coerce;
use crate::store::StoredAnswer;

/// Takes what is to be stored from an answer.
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
/// What is stored is not an answer that the tool could have given; the text is for the log.
pub(super) fn replayed(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    if answer.succeeded { success(scope, answer) } else { failure(scope, answer) }
}

/// What is written into an envelope has to be an answer of the tool's, whatever the store gave back.
fn success(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    let meta: ToolResultMeta = parsed(&answer.meta)?;
    let data = text(&answer.body)?;
    match &scope.registered().output {
        Some(output) => {
            let report = output.check(data, &Limits::WIDEST, Coerce::Off);
            let malformed = report.malformed.map(|error| error.to_string());
            // A violation names types and places, and no value.
            let wrong = || report.violations.first().map(ToString::to_string);
            if let Some(wrong) = malformed.or_else(wrong) {
                return Err(format!("it is not one that the tool could give: {wrong}"));
            }
        }
        None => {
            json::read(data, &Limits::WIDEST).map_err(|error| error.to_string())?;
        }
    }
    // What a person changed stays as it was when it ran: a repeat's own changes did not.
    let meta = meta.with_replayed(true);
    let output = ToolOutput::given_before(scope.echo(), data, &meta);
    Ok(ended(CallStatus::Executed, output, EffectOutcome::Answered))
}

fn failure(scope: &CallScope, answer: &StoredAnswer) -> Result<CallOutcome, String> {
    let detail: ToolErrorDetail = parsed(&answer.body)?;
    let meta: ToolErrorMeta = parsed(&answer.meta)?;
    let output = ToolOutput::failed(scope.echo(), detail, &meta.with_replayed(true));
    Ok(ended(CallStatus::Failed, output, EffectOutcome::Final))
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_str(text(bytes)?).map_err(|error| {
        format!(
            "a part of it cannot be read: {:?} error at column {}",
            error.classify(),
            error.column()
        )
    })
}

fn ended(status: CallStatus, output: ToolOutput, effect: EffectOutcome) -> CallOutcome {
    CallOutcome {
        status,
        output,
        log: String::new(),
        effect,
        origin: Origin::Replay,
        evidence_draft: None,
    }
}
