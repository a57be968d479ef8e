//! Adds a toolkit's description to its tools' descriptions, as no dialect has a field for it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tool_contracts::{ToolSpec, ToolkitSpec};

use super::format::DeclaredToolkit;
use super::names::{self, NameRules, ToolNames};

/// Sets which tools include their toolkit's description.
///
/// No dialect has a field for toolkits, so the description is appended to a tool's description as a
/// separate line, with the first paragraph of the toolkit's description and the prefix of its tools
/// in the dialect: ``All `content_…` tools: Finds and edits the pages of a site.``
///
/// # Examples
/// ```
/// use tool_runtime::adapters::{Adapter, Dialect, ToolkitText};
/// use tool_runtime::contracts::{Effect, ToolSpec, ToolkitSpec};
///
/// let content = ToolkitSpec::new("content", "Finds and edits the pages of a site.")?;
/// let spec = ToolSpec::builder("content.search", Effect::Read)
///     .description("Searches the pages.")
///     .toolkit(content)
///     .build()?;
/// let adapter = Adapter::new(Dialect::Anthropic, [&spec]);
/// assert_eq!(
///     adapter.declarations()[0]["description"],
///     "Searches the pages.\n\nAll `content_…` tools: Finds and edits the pages of a site.",
/// );
///
/// let silent = Adapter::builder(Dialect::Anthropic).toolkits(ToolkitText::Omitted).build([&spec]);
/// assert_eq!(silent.declarations()[0]["description"], "Searches the pages.");
/// # Ok::<(), tool_runtime::contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolkitText {
    /// The first tool of each toolkit: the description is sent once for all its tools.
    #[default]
    Once,
    /// Every tool of a toolkit: for models that see only some of the declared tools at a time. It
    /// costs the description's tokens once per tool.
    EachTool,
    /// No tool.
    Omitted,
}

/// Writes the descriptions of a set of tools, in the order of declaration.
#[derive(Debug)]
pub(super) struct Descriptions<'s> {
    rules: &'static NameRules,
    text: ToolkitText,
    /// The toolkits whose description was included, by name and description.
    described: BTreeSet<(&'s str, &'s str)>,
}

impl<'s> Descriptions<'s> {
    pub(super) fn new(rules: &'static NameRules, text: ToolkitText) -> Self {
        Self { rules, text, described: BTreeSet::new() }
    }

    /// Returns a tool's description, with its toolkit's if it is to be included.
    ///
    /// A model may read a deferred tool as the only one of its toolkit, so each of them includes it
    /// where one of all tools would.
    pub(super) fn describe(&mut self, spec: &'s ToolSpec, is_deferred: bool) -> Cow<'s, str> {
        let description = Cow::Borrowed(spec.description());
        let Some(toolkit) = spec.toolkit() else { return description };
        let is_due = match self.text {
            ToolkitText::Once if is_deferred => true,
            ToolkitText::Once => self.described.insert((toolkit.name(), toolkit.description())),
            ToolkitText::EachTool => true,
            ToolkitText::Omitted => false,
        };
        if !is_due {
            return description;
        }
        let line = line(self.rules, toolkit);
        if description.is_empty() { line.into() } else { format!("{description}\n\n{line}").into() }
    }
}

/// Assigns a declared name to each toolkit, as tools get theirs.
pub(super) fn toolkit_names(rules: &'static NameRules, specs: &[&ToolSpec]) -> ToolNames {
    ToolNames::new(rules, specs.iter().filter_map(|spec| spec.toolkit()).map(ToolkitSpec::name))
}

/// Returns a toolkit under its declared name.
pub(super) fn declared_toolkit(names: &ToolNames, toolkit: &ToolkitSpec) -> DeclaredToolkit {
    DeclaredToolkit {
        name: names.wire(toolkit.name()).unwrap_or(toolkit.name()).to_owned(),
        description: toolkit.description().to_owned(),
    }
}

fn line(rules: &NameRules, toolkit: &ToolkitSpec) -> String {
    let prefix = names::with_accepted_characters(rules, &format!("{}.", toolkit.name()));
    let lines = toolkit.description().trim().lines().map(str::trim);
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    format!("All `{prefix}…` tools: {}", paragraph.join(" "))
}
