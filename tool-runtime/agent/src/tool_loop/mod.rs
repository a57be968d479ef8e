//! The loop around a model: it calls tools over several turns until it answers.

mod events;
mod files;
mod history;
mod observer;
mod report;
mod run;
mod suspended;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::{ToolContext, ToolSpec};
use tool_runtime_core::runtime::Runtime;

use self::events::EventListener;
pub use self::events::LoopEvent;
use self::observer::LoopObserver;
pub use self::report::{LoopEnd, LoopEndKind, LoopReport, LoopSavings, StopCause};
use self::run::LoopRun;
pub use self::suspended::{ClientCall, PendingCall, SuspendedRun};
use super::error::AgentError;
use super::model::{ChatModel, ModelMessage};
use super::proxy::AgentConfig;
use crate::assess::Assessor;

/// Lets a model call tools over several turns until it answers.
///
/// Each call is a call like any other: arguments are checked, permissions and approvals apply, and
/// the ledger records it. The model reads every answer, also that of a refused call, and can correct
/// the call. Reads of one turn run concurrently, each write alone.
///
/// The idempotency key of a call is derived from the run, the turn's number and the call's position in
/// it, so that ids which a model uses again are no repeats: two calls are two writes, in one response,
/// in two turns and in two runs of one context. A call that waited runs once, also if its run is
/// resumed twice. If the context has an idempotency key, that is the key of all writes of the run
/// instead, and each tool writes once.
///
/// # How it ends
/// | [`LoopEnd`] | when |
/// | --- | --- |
/// | `Answered` | the model requests no further call; its `finish_reason` says if its text was cut off |
/// | `Suspended` | a call waits for a person or for the client; [`SuspendedRun`] may continue later, in another process too |
/// | `Stopped` | `max_turns`, `max_total_tokens` or `timeout` is reached, all calls of three turns in a row failed, or the model's answer was cut off, was filtered, or ended for an unknown reason, and none of its calls ran |
///
/// A model that does not respond within the time limit stops the loop as any limit does: the report
/// has all messages and calls up to then. An error is returned only if the model itself failed.
///
/// # Log and metrics
/// Runs are logged and measured as an agent's requests are: how they ended, their turns, the calls of
/// the model, and the tokens that compression saved. [`config`](Self::config) sets what is.
///
/// A call that waits for a person needs `Policy::ticket_keys` and a store that both processes
/// have, as any ticket does.
///
/// ```
/// use std::sync::Mutex;
/// use async_trait::async_trait;
/// use tool_runtime::agent::*;
/// use tool_runtime::prelude::*;
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// /// Calls `add` once, and then repeats its answer.
/// #[derive(Debug)]
/// struct Scripted;
///
/// #[async_trait]
/// impl ChatModel for Scripted {
///     async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
///         Ok(match request.messages() {
///             [.., ModelMessage::ToolResult { text, .. }] => ChatReply::new("scripted", text),
///             _ => {
///                 let call = ModelCall::new("call_1", "add", r#"{"a":2,"b":40}"#);
///                 let message = AssistantMessage::new("").with_calls([call]);
///                 ChatReply::from_message("scripted", message)
///             }
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<AddTool>().build()?;
/// let agent = ToolLoop::new(runtime, Scripted).max_turns(4);
/// let report = agent.run("What is 2 + 40?", &ToolContext::local()).await?;
/// assert_eq!((report.text(), report.turns()), (Some("42"), 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolLoop {
    runtime: Runtime,
    model: Arc<dyn ChatModel>,
    model_name: Option<String>,
    instructions: Option<String>,
    tools: Option<BTreeSet<String>>,
    max_turns: u32,
    max_failed_turns: u32,
    max_calls_per_turn: usize,
    max_total_tokens: u64,
    max_concurrent: usize,
    timeout: Option<Duration>,
    result_assessor: Option<Assessor>,
    history_assessor: Option<Assessor>,
    observer: LoopObserver,
    client_tools: Vec<Arc<ToolSpec>>,
    listener: Option<EventListener>,
}

