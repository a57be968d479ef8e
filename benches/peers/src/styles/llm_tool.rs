//! llm-tool: its `ToolRegistry`, called with the argument text.

use std::sync::Arc;

use futures::FutureExt;
use llm_tool::{
    OutputSanitization, RustTool, ToolContext, ToolError, ToolOutput, ToolRegistry, llm_tool,
};
use tool_benches::work::{self, ARGUMENTS, Hits, Index};

use super::{Arguments, Call, FAILED, NAME, OUT_OF_BOUNDS, Style, admits};

/// `#[llm_tool]` with the index in the context; its output is cleaned of control tokens.
pub(super) const DOCUMENTED: Style = Style {
    key: "llm_tool",
    label: "llm-tool 0.10.5, #[llm_tool]",
    data_at: "",
    takes_further: false,
    prepare: |items, _| {
        let cx = ToolContext::new();
        cx.set_ext(Arc::new(Index::new(items))).map_err(|error| error.to_string())?;
        Ok(call(ToolRegistry::new().with_tool(SearchContent), cx))
    },
};

/// The hand-written trait, which serialises the answer itself and does not clean its text.
pub(super) const LEAN: Style = Style {
    key: "llm_tool_lean",
    label: "llm-tool 0.10.5, RustTool",
    data_at: "",
    takes_further: false,
    prepare: |items, _| {
        let tools = ToolRegistry::new().with_output_floor(OutputSanitization::None);
        Ok(call(tools.with_tool(Search(Index::new(items))), ToolContext::new()))
    },
};

fn call(tools: ToolRegistry, cx: ToolContext) -> Call {
    Box::new(move || {
        let output = tools.dispatch_str(NAME, ARGUMENTS, &cx).now_or_never()?.ok()?;
        Some(output.into_content().into_bytes())
    })
}

/// Searches the published content of a site.
#[llm_tool(effect = "read_only")]
async fn search_content(
    cx: &ToolContext,
    /// Words to search for.
    query: String,
    /// The maximum number of hits to return.
    limit: Option<u32>,
    /// Only content with all of these tags.
    tags: Option<Vec<String>>,
) -> Result<Hits, ToolError> {
    let index: Arc<Index> = cx.get_ext().ok_or_else(|| ToolError::new("no index"))?;
    search(&index, query, limit.unwrap_or(10), tags.unwrap_or_default()).await
}

struct Search(Index);

impl RustTool for Search {
    type Params = Arguments;
    const NAME: &'static str = NAME;
    const DESCRIPTION: &'static str = "Searches the published content of a site.";
    const OUTPUT_SANITIZATION: OutputSanitization = OutputSanitization::None;

    async fn call(&self, arguments: Arguments, _cx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let Arguments { query, limit, tags } = arguments;
        ToolOutput::json(&search(&self.0, query, limit, tags).await?)
    }
}

async fn search(
    index: &Index,
    query: String,
    limit: u32,
    tags: Vec<String>,
) -> Result<Hits, ToolError> {
    if !admits(&query, limit, &tags) {
        return Err(ToolError::new(OUT_OF_BOUNDS));
    }
    work::search_content(index, query, limit, tags).await.map_err(|_| ToolError::new(FAILED))
}
