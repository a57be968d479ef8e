//! The tool with which a model searches for other tools.

use std::sync::{Arc, Mutex, PoisonError};

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde::{Deserialize, Serialize as DeriveSerialize};
use serde_json::{Value, json};
use tool_contracts::Effect;

use super::{Hit, ToolIndex};
use crate::failure::Failure;
use crate::tool::CallScope;
use crate::tool::registry::DynamicTool;

/// Creates the tool `search_tools(query, limit)`, with which a model finds tools it was not
/// offered.
///
/// It returns `{"tools": [{"name", "description", "input_schema"}]}`, best first: everything that a
/// model needs to call them. It searches the tools that
/// [`Runtime::specs_for_model`](crate::Runtime::specs_for_model) lists, without denied tools and
/// itself. The index is built on a blocking thread, by the first
/// call and by the first call after a change of the tools.
///
/// Most providers reject calls of tools that the request did not declare, so declare the results
/// with the next request.
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::search::search_tools;
///
/// /// Tells the weather of a city.
/// #[ai_tool(effect = "read")]
/// async fn weather(
///     /// The city.
///     city: String,
/// ) -> String {
///     format!("sunny in {city}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<WeatherTool>().dynamic(search_tools()).build()?;
/// let cx = ToolContext::local();
/// let mut call = runtime.call("search_tools", r#"{"query":"weather in Lisbon"}"#, &cx);
/// let found = call.execute().await.data_json().unwrap_or_default();
/// assert!(found.starts_with(r#"{"tools":[{"name":"weather","description":"Tells the weather"#));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn search_tools() -> DynamicTool {
    let index_cache = Mutex::new(None);
    DynamicTool::new("search_tools", Effect::Read)
        .title("Search tools")
        .version("1.0.0")
        .description(
            "Finds tools by what they do. Use it when none of the tools at hand fits the task; \
            the tools that it lists can be called afterwards.",
        )
        .idempotent(true)
        .input_schema(input_schema())
        .output_schema(output_schema())
        .blocking_handler(move |call: &CallScope| {
            let arguments: SearchArguments = call.parse()?;
            let index = current_index(&index_cache, call);
            let tools = index
                .search(&arguments.query, arguments.limit)
                .into_iter()
                .map(FoundTool)
                .collect();
            Ok::<_, Failure>(SearchOutput { tools })
        })
}

/// The default number of results.
const DEFAULT_LIMIT: usize = 5;

/// The most results.
const MAX_LIMIT: usize = 20;

#[derive(Deserialize)]
struct SearchArguments {
    query: String,
    #[serde(default = "default_limit")]
    limit: usize,
}

#[derive(DeriveSerialize)]
struct SearchOutput {
    tools: Vec<FoundTool>,
}

/// A tool as described to a model.
struct FoundTool(Hit);

impl Serialize for FoundTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.0.spec();
        let mut state = serializer.serialize_struct("Listed", 3)?;
        state.serialize_field("name", spec.name())?;
        state.serialize_field("description", spec.description())?;
        state.serialize_field("input_schema", spec.input_schema())?;
        state.end()
    }
}

/// The index of one version of the catalogue.
type VersionedIndex = (u64, Arc<ToolIndex>);

/// Returns the index of the tools that a model may call now, except the called one.
fn current_index(kept: &Mutex<Option<VersionedIndex>>, call: &CallScope) -> Arc<ToolIndex> {
    let (tools, own) = (call.environment().tools(), call.tool().name());
    let mut cache = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, index)) = cache.as_ref().filter(|(version, _)| *version == tools.version()) {
        return index.clone();
    }
    let others = tools.listed_for_model().filter(|spec| spec.name() != own);
    let index = Arc::new(ToolIndex::new(others.map(|spec| &**spec)));
    *cache = Some((tools.version(), index.clone()));
    index
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What the tool should do, in a few words.",
                "minLength": 1,
                "maxLength": 1_000,
            },
            "limit": {
                "type": "integer",
                "description": "Most tools to list.",
                "minimum": 1,
                "maximum": MAX_LIMIT,
                "default": DEFAULT_LIMIT,
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    })
}

fn output_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "properties": {
            "tools": {
                "type": "array",
                "description": "The tools that fit, the best first.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": text,
                        "description": text,
                        "input_schema": { "type": "object" },
                    },
                    "required": ["name", "description", "input_schema"],
                },
            },
        },
        "required": ["tools"],
    })
}
