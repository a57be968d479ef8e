//! Everything that can be checked of a tool without knowing what it is for.

mod bench;
mod effects;
mod inputs;
mod metaschema;
mod property;
mod report;
mod running;
mod secrets;
mod snapshot;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tool_contracts::{Permission, ToolContext};

use self::bench::{Bench, Watch};
pub use self::effects::{Effects, Recording};
use self::inputs::Inputs;
pub use self::report::{Check, Finding, TrialReport};
use crate::dispatch::{Runtime, RuntimeBuilder};
use crate::registry::{Tool, Toolkit};
use crate::schema::Coerce;

/// Tries a tool out: with inputs made from its schema, broken ones, dry runs, repeats and secrets.
///
/// [`assert_tool!`](crate::testing::assert_tool) is this in one line, and names what is checked.
/// All findings come at once, each with the smallest input that shows it; secrets are masked.
///
/// # Examples
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{Check, ToolTrial};
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
/// let report = ToolTrial::of::<FindWord>().cases(64).check();
/// assert_eq!(report.findings().len(), 1);
/// assert_eq!(report.findings()[0].check(), Check::Panics);
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
    effects: Option<Box<dyn Effects>>,
    cx: Option<ToolContext>,
}

impl ToolTrial {
    /// Tries the tool behind a handle: `fn search_content` has the handle `SearchContent`.
    pub fn of<T: Tool>() -> Self {
        let name = T::definition().name.to_owned();
        Self { builder: Runtime::builder().tool::<T>(), ..Self::new(Ok(name)) }
    }

    /// Tries the tool that a method of a toolkit is; give the [`toolkit`](Self::toolkit) too.
    pub fn of_method<K: Toolkit>(method: &str) -> Self {
        let of_method = |path: &str| path.rsplit("::").next() == Some(method);
        let found = K::definitions().iter().find(|definition| of_method(definition.rust_path));
        let missing = || format!("the toolkit `{}` has no tool of a method `{method}`", K::NAME);
        Self::new(found.map(|definition| definition.name.to_owned()).ok_or_else(missing))
    }

    /// Tries the tool of this name; whatever registers it comes by [`toolkit`](Self::toolkit) or
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

    /// Gives a value that the tool borrows as `&T`.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.with(|builder| builder.state(state))
    }

    /// Gives a value that the test keeps using itself, or a trait object.
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(self, state: Arc<T>) -> Self {
        self.with(|builder| builder.shared_state(state))
    }

    /// Gives the toolkit that the tool is a method of.
    pub fn toolkit<K: Toolkit>(self, toolkit: K) -> Self {
        self.with(|builder| builder.toolkit(toolkit))
    }

    /// Gives a toolkit that the test keeps using itself.
    pub fn shared_toolkit<K: Toolkit>(self, toolkit: Arc<K>) -> Self {
        self.with(|builder| builder.shared_toolkit(toolkit))
    }

    /// Configures the runtime that the tool is tried in.
    ///
    /// The tool's permission and coercion are the trial's own: it is allowed, and nothing is mended.
    pub fn with(mut self, change: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }

    /// Gives an input that is tried first by every check; may be called several times.
    ///
    /// A tool that answers few inputs, as it looks up what they name, is hardly tried without one
    /// that it answers. So are the examples in its schema (`#[arg(example = …)]`).
    ///
    /// # Panics
    /// The input can't be written as JSON.
    pub fn input(mut self, input: impl Serialize) -> Self {
        self.inputs.push(serde_json::to_value(input).expect("an input is JSON"));
        self
    }

    /// Says how the tool's effects are counted: a [`Recording`], or a closure that counts.
    ///
    /// Without it, nobody can tell whether a dry run has an effect.
    pub fn effects(mut self, effects: impl Effects) -> Self {
        self.effects = Some(Box::new(effects));
        self
    }

    /// Sets how many inputs of each kind are tried; 256 if it is not set.
    pub fn cases(mut self, cases: u32) -> Self {
        self.cases = cases;
        self
    }

    /// Sets how long trying inputs may take by the clock on the wall; 10 seconds if it is not set.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the seed of the first input; the next ones follow. 0 if it is not set.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Lets time pass as it does, for a tool that waits for the network or for threads.
    ///
    /// By default tokio's time is paused: a wait is over at once, and a deadline passes without
    /// anybody waiting for it.
    pub fn real_time(mut self, real_time: bool) -> Self {
        self.real_time = real_time;
        self
    }

    /// Keeps the tool's contract in a file of this folder, and compares it from then on.
    ///
    /// `assert_tool!` sets `tests/snapshots` beside the `Cargo.toml` of the crate it stands in.
    /// `UPDATE_SNAPSHOTS=1` writes it anew; a missing one is written too, but for a CI machine
    /// (`CI` is set), where it is a finding.
    pub fn snapshots_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.snapshots = Some(folder.into());
        self
    }

    /// Sets for whom the calls are made; [`testing::context`](crate::testing::context) if not set.
    pub fn context(mut self, cx: ToolContext) -> Self {
        self.cx = Some(cx);
        self
    }

    /// Tries the tool, and reports.
    ///
    /// With the feature `tokio` on a small runtime of its own, so that it runs in a plain `#[test]`;
    /// inside of a tokio runtime, await [`run`](Self::run).
    ///
    /// # Panics
    /// It is called inside of a tokio runtime, or tokio can't be started.
    #[must_use = "a report that nobody reads fails nobody"]
    pub fn check(self) -> TrialReport {
        let real_time = self.real_time;
        running::block_on(self.run(), real_time)
    }

    /// Tries the tool and panics with all findings, if there are any.
    ///
    /// # Panics
    /// There are findings. Also as [`check`](Self::check) does.
    #[track_caller]
    pub fn assert(self) {
        self.check().assert();
    }

    /// Tries the tool on the executor that it is called on, and reports.
    pub async fn run(mut self) -> TrialReport {
        let (seed, snapshots, effects) = (self.seed, self.snapshots.take(), self.effects.take());
        let (cases, budget) = (self.cases, self.budget);
        let given = std::mem::take(&mut self.inputs);
        let name = self.tool.clone().unwrap_or_else(|_| "unknown".to_owned());
        let mut report = TrialReport::new(name, seed);
        let bench = match self.bench() {
            Ok(bench) => bench,
            Err(text) => {
                report.find(Check::Registration, text);
                return report;
            }
        };
        snapshot::check(&bench, snapshots.as_deref(), &mut report);
        metaschema::check(&bench, &mut report);
        if let Some(inputs) = Inputs::new(&bench, given, &mut report) {
            let trying = property::Trying { bench: &bench, inputs: &inputs, cases, budget, seed };
            trying.check(&mut report).await;
            effects::check(&bench, &inputs, effects.as_deref(), &mut report).await;
            secrets::check(&bench, &inputs, &mut report).await;
        }
        report
    }

    /// Builds the runtime, and finds the tool in it.
    fn bench(self) -> Result<Bench, String> {
        let name = self.tool?;
        let watch = Watch::default();
        let runtime = self
            .builder
            .permission(&*name, Permission::Allow)
            .coerce_reads(Coerce::Off)
            .coerce_writes(Coerce::Off)
            .observe(watch.clone())
            .build()
            .map_err(|error| error.to_string())?;
        Bench::new(runtime, &name, self.cx, watch)
    }
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
