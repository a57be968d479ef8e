//! The state that a client without a session sends back: sealed, since the client is not trusted.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::ElicitResult;
use serde::{Deserialize, Serialize};
use tool_contracts::ToolContext;

use crate::encoding::base64;
use crate::http::state::app::App;
use crate::policy::principal::principal_of;

/// The purpose in the binding of a sealed state.
const PURPOSE: &str = "tool-runtime/mcp-request-state/v1";

/// The mark of a sealed state; a ticket begins with a brace.
const MARK: &str = "asked:";

/// The answers of earlier rounds of one call.
#[derive(Debug, Serialize, Deserialize)]
struct RequestState {
    tool: String,
    principal: Option<String>,
    answers: BTreeMap<String, ElicitResult>,
}

/// Returns whether a state is one of this module.
pub(super) fn is_sealed(state: &str) -> bool {
    state.starts_with(MARK)
}

/// Seals the answers of a call of this tool, for this caller; `None` without keys.
pub(super) fn sealed(
    app: &App,
    tool: &str,
    cx: &ToolContext,
    answers: &BTreeMap<String, ElicitResult>,
) -> Option<String> {
    let policy = app.runtime.policy_state();
    let state = RequestState {
        tool: tool.to_owned(),
        principal: principal_of(cx).map(Into::into),
        answers: answers.clone(),
    };
    let plain = serde_json::to_vec(&state).ok()?;
    let sealed = policy.seal_for_caller(&plain, PURPOSE, cx.tenant_id())?;
    Some(format!("{MARK}{}", base64::encode(&sealed)))
}

/// Opens a state that was sealed for this tool and this caller.
pub(super) fn opened(
    app: &App,
    state: &str,
    tool: &str,
    cx: &ToolContext,
) -> Result<BTreeMap<String, ElicitResult>, ErrorData> {
    let policy = app.runtime.policy_state();
    let read = || -> Option<RequestState> {
        let sealed = base64::decode(state.strip_prefix(MARK)?)?;
        serde_json::from_slice(&policy.open_of_caller(&sealed, PURPOSE, cx.tenant_id())?).ok()
    };
    let is_valid = |state: &RequestState| {
        state.tool == tool && state.principal.as_deref() == principal_of(cx).as_deref()
    };
    read().filter(is_valid).map(|state| state.answers).ok_or_else(refused)
}

/// Refuses a state that this server has not made, or for another call.
pub(super) fn refused() -> ErrorData {
    ErrorData::invalid_params(
        "`requestState`: expected the one of this call's last result, unchanged and within its time; \
         call the tool again without it",
        None,
    )
}
