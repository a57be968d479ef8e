//! The tools of a runtime while it runs: lists of one moment, changes, and subscriptions to them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tool_contracts::ToolSpec;
use tool_runtime_schema::schema::{SchemaFinding, UncheckedRule};

use super::Runtime;
use crate::failure::FailureCode;
use crate::tool::registry::{
    CatalogueEntry, CompiledTool, DynamicTool, Listener, RefusedTool, RegisteredTool,
    ToolCatalogue, listing_problem,
};
use crate::tool::{BuildError, BuildProblem};

/// The tools of a runtime, to list or to change them while calls run; see [`Runtime::tools`].
///
/// A change takes effect for the calls that are opened after it. A call keeps the tool with which
/// it was opened, also if that is replaced or removed before the call runs. A waiting
/// ticket, and a standing grant, lapse if the tool has another version or another schema when they
/// are used. Readers never wait for a change.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
///
/// fn greet(word: &'static str) -> DynamicTool {
///     DynamicTool::new("greet", Effect::Read)
///         .description("Greets.")
///         .input_schema(json!({"type": "object"}))
///         .handler(move |_| async move { Ok::<_, Failure>(word) })
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().build()?;
/// let cx = ToolContext::local();
/// let first = runtime.tools().list().version();
///
/// runtime.tools().add(greet("hello"))?;
/// assert_eq!(runtime.tools().list().version(), first + 1);
/// let mut opened = runtime.call("greet", "{}", &cx);
///
/// runtime.tools().replace(greet("good day"))?;
/// assert_eq!(opened.execute().await.data_json(), Some(r#""hello""#));
/// let mut next = runtime.call("greet", "{}", &cx);
/// assert_eq!(next.execute().await.data_json(), Some(r#""good day""#));
///
/// runtime.tools().disable("greet", "its server is not trusted any more");
/// assert!(runtime.spec("greet").is_none());
/// assert_eq!(runtime.call("greet", "{}", &cx).status(), CallStatus::Rejected);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tools<'r>(&'r Runtime);

/// The tools of a runtime at one moment, without denied and disabled ones.
#[derive(Clone)]
pub struct ToolList(Arc<ToolCatalogue>);

/// Several changes of the tools of a runtime, which are made together: [`Tools::apply`].
#[derive(Debug, Default)]
#[must_use = "the changes are made by `Tools::apply`"]
pub struct ToolChanges(Vec<ToolChange>);

/// A subscription to the changes of a runtime's tools, which ends when it is dropped.
#[must_use = "the subscription ends when it is dropped"]
pub struct ToolSubscription {
    _listener: Arc<Listener>,
}

#[derive(Debug)]
enum ToolChange {
    Add(Box<DynamicTool>),
    Replace(Box<DynamicTool>),
    Disable { name: String, reason: Arc<str> },
    Enable { name: String },
    Remove { name: String },
}

#[allow(clippy::must_use_candidate, reason = "the changes are made either way")]
impl<'r> Tools<'r> {
    pub(super) fn new(runtime: &'r Runtime) -> Self {
        Self(runtime)
    }

