//! One run of a loop, turn by turn.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tool_contracts::{ToolContext, ToolSpec};
use tool_runtime_adapters::data_with_notes;
use tool_runtime_core::call::{ToolCall, run_batch};
use tool_runtime_core::dispatch::refusal::{CUT_OFF, Refusal};
use tool_runtime_core::tokens::{TokenCounter, counter_for_model};
use tool_runtime_core::tool::RequestedLimits;
use uuid::Uuid;

use super::ToolLoop;
use super::events::LoopEvent;
use super::files::{self, FILE_TOKENS, FileReader};
use super::history::History;
use super::observer::RunFigures;
use super::report::{LoopEnd, LoopReport, StopCause};
use super::suspended::{
    AnswerText, CallAnswer, ClientCall, PendingCall, RunOwner, RunState, SuspendedRun,
};
use crate::assess::Assessor;
use crate::deadline::{Deadline, DeadlineExceeded, chat_within};
use crate::error::{AgentError, AgentErrorKind};
use crate::model::{
    ChatModel, ChatReply, ChatRequest, FinishReason, ModelCall, ModelMessage, OnText, TokenUsage,
};

/// A run of a loop.
pub(super) struct LoopRun<'l> {
    /// The id of the run, from which the keys of its calls are derived.
    id: Uuid,
    agent: &'l ToolLoop,
    cx: &'l ToolContext,
    model: Arc<dyn ChatModel>,
    deadline: Deadline,
    started: Instant,
    /// The counts of the run up to its suspension, if it was resumed.
    counted_before_resume: RunFigures,
    history: History,
    turns: u32,
    calls: u32,
    failed_turns: u32,
    usage: TokenUsage,
}

/// The step after a turn.
enum TurnStep {
    NextTurn,
    End(Box<LoopEnd>),
}

impl<'l> LoopRun<'l> {
    pub(super) fn new(
        agent: &'l ToolLoop,
        messages: Vec<ModelMessage>,
        cx: &'l ToolContext,
    ) -> Self {
        Self {
            id: Uuid::now_v7(),
            agent,
            cx,
            model: agent.observer.measured(&agent.model, &agent.runtime),
            deadline: Deadline::after(&agent.runtime, agent.timeout),
            started: Instant::now(),
            counted_before_resume: RunFigures::default(),
            history: History::new(messages),
            turns: 0,
            calls: 0,
            failed_turns: 0,
            usage: TokenUsage::default(),
        }
    }

    /// Continues a run whose calls are all answered.
    pub(super) async fn resumed(
        agent: &'l ToolLoop,
        run: SuspendedRun,
        cx: &'l ToolContext,
    ) -> Result<Self, AgentError> {
        let state = run.into_state(agent.runtime.policy_state(), cx)?;
        if let Some(waiting) = state.pending.first() {
            let message = format!(
                "the call of `{}` still waits; answer every pending call before the run continues",
                waiting.tool
            );
            return Err(AgentError::new(AgentErrorKind::Validation, message));
        }
        if let Some(waiting) = state.client_calls.first() {
            let message = format!(
                "the call of `{}` still waits for the client; answer it by \
                 `SuspendedRun::answer_client_call` before the run continues",
                waiting.tool()
            );
            return Err(AgentError::new(AgentErrorKind::Validation, message));
        }
        Ok(Self::with_state(agent, state, cx).await)
    }

    /// Adds the answers of the last turn to the conversation.
    pub(super) async fn with_state(
        agent: &'l ToolLoop,
        state: RunState,
        cx: &'l ToolContext,
    ) -> Self {
        let RunState { id, history, answers, turns, calls, failed_turns, usage, .. } = state;
        let new = Self::new(agent, Vec::new(), cx);
        let mut resumed = Self { id, history, turns, calls, failed_turns, usage, ..new };
        let mut messages = std::mem::take(&mut resumed.history.messages);
        resumed.files().restore(&mut messages).await;
        resumed.history.messages = messages;
        resumed.counted_before_resume = resumed.figures();
        resumed.add_answers(answers).await;
        resumed
    }

    /// Takes the conversation.
    pub(super) fn into_messages(self) -> Vec<ModelMessage> {
        self.history.messages
    }

