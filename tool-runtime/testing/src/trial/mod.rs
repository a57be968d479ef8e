//! Checks that hold for every tool.

#[cfg(feature = "tokio")]
mod block_on;
mod effects;
mod inputs;
mod metaschema;
#[cfg(not(feature = "tokio"))]
mod no_tokio;
mod property;
mod report;
mod runtime;
mod secrets;
mod snapshot;

#[cfg(test)]
mod tests;

use std::fmt;
use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tool_contracts::{Permission, ToolContext};

use tool_runtime_core::runtime::{Runtime, RuntimeBuilder};
use tool_runtime_core::tool::registry::{Tool, Toolkit};
use tool_runtime_core::tool::{PanicWatch, WatchedCode, WatchesPanics};
use tool_runtime_schema::schema::Coerce;

pub use self::effects::{EffectCounter, RecordedEffects};
use self::inputs::TrialInputs;
#[cfg(not(feature = "tokio"))]
use self::no_tokio as block_on;
pub use self::report::{TrialCheck, TrialFinding, TrialReport};
use self::runtime::{CallObserver, TrialRuntime};

/// Tests a tool with inputs made from its schema, broken inputs, dry runs, repeats and secrets.
///
/// [`assert_tool!`](crate::assert_tool) does the same in one line, and lists the checks.
/// All findings are reported at once, each with the smallest input that reproduces it; secrets are
/// masked.
///
/// # Examples
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{TrialCheck, ToolTrial};
///
/// /// Finds the first word that begins so.
/// #[ai_tool(effect = "read")]
/// fn find_word(
///     /// How the word begins.
///     start: &str,
/// ) -> usize {
///     "one two".find(start).expect("there is such a word")
/// }
///
/// let report = ToolTrial::for_tool::<FindWordTool>().cases(64).check();
/// assert_eq!(report.findings().len(), 1);
/// assert_eq!(report.findings()[0].check(), TrialCheck::Panics);
/// ```
#[must_use = "nothing is tried before `check`, `run` or `assert`"]
pub struct ToolTrial {
    builder: RuntimeBuilder,
    tool: Result<String, String>,
    inputs: Vec<Value>,
    cases: u32,
    budget: Duration,
    seed: u64,
    real_time: bool,
    snapshots: Option<PathBuf>,
    effects: Option<Box<dyn EffectCounter>>,
    cx: Option<ToolContext>,
}

impl ToolTrial {
    /// Tests the tool of a handle: `fn search_content` has the handle `SearchContentTool`.
    pub fn for_tool<T: Tool>() -> Self {
        let name = T::definition().name.to_owned();
        Self { builder: Runtime::builder().tool::<T>(), ..Self::new(Ok(name)) }
    }

    /// Tests the tool of a toolkit's method; set the [`toolkit`](Self::toolkit) too.
    pub fn for_method<K: Toolkit>(method: &str) -> Self {
        let of_method = |path: &str| path.rsplit("::").next() == Some(method);
        let definition = K::definitions().iter().find(|definition| of_method(definition.rust_path));
        let missing = || format!("the toolkit `{}` has no tool of a method `{method}`", K::NAME);
        Self::new(definition.map(|definition| definition.name.to_owned()).ok_or_else(missing))
    }

    /// Tests the tool with this name; register it by [`toolkit`](Self::toolkit) or
    /// [`with`](Self::with).
    pub fn named(name: impl Into<String>) -> Self {
        Self::new(Ok(name.into()))
    }

    fn new(tool: Result<String, String>) -> Self {
        Self {
            builder: Runtime::builder(),
            tool,
            inputs: Vec::new(),
            cases: 256,
            budget: Duration::from_secs(10),
            seed: 0,
            real_time: false,
            snapshots: None,
            effects: None,
            cx: None,
        }
    }