    /// Returns the tools as they are now.
    #[must_use]
    pub fn list(&self) -> ToolList {
        ToolList(self.0.environment().catalogue.snapshot())
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns the problems of the tool, as [`build`](crate::RuntimeBuilder::build) does, or that
    /// another tool has its name.
    pub fn add(&self, tool: DynamicTool) -> Result<ToolList, BuildError> {
        self.apply(ToolChanges::new().add(tool))
    }

    /// Replaces the tool of the same name; a disabled tool becomes available again.
    ///
    /// The successor continues the rates, permits and circuit breakers of its predecessor, if it
    /// has the same toolkit.
    ///
    /// # Errors
    /// Returns the problems of the tool, or that no tool has its name.
    pub fn replace(&self, tool: DynamicTool) -> Result<ToolList, BuildError> {
        self.apply(ToolChanges::new().replace(tool))
    }

    /// Disables a tool: lists leave it out, and its calls are refused.
    ///
    /// Returns false if there is no such tool. The reason is for people: models do not read it.
    pub fn disable(&self, name: &str, reason: impl Into<String>) -> bool {
        self.apply(ToolChanges::new().disable(name, reason)).is_ok()
    }

    /// Makes a disabled tool available again; false if there is no such tool.
    pub fn enable(&self, name: &str) -> bool {
        self.apply(ToolChanges::new().enable(name)).is_ok()
    }

    /// Removes a tool; false if there is no such tool.
    pub fn remove(&self, name: &str) -> bool {
        self.apply(ToolChanges::new().remove(name)).is_ok()
    }

    /// Makes several changes in their order, all of them or none, and returns the tools after them.
    ///
    /// # Errors
    /// Returns the problems of all changes, and that the definitions of all tools after them are
    /// larger than [`max_listing_bytes`](crate::RuntimeBuilder::max_listing_bytes).
    pub fn apply(&self, changes: ToolChanges) -> Result<ToolList, BuildError> {
        if changes.0.is_empty() {
            return Ok(self.list());
        }
        let next = self.0.environment().catalogue.change(|entries| {
            let mut problems = Vec::new();
            for change in changes.0 {
                problems.extend(self.change(entries, change).err().into_iter().flatten());
            }
            let tools = entries.values().map(|entry| &**entry.tool);
            problems.extend(listing_problem(tools, self.0.inner.settings.listing_bytes));
            BuildError::unless_empty(problems)
        })?;
        self.0.services().dispatcher.measure_tools(&next);
        Ok(ToolList(next))
    }

    /// Lists the disabled tools with the reasons, by name.
    #[must_use]
    pub fn disabled(&self) -> Vec<(String, Arc<str>)> {
        let tools = self.0.environment().tools();
        let disabled = tools.iter().filter_map(|entry| {
            let reason = entry.disabled.clone()?;
            Some((entry.tool.spec.name().to_owned(), reason))
        });
        disabled.collect()
    }

    /// Lists the dynamic tools that were left out because they cannot be used, in the order of
    /// their names, each with every reason.
    ///
    /// [`dynamic_if_valid`](crate::RuntimeBuilder::dynamic_if_valid) leaves them out; every other
    /// tool that cannot be used is an error of [`build`](crate::RuntimeBuilder::build).
    pub fn refused(&self) -> impl Iterator<Item = &'r RefusedTool> + use<'r> {
        self.0.inner.refused.iter()
    }

    /// Lists the rules in the schemas of dynamic tools that are not checked, with the tools' names.
    ///
    /// A dynamic tool may bring a pattern that the runtime does not match, such as one with
    /// look-ahead, or with a construct that only other syntaxes than ECMA-262's have. Its other rules
    /// are checked; check that one in the tool.
    pub fn unchecked_rules(&self) -> impl Iterator<Item = (String, UncheckedRule)> + use<> {
        let tools = self.0.environment().tools();
        let rules = tools.iter().flat_map(|entry| {
            let name = entry.tool.spec.name();
            entry.tool.unchecked.iter().map(|rule| (name.to_owned(), rule.clone()))
        });
        rules.collect::<Vec<_>>().into_iter()
    }

    /// Lists the rules in the tools' schemas that are probably mistakes, with the tools' names: rules
    /// that require properties which are not listed where the rule applies, and listed values of
    /// another type.
    ///
    /// They do not fail the build, since schemas of other authors have them; see
    /// [`SchemaFinding`].
    pub fn schema_findings(&self) -> impl Iterator<Item = (String, SchemaFinding)> + use<> {
        let tools = self.0.environment().tools();
        let findings = tools.iter().flat_map(|entry| {
            let name = entry.tool.spec.name();
            entry.tool.findings.iter().map(|finding| (name.to_owned(), finding.clone()))
        });
        findings.collect::<Vec<_>>().into_iter()
    }

    /// Lists the codes that a tool's own error may carry, as its `ToolFailure` declares them.
    ///
    /// None if there is no such tool; empty for a tool whose error declares nothing, which is
    /// answered `INTERNAL`.
    #[must_use]
    pub fn failure_codes(&self, name: &str) -> Option<Arc<[FailureCode]>> {
        self.0.environment().tools().find(name).map(|entry| entry.tool.codes.clone())
    }

    /// Calls a function after each later change, until the subscription is dropped.
    ///
    /// It is called by the thread that makes the change, so it must be quick. Two changes at the
    /// same time may be reported in either order: their lists have versions.
    pub fn subscribe(
        &self,
        listen: impl Fn(&ToolList) + Send + Sync + 'static,
    ) -> ToolSubscription {
        let listener: Arc<Listener> =
            Arc::new(move |catalogue: &Arc<ToolCatalogue>| listen(&ToolList(catalogue.clone())));
        self.0.environment().catalogue.listen(&listener);
        ToolSubscription { _listener: listener }
    }

    fn change(
        self,
        entries: &mut BTreeMap<Box<str>, CatalogueEntry>,
        change: ToolChange,
    ) -> Result<(), Vec<BuildProblem>> {
        match change {
            ToolChange::Add(tool) if entries.contains_key(tool.name()) => {
                Err(vec![BuildProblem::NameTaken { tool: tool.name().to_owned() }])
            }
            ToolChange::Add(tool) => {
                let added = self.compile(&tool, None)?;
                entries.insert(tool.name().into(), CatalogueEntry::new(added));
                Ok(())
            }
            ToolChange::Replace(tool) => {
                let entry = entries.get_mut(tool.name()).ok_or_else(|| unknown(tool.name()))?;
                *entry = CatalogueEntry::new(self.compile(&tool, Some(&entry.tool))?);
                Ok(())
            }
            ToolChange::Disable { name, reason } => set_disabled(entries, &name, Some(reason)),
            ToolChange::Enable { name } => set_disabled(entries, &name, None),
            ToolChange::Remove { name } => {
                entries.remove(&*name).map(drop).ok_or_else(|| unknown(&name))
            }
        }
    }

    fn compile(
        self,
        tool: &DynamicTool,
        replaced: Option<&RegisteredTool>,
    ) -> Result<RegisteredTool, Vec<BuildProblem>> {
        let services = self.0.services();
        let compiled = CompiledTool::from_dynamic(tool, &self.0.inner.settings)?;
        let has_evidence = services.dispatcher.evidence_collector.is_some();
        compiled.check_evidence(has_evidence).map_err(|problem| vec![problem])?;
        Ok(services.policy_state.plan_tool(compiled, replaced))
    }
}

impl ToolList {
    /// Returns the number of this version of the list: each change of the tools increases it.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.0.version()
    }

