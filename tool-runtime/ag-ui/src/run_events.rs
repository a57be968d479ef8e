//! Converts the events of a loop into those of the protocol, in an order that clients accept.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_runtime_agent::{ChatReply, LoopEvent};
use uuid::Uuid;

use crate::event::{ModelUsage, PROTOCOL_VERSION, RunEvent, RunOutcome};
use crate::event_queue::EventQueue;
use crate::input::RunInput;
use crate::problem::RunProblem;
use crate::waiting_thread::tool_call_id;

/// The events of one run.
#[derive(Debug)]
pub(crate) struct RunEvents {
    queue: Arc<EventQueue>,
    turn: Mutex<TurnState>,
}

/// The turn of the model that is in progress, or the last one.
#[derive(Debug, Default)]
struct TurnState {
    message_id: String,
    /// The model is answering; the message has its id already.
    is_replying: bool,
    has_open_text: bool,
    /// The names of the calls, and whether each was sent.
    calls: Vec<(String, bool)>,
    usage: Vec<ModelUsage>,
}

impl RunEvents {
    pub(crate) fn new(queue: Arc<EventQueue>) -> Self {
        Self { queue, turn: Mutex::default() }
    }

    pub(crate) fn run_started(&self, input: &RunInput) {
        self.queue.push(&RunEvent::RunStarted {
            thread_id: &input.thread_id,
            run_id: &input.run_id,
            protocol_version: PROTOCOL_VERSION,
            parent_run_id: input.parent_run_id.as_deref(),
        });
    }

    /// Sends the end of the run, after which nothing is sent.
    pub(crate) fn run_ended(&self, input: &RunInput, end: Result<RunOutcome, RunProblem>) {
        let mut turn = self.lock();
        turn.close_text(&self.queue);
        let usage = mem::take(&mut turn.usage);
        drop(turn);
        match end {
            Ok(outcome) => self.queue.finish(&RunEvent::RunFinished {
                thread_id: &input.thread_id,
                run_id: &input.run_id,
                outcome,
                usage: &usage,
            }),
            Err(RunProblem { code, message }) => {
                let message = &message;
                self.queue.finish(&RunEvent::RunError { message, code, usage: &usage });
            }
        }
    }

    /// Sends an event of the loop.
    pub(crate) fn on_loop_event(&self, event: LoopEvent<'_>) {
        let mut turn = self.lock();
        match event {
            LoopEvent::Text(delta) => turn.add_text(delta, &self.queue),
            LoopEvent::Replied(reply) => turn.end_reply(reply, &self.queue),
            LoopEvent::CallOpened { position, call } => {
                let preview = call.preview();
                turn.send_call(position, preview.arguments(), &self.queue);
            }
            LoopEvent::ClientCall { position, call } => {
                turn.send_call(position, Some(call.arguments()), &self.queue);
            }
            LoopEvent::CallAnswered { position, text } => {
                // A call that does not run was not opened, so its arguments were not masked.
                turn.send_call(position, None, &self.queue);
                let call_id = tool_call_id(&turn.message_id, position);
                self.call_answered(&call_id, text);
            }
        }
    }

    /// Sends the answer of a call.
    pub(crate) fn call_answered(&self, call_id: &str, text: &str) {
        let message_id = new_message_id();
        self.queue.push(&RunEvent::ToolCallResult {
            message_id: &message_id,
            tool_call_id: call_id,
            content: text,
            role: "tool",
        });
    }

    /// Returns the id of the model's last message.
    pub(crate) fn last_message_id(&self) -> String {
        self.lock().message_id.clone()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn lock(&self) -> MutexGuard<'_, TurnState> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnState {
    fn begin_reply(&mut self) {
        if !self.is_replying {
            self.is_replying = true;
            self.message_id = new_message_id();
            self.calls.clear();
        }
    }

    fn add_text(&mut self, delta: &str, queue: &EventQueue) {
        if delta.is_empty() {
            return;
        }
        self.begin_reply();
        let message_id = &self.message_id;
        if !self.has_open_text {
            queue.push(&RunEvent::TextMessageStart { message_id, role: "assistant" });
            self.has_open_text = true;
        }
        queue.push(&RunEvent::TextMessageContent { message_id, delta });
    }

    /// Ends the message; the text of a model that streams nothing is sent whole.
    fn end_reply(&mut self, reply: &ChatReply, queue: &EventQueue) {
        self.begin_reply();
        if !self.has_open_text {
            self.add_text(reply.text(), queue);
        }
        self.close_text(queue);
        self.is_replying = false;
        self.calls = reply.calls().iter().map(|call| (call.name().to_owned(), false)).collect();
        self.add_usage(reply);
    }

    fn close_text(&mut self, queue: &EventQueue) {
        if mem::take(&mut self.has_open_text) {
            queue.push(&RunEvent::TextMessageEnd { message_id: &self.message_id });
        }
    }

    /// Sends a call with its arguments, once.
    fn send_call(&mut self, position: usize, arguments: Option<&str>, queue: &EventQueue) {
        let Some((name, is_sent)) = self.calls.get_mut(position) else { return };
        if mem::replace(is_sent, true) {
            return;
        }
        let tool_call_id = &*tool_call_id(&self.message_id, position);
        let parent_message_id = &*self.message_id;
        let tool_call_name = &**name;
        queue.push(&RunEvent::ToolCallStart { tool_call_id, tool_call_name, parent_message_id });
        if let Some(delta) = arguments {
            queue.push(&RunEvent::ToolCallArgs { tool_call_id, delta });
        }
        queue.push(&RunEvent::ToolCallEnd { tool_call_id });
    }

    /// Adds the tokens of a turn, if the provider counts them.
    fn add_usage(&mut self, reply: &ChatReply) {
        let Some(tokens) = reply.usage() else { return };
        let of_model = |usage: &&mut ModelUsage| usage.model == reply.model();
        if let Some(usage) = self.usage.iter_mut().find(of_model) {
            usage.input_tokens = usage.input_tokens.saturating_add(tokens.input_tokens);
            usage.output_tokens = usage.output_tokens.saturating_add(tokens.output_tokens);
            usage.cached_input_tokens =
                usage.cached_input_tokens.saturating_add(tokens.cached_input_tokens);
        } else {
            self.usage.push(ModelUsage {
                model: reply.model().to_owned(),
                input_tokens: tokens.input_tokens,
                output_tokens: tokens.output_tokens,
                cached_input_tokens: tokens.cached_input_tokens,
            });
        }
    }
}

fn new_message_id() -> String {
    Uuid::now_v7().simple().to_string()
}
