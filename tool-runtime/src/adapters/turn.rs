//! One response of a model: what it says, and what it asks for.

use serde_json::Value;
use tool_contracts::{ToolCallRequest, ToolContext};
use uuid::Uuid;

use crate::call::ToolCall;
use crate::dispatch::Runtime;

/// One response of a model, read from its dialect.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) messages: Vec<Value>,
    pub(super) text: String,
    pub(super) asked: Vec<Asked>,
    pub(super) stop: Stop,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It has said all, or waits for the calls' answers.
    Done,
    /// It was cut off at a limit of length; none of its calls is run.
    Length,
    /// For a reason that the provider names.
    Other(String),
}

/// One call that a model asks for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What the answer has to name, where the provider gave an id.
    pub(super) wire_id: Option<String>,
    /// What the model called the tool.
    pub(super) wire_name: String,
    /// The name of the tool that is meant; what the model wrote, where it means none.
    pub(super) name: String,
    /// The provider's id, or one of our own where it gave none or gave it twice.
    pub(super) call_id: String,
    /// As the model wrote them, which may be no JSON.
    pub(super) arguments: String,
    /// None where the arguments are no JSON, or the response was cut off.
    pub(super) request: Option<ToolCallRequest>,
}

impl Turn {
    /// Returns what is added to the conversation for this response, ahead of the calls' answers.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Returns what the model said beside its calls; empty if it said nothing.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lists the calls that the model asks for, in its order, whole and broken.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Lists the calls that came whole. The others are answered too: see [`open`](Self::open).
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
    /// Arguments that are no JSON make a call that is refused with the place where they break. No
    /// call of a response that was cut off runs: each is answered `CANCELLED`, with the cure.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn open(&self, runtime: &Runtime, cx: &ToolContext) -> Vec<ToolCall> {
        self.asked.iter().map(|asked| self.open_one(asked, runtime, cx)).collect()
    }

    fn open_one(&self, asked: &Asked, runtime: &Runtime, cx: &ToolContext) -> ToolCall {
        let cx = cx.with_invocation_id(Uuid::now_v7());
        let id = Some(asked.call_id.as_str().into());
        let mut call = runtime.open(&asked.name, id, asked.arguments.as_str().into(), cx);
        if self.stop == Stop::Length {
            call.cut_off();
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

    /// Returns the request; none if the arguments are no JSON, or the response was cut off.
    #[must_use]
    pub fn request(&self) -> Option<&ToolCallRequest> {
        self.request.as_ref()
    }
}
