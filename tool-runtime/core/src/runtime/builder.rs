//! The runtime's configuration, checked as a whole by `build()`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tool_contracts::{Effect, Permission};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::Coerce;
use uuid::Uuid;

use super::{Runtime, RuntimeInner};
use crate::call::CallServices;
use crate::dispatch::hooks::{CallLedger, CallRecorder, EvidenceCollector};
use crate::dispatch::{Dispatcher, Observe};
use crate::metrics::Meter;
#[cfg(not(feature = "policy"))]
use crate::no_policy::{Policy, PolicyState};
#[cfg(feature = "policy")]
use crate::policy::{Policy, PolicyState};
use crate::timer::{Timer, default_timer};
use crate::tool::registry::{
    CompiledTool, CompiledTools, DynamicTool, HostNeed, HostState, Registration, Registry,
    SharedCatalogue, Tool, ToolCatalogue, ToolSettings, Toolkit, narrowest_first,
};
use crate::tool::{AttachmentLimits, BlockingPermits, BuildError, BuildProblem, Environment};
#[cfg(feature = "trace")]
use crate::trace::Tracing;

/// Configures a [`Runtime`]: its tools, its state, its rules.
///
/// Nothing is checked until [`build`](Self::build), which reports every problem at once.
pub struct RuntimeBuilder {
    pub(super) registry: Registry,
    states: HostState,
    settings: ToolSettings,
    tenant: Uuid,
    timer: Option<Arc<dyn Timer>>,
    observers: Vec<Arc<dyn Observe>>,
    max_concurrent: usize,
    max_blocking: usize,
    allow_abort: bool,
    expects_more_tools: bool,
    attachment_limits: AttachmentLimits,
    pub(crate) policy: Policy,
    recorder: Option<Arc<dyn CallRecorder>>,
    evidence_collector: Option<Arc<dyn EvidenceCollector>>,
    #[cfg(feature = "trace")]
    pub(crate) tracing: Tracing,
    /// The host's OpenTelemetry meter.
    pub(crate) meter: Option<Meter>,
    problems: Vec<BuildProblem>,
}

impl RuntimeBuilder {
    pub(super) fn new() -> Self {
        Self {
            registry: Registry::new(),
            states: HostState::default(),
            settings: ToolSettings::default(),
            tenant: Uuid::nil(),
            timer: default_timer(),
            observers: Vec::new(),
            max_concurrent: 5,
            max_blocking: 256,
            allow_abort: false,
            expects_more_tools: false,
            attachment_limits: AttachmentLimits::new(),
            policy: Policy::default(),
            recorder: None,
            evidence_collector: None,
            #[cfg(feature = "trace")]
            tracing: Tracing::default(),
            meter: None,
            problems: Vec::new(),
        }
    }

    /// Adds the tool behind a handle: `fn search_content` has the handle `SearchContentTool`.
    #[must_use]
    pub fn tool<Handle: Tool>(mut self) -> Self {
        self.registry = self.registry.tool::<Handle>();
        self
    }

    /// Adds a toolkit: its tools, and the value whose methods they are.
    #[must_use]
    pub fn toolkit<T: Toolkit>(self, toolkit: T) -> Self {
        self.shared_toolkit(Arc::new(toolkit))
    }

    /// Adds a toolkit that the host keeps using itself.
    #[must_use]
    pub fn shared_toolkit<T: Toolkit>(mut self, toolkit: Arc<T>) -> Self {
        self.registry = self.registry.toolkit::<T>();
        if !self.states.insert_toolkit(toolkit) {
            let type_name = std::any::type_name::<T>();
            self.problems.push(BuildProblem::ToolkitTwice { type_name });
        }
        self
    }

