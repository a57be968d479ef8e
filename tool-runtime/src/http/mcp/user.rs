//! The user of one request's client: how it is asked, and what it has answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ElicitResult, InputRequiredResult};
use tool_contracts::ToolContext;

use super::call::ToolRequest;
use super::door::Door;
use super::input::{RoundUser, SessionUser, answers};
use super::request_state;
use super::revision::Revision;
use super::sessions::SESSION;
use crate::tool::InputSource;
use crate::{ToolCall, ToolOutput};

/// The way in which a client's user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The result is `input_required`, and the client sends its request again with the answers.
    InputRequired,
    /// The server sends a request of its own, and the call waits.
    Elicitation,
}

/// The user of one request's client.
pub(super) enum ClientUser {
    OfSession(Arc<SessionUser>),
    OfRound(RoundUser),
}

impl Way {
    /// Returns how the client of a request can be asked; none if it cannot.
    pub(super) fn of(request: &ToolRequest<'_>) -> Option<Self> {
        let elicitation = request.capabilities.as_ref()?.elicitation.as_ref()?;
        // A client that names no mode has forms.
        if elicitation.form.is_none() && elicitation.url.is_some() {
            return None;
        }
        let has_session = match &request.server.door {
            Door::Streams(_) => true,
            Door::Http => request.caller.headers.contains_key(SESSION),
        };
        match request.revision {
            Revision::Stateless => Some(Self::InputRequired),
            Revision::WithSessions => has_session.then_some(Self::Elicitation),
        }
    }
}

impl ClientUser {
    /// Returns the user of a client without a session.
    pub(super) fn of_round(&self) -> Option<&RoundUser> {
        match self {
            Self::OfSession(_) => None,
            Self::OfRound(user) => Some(user),
        }
    }

    /// Returns the user as tools ask it.
    pub(super) fn source(&self) -> Arc<dyn InputSource> {
        match self {
            Self::OfSession(user) => user.clone(),
            Self::OfRound(user) => Arc::new(user.clone()),
        }
    }
}

impl ToolRequest<'_> {
    /// Returns the user of this request's client, if it can be asked.
    pub(super) fn user(
        &self,
        params: &CallToolRequestParams,
        cx: &ToolContext,
    ) -> Result<Option<ClientUser>, ErrorData> {
        let Some(way) = Way::of(self) else { return Ok(None) };
        Ok(Some(match way {
            Way::Elicitation => {
                let Some(link) = &self.link else { return Ok(None) };
                ClientUser::OfSession(Arc::new(SessionUser(link.peer.clone())))
            }
            Way::InputRequired => ClientUser::OfRound(RoundUser::new(self.given(params, cx)?)),
        }))
    }

    /// Returns the answers of this round and of those before it.
    fn given(
        &self,
        params: &CallToolRequestParams,
        cx: &ToolContext,
    ) -> Result<BTreeMap<String, ElicitResult>, ErrorData> {
        let mut given = match &params.request_state {
            Some(state) => request_state::opened(&self.server.app, state, &params.name, cx)?,
            None => BTreeMap::new(),
        };
        given.extend(answers(params.input_responses.as_ref()));
        Ok(given)
    }

    /// Returns the questions that a call has left, as the result of this round.
    pub(super) fn questions(
        &self,
        user: &ClientUser,
        call: &ToolCall,
    ) -> Option<InputRequiredResult> {
        let ClientUser::OfRound(user) = user else { return None };
        let asked = user.asked();
        if asked.is_empty() || call.output().is_some_and(ToolOutput::is_ok) {
            return None;
        }
        let state = request_state::sealed(&self.server.app, call.name(), call.cx(), user.given());
        Some(InputRequiredResult::new(Some(asked), state))
    }
}