    /// Adds a value that the tool borrows as `&T`.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.with(|builder| builder.state(state))
    }

    /// Adds a value that the test keeps using, or a trait object.
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(self, state: Arc<T>) -> Self {
        self.with(|builder| builder.shared_state(state))
    }

    /// Adds the toolkit of the tool.
    pub fn toolkit<K: Toolkit>(self, toolkit: K) -> Self {
        self.with(|builder| builder.toolkit(toolkit))
    }

    /// Adds a toolkit that the test keeps using.
    pub fn shared_toolkit<K: Toolkit>(self, toolkit: Arc<K>) -> Self {
        self.with(|builder| builder.shared_toolkit(toolkit))
    }

    /// Configures the runtime of the trial.
    ///
    /// The trial sets the tool's permission and coercion: it is allowed, and coercion is off.
    pub fn with(mut self, change: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }

    /// Adds an input that every check tries first; may be called several times.
    ///
    /// Add a valid input for a tool that looks up values, since most made inputs fail for it.
    /// Examples in its schema (`#[arg(example = …)]`) have the same effect.
    ///
    /// # Panics
    /// The input cannot be serialized.
    pub fn input(mut self, input: impl Serialize) -> Self {
        self.inputs.push(serde_json::to_value(input).expect("an input is JSON"));
        self
    }

    /// Sets the counter of the tool's effects: a [`RecordedEffects`], or a counting closure.
    ///
    /// Without it, dry runs are not checked.
    pub fn effects(mut self, effects: impl EffectCounter) -> Self {
        self.effects = Some(Box::new(effects));
        self
    }

    /// Sets the number of inputs of each kind. Default: 256.
    pub fn cases(mut self, cases: u32) -> Self {
        self.cases = cases;
        self
    }

    /// Sets the longest time for trying inputs, in real time. Default: 10 seconds.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the seed of the first input; the next inputs have the following seeds. Default: 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Uses real time, for a tool that waits for the network or for threads.
    ///
    /// By default tokio's time is paused: sleeps end at once, and a deadline passes without
    /// waiting.
    pub fn real_time(mut self, real_time: bool) -> Self {
        self.real_time = real_time;
        self
    }

    /// Keeps the tool's contract in a file of this folder, and compares the contract with it.
    ///
    /// `assert_tool!` sets `tests/snapshots` in the folder of its crate's `Cargo.toml`.
    /// `UPDATE_SNAPSHOTS=1` writes the file anew. A missing file is written too, except on a CI
    /// machine (`CI` is set), where it is a finding.
    pub fn snapshots_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.snapshots = Some(folder.into());
        self
    }

    /// Sets the context of the calls. Default: [`testing::context`](crate::context).
    pub fn context(mut self, cx: ToolContext) -> Self {
        self.cx = Some(cx);
        self
    }

    /// Runs the trial, and returns the report.
    ///
    /// With the feature `tokio` it uses its own small runtime, so that it can be called in a plain
    /// `#[test]`; inside a tokio runtime, await [`run`](Self::run).
    ///
    /// # Panics
    /// It is called inside a tokio runtime, or tokio cannot be started.
    #[must_use = "an unread report fails no test"]
    #[track_caller]
    pub fn check(self) -> TrialReport {
        let real_time = self.real_time;
        block_on::block_on(self.run(), real_time)
    }

    /// Runs the trial, and panics with all findings, if there are any.
    ///
    /// # Panics
    /// There are findings. See also [`check`](Self::check).
    #[track_caller]
    pub fn assert(self) {
        self.check().assert();
    }

    /// Runs the trial on the current executor, and returns the report.
    ///
    /// While it runs, panics of its calls are not printed: the report names their places. Panics of
    /// other code and of other tests in the process are printed as ever.
    pub async fn run(self) -> TrialReport {
        let (panics, _watches) = (PanicWatch::default(), WatchesPanics::begin());
        let mut trial = pin!(self.run_watched(&panics));
        poll_fn(|cx| {
            let _watched = panics.enter(WatchedCode::Calls);
            trial.as_mut().poll(cx)
        })
        .await
    }

    async fn run_watched(mut self, panics: &PanicWatch) -> TrialReport {
        let (seed, snapshots, effects) = (self.seed, self.snapshots.take(), self.effects.take());
        let (cases, budget) = (self.cases, self.budget);
        let given = std::mem::take(&mut self.inputs);
        let name = self.tool.clone().unwrap_or_else(|_| "unknown".to_owned());
        let mut report = TrialReport::new(name, seed);
        let trial_runtime = match self.trial_runtime(panics.clone()) {
            Ok(trial_runtime) => trial_runtime,
            Err(text) => {
                report.find(TrialCheck::Registration, text);
                return report;
            }
        };
        snapshot::check(&trial_runtime, snapshots.as_deref(), &mut report);
        metaschema::check(&trial_runtime, &mut report);
        if let Some(inputs) = TrialInputs::new(&trial_runtime, given, &mut report) {
            let property_check = property::PropertyCheck {
                trial_runtime: &trial_runtime,
                inputs: &inputs,
                cases,
                budget,
                seed,
            };
            property_check.check(&mut report).await;
            effects::check(&trial_runtime, &inputs, effects.as_deref(), &mut report).await;
            secrets::check(&trial_runtime, &inputs, &mut report).await;
        }
        report
    }

    /// Builds the runtime, and finds the tool in it.
    fn trial_runtime(self, panics: PanicWatch) -> Result<TrialRuntime, String> {
        let name = self.tool?;
        // Setting the permission of a tool that is not there would be the finding.
        if !self.builder.has_tool(&name) {
            return Err(not_registered(&name));
        }
        let observer = CallObserver::default();
        let runtime = self
            .builder
            .permission(&*name, Permission::Allow)
            .coerce_reads(Coerce::Off)
            .coerce_writes(Coerce::Off)
            .observe(observer.clone())
            .build()
            .map_err(|error| error.to_string())?;
        TrialRuntime::new(runtime, &name, self.cx, (observer, panics))
    }
}

fn not_registered(name: &str) -> String {
    format!(
        "no tool `{name}` is registered: register it by `toolkit = …`, or by `with = |builder| \
         builder.…`"
    )
}

impl fmt::Debug for ToolTrial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolTrial")
            .field("tool", &self.tool)
            .field("cases", &self.cases)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
