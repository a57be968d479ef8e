//! One run: continues what waits in its thread, or begins a conversation.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tool_contracts::{CallStatus, ToolContext};
use tool_runtime_adapters::ToolAnswer;
use tool_runtime_agent::{
    AgentError, ClientCall, LoopEndKind, LoopReport, ModelMessage, PendingCall, SuspendedRun,
    ToolLoop,
};
use tool_runtime_core::ToolCall;
use tool_runtime_core::policy::Ticket;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::store::StoreError;
use tool_runtime_core::tool::guarded;

use crate::caller::AgUiCaller;
use crate::conversation::{last_user_message, model_messages, newer_user_texts};
use crate::decision::{DecidedCall, Decision, read_decisions, unknown_interrupt};
use crate::event::{Interrupt, RunOutcome};
use crate::input::{MessageContent, RunInput};
use crate::problem::RunProblem;
use crate::run_events::RunEvents;
use crate::run_store::{RunStore, ThreadKey};
use crate::running_threads::RunningThread;
use crate::waiting_thread::{WaitingThread, tool_call_id};

/// The longest time of an operation of the store, which is code of the host.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// A run of an input.
pub(crate) struct Run {
    /// The loop, with the client's tools and the listener of this run.
    pub(crate) agent: ToolLoop,
    pub(crate) caller: AgUiCaller,
    pub(crate) input: RunInput,
    pub(crate) key: ThreadKey,
    pub(crate) store: Arc<dyn RunStore>,
    pub(crate) events: Arc<RunEvents>,
    pub(crate) _thread: RunningThread,
}

impl Run {
    /// Runs to the end; the last event says how it ended.
    pub(crate) async fn finish(self) {
        let guard = EndGuard { run: &self };
        self.events.run_started(&self.input);
        let end = self.run().await;
        self.events.run_ended(&self.input, end);
        drop(guard);
    }

    async fn run(&self) -> Result<RunOutcome, RunProblem> {
        match in_time(self.store.load(&self.key)).await? {
            Some(text) => self.continue_thread(WaitingThread::read(&text)?).await,
            None if !self.input.resume.is_empty() => Err(unknown_interrupt("resume[0]")),
            None => {
                let report = self.agent.run_messages(model_messages(&self.input), self.cx()).await;
                self.outcome(report).await
            }
        }
    }

    /// Takes the answers of the person and of the client, then continues if no call waits any more.
    async fn continue_thread(&self, mut thread: WaitingThread) -> Result<RunOutcome, RunProblem> {
        let decisions = read_decisions(&self.input.resume, &thread.run, &self.caller)?;
        let approved_calls = self.approve(&decisions).await?;
        for (decided, call) in decisions.iter().zip(approved_calls) {
            let call = self.decide(decided, call).await?;
            self.answer(&mut thread, &decided.pending, &call).await?;
        }
        self.take_client_results(&mut thread).await?;
        self.settle_ended(&mut thread).await?;
        let newer_texts = newer_user_texts(&self.input, thread.last_user_message.as_deref());
        if !newer_texts.is_empty() {
            return self.write_on(thread, &newer_texts).await;
        }
        if thread.waits() {
            return self.waiting_outcome(&thread).await;
        }
        let report = self.agent.resume(thread.run, self.cx()).await;
        self.outcome(report).await
    }

    /// Approves calls, and runs none: if arguments that were edited are not valid, nothing has run.
    async fn approve(
        &self,
        decisions: &[DecidedCall],
    ) -> Result<Vec<Option<ToolCall>>, RunProblem> {
        let approver = self.caller.approver().unwrap_or_default();
        let mut calls = Vec::with_capacity(decisions.len());
        for DecidedCall { pending, decision } in decisions {
            let Decision::Approve { edited_arguments } = decision else {
                calls.push(None);
                continue;
            };
            let mut call = self.resumed(pending).await;
            let approval = match edited_arguments {
                None => call.approve(approver),
                Some(arguments) => call.approve_edited(approver, arguments.get()),
            };
            // A call that is not pending answers by the reason.
            if approval.is_err() && call.status() == CallStatus::Pending {
                let message = "an approval is not valid: expected `editedArgs` that the tool's schema \
                               admits, and the name of a person as approver; no call has run";
                return Err(RunProblem::new("invalid_resume", message));
            }
            calls.push(Some(call));
        }
        Ok(calls)
    }