    pub(super) async fn finish(mut self) -> Result<LoopReport, AgentError> {
        let end = self.run().await;
        let figures = self.figures().since(&self.counted_before_resume);
        self.agent.observer.run_ended(&self.agent.runtime, end.as_ref(), figures);
        let end = end?;
        let Self { agent, history, turns, calls, usage, .. } = self;
        let savings = history.savings.report(agent.cached_price_share());
        Ok(LoopReport { end, messages: history.messages, turns, calls, usage, savings })
    }

    /// Asks the model turn by turn, until it answers, a call waits or a limit is reached.
    async fn run(&mut self) -> Result<LoopEnd, AgentError> {
        loop {
            if let Some(cause) = self.limit() {
                return Ok(LoopEnd::Stopped(cause));
            }
            if let TurnStep::End(end) = self.turn().await? {
                return Ok(*end);
            }
        }
    }

    fn figures(&self) -> RunFigures {
        RunFigures {
            took: self.started.elapsed(),
            turns: self.turns,
            calls: self.calls,
            usage: self.usage,
            saved_tokens: self.history.savings.report(1.0).input_tokens,
        }
    }

    /// Returns the limit that is reached, if any.
    fn limit(&self) -> Option<StopCause> {
        let tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        if self.failed_turns >= self.agent.max_failed_turns {
            Some(StopCause::RepeatedFailures)
        } else if self.turns >= self.agent.max_turns {
            Some(StopCause::TurnLimit)
        } else if tokens >= self.agent.max_total_tokens {
            Some(StopCause::TokenBudget)
        } else if self.deadline.has_passed() {
            Some(StopCause::Timeout)
        } else {
            None
        }
    }

    /// Leaves half of the rest of the time to the model, if code of the host compresses.
    fn with_half_the_time(&self, assessor: &Assessor) -> Assessor {
        assessor.clone().deadline(self.deadline.halved())
    }

