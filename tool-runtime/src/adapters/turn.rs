//! One response of a model: what it says, and what it asks for.

use std::fmt;

use serde_json::Value;
use tool_contracts::{ErrorCode, ToolCallRequest, ToolContext, ToolErrorDetail};
use uuid::Uuid;

use crate::call::{ToolCall, Withdrawal};
use crate::dispatch::Runtime;
use crate::dispatch::refusal::Refusal;
use crate::refusal_reason::RefusalReason;

/// One response of a model, read from its dialect.
#[derive(Clone)]
pub struct Turn {
    pub(super) messages: Vec<Value>,
    pub(super) text: String,
    pub(super) asked: Vec<Asked>,
    pub(super) stop: Stop,
}

/// Why a model stopped. Calls are run only where it was [`Done`](Self::Done).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It has said all, or waits for the calls' answers.
    Done,
    /// It was cut off at a limit of length.
    Length,
    /// Its stream ended before the response was closed.
    Interrupted,
    /// It refused, or a filter stopped it, in the provider's word.
    Refused(String),
    /// For another reason that the provider names.
    Other(String),
}

/// One call that a model asks for.
#[derive(Clone)]
pub struct Asked {
    /// The id that the provider gave, if any; the answer names the call by it or by `call_id`.
    pub(super) wire_id: Option<String>,
    /// What the model called the tool.
    pub(super) wire_name: String,
    /// The name of the tool that is meant; what the model wrote, where it means none.
    pub(super) name: String,
    /// The provider's id, or one of our own where it gave none or gave it twice.
    pub(super) call_id: String,
    /// As the model wrote them, which may be no JSON.
    pub(super) arguments: String,
    /// What the tool gets, where the declaration asked for more than the tool does.
    pub(super) restored: Option<String>,
    /// The closest names, where no tool was declared by this one.
    pub(super) closest: Option<Vec<String>>,
    pub(super) request: Option<ToolCallRequest>,
}

impl Turn {
    /// Returns what is added to the conversation for this response, ahead of the calls' answers.
    ///
    /// It is what the provider wants repeated, as it came: thinking blocks with their signatures,
    /// reasoning items, what no tool of ours is about. A provider refuses some of what it sends
    /// itself, and that is put right: arguments that are no JSON object stand as `{}`, a call without
    /// an id of its own has the one that its answer names, and blank texts are left out, as is
    /// thinking that was cut off before it was signed. Empty if nothing is left.
    ///
    /// For the Responses API these are the items of the next request's `input`.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Returns what the model said beside its calls, a refusal too; empty if it said nothing.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lists the calls that the model asks for, in its order, whole and broken.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Lists the calls that may run. The others are answered too: see [`open`](Self::open).
    pub fn requests(&self) -> impl Iterator<Item = &ToolCallRequest> {
        self.asked.iter().filter_map(Asked::request)
    }

    /// Says why the model stopped.
    #[must_use]
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Opens every call that the model asks for, in its order; runs nothing.
    ///
    /// A name that was not declared to the model is answered `NOT_FOUND`, whether the runtime has such
    /// a tool or not. Arguments that are no JSON make a call that is refused with the place where they
    /// break. No call of a response that was cut off, or that a filter stopped, runs: each that came
    /// whole is answered `CANCELLED`, and all of them with the cure.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn open(&self, runtime: &Runtime, cx: &ToolContext) -> Vec<ToolCall> {
        self.asked.iter().map(|asked| self.open_one(asked, runtime, cx)).collect()
    }

    fn open_one(&self, asked: &Asked, runtime: &Runtime, cx: &ToolContext) -> ToolCall {
        let cx = cx.with_invocation_id(Uuid::now_v7());
        let mut call = match &asked.closest {
            None => runtime.open(&asked.name, Some(asked.id()), asked.given().into(), cx),
            Some(closest) => asked.unheard_of(closest, runtime, cx),
        };
        match &self.stop {
            Stop::Done => {}
            Stop::Length | Stop::Interrupted => drop(call.withdraw(Withdrawal::CutOff)),
            Stop::Refused(word) | Stop::Other(word) => drop(call.refuse(|| stopped(word))),
        }
        call
    }
}

impl Asked {
    /// Returns the call's id, which its answer carries: the provider's, or one made here.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Returns the name of the tool that is meant, or what the model wrote where it means none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments as the model wrote them, which may be no JSON.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Returns the request of a call that may run.
    ///
    /// None if the arguments are no JSON, the response was cut off or stopped, or no tool was declared
    /// by this name.
    #[must_use]
    pub fn request(&self) -> Option<&ToolCallRequest> {
        self.request.as_ref()
    }

    /// What the tool gets.
    pub(super) fn given(&self) -> &str {
        self.restored.as_deref().unwrap_or(&self.arguments)
    }

    fn id(&self) -> Box<str> {
        self.call_id.as_str().into()
    }

    /// Opens a call of a tool that the model was told nothing of.
    fn unheard_of(&self, closest: &[String], runtime: &Runtime, cx: ToolContext) -> ToolCall {
        let closest: Vec<_> = closest.iter().map(String::as_str).collect();
        let mut refusal = Refusal::unknown_tool(&closest);
        if let Some(governor) = runtime.governor() {
            governor.refused(&self.name, &cx, &mut refusal);
        }
        let arguments = self.given().into();
        ToolCall::unknown(runtime.clone(), &self.name, Some(self.id()), arguments, cx, &refusal)
    }
}

/// Shows what is asked and why it stopped, and no word of it.
impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("text", &format_args!("{} bytes", self.text.len()))
            .field("asked", &self.asked)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// Shows no arguments.
impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("call_id", &self.call_id)
            .field("name", &self.name)
            .field("arguments", &format_args!("{} bytes", self.arguments.len()))
            .finish_non_exhaustive()
    }
}

/// Answers a call of a response that was stopped.
fn stopped(word: &str) -> Box<Refusal> {
    let message = format!(
        "the provider stopped this response ({word}), so none of its calls was run; \
         make the call again if it is still needed"
    );
    let detail = ToolErrorDetail::of(ErrorCode::Cancelled, message)
        .detail("reason", RefusalReason::Stopped.as_str())
        .detail("effect", "none");
    Refusal::not_run(detail.build())
}
