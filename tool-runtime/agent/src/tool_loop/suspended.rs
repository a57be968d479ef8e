//! A run that waits for people.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use tool_contracts::ToolContext;
use tool_runtime_adapters::{ToolAnswer, data_with_notes};
use tool_runtime_core::call::ToolCall;
use tool_runtime_core::policy::{PolicyState, StateSignature, Ticket};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::store::principal::principal_of;
use tool_runtime_core::tool::Attachment;
use uuid::Uuid;

use super::history::History;
use crate::error::{AgentError, AgentErrorKind};
use crate::model::{ModelCall, TokenUsage, wire_attachments};

/// A run of a loop that waits for people to decide about calls.
///
/// It is serialized to be continued later, by this process or another one. It contains the
/// conversation, so keep it as secret as that. The tickets in it approve nothing by themselves. It is
/// signed with the [ticket keys](tool_runtime_core::policy::Policy::ticket_keys), so that a run that was changed
/// does not continue.
///
/// For each [pending](Self::pending) call, [resume](tool_runtime_core::policy::Tickets::resume) its ticket,
/// approve or decline the call, execute it, and give it to [`answer`](Self::answer). A call of the
/// [client's tools](super::ToolLoop::client_tools) is answered by
/// [`answer_client_call`](Self::answer_client_call). Then continue by
/// [`ToolLoop::resume`](super::ToolLoop::resume). If the user writes on instead,
/// [`ToolLoop::close`](super::ToolLoop::close) withdraws the waiting calls.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuspendedRun {
    pub(super) state: RunState,
    signature: StateSignature,
}

/// The state of a run, all of which is signed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunState {
    /// The id of the run, from which the keys of its calls are derived.
    pub(super) id: Uuid,
    /// The tenant and the principal whose conversation it is.
    pub(super) owner: RunOwner,
    pub(super) history: History,
    /// The calls of the last turn in the model's order, with the answers that there are.
    pub(super) answers: Vec<CallAnswer>,
    pub(super) pending: Vec<PendingCall>,
    /// The calls that wait for the client's results, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) client_calls: Vec<ClientCall>,
    pub(super) turns: u32,
    pub(super) calls: u32,
    pub(super) failed_turns: u32,
    pub(super) usage: TokenUsage,
}

/// The answer of a client's call that the client has not executed before the user wrote on.
const CLIENT_CALL_LEFT: &str = "this call did not run: the client gave no result for it";

/// The purpose of the signature.
const SIGNATURE_PURPOSE: &str = "tool-runtime/suspended-run/v1";

/// The tenant and the principal of a run, under which it continues.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunOwner {
    tenant: Uuid,
    principal: Box<str>,
}

impl RunOwner {
    /// Returns the owner of a run in this context. Without a user and an actor it is the trace, which
    /// no other conversation has.
    pub(super) fn for_context(cx: &ToolContext) -> Self {
        let trace = || format!("trace:{}", cx.trace_id()).into_boxed_str();
        Self { tenant: cx.tenant_id(), principal: principal_of(cx).unwrap_or_else(trace) }
    }
}

/// A call of the last turn, and its answer.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallAnswer {
    pub(super) call_id: String,
    pub(super) tool: String,
    /// Absent while a person has to decide, or the client has to execute the call.
    pub(super) content: Option<AnswerText>,
    pub(super) failed: bool,
    /// The files that are meant for the model, of which the content says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "wire_attachments")]
    pub(super) attachments: Vec<Attachment>,
}

/// An answer as the model reads it, or with its data apart, which may be compressed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerText {
    Text(String),
    Data { json: String, notes: Vec<String> },
}

impl AnswerText {
    /// Returns the text that the model reads, before compression.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Data { json, notes } if notes.is_empty() => Cow::Borrowed(json),
            Self::Data { json, notes } => Cow::Owned(data_with_notes(json.clone(), notes)),
        }
    }

    /// Returns the answer of an executed call, and the files in it that are meant for the model.
    pub(super) async fn for_call(call: &ToolCall) -> Result<(Self, Vec<Attachment>), AgentError> {
        let mut answer = ToolAnswer::for_model(call).await;
        let files = answer.take_attachments_for_model();
        let content = match answer.into_data_and_notes() {
            Ok((json, notes)) => Self::Data { json, notes },
            Err(answer) => Self::Text(answer.into_text().ok_or_else(not_executed)?),
        };
        Ok((content, files))
    }
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingCall {
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) ticket: String,
    /// The position of its answer in the turn.
    pub(super) position: usize,
}

