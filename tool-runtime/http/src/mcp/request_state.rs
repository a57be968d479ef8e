//! The state that a client without a session sends back: a ticket, or what is sealed, since the client
//! is not trusted.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ElicitResult};
use serde::{Deserialize, Serialize};
use tool_contracts::ToolContext;
use tool_runtime_core::store::principal::principal_of;
use tool_runtime_schema::canonical::{Defaults, Digest, canonicalize_exactly};
use tool_runtime_schema::encoding::base64;
use tool_runtime_schema::json::value_count;

use super::input::answers;
use super::message::MAX_VALUES;
use crate::state::app::App;

/// The name of the request for a confirmation.
pub(super) const CONFIRMATION: &str = "confirmation";

/// The purpose in the binding of a sealed state.
const PURPOSE: &str = "tool-runtime/mcp-request-state/v2";

/// The domain of the hash of a call's arguments.
const ARGUMENTS: &str = "tool-runtime/mcp-arguments/v1";

/// The mark of a sealed state; a ticket begins with a brace.
const MARK: &str = "asked:";

/// The call that a state belongs to.
pub(super) struct StatedCall<'a> {
    pub(super) app: &'a App,
    pub(super) tool: &'a str,
    /// The arguments as they were sent.
    pub(super) arguments: &'a str,
}

/// The decision and the answers of a call's earlier rounds.
#[derive(Default)]
pub(super) struct EarlierRounds {
    /// The user's decision about a call that needs approval.
    pub(super) reply: Option<Reply>,
    /// The answers to the tool's questions.
    pub(super) answers: BTreeMap<String, ElicitResult>,
}

/// The user's decision about a call that needs approval, with the call's ticket.
pub(super) struct Reply {
    pub(super) ticket: String,
    pub(super) answer: ElicitResult,
}

/// A state before it is sealed.
#[derive(Debug, Serialize, Deserialize)]
struct RequestState {
    tool: String,
    principal: Option<String>,
    arguments: Digest,
    answers: BTreeMap<String, ElicitResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
}

impl StatedCall<'_> {
    /// Reads what a request has of earlier rounds, with the answers of this one.
    pub(super) fn read_earlier_rounds(
        &self,
        params: &CallToolRequestParams,
        cx: &ToolContext,
    ) -> Result<EarlierRounds, ErrorData> {
        let mut given = answers(params.input_responses.as_ref());
        let Some(state) = params.request_state.as_deref() else {
            return Ok(EarlierRounds { reply: None, answers: given });
        };
        let (ticket, mut answers) = if state.starts_with('{') {
            (Some(state.to_owned()), BTreeMap::new())
        } else {
            let state = self.open_sealed(state, cx).ok_or_else(refused)?;
            (state.ticket, state.answers)
        };
        let reply = match ticket {
            Some(ticket) => {
                let answer = given.remove(CONFIRMATION).ok_or_else(unconfirmed)?;
                Some(Reply { ticket, answer })
            }
            None => None,
        };
        answers.extend(given);
        Ok(EarlierRounds { reply, answers })
    }

    /// Seals the answers of earlier rounds; `None` without keys.
    pub(super) fn seal_answers(
        &self,
        answers: &BTreeMap<String, ElicitResult>,
        cx: &ToolContext,
    ) -> Option<String> {
        self.seal(None, answers, cx)
    }

    /// Returns the state of a call with this ticket, which keeps the answers of earlier rounds.
    pub(super) fn with_ticket(
        &self,
        ticket: String,
        answers: &BTreeMap<String, ElicitResult>,
        cx: &ToolContext,
    ) -> Option<String> {
        if answers.is_empty() {
            return Some(ticket);
        }
        self.seal(Some(ticket), answers, cx)
    }

    fn seal(
        &self,
        ticket: Option<String>,
        answers: &BTreeMap<String, ElicitResult>,
        cx: &ToolContext,
    ) -> Option<String> {
        let seals = &self.app.runtime.policy_state().seals;
        let state = RequestState {
            tool: self.tool.to_owned(),
            principal: principal_of(cx).map(Into::into),
            arguments: self.arguments_hash(),
            answers: answers.clone(),
            ticket,
        };
        let plain = serde_json::to_vec(&state).ok()?;
        let sealed = seals.seal_for_caller(&plain, PURPOSE, cx.tenant_id())?;
        Some(format!("{MARK}{}", base64::encode(&sealed)))
    }

    /// Opens a state that was sealed for this tool, these arguments and this caller.
    fn open_sealed(&self, state: &str, cx: &ToolContext) -> Option<RequestState> {
        let seals = &self.app.runtime.policy_state().seals;
        let sealed = base64::decode(state.strip_prefix(MARK)?)?;
        let plain = seals.open_for_caller(&sealed, PURPOSE, cx.tenant_id())?;
        // The answers of all rounds together have the limit of one round.
        if value_count(&plain) > MAX_VALUES {
            return None;
        }
        let state: RequestState = serde_json::from_slice(&plain).ok()?;
        let is_of_call = state.tool == self.tool
            && state.principal.as_deref() == principal_of(cx).as_deref()
            && state.arguments == self.arguments_hash();
        is_of_call.then_some(state)
    }

    /// Hashes the arguments; those without a canonical form as they were sent.
    fn arguments_hash(&self) -> Digest {
        let mut canonical = Vec::with_capacity(self.arguments.len());
        let written = canonicalize_exactly(self.arguments, &Defaults::default(), &mut canonical);
        let text = if written.is_ok() { &canonical } else { self.arguments.as_bytes() };
        Digest::compute(ARGUMENTS, text)
    }
}

/// Refuses a state that this server has not made, or for another call.
pub(super) fn refused() -> ErrorData {
    ErrorData::invalid_params(
        "`requestState`: expected the one of this call's last result, unchanged and within its time, \
         with the same arguments; call the tool again without it",
        None,
    )
}

fn unconfirmed() -> ErrorData {
    ErrorData::invalid_params(
        "`inputResponses.confirmation`: expected the result of the elicitation that the server asked \
         for, with `action`",
        None,
    )
}
