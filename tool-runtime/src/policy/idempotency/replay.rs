//! An answer as it is stored under a key, and as a repeat gets it.

use tool_contracts::{CallStatus, ToolErrorDetail, ToolErrorMeta, ToolResultMeta};

use super::refusals;
use crate::call::{CallScope, ToolOutput};
use crate::dispatch::Origin;
use crate::dispatch::pipeline::{Ended, Fate};
use crate::dispatch::refusal::Refusal;
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
pub(super) fn replayed(scope: &CallScope, answer: &StoredAnswer) -> Result<Ended, Box<Refusal>> {
    let replayed = if answer.succeeded { success(scope, answer) } else { failure(scope, answer) };
    replayed.map_err(|error| refusals::answer_unreadable(error.to_string()))
}

fn success(scope: &CallScope, answer: &StoredAnswer) -> serde_json::Result<Ended> {
    let meta: ToolResultMeta = serde_json::from_slice(&answer.meta)?;
    // What is written into an envelope has to be JSON, whatever the store gave back.
    serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body)?;
    // What a person changed stays as it was when it ran: a repeat's own changes did not.
    let meta = meta.with_replayed(true);
    let output = ToolOutput::given_before(scope.echo(), &answer.body, &meta);
    Ok(ended(CallStatus::Executed, output, Fate::Answered))
}

fn failure(scope: &CallScope, answer: &StoredAnswer) -> serde_json::Result<Ended> {
    let detail: ToolErrorDetail = serde_json::from_slice(&answer.body)?;
    let meta: ToolErrorMeta = serde_json::from_slice(&answer.meta)?;
    let output = ToolOutput::failed(scope.echo(), detail, &meta.with_replayed(true));
    Ok(ended(CallStatus::Failed, output, Fate::Final))
}

fn ended(status: CallStatus, output: ToolOutput, fate: Fate) -> Ended {
    Ended { status, output, log: String::new(), fate, origin: Origin::Replay, grounds: None }
}
