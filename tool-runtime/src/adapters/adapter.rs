//! Adapts a set of tools to one provider's dialect.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use tool_contracts::ToolSpec;

use super::custom_tools::CustomTool;
use super::declare::{DeclareOptions, declare};
use super::limits::warnings;
use super::names::ToolNames;
use super::restore::DeclarationChanges;
use super::{DeclarationLoss, DeclarationReport, DeclaredTool, Dialect, ToolkitText};

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
    tools: Vec<DeclaredTool>,
    declarations: Value,
    report: DeclarationReport,
    /// The changes to undo in arguments, by tool.
    undo: HashMap<String, DeclarationChanges>,
    pub(super) max_response_bytes: usize,
}

/// Configures an [`Adapter`].
#[derive(Debug, Clone)]
pub struct AdapterBuilder {
    pub(super) dialect: Dialect,
    options: DeclareOptions,
    pub(super) max_response_bytes: usize,
}

/// The default limit on the size of one response.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

impl Adapter {
    /// Declares tools in a dialect, with default options.
    #[must_use]
    pub fn new<'s>(dialect: Dialect, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Self {
        Self::builder(dialect).build(specs)
    }

    /// Starts configuring an adapter.
    #[must_use]
    pub fn builder(dialect: Dialect) -> AdapterBuilder {
        let options =
            DeclareOptions { strict: None, titles: false, toolkits: ToolkitText::default() };
        AdapterBuilder { dialect, options, max_response_bytes: MAX_RESPONSE_BYTES }
    }

    /// Returns the dialect.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Lists the declared tools, in the order of the specs.
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
        for declared in self.tools.iter_mut().filter(|known| Some(&*known.name) == wire) {
            declared.strict = false;
            declared.custom = Some(custom.clone());
        }
        let format = self.dialect.format();
        let tools = self.tools.iter().map(|tool| format.declaration(tool)).collect();
        self.declarations = format.declarations(tools);
        self.check_limits();
    }

    /// Warns in the report of the provider's limits that the declared tools pass.
    fn check_limits(&mut self) {
        let limits = self.dialect.format().limits();
        self.report.set_warnings(warnings(limits, &self.tools, &self.names));
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

impl AdapterBuilder {
    /// Sets whether the provider enforces each tool's schema (`strict`), if enforcement rejects no
    /// call that the tool accepts. Default: true for OpenAI, false for Anthropic and Bedrock. Gemini
    /// and Ollama have no strict mode.
    ///
    /// A tool is declared without `strict`, and the report lists it, if a strict call could not
    /// express its arguments: if it accepts undeclared properties or any value.
    ///
    /// OpenAI's strict mode also requires every property. The `null` that a model writes for an
    /// omitted property is removed when the call is read, so a property that may be `null` or absent
    /// prevents `strict`, unless its schema says by `"default": null` that both mean the same.
    ///
    /// Anthropic's and Bedrock's strict mode supports no bounds, lengths, patterns or recursive
    /// types: bounds, lengths and patterns move to the description, recursive types prevent `strict`.
    /// All strict tools of a request may have 20 tools, 24 optional properties and 16 properties of
    /// several types together; further tools are not strict. Without strict mode, these models see
    /// the complete schema.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.options.strict = Some(strict);
        self
    }

    /// Sets whether the titles of types are declared. Default: false.
    ///
    /// A title is the fully qualified name of a Rust type, such as
    /// `alloc::vec::Vec<shop::orders::Line>`. It costs tokens at every object and list, and models
    /// rarely need it. It is written to `title`, and for Ollama, which drops `title`, to the
    /// description. The title of the arguments themselves is the path of the tool's function, and
    /// is omitted.
    #[must_use]
    pub fn titles(mut self, titles: bool) -> Self {
        self.options.titles = titles;
        self
    }

    /// Sets which tools include their toolkit's description. Default: the first tool of each
    /// toolkit.
    #[must_use]
    pub fn toolkits(mut self, text: ToolkitText) -> Self {
        self.options.toolkits = text;
        self
    }

    /// Sets the longest response that is read, in bytes, including all its events. Default: 32 MiB.
    #[must_use]
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Declares the tools.
    #[must_use]
    pub fn build<'s>(self, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Adapter {
        let specs: Vec<_> = specs.into_iter().collect();
        let names = ToolNames::new(
            self.dialect.format().name_rules(),
            specs.iter().map(|spec| spec.name()),
        );
        let declared = declare(self.dialect.format(), self.options, &names, &specs);
        let mut adapter = Adapter {
            dialect: self.dialect,
            names,
            tools: declared.tools,
            declarations: declared.value,
            report: declared.report,
            undo: declared.undo,
            max_response_bytes: self.max_response_bytes,
        };
        adapter.check_limits();
        adapter
    }
}