    /// Carries out one decision, and returns the call with its answer.
    async fn decide(
        &self,
        decided: &DecidedCall,
        approved_call: Option<ToolCall>,
    ) -> Result<ToolCall, RunProblem> {
        let approver = self.caller.approver().unwrap_or_default();
        let mut call = match (approved_call, &decided.decision) {
            (Some(call), _) => call,
            (None, Decision::Withdraw) => {
                if let Ok(ticket) = Ticket::parse(decided.pending.ticket()) {
                    self.runtime().tickets().supersede_ticket(&ticket).await?;
                }
                self.resumed(&decided.pending).await
            }
            (None, Decision::Approve { .. } | Decision::Decline { .. }) => {
                self.resumed(&decided.pending).await
            }
        };
        if let Decision::Decline { feedback } = &decided.decision {
            if call.decline(approver, feedback).is_err() && call.status() == CallStatus::Pending {
                let message =
                    "the call cannot be declined: expected the name of a person as approver";
                return Err(RunProblem::new("invalid_resume", message));
            }
        }
        call.execute().await;
        Ok(call)
    }

    /// Gives an answer to the run, sends it, and stores the run at once, so that a crash loses no
    /// decision. A call that still needs one waits on.
    async fn answer(
        &self,
        thread: &mut WaitingThread,
        pending: &PendingCall,
        call: &ToolCall,
    ) -> Result<(), RunProblem> {
        if thread.run.answer(pending.call_id(), call).await.is_err() {
            return Ok(());
        }
        let text = ToolAnswer::for_model(call).await.into_text().unwrap_or_default();
        self.events.call_answered(&thread.tool_call_id(pending.position()), &text);
        self.save(thread).await
    }

    /// Takes the results of the client's tools from its messages.
    async fn take_client_results(&self, thread: &mut WaitingThread) -> Result<(), RunProblem> {
        if thread.run.client_calls().is_empty() {
            return Ok(());
        }
        let results: HashMap<&str, (&str, bool)> = self
            .input
            .messages
            .iter()
            .filter_map(|message| match &message.content {
                MessageContent::Tool { call_id, text, failed } => {
                    Some((call_id.as_str(), (text.as_str(), *failed)))
                }
                MessageContent::Instructions(_)
                | MessageContent::User(_)
                | MessageContent::Assistant { .. }
                | MessageContent::Other => None,
            })
            .collect();
        for call in thread.run.client_calls().to_vec() {
            let id = thread.tool_call_id(call.position());
            if let Some((text, failed)) = results.get(id.as_str()) {
                thread.run.answer_client_call(call.position(), *text, *failed, self.runtime())?;
            }
        }
        self.save(thread).await
    }

    /// Answers the calls whose tickets have ended elsewhere: expired, or decided by another person.
    async fn settle_ended(&self, thread: &mut WaitingThread) -> Result<(), RunProblem> {
        for pending in thread.run.pending().to_vec() {
            let mut call = self.resumed(&pending).await;
            if call.status() != CallStatus::Pending {
                call.execute().await;
                self.answer(thread, &pending, &call).await?;
            }
        }
        Ok(())
    }

    /// Withdraws what waits, because the user writes on, and continues with the new texts.
    async fn write_on(
        &self,
        thread: WaitingThread,
        texts: &[&str],
    ) -> Result<RunOutcome, RunProblem> {
        let pending = thread.run.pending().iter().map(PendingCall::position);
        let of_client = thread.run.client_calls().iter().map(ClientCall::position);
        let withdrawn: Vec<usize> = pending.chain(of_client).collect();
        let mut messages = self.agent.close(thread.run, self.cx()).await?;
        let is_reply = |message: &ModelMessage| matches!(message, ModelMessage::Assistant(_));
        let first_answer = messages.iter().rposition(is_reply).map_or(0, |index| index + 1);
        for position in withdrawn {
            if let Some(answer) = messages.get(first_answer + position) {
                let id = tool_call_id(&thread.message_id, position);
                self.events.call_answered(&id, answer.text());
            }
        }
        in_time(self.store.remove(&self.key)).await?;
        messages.extend(texts.iter().map(|text| ModelMessage::User((*text).to_owned())));
        let report = self.agent.run_messages(messages, self.cx()).await;
        self.outcome(report).await
    }

