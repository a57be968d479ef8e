//! Changes the `meta` of an answer that is written already.

use tool_contracts::{ToolErrorMeta, ToolResultMeta};

use super::answer::with_appended;
use super::outcome::CallOutcome;
use crate::tool::{CallScope, ToolOutput};

/// Adds to `meta.warnings` of an answer or a failure that is written already.
#[must_use]
pub fn with_warning(scope: &CallScope, ended: CallOutcome, warning: &str) -> CallOutcome {
    let of_answer = |meta: ToolResultMeta| {
        let warnings = with_appended(meta.warnings(), warning);
        meta.with_warnings(warnings)
    };
    let of_failure = |meta: ToolErrorMeta| {
        let warnings = with_appended(meta.warnings(), warning);
        meta.with_warnings(warnings)
    };
    map_meta(scope, ended, of_answer, of_failure)
}

/// Changes the `meta` of an answer or a failure; one that cannot be read stays as it is.
pub fn map_meta(
    scope: &CallScope,
    ended: CallOutcome,
    of_answer: impl FnOnce(ToolResultMeta) -> ToolResultMeta,
    of_failure: impl FnOnce(ToolErrorMeta) -> ToolErrorMeta,
) -> CallOutcome {
    let (output, meta) = (&ended.output, ended.output.meta_json());
    let changed = match (output.data_json(), output.error()) {
        (Some(data), _) => serde_json::from_str(meta).map(|meta| {
            let attachments = output.shared_attachments();
            ToolOutput::given_with(scope.echo(), data, &of_answer(meta), attachments)
        }),
        (None, Some(detail)) => serde_json::from_str(meta)
            .map(|meta| ToolOutput::failed(scope.echo(), detail.clone(), &of_failure(meta))),
        (None, None) => return ended,
    };
    match changed {
        Ok(output) => CallOutcome { output, ..ended },
        Err(_) => ended,
    }
}
