//! Adapts a set of tools to one provider's dialect.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use tool_contracts::ToolSpec;
use tool_runtime_core::call::ToolCall;

use super::custom_tools::CustomTool;
use super::declare::combined;
use super::disclosure::{DisclosurePlan, SEARCH_TOOLS, found_tools};
use super::limits::warnings;
use super::names::ToolNames;
use super::restore::DeclarationChanges;
use super::{
    AdapterBuilder, CacheLifetime, DeclarationLoss, DeclarationReport, DeclaredTool, Dialect,
};

/// Adapts a set of tools to one provider's dialect.
///
/// Each tool is declared under a name that the dialect accepts, with a schema of keywords that it
/// supports. Unsupported keywords are omitted, so that a declaration accepts at least what its tool
/// accepts; [`report`](Self::report) lists them, and the runtime checks every call against the
/// complete schema.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::adapters::{Adapter, Dialect};
/// use tool_runtime::prelude::*;
///
/// /// Searches the published content of a site.
/// #[ai_tool(effect = "read", name = "content.search")]
/// fn search_content(
///     /// Words to look for.
///     query: String,
///     /// Most hits to return.
///     #[arg(default = 10, range(1..=50))]
///     limit: u32,
/// ) -> Vec<String> {
///     vec![query; limit as usize]
/// }
///
/// let runtime = Runtime::builder().tool::<SearchContentTool>().build()?;
/// let adapter = Adapter::new(Dialect::OpenAiResponses, runtime.specs_for_model());
/// assert_eq!(
///     json!({ adapter.request_field(): adapter.declarations() }),
///     json!({"tools": [{
///         "type": "function",
///         "name": "content_search",
///         "description": "Searches the published content of a site.",
///         "parameters": {
///             "type": "object",
///             "properties": {
///                 "query": {"type": "string", "description": "Words to look for."},
///                 "limit": {
///                     "type": ["integer", "null"],
///                     "minimum": 1,
///                     "maximum": 50,
///                     "description": "Most hits to return. Default: 10.",
///                 },
///             },
///             "required": ["limit", "query"],
///             "additionalProperties": false,
///         },
///         "strict": true,
///     }]}),
/// );
/// assert!(adapter.report().is_empty());
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Adapter {
    pub(super) dialect: Dialect,
    pub(super) names: ToolNames,
    pub(super) tools: Vec<DeclaredTool>,
    /// The tools that no search has found yet, by their own names.
    pub(super) withheld: BTreeMap<String, DeclaredTool>,
    pub(super) plan: DisclosurePlan,
    pub(super) declarations: Value,
    pub(super) report: DeclarationReport,
    /// The changes to undo in arguments, by tool.
    pub(super) undo: HashMap<String, DeclarationChanges>,
    pub(super) cache: Option<CacheLifetime>,
    pub(super) max_response_bytes: usize,
}

impl Adapter {
    /// Declares tools in a dialect, with default options.
    #[must_use]
    pub fn new(dialect: Dialect, specs: impl IntoIterator<Item: Borrow<ToolSpec>>) -> Self {
        Self::builder(dialect).build(specs)
    }

    /// Starts configuring an adapter.
    #[must_use]
    pub fn builder(dialect: Dialect) -> AdapterBuilder {
        AdapterBuilder::new(dialect)
    }

    /// Returns the dialect.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Lists the declared tools, in the order of the specs, and then those that a search has found.
    #[must_use]
    pub fn tools(&self) -> &[DeclaredTool] {
        &self.tools
    }

    /// Returns the declarations: the value of the request's [`request_field`](Self::request_field).
    ///
    /// If there are no tools, omit the field from the request: some providers reject an empty list.
    #[must_use]
    pub fn declarations(&self) -> &Value {
        &self.declarations
    }

    /// Lists the own names of the tools that the declarations omit until a search finds them.
    ///
    /// Without a [`Disclosure`](super::Disclosure), and where the provider searches by itself, there
    /// are none. Where the provider asks this process to search, all found tools stay in the list.
    pub fn withheld(&self) -> impl Iterator<Item = &str> {
        self.withheld.keys().map(String::as_str)
    }