    /// Adds a tool that is known only at run time.
    #[must_use]
    #[track_caller]
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.registry = self.registry.dynamic(tool);
        self
    }

    /// Adds the tools whose definitions are valid, and leaves out the others.
    ///
    /// It is for tools that the program did not write, such as those of another server: one of them
    /// that cannot be used does not fail [`build`](Self::build).
    /// [`Tools::refused`](crate::Tools::refused) lists those that were left out, each with every
    /// reason. A tool is left out too if its name is taken: by a tool that was added in another
    /// way, or by one before it.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::prelude::*;
    ///
    /// let tool = |name: &str, pattern: &str| {
    ///     DynamicTool::new(name, Effect::Read)
    ///         .description("Finds a page.")
    ///         .input_schema(json!({
    ///             "type": "object",
    ///             "properties": {"page": {"type": "string", "pattern": pattern}},
    ///         }))
    ///         .handler(|_| async { Ok::<_, Failure>(()) })
    /// };
    /// let tools = [tool("find", "^[a-z]+$"), tool("broken", "^[a-z+$")];
    /// let runtime = Runtime::builder().dynamic_if_valid(tools).build()?;
    ///
    /// assert!(runtime.spec("find").is_some());
    /// for refused in runtime.tools().refused() {
    ///     eprintln!("{refused}"); // the tool, the place in its schema, the cure
    ///     assert_eq!(refused.name(), "broken");
    /// }
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn dynamic_if_valid(mut self, tools: impl IntoIterator<Item = DynamicTool>) -> Self {
        self.registry = self.registry.dynamic_if_valid(tools);
        self
    }

    /// Adds all tools of a registry.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry.merge(registry);
        self
    }

    /// Gives a value that tools borrow as `&T`.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.shared_state(Arc::new(state))
    }

    /// Gives a value that the host keeps using itself, or a trait object: tools borrow `&dyn Trait`.
    #[must_use]
    pub fn shared_state<T: ?Sized + Send + Sync + 'static>(mut self, state: Arc<T>) -> Self {
        if !self.states.insert(state) {
            self.problems.push(BuildProblem::StateTwice { type_name: std::any::type_name::<T>() });
        }
        self
    }

    /// Sets the permission of a tool, or of all tools of a toolkit.
    ///
    /// By default reads are allowed, and every other tool asks first. A tool's own entry takes
    /// precedence over its toolkit's.
    #[must_use]
    pub fn permission(
        mut self,
        tool_or_toolkit: impl Into<String>,
        permission: Permission,
    ) -> Self {
        self.settings.permissions.insert(tool_or_toolkit.into(), permission);
        self
    }

    /// Sets the tenant of the calls of [`Runtime::handle`]; the nil id if it is not set.
    ///
    /// For a host with one tenant; one with several takes [`Runtime::handle_for`].
    #[must_use]
    pub fn tenant(mut self, tenant_id: Uuid) -> Self {
        self.tenant = tenant_id;
        self
    }

    /// Sets the deadline of tools that have none of their own; 30 seconds if it is not set.
    #[must_use]
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets whether a read's arguments of a wrong JSON type are converted if nothing is lost; they
    /// are by default.
    #[must_use]
    pub fn coerce_reads(mut self, coerce: Coerce) -> Self {
        self.settings.coerce_reads = coerce;
        self
    }

    /// Sets whether a write's arguments of a wrong JSON type are converted if nothing is lost; they
    /// are not by default.
    #[must_use]
    pub fn coerce_writes(mut self, coerce: Coerce) -> Self {
        self.settings.coerce_writes = coerce;
        self
    }

    /// Sets the bounds on the size and the depth of arguments.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Sets the most bytes of the definitions of all tools together, as JSON. Default: 4 MiB.
    ///
    /// A list of tools contains all of them, a model may read all of them in each request, and each
    /// dialect's declarations are made from all of them. The bound holds for the program's own tools,
    /// dynamic ones and those of all remote servers together, also for disabled ones. Beyond it,
    /// [`build`](Self::build) and [`Tools::apply`](crate::Tools::apply) fail with
    /// [`BuildProblem::ListingTooLarge`]; tools of remote servers and of
    /// [`dynamic_if_valid`](Self::dynamic_if_valid) are left out and reported.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::prelude::*;
    ///
    /// let tool = DynamicTool::new("find", Effect::Read)
    ///     .description("Finds a page. ".repeat(100))
    ///     .input_schema(json!({"type": "object"}))
    ///     .handler(|_| async { Ok::<_, Failure>(()) });
    /// let error = Runtime::builder().max_listing_bytes(1_000).dynamic(tool).build().unwrap_err();
    /// assert!(error.to_string().contains("the largest are `find`"));
    /// ```
    #[must_use]
    pub fn max_listing_bytes(mut self, bytes: usize) -> Self {
        self.settings.listing_bytes = bytes;
        self
    }

    /// Sets the bounds on the attachments of one answer, which tools add with the feature
    /// `attachments`.
    #[must_use]
    pub fn attachment_limits(mut self, limits: AttachmentLimits) -> Self {
        self.attachment_limits = limits;
        self
    }

    /// Sets how many reads of one batch run concurrently: 1 to 20. Default: 5.
    #[must_use]
    pub fn max_concurrent_tools(mut self, limit: usize) -> Self {
        self.max_concurrent = limit;
        self
    }

    /// Sets how many blocking tools run concurrently. Default: 256.
    ///
    /// A blocking thread that is past its deadline counts until it ends. A call beyond the limit is
    /// answered `UNAVAILABLE`.
    #[must_use]
    pub fn max_blocking_tools(mut self, limit: usize) -> Self {
        self.max_blocking = limit;
        self
    }

    /// Sets the source of time, sleeps and blocking threads, instead of tokio.
    #[must_use]
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Arc::new(timer));
        self
    }

    /// Adds an observer of every call's end: an [`Observe`], or a closure.
    ///
    /// Without one, a debug build prints the cause of each failed call to the standard error stream,
    /// unless it has a ledger or the feature `trace`; a release build prints nothing.
    ///
    /// ```
    /// # use tool_runtime::prelude::*;
    /// use tool_runtime::CallRecord;
    ///
    /// let builder = Runtime::builder().observe(|record: &CallRecord<'_>| {
    ///     eprintln!("{} ended as {}", record.tool(), record.status());
    /// });
    /// ```
    #[must_use]
    pub fn observe(mut self, observer: impl Observe) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Accepts permissions and rules for tools and toolkits that do not exist yet, because they are
    /// [added later](crate::Tools::add).
    ///
    /// Without it such a name is an error of [`build`](Self::build), since it may be misspelt.
    #[must_use]
    pub fn expect_more_tools(mut self) -> Self {
        self.expects_more_tools = true;
        self
    }

    /// Accepts a program that aborts on panic: a tool's panic then ends the program.
    #[must_use]
    pub fn allow_panic_abort(mut self) -> Self {
        self.allow_abort = true;
        self
    }

    /// Checks everything and makes the runtime.
    ///
    /// # Errors
    /// Every problem at once, with the names of the tools: missing state, duplicate names, schemas
    /// that cannot be checked, permissions for tools that do not exist, a discovery that found
    /// nothing. Dynamic tools that cannot be used are left out where they were added by
    /// [`dynamic_if_valid`](Self::dynamic_if_valid).
    pub fn build(mut self) -> Result<Runtime, BuildError> {
        let mut problems = std::mem::take(&mut self.problems);
        self.check(&mut problems);
        let mut compiled = self.registry.compile(&self.settings, &mut problems);
        compiled.bound_listing(self.settings.listing_bytes, &mut problems);
        let CompiledTools { mut tools, refused, .. } = compiled;
        for tool in &mut tools {
            self.fill(tool, &mut problems);
        }
        let (Some(timer), true) = (self.timer, problems.is_empty()) else {
            return Err(BuildError { problems });
        };
        let (tools, policy_state) = self.policy.prepare(tools, &timer);
        let (policy, authorization) = PolicyState::handles(&policy_state);
        #[cfg(feature = "trace")]
        let (instrument, job_instrument) = self.tracing.into_instruments();
        #[cfg(not(feature = "trace"))]
        let (instrument, job_instrument) = (None, None);
        let environment = Arc::new(Environment {
            catalogue: SharedCatalogue::new(ToolCatalogue::new(tools)),
            states: self.states,
            limits: self.settings.limits,
            attachment_limits: self.attachment_limits,
            timer,
            blocking_permits: BlockingPermits::new(self.max_blocking),
            job_instrument,
        });
        // A build with tracing has the cause in its spans.
        if cfg!(all(debug_assertions, not(feature = "trace")))
            && self.observers.is_empty()
            && self.recorder.is_none()
        {
            self.observers.push(Arc::new(super::debug_log::DebugLog));
        }
        let dispatcher = Dispatcher {
            environment,
            policy,
            recorder: self.recorder,
            evidence_collector: self.evidence_collector,
            instrument,
            observers: self.observers,
            metrics: OnceLock::new(),
        };
        if self.meter.is_some() {
            dispatcher.measure(self.meter);
        }
        let services = CallServices { dispatcher, authorization, policy_state };
        Ok(Runtime::new(RuntimeInner {
            services: Arc::new(services),
            refused,
            tenant: self.tenant,
            max_concurrent: self.max_concurrent,
            settings: self.settings,
        }))
    }

    fn check(&self, problems: &mut Vec<BuildProblem>) {
        if cfg!(panic = "abort") && !self.allow_abort {
            problems.push(BuildProblem::PanicAborts);
        }
        if self.timer.is_none() {
            problems.push(BuildProblem::NoTimer);
        }
        let bounds = [
            ("max_concurrent_tools", 1..=20, self.max_concurrent),
            ("max_blocking_tools", 1..=100_000, self.max_blocking),
        ];
        for (setting, range, found) in bounds {
            if !range.contains(&found) {
                let (min, max) = range.into_inner();
                problems.push(BuildProblem::OutOfRange { setting, min, max, found });
            }
        }
        let known_names: BTreeSet<&str> = self.registry.entries.iter().flat_map(names_of).collect();
        let known_names = (!self.expects_more_tools).then_some(&known_names);
        let is_unknown =
            |name: &&String| known_names.is_some_and(|known_names| !known_names.contains(&***name));
        let unknown = self.settings.permissions.keys().filter(is_unknown);
        problems.extend(unknown.map(|name| BuildProblem::UnknownPermission { name: name.clone() }));
        problems.extend(self.policy.check(known_names));
    }

    /// Records every call in this ledger, however it ends: a `ledger::Ledger`, of the feature `ledger`.
    #[must_use]
    pub fn ledger(mut self, ledger: &impl CallLedger) -> Self {
        self.recorder = Some(ledger.recorder());
        self
    }

    /// Keeps evidence of the answers of tools marked `#[ai_tool(evidence)]`: by an `evidence::EvidenceKeeper`, of the
    /// feature `evidence`.
    #[must_use]
    pub fn evidence(mut self, keeper: impl EvidenceCollector + 'static) -> Self {
        self.evidence_collector = Some(Arc::new(keeper));
        self
    }

    /// Returns whether a tool of this name is registered.
    #[doc(hidden)]
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.registry.entries.iter().any(|entry| entry.name() == name)
    }

    fn fill(&self, tool: &mut CompiledTool, problems: &mut Vec<BuildProblem>) {
        problems.extend(tool.check_evidence(self.evidence_collector.is_some()).err());
        problems.extend(self.policy.check_budgets(&tool.spec));
        for (id, type_name) in tool.needs.iter().filter_map(HostNeed::transaction_type) {
            if tool.spec.effect() == Effect::Read || !self.policy.has_transaction(id) {
                let tool = tool.spec.name().to_owned();
                problems.push(BuildProblem::MissingTransaction { tool, type_name });
            }
        }
        match self.states.resolve(&tool.needs) {
            Ok(slots) => tool.slots = slots,
            Err(missing) => problems.extend(missing.into_iter().map(|type_name| {
                BuildProblem::MissingState { tool: tool.spec.name().to_owned(), type_name }
            })),
        }
    }
}

/// A tool's name, and its toolkit's.
fn names_of(entry: &Registration) -> impl Iterator<Item = &str> {
    narrowest_first(entry.name(), entry.toolkit())
}

impl fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeBuilder")
            .field("registry", &self.registry)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
