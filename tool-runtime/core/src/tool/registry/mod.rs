//! The registry: tools, their permissions and their source locations.

mod catalogue;
mod compiled;
#[cfg(all(test, feature = "canonical"))]
mod defaults_tests;
mod definition;
#[cfg(feature = "discovery")]
mod discover;
mod dynamic;
mod dynamic_fn;
mod input_examples;
mod listing_bound;
#[cfg(not(feature = "discovery"))]
mod no_discovery;
mod refused;
mod registered;
mod schema_examples;
mod shared_catalogue;
mod state;
mod tool_settings;

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use tool_contracts::{ToolSpec, ToolkitSpec};

pub use self::catalogue::{Availability, CatalogueEntry, ToolCatalogue};
pub use self::compiled::CompiledTool;
#[cfg(feature = "policy")]
pub(crate) use self::compiled::SHORTEST_RETENTION;
pub use self::definition::{
    CostEstimate, Definition, EstimateFn, Tool, Toolkit, ToolkitFacts, TypedTool,
};
#[cfg(feature = "discovery")]
pub use self::discover::Discovered;
pub use self::dynamic::DynamicTool;
pub(crate) use self::listing_bound::listing_problem;
pub use self::refused::RefusedTool;
pub(crate) use self::registered::PolicyStages;
pub use self::registered::RegisteredTool;
pub(crate) use self::shared_catalogue::{Listener, SharedCatalogue};
pub use self::state::HostNeed;
pub(crate) use self::state::HostState;
pub use self::tool_settings::{ToolSettings, narrowest_first};
use crate::tool::{BuildError, BuildProblem};

/// The tools of a program, before a runtime is built.
///
/// A build script or a test can list their contracts with [`specs`](Self::specs). A program passes
/// the registry to [`RuntimeBuilder::registry`](crate::RuntimeBuilder::registry), or registers
/// tools on the builder directly.
#[derive(Debug, Default)]
pub struct Registry {
    pub(crate) entries: Vec<Registration>,
    /// True if discovery was asked for and found no tool.
    nothing_discovered: bool,
}

/// One registration.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) source: ToolSource,
    pub(crate) location: SourceLocation,
    /// True if the tool is left out where it cannot be used; otherwise its problems fail the build.
    pub(crate) if_valid: bool,
}

/// The tools of a registry after compilation.
#[derive(Debug, Default)]
pub struct CompiledTools {
    /// Sorted by name.
    pub tools: Vec<CompiledTool>,
    pub(crate) refused: Vec<RefusedTool>,
    /// The registrations of the tools that may be left out, by name.
    optional: BTreeMap<String, SourceLocation>,
}

#[derive(Debug)]
pub(crate) enum ToolSource {
    Static(&'static Definition),
    Dynamic(Box<DynamicTool>),
}

/// The source location of a tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    file: &'static str,
    line: u32,
}