    /// Asks the model once, and executes the calls that it requests.
    async fn turn(&mut self) -> Result<TurnStep, AgentError> {
        if let Some(assessor) = &self.agent.history_assessor {
            let turns = self.agent.max_turns.saturating_sub(self.turns);
            let assessor = self.with_half_the_time(assessor);
            self.history.compact(&assessor, turns).await;
        }
        let request = self.request();
        let listener = self.agent.listener.as_ref();
        let on_text = listener.map(|it| move |text: &str| it.notify(LoopEvent::Text(text)));
        let on_text = on_text.as_ref().map(|it| it as &OnText<'_>);
        let reply = match chat_within(&*self.model, &request, on_text, &self.deadline).await {
            Ok(ended) => ended?,
            Err(DeadlineExceeded) => {
                return Ok(TurnStep::End(Box::new(LoopEnd::Stopped(StopCause::Timeout))));
            }
        };
        self.turns += 1;
        self.history.savings.add_request();
        self.count_tokens(&request, &reply);
        self.history.push(ModelMessage::Assistant(reply.message().clone()));
        self.notify(LoopEvent::Replied(&reply));
        if reply.calls().is_empty() {
            return Ok(TurnStep::End(Box::new(LoopEnd::Answered(reply))));
        }
        match reply.finish_reason() {
            FinishReason::Stop | FinishReason::ToolCalls => self.execute(reply.calls()).await,
            // The adapters map the words of a complete answer to the reasons above. The words that
            // are left, such as `insufficient_system_resource`, name answers that the provider did
            // not complete, so their calls are not run, as `StopReason` promises.
            FinishReason::Length | FinishReason::ContentFilter | FinishReason::Other(_) => {
                // Servers refuse a conversation in which a call has no answer.
                let answers =
                    reply.calls().iter().map(|call| unexecuted_answer(call, CUT_OFF.to_owned()));
                let answers: Vec<_> = answers.collect();
                self.notify_answers(&answers);
                self.add_answers(answers).await;
                Ok(TurnStep::End(Box::new(LoopEnd::Stopped(StopCause::CutOff))))
            }
        }
    }

    fn request(&self) -> ChatRequest {
        let request = ChatRequest::from_messages(self.history.messages.iter().cloned())
            .with_tools(self.agent.specs().chain(self.agent.client_tools.iter().cloned()));
        let request = match &self.agent.model_name {
            Some(name) => request.with_model(name.clone()),
            None => request,
        };
        match self.deadline.left() {
            Some(left) => request.with_timeout(left),
            None => request,
        }
    }

    /// Adds the tokens of a turn; the tokens of a model that does not count them are estimated.
    fn count_tokens(&mut self, request: &ChatRequest, reply: &ChatReply) {
        let usage = reply.usage().unwrap_or_else(|| {
            let counter = counter_for_model(reply.model());
            let count = |text: &str| counter.count(text);
            let files = |message: &ModelMessage| {
                let files = u64::try_from(message.attachments().len()).unwrap_or(u64::MAX);
                files.saturating_mul(FILE_TOKENS)
            };
            let messages = request
                .messages()
                .iter()
                .map(|message| count(message.text()).saturating_add(files(message)));
            let tools = request.tools().iter().map(|spec| {
                let examples = spec.input_examples().iter().cloned().map(Value::Object);
                count(spec.description())
                    + count(&Value::from(spec.input_schema().clone()).to_string())
                    + examples.map(|example| count(&example.to_string())).sum::<u64>()
            });
            let calls = reply.calls().iter().map(|call| count(call.arguments()));
            let output = count(reply.text()) + calls.sum::<u64>();
            TokenUsage::new(messages.sum::<u64>() + tools.sum::<u64>(), output)
        });
        let sum = &mut self.usage;
        sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
        sum.cached_input_tokens = sum.cached_input_tokens.saturating_add(usage.cached_input_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
    }

    async fn execute(&mut self, requested: &[ModelCall]) -> Result<TurnStep, AgentError> {
        self.calls = self.calls.saturating_add(u32::try_from(requested.len()).unwrap_or(u32::MAX));
        let (requested, surplus) =
            requested.split_at(requested.len().min(self.agent.max_calls_per_turn));
        let mut calls: Vec<ToolCall> = Vec::with_capacity(requested.len());
        let mut positions = Vec::with_capacity(requested.len());
        let mut client_calls = Vec::new();
        for (position, call) in requested.iter().enumerate() {
            if self.agent.is_client_tool(call.name()) {
                self.notify(LoopEvent::ClientCall { position, call });
                client_calls.push(ClientCall { call: call.clone(), position });
            } else {
                let opened = self.open(position, call);
                self.notify(LoopEvent::CallOpened { position, call: &opened });
                calls.push(opened);
                positions.push(position);
            }
        }
        let (limit, timer) = (self.agent.max_concurrent, self.agent.runtime.timer());
        drop(run_batch(&mut calls, limit, timer).await);
        let mut answers: Vec<CallAnswer> = requested.iter().map(waiting_answer).collect();
        let mut pending = Vec::new();
        for (call, position) in calls.iter().zip(positions) {
            let answer = &mut answers[position];
            answer.failed = call.output().is_none_or(|output| !output.is_ok());
            match &call.approval().awaited_ticket {
                None => {
                    let (content, files) = AnswerText::for_call(call).await?;
                    (answer.content, answer.attachments) = (Some(content), files);
                }
                Some(ticket) => pending.push(PendingCall {
                    call_id: answer.call_id.clone(),
                    tool: call.name().to_owned(),
                    ticket: ticket.json.to_string(),
                    position,
                }),
            }
        }
        answers.extend(surplus.iter().map(|call| self.surplus_answer(call)));
        self.notify_answers(&answers);
        if pending.is_empty() && client_calls.is_empty() {
            self.add_answers(answers).await;
            return Ok(TurnStep::NextTurn);
        }
        let state = RunState {
            id: self.id,
            owner: RunOwner::for_context(self.cx),
            history: self.history.clone(),
            answers,
            pending,
            client_calls,
            turns: self.turns,
            calls: self.calls,
            failed_turns: self.failed_turns,
            usage: self.usage,
        };
        let suspended = SuspendedRun::new(state, self.agent.runtime.policy_state())?;
        Ok(TurnStep::End(Box::new(LoopEnd::Suspended(suspended))))
    }

    fn notify(&self, event: LoopEvent<'_>) {
        if let Some(listener) = &self.agent.listener {
            listener.notify(event);
        }
    }

    /// Reports the answers of a turn that are there; calls that wait have none.
    fn notify_answers(&self, answers: &[CallAnswer]) {
        let Some(listener) = &self.agent.listener else { return };
        for (position, answer) in answers.iter().enumerate() {
            if let Some(content) = &answer.content {
                let text = &*content.to_text();
                listener.notify(LoopEvent::CallAnswered { position, text });
            }
        }
    }

    /// Answers a call that exceeds `max_calls_per_turn`, and so does not run.
    fn surplus_answer(&self, call: &ModelCall) -> CallAnswer {
        let limit = self.agent.max_calls_per_turn;
        let text = format!(
            "this call did not run: a turn may have {limit} calls; repeat it in the next turn"
        );
        unexecuted_answer(call, text)
    }

    fn open(&self, position: usize, call: &ModelCall) -> ToolCall {
        let cx = self.deadline.limit(self.cx.with_invocation_id(Uuid::now_v7()));
        let id = Some(call.call_id()).filter(|id| !id.trim().is_empty());
        let id = id.map(Box::from);
        let arguments = call.arguments().into();
        let runtime = &self.agent.runtime;
        let shows = |spec: &ToolSpec| self.agent.shows(spec);
        let opened = match runtime.spec(call.name()) {
            // A tool that the model was not shown is as unknown as any other name. In a loop with a
            // list of tools this holds for a denied or disabled one too, which has no spec here.
            spec if spec.as_ref().map_or(self.agent.tools.is_some(), |spec| !shows(spec)) => {
                let closest = runtime.services().closest(call.name(), &shows);
                let refusal = Refusal::unknown_tool(&closest);
                runtime.open_refused(call.name(), id, arguments, cx, refusal)
            }
            _ => runtime.open_among(call.name(), id, arguments, cx, &shows),
        };
        if let Some(scope) = opened.scope() {
            // Models number the calls of each turn anew, or give two calls of a turn one id. A
            // repeated key would be a repeated write.
            let (run, turn) = (self.id.simple(), self.turns);
            scope.set_place(format!("run:{run}:{turn}:{position}"));
            if let ends @ Some(_) = self.deadline.ends() {
                scope.set_requested_limits(RequestedLimits { ends, ..RequestedLimits::default() });
            }
        }
        opened
    }

    /// Adds the answers of a turn, directly after the model's message.
    async fn add_answers(&mut self, answers: Vec<CallAnswer>) {
        let all_failed = answers.iter().all(|answer| answer.failed);
        self.failed_turns = if all_failed { self.failed_turns + 1 } else { 0 };
        for CallAnswer { call_id, tool, content, attachments, .. } in answers {
            let (shown, notes) = self.files().read(attachments).await;
            let text = match content {
                Some(content) => self.result_text(&tool, content, notes).await,
                None => String::new(),
            };
            self.history.push(ModelMessage::tool_result(call_id, text).with_attachments(shown));
        }
        files::drop_oldest(&mut self.history.messages);
    }

    fn files(&self) -> FileReader<'_> {
        FileReader { runtime: &self.agent.runtime, model: &*self.model, cx: self.cx }
    }

    /// Writes an answer as the model reads it, its data compressed if they are long, with notes on its
    /// files.
    async fn result_text(&mut self, tool: &str, content: AnswerText, files: Vec<String>) -> String {
        let (json, mut notes) = match content {
            AnswerText::Text(mut text) => {
                files::add_notes(&mut text, &files);
                return text;
            }
            AnswerText::Data { json, notes } => (json, notes),
        };
        notes.extend(files);
        let shorter = match &self.agent.result_assessor {
            Some(assessor) => {
                let assessor = self.with_half_the_time(assessor);
                self.history.compress_result(&assessor, tool, &json).await
            }
            None => None,
        };
        match shorter {
            Some(mut text) => {
                files::add_notes(&mut text, &notes);
                text
            }
            None => data_with_notes(json, &notes),
        }
    }
}

/// Returns a place for the answer of a call that has none yet.
fn waiting_answer(call: &ModelCall) -> CallAnswer {
    CallAnswer {
        call_id: call.call_id().to_owned(),
        tool: call.name().to_owned(),
        content: None,
        failed: false,
        attachments: Vec::new(),
    }
}

/// Answers a call that does not run.
fn unexecuted_answer(call: &ModelCall, text: String) -> CallAnswer {
    CallAnswer {
        call_id: call.call_id().to_owned(),
        tool: call.name().to_owned(),
        content: Some(AnswerText::Text(text)),
        failed: true,
        attachments: Vec::new(),
    }
}