impl ToolLoop {
    /// Creates a loop with all tools that models may call, and at most 8 turns.
    #[must_use]
    pub fn new(runtime: Runtime, model: impl ChatModel + 'static) -> Self {
        Self {
            runtime,
            model: Arc::new(model),
            model_name: None,
            instructions: None,
            tools: None,
            max_turns: 8,
            max_failed_turns: 3,
            max_calls_per_turn: 32,
            max_total_tokens: 200_000,
            max_concurrent: 5,
            timeout: None,
            result_assessor: None,
            history_assessor: None,
            observer: LoopObserver::new(),
            client_tools: Vec::new(),
            listener: None,
        }
    }

    /// Takes settings of an agent's configuration: `enable_logging`, `log_level`, `enable_metrics`,
    /// `max_concurrent_tools`, `request_timeout_seconds` as the time limit of a run, and the names of
    /// the models, which are then measured by name.
    ///
    /// Without it runs are logged from the level `INFO` on, and measured.
    #[must_use]
    pub fn config(self, config: &AgentConfig) -> Self {
        let limit = usize::try_from(config.max_concurrent_tools()).unwrap_or(usize::MAX);
        let observer = self.observer.clone().with_config(config);
        Self { observer, ..self }
            .max_concurrent_tools(limit)
            .timeout(Duration::from_secs(config.request_timeout_seconds()))
    }

