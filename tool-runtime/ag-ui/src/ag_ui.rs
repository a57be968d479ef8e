//! The entry point: a loop, its authenticator, limits and store.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use axum::http::StatusCode;
use tool_runtime_agent::ToolLoop;

use crate::caller::{AgUiCaller, Authenticator};
use crate::event_queue::EventQueue;
use crate::event_stream::EventStream;
use crate::input::RunInput;
use crate::limits::AgUiLimits;
use crate::problem::InputRefusal;
use crate::run::Run;
use crate::run_events::RunEvents;
use crate::run_store::{MemoryRuns, RunStore, ThreadKey};
use crate::running_threads::RunningThreads;

/// Serves a [`ToolLoop`] to clients of AG-UI.
///
/// [`router`](Self::router) is a route for axum; [`run`](Self::run) takes an input that another server
/// has read and authenticated.
///
/// The runtime needs `Policy::ticket_keys`, which sign the runs that wait, and a store that outlives
/// its process for tickets that do.
///
/// ```
/// use async_trait::async_trait;
/// use axum::http::request::Parts;
/// use tool_runtime::ag_ui::{AgUi, AgUiCaller, Authenticator, Unauthenticated};
/// use tool_runtime::agent::{AgentError, ChatModel, ChatReply, ChatRequest, ToolLoop};
/// use tool_runtime::policy::{KeyRing, Policy};
/// use tool_runtime::prelude::*;
///
/// /// Knows a person by a key in the request's headers.
/// #[derive(Debug)]
/// struct Keys;
///
/// #[async_trait]
/// impl Authenticator for Keys {
///     async fn authenticate(&self, head: &Parts) -> Result<AgUiCaller, Unauthenticated> {
///         match head.headers.get("authorization").map(|value| value.as_bytes()) {
///             Some(b"Bearer the-key-of-jane") => {
///                 let cx = ToolContext::builder(Uuid::nil(), Uuid::now_v7().to_string());
///                 let cx = cx.run_id("chat").user_id("jane").build();
///                 let cx = cx.map_err(|_| Unauthenticated::new())?;
///                 Ok(AgUiCaller::new(cx).with_approver("Jane Doe"))
///             }
///             _ => Err(Unauthenticated::new()),
///         }
///     }
/// }
///
/// # #[derive(Debug)]
/// # struct Echo;
/// # #[async_trait]
/// # impl ChatModel for Echo {
/// #     async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
/// #         Ok(ChatReply::new("echo", "Good morning"))
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = Echo;
/// let policy = Policy::new().ticket_keys(KeyRing::ephemeral()?);
/// let runtime = Runtime::builder().policy(policy).build()?;
/// let router: axum::Router = AgUi::new(ToolLoop::new(runtime, model), Keys).router("/agent");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AgUi {
    agent: ToolLoop,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) limits: AgUiLimits,
    store: Arc<dyn RunStore>,
    threads: Arc<RunningThreads>,
}

impl AgUi {
    /// Serves a loop to the callers that the authenticator names. Runs that wait are kept in memory
    /// until [`run_store`](Self::run_store) sets a store.
    #[must_use]
    pub fn new(agent: ToolLoop, authenticator: impl Authenticator + 'static) -> Self {
        let limits = AgUiLimits::new();
        Self {
            agent,
            authenticator: Arc::new(authenticator),
            limits,
            store: Arc::new(MemoryRuns::new()),
            threads: RunningThreads::new(limits.max_runs(), limits.max_runs_of_caller()),
        }
    }

    /// Sets the limits of inputs and runs.
    #[must_use]
    pub fn limits(self, limits: AgUiLimits) -> Self {
        let threads = RunningThreads::new(limits.max_runs(), limits.max_runs_of_caller());
        Self { limits, threads, ..self }
    }

    /// Sets the store of runs that wait.
    #[must_use]
    pub fn run_store(self, store: impl RunStore + 'static) -> Self {
        Self { store: Arc::new(store), ..self }
    }

    /// Waits until no run is in progress: for the shutdown of a server, after it accepts no request any
    /// more. A client that has left does not end its run.
    pub async fn idle(&self) {
        self.threads.idle().await;
    }

    /// Runs the agent for the body of a request, and returns its events.
    ///
    /// The run is a task of the current tokio runtime. It continues if the stream is dropped: the next
    /// input of the thread gets what it waits for.
    ///
    /// # Errors
    /// Returns the refusal of a body that is not a `RunAgentInput` within the limits, of a caller
    /// without a user and an actor, and of a thread whose run is in progress. Nothing has run then.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn run(&self, caller: AgUiCaller, body: &[u8]) -> Result<EventStream, InputRefusal> {
        let input = RunInput::read(body, &self.limits)?;
        let own_names: HashSet<String> =
            self.agent.visible_tools().map(|spec| spec.name().to_owned()).collect();
        input.check_names(&own_names)?;
        let key = ThreadKey::for_context(caller.cx(), &input.thread_id).ok_or_else(|| {
            let message = "the caller has no user and no actor; the authenticator has to set one";
            InputRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, "configuration", message)
        })?;
        if input.messages.is_empty() && input.resume.is_empty() {
            let message = "messages: expected a message of the user, or `resume` to continue a run";
            return Err(InputRefusal::invalid(message));
        }
        let thread = self.threads.begin(&key)?;
        let queue = EventQueue::new(self.limits.max_unread_bytes());
        let events = Arc::new(RunEvents::new(queue.clone()));
        let listener = events.clone();
        let agent = self.agent.clone().client_tools(input.tools.iter().cloned());
        let agent = agent.on_event(move |event| listener.on_loop_event(event));
        let store = self.store.clone();
        let run = Run { agent, caller, input, key, store, events, _thread: thread };
        tokio::spawn(run.finish());
        Ok(EventStream::new(queue))
    }
}

impl fmt::Debug for AgUi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgUi")
            .field("agent", &self.agent)
            .field("authenticator", &self.authenticator)
            .field("limits", &self.limits)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