impl SourceLocation {
    /// Returns the source file, as the compiler names it.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// Returns the line, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    fn from_location(location: &'static Location<'static>) -> Self {
        Self { file: location.file(), line: location.line() }
    }

    fn from_definition(definition: &'static Definition) -> Self {
        Self { file: definition.file, line: definition.line }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Registry {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tool of a handle.
    #[must_use]
    pub fn tool<Handle: Tool>(mut self) -> Self {
        self.add_definition(Handle::definition());
        self
    }

    /// Adds a toolkit's tools; passing the toolkit's value to the builder registers them too.
    #[must_use]
    pub fn toolkit<T: Toolkit>(mut self) -> Self {
        for definition in T::definitions() {
            self.add_definition(definition);
        }
        self
    }

    /// Adds a tool that is defined at run time.
    #[must_use]
    #[track_caller]
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.add_dynamic(tool, Location::caller(), false);
        self
    }

    /// Adds those of these tools that can be used, and leaves out the others; see
    /// [`RuntimeBuilder::dynamic_if_valid`](crate::RuntimeBuilder::dynamic_if_valid).
    #[must_use]
    #[track_caller]
    pub fn dynamic_if_valid(mut self, tools: impl IntoIterator<Item = DynamicTool>) -> Self {
        let location = Location::caller();
        tools.into_iter().for_each(|tool| self.add_dynamic(tool, location, true));
        self
    }

    /// Lists the contracts of all tools, sorted by name.
    ///
    /// # Errors
    /// Returns all problems of the registrations at once: duplicate names, schemas that cannot be
    /// enforced, invalid names and versions.
    pub fn specs(&self) -> Result<Vec<ToolSpec>, BuildError> {
        let mut problems = Vec::new();
        let compiled = self.compile(&ToolSettings::default(), &mut problems);
        BuildError::unless_empty(problems)?;
        let specs = compiled.tools.into_iter().map(|tool| Arc::unwrap_or_clone(tool.spec));
        Ok(specs.collect())
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.nothing_discovered |= other.nothing_discovered;
        for entry in other.entries {
            match entry.source {
                ToolSource::Static(definition) => self.add_definition(definition),
                ToolSource::Dynamic(_) => self.entries.push(entry),
            }
        }
    }

    /// Adds a definition once, even if it is registered and discovered.
    fn add_definition(&mut self, definition: &'static Definition) {
        let is_registered = self.entries.iter().any(
            |entry| matches!(entry.source, ToolSource::Static(other) if std::ptr::eq(other, definition)),
        );
        if !is_registered {
            let location = SourceLocation::from_definition(definition);
            let source = ToolSource::Static(definition);
            self.entries.push(Registration { source, location, if_valid: false });
        }
    }

    fn add_dynamic(
        &mut self,
        tool: DynamicTool,
        location: &'static Location<'static>,
        if_valid: bool,
    ) {
        let source = ToolSource::Dynamic(Box::new(tool));
        self.entries.push(Registration {
            source,
            location: SourceLocation::from_location(location),
            if_valid,
        });
    }

    /// Compiles every registration's contract and validators, sorted by name; collects all
    /// problems but those of the tools that may be left out.
    pub fn compile(
        &self,
        settings: &ToolSettings,
        problems: &mut Vec<BuildProblem>,
    ) -> CompiledTools {
        if self.nothing_discovered && self.entries.is_empty() {
            problems.push(BuildProblem::NothingDiscovered);
        }
        let mut sorted: Vec<_> = self.entries.iter().collect();
        // A name belongs to a tool that may not be left out, else to the first that can be used.
        sorted.sort_by_key(|entry| (entry.name(), entry.if_valid));
        let mut compiled = CompiledTools::default();
        let mut last: Option<&Registration> = None;
        for entry in sorted {
            let same_name = last.filter(|other| other.name() == entry.name());
            match entry.compile(same_name, settings) {
                Ok(tool) => compiled.add(tool, entry),
                Err(found) if entry.if_valid => {
                    compiled.refused.push(entry.refused(found));
                    continue;
                }
                Err(found) => problems.extend(found),
            }
            last = Some(entry);
        }
        compiled
    }
}

impl CompiledTools {
    fn add(&mut self, tool: CompiledTool, entry: &Registration) {
        if entry.if_valid {
            self.optional.insert(entry.name().to_owned(), entry.location.clone());
        }
        self.tools.push(tool);
    }
}

impl Registration {
    pub(crate) fn name(&self) -> &str {
        match &self.source {
            ToolSource::Static(definition) => definition.name,
            ToolSource::Dynamic(tool) => tool.name(),
        }
    }

    fn compile(
        &self,
        same_name: Option<&Self>,
        settings: &ToolSettings,
    ) -> Result<CompiledTool, Vec<BuildProblem>> {
        let Some(other) = same_name else { return CompiledTool::compile(self, settings) };
        let mut problems = vec![duplicate(other, self)];
        problems.extend(CompiledTool::compile(self, settings).err().into_iter().flatten());
        Err(problems)
    }

    fn refused(&self, problems: Vec<BuildProblem>) -> RefusedTool {
        RefusedTool::new(self.name(), &self.location, BuildError { problems })
    }

    /// Returns the name of the toolkit that the tool declares.
    pub(crate) fn toolkit(&self) -> Option<&str> {
        match &self.source {
            ToolSource::Static(definition) => definition.toolkit.map(|toolkit| toolkit.name),
            ToolSource::Dynamic(tool) => tool.toolkit.as_ref().map(ToolkitSpec::name),
        }
    }
}

fn duplicate(one: &Registration, other: &Registration) -> BuildProblem {
    BuildProblem::DuplicateName {
        tool: one.name().to_owned(),
        first: one.location.clone(),
        second: other.location.clone(),
    }
}
