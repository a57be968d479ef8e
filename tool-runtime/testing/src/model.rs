//! A model that follows a script, and checks that its calls are answered.

use std::collections::VecDeque;
use std::fmt;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tool_contracts::{ToolCallRequest, ToolContext};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::ToolOutput;

/// A model that takes its turns from a script: texts, and calls of tools.
///
/// It takes a turn only after every call of the previous one was [answered](Self::answer), once
/// and by its id, so a host that forgets a call fails the test. It does not depend on a provider's
/// dialect: it makes [`ToolCallRequest`]s and gets [`ToolOutput`]s.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{ModelTurn, ScriptedModel, context};
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<AddTool>().build()?;
/// let cx = context().build()?;
/// let mut model = ScriptedModel::new([
///     ModelTurn::call("add", json!({"a": 2, "b": 3})).and("add", json!({"a": 1})),
///     ModelTurn::after(|answers| {
///         ModelTurn::text(format!("It is {}.", answers[0].output().data_json().unwrap_or("?")))
///     }),
/// ]);
///
/// let mut text = None;
/// while let Some(turn) = model.next_turn() {
///     for request in turn.calls() {
///         let mut call = runtime.call_request(request, &cx);
///         model.answer(request.call_id(), call.execute().await);
///     }
///     text = turn.text().map(str::to_owned);
/// }
/// assert_eq!(text.as_deref(), Some("It is 5."));
/// assert!(!model.answers()[1].output().is_ok());
/// # Ok(())
/// # }
/// ```
pub struct ScriptedModel {
    script: VecDeque<ModelTurn>,
    /// The calls of this turn that have no answer yet.
    open: Vec<ToolCallRequest>,
    answers: Vec<AnsweredCall>,
    calls_made: usize,
}

/// One turn of a script.
pub struct ModelTurn(TurnKind);

enum TurnKind {
    Message { text: Option<String>, calls: Vec<(String, Box<RawValue>)> },
    After(Box<TurnFromAnswers>),
}

type TurnFromAnswers = dyn FnOnce(&[AnsweredCall]) -> ModelTurn + Send;

/// A model's message in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedMessage {
    text: Option<String>,
    calls: Vec<ToolCallRequest>,
}

/// The answer to one of a model's calls.
#[derive(Debug, Clone)]
pub struct AnsweredCall {
    request: ToolCallRequest,
    output: ToolOutput,
}

impl ScriptedModel {
    /// Makes a model with these turns, in order.
    #[must_use]
    pub fn new(turns: impl IntoIterator<Item = ModelTurn>) -> Self {
        let script = turns.into_iter().collect();
        Self { script, open: Vec::new(), answers: Vec::new(), calls_made: 0 }
    }

    /// Takes the next turn; none at the end of the script. Calls have the ids `call_1`, `call_2`,
    /// ….
    ///
    /// # Panics
    /// A call of the previous turn has no answer.
    #[track_caller]
    pub fn next_turn(&mut self) -> Option<ScriptedMessage> {
        let open: Vec<String> =
            self.open.iter().map(|call| format!("{} ({})", call.call_id(), call.name())).collect();
        let count = open.len();
        assert!(open.is_empty(), "unanswered calls ({count}): {}", open.join(", "));
        let mut turn = self.script.pop_front()?;
        let (text, calls) = loop {
            match turn.0 {
                TurnKind::Message { text, calls } => break (text, calls),
                TurnKind::After(then) => turn = then(&self.answers),
            }
        };
        let requests = calls.into_iter().map(|(name, arguments)| {
            self.calls_made += 1;
            ToolCallRequest::new(format!("call_{}", self.calls_made), name, arguments)
        });
        self.open = requests.collect();
        Some(ScriptedMessage { text, calls: self.open.clone() })
    }

    /// Answers one call of this turn.
    ///
    /// # Panics
    /// No unanswered call of this turn has this id.
    #[track_caller]
    pub fn answer(&mut self, call_id: &str, output: &ToolOutput) {
        let open_index = self.open.iter().position(|call| call.call_id() == call_id);
        let Some(index) = open_index else {
            let before = self.answers.iter().any(|answer| answer.request.call_id() == call_id);
            let why = if before { "it has an answer already" } else { "there is no such call" };
            panic!("an answer to `{call_id}`: {why}");
        };
        let request = self.open.remove(index);
        self.answers.push(AnsweredCall { request, output: output.clone() });
    }

    /// Lists the answers so far, in the order in which they were given.
    #[must_use]
    pub fn answers(&self) -> &[AnsweredCall] {
        &self.answers
    }

    /// Runs the script to its end, each turn's calls as one batch, and returns the last text.
    ///
    /// # Panics
    /// Like [`next_turn`](Self::next_turn).
    pub async fn play(&mut self, runtime: &Runtime, cx: &ToolContext) -> Option<String> {
        let mut text = None;
        while let Some(turn) = self.next_turn() {
            let mut calls = runtime.call_all(turn.calls(), cx);
            let outputs = runtime.execute_all(&mut calls).await;
            for (request, output) in turn.calls().iter().zip(outputs) {
                self.answer(request.call_id(), output);
            }
            text = turn.text.or(text);
        }
        text
    }
}

impl ModelTurn {
    /// Makes a turn with a text and no calls.
    pub fn text(text: impl Into<String>) -> Self {
        Self(TurnKind::Message { text: Some(text.into()), calls: Vec::new() })
    }

    /// Makes a turn with a call.
    ///
    /// # Panics
    /// The arguments cannot be serialized.
    pub fn call(tool: impl Into<String>, arguments: impl Serialize) -> Self {
        Self(TurnKind::Message { text: None, calls: Vec::new() }).and(tool, arguments)
    }

    /// Adds a parallel call.
    ///
    /// # Panics
    /// The arguments cannot be serialized, or the turn was made by [`after`](Self::after).
    #[must_use]
    pub fn and(mut self, tool: impl Into<String>, arguments: impl Serialize) -> Self {
        let arguments = to_raw_value(&arguments).expect("the arguments are JSON");
        match &mut self.0 {
            TurnKind::Message { calls, .. } => calls.push((tool.into(), arguments)),
            TurnKind::After(_) => {
                panic!("the turn depends on answers: add the call inside of `after`")
            }
        }
        self
    }

    /// Makes a turn that is computed from the answers so far.
    pub fn after(turn: impl FnOnce(&[AnsweredCall]) -> ModelTurn + Send + 'static) -> Self {
        Self(TurnKind::After(Box::new(turn)))
    }
}

impl ScriptedMessage {
    /// Returns the text for the user, if there is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Lists the calls of this turn.
    #[must_use]
    pub fn calls(&self) -> &[ToolCallRequest] {
        &self.calls
    }
}

impl AnsweredCall {
    /// Returns the call.
    #[must_use]
    pub fn request(&self) -> &ToolCallRequest {
        &self.request
    }

    /// Returns its answer.
    #[must_use]
    pub fn output(&self) -> &ToolOutput {
        &self.output
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel")
            .field("turns_left", &self.script.len())
            .field("open", &self.open)
            .field("answers", &self.answers.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ModelTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TurnKind::Message { text, calls } => {
                let names: Vec<&str> = calls.iter().map(|(name, _)| &**name).collect();
                f.debug_struct("ModelTurn").field("text", text).field("calls", &names).finish()
            }
            TurnKind::After(_) => f.write_str("ModelTurn::after(…)"),
        }
    }
}
