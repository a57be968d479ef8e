//! The registry: which tools there are, by what right, and from where.

mod catalogue;
mod definition;
mod discover;
mod dynamic;
mod registered;
mod shown;
mod state;

use std::fmt;
use std::panic::Location;

use tool_contracts::{ToolSpec, ToolkitSpec};

pub(crate) use self::catalogue::Catalogue;
pub use self::definition::{Definition, Tool, Toolkit, ToolkitFacts, TypedTool};
#[cfg(feature = "discovery")]
pub use self::discover::Discovered;
pub use self::dynamic::DynamicTool;
pub(crate) use self::registered::{Registered, SHORTEST_RETENTION, Settings, narrowest_first};
pub use self::state::HostNeed;
pub(crate) use self::state::States;
use crate::dispatch::{BuildError, BuildProblem};

/// The tools that a program has, before they are given state and a runtime.
///
/// A build script or a test can list their contracts with [`specs`](Self::specs); a program hands
/// the registry to [`RuntimeBuilder::registry`](crate::RuntimeBuilder::registry), or registers
/// tools on the builder directly.
#[derive(Debug, Default)]
pub struct Registry {
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<BuildProblem>,
}

/// One registration.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) source: Source,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) enum Source {
    Static(&'static Definition),
    Dynamic(Box<DynamicTool>),
}

/// Where in somebody's source a tool comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    file: &'static str,
    line: u32,
}

impl Place {
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

    fn of(location: &'static Location<'static>) -> Self {
        Self { file: location.file(), line: location.line() }
    }

    fn of_definition(definition: &'static Definition) -> Self {
        Self { file: definition.file, line: definition.line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Registry {
    /// Starts empty.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tool behind a handle.
    #[must_use]
    pub fn tool<T: Tool>(mut self) -> Self {
        self.add_definition(T::definition());
        self
    }

    /// Adds a toolkit's tools; its value is given to the builder, which registers them too.
    #[must_use]
    pub fn toolkit<T: Toolkit>(mut self) -> Self {
        for definition in T::definitions() {
            self.add_definition(definition);
        }
        self
    }

    /// Adds a tool that is known only at run time.
    #[must_use]
    #[track_caller]
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        let place = Place::of(Location::caller());
        self.entries.push(Entry { source: Source::Dynamic(Box::new(tool)), place });
        self
    }

    /// Adds every `#[ai_tool]` function that is linked into the program.
    ///
    /// A crate that nobody names contributes nothing: write `use its_name as _;` once. If nothing
    /// is found, [`specs`](Self::specs) and `build()` say so.
    #[cfg(feature = "discovery")]
    #[must_use]
    pub fn discover(mut self) -> Self {
        let before = self.entries.len();
        discover::all().for_each(|definition| self.add_definition(definition));
        if self.entries.len() == before && discover::all().next().is_none() {
            self.problems.push(BuildProblem::NothingDiscovered);
        }
        self
    }

    /// Lists the contracts of all tools in the order of their names.
    ///
    /// # Errors
    /// Everything that is wrong with the registrations, at once: duplicate names, schemas that
    /// cannot be checked, names or versions that are no such thing.
    pub fn specs(&self) -> Result<Vec<ToolSpec>, BuildError> {
        let mut problems = self.problems.clone();
        let tools = self.compile(&Settings::default(), &mut problems);
        BuildError::unless_empty(problems)?;
        Ok(tools.into_iter().map(|tool| tool.spec).collect())
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.problems.extend(other.problems);
        for entry in other.entries {
            match entry.source {
                Source::Static(definition) => self.add_definition(definition),
                Source::Dynamic(_) => self.entries.push(entry),
            }
        }
    }

    /// Adds a definition once, however often it was registered or discovered.
    fn add_definition(&mut self, definition: &'static Definition) {
        let known = self.entries.iter().any(
            |entry| matches!(entry.source, Source::Static(other) if std::ptr::eq(other, definition)),
        );
        if !known {
            let place = Place::of_definition(definition);
            self.entries.push(Entry { source: Source::Static(definition), place });
        }
    }

    /// Makes every entry's contract and checkers, in the order of names; collects what is wrong.
    pub(crate) fn compile(
        &self,
        settings: &Settings,
        problems: &mut Vec<BuildProblem>,
    ) -> Vec<Registered> {
        let mut sorted: Vec<_> = self.entries.iter().collect();
        sorted.sort_by(|one, other| one.name().cmp(other.name()));
        problems.extend(sorted.windows(2).filter_map(|pair| match pair {
            [one, other] if one.name() == other.name() => Some(duplicate(one, other)),
            _ => None,
        }));
        let compile = |entry: &Entry| {
            Registered::compile(entry, settings).map_err(|found| problems.extend(found)).ok()
        };
        let mut tools: Vec<_> = sorted.into_iter().filter_map(compile).collect();
        tools.iter_mut().enumerate().for_each(|(index, tool)| tool.index = index);
        tools
    }
}

impl Entry {
    pub(crate) fn name(&self) -> &str {
        match &self.source {
            Source::Static(definition) => definition.name,
            Source::Dynamic(tool) => tool.name(),
        }
    }

    /// Returns the name of the toolkit that the tool says it belongs to.
    pub(crate) fn toolkit(&self) -> Option<&str> {
        match &self.source {
            Source::Static(definition) => definition.toolkit.map(|toolkit| toolkit.name),
            Source::Dynamic(tool) => tool.toolkit.as_ref().map(ToolkitSpec::name),
        }
    }
}

fn duplicate(one: &Entry, other: &Entry) -> BuildProblem {
    BuildProblem::DuplicateName {
        tool: one.name().to_owned(),
        first: one.place.clone(),
        second: other.place.clone(),
    }
}
