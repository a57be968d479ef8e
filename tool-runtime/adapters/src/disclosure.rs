//! Decides which tools a request declares in full when there are many.

use std::collections::BTreeSet;

use serde_json::Value;
use tool_contracts::ToolSpec;
use tool_runtime_core::tool::ToolOutput;

use super::format::{DialectFormat, ToolLoading};

/// The name of the tool with which a model searches for tools; see `tool_runtime::search`.
pub(super) const SEARCH_TOOLS: &str = "search_tools";

/// Defers tools if there are many: the model finds them by a search, and reads only what it found.
///
/// A model reads all declarations of a request, and chooses worse among many. Above a number of
/// tools, only the tools that the host names are declared in full. The others are deferred:
///
/// - Anthropic and the Responses API of OpenAI search by themselves. Deferred tools are declared
///   with `defer_loading`, together with the provider's search tool, and stay declared for the whole
///   conversation, so that prompt caches keep their prefix. The tool `search_tools` is not declared.
/// - If `search_tools` is among the specs, the Responses API asks this process to search
///   ([`ToolSearch::ClientExecuted`]). The declarations of the tools that `search_tools` finds are part
///   of its answer, and no request declares them.
/// - Elsewhere, the model calls the tool `search_tools`, and the tools that it found are declared
///   from the next request on: see [`Adapter::disclose_found`](super::Adapter::disclose_found).
///   Nothing is deferred if `search_tools` is not among the specs, since the model could not find it.
///
/// A call of a deferred tool is read like any other, whether a search has found the tool or not.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::adapters::{Adapter, Dialect, Disclosure};
/// use tool_runtime::contracts::{Effect, ToolSpec};
///
/// let spec = |name: &str| ToolSpec::builder(name, Effect::Read).description("Reads it.").build();
/// let specs = [spec("mail.list")?, spec("mail.read")?, spec("weather")?];
/// let adapter = Adapter::builder(Dialect::Anthropic)
///     .disclosure(Disclosure::defer_above(2).always(["weather"]))
///     .build(&specs);
/// let declared = adapter.declarations();
/// assert_eq!(declared[0]["name"], "weather");
/// assert_eq!(
///     declared[1],
///     json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}),
/// );
/// assert_eq!((&declared[2]["name"], &declared[2]["defer_loading"]), (&json!("mail_list"), &json!(true)));
/// # Ok::<(), tool_runtime::contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disclosure {
    defer_above: usize,
    always: BTreeSet<String>,
    search: ToolSearch,
}

/// The search that finds deferred tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolSearch {
    /// The search before which a model reads the fewest tokens: as [`ClientExecuted`](Self::ClientExecuted)
    /// in the Responses API of OpenAI, if `search_tools` is among the specs; otherwise as
    /// [`Provider`](Self::Provider).
    ///
    /// Before OpenAI's own search, a model reads the name and the description of every deferred tool
    /// without a toolkit.
    #[default]
    Automatic,
    /// The provider's own search, if the dialect has one; otherwise the tool `search_tools`.
    ///
    /// Anthropic's ranks by words. It needs a model that knows it, as OpenAI's does.
    Provider,
    /// As [`Provider`](Self::Provider), but Anthropic's search matches regular expressions.
    ProviderRegex,
    /// OpenAI's `tool_search`, which the tool `search_tools` executes in this process; in other
    /// dialects, the tool `search_tools` by itself.
    ///
    /// The model's `tool_search_call` is a call of `search_tools` in the [`Turn`](super::Turn), which is
    /// checked, executed and recorded like any other. Its answer is a `tool_search_output` with the
    /// declarations of the found tools, which the model may call from then on. They are part of the
    /// conversation, so the request's declarations stay the same, and
    /// [`disclose_found`](super::Adapter::disclose_found) adds none. The item has no place for an error or
    /// a note: a search that failed has found nothing.
    ClientExecuted,
    /// The tool `search_tools`, in every dialect.
    SearchTools,
}

impl Disclosure {
    /// Defers tools if there are more than this number.
    #[must_use]
    pub fn defer_above(tool_count: usize) -> Self {
        Self { defer_above: tool_count, always: BTreeSet::new(), search: ToolSearch::default() }
    }

    /// Declares these tools in full in every request: by their names, or the names of their toolkits.
    ///
    /// Name the few that most conversations need. `search_tools` need not be named.
    #[must_use]
    pub fn always<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.always.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the search; [`ToolSearch::Automatic`] by default.
    #[must_use]
    pub fn search(mut self, search: ToolSearch) -> Self {
        self.search = search;
        self
    }