    /// Declares withheld tools from the next request on, after all others; returns their number.
    ///
    /// The names are the tools' own. Tools that are declared already, and unknown names, change
    /// nothing.
    pub fn disclose<'n>(&mut self, tools: impl IntoIterator<Item = &'n str>) -> usize {
        let disclosed_tools = tools.into_iter().filter_map(|name| self.withheld.remove(name));
        let before = self.tools.len();
        self.tools.extend(disclosed_tools.collect::<Vec<_>>());
        let added = self.tools.len() - before;
        if added > 0 {
            self.write_declarations();
        }
        added
    }

    /// Declares the tools that executed calls of `search_tools` have found; returns their number.
    ///
    /// Call it after each turn's calls, and send the new [`declarations`](Self::declarations) with the
    /// next request. Other calls are ignored, and so are searches whose answers have the declarations
    /// ([`ToolSearch::ClientExecuted`](super::ToolSearch::ClientExecuted) of OpenAI).
    ///
    /// # Examples
    /// See the [guide](https://docs.rs/tool-runtime/latest/tool_runtime/guide/choosing_tools/).
    pub fn disclose_found<'c>(&mut self, calls: impl IntoIterator<Item = &'c ToolCall>) -> usize {
        if self.plan.is_client_executed() {
            return 0;
        }
        let searches = calls.into_iter().filter(|call| call.name() == SEARCH_TOOLS);
        let tool_names: Vec<_> =
            searches.filter_map(ToolCall::output).flat_map(found_tools).collect();
        self.disclose(tool_names.iter().map(String::as_str))
    }

    /// Returns the name of the request's field for the declarations.
    #[must_use]
    pub fn request_field(&self) -> &'static str {
        self.dialect.format().request_field()
    }

    /// Lists the parts of the tools' schemas that the declarations do not express.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::adapters::{Adapter, Dialect};
    /// use tool_runtime::contracts::{Effect, ToolSpec};
    ///
    /// let spec = ToolSpec::builder("tags.set", Effect::Write)
    ///     .input_schema(json!({
    ///         "type": "object",
    ///         "properties": {"tags": {"type": "array", "uniqueItems": true}},
    ///     }))
    ///     .build()?;
    /// let adapter = Adapter::new(Dialect::Gemini, [&spec]);
    /// let losses: Vec<_> = adapter.report().losses().map(ToString::to_string).collect();
    /// let lost = "tags.set: uniqueItems at `/properties/tags`: moved to the description";
    /// assert_eq!(losses, [lost]);
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> &DeclarationReport {
        &self.report
    }

    /// Returns the declared name of a tool; `None` if it is not declared.
    #[must_use]
    pub fn wire_name(&self, tool: &str) -> Option<&str> {
        self.names.wire(tool)
    }

    /// Returns the tool of a declared name; `None` if no tool was declared under it.
    ///
    /// A tool's own name is accepted too, unless it is the declared name of another tool, because
    /// models see own names in the texts of tools.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect};
    /// use tool_runtime::contracts::{Effect, ToolSpec};
    ///
    /// let spec = ToolSpec::builder("content.search", Effect::Read).build()?;
    /// let adapter = Adapter::new(Dialect::Anthropic, [&spec]);
    /// assert_eq!(adapter.wire_name("content.search"), Some("content_search"));
    /// assert_eq!(adapter.tool_name("content_search"), Some("content.search"));
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn tool_name(&self, wire_name: &str) -> Option<&str> {
        self.names.tool(wire_name)
    }

    /// Declares one of the tools as a custom tool, in place of its schema.
    pub(super) fn declare_custom(
        &mut self,
        tool: &str,
        custom: &CustomTool,
        losses: Vec<DeclarationLoss>,
    ) {
        self.undo.remove(tool);
        self.report.replace(tool, losses);
        self.names.set_custom(tool, custom.argument.clone());
        let wire = self.names.wire(tool);
        let all_tools = self.tools.iter_mut().chain(self.withheld.values_mut());
        for declared in all_tools.filter(|tool| Some(&*tool.name) == wire) {
            declared.strict = false;
            declared.custom = Some(custom.clone());
        }
        self.write_declarations();
    }

    /// Writes the declarations of the declared tools, and warns in the report of the provider's limits
    /// that they pass.
    pub(super) fn write_declarations(&mut self) {
        self.declarations = self.declarations_for(&self.tools.iter().collect::<Vec<_>>());
        let limits = self.dialect.format().limits();
        self.report.set_warnings(warnings(limits, &self.tools, &self.names));
    }

    /// Returns the declarations of some of the tools.
    pub(super) fn declarations_for(&self, tools: &[&DeclaredTool]) -> Value {
        combined(self.dialect.format(), tools, &self.plan, self.cache)
    }

    /// Converts arguments from the declared schema to the tool's own schema.
    ///
    /// Removes `null`s that represent omitted properties, and restores renamed properties. All
    /// other bytes stay unchanged. A text that is not JSON, or repeats a property, is returned
    /// unchanged, and rejected when it is read.
    pub(super) fn restore<'t>(&self, tool: &str, arguments: &'t str) -> Cow<'t, str> {
        self.undo.get(tool).map_or(Cow::Borrowed(arguments), |undo| undo.restore(arguments))
    }
}
