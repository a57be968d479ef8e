//! The same tool in every style that is measured: one file a peer.
//!
//! The tool, its data and its argument text are the project's own measured work
//! ([`tool_benches::work`]). Each peer appears twice: as its documentation shows, and as lean as
//! its public API allows.

mod llm_tool;
mod ours;
mod rig;
mod rmcp;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A call of the tool with the measured arguments, to the bytes of its answer.
pub(crate) type Call = Box<dyn FnMut() -> Option<Vec<u8>>>;

/// One way of dispatching the call.
#[derive(Debug)]
pub(crate) struct Style {
    /// Its name on the command line and in the last line.
    pub(crate) key: &'static str,
    /// Its name in the table.
    pub(crate) label: &'static str,
    /// Where the tool's data lies in the answer, as a JSON Pointer.
    pub(crate) data_at: &'static str,
    /// Whether tools that are known only at run time can stand beside the measured one.
    pub(crate) takes_further: bool,
    /// Makes the call: the tool answers with this many items, beside this many further tools.
    pub(crate) prepare: fn(usize, usize) -> Result<Call, String>,
}

/// Every style; the first is what the others are compared with.
pub(crate) const ALL: &[Style] = &[
    ours::BY_HAND,
    ours::RUNTIME,
    rmcp::DOCUMENTED,
    rmcp::LEAN,
    rig::DOCUMENTED,
    rig::LEAN,
    llm_tool::DOCUMENTED,
    llm_tool::LEAN,
];

/// The tool's arguments, where a peer lets a tool declare them as a type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Words to look for.
    query: String,
    /// Most hits to return.
    #[serde(default = "ten")]
    limit: u32,
    /// Only content that carries all of these tags.
    #[serde(default)]
    tags: Vec<String>,
}

fn ten() -> u32 {
    10
}

/// The checks that the project derives from `#[arg(range, length)]`, which a peer's tool makes itself.
fn admits(query: &str, limit: u32, tags: &[String]) -> bool {
    (1..=200).contains(&query.chars().count()) && (1..=50).contains(&limit) && tags.len() <= 20
}

/// What a tool says when its arguments break those bounds.
const OUT_OF_BOUNDS: &str = "an argument is out of bounds";

/// What a tool says when its search fails.
const FAILED: &str = "the index is empty";

/// The name under which every style registers the tool.
const NAME: &str = "search_content";

/// Names a tool that only stands beside the measured one.
fn further_name(number: usize) -> String {
    format!("further.tool_{number}")
}

/// The schema of a tool that takes nothing.
fn nothing() -> serde_json::Map<String, Value> {
    let mut schema = serde_json::Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("additionalProperties".into(), false.into());
    schema
}