    /// Sets the model, in place of the client's default.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.observer.name_model(&name);
        Self { model_name: Some(name), ..self }
    }

    /// Sets the instructions of the host, which come first.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Restricts the loop to these tools: the model sees no other, and a call of another is unknown,
    /// also one of a denied or disabled tool.
    #[must_use]
    pub fn only_tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self { tools: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets how often the model is asked; 8 times by default.
    #[must_use]
    pub fn max_turns(self, turns: u32) -> Self {
        Self { max_turns: turns, ..self }
    }

    /// Sets after how many turns in a row whose calls all failed the loop stops; 3 by default.
    #[must_use]
    pub fn max_failed_turns(self, turns: u32) -> Self {
        Self { max_failed_turns: turns.max(1), ..self }
    }

    /// Sets how many calls of one turn run; 32 by default. Those beyond are answered without running,
    /// so that the model may repeat them in the next turn.
    #[must_use]
    pub fn max_calls_per_turn(self, limit: usize) -> Self {
        Self { max_calls_per_turn: limit.max(1), ..self }
    }

    /// Sets the most tokens that the model may read and write in all turns together; 200,000 by
    /// default. It is checked between turns.
    #[must_use]
    pub fn max_total_tokens(self, tokens: u64) -> Self {
        Self { max_total_tokens: tokens, ..self }
    }

    /// Sets how many reads of one turn run at once: 1 to 20, 5 by default.
    #[must_use]
    pub fn max_concurrent_tools(self, limit: usize) -> Self {
        Self { max_concurrent: limit.clamp(1, 20), ..self }
    }

    /// Sets the time limit of a run; none by default. The model's request ends with it, and so
    /// does the wait for an [`Approver`](tool_runtime_core::policy::Approver); tools have their own deadlines,
    /// shortened to it, and compressors of your own get half of the rest. At the
    /// limit the loop stops by [`StopCause::Timeout`].
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Compresses each result by the user's question before it becomes a message; by default results
    /// are messages as they are.
    ///
    /// A result above the assessor's
    /// [`threshold_tokens`](crate::assess::AssessOptions::with_threshold_tokens) is pruned, as
    /// [`Assessor::optimize_result`] does it; errors and notes stay word for word. What the tool
    /// answered is in the record as it was. The message does not change again, so that the provider's
    /// cache of the prompt stays valid. A result that the policy already writes in another format
    /// than JSON is left as it is.
    #[must_use]
    pub fn result_assessor(self, assessor: Assessor) -> Self {
        Self { result_assessor: Some(assessor), ..self }
    }

    /// Compacts the results of older rounds if all messages together take more than the assessor's
    /// [`threshold_tokens`](crate::assess::AssessOptions::with_threshold_tokens); by default messages
    /// stay as they are.
    ///
    /// A round is an answer of the model with calls, and the answers to all of them. The newest
    /// [`verbatim_rounds`](crate::assess::AssessOptions::with_verbatim_rounds), and a round that waits
    /// for an answer, stay word for word. In the results of older ones the passages that decide, ask
    /// or name something are kept, first those with an identifier of the question or of a newer
    /// message. Calls stay as the model wrote them, each with its result.
    ///
    /// With [`with_prompt_cache`](crate::assess::AssessOptions::with_prompt_cache) this is done only
    /// where it saves more in the remaining turns than the lost cache costs;
    /// [`LoopReport::savings`] has the sum.
    #[must_use]
    pub fn history_assessor(self, assessor: Assessor) -> Self {
        Self { history_assessor: Some(assessor), ..self }
    }

    /// Sets tools that the host's client executes, such as the page of a browser.
    ///
    /// The model sees them with the tools of the runtime. A call of one runs nothing here: the loop
    /// ends as [`Suspended`](LoopEnd::Suspended), with the call in
    /// [`SuspendedRun::client_calls`], which the client's result answers. The other calls of the turn
    /// run or wait as always. If a tool of the client has the name of one that the loop shows, the
    /// model sees and calls the runtime's.
    ///
    /// It needs `Policy::ticket_keys`, which sign the suspended run.
    ///
    /// ```
    /// use async_trait::async_trait;
    /// use tool_runtime::agent::*;
    /// use tool_runtime::contracts::ToolSpec;
    /// use tool_runtime::policy::{KeyRing, Policy};
    /// use tool_runtime::prelude::*;
    ///
    /// /// Lets the user choose, and then repeats the choice.
    /// #[derive(Debug)]
    /// struct Scripted;
    ///
    /// #[async_trait]
    /// impl ChatModel for Scripted {
    ///     async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
    ///         Ok(match request.messages() {
    ///             [.., ModelMessage::ToolResult { text, .. }] => ChatReply::new("scripted", text),
    ///             _ => {
    ///                 let call = ModelCall::new("call_1", "choose_color", "{}");
    ///                 let message = AssistantMessage::new("").with_calls([call]);
    ///                 ChatReply::from_message("scripted", message)
    ///             }
    ///         })
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = Policy::new().ticket_keys(KeyRing::ephemeral()?);
    /// let runtime = Runtime::builder().policy(policy).build()?;
    /// let choose = ToolSpec::builder("choose_color", Effect::Read)
    ///     .description("Lets the user choose a color.")
    ///     .build()?;
    /// let agent = ToolLoop::new(runtime.clone(), Scripted).client_tools([choose]);
    /// let cx = ToolContext::local();
    ///
    /// let report = agent.run("Which color?", &cx).await?;
    /// let LoopEnd::Suspended(mut run) = report.into_end() else { panic!("the client is asked") };
    /// for call in run.client_calls().to_vec() {
    ///     run.answer_client_call(call.position(), "green", false, &runtime)?;
    /// }
    /// assert_eq!(agent.resume(run, &cx).await?.text(), Some("green"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn client_tools(self, specs: impl IntoIterator<Item: Into<Arc<ToolSpec>>>) -> Self {
        let specs = specs.into_iter().map(Into::into);
        let names: BTreeSet<String> = self.specs().map(|spec| spec.name().to_owned()).collect();
        let client_tools = specs.filter(|spec| !names.contains(spec.name())).collect();
        Self { client_tools, ..self }
    }

    /// Sets a function that is told what happens in each run, while it happens. With it the model's
    /// text is streamed: see [`ChatModel::chat_streamed`].
    ///
    /// It is called on the async thread, so it must be quick.
    ///
    /// ```
    /// use tool_runtime::agent::{LoopEvent, ToolLoop};
    ///
    /// fn printing(agent: ToolLoop) -> ToolLoop {
    ///     agent.on_event(|event| match event {
    ///         LoopEvent::Text(text) => print!("{text}"),
    ///         LoopEvent::CallOpened { call, .. } => println!("{}", call.preview()),
    ///         LoopEvent::Replied(_)
    ///         | LoopEvent::ClientCall { .. }
    ///         | LoopEvent::CallAnswered { .. } => {}
    ///     })
    /// }
    /// ```
    #[must_use]
    pub fn on_event(self, listen: impl Fn(LoopEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { listener: Some(EventListener::new(listen)), ..self }
    }

    /// Returns the runtime whose tools the loop calls.
    #[must_use]
    pub const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the specs of the runtime's tools that the model sees.
    pub fn visible_tools(&self) -> impl Iterator<Item = Arc<ToolSpec>> + '_ {
        self.specs()
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Returns the model's error, or one with the reason `panic` if its client panicked. What the
    /// tools did before stands in the record.
    pub async fn run(
        &self,
        question: impl Into<String>,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {
        self.run_messages([ModelMessage::User(question.into())], cx).await
    }

    /// Continues a conversation, whose last message is the user's.
    ///
    /// The instructions come first, unless the conversation begins with them already.
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` with the reason `unanswered_call` if a call of the
    /// conversation has no answer directly after it, such as one that waits for a person
    /// ([`close`](Self::close) answers it), or a result answers no call; and the model's error.
    pub async fn run_messages(
        &self,
        messages: impl IntoIterator<Item = ModelMessage>,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {
        let mut messages: Vec<_> = messages.into_iter().collect();
        history::check_answers(&messages)?;
        let instructions = self.instructions.clone().map(ModelMessage::System);
        if let Some(instructions) = instructions.filter(|it| messages.first() != Some(it)) {
            messages.insert(0, instructions);
        }
        LoopRun::new(self, messages, cx).finish().await
    }

    /// Continues a run whose waiting calls were all answered.
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` if a call still waits, or the context has another
    /// tenant or user than that of the run; and the model's error.
    pub async fn resume(
        &self,
        run: SuspendedRun,
        cx: &ToolContext,
    ) -> Result<LoopReport, AgentError> {
        LoopRun::resumed(self, run, cx).await?.finish().await
    }

    /// Ends a run that waits for people, because the user writes on: withdraws its waiting calls, and
    /// returns the conversation, in which each call has an answer. A call that the client has not
    /// executed is answered by a note.
    ///
    /// A withdrawn call never runs, and its ticket is refused from then on. The answer of a call whose
    /// ticket was used or declined meanwhile says so. Add the message of the user, and continue by
    /// [`run_messages`](Self::run_messages).
    ///
    /// ```
    /// use tool_runtime::agent::{AgentError, LoopReport, ModelMessage, SuspendedRun, ToolLoop};
    /// use tool_runtime::prelude::*;
    ///
    /// async fn write_on(
    ///     agent: &ToolLoop,
    ///     run: SuspendedRun,
    ///     text: String,
    ///     cx: &ToolContext,
    /// ) -> Result<LoopReport, AgentError> {
    ///     let mut messages = agent.close(run, cx).await?;
    ///     messages.push(ModelMessage::User(text));
    ///     agent.run_messages(messages, cx).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns an error of the kind `Validation` if the context has another tenant or user than that
    /// of the run, or the run was changed; of the kind `ToolExecution` if a ticket cannot be
    /// withdrawn, such as while its store fails. Close the run again then.
    pub async fn close(
        &self,
        run: SuspendedRun,
        cx: &ToolContext,
    ) -> Result<Vec<ModelMessage>, AgentError> {
        let policy = self.runtime.policy_state();
        run.check_owner(policy, cx)?;
        let mut run = run;
        for waiting in run.pending().to_vec() {
            run.withdraw(&waiting, &self.runtime, cx).await?;
        }
        let mut state = run.into_state(policy, cx)?;
        state.leave_client_calls();
        Ok(LoopRun::with_state(self, state, cx).await.into_messages())
    }

    fn specs(&self) -> impl Iterator<Item = Arc<ToolSpec>> + '_ {
        self.runtime.specs_for_model().filter(|spec| self.shows(spec))
    }

    fn is_client_tool(&self, name: &str) -> bool {
        self.client_tools.iter().any(|spec| spec.name() == name)
    }

    fn shows(&self, spec: &ToolSpec) -> bool {
        spec.ai_callable() && self.tools.as_ref().is_none_or(|tools| tools.contains(spec.name()))
    }

    /// Returns what a token costs that the provider has in its cache, as a share of the full price.
    fn cached_price_share(&self) -> f64 {
        let assessor = self.history_assessor.as_ref().or(self.result_assessor.as_ref());
        assessor.map_or(1.0, |assessor| assessor.options_in_use().cached_price_share())
    }
}

impl fmt::Debug for ToolLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolLoop")
            .field("model", &self.model)
            .field("max_turns", &self.max_turns)
            .field("max_total_tokens", &self.max_total_tokens)
            .finish_non_exhaustive()
    }
}