    fn is_always_declared(&self, spec: &ToolSpec) -> bool {
        let toolkit = spec.toolkit().map(tool_contracts::ToolkitSpec::name);
        let prefix = spec.name().rsplit_once('.').map(|(prefix, _)| prefix);
        spec.name() == SEARCH_TOOLS
            || [Some(spec.name()), prefix, toolkit]
                .into_iter()
                .flatten()
                .any(|name| self.always.contains(name))
    }
}

/// The way in which tools are deferred in one dialect.
#[derive(Debug, Clone)]
pub(super) enum DisclosurePlan {
    /// All tools are declared in full.
    All,
    /// The provider searches by this tool, which is its own.
    Provider(Disclosure, Value),
    /// The provider asks this process to search, which `search_tools` does.
    ClientExecuted(Disclosure),
    /// The model calls `search_tools`.
    SearchTools(Disclosure),
}

impl DisclosurePlan {
    /// Chooses the way for a set of tools.
    pub(super) fn new(
        disclosure: Option<Disclosure>,
        format: &dyn DialectFormat,
        specs: &[&ToolSpec],
    ) -> Self {
        let Some(disclosure) = disclosure.filter(|it| it.defers_any(specs)) else {
            return Self::All;
        };
        let has_search_tools = || specs.iter().any(|spec| spec.name() == SEARCH_TOOLS);
        let can_execute = format.has_client_executed_search();
        let search = match disclosure.search {
            ToolSearch::Automatic if can_execute && has_search_tools() => {
                ToolSearch::ClientExecuted
            }
            ToolSearch::Automatic => ToolSearch::Provider,
            search @ (ToolSearch::Provider
            | ToolSearch::ProviderRegex
            | ToolSearch::ClientExecuted
            | ToolSearch::SearchTools) => search,
        };
        let is_client_executed = search == ToolSearch::ClientExecuted && can_execute;
        match format.search_tool(search) {
            Some(search_tool) => Self::Provider(disclosure, search_tool),
            None if !has_search_tools() => Self::All,
            None if is_client_executed => Self::ClientExecuted(disclosure),
            None => Self::SearchTools(disclosure),
        }
    }

    /// Returns whether the model finds a tool by a search.
    pub(super) fn defers(&self, spec: &ToolSpec) -> bool {
        match self {
            Self::All => false,
            Self::Provider(disclosure, _)
            | Self::ClientExecuted(disclosure)
            | Self::SearchTools(disclosure) => !disclosure.is_always_declared(spec),
        }
    }

    /// Returns when the model reads a tool's declaration.
    pub(super) fn loading(&self, spec: &ToolSpec) -> ToolLoading {
        match self {
            Self::Provider(..) if self.defers(spec) => ToolLoading::ByProvider,
            Self::ClientExecuted(_) | Self::SearchTools(_) if self.defers(spec) => {
                ToolLoading::Found
            }
            Self::All | Self::Provider(..) | Self::ClientExecuted(_) | Self::SearchTools(_) => {
                ToolLoading::AtStart
            }
        }
    }

    /// Returns whether a tool executes the provider's search in this process.
    pub(super) fn is_client_search(&self, spec: &ToolSpec) -> bool {
        self.is_client_executed() && spec.name() == SEARCH_TOOLS
    }

    /// Returns whether the provider asks this process to search.
    pub(super) fn is_client_executed(&self) -> bool {
        matches!(self, Self::ClientExecuted(_))
    }

    /// Returns whether the provider searches.
    pub(super) fn is_provider(&self) -> bool {
        matches!(self, Self::Provider(..))
    }

    /// Returns whether a tool is left out, because the provider's own search replaces it.
    pub(super) fn omits(&self, spec: &ToolSpec) -> bool {
        self.is_provider() && spec.name() == SEARCH_TOOLS
    }

    /// Returns the declaration of the provider's own search.
    pub(super) fn search_tool(&self) -> Option<&Value> {
        match self {
            Self::Provider(_, search_tool) => Some(search_tool),
            Self::All | Self::ClientExecuted(_) | Self::SearchTools(_) => None,
        }
    }
}

impl Disclosure {
    fn defers_any(&self, specs: &[&ToolSpec]) -> bool {
        specs.len() > self.defer_above && specs.iter().any(|spec| !self.is_always_declared(spec))
    }
}

/// The own names of the tools in an output of `search_tools`.
pub(super) fn found_tools(output: &ToolOutput) -> Vec<String> {
    output.data_json().map(found_tools_in).unwrap_or_default()
}

/// The own names of the tools in the data of `search_tools`.
pub(super) fn found_tools_in(data: &str) -> Vec<String> {
    let data = serde_json::from_str::<Value>(data).ok();
    let tools = data.as_ref().and_then(|data| data["tools"].as_array()).into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
}
