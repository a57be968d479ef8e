//! The user of one request's client: how it is asked, and what it has answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{ElicitResult, InputRequiredResult};
use tool_contracts::ToolContext;
use tool_runtime_core::tool::InputSource;

use super::call::ToolRequest;
use super::input::{RoundUser, SessionQuestions, SessionUser};
use super::request_state::StatedCall;
use super::revision::Revision;
use super::sessions::SESSION;
use super::transport::Transport;

/// The way in which a client's user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElicitationMode {
    /// The result is `input_required`, and the client sends its request again with the answers.
    InputRequired,
    /// The server sends a separate request, and the call waits.
    Request,
}

/// The user of one request's client.
pub(super) enum ClientUser {
    OfSession(SessionUser, SessionQuestions),
    OfRound(RoundUser),
}

impl ElicitationMode {
    /// Returns how the client of a request can be asked; none if it cannot.
    pub(super) fn from_request(request: &ToolRequest<'_>) -> Option<Self> {
        let elicitation = request.capabilities.as_ref()?.elicitation.as_ref()?;
        // A client that names no mode has forms.
        if elicitation.form.is_none() && elicitation.url.is_some() {
            return None;
        }
        let has_session = match &request.server.transport {
            Transport::Streams { .. } => true,
            Transport::Http => request.caller.headers.contains_key(SESSION),
        };
        match request.revision {
            Revision::Stateless => Some(Self::InputRequired),
            Revision::WithSessions => has_session.then_some(Self::Request),
        }
    }
}

impl ClientUser {
    /// Returns the user of a client without a session.
    pub(super) fn as_round(&self) -> Option<&RoundUser> {
        match self {
            Self::OfSession(..) => None,
            Self::OfRound(user) => Some(user),
        }
    }

    /// Returns the questions that the task of the request asks.
    pub(super) fn questions(&mut self) -> Option<&mut SessionQuestions> {
        match self {
            Self::OfSession(_, questions) => Some(questions),
            Self::OfRound(_) => None,
        }
    }

    /// Returns the user as tools ask it.
    pub(super) fn source(&self) -> Arc<dyn InputSource> {
        match self {
            Self::OfSession(user, _) => Arc::new(user.clone()),
            Self::OfRound(user) => Arc::new(user.clone()),
        }
    }
}

impl ToolRequest<'_> {
    /// Returns the user of this request's client, who has given these answers; none if it cannot be
    /// asked.
    pub(super) fn user(&self, given: BTreeMap<String, ElicitResult>) -> Option<ClientUser> {
        Some(match ElicitationMode::from_request(self)? {
            ElicitationMode::Request => {
                let (user, questions) = SessionUser::new();
                ClientUser::OfSession(user, questions)
            }
            ElicitationMode::InputRequired => ClientUser::OfRound(RoundUser::new(given)),
        })
    }
}

impl RoundUser {
    /// Returns the questions that a failed call has left, as the result of this round.
    pub(super) fn round(
        &self,
        stated: &StatedCall<'_>,
        cx: &ToolContext,
    ) -> Option<InputRequiredResult> {
        let questions = self.asked();
        let state = || stated.seal_answers(self.given(), cx);
        (!questions.is_empty()).then(|| InputRequiredResult::new(Some(questions), state()))
    }
}