impl PendingCall {
    /// Returns the model's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the ticket by which the call is resumed.
    #[must_use]
    pub fn ticket(&self) -> &str {
        &self.ticket
    }

    /// Returns the position of the call in its turn.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }
}

/// A call of a tool of the client, which waits for the client's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientCall {
    pub(super) call: ModelCall,
    /// The position of its answer in the turn.
    pub(super) position: usize,
}

impl ClientCall {
    /// Returns the model's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        self.call.call_id()
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.call.name()
    }

    /// Returns the arguments as the model wrote them; they are not checked.
    #[must_use]
    pub fn arguments(&self) -> &str {
        self.call.arguments()
    }

    /// Returns the position of the call in its turn.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }
}

impl SuspendedRun {
    /// Signs the state of a run that waits.
    pub(super) fn new(state: RunState, policy: &PolicyState) -> Result<Self, AgentError> {
        let signature = state.sign(policy)?;
        Ok(Self { state, signature })
    }

    /// Returns the calls that wait for a person, in the model's order.
    #[must_use]
    pub fn pending(&self) -> &[PendingCall] {
        &self.state.pending
    }

    /// Returns the calls that wait for the client's results, in the model's order.
    #[must_use]
    pub fn client_calls(&self) -> &[ClientCall] {
        &self.state.client_calls
    }

    /// Answers a call of the client's tools by the client's result; `failed` says that the client
    /// could not execute it.
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` if no call of the client's tools waits at this
    /// position of the turn, or the run was changed.
    pub fn answer_client_call(
        &mut self,
        position: usize,
        text: impl Into<String>,
        failed: bool,
        runtime: &Runtime,
    ) -> Result<(), AgentError> {
        let policy = runtime.policy_state();
        self.state.verify(&self.signature, policy)?;
        let at = self.state.client_calls.iter().position(|call| call.position == position);
        let at = at.ok_or_else(|| {
            refused("no call at this position waits for the client; name one of the client's calls")
        })?;
        let mut answered_state = self.state.clone();
        answered_state.client_calls.remove(at);
        if let Some(answer) = answered_state.answers.get_mut(position) {
            answer.content = Some(AnswerText::Text(text.into()));
            answer.failed = failed;
        }
        *self = Self::new(answered_state, policy)?;
        Ok(())
    }

    /// Answers a waiting call by its execution, as [`ToolAnswer::for_model`] writes it.
    ///
    /// The call is the one that was resumed by the ticket of the waiting call: no other execution of
    /// the same tool answers it. A ticket that has expired, was used or was declined elsewhere gives a
    /// call that answers too, by its error.
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` if no such call waits, the call was not resumed by its
    /// ticket, or the run was changed; of the kind `ToolExecution` if the call is not executed or still
    /// needs a decision. The run then still waits for the call.
    pub async fn answer(&mut self, call_id: &str, call: &ToolCall) -> Result<(), AgentError> {
        let policy = call.services().policy_state();
        self.state.verify(&self.signature, policy)?;
        let at = self.pending_position(call_id, call)?;
        if call.approval().awaited_ticket.is_some() {
            let message =
                "the call still waits for a decision; approve or decline it, and execute it";
            return Err(AgentError::new(AgentErrorKind::ToolExecution, message));
        }
        let (content, attachments) = AnswerText::for_call(call).await?;
        let mut answered_state = self.state.clone();
        let position = answered_state.pending.remove(at).position;
        if let Some(answer) = answered_state.answers.get_mut(position) {
            (answer.content, answer.attachments) = (Some(content), attachments);
            answer.failed = call.output().is_none_or(|output| !output.is_ok());
        }
        *self = Self::new(answered_state, policy)?;
        Ok(())
    }

    /// Withdraws a waiting call, whose ticket is refused from then on, and answers it by that.
    pub(super) async fn withdraw(
        &mut self,
        waiting: &PendingCall,
        runtime: &Runtime,
        cx: &ToolContext,
    ) -> Result<(), AgentError> {
        let failed = |cause: &dyn fmt::Display| {
            let text = format!("the call of `{}` cannot be withdrawn: {cause}", waiting.tool);
            AgentError::new(AgentErrorKind::ToolExecution, text)
        };
        let ticket = Ticket::parse(&waiting.ticket).map_err(|error| failed(&error))?;
        let withdrawal = runtime.tickets().supersede_ticket(&ticket).await;
        // The store's own message may name files.
        withdrawal.map_err(|_| failed(&"the store of tickets failed"))?;
        let mut call = runtime.tickets().resume(&waiting.ticket, cx).await;
        call.execute().await;
        self.answer(&waiting.call_id, &call).await.map_err(|error| failed(&error.message()))
    }