    /// Stores a run that waits, or removes the stored one; returns the outcome of the loop.
    async fn outcome(
        &self,
        report: Result<LoopReport, AgentError>,
    ) -> Result<RunOutcome, RunProblem> {
        match report?.into_end().into_kind() {
            LoopEndKind::Suspended(run) => self.suspend(run).await,
            LoopEndKind::Stopped(cause) => {
                in_time(self.store.remove(&self.key)).await?;
                let message = format!(
                    "a limit stopped the run before the model answered ({}); what was done is in the \
                     conversation",
                    cause.as_str()
                );
                Err(RunProblem::new(cause.as_str(), message))
            }
            LoopEndKind::Answered(_) => {
                in_time(self.store.remove(&self.key)).await?;
                Ok(RunOutcome::Success { pending_tool_call_ids: Vec::new() })
            }
        }
    }

    /// Stores a run that waits. If it cannot be stored, its calls are withdrawn: an approval that nothing
    /// continues must not be asked for.
    async fn suspend(&self, run: SuspendedRun) -> Result<RunOutcome, RunProblem> {
        let thread = WaitingThread {
            message_id: self.events.last_message_id(),
            last_user_message: last_user_message(&self.input).map(str::to_owned),
            run,
        };
        if let Err(problem) = self.save(&thread).await {
            self.agent.close(thread.run, self.cx()).await?;
            return Err(problem);
        }
        self.waiting_outcome(&thread).await
    }

    /// Returns the outcome of a thread that waits. With interrupts, the calls of the client are those of the
    /// stream without a result; an outcome has no place for both.
    async fn waiting_outcome(&self, thread: &WaitingThread) -> Result<RunOutcome, RunProblem> {
        let mut interrupts = Vec::new();
        for pending in thread.run.pending() {
            let call = self.resumed(pending).await;
            let tool_call_id = thread.tool_call_id(pending.position());
            interrupts.extend(Interrupt::new(pending, &call, tool_call_id));
        }
        if !interrupts.is_empty() {
            return Ok(RunOutcome::Interrupt { interrupts });
        }
        let of_client = thread.run.client_calls().iter();
        let pending_tool_call_ids = of_client.map(|call| thread.tool_call_id(call.position()));
        Ok(RunOutcome::Success { pending_tool_call_ids: pending_tool_call_ids.collect() })
    }

    async fn resumed(&self, pending: &PendingCall) -> ToolCall {
        self.runtime().tickets().resume(pending.ticket(), self.cx()).await
    }

    async fn save(&self, thread: &WaitingThread) -> Result<(), RunProblem> {
        in_time(self.store.save(&self.key, thread.to_text()?)).await
    }

    fn runtime(&self) -> &Runtime {
        self.agent.runtime()
    }

    fn cx(&self) -> &ToolContext {
        self.caller.cx()
    }
}

/// Waits for an operation of the store: up to its time limit, and under a panic guard.
async fn in_time<T>(
    operation: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, RunProblem> {
    match timeout(STORE_TIMEOUT, guarded(operation)).await {
        Ok(Ok(result)) => Ok(result?),
        Ok(Err(_)) | Err(_) => Err(RunProblem::store()),
    }
}

/// Ends the stream of a run that panics, or whose task is dropped with its executor.
struct EndGuard<'r> {
    run: &'r Run,
}

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        if !self.run.events.is_closed() {
            let message = "the run ended without an answer; send the input again to get what waits";
            let problem = RunProblem::new("internal", message);
            self.run.events.run_ended(&self.run.input, Err(problem));
        }
    }
}
