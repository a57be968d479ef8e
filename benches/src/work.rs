//! One tool, called in three styles: by hand, through the runtime, and through JSON values.
//!
//! The tool is `search_content(query, limit, tags) → {items[], total, query}`; the arguments and the
//! answer are the same in every style, and so are the constraint checks.

use std::fmt;

use futures::FutureExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::prelude::*;

/// The arguments that every style gets.
pub const ARGUMENTS: &str = r#"{"query":"hello world","limit":10,"tags":["a","b","c"]}"#;

/// The results of a search.
#[ai_type]
#[derive(Debug)]
pub struct Hits {
    /// The hits, best first.
    pub items: Vec<Item>,
    /// The total number of results.
    pub total: u32,
    /// The words of the search.
    pub query: String,
}

/// One hit.
#[ai_type]
#[derive(Debug, Clone)]
pub struct Item {
    /// The content's id.
    pub id: String,
    /// The content's type.
    pub content_type: String,
    /// The content's title.
    pub title: String,
    /// The content's text.
    pub body: String,
    /// The credibility of the text, in percent.
    pub credibility_score: u32,
    /// True if a person has verified it.
    pub verified: bool,
}

/// The index of a search.
#[derive(Debug)]
pub struct Index {
    items: Vec<Item>,
}

impl Index {
    /// Makes an index that answers with this many items.
    #[must_use]
    pub fn new(items: usize) -> Self {
        let item = |number: usize| Item {
            id: format!("content-{number:04}"),
            content_type: "article".to_owned(),
            title: format!("The tea houses of the old town, part {number}"),
            body: "The first tea house opened on the market square; it had nine tables.".to_owned(),
            credibility_score: 92,
            verified: true,
        };
        Self { items: (0..items).map(item).collect() }
    }
}

/// The error of a search.
#[derive(Debug, Clone, Copy, ToolFailure)]
pub enum SearchError {
    /// The index is empty.
    #[failure(UNAVAILABLE, message = "the index is empty")]
    Empty,
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the index is empty")
    }
}

impl std::error::Error for SearchError {}

/// Searches the published content of a site.
///
/// # Errors
/// The index is empty.
#[ai_tool(effect = "read")]
#[allow(clippy::unused_async, reason = "tools are async as a rule; what is measured is the call")]
pub async fn search_content(
    index: &Index,
    /// Words to search for.
    #[arg(length(1..=200))]
    query: String,
    /// The maximum number of hits to return.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
    /// Only content with all of these tags.
    #[arg(default, length(..=20))]
    tags: Vec<String>,
) -> Result<Hits, SearchError> {
    if index.items.is_empty() {
        return Err(SearchError::Empty);
    }
    let _ = tags;
    let items: Vec<_> = index.items.iter().take(limit as usize).cloned().collect();
    Ok(Hits { total: u32::try_from(items.len()).unwrap_or(u32::MAX), items, query })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByHand {
    query: String,
    #[serde(default = "ten")]
    limit: u32,
    #[serde(default)]
    tags: Vec<String>,
}

fn ten() -> u32 {
    10
}

fn admits(query: &str, limit: u32, tags: usize) -> bool {
    (1..=200).contains(&query.chars().count()) && (1..=50).contains(&limit) && tags <= 20
}

/// (a) Hand-written: parse, check, call, serialise the answer.
#[must_use]
pub fn by_hand(index: &Index, arguments: &str) -> Option<Vec<u8>> {
    let ByHand { query, limit, tags } = serde_json::from_str(arguments).ok()?;
    if !admits(&query, limit, tags.len()) {
        return None;
    }
    let hits = search_content(index, query, limit, tags).now_or_never()?.ok()?;
    serde_json::to_vec(&hits).ok()
}

/// (b) Through the runtime, to the serialised envelope.
#[must_use]
pub fn by_runtime(runtime: &Runtime, cx: &ToolContext, arguments: &str) -> Option<Vec<u8>> {
    let mut call = runtime.call("search_content", arguments, cx);
    call.execute().now_or_never().is_some_and(ToolOutput::is_ok).then_some(())?;
    call.into_output().map(ToolOutput::into_bytes)
}

/// (c) Through JSON values, like tool layers without types.
#[must_use]
pub fn by_value(index: &Index, arguments: &str) -> Option<Vec<u8>> {
    let input: Value = serde_json::from_str(arguments).ok()?;
    let query = input.get("query")?.as_str()?.to_owned();
    let limit = input.get("limit").map_or(Some(10), Value::as_u64)?;
    let limit = u32::try_from(limit).ok()?;
    let tags: Vec<String> = serde_json::from_value(input.get("tags")?.clone()).ok()?;
    if !admits(&query, limit, tags.len()) {
        return None;
    }
    let hits = search_content(index, query, limit, tags).now_or_never()?.ok()?;
    let data = serde_json::to_value(&hits).ok()?;
    let envelope =
        json!({ "status": "ok", "input": input, "data": data, "meta": { "took_ms": 0 } });
    serde_json::to_vec(&envelope).ok()
}

/// Makes a runtime with the tool and this many further tools.
///
/// # Panics
/// Never: the tools are complete.
#[must_use]
pub fn runtime(items: usize, further: usize) -> Runtime {
    let mut builder = Runtime::builder().tool::<SearchContentTool>().state(Index::new(items));
    for number in 0..further {
        builder = builder.dynamic(
            DynamicTool::new(format!("further.tool_{number}"), Effect::Read)
                .description("Stands beside the tool that is measured.")
                .input_schema(json!({ "type": "object", "additionalProperties": false }))
                .sync_handler(|_| Ok::<_, Failure>(())),
        );
    }
    builder.build().expect("the tools are complete and their state is given")
}