    /// Takes the state, if it is signed and belongs to the owner of this context.
    pub(super) fn into_state(
        self,
        policy: &PolicyState,
        cx: &ToolContext,
    ) -> Result<RunState, AgentError> {
        self.check_owner(policy, cx)?;
        Ok(self.state)
    }

    /// Checks that the run is signed and belongs to the owner of this context.
    pub(super) fn check_owner(
        &self,
        policy: &PolicyState,
        cx: &ToolContext,
    ) -> Result<(), AgentError> {
        self.state.verify(&self.signature, policy)?;
        if self.state.owner == RunOwner::for_context(cx) {
            return Ok(());
        }
        Err(refused(
            "the run belongs to another tenant or user; resume it in a context of its owner, which \
             is the one of its trace if that has no user and no actor",
        ))
    }

    /// Returns the position of the waiting call whose ticket the call was resumed by.
    fn pending_position(&self, call_id: &str, call: &ToolCall) -> Result<usize, AgentError> {
        if !self.state.pending.iter().any(|waiting| waiting.call_id == call_id) {
            return Err(refused("no call with this id waits; name one of the pending calls"));
        }
        let approval = call.approval();
        let redeemed_ticket = approval.ticket.as_ref().map(|ticket| &ticket.json);
        let ticket = redeemed_ticket
            .or(approval.ended_ticket.as_ref())
            .and_then(|it| Ticket::parse(it).ok());
        let is_resumed = |waiting: &PendingCall| {
            ticket.is_some() && Ticket::parse(&waiting.ticket).ok() == ticket
        };
        self.state
            .pending
            .iter()
            .position(|waiting| waiting.call_id == call_id && is_resumed(waiting))
            .ok_or_else(|| {
                refused(
                    "the call was not resumed by the ticket of the waiting call; resume that ticket, \
                     and answer by the call that it gives",
                )
            })
    }
}

impl RunState {
    /// Answers the client's calls that are left by a note, because the run is closed.
    pub(super) fn leave_client_calls(&mut self) {
        for call in &self.client_calls {
            if let Some(answer) = self.answers.get_mut(call.position) {
                answer.content = Some(AnswerText::Text(CLIENT_CALL_LEFT.to_owned()));
                answer.failed = true;
            }
        }
    }

    fn sign(&self, policy: &PolicyState) -> Result<StateSignature, AgentError> {
        let signature = policy.seals.sign_state(SIGNATURE_PURPOSE, &self.signed_text()?);
        signature.ok_or_else(|| {
            AgentError::new(AgentErrorKind::Configuration, "there are no keys to sign the run with")
        })
    }

    fn verify(&self, signature: &StateSignature, policy: &PolicyState) -> Result<(), AgentError> {
        if policy.seals.has_signed_state(SIGNATURE_PURPOSE, &self.signed_text()?, signature) {
            return Ok(());
        }
        Err(refused("the run was changed, or signed with keys that this runtime does not have"))
    }

    /// Returns the text that is signed, in which the order of names does not count.
    fn signed_text(&self) -> Result<Vec<u8>, AgentError> {
        let sorted_state = serde_json::to_value(self).and_then(|mut state| {
            state.sort_all_objects();
            serde_json::to_vec(&state)
        });
        let message = "the run cannot be serialized";
        sorted_state.map_err(|_| AgentError::new(AgentErrorKind::Serialization, message))
    }
}

fn not_executed() -> AgentError {
    AgentError::new(AgentErrorKind::ToolExecution, "the call is not executed")
}

fn refused(message: &str) -> AgentError {
    AgentError::new(AgentErrorKind::Validation, message)
}

/// Shows counts only.
impl fmt::Debug for SuspendedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SuspendedRun")
            .field("messages", &self.state.history.messages.len())
            .field("pending", &self.state.pending.len())
            .field("client_calls", &self.state.client_calls.len())
            .field("turns", &self.state.turns)
            .finish_non_exhaustive()
    }
}
