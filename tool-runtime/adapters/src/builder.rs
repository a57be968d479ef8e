//! Configures the adapters of a set of tools.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde_json::Value;
use tool_contracts::ToolSpec;

use super::declare::{DeclareOptions, declare};
use super::disclosure::{DisclosurePlan, SEARCH_TOOLS};
use super::format::ToolLoading;
use super::names::ToolNames;
use super::{Adapter, CacheLifetime, Dialect, Disclosure, ToolkitText};

/// Configures an [`Adapter`].
#[derive(Debug, Clone)]
pub struct AdapterBuilder {
    pub(super) dialect: Dialect,
    options: DeclareOptions,
    cache: Option<CacheLifetime>,
    max_response_bytes: usize,
}

/// The default limit on the size of one response.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

impl AdapterBuilder {
    pub(super) fn new(dialect: Dialect) -> Self {
        let options = DeclareOptions {
            strict: None,
            titles: false,
            examples: true,
            toolkits: ToolkitText::default(),
            disclosure: None,
            allowed_callers: BTreeMap::new(),
        };
        Self { dialect, options, cache: None, max_response_bytes: MAX_RESPONSE_BYTES }
    }

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

    /// Sets whether examples of arguments are declared. Default: true.
    ///
    /// Anthropic has a field for them (`input_examples`), except with its own tool search. Elsewhere
    /// they are lines at the end of the description.
    #[must_use]
    pub fn examples(mut self, examples: bool) -> Self {
        self.options.examples = examples;
        self
    }

    /// Defers tools if there are many. Default: all are declared in full.
    #[must_use]
    pub fn disclosure(mut self, disclosure: Disclosure) -> Self {
        self.options.disclosure = Some(disclosure);
        self
    }

    /// Marks the declared tools for the provider's prompt cache, and enables
    /// [`mark_messages`](Adapter::mark_messages). Default: no marks.
    ///
    /// Anthropic and Bedrock have marks (`cache_control`, `cachePoint`). The mark is after the tools
    /// that are declared from the first request on. Bedrock accepts it only for models that cache
    /// tools.
    #[must_use]
    pub fn prompt_cache(mut self, lifetime: CacheLifetime) -> Self {
        self.cache = Some(lifetime);
        self
    }

    /// Sets who may call a tool, in the provider's words (`allowed_callers`). Default: the model.
    ///
    /// With Anthropic, `code_execution_20260521` lets programs of the code execution tool of that
    /// version call the tool, and `direct` the model; with OpenAI's Responses API, `programmatic`
    /// and `direct`. The host adds the provider's tool that runs programs to the request. Other
    /// dialects have no such field. The tool is named by its own name.
    ///
    /// A program's calls are read, checked and approved like a model's own. Their results go to the
    /// program, which the conversation's messages identify.
    #[must_use]
    pub fn allowed_callers<C: Into<String>>(
        mut self,
        tool: impl Into<String>,
        callers: impl IntoIterator<Item = C>,
    ) -> Self {
        let callers = callers.into_iter().map(Into::into).collect();
        self.options.allowed_callers.insert(tool.into(), callers);
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
    pub fn build(self, specs: impl IntoIterator<Item: Borrow<ToolSpec>>) -> Adapter {
        let owned_specs: Vec<_> = specs.into_iter().collect();
        let mut specs: Vec<&ToolSpec> = owned_specs.iter().map(Borrow::borrow).collect();
        let format = self.dialect.format();
        let plan = DisclosurePlan::new(self.options.disclosure.clone(), format, &specs);
        specs.retain(|spec| !plan.omits(spec));
        let mut names = ToolNames::new(format.name_rules(), specs.iter().map(|spec| spec.name()));
        let declared = declare(format, &self.options, &plan, &names, &specs);
        if plan.is_client_executed() {
            names.set_client_search(SEARCH_TOOLS);
        }
        let (withheld, tools): (Vec<_>, Vec<_>) =
            declared.tools.into_iter().partition(|(_, tool)| tool.loading == ToolLoading::Found);
        let tools: Vec<_> = tools.into_iter().map(|(_, tool)| tool).collect();
        let mut adapter = Adapter {
            dialect: self.dialect,
            names,
            tools,
            withheld: withheld.into_iter().collect(),
            plan,
            declarations: Value::Null,
            report: declared.report,
            undo: declared.undo,
            cache: self.cache,
            max_response_bytes: self.max_response_bytes,
        };
        adapter.write_declarations();
        adapter
    }
}
