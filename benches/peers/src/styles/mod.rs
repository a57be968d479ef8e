//! The same tool in every measured style: one file per peer.
//!
//! The tool, its data and its argument text are the project's own measured work
//! ([`tool_benches::work`]). Each peer appears twice: as its documentation shows it, and as cheap
//! as its public API allows.

mod llm_tool;
mod ours;
mod rig;
mod rmcp;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A call of the tool with the measured arguments, which returns the bytes of its answer.
pub(crate) type Call = Box<dyn FnMut() -> Option<Vec<u8>>>;

/// A way of dispatching the call.
#[derive(Debug)]
pub(crate) struct Style {
    /// Its name on the command line and in the last line.
    pub(crate) key: &'static str,
    /// Its name in the table.
    pub(crate) label: &'static str,
    /// The JSON Pointer of the tool's data in the answer.
    pub(crate) data_at: &'static str,
    /// True if tools that are known only at run time can be registered too.
    pub(crate) takes_further: bool,
    /// Prepares the call: the tool answers with this many items, among this many further tools.
    pub(crate) prepare: fn(usize, usize) -> Result<Call, String>,
}

/// All styles; the others are compared with the first.
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

/// The tool's arguments, for peers that declare them as a type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Words to search for.
    query: String,
    /// The maximum number of hits to return.
    #[serde(default = "ten")]
    limit: u32,
    /// Only content with all of these tags.
    #[serde(default)]
    tags: Vec<String>,
}

fn ten() -> u32 {
    10
}

/// The checks that the project derives from `#[arg(range, length)]`; a peer's tool makes them
/// itself.
fn admits(query: &str, limit: u32, tags: &[String]) -> bool {
    (1..=200).contains(&query.chars().count()) && (1..=50).contains(&limit) && tags.len() <= 20
}

/// The error for arguments out of bounds.
const OUT_OF_BOUNDS: &str = "an argument is out of bounds";

/// The error of a failed search.
const FAILED: &str = "the index is empty";

/// The name under which every style registers the tool.
const NAME: &str = "search_content";

/// Returns the name of a further tool.
fn further_name(number: usize) -> String {
    format!("further.tool_{number}")
}

/// Returns the schema of a tool without parameters.
fn nothing() -> serde_json::Map<String, Value> {
    let mut schema = serde_json::Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("additionalProperties".into(), false.into());
    schema
}
