//! The tools as the protocol lists them, written once for each version of the catalogue.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rmcp::model::{Icon, Tool, ToolAnnotations};
use serde_json::Map;
use tool_contracts::{Effect, ToolSpec};
use tool_runtime_core::{Runtime, ToolList};

use super::revision::Revision;
use super::schema;
use crate::state::config::mcp::McpConfig;
use crate::state::tool_caches::{PerVersion, Versioned};

/// The listed tools of a runtime.
pub(super) struct McpToolCache {
    style: ListingStyle,
    tools: PerVersion<McpTools>,
}

/// The host's settings of how tools are listed.
#[derive(Debug)]
struct ListingStyle {
    icons: BTreeMap<Box<str>, Vec<Icon>>,
    open_schemas: bool,
}

/// The tools of one version of the catalogue, in the order of their names.
pub(super) struct McpTools {
    pub(super) tools: Vec<McpTool>,
}

/// A tool, as clients of each revision read it.
pub(super) struct McpTool {
    pub(super) spec: Arc<ToolSpec>,
    tool: Tool,
    /// The tool for clients before 2026-07-28, if its output has another form for them.
    wrapped: Option<Tool>,
    has_header_parameters: bool,
}

impl McpToolCache {
    /// Describes the tools of a runtime.
    pub(super) fn new(runtime: &Runtime, config: &McpConfig) -> Self {
        let (icons, open_schemas) = (config.tool_icons.clone(), config.open_schemas);
        let style = ListingStyle { icons, open_schemas };
        let tools = PerVersion::new(&runtime.tools().list(), |list| McpTools::new(list, &style));
        Self { style, tools }
    }

    /// Returns the tools as they are now.
    pub(super) fn current(&self, runtime: &Runtime) -> Arc<Versioned<McpTools>> {
        self.tools.get(&runtime.tools().list(), |list| McpTools::new(list, &self.style))
    }
}

impl McpTools {
    fn new(tools: &ToolList, style: &ListingStyle) -> Self {
        let listed_tool = |spec: &Arc<ToolSpec>| McpTool::new(spec, style);
        Self { tools: tools.specs().map(listed_tool).collect() }
    }

    /// Finds a tool by its name.
    pub(super) fn find(&self, name: &str) -> Option<&McpTool> {
        let index = self.tools.binary_search_by(|tool| tool.spec.name().cmp(name)).ok()?;
        self.tools.get(index)
    }

    /// Lists the tools after this name; all without one.
    pub(super) fn after(&self, name: Option<&str>) -> &[McpTool] {
        let start =
            name.map_or(0, |name| self.tools.partition_point(|tool| tool.spec.name() <= name));
        self.tools.get(start..).unwrap_or_default()
    }
}

impl McpTool {
    fn new(spec: &Arc<ToolSpec>, style: &ListingStyle) -> Self {
        let input = schema::for_clients(spec.input_schema(), style.open_schemas);
        let has_header_parameters = schema::names_headers(&input);
        let mut tool =
            Tool::new(spec.name().to_owned(), spec.description().to_owned(), Arc::new(input));
        tool.title = spec.title().map(str::to_owned);
        tool.icons = style.icons.get(spec.name()).cloned();
        tool.annotations = Some(annotations(spec));
        let output = spec.output_schema().filter(|schema| !is_nothing(schema));
        let output = output.map(|it| schema::for_clients(it, style.open_schemas));
        let wrapped = output
            .as_ref()
            .filter(|schema| !schema::is_object(schema))
            .map(|schema| tool.clone().with_raw_output_schema(Arc::new(schema::wrapped(schema))));
        tool.output_schema = output.map(Arc::new);
        Self { spec: spec.clone(), tool, wrapped, has_header_parameters }
    }

    /// Returns the description for clients of a revision.
    pub(super) fn for_revision(&self, revision: Revision) -> &Tool {
        match (revision, &self.wrapped) {
            (Revision::WithSessions, Some(wrapped)) => wrapped,
            (Revision::WithSessions, None) | (Revision::Stateless, _) => &self.tool,
        }
    }

    /// Returns whether clients repeat a parameter of the tool in a header.
    pub(super) fn has_header_parameters(&self) -> bool {
        self.has_header_parameters
    }

    /// Returns whether the tool declares the form of its output.
    pub(super) fn has_output_schema(&self) -> bool {
        self.tool.output_schema.is_some()
    }

    /// Returns whether clients of a revision get the output as a member of an object.
    pub(super) fn wraps_output(&self, revision: Revision) -> bool {
        revision == Revision::WithSessions && self.wrapped.is_some()
    }
}

/// Returns the hints of a tool. They follow from its effect, so that they cannot contradict it.
fn annotations(spec: &ToolSpec) -> ToolAnnotations {
    let (effect, annotations) = (spec.effect(), spec.annotations());
    ToolAnnotations::new()
        .read_only(effect == Effect::Read)
        .destructive(effect == Effect::Destructive)
        .idempotent(effect == Effect::Read || annotations.idempotent())
        .open_world(annotations.open_world())
}

/// Returns whether a tool that has this schema answers with nothing.
fn is_nothing(schema: &Map<String, serde_json::Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

impl fmt::Debug for McpToolCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpToolCache").field("tools", &self.tools).finish_non_exhaustive()
    }
}
