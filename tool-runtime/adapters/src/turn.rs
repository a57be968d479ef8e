//! One response of a model: its text and its calls.

use std::fmt;

use serde_json::Value;
use tool_contracts::{ErrorCode, ToolCallRequest, ToolContext, ToolErrorDetail};
use tool_runtime_core::arguments::{EMPTY, written_without_arguments};
use tool_runtime_core::call::{ToolCall, Withdrawal};
use tool_runtime_core::dispatch::refusal::Refusal;
use tool_runtime_core::effect_state::EffectState;
use tool_runtime_core::refusal_reason::RefusalReason;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_schema::Limits;
use uuid::Uuid;

use super::format::{ParsedCall, ResponseMetadata, ResponseTexts};
use super::response_digest::ResponseDigest;
use super::wide_integers::WideInteger;
use super::{StopReason, TurnUsage};

/// One response of a model.
#[derive(Clone)]
pub struct Turn {
    pub(super) messages: Vec<Value>,
    /// The integers that are rounded in the messages.
    pub(super) wide_integers: Vec<WideInteger>,
    pub(super) texts: ResponseTexts,
    pub(super) thinking: String,
    pub(super) refusal: String,
    pub(super) calls: Vec<RequestedCall>,
    pub(super) stop: StopReason,
    pub(super) metadata: ResponseMetadata,
    pub(super) digest: ResponseDigest,
}

/// One call that a model requests.
#[derive(Clone)]
pub struct RequestedCall {
    /// The call as the provider sent it, under the declared name.
    pub(super) parsed: ParsedCall,
    /// The tool's own name; the model's text if no such tool was declared.
    pub(super) name: String,
    /// The arguments for the tool, if the declaration changed the schema.
    pub(super) restored: Option<String>,
    /// Similar names, if no tool was declared under this name.
    pub(super) closest: Option<Vec<String>>,
    pub(super) request: Option<ToolCallRequest>,
}

impl Turn {
    /// Returns the messages to append to the conversation for this response, before the calls'
    /// answers.
    ///
    /// They repeat the response as it was sent: thinking blocks with their signatures, reasoning
    /// items, content that does not concern tools. Content that the provider would reject is
    /// corrected: arguments that are not a JSON object become `{}`, a call without a unique id gets
    /// the one that its answer uses, a name that the provider does not accept is replaced, and blank
    /// texts and unsigned, cut-off thinking are omitted.
    /// Empty if nothing is left.
    ///
    /// For the Responses API these are items of the next request's `input`. Integers beyond 64 bits
    /// are rounded; see [`raw_messages`](Self::raw_messages).
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Returns the model's answer as text, without its calls, reasoning and refusal; empty if there is
    /// none.
    ///
    /// If there are several [texts](Self::texts), it is the one that the provider marks as the answer
    /// (`phase: final_answer` of the Responses API), else the last one: what a model says before a tool
    /// of the provider runs, or before its answer, is no part of the answer.
    #[must_use]
    pub fn text(&self) -> &str {
        self.texts.answer()
    }

    /// Lists the texts of the response in the model's order, the comments before its answer too.
    ///
    /// A message of the Responses API is one text, and so are the blocks of Anthropic and Bedrock that
    /// a citation divides, and the parts of Gemini without another part between them.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect};
    ///
    /// let adapter = Adapter::new(Dialect::Anthropic, &[]);
    /// let turn = adapter.read(
    ///     r#"{"role":"assistant","stop_reason":"end_turn","content":[
    ///         {"type":"text","text":"Let me check."},{"type":"text","text":"{\"port\":1}"}]}"#,
    /// )?;
    /// assert_eq!(turn.text(), r#"{"port":1}"#);
    /// assert_eq!(turn.texts().collect::<Vec<_>>(), ["Let me check.", r#"{"port":1}"#]);
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter()
    }

    /// Returns the model's reasoning, as far as the provider sends it readable; empty if it sends
    /// none.
    ///
    /// It is for display. The provider reads its own form of it in the [`messages`](Self::messages).
    #[must_use]
    pub fn thinking(&self) -> &str {
        &self.thinking
    }

    /// Returns the text with which the model refuses; `None` if it does not, or without a text.
    ///
    /// It is OpenAI's `refusal`, and `stop_details.explanation` of Anthropic. A refusal without a
    /// text is only a [`stop_reason`](Self::stop_reason).
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        (!self.refusal.is_empty()).then_some(&*self.refusal)
    }

    /// Returns the token counts; `None` if the provider reports none.
    ///
    /// A response that was cut off has those that were reported before.
    #[must_use]
    pub fn usage(&self) -> Option<TurnUsage> {
        self.metadata.usage
    }

    /// Returns the provider's id of the response.
    ///
    /// Ollama has none, and Bedrock sends it only in a header of its HTTP response.
    #[must_use]
    pub fn response_id(&self) -> Option<&str> {
        self.metadata.id.as_deref()
    }

    /// Returns the name of the model that answered, as the provider reports it.
    ///
    /// Bedrock reports one only if a prompt router chose it and the request enables its trace.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.metadata.model.as_deref()
    }

    /// Lists all requested calls in the model's order, valid and invalid.
    #[must_use]
    pub fn calls(&self) -> &[RequestedCall] {
        &self.calls
    }

    /// Lists the valid calls. The others are answered too: see [`open_calls`](Self::open_calls), which
    /// also tells calls of two responses apart that have one id;
    /// [`Runtime::call_all`](tool_runtime_core::Runtime::call_all) takes the id alone.
    pub fn requests(&self) -> impl Iterator<Item = &ToolCallRequest> {
        self.calls.iter().filter_map(RequestedCall::request)
    }

    /// Returns the reason for which the model stopped.
    #[must_use]
    pub fn stop_reason(&self) -> &StopReason {
        &self.stop
    }

    /// Opens every requested call, in order; runs nothing.
    ///
    /// A call of an undeclared name is answered `NOT_FOUND`, even if the runtime has such a tool.
    /// The key of a write is derived from the text of the response, or from its events, and from the
    /// call's position: a response that is opened twice runs its calls once, and an id that another
    /// response uses again is no repeat.
    /// Arguments that are not JSON produce a rejected call with the location of the error. If the
    /// response was cut off or stopped by a filter, no call runs: complete calls are answered
    /// `CANCELLED`, and every answer states the remedy.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn open_calls(&self, runtime: &Runtime, cx: &ToolContext) -> Vec<ToolCall> {
        let numbered = self.calls.iter().enumerate();
        numbered.map(|(position, call)| self.open_call(position, call, runtime, cx)).collect()
    }

    fn open_call(
        &self,
        position: usize,
        requested: &RequestedCall,
        runtime: &Runtime,
        cx: &ToolContext,
    ) -> ToolCall {
        let cx = cx.with_invocation_id(Uuid::now_v7());
        let (call_id, arguments) = (Some(requested.id()), requested.arguments_for_tool().into());
        let mut call = match &requested.closest {
            None => runtime.open(&requested.name, call_id, arguments, cx),
            Some(closest) => {
                open_undeclared(runtime, &requested.name, call_id, arguments, closest, cx)
            }
        };
        if let Some(scope) = call.scope() {
            // Models number the calls of each response anew, or give two of one response one id; and
            // some servers give all responses one id, or none.
            scope.set_place(format!("response:{}:{position}", self.digest.as_str()));
        }
        match &self.stop {
            StopReason::Done => {}
            StopReason::Length | StopReason::Interrupted => {
                let _ = call.withdraw(Withdrawal::CutOff);
            }
            StopReason::Refused(word) | StopReason::Other(word) => {
                let _ = call.refuse(|| stopped(word));
            }
        }
        call
    }
}