    /// Lists the tools in the order of their names.
    pub fn specs(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.0.listed()
    }

    /// Lists the tools that models may call, in the order of their names.
    pub fn specs_for_model(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.0.listed_for_model()
    }

    /// Finds a tool by its name.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        self.0.find_listed(name)
    }

    pub(super) fn into_specs(self) -> impl Iterator<Item = Arc<ToolSpec>> {
        let specs: Vec<_> = self.0.listed().cloned().collect();
        specs.into_iter()
    }
}

impl ToolChanges {
    /// Creates no change.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: [`Tools::add`].
    #[allow(clippy::should_implement_trait, reason = "the changes are no numbers")]
    pub fn add(self, tool: DynamicTool) -> Self {
        self.with(ToolChange::Add(Box::new(tool)))
    }

    /// Replaces a tool: [`Tools::replace`].
    pub fn replace(self, tool: DynamicTool) -> Self {
        self.with(ToolChange::Replace(Box::new(tool)))
    }

    /// Disables a tool: [`Tools::disable`].
    pub fn disable(self, name: impl Into<String>, reason: impl Into<String>) -> Self {
        self.with(ToolChange::Disable { name: name.into(), reason: reason.into().into() })
    }

    /// Makes a disabled tool available again: [`Tools::enable`].
    pub fn enable(self, name: impl Into<String>) -> Self {
        self.with(ToolChange::Enable { name: name.into() })
    }

    /// Removes a tool: [`Tools::remove`].
    pub fn remove(self, name: impl Into<String>) -> Self {
        self.with(ToolChange::Remove { name: name.into() })
    }

    fn with(mut self, change: ToolChange) -> Self {
        self.0.push(change);
        self
    }
}

fn set_disabled(
    entries: &mut BTreeMap<Box<str>, CatalogueEntry>,
    name: &str,
    reason: Option<Arc<str>>,
) -> Result<(), Vec<BuildProblem>> {
    let entry = entries.get_mut(name).ok_or_else(|| unknown(name))?;
    entry.disabled = reason;
    Ok(())
}

fn unknown(name: &str) -> Vec<BuildProblem> {
    vec![BuildProblem::UnknownTool { tool: name.to_owned() }]
}

impl fmt::Debug for ToolList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolList").field("version", &self.version()).finish_non_exhaustive()
    }
}

impl fmt::Debug for ToolSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSubscription").finish_non_exhaustive()
    }
}
