//! A set of tools in one dialect.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use tool_contracts::ToolSpec;

use super::declare::{Options, declare};
use super::names::Names;
use super::restore::Undo;
use super::{Dialect, Report, ToolkitText};

/// A set of tools in one dialect.
///
/// Each tool is declared under a name that the dialect takes, with a schema of words that it knows.
/// What it cannot say is left out, so that a declaration admits all that its tool does and perhaps
/// more; [`report`](Self::report) lists it, and the runtime checks every call by the whole schema.
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
/// let runtime = Runtime::builder().tool::<SearchContent>().build()?;
/// let adapter = Adapter::new(Dialect::OpenAiResponses, runtime.specs_for_model());
/// assert_eq!(
///     json!({ adapter.field(): adapter.declarations() }),
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
    pub(super) names: Names,
    declarations: Value,
    report: Report,
    /// What was changed of the tools that had to be.
    undo: HashMap<String, Undo>,
    pub(super) max_response_bytes: usize,
}

/// What an adapter may be told before it declares tools.
#[derive(Debug, Clone)]
pub struct AdapterBuilder {
    pub(super) dialect: Dialect,
    options: Options,
    pub(super) max_response_bytes: usize,
}

/// What one response may have, unless the host says otherwise: some hundred thousand events.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

impl Adapter {
    /// Declares tools in a dialect, as its defaults are.
    #[must_use]
    pub fn new<'s>(dialect: Dialect, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Self {
        Self::builder(dialect).build(specs)
    }

    /// Starts an adapter that is told more.
    #[must_use]
    pub fn builder(dialect: Dialect) -> AdapterBuilder {
        let options = Options { strict: true, titles: false, toolkits: ToolkitText::default() };
        AdapterBuilder { dialect, options, max_response_bytes: MAX_RESPONSE_BYTES }
    }

    /// Returns whose words it speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns the declarations: the value of the request's field [`field`](Self::field).
    ///
    /// A request without tools leaves the field out: some providers refuse an empty one.
    #[must_use]
    pub fn declarations(&self) -> &Value {
        &self.declarations
    }

    /// Returns the name of the request's field that carries the declarations.
    #[must_use]
    pub fn field(&self) -> &'static str {
        match self.dialect {
            Dialect::BedrockConverse => "toolConfig",
            _ => "tools",
        }
    }

    /// Lists what the declarations do not say of the tools.
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
    /// let lost = "tags.set: uniqueItems at `/properties/tags`: said in the description";
    /// assert_eq!(losses, [lost]);
    /// # Ok::<(), tool_runtime::contracts::ContractError>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns what a model calls a tool.
    #[must_use]
    pub fn wire_name(&self, tool: &str) -> Option<&str> {
        self.names.wire(tool)
    }

    /// Turns the arguments that a model wrote under a tool's declaration into what the tool reads.
    ///
    /// What a declaration had to change is undone: the `null` of a property that could not be left
    /// out, and a property's other name. All else stays byte for byte; a text that is no JSON, or
    /// names a property twice, is left as it is to the reader that refuses it.
    pub(super) fn restore<'t>(&self, tool: &str, arguments: &'t str) -> Cow<'t, str> {
        self.undo.get(tool).map_or(Cow::Borrowed(arguments), |undo| undo.restore(arguments))
    }
}

impl AdapterBuilder {
    /// Says whether OpenAI is to hold a model to each tool's schema (`strict`) where that refuses
    /// nothing that the tool takes; it is, unless this says otherwise.
    ///
    /// A strict declaration requires every property; the `null` that a model writes for one that it
    /// would have left out is taken out again when its call is read. A tool that takes properties
    /// which its schema does not name, or any value at all, is declared without it, and the report
    /// says so. The other dialects take more of JSON Schema without it than with it.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.options.strict = strict;
        self
    }

    /// Says whether the titles of types are declared; they are not, unless this says so.
    ///
    /// A title is the fully qualified name of a Rust type, as in
    /// `alloc::vec::Vec<shop::orders::Line>`. It costs tokens at every object and list, and a model
    /// rarely needs it. It stands in `title`, and for Ollama, which drops that, in the description.
    /// The title of the arguments as a whole is the path of the tool's function and is left out.
    #[must_use]
    pub fn titles(mut self, titles: bool) -> Self {
        self.options.titles = titles;
        self
    }

    /// Sets which tools carry their toolkit's description: the first of each toolkit, unless this
    /// says otherwise.
    #[must_use]
    pub fn toolkits(mut self, text: ToolkitText) -> Self {
        self.options.toolkits = text;
        self
    }

    /// Sets the longest response that is read, in bytes, all its events together: 32 MiB, unless
    /// this says otherwise.
    #[must_use]
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Declares the tools.
    #[must_use]
    pub fn build<'s>(self, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Adapter {
        let specs: Vec<_> = specs.into_iter().collect();
        let names = Names::new(self.dialect, specs.iter().map(|spec| spec.name()));
        let declared = declare(self.dialect, self.options, &names, &specs);
        Adapter {
            dialect: self.dialect,
            names,
            declarations: declared.value,
            report: declared.report,
            undo: declared.undo,
            max_response_bytes: self.max_response_bytes,
        }
    }
}