impl RequestedCall {
    /// Returns the call's id, which its answer uses: the provider's, or a generated one.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.parsed.call_id
    }

    /// Returns the tool's own name, or the model's text if no such tool was declared.
    ///
    /// A call of a set of tools that is the provider's own has the name of the set before it, such as
    /// `browser:find`: it is no call of a declared tool `find`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments as the model wrote them, which may not be JSON; `{}` if it wrote none.
    ///
    /// An empty or blank text and `null` mean no arguments: providers and servers send these for
    /// calls of tools without arguments.
    #[must_use]
    pub fn arguments(&self) -> &str {
        or_empty(&self.parsed.arguments)
    }

    /// Returns the set of tools that the provider names for the call: `toolset_name` of Anthropic,
    /// `namespace` of the Responses API; none for most calls.
    ///
    /// The call reaches a tool only if the adapter declared the tool in that set: the toolkit of a
    /// deferred tool in the Responses API. A call of any other set is answered `NOT_FOUND` by
    /// [`Turn::open_calls`]; a host that offers a set of the provider itself answers its calls by
    /// [`ToolAnswer::from_text`](super::ToolAnswer::from_text). The answer repeats the field.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.parsed.namespace.as_ref().map(|namespace| &*namespace.name)
    }

    /// Returns the request of a valid call.
    ///
    /// `None` if the arguments are not JSON, if the response was cut off or stopped, or if no tool
    /// was declared under this name.
    #[must_use]
    pub fn request(&self) -> Option<&ToolCallRequest> {
        self.request.as_ref()
    }

    /// The arguments for the tool.
    pub(super) fn arguments_for_tool(&self) -> &str {
        self.restored.as_deref().unwrap_or(&self.parsed.arguments)
    }

    fn id(&self) -> Box<str> {
        self.call_id().into()
    }
}

/// The arguments, or `{}` for a text that means no arguments.
pub(super) fn or_empty(arguments: &str) -> &str {
    let written = written_without_arguments(arguments, &Limits::WIDEST);
    if written.is_some() { EMPTY } else { arguments }
}

/// Opens the call of a name that was not declared to the model, which is answered `NOT_FOUND`.
pub(super) fn open_undeclared(
    runtime: &Runtime,
    name: &str,
    call_id: Option<Box<str>>,
    arguments: Box<str>,
    closest: &[String],
    cx: ToolContext,
) -> ToolCall {
    runtime.open_refused(name, call_id, arguments, cx, Refusal::unknown_tool(closest))
}

/// Prints the calls and the stop reason, without content.
impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("text", &format_args!("{} bytes", self.text().len()))
            .field("calls", &self.calls)
            .field("stop", &self.stop)
            .field("usage", &self.metadata.usage)
            .finish_non_exhaustive()
    }
}

/// Omits the arguments.
impl fmt::Debug for RequestedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestedCall")
            .field("call_id", &self.parsed.call_id)
            .field("name", &self.name)
            .field("arguments", &format_args!("{} bytes", self.parsed.arguments.len()))
            .finish_non_exhaustive()
    }
}

/// Answers a call of a response that was stopped.
fn stopped(word: &str) -> Box<Refusal> {
    let message = format!(
        "the provider stopped this response ({word}), so none of its calls was run; \
         make the call again if it is still needed"
    );
    let detail = ToolErrorDetail::from_code(ErrorCode::Cancelled, message)
        .detail("reason", RefusalReason::Stopped.as_str())
        .detail(EffectState::KEY, EffectState::None.as_str());
    Refusal::not_run(detail.build())
}
